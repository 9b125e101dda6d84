set -- a "b c" d; echo $# "$1" "$2" $3
for i in "$@"; do echo "<$i>"; done; for i in $*; do echo "[$i]"; done; for i; do echo $i; done
echo "$*"; IFS=-; echo "$*"; unset IFS; shift; echo "$@"
set -- a b c d e f g h i j; echo ${10} ${#}; shift 3; echo $1
set --; echo "$#" "$@"; for i in "$@"; do echo never; done
set -- -a -b; echo "$1"
sh -c 'echo $0 $1 $2; exit 3' name a b; echo $?
