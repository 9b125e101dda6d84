(echo sub; exit 4); echo $?; { echo grp; }; x=1; (x=2); echo $x; (cd /; pwd)
echo $(echo a; echo b) "$(printf 'x\ny\n\n')"; echo $(echo $(echo nested)); x=$(false); echo $?; x=$(exit 7); echo $?
echo "$(cat <<EOF
inside $x
EOF
)"; (exit 3) & wait $!; echo $?; (echo bg) & wait; echo done
kill -0 $$ && echo alive; kill -0 999999 2>/dev/null; echo $?; sh -c 'kill -TERM $$; echo not'; echo $?; sh -c 'kill -9 $$'; echo $?
trap '' HUP; kill -HUP $$; echo survived; eval 'x=1; echo $x'; y='echo "a  b"'; eval "$y"
command -v nosuch || echo none; command echo c; env X=1 sh -c 'echo $X'; exec echo replaced; echo not
