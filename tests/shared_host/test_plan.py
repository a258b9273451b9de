"""Tier `landlock`: what of a profile it keeps, and what it refuses by name."""
import json
import os

import pytest

from support import bed
from support.batch import Batch

pytestmark = pytest.mark.needs("signal-scope")

ROOT = os.geteuid() == 0


@pytest.mark.parametrize("flags,key", [
    (["--mask", "/workspace/x"], "mask (--mask)"),
    (["--collect", "/workspace/out/**"], "artifacts.collect (--collect)"),
    (["--workspace", ".:overlay"], "workspace.mode (--workspace)"),
    (["--set", "workspace.at=/data"], "workspace.at (--set workspace.at"),
    (["--ro", "/usr/share:/data"], "mounts[0] (--ro)"),
    (["--tmpfs", "/scratch"], "mounts[0] (--tmpfs)"),
    (["--allow", "example.org:443"], "network (--allow"),
    (["--set", "namespaces.time.monotonic=1h"], "namespaces.time (--set namespaces.time"),
    (["--set", "capabilities=[cap_chown]"], "capabilities (--set capabilities"),
    (["--set", "user.uid=0"], "user.uid (--set user.uid"),
    (["--landlock", "off"], "landlock (--landlock)"),
])
def test_what_only_namespaces_give_is_refused_by_name(shared, flags, key):
    run = shared.run(flags=flags, cmd=["echo", "begun"])
    run.assert_refused("this host refuses what a sandbox is made of", "tier landlock", key)
    assert "begun" not in run.out and len(run.err.splitlines()) <= 6, run


def test_a_file_of_the_profile_has_its_line(shared):
    profile = shared.profile("version: 1\nmounts:\n  - {file: /etc/app.ini, content: x}\n")
    run = shared.run(profile, cmd=["true"])
    run.assert_refused(f"mounts[0] ({profile}:3:5)")


def test_files_of_a_job_are_refused_as_what_they_are(shared):
    run = Batch(shared).call([{"argv": ["cat", "a"], "files": {"a": "1", "b": "2"}}])
    assert run.code == 125 and "has no files of the job\n" in run.err and "mounts" not in run.err, run


