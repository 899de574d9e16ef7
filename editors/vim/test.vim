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
      \ '    if (?) { return 12ab } else { exit }; abort',
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
      \ [5, 'else', 'serConditional'], [5, 'exit', 'serReserved'], [5, 'abort', 'serStatement'], [6, 'assume', 'serStatement'],
      \ [6, '==', 'serOperator'], [6, 'y_2', 'serLocal'], [6, 'choose', 'serStatement'],
      \ [7, '}', 'serDelimiter']]
  call s:Expect(s:line, s:text, s:group)
endfor
set nomodified

edit sample_processes.ser
call setline(1, [
      \ 'enum Vote { none, yes } // one',
      \ 'var Q: queue[2] of 0..3; var V: Vote',
      \ 'process Put(id in 0..1) {',
      \ '    for _ in 1..2 { await(len(Q) < 2); send id to Q; x := recv Q }',
      \ '    choose { skip } or { atomic { V := yes } }',
      \ '}',
      \ 'reach "both": done(Put(1)) && V == yes'])
call assert_equal('ser', &filetype)
for [s:line, s:text, s:group] in [
      \ [1, 'enum', 'serDeclaration'], [1, 'none', 'serLocal'],
      \ [1, '// one', 'serComment'], [2, 'var', 'serDeclaration'], [2, 'Q', 'serGlobal'], [2, ':', 'serDelimiter'],
      \ [2, 'queue', 'serType'], [2, '[', 'serDelimiter'], [2, 'of', 'serType'],
      \ [3, 'process', 'serDeclaration'], [3, 'Put', 'serRequestName'], [4, 'for', 'serRepeat'],
      \ [4, 'await', 'serYield'], [4, 'len', 'serFunction'], [4, 'send', 'serStatement'],
      \ [4, 'to Q', 'serStatement'], [4, 'recv', 'serStatement'],
      \ [5, 'choose', 'serStatement'], [5, 'skip', 'serStatement'], [5, 'or', 'serOperator'],
      \ [5, 'atomic', 'serStatement'], [5, ':=', 'serOperator'], [7, 'reach', 'serDeclaration'],
      \ [7, '"both"', 'serString'], [7, 'done', 'serFunction']]
  call s:Expect(s:line, s:text, s:group)
endfor
call setline(1, ['process := await; send := skip + to'])
for s:text in ['process', 'await', 'send', 'skip +', 'to']
  call s:Expect(1, s:text, 'serLocal')
endfor
set nomodified

edit sample.unw
call setline(1, ['place p : 0..3', 'transition t { var x : bool; in p(a); test p(b); out p(x); when a < b }', 'target t'])
call assert_equal('ser-unw', &filetype)
call assert_equal('ser-unw', b:current_syntax)
for [s:line, s:text, s:group] in [
      \ [1, 'place', 'serDeclaration'], [1, 'p :', 'serTypeName'], [1, ':', 'serDelimiter'],
      \ [2, 'transition', 'serDeclaration'], [2, 't {', 'serRequestName'], [2, 'var', 'serDeclaration'],
      \ [2, 'bool', 'serType'], [2, 'in p', 'serStatement'], [2, 'test', 'serStatement'],
      \ [2, 'out', 'serStatement'], [2, 'when', 'serConditional'], [3, 'target', 'serDeclaration'],
      \ [3, 't', 'serDeclaration']]
  call s:Expect(s:line, s:text, s:group)
endfor
set nomodified

edit sample_messages.ser
call setline(1, [
      \ 'set Q >= 1; msg Work = Task(Q, int) | None;',
      \ 'server process server { loop { Task(w, _) := recv Work from q; send None to w; } }',
      \ 'process w for q in Q { match m { None => { assert true; } } index := 1; x := choose(int) }'])
call assert_equal('ser', &filetype)
for [s:line, s:text, s:group] in [
      \ [1, 'set', 'serDeclaration'], [1, 'Q', 'serGlobal'], [1, '>=', 'serOperator'],
      \ [1, 'msg', 'serDeclaration'], [1, 'Work', 'serGlobal'], [1, 'int', 'serType'],
      \ [1, '|', 'serOperator'], [1, 'None', 'serGlobal'], [2, 'server', 'serDeclaration'],
      \ [2, 'process', 'serDeclaration'], [2, 'server {', 'serRequestName'], [2, 'loop', 'serRepeat'],
      \ [2, ':=', 'serOperator'], [2, 'recv', 'serStatement'], [2, 'from', 'serStatement'],
      \ [2, 'send', 'serStatement'], [2, 'to w', 'serStatement'], [3, 'for', 'serRepeat'],
      \ [3, 'match', 'serConditional'], [3, '=>', 'serOperator'], [3, 'assert', 'serStatement'],
      \ [3, 'true', 'serBoolean'], [3, 'index', 'serLocal'], [3, 'choose', 'serStatement']]
  call s:Expect(s:line, s:text, s:group)
endfor
set nomodified

" In what is right, nothing is an error and every word has a group.
for s:file in glob(s:here . '/../../examples/*.ser', 0, 1) + glob(s:here . '/../../examples/*/*.ser', 0, 1) + glob(s:here . '/../../examples/*/*.unw', 0, 1)
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
