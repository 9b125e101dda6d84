true; echo $?; false; echo $?; nosuchcommand 2>/dev/null; echo $?; nosuchcommand 2>/dev/null || echo failed; $nope; echo $?; exit 5
