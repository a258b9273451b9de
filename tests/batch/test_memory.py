"""What sbx itself holds for its jobs stays within what it leaves free for itself, or is counted as theirs."""
import json
import subprocess
import time
from pathlib import Path

from support import peak, slow
from support.batch import text
from support.waiting import are_waiting, children_of, wait_until

MIB = 1 << 20
RESERVE = 64 * MIB  # left free of the host's memory for sbx itself


def descendants(pid):
    found = children_of(pid)
    return found + [grandchild for child in found for grandchild in descendants(child)]


def held(pid):
    """Bytes of that process and of all below it, what they share counted once."""
    total = 0
    for each in [pid, *descendants(pid)]:
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return total


def gate(sbx):
    """A folder that jobs see; they go on when `go` is in it."""
    folder = sbx.folder / "gate"
    folder.mkdir()
    folder.chmod(0o755)
    return folder, {"argv": ["sh", "-c", "until [ -e /tmp/gate/go ]; do sleep 0.02; done"],
                    "overrides": {"mounts": [{"bind": str(folder), "at": "/tmp/gate"}]}}


def test_a_result_is_made_without_holding_it_as_a_whole(sbx, batch):
    """20M of what JSON writes with six characters each: they are there once, in memory that processes share, and
    what they are made of beside it. In one piece it took 400M to write that down."""
    fill = "head -c 10M /dev/zero | tr '\\0' '\\1'"
    batch.write([{"argv": ["sh", "-c", f"{fill}; {fill} >&2"]}])
    assert peak.memory_of(batch.argv("-o", batch.out, "--quiet"), sbx.cwd) < 8 * 20 * MIB
    (line,) = batch.written()
    assert text(line) == text(line, "stderr") == "\1" * (10 * MIB)


def test_big_files_are_not_held_by_sandboxes_that_wait(sbx, batch):
    """The control are small ones: their sandboxes are made ahead."""
    folder, waits = gate(sbx)

    def most(size, count):
        (folder / "go").unlink(missing_ok=True)
        batch.write([waits, waits, *({"argv": ["true"], "files": {"big": "x" * size}} for _ in range(count))])
        process = subprocess.Popen(batch.argv("-j2", "--total-memory", "8G", "-o", batch.out), cwd=sbx.cwd,
                                   stderr=subprocess.PIPE)
        batch.live(2)
        seen, workers = [], set()
        for _ in range(20):
            seen.append(held(process.pid))
            workers |= set(children_of(process.pid))
            time.sleep(0.03)
        (folder / "go").write_text("")
        _, err = process.communicate()
        assert process.returncode == 0, err
        batch.out.unlink()
        return max(seen), len(workers)

    memory, workers = most(10, 2)
    assert memory < RESERVE and workers == 4
    memory, workers = most(8 * MIB, 2)
    assert memory < RESERVE and workers == 2, (memory, workers)


def test_a_copy_is_made_when_there_is_room_for_what_it_holds(sbx, batch):
    """Seen from its time: what has changed while an earlier job ran is in it."""
    folder, waits = gate(sbx)
    data = sbx.cwd / "data"
    data.write_text("before")
    batch.write([waits, {"argv": ["cat", "/tmp/copy"], "overrides": {"mounts": [{"copy": str(data), "at": "/tmp/copy"}]}}])
    process = batch.spawn("-j1")
    batch.live(1)
    wait_until(lambda: are_waiting([process.pid, *children_of(process.pid)]), "something is still being made ahead")
    data.write_text("after")
    (folder / "go").write_text("")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert text(json.loads(out.splitlines()[1])) == "after"


def test_captured_output_counts(sbx, batch):
    """A job that may print 20M needs ten times that for a moment; one whose output is short does not."""
    def running_at_once(name, **limits):
        """How many of six commands have begun when nobody begins another one, because none ends."""
        folder = sbx.folder / name
        folder.mkdir()
        folder.chmod(0o777)
        script = f"touch /tmp/{name}/$0; until [ -e /tmp/{name}/go ]; do sleep 0.02; done"
        overrides = {"limits": {"memory": "40M", **limits}, "mounts": [{"bind": str(folder), "at": f"/tmp/{name}", "mode": "rw"}]}
        batch.write([{"argv": ["sh", "-c", script, str(job)], "overrides": overrides} for job in range(6)])
        process = batch.spawn("-j6", "--total-memory", "450M")
        wait_until(lambda: list(folder.iterdir()), "no command has begun", 20 * slow.FACTOR)
        wait_until(lambda: are_waiting([process.pid, *children_of(process.pid)]), "more of them still begin", 20 * slow.FACTOR)
        begun = len(list(folder.iterdir()))
        (folder / "go").write_text("")
        out, err = process.communicate()
        assert process.returncode == 0 and len(out.splitlines()) == 6, err
        return begun

    assert running_at_once("short", output={"stdout": "1M", "stderr": "1M"}) > 2
    assert running_at_once("long") <= 2
