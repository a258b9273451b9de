"""When changes are kept, when they are put in place at once, and what is left when things go wrong."""
import fcntl
import json
import os
import signal
import subprocess
import time

import pytest

from changes.trees import snapshot
from support.waiting import children_of

pytestmark = pytest.mark.needs("overlay")


def test_what_changed_is_in_the_result_and_the_host_is_as_it_was(kept):
    top = kept.sbx.cwd
    (top / "file").write_text("host\n")
    (top / "gone").write_text("host\n")
    before = snapshot(top)
    run = kept.run("echo more >> file; rm gone; mkdir d; printf 12345 > d/new").assert_ok()
    changes = run.result["changes"]
    assert (changes["added"], changes["modified"], changes["deleted"], changes["bytes"]) == (2, 1, 1, 15)
    assert changes["run"] == run.result["id"] and not changes["applied"]
    assert snapshot(top) == before
    assert kept.changes(run.result["id"]) == {b"file": "modified", b"gone": "deleted", b"d": "added", b"d/new": "added"}


def test_without_keep_there_is_nothing(kept):
    run = kept.run("echo x > f", keep="none").assert_ok()
    assert run.result["changes"] is None and not kept.state.exists()


def test_a_run_that_changes_nothing_leaves_nothing(kept):
    (kept.sbx.cwd / "file").write_text("host\n")
    run = kept.run("cat file; touch file; cp file x; mv x file").assert_ok()
    assert run.result["changes"] == {"added": 0, "modified": 0, "deleted": 0, "bytes": 0, "run": None, "applied": False}
    assert kept.files() == ["sbx", "sbx/changes"]
    assert kept.verb("diff", "--json").stdout == b"[]\n"


@pytest.mark.parametrize("script, status", [("echo x > f; exit 3", "nonzero"), ("echo x > f; kill -9 $$", "signal"),
                                            ("echo x > f; sleep 60", "timeout")])
@pytest.mark.parametrize("keep", ["diff", "apply"])
def test_a_command_that_fails_has_its_changes_kept_and_not_applied(kept, script, status, keep):
    run = kept.run(script, "--timeout", "500ms", keep=keep)
    assert run.status == status and not os.listdir(kept.sbx.cwd)
    assert kept.changes(run.result["changes"]["run"]) == {b"f": "added"}


def test_keep_apply_puts_them_in_place_at_the_end(kept):
    (kept.sbx.cwd / "file").write_text("host\n")
    run = kept.run("echo run > file; mkdir d; echo x > d/f", keep="apply").assert_ok()
    changes = run.result["changes"]
    assert changes["applied"] and changes["run"] is None and changes["added"] == 2
    assert (kept.sbx.cwd / "file").read_text() == "run\n" and (kept.sbx.cwd / "d/f").read_text() == "x\n"
    assert kept.files() == ["sbx", "sbx/changes"]


def test_keep_apply_refuses_what_the_host_has_changed_and_keeps_it(kept):
    top = kept.sbx.cwd
    (top / "file").write_text("one\n")
    running = kept.start("echo ready; read word; echo more >> file", keep="apply")
    (top / "file").write_text("two\n")
    run = running.wait(stdin=b"on\n")
    # The command's own success must not hide that its changes are not there.
    assert run.code == 125 and run.status == "ok" and "not applied" in run.err, run
    assert (top / "file").read_text() == "two\n" and not run.result["changes"]["applied"]
    assert len(run.result["undelivered"]) == 1 and "not applied: file: the host" in run.result["undelivered"][0], run
    assert kept.changes(run.result["changes"]["run"]) == {b"file": "modified"}


def test_the_profile_says_so_as_well(kept):
    profile = {"version": 1, "workspace": {"source": str(kept.sbx.cwd), "mode": "overlay", "keep": "diff", "size": "8M"}}
    run = kept.sbx.run(profile=profile, cmd=["sh", "-c", "head -c 30M /dev/zero > big"])
    assert "No space left" in run.err and kept.changes(run.result["changes"]["run"]) == {b"big": "added"}


def test_keep_needs_an_overlay(kept):
    kept.sbx.run(flags=["--workspace", ".:rw", "--keep", "diff"], cmd=["true"]).assert_refused("keep", "mode: overlay")


