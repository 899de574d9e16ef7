" Highlighting of .unw files, after crates/language/syntax/src/unwindings.rs: what programs have, and more words.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/ser.vim
unlet b:current_syntax

syntax keyword serDeclaration place enum nextgroup=serTypeName skipwhite skipempty
syntax match   serTypeName    /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax keyword serDeclaration transition target nextgroup=serRequestName skipwhite skipempty
syntax keyword serType        bool bits unit
syntax keyword serStatement   in test out
syntax keyword serConditional when
syntax keyword serDeclaration var
syntax match   serDelimiter   /:=\@!/

highlight default link serType     Type
highlight default link serTypeName Type

let b:current_syntax = 'ser-unw'
