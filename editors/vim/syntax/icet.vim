" Highlighting of .icet files, after crates/language/syntax/src/icet.rs: what programs have, and more words.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/ser.vim
unlet b:current_syntax

" Words of programs that are names here.
syntax clear serDeclaration serYield serReserved serChoice

syntax keyword serDeclaration proc nextgroup=serRequestName skipwhite skipempty
syntax match   serDeclaration /\<server\>\(\_s\+proc\>\)\@=/
syntax keyword serDeclaration procs index enum msg nextgroup=serTypeName skipwhite skipempty
syntax match   serTypeName    /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax keyword serType        int bool pid
syntax keyword serConditional match
syntax keyword serRepeat      loop for break
syntax keyword serStatement   send to recv from any pick assert fail skip
syntax keyword serConstant    true false self
syntax keyword serReserved    spawn
syntax match   serOperator    /<-\|=>\||/
syntax match   serDelimiter   /=\(=\|>\)\@!/

highlight default link serType     Type
highlight default link serTypeName Type
highlight default link serConstant Constant

let b:current_syntax = 'icet'
