cd "$(mktemp -d)" || exit; echo 1 > a; echo 2 >> a; cat a; cat < a; { echo a; echo b; } > t; (echo c) >> t; cat t; if true; then echo d; fi > t; cat t
echo out; (echo o; echo e >&2) 2>/dev/null; { echo o2; echo e2 >&2; } 2>&1; echo x 2>&1 >/dev/null; cat nosuch 2>/dev/null; echo $?
exec 3> f; echo a >&3; echo b >&3; exec 3>&-; cat f; exec 4< f; read x <&4; read y <&4; echo $x $y; while read l; do echo "<$l>"; done < f
echo 2>e1 word; echo > /nonexist/x || echo failed; : > e2; [ ! -s e2 ] && echo empty; > e3; [ -f e3 ] && echo made; echo y > /dev/null
read x </dev/null; echo $?; echo 5 >six; cat six; echo 1>six; wc -c < six | tr -d ' '
