echo a b  c; echo "a  b" 'c  d' e\ f; echo "\$x \" '"
x='$y'; y=1; echo "$x" '$x' "$(echo '$x')"; echo "${x}"a"${y}"; echo a"b"'c'd; echo "a'b" 'a"b'
echo 'x
y' "p
q"; echo "li\
ne" a\
b; echo a \
c
echo "" '' x "a"'' ; echo a#b # comment
echo c; # d
# e
\echo esc; "echo" q; 'ec'ho m; e=echo; $e var; $e $e
echo "`echo "in quotes"`" `echo \`echo nested\`` "`echo \"q\"`"
