x=1; y=$x; z="a b"; echo $x$y "$z" $z; echo ${#z} ${x:-d} ${u:-d} ${u-d} "${u:+x}" ${x:+y}
e=; echo "${e:-d}" "${e-d}" "<${e:+y}>" "<${e+y}>"
echo ${n:=new} $n; : ${q:=qq}; echo $q "${q:?}"
printf '<%s>' "${u:-a b}" ${u:-"a b"} ${u:-a b} "${u:-}" ${u:-}; echo
x=/a/b.c.d; echo ${x##*/} ${x#*/} ${x%.*} ${x%%.*} ${x#/a}; y=b; echo ${x%$y*}
p='*'; echo "${x%%"$p"}" "${x##"$p"/}"
export x; sh -c 'echo $x'; unset x; echo "${x-unset}"; x=5; x=6 true; echo $x; x=7 sh -c 'echo $x'
a='x y'; b=$a; echo "$b"; c="$(echo "$a")"; echo "$c"; d=`echo "$a"`; echo "$d"; e=$a$b; echo $e
readonly r=1; echo $r
echo ${#} ${?} "<${10}>" "<$10>"
