printf '%s-%s\n' a b c; printf '%d %5d|%-5d|%05d %x %o\n' 42 7 7 7 255 8; printf '%s\n'; printf 'a\tb\\n\n'; printf '%b|' 'x\ty'
printf '%.3f %e\n' 3.14159 100; printf '%%\n'; printf '%5.2s|\n' abcdef; printf '%s %s\n' one; printf 'plain\n' ignored; printf '%d\n' -5 0x10 010
printf '\101\n'; printf '%i\n' 3
