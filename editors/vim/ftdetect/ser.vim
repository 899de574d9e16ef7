autocmd BufRead,BufNewFile *.ser setfiletype ser