def test_nothing_is_read_only_inside_of_what_is_writable(shared, tmp_path):
    """Rules of Landlock add up."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    profile = shared.profile(f"version: 1\ndegrade: [idmap]\nmounts:\n  - {{bind: {inner.parent}, at: {inner.parent}, mode: rw}}\n"
                             f"  - {{bind: {inner}, at: {inner}}}\n")
    shared.run(profile, cmd=["true"]).assert_refused("mounts[1]")
    # The workspace is one of both.
    run = shared.run(flags=["--degrade", "idmap", "--workspace", f"{inner.parent}:rw", "--ro", str(inner)], cmd=["true"])
    run.assert_refused("mounts[0]")
    run = shared.run(flags=["--degrade", "idmap", "--workspace", str(inner), "--rw", str(inner.parent)], cmd=["true"])
    run.assert_refused("workspace.mode")
    shared.run(flags=["--degrade", "idmap", "--workspace", f"{inner.parent}:rw", "--rw", str(inner)], cmd=["true"]).assert_ok()


@pytest.mark.skipif("userns" in bed.LACKS, reason="for another kind of bed: one with user namespaces")  # to mount it
@pytest.mark.parametrize("flags, key", [(["--workspace", "."], "workspace.source"), (["--workspace", "none", "--ro", "{}"], "mounts[0]")])
def test_no_second_procfs_is_shown(shared, monkeypatch, flags, key):
    """Below a folder that may be read nothing can be hidden. The control: its neighbour is shown."""
    (shared.cwd / "chroot/proc").mkdir(parents=True)
    (shared.cwd / "other").mkdir()
    own = [] if ROOT else ["--user", "--map-current-user", "--keep-caps"]
    script = 'mount --rbind /proc chroot/proc && test -e chroot/proc/1/status && exec "$@"'
    monkeypatch.setattr(shared, "around", lambda cwd: ["unshare", *own, "--mount", "--propagation", "private", "sh", "-c", script, "sh"])
    run = shared.run(flags=[flag.format(shared.cwd) for flag in flags], cmd=["cat", "chroot/proc/1/status"])
    run.assert_refused(key, f"{shared.cwd}/chroot/proc", "the processes of the host")
    shared.run(flags=["--workspace", "other"], cmd=["true"]).assert_ok()


@pytest.mark.needs("cgroup")
def test_cgroups_of_the_host_are_not_writable(shared):
    flags = ["--degrade", "idmap", "--rw"]
    shared.run(flags=[*flags, "/sys"], cmd=["true"]).assert_refused("mounts[0]", "/sys/fs/cgroup", "which could be written to")
    shared.run(flags=[*flags, "/sys/fs/cgroup"], cmd=["true"]).assert_refused("cgroup")
    shared.run(flags=["--ro", "/sys"], cmd=["ls", "/sys/fs/cgroup"]).assert_ok()


def test_private_folders_of_others_are_not_shown(shared):
    inside = shared.cwd / "tmp"
    inside.mkdir()
    inside.chmod(0o1777)
    options = {"env": {"TMPDIR": str(inside)}}
    run = shared.run(cmd=["sh", "-c", "pwd; echo $HOME"], **options).assert_ok()
    assert "is not shown" in run.err and len(set(run.out.split())) == 1, run
    run = shared.run(flags=["--workspace", "."], cmd=["true"], **options)
    run.assert_refused("workspace.source", "contains the folder for temporary files", "set TMPDIR")


def test_the_workspace_is_where_it_is(shared, tmp_path):
    (shared.cwd / "file").write_text("here\n")
    run = shared.run(cmd=["sh", "-c", "pwd; cat file; : > new"])
    assert run.out == f"{shared.cwd}\nhere\n" and "Permission denied" in run.err, run
    inner = shared.cwd / "inner"
    inner.mkdir()
    run = shared.run(flags=["--workdir", "/workspace/inner"], cmd=["pwd"]).assert_ok()
    assert run.out == f"{inner}\n"


def test_a_writable_workspace(shared, tmp_path):
    flags = ["--workspace", ".:rw"]
    if ROOT:
        shared.run(flags=flags, cmd=["true"]).assert_refused("--degrade idmap", "started by root")
        flags += ["--degrade", "idmap"]
        shared.cwd.chmod(0o777)
    shared.run(flags=flags, cmd=["sh", "-c", "echo made > file"]).assert_ok()
    assert (shared.cwd / "file").read_text() == "made\n"


def test_a_mount_at_its_own_place(shared, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    (folder / "file").write_text("data\n")
    run = shared.run(flags=["--ro", str(folder)], cmd=["sh", "-c", f"cat {folder}/file; : > {folder}/new"])
    assert run.out == "data\n" and "Permission denied" in run.err, run


@pytest.fixture
def closed(tmp_path):
    """A folder of root's, which the command's user cannot enter to get at what is in it."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o700)
    (folder / "inner").mkdir()
    return folder


@pytest.mark.needs("root")
def test_what_the_commands_user_cannot_reach_is_named(shared, closed):
    run = shared.run(flags=["--ro", str(closed / "inner")], cmd=["true"])
    run.assert_refused(f"allow {closed}/inner by Landlock", "the command's user cannot reach it")
    assert "because" not in run.err
    shared.cwd.chmod(0o700)
    shared.run(cmd=["true"]).assert_refused(str(shared.cwd), "open it to others")


@pytest.mark.parametrize("profile", ["default", "strict", "python", "shell"])
def test_the_built_in_profiles(shared, profile):
    flags = ["--set", "landlock=auto"] if profile == "strict" else []
    run = shared.run(profile, flags=flags, cmd=["python3" if profile == "python" else "/bin/sh", "-c", "print(6*7)" if
                                                profile == "python" else "echo 42"], env={"PATH": "/usr/bin:/bin"})
    assert run.assert_ok().out == "42\n", run


@pytest.mark.parametrize("question,verdict,words", [
    ("path:/usr/bin/env", "partly", "it can be read, not written"),
    ("path:/home", "denied", "it cannot be opened"),
    ("path:/dev/null", "allowed", "it can be used"),
    ("host:example.org:443", "denied", "no socket"),
    ("host:localhost:80", "denied", "no socket"),
    ("syscall:shmget", "denied", "ENOSYS"),
    ("syscall:socket", "denied", "no socket"),
    ("syscall:read", "allowed", "the call goes through"),
])
def test_why(shared, question, verdict, words):
    run = shared.call("explain", *shared.degraded, "--why", question, "--", "true")
    assert run.code == 0 and run.out.startswith(f"{question}: {verdict}") and words in run.out, run


