" Highlighting of .ser programs, after crates/language/syntax/src/lexer.rs.
" Names that start with an uppercase letter are global, the others are local.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_

syntax match   serLocal       /\<[a-z_][A-Za-z0-9_]*\>/
syntax match   serGlobal      /\<[A-Z][A-Za-z0-9_]*\>/
syntax match   serNumber      /\<[0-9]\+\>/
syntax match   serBadNumber   /\<[0-9]\+[A-Za-z_][A-Za-z0-9_]*\>/
syntax match   serOperator    /:=\|==\|!=\|<=\|>=\|&&\|||\|=>\|\.\.\|[-+*\/%<>!=|.]/
syntax match   serChoice      /?/
syntax match   serDelimiter   /[{}()[\];,]\|:\ze[^=]/

syntax keyword serDeclaration request nextgroup=serRequestName skipwhite skipempty
syntax keyword serDeclaration const nextgroup=serConstName skipwhite skipempty
syntax match   serRequestName /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax match   serConstName   /[A-Za-z_][A-Za-z0-9_]*/ contained
syntax keyword serConditional if else match
syntax keyword serRepeat      while for loop break continue
syntax match   serRepeat      /\(\<for\s\+\)\@<=\(all\|some\)\>\ze\s\+\(in\>\)\@!/
syntax keyword serBoolean     true false
syntax keyword serType        int bool
syntax match   serDeclaration /\<\(var\|lock\|enum\|record\|type\|fn\)\ze\s\+[A-Za-z_]/
syntax match   serDeclaration /\<use\ze\s*"/
" Words of processes, where they can stand.
syntax match   serDeclaration /\<\(set\|index\|msg\)\ze\s\+[A-Za-z_]/
syntax match   serDeclaration /\<server\ze\s\+process\>/
syntax match   serDeclaration /\<process\ze\s\+[A-Za-z_]/ nextgroup=serRequestName skipwhite skipempty
syntax match   serDeclaration /\<invariant\ze\s\+[A-Za-z_]/
syntax match   serDeclaration /\<reach\ze\s*["A-Za-z_(!]/
syntax match   serDeclaration /\<deadlock\ze\s*\($\|\/[\/*]\)/
syntax match   serType        /\<bits\ze\s\+[A-Za-z0-9_]/
syntax match   serType        /\<queue\ze\s*\[/
syntax match   serType        /\(\]\s*\)\@<=of\>/
syntax match   serYield       /\<await\ze\s*[A-Za-z0-9_(!]/
syntax match   serStatement   /\<atomic\ze\s*{/
syntax match   serStatement   /\<skip\ze\s*\([;}]\|\/[\/*]\|$\)/
syntax match   serStatement   /\<\(send\|recv\|to\|from\)\ze\s\+[A-Za-z0-9_(]/
syntax match   serFunction    /\<\(len\|done\)\ze\s*(/
syntax match   serFunction    /\(\<reach\>.*\)\@<=\<done\>/
syntax match   serString      /"[^"]*"/
" Words of processes for each member of a set, and of what is claimed of them.
syntax match   serDeclaration /\<ghost\ze\s\+[A-Za-z_]/
syntax match   serDeclaration /\<\(ghost\|proof\|proof\s\+acyclic\)\ze\s*{/
syntax match   serStatement   /\<\(unlock\|malloc\|where\|follows\|use\)\>\ze\s*\([^:= \t]\|$\)/
syntax match   serStatement   /\<lock\ze\s\+[a-z]/
syntax match   serStatement   /\<at\ze\s\+[A-Za-z_]/
syntax match   serStatement   /\<\(self\|other\)\ze\s\+use\>/
syntax match   serFunction    /\<at\ze\s*(/
syntax match   serType        /\<\(addr\|elem\)\>/
syntax match   serType        /\<set\ze\s\+of\>/
syntax match   serBoolean     /\<\(null\|nobody\|lowest\|highest\)\>/
syntax match   serOperator    /\<subset\>/
syntax keyword serYield       yield
syntax keyword serStatement   return abort assume assert choose with
syntax keyword serOperator    and or not in
syntax keyword serReserved    exit

syntax keyword serTodo        TODO FIXME XXX NOTE contained
syntax match   serComment     "//.*$" contains=serTodo,@Spell
syntax region  serComment     start="/\*" end="\*/" contains=serTodo,@Spell fold

syntax region  serBlock       matchgroup=serDelimiter start=/{/ end=/}/ transparent fold

" Block comments may be long: look as far back as needed for their start.
syntax sync ccomment serComment

highlight default link serDeclaration Keyword
highlight default link serRequestName Function
highlight default link serConstName   Constant
highlight default link serConditional Conditional
highlight default link serRepeat      Repeat
highlight default link serYield       Special
highlight default link serStatement   Statement
highlight default link serOperator    Operator
highlight default link serChoice      Special
highlight default link serDelimiter   Delimiter
highlight default link serNumber      Number
highlight default link serGlobal      Identifier
highlight default link serLocal       Normal
highlight default link serComment     Comment
highlight default link serTodo        Todo
highlight default link serBoolean     Boolean
highlight default link serType        Type
highlight default link serFunction    Function
highlight default link serString      String
highlight default link serReserved    Error
highlight default link serBadNumber   Error

let b:current_syntax = 'ser'
