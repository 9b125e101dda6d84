"""Names, label keys and values: what is allowed, and what the API server says otherwise (kubernetes-api sheet §2.2).

Each function returns the problem in the words of apimachinery's validation, "" when there is none.
"""

from __future__ import annotations

import functools
import re

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = rf"({_QUALIFIED})?"
_LABEL_RE, _SUBDOMAIN_RE, _QUALIFIED_RE, _VALUE_RE = (
    re.compile(pattern) for pattern in (_LABEL, _SUBDOMAIN, _QUALIFIED, _VALUE)
)
_HINT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    f"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
NAME_LIMIT = 253
LABEL_LIMIT = 63


def subdomain_problem(name: str) -> str:
    """RFC 1123 subdomain, at most 253 characters: names of most kinds."""
    if len(name) > NAME_LIMIT:
        return f"must be no more than {NAME_LIMIT} characters"
    if _SUBDOMAIN_RE.fullmatch(name):
        return ""
    return (
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
    )


def dns_label_problem(name: str) -> str:
    """RFC 1123 label, at most 63 characters: names of namespaces."""
    if len(name) > LABEL_LIMIT:
        return f"must be no more than {LABEL_LIMIT} characters"
    if _LABEL_RE.fullmatch(name):
        return ""
    return (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
        "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
        f"'{_LABEL}')"
    )


def path_segment_problem(name: str) -> str:
    """Anything that fits into one segment of a URL path: names of RBAC objects."""
    if name in (".", ".."):
        return f"may not be '{name}'"
    for character in "/%":
        if character in name:
            return f"may not contain '{character}'"
    return ""


@functools.lru_cache(maxsize=4096)
def qualified_name_problem(name: str) -> str:
    """`name` or `prefix/name`: keys of labels, names of finalizers."""
    prefix, slash, rest = name.rpartition("/")
    if "/" in prefix:
        return f"a qualified name {_HINT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    if slash and not prefix:
        return "prefix part must be non-empty"
    problem = subdomain_problem(prefix) if slash else ""
    if problem:
        return f"prefix part {problem}"
    if not rest:
        return "name part must be non-empty"
    if len(rest) > LABEL_LIMIT:
        return f"name part must be no more than {LABEL_LIMIT} characters"
    return "" if _QUALIFIED_RE.fullmatch(rest) else f"name part {_HINT}"


@functools.lru_cache(maxsize=4096)
def label_value_problem(value: str) -> str:
    """Values of labels: empty, or at most 63 characters of the same alphabet as names."""
    if len(value) > LABEL_LIMIT:
        return f"must be no more than {LABEL_LIMIT} characters"
    if _VALUE_RE.fullmatch(value):
        return ""
    return (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
        f"regex used for validation is '{_VALUE}')"
    )
