" The syntax files do what they should; for Vim and Neovim:
"   vim -Nu NONE -es -S editors/vim/test.vim      nvim -u NONE --headless -S editors/vim/test.vim
" Ends with an error code and the reasons if they do not.
let s:here = expand('<sfile>:p:h')
execute 'set runtimepath^=' . fnameescape(s:here)
filetype plugin on
syntax on

" The group at the first place of a text, counted from a column of a line.
function! s:Group(line, text) abort
  let l:column = stridx(getline(a:line), a:text) + 1
  call assert_notequal(0, l:column, a:text . ' in line ' . a:line)
  return synIDattr(synID(a:line, l:column, 1), 'name')
endfunction

function! s:Expect(line, text, group) abort
  call assert_equal(a:group, s:Group(a:line, a:text), a:text . ' in line ' . a:line)
endfunction

edit sample.ser
call setline(1, [
      \ 'const LIMIT = 3 // one',
      \ 'Free := LIMIT /* two',
      \ 'request */ request Put(v in 0..2) {',
      \ '    while (not Open and v <= Free) { yield };',
      \ '    if (?) { return 12ab } else { exit };',
      \ '    assume(Free == 1); y_2 := choose(1..2)',
      \ '}'])
call assert_equal('ser', &filetype)
call assert_equal('ser', b:current_syntax)
call assert_equal('// %s', &commentstring)
for [s:line, s:text, s:group] in [
      \ [1, 'const', 'serDeclaration'], [1, 'LIMIT', 'serConstName'], [1, '3', 'serNumber'],
      \ [1, 'one', 'serComment'], [2, 'Free', 'serGlobal'], [2, ':=', 'serOperator'],
      \ [2, 'two', 'serComment'], [3, 'request */', 'serComment'], [3, 'request Put', 'serDeclaration'],
      \ [3, 'Put', 'serRequestName'], [3, 'v in', 'serLocal'], [3, 'in 0', 'serOperator'],
      \ [3, '0..', 'serNumber'], [3, '..', 'serOperator'], [4, 'while', 'serRepeat'],
      \ [4, 'not', 'serOperator'], [4, 'Open', 'serGlobal'], [4, 'and', 'serOperator'],
      \ [4, '<=', 'serOperator'], [4, 'yield', 'serYield'], [5, 'if', 'serConditional'],
      \ [5, '?', 'serChoice'], [5, 'return', 'serStatement'], [5, '12ab', 'serBadNumber'],
      \ [5, 'else', 'serConditional'], [5, 'exit', 'serReserved'], [6, 'assume', 'serStatement'],
      \ [6, '==', 'serOperator'], [6, 'y_2', 'serLocal'], [6, 'choose', 'serStatement'],
      \ [7, '}', 'serDelimiter']]
  call s:Expect(s:line, s:text, s:group)
endfor
set nomodified

" In programs that are right, nothing is an error and every word has a group.
for s:file in glob(s:here . '/../../examples/*.ser', 0, 1)
  execute 'edit ' . fnameescape(s:file)
  for s:line in range(1, line('$'))
    for s:column in range(1, strlen(getline(s:line)))
      let s:group = synIDattr(synID(s:line, s:column, 1), 'name')
      let s:place = s:file . ':' . s:line . ':' . s:column
      call assert_notmatch('serReserved\|serBadNumber', s:group, s:place)
      if getline(s:line)[s:column - 1] =~# '\w'
        call assert_match('^ser', s:group, s:place)
      endif
    endfor
  endfor
endfor

if len(v:errors) > 0
  call writefile(v:errors, '/dev/stderr')
  cquit
endif
qall!
