" Highlighting of .inv files, after crates/language/syntax/src/inv.rs: what programs have, and more words.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/ser.vim
unlet b:current_syntax

" Words of programs that are names here.
syntax clear serDeclaration serYield serReserved serChoice serStatement serConditional serOperator

syntax match   serOperator    /:=\|==\|!=\|<->\|->\|<=\|>=\|&&\|||\|\.\.\|[-+*<>!]/
syntax keyword serOperator    and or not in subset
syntax match   serDelimiter   /[\[\]:.]=\@!\.\@!/
syntax match   serDelimiter   /=\(=\)\@!/

" What has a meaning in one place only, before what is a word everywhere.
syntax match   serFunction    /\<\(min\|max\|addr2set\|set2elem\|reach\|ordered\)\>\(\_s*(\)\@=/
syntax match   serField       /\(\.\_s*\)\@<=\<\(next\|data\|lockid\)\>\(\_s*\[\)\@!/
syntax match   serType        /\<set\>\(\_s*<\_s*\(int\|tid\|addr\|elem\)\>\)\@=/
syntax match   serProofWord   /\<\(acyclic\|follows\)\>/
syntax match   serProofWord   /\<\(from\|use\)\>\(\_s\+[A-Za-z_]\)\@=/
syntax match   serProofWord   /\<\(self\|other\)\>\(\_s\+use\>\)\@=/
syntax match   serPlace       /\<[A-Za-z_][A-Za-z0-9_]*\>\(\_s*:\(=\|\_s*\(set\|int\|bool\|tid\|addr\|elem\)\>\)\@!\)\@=/

syntax keyword serDeclaration system threads global local ghost assume thread let
syntax keyword serDeclaration proc invariant nextgroup=serRequestName skipwhite skipempty
syntax keyword serDeclaration label nextgroup=serPlaceName skipwhite skipempty
syntax keyword serDeclaration proof
syntax match   serPlaceName   /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax keyword serType        int bool tid addr elem
syntax keyword serConditional if else choice
syntax keyword serRepeat      loop
syntax keyword serStatement   skip noncritical critical atomic call return havoc where malloc assert lock unlock at
syntax keyword serYield       await
syntax keyword serConstant    true false null nobody lowest highest me
syntax keyword serReserved    forall exists

highlight default link serFunction  Function
highlight default link serField     Identifier
highlight default link serType      Type
highlight default link serProofWord Keyword
highlight default link serPlace     Label
highlight default link serPlaceName Label
highlight default link serConstant  Constant

let b:current_syntax = 'inv'
