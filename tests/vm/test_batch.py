"""`sbx batch` where a run has to leave its group to divide it: the coordinator does so once, for all its jobs."""
import contextlib
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from support import bed, cgroups, slow
from support.batch import Batch, by_id
from support.waiting import wait_until
from vm import beds

ROW = beds.read().get(bed.NAME)
TOP = Path("/sys/fs/cgroup")
PATIENCE = 20 * slow.FACTOR
KEPT = 256  # policies that the coordinator keeps; those of the rest are looked up by the process of the job
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")

# Whoever was there before has had it hand down controllers: as a service's next start, it begins afresh.
ENTER = """
for name in $(cat "$0/cgroup.subtree_control"); do echo "-$name" >"$0/cgroup.subtree_control"; done
echo $$ >"$0/cgroup.procs" && exec "$@"
"""


@pytest.fixture
def batch(sbx):
    if ROW.home not in ("top", "own", "scope") or {"linux-5.12", "userns", "memory"} & set(ROW.lacks):
        pytest.skip("for another kind of bed: one with cgroup v2 where limits hold")
    return Batch(sbx)


@contextlib.contextmanager
def group_of_its_own():
    """A command prefix: what it starts is alone in a delegated group, for as long as it is not in one below."""
    if ROW.home == "scope":
        yield ["env", f"XDG_RUNTIME_DIR=/run/user/{os.getuid()}", "systemd-run", "--user", "--scope", "--quiet",
               "-p", "Delegate=yes", "env", f"XDG_RUNTIME_DIR={os.environ['XDG_RUNTIME_DIR']}"]
        return
    above = cgroups.own()[0].path.parent if ROW.home == "own" else TOP
    for controller in ("memory", "pids"):
        (above / "cgroup.subtree_control").write_text(f"+{controller}")
    group = above / "alone"
    group.mkdir()
    try:
        if os.geteuid() == 0:
            os.setxattr(group, "trusted.delegate", b"1")  # as systemd marks what it hands over
        yield ["sh", "-c", ENTER, str(group)]
    finally:
        cgroups.remove_tree(group)


def runs_in(group):
    """None once the group is gone, as that of a scope is at any moment after its last process."""
    try:
        return [name for name in os.listdir(group) if re.match(r"sbx-(?!.*-supervisor$)", name)]
    except FileNotFoundError:
        return None


def leaf_of(process):
    """Where the coordinator is once it has left its group."""
    def look():
        text = Path(f"/proc/{process.pid}/cgroup").read_text()
        found = re.search(r"^0::(.*/sbx-batch-\d+-supervisor)$", text, re.MULTILINE)
        assert found or process.poll() is None, process.communicate()
        return found
    return TOP / wait_until(look, "the coordinator never leaves its group", PATIENCE)[1].lstrip("/")


def start(batch, prefix, *flags):
    return subprocess.Popen([*prefix, *batch.argv(*flags)], cwd=batch.sbx.cwd, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def enforced(line):
    return {"memory", "pids"} <= set(line["result"]["isolation"]["enforced"])


def test_jobs_divide_the_group_that_the_batch_is_alone_in(batch):
    """The control is the first: a run alone in the group has done so ever since."""
    with group_of_its_own() as prefix:
        alone = subprocess.run([*prefix, batch.sbx.binary, "run", "--json", "--", "true"], cwd=batch.sbx.cwd,
                               capture_output=True, check=True)
        assert enforced({"result": json.loads(alone.stdout)})
        batch.write([{"argv": ["sleep", "1"]} for _ in range(4)])
        process = start(batch, prefix, "-j2", "--retry", "0")
        leaf = leaf_of(process)
        wait_until(lambda: runs_in(leaf.parent), "no run has a group there", PATIENCE)
        out, err = process.communicate()
        assert process.returncode == 0, (out, err)
        results = by_id(json.loads(line) for line in out.splitlines())
        assert len(results) == 4 and all(map(enforced, results.values())), out
        assert (left := runs_in(leaf.parent)) == [] or (left is None and ROW.home == "scope"), left


def test_a_job_whose_policy_is_not_kept_is_in_the_same_group(batch):
    """All before it have results already, so that only it runs."""
    jobs = [{"id": str(i), "argv": ["sleep", "1"], "overrides": {"limits": {"wall": f"{100 + i}s"}}} for i in range(KEPT + 1)]
    lines = batch.write(jobs).read_text().splitlines()
    with batch.out.open("w") as out:
        for i, line in enumerate(lines[:-1]):
            digest = hashlib.sha256(line.encode()).hexdigest()[:32]
            out.write(json.dumps({"job": str(i), "line": i + 1, "sha256": digest, "attempts": 1,
                                  "result": {"status": "ok"}}, separators=(",", ":")) + "\n")
    with group_of_its_own() as prefix:
        process = start(batch, prefix, "-o", batch.out, "--resume")
        leaf = leaf_of(process)
        wait_until(lambda: runs_in(leaf.parent), "no run has a group there", PATIENCE)
        out, err = process.communicate()
        assert process.returncode == 0, (out, err)
        last = batch.written()[-1]
        assert last["job"] == str(KEPT) and enforced(last), last


def test_what_a_killed_batch_leaves_there_is_swept_by_the_next(batch):
    if ROW.home == "scope":
        pytest.skip("for another kind of bed: one where a group outlives who was in it")
    with group_of_its_own() as prefix:
        batch.write([{"argv": ["sleep", "50"]} for _ in range(2)])
        process = start(batch, prefix, "-j2")
        leaf = leaf_of(process)
        group = leaf.parent
        left = wait_until(lambda: len(runs_in(group)) >= 2 and set(runs_in(group)), "never two runs at a time", PATIENCE)
        batch.kill(process)
        wait_until(lambda: "populated 0" in (group / "cgroup.events").read_text(), "somebody stays in the group", PATIENCE)
        batch.write([{"argv": ["true"]}])
        again = start(batch, prefix)
        out, err = again.communicate()
        assert again.returncode == 0, (out, err)
        assert not left & set(runs_in(group)) and not leaf.exists(), list(group.iterdir())
