echo one | cat; printf 'a\nb\nc\n' | while read l; do echo "<$l>"; done; echo x | { read y; echo "y=$y"; }; echo "a b c" | { read p q; echo "$p|$q"; }
true | false; echo $?; false | true; echo $?; ! false | true; echo $?
echo "a" | cat -; echo 'x' |
 cat &&
 echo y ||
 echo z
echo unset | read v; echo "<$v>"; { echo a; echo b >&2; } 2>&1 | cat; (echo c; exit 3) | cat; echo $?
