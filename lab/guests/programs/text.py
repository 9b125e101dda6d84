"""Programs that read text and print some of it: cat, grep, wc, head, tail, cut, tr, sort, uniq, tee, seq."""

import re

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError, decode, encode
from lab.guests.limits import MAX_MATERIALISED, MAX_TEXT
from lab.guests.process import Routine
from lab.guests.programs.inputs import lines_of, open_input, read_inputs
from lab.guests.programs.options import Options, integer, parse_options, size
from lab.guests.programs.regex import posix_regex
from lab.guests.streams import Readable


def cat(call: Call) -> Routine:
    """`cat [file…]`: passes on what comes as it comes."""
    options = parse_options(call)
    output = call.process.handles.get(1)
    status = 0
    for operand in options.operands or ["-"]:
        try:
            handle = open_input(call, operand)
        except OSError as error:
            call.err(f"{operand}: {error.strerror}")
            status = 1
            continue
        passed = 0
        try:
            while (data := handle.read(MAX_TEXT)) != b"":
                if data is None:
                    yield Readable(handle)
                    continue
                passed += len(data)
                if passed > MAX_MATERIALISED:
                    raise NotSimulatedError("cat of more than 64 MiB")
                if output is not None:
                    output.write(data)
        finally:
            handle.release()
    return status


def grep(call: Call) -> Routine:
    """`grep [-E|-F] [-c] [-v] [-q] [-i] [-o] [-n] [-l] [-x] [-w] [-s] [-h] [-H] [-A n] [-m n] pattern [file…]`."""
    options = parse_options(call, "EFGcvqionlxwshH", "eAm")
    operands = list(options.operands)
    if "e" not in options.values and not operands:
        raise UsageError("usage: grep [OPTION]... PATTERNS [FILE]...", 2)
    pattern = options.values["e"] if "e" in options.values else operands.pop(0)
    expression = posix_regex(pattern, extended="E" in options, fixed="F" in options, ignore_case="i" in options)
    if "x" in options or "w" in options:
        edge = r"\Z" if "x" in options else r"\b"
        start = r"\A" if "x" in options else r"\b"
        expression = re.compile(f"{start}(?:{expression.pattern}){edge}", expression.flags)
    failures: list[str] = []
    inputs = yield from read_inputs(call, operands, failures)
    named = ("H" in options or len(operands) > 1) and "h" not in options
    found = False
    for name, data in inputs:
        prefix = f"{name or '(standard input)'}:" if named else ""
        found = _grep_one(call, options, expression, lines_of(data), prefix, name) or found
    if failures and not ("q" in options and found):
        return 2
    return 0 if found else 1


def _grep_one(
    call: Call, options: Options, expression: re.Pattern[str], lines: list[str], prefix: str, name: str
) -> bool:
    """Print what is wanted of one input; whether a line was selected."""
    limit = integer(options.values["m"], "max count") if "m" in options.values else len(lines)
    after = integer(options.values["A"], "context length argument") if "A" in options.values else 0
    selected = [n for n, line in enumerate(lines) if (expression.search(line) is not None) != ("v" in options)][:limit]
    if "q" in options:
        return bool(selected)
    if "c" in options:
        call.out(f"{prefix}{len(selected)}\n")
    elif "l" in options:
        call.out(f"{name or '(standard input)'}\n" if selected else "")
    elif "o" in options:
        for number in selected:
            for match in expression.finditer(lines[number]):
                if match[0]:
                    call.out(f"{prefix}{match[0]}\n")
    else:
        _print_lines(call, lines, selected, after, prefix, numbered="n" in options)
    return bool(selected)


def _print_lines(call: Call, lines: list[str], selected: list[int], after: int, prefix: str, *, numbered: bool) -> None:
    chosen = set(selected)
    shown = sorted({n for start in selected for n in range(start, min(start + after + 1, len(lines)))})
    last = None
    for number in shown:
        if after and last is not None and number > last + 1:
            call.out("--\n")
        mark = ":" if number in chosen else "-"
        head = prefix if number in chosen else prefix[:-1] + "-" if prefix else ""
        call.out(f"{head}{f'{number + 1}{mark}' if numbered else ''}{lines[number]}\n")
        last = number