def why(shared, question, *flags):
    run = shared.call("explain", *shared.degraded, *flags, "--json", "--why", question, "--", "true")
    assert run.code == 0, run
    return json.loads(run.out)


def writing(line):
    """Root's command is another user, who needs one more line."""
    return (None, f"started by root it takes two lines:  {line}  and  degrade: [idmap]") if ROOT else (line, None)


def test_why_of_the_workspace_where_it_is(shared):
    (shared.cwd / "file").write_text("here\n")
    (shared.cwd / "data").mkdir()
    for path in (shared.cwd, shared.cwd / "file", shared.cwd / "new"):
        answer = why(shared, f"path:{path}")
        assert answer["key"] == "workspace.mode" and (answer["allow_with"], answer["hint"]) == writing("workspace: {mode: rw}"), answer
        answer = why(shared, f"path:{path}", "--set", "workspace.mode=rw", "--degrade", "idmap")
        assert answer["verdict"] == "allowed" and answer["origin"] == "--set workspace.mode", answer
    answer = why(shared, "path:/workspace/file")
    assert answer["verdict"] == "denied" and str(shared.cwd / "file") in answer["hint"] and not answer["allow_with"], answer
    inner = shared.cwd / "data"
    answer = why(shared, f"path:{shared.cwd}", "--ro", str(inner))
    assert "once mounts[0]" in answer["hint"] and not answer["allow_with"], answer
    answer = why(shared, f"path:{inner}", "--ro", str(inner))
    assert (answer["key"], answer["hint"]) == ("mounts[0]", "write mode: rw in that entry"), answer
    assert answer["origin"] == "--ro", answer


@pytest.mark.parametrize("path,line", [
    ("/etc/passwd", "mounts: [{bind: /etc/passwd, at: /etc/passwd}]"),
    ("/dev/full", None),
    ("/dev/tty", "devices: [tty]"),
    ("/proc/meminfo", None),
    ("/proc/mounts", None),
])
def test_a_line_that_why_gives_is_one_that_a_run_takes(shared, path, line):
    answer = why(shared, f"path:{path}")
    assert answer["allow_with"] == line, answer
    if line is not None:
        profile = shared.profile(f"version: 1\n{line}\n")
        shared.run(profile, cmd=["true"]).assert_ok()
        again = why(shared, f"path:{path}", "--set", line.replace(": ", "=", 1))
        assert again["verdict"] != "denied" and again["key"] in ("mounts[0]", "devices"), again


def test_why_of_the_folder_with_private_ones_gives_no_line(shared, place):
    run = shared.call("explain", *shared.degraded, "--json", "--why", f"path:{place}", "--", "true", env={"TMPDIR": str(place)})
    answer = json.loads(run.out)
    assert answer["verdict"] == "denied" and not answer["allow_with"], answer


def test_why_follows_the_hosts_links(shared, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("/usr/bin/env")
    answer = why(shared, f"path:{link}")
    assert answer["verdict"] == "partly" and "it leads to" in answer["text"], answer


@pytest.mark.needs("root")
def test_what_is_refused_has_the_line_that_asked_for_it(shared, closed):
    profile = shared.profile(f"version: 1\ndegrade: [userns]\nmounts:\n  - {{bind: {closed}/inner, at: {closed}/inner}}\n")
    shared.run(profile, cmd=["true"]).assert_refused(f"{profile}:4:5: step")


def test_explain_names_every_rule(shared):
    run = shared.call("explain", *shared.degraded, "--", "true")
    for words in ("in the namespaces that sbx is in", "signals reach only the tree", "; no TCP", "make the private folder"):
        assert words in run.out, run
    assert "new root" not in run.out


def test_learn_needs_namespaces(shared, tmp_path):
    run = shared.call("learn", "-o", str(tmp_path / "out.yaml"), *shared.degraded, "--", "true")
    assert run.code == 125 and "new namespaces" in run.err and not (tmp_path / "out.yaml").exists(), run
    assert "--degrade" not in run.err, run  # which it has, and which does not help
