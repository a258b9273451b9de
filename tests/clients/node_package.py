"""The Node client as its users get it: packed out of a copy of the tree, and its tests run from there."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from support.cache import made

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
SOURCE = CLIENTS / "node"
PACKAGE = json.loads((SOURCE / "package.json").read_text())
LINE = re.compile(r"^\s*(not )?ok \d+ - (.*?)(?: # (SKIP|TODO).*)?$")


def node(*words, cwd, env=None, seconds=120):
    """Runs a program of Node's; returns what it wrote to both outputs, which a failure shows."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, timeout=seconds, env={**os.environ, **(env or {})})
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}"
    return done.stdout


def modules():
    """The folder of the packages that building and checking need."""
    return made("node-client", "node_modules")


def npm(folder):
    """npm's surroundings: no network, and nothing of the caller's home."""
    return {"npm_config_cache": str(folder / "npm-cache"), "npm_config_offline": "true", "npm_config_audit": "false",
            "npm_config_fund": "false", "npm_config_update_notifier": "false", "HOME": str(folder)}


def copied(folder):
    """The source in a folder that we may write to, with what builds it."""
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "source" / "node_modules").symlink_to(modules())
    return folder / "source"


def packed(folder):
    """Packs it, which builds it; returns the copy and the tarball."""
    source = copied(folder)
    (folder / "packed").mkdir()
    node("npm", "pack", "--pack-destination", folder / "packed", cwd=source, env=npm(folder))
    [tarball] = (folder / "packed").iterdir()
    return source, tarball


def installed(folder, tarball):
    """An empty project with the tarball in it, as a user has it; returns its folder."""
    project = folder / "project"
    project.mkdir()
    (project / "package.json").write_text('{"name": "user", "private": true}')
    node("npm", "install", "--ignore-scripts", tarball, cwd=project, env=npm(folder))
    return project


def verdicts(path, env):
    """{name of a test: its TAP line} of a file of tests, and the whole text."""
    done = subprocess.run(["node", "--test", "--test-reporter=tap", str(path)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, env={**os.environ, **env})
    lines = [LINE.match(line) for line in done.stdout.splitlines()]
    return {found[2].replace("\\#", "#"): found for found in lines if found}, done.stdout


def passed(verdict):
    return verdict is not None and not verdict[1] and not verdict[3]


def section(text, name):
    """What TAP says of one test, for a failure's message."""
    found = re.search(rf"^\s*not ok \d+ - {re.escape(name)}.*?^\s*\.\.\.$", text, re.M | re.S)
    return found[0] if found else text[-4000:]