def wc(call: Call) -> Routine:
    """`wc [-l] [-w] [-c] [file…]`."""
    options = parse_options(call, "lwcm")
    failures: list[str] = []
    inputs = yield from read_inputs(call, options.operands, failures)
    wanted = [letter for letter in "lwmc" if letter in options] or ["l", "w", "c"]
    totals = dict.fromkeys(wanted, 0)
    single = len(wanted) == 1 and len(options.operands) <= 1
    for name, data in inputs:
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data), "m": len(decode(data))}
        for letter in wanted:
            totals[letter] += counts[letter]
        _print_counts(call, [counts[letter] for letter in wanted], name, narrow=single)
    if len(options.operands) > 1:
        _print_counts(call, [totals[letter] for letter in wanted], "total", narrow=False)
    return 1 if failures else 0


def _print_counts(call: Call, counts: list[int], name: str, *, narrow: bool) -> None:
    numbers = " ".join(str(count) if narrow else f"{count:>7}" for count in counts)
    call.out(f"{numbers}{f' {name}' if name else ''}\n")


def head(call: Call) -> Routine:
    """`head [-n N | -N | -c N] [file…]`; stops reading where it has enough."""
    options = parse_options(_without_bare_number(call), "qv", "nc")
    lines = integer(options.values.get("n", "10"), "number of lines")
    count = size(options.values["c"]) if "c" in options.values else None
    if lines < 0:
        raise NotSimulatedError("head with a negative count")
    output = call.process.handles.get(1)
    for operand in options.operands or ["-"]:
        if len(options.operands) > 1:
            call.out(f"==> {operand} <==\n")
        try:
            handle = open_input(call, operand)
        except OSError as error:
            raise UsageError(f"cannot open '{operand}' for reading: {error.strerror}") from error
        data = b""
        try:
            while (len(data) < count) if count is not None else (data.count(b"\n") < lines):
                piece = handle.read(min(MAX_TEXT, count - len(data)) if count is not None else 4096)
                if piece is None:
                    yield Readable(handle)
                    continue
                data += piece
                if not piece:
                    break
                if len(data) > MAX_MATERIALISED:
                    raise NotSimulatedError("head of more than 64 MiB")
        finally:
            handle.release()
        if output is not None:
            output.write(data[:count] if count is not None else b"".join(data.splitlines(keepends=True)[:lines]))
    return 0


def tail(call: Call) -> Routine:
    """`tail [-n N | -n +N | -N | -c N | -c +N] [file…]`."""
    options = parse_options(_without_bare_number(call), "q", "nc")
    unit, text = ("c", options.values["c"]) if "c" in options.values else ("n", options.values.get("n", "10"))
    number = integer(text.lstrip("+-"), "number of " + ("bytes" if unit == "c" else "lines"))
    failures: list[str] = []
    inputs = yield from read_inputs(call, options.operands, failures)
    for name, data in inputs:
        if len(options.operands) > 1 and "q" not in options:
            call.out(f"==> {name} <==\n")
        items = data.splitlines(keepends=True) if unit == "n" else [data[n : n + 1] for n in range(len(data))]
        call.out(decode(b"".join(items[_first(number, len(items), from_start=text.startswith("+")) :])))
    return 1 if failures else 0


def _first(number: int, count: int, *, from_start: bool) -> int:
    """Index of the first item that tail prints: `+N` counts from the start, `N` from the end."""
    return max(0, number - 1) if from_start else max(0, count - number)


def _without_bare_number(call: Call) -> Call:
    """`-5` as `-n 5`."""
    args: list[str] = []
    for word in call.args:
        args += ["-n", word[1:]] if re.fullmatch(r"-\d+", word) and args[-1:] not in (["-n"], ["-c"]) else [word]
    return Call(call.kernel, call.process, [call.argv[0], *args])


def cut(call: Call) -> Routine:
    """`cut -d C -f LIST | -c LIST [-s] [file…]`."""
    options = parse_options(call, "s", "dfcb")
    if len({"f", "c", "b"} & set(options.values)) != 1:
        raise UsageError("you must specify a list of bytes, characters, or fields")
    delimiter = options.values.get("d", "\t")
    failures: list[str] = []
    inputs = yield from read_inputs(call, options.operands, failures)
    for _, data in inputs:
        for line in lines_of(data):
            if "f" in options.values:
                if delimiter in line:
                    fields = line.split(delimiter)
                    call.out(delimiter.join(_chosen(fields, options.values["f"])) + "\n")
                elif "s" not in options:
                    call.out(f"{line}\n")
            else:
                positions = options.values.get("c") or options.values["b"]
                call.out("".join(_chosen(list(line), positions)) + "\n")
    return 1 if failures else 0


