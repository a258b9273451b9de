"""What of a run is kept: the files that its patterns mean, as far as they fit, with their types."""
import base64
import hashlib
import subprocess

import pytest

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def paths(run):
    return [one["path"] for one in run.result["artifacts"]]


def test_files_of_every_writable_place_are_kept(store):
    run = store.run("mkdir -p out/a/b; echo deep > out/a/b/c; echo top > out/top; echo t > /tmp/x.csv; echo no > not-out",
                    collect=["/workspace/out/**", "/tmp/*.csv"])
    run.assert_ok()
    assert paths(run) == ["/tmp/x.csv", "/workspace/out/a/b/c", "/workspace/out/top"]
    first = run.result["artifacts"][0]
    assert first["bytes"] == 2 and first["sha256"] == hashlib.sha256(b"t\n").hexdigest()
    assert run.result["warnings"] == []
    store.assert_whole()


@pytest.mark.parametrize("mode", [".:overlay", ".:rw"])
def test_a_folder_means_all_that_is_in_it(store, mode):
    run = store.run("mkdir -p out/a; echo 1 > out/a/1; echo 2 > out/2", collect=["/workspace/out"], workspace=mode)
    assert paths(run) == ["/workspace/out/2", "/workspace/out/a/1"]


def test_changes_and_artifacts_are_kept_of_the_same_run(store):
    run = store.run("mkdir out; echo 1 > out/1", "--keep", "diff", workspace=".:overlay")
    assert paths(run) == ["/workspace/out/1"] and run.result["changes"]["added"] >= 1


def test_media_types(store):
    (store.sbx.cwd / "p.png").write_bytes(PNG)
    run = store.run("mkdir out; cp p.png out/1; printf 'a,b\\n1,2\\n3,4\\n5,6\\n' > out/2.csv; cp /bin/true out/3; echo x > out/4;"
                    "printf '<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>' > out/5.svg; : > out/6")
    types = [one["media_type"] for one in run.result["artifacts"]]
    assert types[0] == "image/png" and types[1] == "text/csv" and types[3] == "text/plain"
    assert types[2].startswith("application/x-") and types[4] == "image/svg+xml"


def test_what_does_not_fit_is_named_and_the_rest_kept_in_order(store):
    run = store.run("mkdir out; for f in a b c; do head -c 40000 /dev/zero > out/$f; done; echo s > out/small",
                    "--set", "artifacts.max=100K")
    run.assert_ok()
    assert paths(run) == ["/workspace/out/a", "/workspace/out/b", "/workspace/out/small"]
    assert any("/workspace/out/c" in warning and "artifacts.max (100K)" in warning for warning in run.result["warnings"])
    run = store.run("for f in 1 2 3 4; do echo > out/$f; done", "--set", "artifacts.max_files=3", collect=["/workspace/out/[1-4]"])
    assert len(paths(run)) == 3 and any("max_files (3)" in warning for warning in run.result["warnings"])


def test_a_run_that_fails_is_kept_too(store):
    run = store.run("mkdir out; echo log > out/log; exit 3")
    run.assert_nonzero(3)
    assert paths(run) == ["/workspace/out/log"]
    run = store.run("echo late > out/late; sleep 60", "--timeout", "500ms")
    assert run.status == "timeout" and "/workspace/out/late" in paths(run)


def test_a_run_without_files_leaves_nothing(store):
    run = store.run("true")
    assert run.result["artifacts"] == [] and store.list() == []
    assert store.objects() == [] and store.staged() == []


def test_events_tell_each(store):
    run = store.run("mkdir out; echo 1 > out/1; echo 2 > out/2", events=True)
    told = [event for event in run.events if event["type"] == "artifact"]
    assert [event["path"] for event in told] == ["/workspace/out/1", "/workspace/out/2"]
    assert told[0]["sha256"] == hashlib.sha256(b"1\n").hexdigest()
    order = [event["type"] for event in run.events]
    assert order.index("artifact") < order.index("exit") < order.index("result")


def test_the_index_tells_of_the_run(store):
    run = store.run("mkdir out; echo 1 > out/1", "--set", "artifacts.ttl=1h")
    [kept] = store.list(run.result["id"])
    assert kept["run"] == run.result["id"] and kept["argv"][:2] == ["sh", "-c"] and kept["status"] == "ok"
    assert kept["path"] == "/workspace/out/1" and kept["ended_at"] < kept["expires_at"]
    [again] = store.list(run.result["id"][-8:])
    assert again == kept
    assert run.result["id"] in store.good("ls") and "text/plain" in store.good("ls")


def test_a_place_that_cannot_be_written_is_told_before_the_command_runs(store, tmp_path):
    store.state.write_text("no folder")
    run = store.run("mkdir out; echo 1 > out/1")
    run.assert_refused("artifacts", "XDG_STATE_HOME")
    assert not (store.sbx.cwd / "out").exists()


def test_a_damaged_index_is_one_clear_error(store):
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    (store.folder / "index.db").write_bytes(b"x" * 5000)
    store.run("touch ran").assert_refused("the index of the artifacts", "is damaged")
    assert not (store.sbx.cwd / "ran").exists()
    for words in (["ls"], ["get", "x"], ["gc"], ["verify"]):
        done = store.verb(*words)
        assert done.returncode == 125 and done.stderr.count(b"is damaged") == 1


def test_a_store_that_cannot_take_it_in_the_end_is_125(store, tmp_path):
    """The index goes bad while the command runs."""
    running = store.sbx.spawn(flags=["--workspace", ".:rw", "--collect", "/workspace/out/**"],
                              cmd=["sh", "-c", "mkdir out; echo 1 > out/1; echo ready; read x"], stdin=subprocess.PIPE)
    running.read_until(b"ready")
    (store.folder / "index.db").write_bytes(b"x" * 5000)
    done = running.wait(b"\n")
    assert done.code == 125 and "the artifacts could not be kept" in done.err, done


def test_runs_without_artifacts_make_no_store(store):
    store.sbx.run(cmd=["true"]).assert_ok()
    assert not store.state.exists()
    assert store.good("ls").split() == ["RUN", "AGE", "SIZE", "TYPE", "SHA256", "PATH", "COMMAND"]
    store.good("gc")
    assert not store.state.exists()
