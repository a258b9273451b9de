"""Jobs of one batch are as far apart as runs of `sbx run`."""
import json
import os
import subprocess

import pytest

from support.batch import by_id, text

LOOK = """
import os, json
fds = {}
for fd in os.listdir("/proc/self/fd"):
    try: fds[fd] = os.readlink(f"/proc/self/fd/{fd}").split(":")[0]
    except OSError: pass
print(json.dumps({"fds": fds, "env": dict(os.environ), "tmp": os.listdir("/tmp"), "shm": os.listdir("/dev/shm"),
                  "pids": [p for p in os.listdir("/proc") if p.isdigit()], "uid": os.getuid(), "groups": os.getgroups(),
                  "limits": open("/proc/self/limits").read(), "status": [l for l in open("/proc/self/status") if l[:3] in ("Cap", "Sig", "NoN", "Sec")],
                  "oom": open("/proc/self/oom_score_adj").read(), "pgrp": os.getpgrp() == os.getpid(), "sid": os.getsid(0) == os.getpid()}))
open("/tmp/left", "w").write("x"); open("/dev/shm/left", "w").write("x")
"""
PYTHON = ["/usr/bin/python3", "-c", LOOK]


def test_a_job_sees_what_a_run_sees_and_nothing_of_another(sbx, batch):
    alone = sbx.run(cmd=PYTHON, json=True)
    alone.assert_ok()
    expected = json.loads(alone.result["output"]["stdout"]["text"])
    jobs = [{"id": str(i), "argv": PYTHON, "overrides": {"env": {"set": {f"OF_{i}": "mine"}}}} for i in range(12)]
    run = batch.call(jobs, "-j3")
    assert run.code == 0, run
    for name, line in by_id(run.results).items():
        seen = json.loads(text(line))
        assert seen["env"].pop(f"OF_{name}") == "mine"
        assert seen == expected, name


def test_a_job_has_the_isolation_of_a_run(sbx, batch):
    for profile in ("default", "python", "judge", "strict", "build"):
        alone = sbx.run(profile, cmd=["true"], json=True).result["isolation"]
        jobs = [{"id": str(i), "argv": ["true"], "profile": profile} for i in range(3)]
        for line in batch.call(jobs).results:
            assert line["result"]["isolation"] == alone


@pytest.mark.parametrize("how", [{}, {"at": "/run/key"}, {"env": "KEY"}])
def test_a_secret_is_the_jobs_that_declares_it(sbx, batch, how):
    secret = "s3cr3t-of-one-job-only"
    declares = {"secrets": {"key": {"from": "env:THE_KEY", **how}}}
    show = ["sh", "-c", "cat /run/secrets/* /run/key 2>/dev/null; env"]
    jobs = [{"id": f"{kind}-{i}", "argv": show, **({"overrides": declares} if kind == "has" else {})}
            for i in range(6) for kind in ("has", "not")]
    run = batch.call(jobs, "-j2", env={"THE_KEY": secret})
    assert run.code == 0, run
    assert secret not in run.out
    for name, line in by_id(run.results).items():
        assert ("[redacted:key]" in text(line)) == name.startswith("has"), line


def test_the_batch_keeps_its_streams_and_descriptors_to_itself(sbx, batch):
    with open(sbx.folder / "open", "w") as file:
        os.set_inheritable(file.fileno(), True)
        batch.write([{"argv": ["sh", "-c", "ls -l /proc/self/fd; read x; echo got:$x"]}])
        done = subprocess.run(batch.argv(), input=b"the batch's own\n", capture_output=True, pass_fds=[file.fileno()], cwd=sbx.cwd)
    line = json.loads(done.stdout)
    assert "got:\n" in text(line) and "open" not in text(line) and "memfd" not in text(line), text(line)


def test_a_job_cannot_outlive_its_result(sbx, batch):
    """The next jobs see no process of it; neither does the host (the fixture looks)."""
    jobs = [{"argv": ["sh", "-c", "setsid sleep 50 & (sleep 50 &) ; exit 0"]} for _ in range(6)]
    run = batch.call(jobs, "-j2")
    assert run.code == 0, run


def test_live_jobs_are_runs_like_any_other(sbx, batch):
    batch.write([{"argv": ["sleep", "50"]}, {"argv": ["echo", "next"]}])
    process = batch.spawn("-j1")
    live = batch.live()
    assert [run["command"] for run in live] == ["sleep 50"]  # the one that waits is not there yet
    assert sbx.call("kill", live[0]["id"]).code == 0
    out, _ = process.communicate(timeout=30)
    found = by_id(json.loads(line) for line in out.splitlines())
    assert process.returncode == 1 and found["2"]["result"]["status"] == "ok"
    assert found["1"]["result"]["status"] in ("interrupted", "signal")


def test_one_after_the_other_each_job_finds_what_the_last_one_left(sbx, batch):
    """Where jobs write to the host nothing is made ahead: a copy would be of the folder as it was before."""
    (sbx.cwd / "data").mkdir(mode=0o777)
    (sbx.cwd / "data").chmod(0o777)
    jobs = [{"id": str(i), "argv": ["sh", "-c", "ls /tmp/copy | wc -l; touch data/" + str(i)],
             "overrides": {"mounts": [{"copy": "data", "at": "/tmp/copy"}]}} for i in range(6)]
    run = batch.call(jobs, "-j1", "--workspace", ".:rw")
    assert run.code == 0, run
    assert [(line["job"], text(line).strip()) for line in run.results] == [(str(i), str(i)) for i in range(6)]


def test_no_job_gives_another_one_a_profile_that_nobody_has_checked(sbx, batch):
    """The first 256 policies are kept; those of the jobs behind them are read again when they run."""
    (sbx.folder / "secret").write_text("the host's")
    shown = sbx.cwd / "shown"
    shown.mkdir(mode=0o777)
    shown.chmod(0o777)
    profile = shown / "p.yaml"
    profile.write_text(f"version: 1\nworkspace: {{source: {shown}, mode: rw}}\n")
    profile.chmod(0o666)
    other = json.dumps(f"version: 1\nmounts: [\"{sbx.folder}/secret:/run/h\"]\n")
    jobs = [{"id": "evil", "profile": str(profile), "argv": ["sh", "-c", "printf %s \"$1\" > p.yaml", "sh", json.loads(other)]}]
    jobs += [{"id": str(i), "profile": str(profile), "argv": ["sh", "-c", "cat /run/h 2>/dev/null; exit 0"],
              "overrides": {"limits": {"grace": f"{i + 1}ms"}}} for i in range(257)]
    run = batch.call(jobs, "-j1")
    found = by_id(run.results)
    assert "mounts" in profile.read_text()
    assert not any(line["result"]["output"]["stdout"].get("text") for line in found.values())
    kept = [line["result"]["status"] for name, line in found.items() if name not in ("255", "256")]
    assert set(kept) == {"ok"}, run
    for name in ("255", "256"):
        assert found[name]["result"]["status"] == "setup_error"
        assert "has changed since the batch began" in found[name]["result"]["reason"]["text"]