def _chosen(items: list[str], ranges: str) -> list[str]:
    """The items that `1,3-5,7-` names, in their own order."""
    wanted: set[int] = set()
    for part in ranges.split(","):
        match = re.fullmatch(r"([0-9]{0,9})(-?)([0-9]{0,9})", part)
        if match is None or not (match[1] or match[3]):
            raise UsageError(f"invalid field value '{part}'")
        first = int(match[1] or 1)
        last = int(match[3]) if match[3] else (len(items) if match[2] else first)
        wanted.update(range(first, min(last, len(items)) + 1))
    return [item for number, item in enumerate(items, 1) if number in wanted]


def tr(call: Call) -> Routine:
    """`tr [-d] [-s] [-c] SET1 [SET2]`."""
    options = parse_options(call, "dscC")
    sets = [_characters(operand) for operand in options.operands]
    if not sets:
        raise UsageError("missing operand")
    failures: list[str] = []
    text = decode((yield from read_inputs(call, [], failures))[0][1])
    first = sets[0]
    if "c" in options or "C" in options:
        first = "".join(sorted(set(text) - set(first)))
    if "d" in options:
        text = "".join(character for character in text if character not in first)
    elif len(sets) > 1 and first:
        second = sets[1] + sets[1][-1:] * max(0, len(first) - len(sets[1]))
        text = text.translate({ord(old): new for old, new in reversed(list(zip(first, second, strict=False)))})
    if "s" in options:
        squeezed = re.escape(sets[-1] if len(sets) > 1 else first)
        text = re.sub(f"([{squeezed}])\\1+", r"\1", text) if squeezed else text
    call.out(text)
    return 0


_TR_CLASSES = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:blank:]": " \t",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\f\v",
    "[:upper:]": "A-Z",
}


def _characters(text: str) -> str:
    """A set of tr: escapes, classes and ranges written out."""
    text = re.sub(r"\\(n|t|r|\\)", lambda match: {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}[match[1]], text)
    text = re.sub(r"\\0|\\000", "\0", text)
    for name, characters in _TR_CLASSES.items():
        text = text.replace(name, characters)
    if "[:" in text:
        raise NotSimulatedError(f"the set {text}")
    return re.sub(
        r"(.)-(.)", lambda match: "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1))), text, flags=re.DOTALL
    )


def sort(call: Call) -> Routine:
    """`sort [-n] [-r] [-u] [file…]`."""
    options = parse_options(call, "nru")
    failures: list[str] = []
    inputs = yield from read_inputs(call, options.operands, failures)
    lines = [line for _, data in inputs for line in lines_of(data)]
    numeric = "n" in options
    lines.sort(key=lambda line: (_leading_number(line) if numeric else 0.0, encode(line)), reverse="r" in options)
    if "u" in options:
        lines = list(dict.fromkeys(lines))
    call.out("".join(f"{line}\n" for line in lines))
    return 2 if failures else 0


def _leading_number(line: str) -> float:
    match = re.match(r"\s*(-?\d+(\.\d+)?)", line)
    return float(match[1]) if match else 0.0


def uniq(call: Call) -> Routine:
    """`uniq [-c] [file]`."""
    options = parse_options(call, "c")
    failures: list[str] = []
    inputs = yield from read_inputs(call, options.operands[:1], failures)
    groups: list[tuple[str, int]] = []
    for line in (line for _, data in inputs for line in lines_of(data)):
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    call.out("".join(f"{count:>7} {line}\n" if "c" in options else f"{line}\n" for line, count in groups))
    return 1 if failures else 0


def tee(call: Call) -> Routine:
    """`tee [-a] [file…]`."""
    options = parse_options(call, "a")
    targets = [call.open(operand, "a" if "a" in options else "w") for operand in options.operands]
    source = open_input(call, "-")
    output = call.process.handles.get(1)
    try:
        while (data := source.read(MAX_TEXT)) != b"":
            if data is None:
                yield Readable(source)
                continue
            for handle in (*targets, *([output] if output is not None else [])):
                handle.write(data)
    finally:
        for handle in (source, *targets):
            handle.release()
    return 0


def seq(call: Call) -> int:
    """`seq [first [step]] last`, whole numbers."""
    numbers = [integer(operand, "integer argument") for operand in call.args]
    if not 1 <= len(numbers) <= 3:
        raise UsageError("missing operand")
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    if step == 0:
        raise UsageError("invalid Zero increment value: '0'")
    span = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    if len(span) > 100_000:
        raise NotSimulatedError("seq of more than 100000 numbers")
    call.out("".join(f"{number}\n" for number in span))
    return 0
