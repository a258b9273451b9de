"""Turns keyword arguments into the flags of `sbx run`: memory="64M" becomes --memory=64M.

Each keyword is a flag's name with _ for -. What a flag means and which there are is known to sbx alone,
so that a wrong one gets sbx's own message.
"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List

ALIASES = {"wall": "timeout"}
DURATIONS = {"timeout", "cpu_time", "idle", "grace", "usage_interval"}
SIZES = {"memory", "memory_high", "swap", "io_read_bps", "io_write_bps", "stdout_limit", "stderr_limit"}
PATHS = {"ro", "rw", "copy_in", "tmpfs"}  # SRC:DST; the other pairs are KEY=VALUE
OURS = {"json", "result", "events", "ci", "help", "dry_run", "tty", "no_tty", "stdin"}


def seconds(value: float) -> str:
    """A duration as sbx writes it, rounded up to whole milliseconds: 0.25 is 250ms."""
    return f"{-int(-value * 1000 // 1)}ms"


def flags(overrides: Dict[str, Any]) -> List[str]:
    """The flags that `overrides` stand for.

    A list repeats its flag, a dict repeats it with KEY=VALUE (SRC:DST for ro, rw, copy_in and tmpfs), True is
    a flag without a value, None and False are left out. A number is in seconds for timeout (or wall),
    cpu_time, idle, grace and usage_interval, and in bytes for memory and the other sizes. Raises ValueError
    for the flags that the client itself needs.
    """
    words: List[str] = []
    for key, value in overrides.items():
        name = ALIASES.get(key, key)
        if name in OURS:
            raise ValueError(f"{key} is no override: the client sets --{name.replace('_', '-')} by itself")
        words += _one(name, value)
    return words


def _one(name: str, value: Any) -> List[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, dict):
        sign = ":" if name in PATHS else "="
        return [f"{flag}={_text(name, key)}{sign}{_value(name, one)}" for key, one in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [f"{flag}={_text(name, one)}" for one in value]
    return [f"{flag}={_text(name, value)}"]


def _value(name: str, value: Any) -> str:
    """The right side of a pair. Of `set` it is YAML, which JSON is a part of."""
    if name == "set" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return _text("", value)


def _text(name: str, value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if name in DURATIONS:
            return seconds(value)
        if name in SIZES:
            return f"{int(value)}B"
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
