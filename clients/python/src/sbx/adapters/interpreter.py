"""The payload of a session: runs snippets one after the other, in one namespace that stays.

Runs inside the sandbox, started as `python3 -u -c SOURCE`; the host reads it and never imports it. Each line of
standard input is a request {"id": n, "code": text}; each line of standard output the answer to one:
{"id": n, "value": repr or null}, {"id": n, "error": traceback}, or {"id": n, "final": text} for an exception
called FinalAnswerException. Whatever the snippets print goes to standard error, where a line \\0id\\n ends that
of each request. Any Python from 3.8 on.
"""
from __future__ import annotations

import sys

_here = sys.path.pop(0)  # a json.py in the workspace must not be ours

import ast  # noqa: E402
import json  # noqa: E402
import linecache  # noqa: E402
import os  # noqa: E402
import traceback  # noqa: E402
import types  # noqa: E402

sys.path.insert(0, _here)


def error_text(error: BaseException, name: str) -> str:
    """The traceback from the snippet's own first line on."""
    first = error.__traceback__
    while first and first.tb_frame.f_code.co_filename != name:
        first = first.tb_next
    return "".join(traceback.format_exception(type(error), error, first))


def execute(code: str, number: int, space: dict[str, object]) -> dict[str, object]:
    """Runs one snippet; the answer without its id. The value is that of a last line that is an expression."""
    name = "<step %d>" % number
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        tree = ast.parse(code, name)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, name, "exec"), space)
        value = eval(compile(ast.Expression(last.value), name, "eval"), space) if isinstance(last, ast.Expr) else None
        return {"value": None if value is None else repr(value)}
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too: the session goes on
        if type(error).__name__ == "FinalAnswerException":
            return {"final": str(getattr(error, "value", ""))}
        return {"error": error_text(error, name)}


def main() -> None:
    requests = os.fdopen(os.dup(0), "rb")
    answers, logs = os.dup(1), os.dup(2)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # input() of a snippet is at its end
    os.dup2(2, 1)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    for line in requests:
        request = json.loads(line)
        answer = execute(request["code"], request["id"], module.__dict__)
        answer["id"] = request["id"]
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # a snippet may have closed or replaced it
                pass
        for fd, text in ((logs, "\0%d\n" % request["id"]), (answers, json.dumps(answer) + "\n")):
            data = memoryview(text.encode("utf-8", "replace"))
            while data:
                data = data[os.write(fd, data):]


main()
