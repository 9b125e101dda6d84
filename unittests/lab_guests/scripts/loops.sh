i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i -eq 2 ] && continue; [ $i = 4 ] && break; echo $i; done; echo end $i
i=0; until [ $i -ge 3 ]; do i=$((i + 1)); done; echo $i
for i in 1 2 3; do for j in a b; do [ $j = b ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done
for f in; do echo never; done; echo $?
until [ "$n" = xxx ]; do n=x$n; done; echo $n
while read n; do case $n in 2) continue;; 4) break;; esac; echo $n; done <<EOF
1
2
3
4
5
EOF
for i in 1 2
do echo $i
done | tail -n 1
while false
do :
done; echo $?
