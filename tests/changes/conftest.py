"""A state folder of the test's own, and the verbs on it."""
import json
import subprocess

import pytest

from support.waiting import state_of, wait_until


class Kept:
    """`sbx diff`, `apply` and `discard` as a caller uses them."""

    def __init__(self, sbx, state):
        self.sbx, self.state = sbx, state

    def verb(self, *words, **options):
        return subprocess.run([self.sbx.binary, *map(str, words)], capture_output=True, cwd=self.sbx.cwd, timeout=120, **options)

    def traced(self, tracer, *words):
        return subprocess.run([*tracer, self.sbx.binary, *words], capture_output=True, cwd=self.sbx.cwd, timeout=120)

    def run(self, script, *flags, keep="diff", workspace=".:overlay", program="sh", **options):
        """A run whose changes are kept; `script` is shell, or Python's with program="python3"."""
        cmd = {"sh": ["sh", "-c", script], "python3": ["/usr/bin/python3", "-I", "-S", "-c", script]}[program]
        return self.sbx.run(flags=["--workspace", workspace, "--keep", keep, *flags], cmd=cmd, **options)

    def start(self, script, keep="diff"):
        """A run that has printed `ready` and still goes on; its input is ours."""
        running = self.sbx.spawn(flags=["--workspace", ".:overlay", "--keep", keep], cmd=["sh", "-c", script], stdin=subprocess.PIPE)
        running.read_until(b"ready")
        return running

    @staticmethod
    def kill(running):
        """As somebody kills a supervisor. init may still hold what that held, and ends a moment later."""
        tree = [pid for pid, _ in running.processes()]
        running.kill()
        running.process.wait()
        wait_until(lambda: all(state_of(pid)[0] in "ZX" for pid in tree), "the run outlives its supervisor")

    def diff(self, run, *words):
        """The JSON of a kept run."""
        done = self.verb("diff", run, "--json", *words)
        assert done.returncode == 0, done
        return json.loads(done.stdout)

    def changes(self, run):
        """{path: "added" | "modified" | "deleted"}"""
        import base64
        names = {}
        for change in self.diff(run)["changes"]:
            path = change["path"].encode() if "path" in change else base64.b64decode(change["path_base64"])
            names[path] = change["change"]
        return names

    def apply(self, run, *paths):
        return self.verb("apply", run, *paths)

    def files(self):
        """Everything below the state folder, relative."""
        return sorted(str(path.relative_to(self.state)) for path in self.state.rglob("*"))


@pytest.fixture
def kept(sbx, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Kept(sbx, tmp_path / "state")