# ---- places

@pytest.mark.parametrize("what", ["a file", "closed", "nobody says"])
def test_without_a_place_to_keep_them_the_command_does_not_run(kept, tmp_path, what):
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    if what == "a file":
        (tmp_path / "state").write_text("")
    elif what == "closed":
        (tmp_path / "state" / "sbx" / "changes").mkdir(parents=True)
        (tmp_path / "state" / "sbx" / "changes").chmod(0o755)  # others may look in
    elif os.geteuid() == 0:
        env = {"XDG_STATE_HOME": "relative"}  # is ignored (basedir-spec), and root has a place of its own
        run = kept.run("true", env=env).assert_ok()
        assert run.result["changes"]["run"] is None
        return
    else:
        env = {"XDG_STATE_HOME": "", "HOME": ""}
    run = kept.run("echo ran; echo x > f", env=env)
    run.assert_refused("place to keep changes", "XDG_STATE_HOME")
    assert not run.out and run.status == "setup_error"


def test_nobody_else_may_read_what_is_kept(kept):
    name = kept.run("echo secret > f").result["changes"]["run"]
    for path in (kept.state, kept.state / "sbx", kept.state / "sbx" / "changes", kept.state / "sbx" / "changes" / name):
        assert path.stat().st_mode & 0o077 == 0, path
    for path in (kept.state / "sbx" / "changes" / name).iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


# ---- killed

def test_what_a_killed_supervisor_was_about_to_keep_is_swept_by_the_next_run(kept):
    running = kept.start("echo x > f; echo ready; sleep 60")
    kept.kill(running)
    assert len(os.listdir(kept.state / "sbx" / "changes")) == 1
    assert kept.verb("diff", "--json").stdout == b"[]\n"
    kept.run("true").assert_ok()
    assert kept.files() == ["sbx", "sbx/changes"]


def test_and_goes_with_ps(kept):
    """And nothing of a run that is at it."""
    working = kept.start("echo x > f; echo ready; read line")
    kept.kill(kept.start("echo x > f; echo ready; sleep 60"))
    folder = kept.state / "sbx" / "changes"
    assert len(os.listdir(folder)) == 2
    looking = os.open(folder, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_EX)  # somebody begins to keep something, and is not waited for
    assert kept.verb("ps").returncode == 0 and len(os.listdir(folder)) == 2
    os.close(looking)
    assert kept.verb("ps").returncode == 0 and len(os.listdir(folder)) == 1
    assert working.wait(stdin=b"\n").assert_ok().result["changes"]["added"] == 1


def test_killed_while_it_keeps_them_it_keeps_all_or_none(kept):
    """At twenty moments of reading 2,000 files out of the layer."""
    script = "for i in $(seq 2000); do echo $i > f$i; done; echo ready"
    whole = kept.run(script).assert_ok()
    kept.verb("discard", "--all")
    complete = 0
    for step in range(20):
        running = kept.start(script)
        time.sleep(step * 0.01)
        kept.kill(running)
        for run in json.loads(kept.verb("diff", "--json").stdout):
            assert run["added"] == whole.result["changes"]["added"] == 2000
            complete += 1
            assert kept.verb("discard", run["run"]).returncode == 0
    assert complete < 20
    kept.run("true").assert_ok()
    assert kept.files() == ["sbx", "sbx/changes"]


def test_runs_side_by_side_do_not_sweep_each_other(kept):
    for _ in range(5):
        runs = [kept.sbx.spawn(flags=["--workspace", ".:overlay", "--keep", "diff"], cmd=["sh", "-c", f"echo {i} > f{i}"])
                for i in range(32)]
        names = [run.wait().assert_ok().result["changes"]["run"] for run in runs]
        assert len(set(names)) == 32
        for i, name in enumerate(names):
            assert kept.changes(name) == {b"f%d" % i: "added"}


# ---- the verbs

