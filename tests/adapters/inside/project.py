"""A project whose tests have the mark, run by a pytest of its own."""
import os
import subprocess
import sys
import textwrap


class Project:
    """A folder with tests; `run` runs them and returns {test name: outcome}, with all that was printed in `said`."""

    def __init__(self, folder, degrade):
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.write("pytest.ini", "[pytest]\nsandbox_overrides =\n    timeout = 20s\n    memory = 512M\n"
                   # Those of the frameworks take seconds to load, and have nothing to do here.
                   "    env = PYTEST_DISABLE_PLUGIN_AUTOLOAD=1\n" + "".join(f"    degrade = {one}\n" for one in degrade))
        self.said, self.code = "", 0

    def write(self, name, text):
        (self.folder / name).write_text(textwrap.dedent(text))
        (self.folder / name).chmod(0o644)

    def run(self, *words, plugins=(), env=None, python=sys.executable, cache=False):
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(env or {})}
        done = subprocess.run([python, "-B", "-m", "pytest", "-p", "sbx.pytest_plugin",
                               *([] if cache else ["-p", "no:cacheprovider"]), *plugins, "-rA", "--color=no", *words], cwd=self.folder, env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.said, self.code = done.stdout, done.returncode
        found = {}
        for line in self.said.splitlines():
            word, _, rest = line.partition(" ")
            if word in ("PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS"):
                # Of a skip pytest tells the place and the reason, and no name.
                found[rest if word == "SKIPPED" else rest.partition("::")[2].partition(" - ")[0]] = word
        return found
