"""Turns keyword arguments into the flags of `sbx run`: memory="64M" becomes --memory=64M.

Each keyword is a flag's name with _ for -. What a flag means and which there are is known to sbx alone,
so that a wrong one gets sbx's own message.
"""
from __future__ import annotations

import decimal
import math
import numbers
import os
from typing import Any, Dict, List

from .document import yaml

ALIASES = {"wall": "timeout"}
DURATIONS = {"timeout", "cpu_time", "idle", "grace", "usage_interval"}
SIZES = {"memory", "memory_high", "swap", "io_read_bps", "io_write_bps", "stdout_limit", "stderr_limit"}
PATHS = {"ro", "rw", "copy_in", "tmpfs"}  # SRC:DST; the other pairs are KEY=VALUE
OURS = {"json", "result", "events", "ci", "help", "dry_run", "tty", "no_tty", "stdin"}


def seconds(value: Any) -> str:
    """A duration as sbx writes it, rounded up to whole milliseconds: 0.25 is 250ms."""
    return f"{-int(-value * 1000 // 1)}ms"


def _quantity(name: str, value: Any) -> str:
    """A number of seconds or bytes. Raises ValueError for what is none: infinity, NaN, below 0, a truth."""
    time = name in DURATIONS
    # A number too large for a float is finite, and sbx says what is too much for it.
    finite = isinstance(value, int) or math.isfinite(value * 1000)
    if isinstance(value, bool) or not finite or value < 0 or not (time or value == int(value)):
        raise ValueError(f"{name}: {value} is no time: give seconds from 0 on, or a text such as '1.5s'" if time else
                         f"{name}: {value} is no size: give whole bytes from 0 on, or a text such as '64M'")
    return seconds(value) if time else f"{int(value)}B"


def flags(overrides: Dict[str, Any]) -> List[str]:
    """The flags that `overrides` stand for.

    A list repeats its flag, a dict repeats it with KEY=VALUE (SRC:DST for ro, rw, copy_in and tmpfs), True is
    a flag without a value, None and False are left out. A number is in seconds for timeout (or wall),
    cpu_time, idle, grace and usage_interval, and in bytes for memory and the other sizes. Raises ValueError
    for the flags that the client itself needs, and for a number that is no time or no size.
    """
    words: List[str] = []
    for key, value in overrides.items():
        name = ALIASES.get(key, key)
        if name in OURS:
            raise ValueError(f"{key} is no override: the client sets --{name.replace('_', '-')} by itself" +
                             ("; what the command reads is input=" if name == "stdin" else ""))
        words += _one(name, value)
    return words


def _one(name: str, value: Any) -> List[str]:
    flag = "--" + name.replace("_", "-")
    if name in DURATIONS | SIZES and isinstance(value, (numbers.Real, decimal.Decimal)):
        return [f"{flag}={_quantity(name, value)}"]
    if value is True:
        return [flag]
    return [f"{flag}={one}" for one in values(name, value)]


def values(name: str, value: Any) -> List[str]:
    """What the flag of this name is given, as often as it is repeated: for whoever adds to a caller's own."""
    if value is None or value is False:
        return []
    if isinstance(value, dict):
        sign = ":" if name in PATHS else "="
        return [f"{_text(key)}{sign}{_value(name, one)}" for key, one in value.items()]
    return [_text(one) for one in (value if isinstance(value, (list, tuple, set, frozenset)) else [value])]


def _value(name: str, value: Any) -> str:
    """The right side of a pair. Of `set` it is YAML."""
    if name == "set" and not isinstance(value, str):
        return yaml(value)
    return _text(value)


def _text(value: Any) -> str:
    if value is None:
        raise ValueError("None stands among the values of an option: leave it out, or give a text")
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
