cd "$(mktemp -d)" || exit; : > e1; : > e2; : > .hidden; mkdir d; : > d/e3
echo *; echo e*; echo "e*" e\*; echo *z; echo e[12] e? [!d]1; echo */*; echo .h*
for f in e*; do echo "<$f>"; done; p='e*'; echo $p "$p"; set -f; echo *; set +f
case abc in a*) echo 1;; *) echo 2;; esac; case "x y" in "x y") echo q;; esac; case z in a|b) echo ab;; [x-z]) echo r;; esac
case no in (a) ;; esac; echo $?; x="a*"; case abc in $x) echo glob;; esac; case abc in "$x") echo no;; *) echo literal;; esac
case 7 in [!0-9]) echo no;; [[:digit:]]) echo digit;; esac; case ']' in []]) echo bracket;; esac; case a-b in *-*) echo dash;; esac
