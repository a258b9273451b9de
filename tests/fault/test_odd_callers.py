"""sbx where its caller or a container has set something about processes: it starts and keeps what it promises, or says why."""
import errno
import os
import subprocess
import time

import pytest

from fault import hosts

pytestmark = pytest.mark.needs("userns")


@pytest.fixture
def call(sbx):
    """call(*flags, cmd=..., host=..., before=[...]): sbx run behind other programs, or as they would start it."""

    def run(*flags, cmd=("true",), host=None, before=(), cwd=sbx.cwd):
        words = [*before, sbx.binary, "run", *sbx.degraded, *flags, "--", *cmd]
        return subprocess.run(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              preexec_fn=host, timeout=60)

    return run


@pytest.mark.parametrize("flags", [(), ("--degrade", "userns")])
def test_a_procfs_of_another_pid_namespace_is_refused(call, is_root, flags):
    """There our numbers are those of other processes, whose memory would be counted and whose files opened."""
    own = [] if is_root else ["--user", "--map-current-user", "--keep-caps"]
    done = call(*flags, before=["unshare", *own, "--pid", "--fork"])
    assert done.returncode == 125 and "/proc is of another pid namespace" in done.stderr, done
    assert "--mount-proc" in done.stderr


@pytest.mark.parametrize("flags", [(), ("--degrade", "userns")], ids=["namespaces", "landlock allowed"])
@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS], ids=hosts.name_of)
def test_a_time_limit_holds_where_kill_is_refused(call, flags, error):
    started = time.monotonic()
    done = call("--timeout", "500ms", *flags, cmd=["sleep", "20"], host=hosts.refusing(["kill"], error))
    assert done.returncode == 124 and time.monotonic() - started < 10, done


@pytest.mark.needs("root")
def test_a_tier_that_ends_processes_by_kill_is_refused_without_it(call):
    """Without namespaces init has nothing else, and the answer is not to be taken for Landlock's."""
    host = hosts.refusing(["kill", "clone3"], errno.EPERM)
    done = call("--degrade", "userns", cmd=["sh", "-c", "setsid sleep 20 & sleep 20"], host=host)
    assert done.returncode == 125 and "step" in done.stderr, done


def test_many_descriptors_of_the_callers_take_no_room_of_the_commands(call):
    """They are closed by the exec; until then limits.rlimits.nofile is not in force."""

    limit = ["bash", "-c", 'ulimit -n 4000 && exec "$@"', "bash"]
    done = subprocess.run([*limit, "true"], capture_output=True, check=False)
    assert done.returncode == 0, "this host's hard limit of open files is below 4000"
    before = [*limit, "/usr/bin/python3", "-c",
              "import os, sys\nfor _ in range(1100): os.set_inheritable(os.dup(2), True)\nos.execv(sys.argv[1], sys.argv[1:])"]
    done = call(cmd=["sh", "-c", "ulimit -n; ls /proc/self/fd | wc -l"], before=before)
    assert done.returncode == 0 and done.stdout.split() == ["1024", "4"], done


# Each layer forbids something that no run does: to bind a TCP port (net), to make a character device (fs). Where files
# are handled, nothing can be mounted, so that Landlock is the only wall.
LAYERS = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
attributes = {"net": struct.pack("<QQ", 0, 1), "fs": struct.pack("<QQ", 1 << 6, 0)}[sys.argv[2]]
for _ in range(int(sys.argv[1])):
    ruleset = libc.syscall(444, attributes, 16, 0)
    assert ruleset >= 0 and libc.syscall(446, ruleset, 0) == 0, os.strerror(ctypes.get_errno())
    os.close(ruleset)
