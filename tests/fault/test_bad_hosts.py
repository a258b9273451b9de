"""A host that cannot enforce what is asked for: exit code 125, what failed with which errno, and the
next thing to try. Never a started payload, and never a weaker run that does not say so."""
import errno
import json
import re
import subprocess
import time

import pytest

from fault import hosts
from support.sbx import Run


@pytest.fixture
def on(sbx):
    """on(host, *flags): runs a payload on that host that would leave a file in the workspace."""

    def run(host, *flags, profile="default", cmd=("sh", "-c", "echo started; echo > /workspace/started")):
        result = sbx.folder / "result.json"
        result.unlink(missing_ok=True)
        argv = [sbx.binary, "run", str(profile), *map(str, flags), "--workspace", ".:rw", "--result", str(result), "--",
                *map(str, cmd)]
        started = time.monotonic()
        done = subprocess.run(argv, cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=host,
                              timeout=60)
        told = json.loads(result.read_text()) if result.exists() else None
        return Run(argv, done.returncode, done.stdout, done.stderr, told, [], time.monotonic() - started)

    return run


@pytest.fixture
def refused(on, sbx):
    def run(host, *words, flags=sbx.degraded, **options):
        """125, never started, and a message with these words and a line of advice."""
        done = on(host, *flags, **options)
        done.assert_refused(*words)
        assert not started(sbx) and not done.stdout, done
        assert done.result is None or done.result["status"] == "setup_error", done
        advice = [line for line in done.err.splitlines() if line.startswith("sbx:   ") and len(line) > 30]
        assert advice, f"no advice\n{done}"
        return done

    return run


def started(sbx):
    return (sbx.cwd / "started").exists()


def test_the_payload_of_these_tests_does_start_on_this_host(on, sbx):
    on(None, *sbx.degraded).assert_ok()
    assert started(sbx)


def test_no_user_namespaces(refused):
    refused(hosts.no_user_namespaces, "step", "namespaces", "ENOSPC", "max_user_namespaces",
            flags=["--degrade", "cgroup"])


def test_a_masked_proc(refused):
    refused(hosts.masked_proc, "step", "proc at /proc", "EPERM", "covered (/proc/irq)")


def test_no_proc(refused):
    refused(hosts.no_proc, "/proc", "ENOENT", flags=["--degrade", "cgroup"])


@pytest.mark.needs("root")
def test_a_run_folder_that_cannot_be_written(refused):
    refused(hosts.read_only_run, "step", "host uid", "EROFS", "/run/sbx")


@pytest.mark.parametrize("flags, removing", [(["--collect", "/workspace/*"], "sbx artifacts gc"),
                                             (["--workspace", ".:overlay", "--keep", "diff"], "sbx discard")])
def test_no_room_for_what_is_kept_is_told_with_what_makes_room(sbx, tmp_path, monkeypatch, flags, removing):
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (sbx.cwd / "big").write_bytes(b"x" * (1 << 20))
    words = [sbx.binary, "run", *sbx.degraded, "--workspace", ".:rw", *flags, "--", "cp", "big", "copy"]
    done = subprocess.run(words, cwd=sbx.cwd, capture_output=True, text=True, preexec_fn=hosts.small_state_disk, timeout=60)
    assert done.returncode == 125, done
    [line] = [line for line in done.stderr.splitlines() if "could not be kept" in line]
    assert "(ENOSPC)" in line and removing in line and "XDG_STATE_HOME" in line, done


LACKING_CGROUPS = pytest.mark.parametrize("host", [hosts.empty_cgroup_mount, hosts.read_only_cgroups],
                                          ids=lambda h: h.__name__)


@LACKING_CGROUPS
def test_no_cgroup_is_refused(refused, host):
    done = refused(host, "cgroup", "limits.memory", "limits.pids", "--degrade cgroup", flags=[])
    assert done.result["status"] == "setup_error"


@LACKING_CGROUPS
def test_no_cgroup_is_told_when_it_may_be_missing(on, sbx, host):
    done = on(host, "--degrade", "cgroup")
    done.assert_ok()
    assert started(sbx)
    isolation = done.result["isolation"]
    assert isolation["cgroup"] == "none" and set(isolation["degraded"]) >= {"memory", "pids"}
    assert not set(isolation["degraded"]) & set(isolation["enforced"])
    assert isolation["tier"] != "full"
    assert done.result["memory"]["oom_kills"] is None and done.result["pids"]["peak"] is None
    assert len([line for line in done.err.splitlines() if "degraded" in line]) == 1, done


