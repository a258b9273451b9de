"""The same calls without a sandbox: the control run that shows that a test's programs are right, so
that a failure under sbx is sbx's. Chosen by SBX_TEST_NATIVE=1; for tests/programs."""
import os
import subprocess
import time

from .sbx import Run


class Native:
    def __init__(self, folder):
        self.folder = folder
        self.cwd = folder / "work"
        self.cwd.mkdir(exist_ok=True)
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.killed = False

    def run(self, profile=None, flags=(), cmd=(), stdin=None, timeout=60, cwd=None, env=None, **_):
        """Of the flags, --workspace and --env mean something here; folders bound elsewhere do not."""
        env = {k: os.environ[k] for k in ("PATH", "LANG", "PYENV_ROOT") if k in os.environ} | (env or {})
        env["HOME"] = str(self.home)
        env["TMPDIR"] = env["HOME"]
        # The one tool that finds itself through HOME.
        env["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
        place = cwd or self.cwd
        flags = list(map(str, flags))
        for name, value in zip(flags, flags[1:]):
            if name == "--workspace":
                place = value.rpartition(":")[0] or value
            elif name == "--env" and "=" in value:
                key, _, text = value.partition("=")
                env[key] = text
        started = time.monotonic()
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(list(map(str, cmd)), input=data or b"", capture_output=True, cwd=place, env=env,
                              timeout=timeout)
        code = done.returncode
        status = "ok" if code == 0 else "nonzero" if code > 0 else "signal"
        result = {"status": status, "exit_code": code}
        return Run(list(cmd), code, done.stdout, done.stderr, result, [], time.monotonic() - started)

    def close(self):
        pass
