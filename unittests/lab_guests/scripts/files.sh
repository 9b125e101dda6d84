cd "$(mktemp -d)" || exit; mkdir -p x/y; touch x/y/z; ls; ls x/y; echo 1 > a; mv a b; ls; cp b c; cat c; rm b c; rm -r x; ls
rm -f nosuch; echo $?; rm nosuch 2>/dev/null; echo $?; mkdir d; mkdir d 2>/dev/null; echo $?; rm d 2>/dev/null; echo $?
echo 1 > f; mv f d; ls d; cat d/f/x 2>/dev/null; echo $?; echo 2 > g; mv -f g d/f; cat d/f; chmod 600 d/f; stat -c '%a %s %F' d/f
printf '#!/bin/sh\necho script $1 $#\nexit 3\n' > s.sh; sh s.sh a b; echo $?; ./s.sh 2>/dev/null; echo $?; chmod +x s.sh; ./s.sh q; echo $?; ./nosuch 2>/dev/null; echo $?; ./d 2>/dev/null; echo $?
. ./s.sh
