x=v; cat <<EOF
x $((1+2)) $(echo sub) \$HOME \\ "q" 'r' $x ${x}
  indented
EOF
cat <<'EOF'
$x `y` \a
EOF
cat <<-EOF
	tab $x
	EOF
cat <<A; cat <<B
a
A
b
B
cat <<EOF | tr a-z A-Z && echo and
up
EOF
cat > "${TMPDIR:-/tmp}/document" <<'EOF' & wait
in the background
EOF
cat "${TMPDIR:-/tmp}/document"; rm "${TMPDIR:-/tmp}/document"
read a b <<EOF
1 2 3
EOF
echo "$a/$b"; IFS=, read p q r <<EOF
1,2,3
EOF
echo $p $q $r; read -r l <<'EOF'
a\b c
EOF
printf '%s\n' "$l"