def test_diff_lists_the_runs_and_finds_them_by_a_part_of_their_name(kept):
    first = kept.run("echo x > f").result["id"]
    second = kept.run("echo y > f").result["id"]
    table = kept.verb("diff").stdout.decode().splitlines()
    assert table[0].split()[0] == "RUN" and [line.split()[0] for line in table[1:]] == [first, second]
    assert kept.verb("diff", first[-8:], "--stat").returncode == 0
    assert b"can be any of 2 runs" in kept.verb("diff", first[:4]).stderr
    assert b"sbx diff" in kept.verb("diff", "none-such").stderr
    assert kept.verb("discard", first, "none-such").returncode == 125 and kept.verb("diff", first).returncode == 0
    assert kept.verb("discard", first, second, first[-8:]).returncode == 0
    assert kept.verb("discard").returncode == 125 and kept.verb("apply").returncode == 125


def test_a_terminal_gets_colours_and_no_control_bytes_of_the_payloads(kept):
    run = kept.run(r"printf 'a\033]0;title\007b\n' > f").result["id"]
    script = f"script -qec '{kept.sbx.binary} diff {run}' /dev/null"
    shown = subprocess.run(["sh", "-c", script], capture_output=True, cwd=kept.sbx.cwd, env={**os.environ, "TERM": "xterm"}).stdout
    assert b"\x1b[32m+" in shown and b"\x1b]0;" not in shown and rb"\x1b]0;title" in shown, shown
    plain = subprocess.run(["sh", "-c", script], capture_output=True, cwd=kept.sbx.cwd,
                           env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}).stdout
    assert b"\x1b" not in plain and rb"\x1b]0;title" in plain, plain


def test_the_json_is_as_its_schema_says(kept):
    import jsonschema
    (kept.sbx.cwd / "gone").write_text("")
    run = kept.run("rm gone; mkdir d; ln -s x d/l; mkfifo p; echo > $(printf 'n\\377')").result["id"]
    schema = json.loads(kept.verb("schema", "changes").stdout)
    shown = kept.diff(run)
    jsonschema.validate(shown, schema)
    assert [c.get("path_base64") for c in shown["changes"]].count("bv8=") == 1
    for each in json.loads(kept.verb("diff", "--json").stdout):
        jsonschema.validate(each, schema)


def test_explain_says_that_they_are_kept(kept):
    text = kept.verb("explain", "--workspace", ".:overlay", "--keep", "diff", "--", "true").stdout.decode()
    assert "kept changes up to 256M" in text
    why = kept.verb("explain", "--workspace", ".:overlay", "--keep", "diff", "--why", "path:/workspace/f").stdout.decode()
    assert "kept apart" in why


def test_a_signal_while_they_are_kept_does_not_tear_them(kept):
    files = 300  # a machine without hardware for virtual machines reads them within the five seconds, too
    running = kept.start(f"for i in $(seq {files}); do echo $i > f$i; done; echo ready")
    running.signal(signal.SIGTERM)
    run = running.wait()
    assert run.result["changes"]["added"] == files, run
    assert len(kept.changes(run.result["changes"]["run"])) == files


def test_a_signal_before_they_are_kept_bounds_it_as_one_meanwhile(kept, tmp_path):
    """Whoever has asked for the end of the run waits only so long, and does not ask again."""
    slow = ["strace", "-o", tmp_path / "log", "-e", "trace=flistxattr", "-e", "inject=flistxattr:delay_enter=2000000"]
    words = ["run", *kept.sbx.degraded, "--workspace", ".:overlay", "--keep", "diff", "--", "sh", "-c",
             "for i in 1 2 3 4 5 6 7 8; do echo > f$i; done; echo ready; sleep 60"]
    tracer = subprocess.Popen([*slow, kept.sbx.binary, *words], cwd=kept.sbx.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert tracer.stdout.readline() == b"ready\n"
    os.kill(int(children_of(tracer.pid)[0]), signal.SIGTERM)
    message = tracer.communicate(timeout=60)[1]
    assert b"the changes could not be kept: sbx was asked to end while it read them" in message, message


def test_whatever_the_umask_what_is_kept_can_be_opened(kept):
    before = os.umask(0o777)
    try:
        name = kept.run("echo x > f").assert_ok().result["changes"]["run"]
    finally:
        os.umask(before)
    assert all(path.stat().st_mode & 0o600 == 0o600 for path in kept.state.rglob("*"))
    assert kept.changes(name) == {b"f": "added"}
    kept.run("echo x > g").assert_ok()
