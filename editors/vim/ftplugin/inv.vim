" How .inv files are edited: as .ser files are.
runtime! ftplugin/ser.vim
