"""`sbx run --name`: a live run is found by the name that it was given, and by nobody else's."""
import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from sandbox.live_runs import ended_by_kill, only, ps, start

WAIT = "echo ready; exec sleep 30"
LONGEST = "run-3f2504e0-4f89-11d3-9a0c-0305e82c3301"
REFUSED = ["/", "..", ".", "../x", "a/b", ".a", "-a", "_a", "a b", "a\n", "a\x1b[2J", "é", "a" * 41, "x" * 5000, "a:b", "*", "a\\",
           # What could be the beginning or the end of an id:
           "1", "42", "2026", "cafe", "dead-beef", "20260102-030405-9f86d081"]


def kill(sbx, running, *names):
    assert sbx.call("kill", *names).code == 0
    return ended_by_kill(running)


def test_it_is_listed_and_steered_by_its_name(sbx):
    running = start(sbx, WAIT, "--name", "web.1_a-B")
    listed = only(sbx)
    assert (listed["name"], listed["state"]) == ("web.1_a-B", "running")
    assert json.loads(sbx.call("stats", "web.1_a-B", "--json").out)["id"] == listed["id"]
    for verb, state in (("pause", "paused"), ("resume", "running")):
        assert sbx.call(verb, "web.1_a-B").code == 0 and only(sbx)["state"] == state
    for word in ("web", "web.1_a-", "eb.1_a-B", "WEB.1_a-B"):  # of a name, no part is enough
        sbx.call("kill", word).assert_refused(f"no live run is called {word}")
    run = kill(sbx, running, "web.1_a-B")
    assert run.result["id"] == listed["id"] and os.listdir(os.environ["XDG_RUNTIME_DIR"] + "/sbx") == []
    sbx.call("kill", "web.1_a-B").assert_refused("no live run is called web.1_a-B")


def test_its_id_is_good_as_ever(sbx):
    running = start(sbx, WAIT, "--name", LONGEST)
    name = only(sbx)["id"]
    assert json.loads(sbx.call("stats", name[-8:], "--json").out)["name"] == LONGEST
    kill(sbx, running, name)


def test_the_tables_have_a_column_for_names_where_one_was_given(sbx):
    plain = start(sbx)
    heads = {verb: sbx.call(verb).out.splitlines()[0].split() for verb in ("ps", "stats")}
    assert "NAME" not in heads["ps"] + heads["stats"] and only(sbx)["name"] is None
    named = start(sbx, WAIT, "--name", "web")
    ids = {run["name"]: run["id"] for run in ps(sbx)}
    for verb, before in heads.items():
        head, *lines = [line.split() for line in sbx.call(verb).out.splitlines()]
        assert head == ["RUN", "NAME", *before[1:]]
        assert {tuple(line[:2]) for line in lines} == {(ids[None], "-"), (ids["web"], "web")}
    kill(sbx, named, "web")
    assert sbx.call("ps").out.splitlines()[0].split() == heads["ps"]
    kill(sbx, plain, ids[None])


def test_one_whose_supervisor_is_stopped_is_listed_by_its_name(sbx):
    running = start(sbx, WAIT, "--name", "web")
    name = only(sbx)["id"]
    running.signal(signal.SIGSTOP)
    assert ps(sbx) == [{"id": name, "state": "unresponsive", "name": "web"}]
    assert sbx.call("ps").out.splitlines()[1].split()[:2] == [name, "web"]
    sbx.run(flags=["--name", "web"], cmd=["true"]).assert_refused("web is what another live run is called")
    running.signal(signal.SIGCONT)
    kill(sbx, running, "web")


def test_a_name_that_a_live_run_has_is_refused_until_it_has_ended(sbx):
    running = start(sbx, WAIT, "--name", "web")
    name = only(sbx)["id"]
    run = sbx.run(flags=["--name", "web"], cmd=["true"])
    run.assert_refused(f"--name: web is what another live run is called: {name}", "sbx kill web")
    sbx.call("run", *sbx.degraded, "--dry-run", "--name", "web", "--", "true").assert_refused("another live run")
    sbx.run(flags=["--name", "web2"], cmd=["true"]).assert_ok()
    kill(sbx, running, "web")
    sbx.run(flags=["--name", "web"], cmd=["true"]).assert_ok()
    sbx.run(flags=["--name", "web"], cmd=["true"]).assert_ok()