os.execv(sys.argv[3], sys.argv[3:])
"""


@pytest.mark.needs("landlock")
@pytest.mark.parametrize("count", [15, 16])
def test_sixteen_layers_of_landlock_are_told_as_that(call, count):
    before = ["/usr/bin/python3", "-c", LAYERS, count, "net"]
    done = call(before=before)
    if count == 15:
        assert done.returncode == 0, done
        return
    assert done.returncode == 125 and "(E2BIG)" in done.stderr, done
    assert "because a process can be inside of 16 Landlock sandboxes (landlock(7)), and around sbx are so many" in done.stderr, done
    assert "start sbx outside of some of them, or go on without the second wall: --landlock off" in done.stderr, done
    assert call("--landlock", "off", before=before).returncode == 0


@pytest.mark.needs("landlock")
@pytest.mark.parametrize("count", [14, 15, 16])
def test_with_landlock_as_the_only_wall_nothing_weaker_is_offered(call, open_folder, count):
    """It takes two layers: one for the tree of processes, one for files."""
    done = call("--degrade", "userns", before=["/usr/bin/python3", "-c", LAYERS, count, "fs"], cwd=open_folder)
    if count == 14:
        assert done.returncode == 0, done
        return
    assert done.returncode == 125 and "(E2BIG)" in done.stderr and "16 Landlock sandboxes" in done.stderr, done
    assert "start sbx outside of some of them\n" in done.stderr and "--landlock off" not in done.stderr, done


def test_a_current_directory_with_too_long_a_path_is_told_as_that(sbx):
    code = "import os, sys\nfor _ in range(25):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\nos.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(["/usr/bin/python3", "-c", code, str(sbx.binary), "run", "--", "true"], cwd=sbx.cwd, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 125, done
    assert "the path of the current directory is longer than the kernel takes (4095 bytes)" in done.stderr, done
    assert "change to a folder with a shorter path" in done.stderr, done


@pytest.mark.needs("root")
def test_a_user_of_the_group_of_root_is_told_what_to_change(call, sbx):
    sbx.cwd.chmod(0o777)
    done = call(before=["setpriv", "--reuid", "12345", "--regid", "0", "--clear-groups", "env", "HOME=/nonexistent", "XDG_RUNTIME_DIR="])
    assert done.returncode == 125 and "your group is root's (0)" in done.stderr and "--regid" in done.stderr, done
    assert "--degrade userns" not in done.stderr


@pytest.mark.needs("root")
@pytest.mark.parametrize("capability", ["CAP_SETUID", "CAP_SETGID", "CAP_CHOWN", "CAP_SYS_ADMIN"])
def test_a_right_that_root_lacks_is_named(call, capability):
    """Docker's root has all of them but CAP_SYS_ADMIN. No lesser tier does without the others: its runs have ids, too."""
    done = call(host=hosts.lacking(capability))
    assert done.returncode == 125 and f"root has no {capability} here" in done.stderr, done
    assert "start sbx as an ordinary user" in done.stderr and "or accept less" not in done.stderr, done
    assert "--degrade idmap" not in done.stderr


@pytest.mark.needs("root")
def test_root_that_cannot_write_a_group_is_not_told_to_be_root(sbx):
    done = subprocess.run([sbx.binary, "run", "--", "true"], cwd=sbx.cwd, capture_output=True, text=True, preexec_fn=hosts.read_only_cgroups)
    assert done.returncode == 125 and "no cgroup" in done.stderr and "start sbx as root" not in done.stderr, done


@pytest.mark.needs("landlock")
def test_another_landlock_sandbox_around_sbx_is_thought_of(call):
    done = call(host=hosts.landlocked)
    assert done.returncode == 125 and "inside a Landlock sandbox, where nothing can be mounted" in done.stderr, done


