"""Runs untrusted commands with sbx, a sandbox launcher for Linux.

    from sbx import Sandbox

    with Sandbox("python", memory="256M", timeout=10) as box:
        box.write_file("code.py", "print(6 * 7)")
        result = box.run(["python3", "code.py"])
        print(result.status, result.stdout_text)

Needs the `sbx` binary: in PATH, named by SBX_BIN, or given as binary=.
"""
from . import schema
from .aio import AsyncSandbox
from .binary import find
from .checks import Problem, check
from .errors import CommandFailed, SbxError
from .result import Result
from .sandbox import Sandbox

__all__ = ["AsyncSandbox", "CommandFailed", "Problem", "Result", "Sandbox", "SbxError", "check", "find", "schema"]
__version__ = "0.1.0"