def test_a_killed_supervisors_name_is_free(sbx):
    running = start(sbx, WAIT, "--name", "web")
    running.kill()  # and nobody collects it yet
    registry = Path(os.environ["XDG_RUNTIME_DIR"], "sbx")
    assert [path.name.split(".", 2)[2] for path in registry.iterdir()] == ["web.sock"]
    sbx.call("stats", "web").assert_refused("no live run is called web")
    sbx.run(flags=["--name", "web"], cmd=["true"]).assert_ok()
    running.process.wait()


def test_two_that_got_it_in_the_same_moment_are_told_apart_by_id(sbx, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    running = start(sbx, WAIT, "--name", "web")
    name = only(sbx)["id"]
    other = "20260101-000000-00000000"
    twin = Path(os.environ["XDG_RUNTIME_DIR"], "sbx", f"{other}.{os.getpid()}.web.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(twin))
        server.listen(8)
        for verb in ("kill", "pause", "stats"):
            sbx.call(verb, "web").assert_refused("web can be any of 2 runs", name, other)
        sbx.run(flags=["--name", "web"], cmd=["true"]).assert_refused("another live run")
        twin.unlink()
    kill(sbx, running, "web")


@pytest.mark.parametrize("name", REFUSED, ids=lambda name: ascii(name)[:20])
def test_what_is_no_name_is_refused(sbx, name):
    run = sbx.run(flags=[f"--name={name}"], cmd=["true"])
    run.assert_refused("--name: no name of a run: ", "1 to 40 letters", "run-42, and not 42")
    assert "\x1b" not in run.err and run.result["phase"] == "setup" and "no name of a run" in run.result["reason"]["text"]
    run = sbx.run(flags=[f"--name={name}"], cmd=["true"], json=True)
    assert run.code == 125 and run.result["status"] == "setup_error" and "no name of a run" in run.result["reason"]["text"]
    sbx.call("run", *sbx.degraded, "--dry-run", f"--name={name}", "--", "true").assert_refused("no name of a run")


def test_an_empty_name_is_none(sbx):
    for words in (["--name="], ["--name", ""]):
        sbx.call("run", *words, "--", "true").assert_refused("flag --name needs a value")


@pytest.mark.parametrize("verb", ["explain", "learn", "batch", "ps"])
def test_other_verbs_have_none(sbx, verb):
    sbx.call(verb, "--name", "web").assert_refused(f"`sbx {verb}` has no flag --name, which is one of `sbx run`")


def test_without_a_registry_that_can_be_trusted_no_name_is_taken(sbx):
    """A run without one goes on: nobody was promised to find it."""
    registry = Path(os.environ["XDG_RUNTIME_DIR"], "sbx")
    registry.write_text("")
    sbx.run(flags=["--name", "web"], cmd=["true"]).assert_refused("cannot look for live runs")
    sbx.run(cmd=["true"]).assert_ok()
    registry.unlink()


def test_a_secret_in_it_is_masked_where_live_runs_are_listed(sbx):
    running = start(sbx, WAIT, "--name", "x-hunter2hunter2", "--secret", "KEY=env:KEY", env={"KEY": "hunter2hunter2"})
    assert "hunter2" not in sbx.call("ps", "--json").out + sbx.call("ps").out and only(sbx)["name"].startswith("x-")
    kill(sbx, running, "x-hunter2hunter2")


@pytest.mark.parametrize("shell, script", [
    ("bash", "source sbx.bash; _sbx_runs"), ("fish", "source sbx.fish; __sbx_runs"),
    ("zsh", "compadd() { shift; print -l -- $@ }; compdef() { }; source ./_sbx; _sbx_runs"),
])
def test_shells_complete_both(sbx, root_dir, tmp_path, shell, script):
    (tmp_path / "sbx").symlink_to(sbx.binary)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def offered():
        done = subprocess.run([shell, "-c", script], cwd=root_dir / "completions", env=env, capture_output=True, text=True)
        assert done.stderr == ""
        return done.stdout.split()

    assert offered() == []
    plain = start(sbx)
    assert offered() == [only(sbx)["id"]]
    named = start(sbx, WAIT, "--name", "web")
    assert sorted(offered()) == sorted([*(run["id"] for run in ps(sbx)), "web"])
    kill(sbx, named, "web")
    kill(sbx, plain, only(sbx)["id"])