@LACKING_CGROUPS
def test_memory_without_a_cgroup_is_sampled(on, probe, host):
    done = on(host, "--degrade", "cgroup", *probe.flags, "--memory", "64M", cmd=[probe.path, "memory-bomb", "512"])
    done.assert_status("oom", 137)
    result = done.result
    assert result["reason"]["code"] == "memory_limit" and "no cgroup" in result["reason"]["text"]
    assert "memory" in result["isolation"]["approximate"] and result["memory"]["oom_kills"] is None
    assert result["memory"]["peak_bytes"] > 64 << 20


@LACKING_CGROUPS
def test_sampled_memory_is_looked_at_in_the_grace_as_well(on, host):
    script = "trap 'exec head -c 300M /dev/zero | tail' TERM; echo; while :; do sleep 0.05; done"
    flags = ["--degrade", "cgroup", "--memory", "64M", "--timeout", "1s", "--grace", "30s"]
    done = on(host, *flags, cmd=["bash", "-c", script + "; sleep 60"])
    done.assert_status("timeout", 124)
    assert done.result["memory"]["peak_bytes"] > 64 << 20 and done.result["wall_ms"] < 25000, done


@LACKING_CGROUPS
def test_memory_below_the_limit_is_left_alone(on, probe, host):
    done = on(host, "--degrade", "cgroup", *probe.flags, "--memory", "256M", cmd=[probe.path, "memory-bomb", "64"])
    assert done.status != "oom" and done.result["reason"]["code"] != "memory_limit", done


@LACKING_CGROUPS
def test_processes_without_a_cgroup_are_counted_by_the_rlimit(on, host):
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 60 & all=\"$all $!\"; done; kill $all; echo all"  # all at once, however slow
    allowed = on(host, "--degrade", "cgroup", "--pids", "16", cmd=["sh", "-c", script])
    assert "all" in allowed.out, allowed
    done = on(host, "--degrade", "cgroup", "--pids", "4", cmd=["sh", "-c", script])
    assert done.code != 0 and "fork" in done.err.lower(), done
    assert "pids" in done.result["isolation"]["approximate"]


@LACKING_CGROUPS
def test_cpu_time_without_a_cgroup_is_added_up(on, host):
    spin = "for i in 1 2 3 4; do while :; do :; done & done; wait"
    done = on(host, "--degrade", "cgroup", "--cpu-time", "1s", cmd=["sh", "-c", spin])
    done.assert_status("cpu_limit", 124)
    assert "cpu-time" in done.result["isolation"]["approximate"]
    assert float(done.result["reason"]["observed"].rstrip("s")) >= 1


