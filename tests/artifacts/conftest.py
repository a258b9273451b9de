"""A state folder of the test's own, and `sbx artifacts` on it."""
import hashlib
import json
import subprocess

import pytest


class Store:
    """Runs that keep artifacts, and the verbs on them, as a caller uses them."""

    def __init__(self, sbx, state):
        self.sbx, self.state = sbx, state
        self.folder = state / "sbx/artifacts"

    def run(self, script, *flags, collect=("/workspace/out/**",), workspace=".:rw", program="sh", **options):
        cmd = {"sh": ["sh", "-c", script], "python3": ["/usr/bin/python3", "-I", "-S", "-c", script]}[program]
        wanted = [word for pattern in collect for word in ("--collect", pattern)]
        return self.sbx.run(flags=["--workspace", workspace, *wanted, *flags], cmd=cmd, **options)

    def verb(self, *words, **options):
        return subprocess.run([self.sbx.binary, "artifacts", *map(str, words)], capture_output=True, cwd=self.sbx.cwd,
                              timeout=120, **options)

    def good(self, *words):
        done = self.verb(*words)
        assert done.returncode == 0, done
        return done.stdout.decode(errors="replace")

    def list(self, *words):
        return json.loads(self.good("ls", *words, "--json"))

    def objects(self):
        return [path for path in (self.folder / "objects").rglob("*") if path.is_file()]

    def object(self, content):
        digest = hashlib.sha256(content).hexdigest()
        return self.folder / "objects" / digest[:2] / digest[2:4] / digest

    def staged(self):
        staging = self.folder / "staging"
        return list(staging.iterdir()) if staging.exists() else []

    def assert_whole(self):
        """Every content is what its name says, every name in the index has one, and nothing else is there."""
        for path in self.objects():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name
        self.good("verify")
        assert {path.name for path in self.objects()} == {one["sha256"] for one in self.list()}


@pytest.fixture
def store(sbx, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Store(sbx, tmp_path / "state")


def paths(run):
    return [one["path"] for one in run.result["artifacts"]]
