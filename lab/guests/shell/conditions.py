"""`test` and `[`."""

from collections.abc import Callable, Mapping

from lab.guests.files import EXECUTE, READ, WRITE, Directory, File, Generated, Link, Node
from lab.guests.kernel import Call, UsageError
from lab.guests.numerals import whole

_NUMERIC: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}
_TEXTUAL: Mapping[str, Callable[[str, str], bool]] = {
    "=": str.__eq__,
    "==": str.__eq__,
    "!=": str.__ne__,
    "<": str.__lt__,
    ">": str.__gt__,
}
_AGES = ("-nt", "-ot")
_BINARY = (*_NUMERIC, *_TEXTUAL, *_AGES)
_UNARY = frozenset(f"-{letter}" for letter in "bcdefghLnprsStuwxz")


def test(call: Call) -> int:
    """0 true, 1 false, 2 a malformed expression."""
    args = call.args
    if call.name == "[":
        if args[-1:] != ["]"]:
            raise UsageError("missing `]'", 2)
        args = args[:-1]
    if not args:
        return 1
    expression = _Expression(call, args)
    result = expression.whole()
    return 0 if result else 1


class _Expression:
    def __init__(self, call: Call, args: list[str]) -> None:
        self._call = call
        self._args = args
        self._index = 0

    def whole(self) -> bool:
        result = self._either()
        if self._index < len(self._args):
            raise UsageError("too many arguments", 2)
        return result

    def _left(self) -> int:
        return len(self._args) - self._index

    def _take(self) -> str:
        if not self._left():
            raise UsageError("argument expected", 2)
        self._index += 1
        return self._args[self._index - 1]

    def _accept(self, word: str) -> bool:
        if self._left() and self._args[self._index] == word:
            self._index += 1
            return True
        return False

    def _either(self) -> bool:
        result = self._both()
        while self._accept("-o"):
            result = self._both() or result
        return result

    def _both(self) -> bool:
        result = self._negation()
        while self._accept("-a"):
            result = self._negation() and result
        return result

    def _negation(self) -> bool:
        if self._left() > 1 and not self._is_binary() and self._accept("!"):
            return not self._negation()
        return self._primary()

    def _is_binary(self) -> bool:
        return self._left() > 2 and self._args[self._index + 1] in _BINARY

    def _primary(self) -> bool:
        if self._is_binary():
            left, operator, right = self._take(), self._take(), self._take()
            return self._compare(left, operator, right)
        if self._left() > 2 and self._accept("("):
            result = self._either()
            if not self._accept(")"):
                raise UsageError("`)' expected", 2)
            return result
        word = self._take()
        if word in _UNARY and self._left():
            return self._unary(word, self._take())
        if self._left() and self._args[self._index] not in ("-a", "-o", ")"):
            kind = "binary" if self._left() > 1 else "unary"
            raise UsageError(f"{self._args[self._index] if kind == 'binary' else word}: {kind} operator expected", 2)
        return word != ""

    def _compare(self, left: str, operator: str, right: str) -> bool:
        if operator in _TEXTUAL:
            return _TEXTUAL[operator](left, right)
        if operator in _NUMERIC:
            return _NUMERIC[operator](_integer(left), _integer(right))
        first, second = self._node(left), self._node(right)
        if operator == "-ot":
            first, second = second, first
        return first is not None and (second is None or first.modified > second.modified)

    def _node(self, path: str, *, follow: bool = True) -> Node | None:
        return self._call.kernel.files.find(self._call.path(path), follow=follow) if path else None

    def _unary(self, operator: str, operand: str) -> bool:
        if operator in ("-n", "-z"):
            return (operand != "") == (operator == "-n")
        if operator == "-t":
            return self._call.process.terminal and operand in ("0", "1", "2")
        node = self._node(operand, follow=operator not in ("-h", "-L"))
        return node is not None and self._is(operator, node)

    def _is(self, operator: str, node: Node) -> bool:
        match operator:
            case "-e":
                return True
            case "-d":
                return isinstance(node, Directory)
            case "-f":
                return node.kind == "-"
            case "-h" | "-L":
                return isinstance(node, Link)
            case "-c":
                return node.kind == "c"
            case "-s":
                return isinstance(node, Directory | File) and (isinstance(node, Directory) or node.size > 0)
            case "-r" | "-w" | "-x":
                want = {"-r": READ, "-w": WRITE, "-x": EXECUTE}[operator]
                return node.permits(self._call.process.account, want) and not (
                    want == WRITE and isinstance(node, Generated)
                )
        return False


def _integer(text: str) -> int:
    number = whole(text)
    if number is None:
        raise UsageError(f"{text}: integer expression expected", 2)
    return number
