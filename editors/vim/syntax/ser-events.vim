" Highlighting of .events files, after crates/language/syntax/src/processes.rs: what programs have, and more words.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/ser.vim
unlet b:current_syntax

syntax keyword serDeclaration process nextgroup=serRequestName skipwhite skipempty
syntax keyword serDeclaration enum nextgroup=serTypeName skipwhite skipempty
syntax match   serTypeName    /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax keyword serDeclaration reach
syntax keyword serType        bool bits queue of
syntax keyword serRepeat      repeat
syntax keyword serYield       await
syntax keyword serStatement   atomic skip send receive
syntax keyword serFunction    done len
syntax match   serString      /"[^"]*"/
syntax match   serDelimiter   /[][]\|:=\@!/

highlight default link serType     Type
highlight default link serTypeName Type
highlight default link serFunction Function
highlight default link serString   String

let b:current_syntax = 'ser-events'
