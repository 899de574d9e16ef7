autocmd BufRead,BufNewFile *.ser setfiletype ser
autocmd BufRead,BufNewFile *.events setfiletype ser-events
autocmd BufRead,BufNewFile *.unw setfiletype ser-unw
autocmd BufRead,BufNewFile *.icet setfiletype icet