@pytest.mark.needs("user")  # root's are in /var/lib
def test_without_home_what_is_kept_is_not_told_as_nothing(sbx):
    env = {"PATH": os.environ["PATH"]}
    for words in (["artifacts", "ls"], ["diff"], ["run", *sbx.degraded, "--collect", "/tmp/x", "--", "true"]):
        done = subprocess.run([sbx.binary, *words], cwd=sbx.cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 125 and "HOME is not set to an absolute path\n  set it" in done.stderr.replace("sbx: ", ""), done


def test_a_tree_without_devices_is_told_as_that(call):
    """bwrap --bind / / alone: what it binds is nodev, /dev as well."""
    done = call(before=["bwrap", "--bind", "/", "/"])
    assert done.returncode == 125 and "because /dev is mounted nodev" in done.stderr and "bwrap --dev /dev" in done.stderr, done
    done = call("--degrade", "cgroup", before=["bwrap", "--bind", "/", "/", "--dev", "/dev"])
    assert "nodev" not in done.stderr, done


@pytest.mark.parametrize("call, place, flags", [("newfstatat", "/usr", []), ("newfstatat", "/etc/ssl/certs", []), ("openat", "/usr/lib/jvm", []),
                                                ("getdents64", "ROOT", ["--root", "ROOT"]), ("readlink", "ROOT/bin", ["--root", "ROOT"])])
@pytest.mark.parametrize("error, starts", [("EIO", False), ("ENOMEM", False), ("ENOENT", True)])
def test_what_the_sandbox_shows_and_nobody_can_look_at_is_no_part_that_is_missing(sbx, call, place, flags, error, starts):
    root = sbx.folder / "root"
    for folder in ("usr", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    place = place.replace("ROOT", str(root))
    tracer = ["strace", "-qq", "-o", "/dev/null", "-P", place, "-e", f"trace={call}", "-e", f"inject={call}:error={error}"]
    words = ["run", *sbx.degraded, *[word.replace("ROOT", str(root)) for word in flags], "--", "/nowhere"]
    done = subprocess.run([*tracer, sbx.binary, *words], cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if starts and call != "getdents64":
        assert done.returncode == 127, done
        return
    named = str(root) if flags else place
    assert done.returncode == 125 and named in done.stderr and f"({error})" in done.stderr, done


@pytest.fixture
def from_removed(sbx, tmp_path):
    """from_removed(WORDS...): sbx where its current directory has just been removed."""

    def run(*words):
        script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"'
        return subprocess.run(["sh", "-c", script, "sh", sbx.binary, *map(str, words)], cwd=tmp_path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    return run


@pytest.mark.parametrize("flags", [["--workspace", "none"], ["--workspace", "WORK"], ["--workspace", "WORK:rw"], ["strict"],
                                   ["PROFILE", "--workspace", "none", "--ro", "WORK:/data"], ["--workspace", "none", "--stdin", "FILE"]],
                         ids=" ".join)
def test_a_current_directory_that_was_removed_is_missed_by_nobody_who_needs_none(from_removed, sbx, flags):
    (sbx.cwd / "file").write_text("input\n")
    places = {"PROFILE": sbx.profile("version: 1\n"), "WORK": sbx.cwd, "FILE": sbx.cwd / "file"}
    for name, place in places.items():
        flags = [flag.replace(name, str(place)) for flag in flags]
    done = from_removed("run", *flags, *sbx.degraded, "--", "echo", "started")
    assert done.returncode == 0 and done.stdout == "started\n", done


@pytest.mark.parametrize("flags", [[], ["--workspace", "sub"], ["--ro", "data:/data"], ["--ro", "../data:/data"], ["./p.yaml"],
                                   ["--root", "r"], ["--root", "../../../r"], ["--stdin", "f"], ["--stdin", "../f"], ["--result", "r.json"]], ids=" ".join)
def test_and_what_is_relative_to_it_is_not_found_anywhere_else(from_removed, sbx, tmp_path, flags):
    for name in ("sub", "data", "r"):
        (tmp_path / name).mkdir()
    (tmp_path / "f").write_text("")
    (tmp_path / "p.yaml").write_text("version: 1\n")
    none = [] if not flags or flags[0] == "--workspace" else ["--workspace", "none"]
    done = from_removed("run", *flags, *none, *sbx.degraded, "--", "echo", "started")
    assert done.returncode == 125 and not done.stdout and done.stderr.startswith("sbx: "), done
    if not none:
        assert "the current directory has been removed" in done.stderr, done


@pytest.mark.parametrize("flags", [[], ["--workspace", "sub"]], ids=" ".join)
def test_a_session_has_no_workspace_there(from_removed, tmp_path, flags):
    (tmp_path / "sub").mkdir()
    done = from_removed("mcp", *flags)
    assert done.returncode == 125 and "the current directory has been removed" in done.stderr, done
    assert "/dev/null" not in done.stderr and "--workspace none" in done.stderr, done


def test_verbs_that_need_no_current_directory_do_without(from_removed):
    for words in (["check", "default"], ["explain", "strict"], ["profiles", "ls"], ["profiles", "show", "python"], ["ps"], ["diff"]):
        assert from_removed(*words).returncode == 0, words
