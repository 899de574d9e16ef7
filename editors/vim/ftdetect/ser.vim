autocmd BufRead,BufNewFile *.ser setfiletype ser
autocmd BufRead,BufNewFile *.unw setfiletype ser-unw
