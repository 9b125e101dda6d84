echo 'a b c' | cut -d' ' -f2; echo abc | cut -c1,3; echo a:b:c | cut -d: -f2-; echo a:b:c | cut -d: -f1,3
printf '1\n2\n3\n4\n' | head -n 2; printf '1\n2\n3\n4\n' | tail -n 2; printf '1\n2\n3\n4\n' | tail -n +3; printf 'abcdef' | tail -c 2; printf 'abcdef' | head -c 2; echo
printf 'b\na\nb\n' | sort -u; printf '10\n9\n' | sort -n; printf 'a\nb\n' | sort -r
printf 'foo\nbar\nbaz\n' | grep ba; printf 'foo\nbar\n' | grep -v foo; printf 'foo\nbar\n' | grep -c o; printf 'Foo\n' | grep -i foo; printf 'x\n' | grep -q y; echo $?
printf 'a1\nb2\n' | grep -E '^[a-z][0-9]$'; printf 'a+b\n' | grep 'a+b'; printf 'aab\n' | grep -E 'a+b'; printf 'a.b\naxb\n' | grep -F a.b; printf '12 x\n' | grep -oE '[0-9]+'; printf 'a b\n' | grep '[[:space:]]'
printf 'a(b)\n' | grep 'a(b)'; printf 'ab\nac\n' | grep 'a\(b\|c\)'; printf 'a*\n' | grep '^a\*$'; printf ']\n' | grep '[]]'; grep x /nonexist 2>/dev/null; echo $?
printf 'hello\n' | tr a-z A-Z; printf 'a b  c\n' | tr -s ' '; printf 'a1b2\n' | tr -d '[:digit:]'; printf 'x:y\n' | tr : '\n'
printf 'a b\nc\n' | wc -l; printf 'a b\nc\n' | wc -w; printf 'abc' | wc -c; seq 3; seq 2 4; seq 10 -5 0
basename /a/b.c .c; dirname /a/b/c; dirname x; basename /; printf 'x\n' | tee /dev/null
printf a | sha256sum; printf '' | md5sum; date -u -d @0 +%Y-%m-%dT%H:%M:%S; date -u -d @86399 '+%F %T %j'
printf x | dd bs=1 count=1 2>/dev/null; echo; dd if=/dev/zero bs=1k count=2 2>/dev/null | wc -c; head -c 5 /dev/zero | tr '\0' x; echo
