f() { echo "f $1 $#"; return 3; }; f a b; echo $?
g() { local v; v=2; echo $v; }; v=9; g; echo $v
h() { if [ "$1" -gt 0 ]; then echo $1; h $(( $1 - 1 )); fi; }; h 3
p() { cat; }; echo piped | p; p <<EOF
document
EOF
unset -f f; f 2>/dev/null; echo $?
x() (echo sub; exit 4); x; echo $?; set -- kept; f2() { echo "$@"; }; f2 other; echo "$1"
