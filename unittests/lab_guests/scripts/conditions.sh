if true; then echo t; else echo f; fi; if false; then echo t; elif [ 1 = 1 ]; then echo e; else echo f; fi; if ! false; then echo n; fi
true && echo a || echo b; false && echo a || echo b; false || false || echo c; ! true; echo $?
[ -n "" ]; echo $?; [ -z "" ]; echo $?; [ a = a -a b = b ]; echo $?; [ a = b -o b = b ]; echo $?; [ ! a = b ]; echo $?
[ 3 -gt 2 ] && [ 2 -le 2 ] && echo ok; [ ]; echo $?; [ x ]; echo $?; [ ! x ]; echo $?; test a != b; echo $?; [ \( a = a \) ]; echo $?
[ -e /nonexist ]; echo $?; [ -d /usr ]; echo $?; [ "" = "" ]; echo $?; [ -f /usr ]; echo $?; [ -r /dev/null ]; echo $?; [ -c /dev/null ]; echo $?
x=; [ $x ]; echo $?; [ "$x" ]; echo $?; [ 01 -eq 1 ]; echo $?; test; echo $?; [ -t 0 ]; echo $?
[ = = = ]; echo $?; [ ! ]; echo $?; [ -n ]; echo $?; [ "!" = "!" ]; echo $?
