"""What a report may look like: what pytest's own reports are made of, and nothing else.

pytest makes objects of the fields and trusts them, some only when the session ends: one of a wrong type would end it
with an internal error. So each field has a shape here, a function that returns the value cleaned or raises Unreadable.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List

MOST = 200_000  # characters of one text
MOST_LABEL = 1000  # characters of what stands in a line with others
MOST_NAMES = 100
MOST_SECONDS = 1e9
CONTEXT = "_subtest.context"  # where a subtest's report has its message and its values
HIDDEN = {number: None for number in [*range(9), *range(11, 32), *range(127, 160)]}  # all controls but tab and newline
Shape = Callable[[Any], Any]


class Unreadable(Exception):
    """What came is no report."""


def clean(text: str) -> str:
    """A text without anything that a terminal would obey, or that cannot be encoded."""
    return text[:MOST].translate(HIDDEN).encode(errors="replace").decode()


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Unreadable(f"{type(value).__name__} where a text should be")
    return clean(value)


def plain(value: Any) -> str:
    """A text that explains an outcome. One with the names of both parts of a traceback, pytest takes for one as it
    passes from a worker of xdist to the controller, and ends."""
    return text(value).replace("reprtraceback", "repr-traceback")


def label(value: Any) -> str:
    """A text that is shown in one line."""
    return " ".join(text(value)[:MOST_LABEL].split())


class Shown(str):
    """What repr() has made of a value inside. pytest shows repr() of it out here, which is to be the same."""

    def __repr__(self) -> str:
        return str(self)


def values(value: Any) -> Dict[str, str]:
    """An object with any names, of values as they are shown; of very many, the first."""
    if not isinstance(value, dict):
        raise Unreadable(f"{type(value).__name__} where an object should be")
    return {label(name): Shown(label(one)) for name, one in list(value.items())[:MOST_NAMES]}


def line(value: Any) -> int:
    """The number of a line; -1 where pytest knows none."""
    if type(value) is not int or not -1 <= value < 1 << 31:
        raise Unreadable("what should be the number of a line is none")
    return value


def seconds(value: Any) -> float:
    """A duration. JSON has integers of any size, and Python's reader also knows NaN and Infinity."""
    if type(value) not in (int, float) or not 0 <= value <= MOST_SECONDS:
        raise Unreadable("a duration that is none")
    return float(value)


def word(*known: str) -> Shape:
    """One of these."""
    def shape(value: Any) -> Any:
        if value not in known:
            raise Unreadable(f"none of {', '.join(known)}")
        return value
    return shape


def maybe(one: Shape) -> Shape:
    """That, or null."""
    return lambda value: None if value is None else one(value)


def many(one: Shape) -> Shape:
    """A list of them."""
    def shape(value: Any) -> List[Any]:
        if not isinstance(value, list):
            raise Unreadable(f"{type(value).__name__} where a list should be")
        return [one(each) for each in value]
    return shape


def group(*shapes: Shape) -> Shape:
    """A list of just these, as a tuple."""
    def shape(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(shapes):
            raise Unreadable(f"what should be {len(shapes)} values together is not")
        return tuple(one(each) for one, each in zip(shapes, value))
    return shape


def record(**fields: Shape) -> Shape:
    """An object with these fields; what else it has is left out."""
    def shape(value: Any) -> Dict[str, Any]:
        if not isinstance(value, dict) or not value.keys() >= fields.keys():
            raise Unreadable(f"no object with {', '.join(fields)}")
        return {name: one(value[name]) for name, one in fields.items()}
    return shape


def _entry(place: Shape) -> Shape:
    lines = many(text)
    arguments = record(args=many(group(text, text)))
    kinds = {"ReprEntryNative": record(lines=lines),
             "ReprEntry": record(lines=lines, style=text, reprfuncargs=maybe(arguments), reprfileloc=maybe(place),
                                 reprlocals=maybe(record(lines=lines)))}
    kind = record(type=word(*kinds))
    return lambda value: {**kind(value), **record(data=kinds[kind(value)["type"]])(value)}


def traceback(path: Shape) -> Shape:
    """An exception with its causes, as pytest shows it. `path` is the shape of the names of files."""
    place = record(path=path, lineno=line, message=text)
    entries = record(reprentries=many(_entry(place)), extraline=maybe(text), style=text)
    return record(reprcrash=maybe(place), reprtraceback=entries, sections=many(group(text, text, _separator)),
                  chain=maybe(many(group(entries, maybe(place), maybe(text)))))


def _separator(value: Any) -> str:
    if len(text(value)) != 1:
        raise Unreadable("what should separate sections is no single character")
    return text(value)


def explanation(outcome: str, expected: bool, path: Shape) -> Shape:
    """What explains an outcome: `expected` is that of a test of which a failure was expected."""
    def shape(value: Any) -> Any:
        if outcome == "passed" and not expected:
            return maybe(_nothing)(value)
        if outcome == "skipped" and not expected:
            return group(lambda one: plain(path(one)), maybe(line), plain)(value)
        if outcome == "failed" and value is None:
            raise Unreadable("a failure without a reason")
        return maybe(plain if isinstance(value, str) else traceback(path))(value)
    return shape


def _nothing(value: Any) -> Any:
    raise Unreadable("a reason for what needs none")
