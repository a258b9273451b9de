"""The error of an adapter whose framework is not installed."""
from __future__ import annotations


def missing(package: str, extra: str, cause: ImportError) -> ImportError:
    """What to raise in place of `cause`: names the extra that brings `package`."""
    name = cause.name or ""
    if name.partition(".")[0] != package.partition(".")[0]:
        return cause  # the framework is there, and lacks something itself
    # Not by the name of ours: no index has it, so that it is anybody's there.
    return ImportError(f"sbx.adapters.{extra} needs {package}: in the sources of sbx, "
                       f"pip install 'clients/python[{extra}]'", name=name)
