"""What the ini file says of tests in a sandbox."""
from __future__ import annotations

from typing import Any, Dict, List

import pytest


def declare(parser: Any) -> None:
    """Makes the settings known; to the pytest inside, too, as one that is not known is a warning, and -W error fails."""
    parser.addini("sandbox_profile", "profile of sandboxed tests whose mark has none", default="python")
    parser.addini("sandbox_overrides", "flags of `sbx run` for sandboxed tests, a line each: memory = 256M",
                  type="linelist", default=[])


def overrides(config: Any) -> Dict[str, Any]:
    """What the ini file and the command line say. Raises UsageError."""
    found: Dict[str, Any] = {"profile": config.getoption("--sandbox-profile") or config.getini("sandbox_profile")}
    several: Dict[str, List[str]] = {}
    for line in config.getini("sandbox_overrides"):
        name, _, value = (part.strip() for part in line.partition("="))
        if not name or not value:
            raise pytest.UsageError(f"sandbox_overrides: {line!r} is not NAME = VALUE")
        several.setdefault(name, []).append(value)
    return {**found, **{name: values if len(values) > 1 else values[0] for name, values in several.items()}}
