x="a   b"; set -- $x; echo $#; set -- "$x"; echo $#
IFS=:; x=a:b::c; set -- $x; echo $# "<$3>" "$4"; x=:a; set -- $x; echo $#; x=a:; set -- $x; echo $#
IFS=' :'; x='a : b:c'; set -- $x; echo $# "$2"; IFS=; x='a b'; set -- $x; echo $#
unset IFS; set -- $(echo 1 2; echo 3); echo $#; set -- "$(echo 1 2)"; echo $#
e=; set -- $e; echo $#; set -- "$e"; echo $#; set -- a$e; echo $#