# One child after the other, each busy for 0.3 s; "ignore": the kernel adds that up for nobody.
CHILDREN = """
import os, signal, sys, time
if sys.argv[1] == "ignore":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        while time.process_time() < 0.3:
            pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""


def cpu_ms(run):
    return run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"]


@LACKING_CGROUPS
@pytest.mark.parametrize("memory", ["none", "512M"])  # which is sampled as well, or not
def test_cpu_time_that_the_kernel_adds_up_for_nobody_is_seen(on, host, memory):
    flags = ["--degrade", "cgroup", "--memory", memory, "--timeout", "none"]
    for how in ("wait", "ignore"):
        done = on(host, *flags, "--cpu-time", "1s", cmd=["/usr/bin/python3", "-c", CHILDREN, how, "20"])
        used = cpu_ms(done.assert_status("cpu_limit", 124))
        assert used >= 1000 and done.result["reason"]["observed"] == f"{used / 1000:.3f}s", (how, done)
        done = on(host, *flags, "--cpu-time", "5s", cmd=["/usr/bin/python3", "-c", CHILDREN, how, "4"])
        assert 800 <= cpu_ms(done.assert_ok()) <= 2400, (how, done)  # each counts, and counts once


@LACKING_CGROUPS
def test_the_doctor_says_what_does_not_hold(sbx, host):
    done = subprocess.run([sbx.binary, "doctor", "--cgroup"], capture_output=True, text=True, preexec_fn=host, timeout=60)
    assert done.returncode == 125 and "do not hold here: limits.memory" in done.stdout, done
    told = subprocess.run([sbx.binary, "doctor", "--json"], capture_output=True, text=True, preexec_fn=host, timeout=60)
    cgroup = json.loads(told.stdout)["cgroup"]
    assert cgroup["taken"] == [] and cgroup["limits"]["memory"] is False, cgroup


@LACKING_CGROUPS
def test_only_what_is_named_may_be_missing(refused, host):
    refused(host, "cgroup", flags=["--degrade", "landlock"])


def test_a_limit_that_is_lifted_needs_no_cgroup(on, sbx):
    done = on(hosts.empty_cgroup_mount, "--memory", "none", "--pids", "none", "--swap", "none")
    done.assert_ok()
    assert done.result["isolation"]["degraded"] == []


def test_too_few_processes(refused):
    refused(hosts.few_processes, "step", "EAGAIN", "process")


def test_any_small_number_of_descriptors(on, sbx):
    """Some limit is large enough; below it, sbx says what it lacks and starts nothing. Three times each: what the
    payload sends arrives when it runs already, and there was a time when there could be no room for it then."""
    enough = None
    for limit in (limit for limit in range(4, 64) for _ in range(3)):
        done = on(hosts.few_files(limit), *sbx.degraded)
        if done.code == 0:
            enough = limit
            break
        assert done.code == 125 and not started(sbx), done
        assert "Too many open files" in done.err and f"only {limit} files" in done.err, done
    assert enough is not None, "63 descriptors are not enough"


# What no run can do without, whatever the plan: each refused as an old kernel (ENOSYS) or a
# container's filter (EPERM) would.
NEEDED = ["clone3", "open_tree", "move_mount", "fsopen", "fsmount", "mount_setattr", "openat2", "pivot_root", "seccomp",
          "sethostname", "capset", "close_range", "setsid", "unshare", "setns"]
ADVISED = {"clone3", "open_tree", "fsopen", "mount_setattr", "openat2", "seccomp", "close_range", "unshare", "setns"}


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS], ids=hosts.name_of)
@pytest.mark.parametrize("call", NEEDED)
def test_a_refused_system_call(on, sbx, call, error):
    done = on(hosts.refusing([call], error), *sbx.degraded)
    assert not started(sbx) and not done.stdout, done
    if call == "openat2":  # looking at the workspace fails first, and says so in words
        done.assert_refused("workspace")
    else:
        done.assert_refused(hosts.name_of(error))
        # close_range comes before there is a plan.
        assert re.match(r"sbx: (--workspace: )?step ", done.err) or call == "close_range", done
    if call in ADVISED:
        assert "\nsbx:   " in done.err, f"no advice\n{done}"


@pytest.mark.parametrize("call", sorted(set(hosts.CALLS) - {"mmap", "clone", "mount"}))
def test_no_refused_call_is_passed_over(on, sbx, call):
    """Either the call was not needed, and everything asked for is there, or the run is refused."""
    whole = on(None, *sbx.degraded)
    (sbx.cwd / "started").unlink()
    done = on(hosts.refusing([call], errno.EACCES), *sbx.degraded, cmd=["sh", "-c", "echo > /workspace/started"])
    if done.code == 125:
        assert done.err.startswith("sbx: ") and not started(sbx), done
        return
    assert started(sbx), done
    lost = set(whole.result["isolation"]["enforced"]) - set(done.result["isolation"]["enforced"])
    assert lost <= ({"landlock"} if call.startswith("landlock") else set()), done


@pytest.mark.needs("signal-scope")
@pytest.mark.parametrize("error, tier", [(errno.EAGAIN, None), (errno.ENOMEM, None), (errno.ENOSYS, "landlock")])
def test_too_little_of_something_is_no_reason_for_a_weaker_tier(on, sbx, error, tier):
    """A neighbour that takes all processes for a moment does not make a host one without namespaces."""
    done = on(hosts.refusing(["clone3"], error), *sbx.degraded, "--degrade", "userns", "--degrade", "idmap")
    if tier:
        assert done.result["isolation"]["tier"] == tier, done
    else:
        done.assert_refused(errno.errorcode[error])
        assert not started(sbx)


def test_landlock_that_is_required_and_missing(refused, on):
    host = hosts.refusing(["landlock_create_ruleset"], errno.ENOSYS)
    refused(host, "landlock", "--degrade landlock", flags=["--landlock", "require", "--degrade", "cgroup"])
    done = on(host, "--landlock", "require", "--degrade", "cgroup", "--degrade", "landlock")
    done.assert_ok()
    assert "landlock" in done.result["isolation"]["degraded"] and done.result["isolation"]["landlock_abi"] == 0


@pytest.mark.needs("landlock")
def test_landlock_by_default_is_used_where_it_is(on, sbx):
    assert on(None, *sbx.degraded).result["isolation"]["landlock_abi"] > 0
    done = on(hosts.refusing(["landlock_create_ruleset"], errno.EOPNOTSUPP), *sbx.degraded)
    assert done.result["isolation"]["landlock_abi"] == 0 and "landlock" not in done.result["isolation"]["enforced"]
