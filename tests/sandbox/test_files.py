"""What the payload sees of the host's files, what it can change, and whose the changes are."""
import os
import pwd
import shutil

import pytest


def sh(sbx, script, *flags, profile=None, **options):
    return sbx.run(profile, flags, ["sh", "-c", script], **options)


# ---- workspace

def test_the_workspace_is_read_only_by_default(sbx):
    (sbx.cwd / "file").write_text("host\n")
    run = sh(sbx, "cat file; echo x > file; echo x > new; rm file; chmod 777 file")
    assert run.out == "host\n" and run.err.lower().count("read-only") == 4, run
    assert os.listdir(sbx.cwd) == ["file"] and (sbx.cwd / "file").read_text() == "host\n"


def test_a_writable_workspace_is_the_callers_folder(sbx):
    (sbx.cwd / "old").write_text("old\n")
    sh(sbx, "cat old; echo new > new; echo more >> old; mkdir d; ln -s x l", "--workspace", ".:rw").assert_ok()
    assert (sbx.cwd / "new").read_text() == "new\n" and (sbx.cwd / "old").read_text() == "old\nmore\n"


@pytest.mark.parametrize("name, place, said", [
    ("out", "/workspace/out", "--rw out:/workspace/out"), ("./out", "/workspace/out", "--rw ./out:/workspace/out"),
    (".", "/workspace", "--workspace .:rw"),
])
def test_who_makes_a_part_of_the_workspace_writable_elsewhere_is_told_the_place(sbx, name, place, said):
    (sbx.cwd / "out").mkdir()
    run = sh(sbx, f"touch {place}/new", "--rw", name)
    assert "Read-only" in run.err and f"and not at {place}: for that, write {said}\n" in run.err, run
    run = sh(sbx, f"touch {place}/new", *said.split()).assert_ok()
    assert "warning" not in run.err, run


def test_where_a_writable_place_is_no_surprise_nothing_is_told(sbx):
    (sbx.cwd / "out").mkdir()
    (sbx.folder / "aside").mkdir()
    for flags in (["--rw", sbx.cwd / "out"], ["--ro", "out"], ["--workspace", ".:rw", "--rw", "out"], ["--rw", "../aside"],
                  ["--workspace", "none", "--rw", "out"], ["--set", f"workspace.at={sbx.cwd}", "--rw", "out"]):
        run = sbx.call("explain", *sbx.degraded, *flags, "--", "true")
        assert run.code == 0 and "can be written to at" not in run.out + run.err, run
    run = sbx.call("explain", *sbx.degraded, "--rw", "out", "--", "true")
    assert "can be written to at" in run.out + run.err, run  # the control


def test_what_is_made_there_belongs_to_the_folders_owner(sbx):
    sh(sbx, "touch f; mkdir d; touch d/g; ln -s f l", "--workspace", ".:rw").assert_ok()
    owner = os.stat(sbx.cwd)
    for path in ("f", "d", "d/g", "l"):
        made = os.lstat(sbx.cwd / path)
        assert (made.st_uid, made.st_gid) == (owner.st_uid, owner.st_gid), path


@pytest.mark.needs("root")
def test_a_folder_of_another_users_stays_that_users(sbx):
    os.chown(sbx.cwd, 12345, 23456)
    (sbx.cwd / "theirs").write_text("")
    os.chown(sbx.cwd / "theirs", 12345, 23456)
    (sbx.cwd / "roots").write_text("")
    run = sh(sbx, "touch mine; stat -c %u:%g mine theirs roots; echo x > theirs && echo x > roots", "--workspace", ".:rw")
    assert run.out.split()[:2] == ["1000:1000", "1000:1000"] and run.out.split()[2] != "1000:1000"
    assert run.code != 0 and "Permission denied" in run.err  # root's file is nobody's inside
    made = os.stat(sbx.cwd / "mine")
    assert (made.st_uid, made.st_gid) == (12345, 23456)


def test_without_a_workspace_there_is_none(sbx):
    (sbx.cwd / "file").write_text("")
    run = sh(sbx, "pwd; ls -A /workspace", "--workspace", "none")
    assert run.out == "/\n" and run.code != 0


def test_an_overlay_keeps_the_host_as_it_was(sbx):
    (sbx.cwd / "file").write_text("host\n")
    (sbx.cwd / "gone").write_text("")
    (sbx.cwd / "folder").mkdir()
    run = sh(sbx, "echo inside > file; rm gone; rmdir folder; mkdir -p a/b; mv file moved; cat moved; ls",
             "--workspace", ".:overlay").assert_ok()
    assert run.out == "inside\na\nmoved\n"
    assert sorted(os.listdir(sbx.cwd)) == ["file", "folder", "gone"] and (sbx.cwd / "file").read_text() == "host\n"


def test_an_overlay_is_bounded(sbx):
    run = sh(sbx, "head -c 30M /dev/zero > big", profile={"version": 1, "workspace": {"mode": "overlay", "size": "8M"}})
    assert run.code != 0 and "No space left" in run.err, run


def test_the_layers_of_an_overlay_cannot_be_reached(sbx):
    (sbx.cwd / "file").write_text("")
    run = sh(sbx, "find / -xdev -path '*sbx*' ! -type d; find /.sbx -name file -o -name upper -o -name work; "
                  "touch /.sbx/workspace/x", "--workspace", ".:overlay")
    assert not run.out and "Read-only" in run.err, run


def test_home_is_not_shown_by_itself(sbx):
    home = os.path.expanduser("~")
    run = sh(sbx, "pwd; ls -A", cwd=home)
    if run.code == 125:
        pytest.fail(f"a home directory is no reason to refuse\n{run}")
    assert run.out == "/workspace\n" and "--workspace" in run.err


def shows_nothing_of(sbx, folder, home):
    """`home`: what $HOME is; None: there is no such variable."""
    around = sbx.around
    sbx.around = lambda cwd: ["env", "-u", "HOME", *around(cwd)] if home is None else around(cwd)
    run = sh(sbx, "pwd; ls -A", cwd=folder, env={} if home is None else {"HOME": home}).assert_ok()
    assert run.out == "/workspace\n" and "warning: the current directory" in run.err, run


@pytest.mark.parametrize("form", ["{0}/link", "{0}/./home", "{0}/home/", "{0}//home", "{0}/link/../home"])
def test_home_is_home_however_it_is_written(sbx, open_folder, form):
    home = sbx.folder / "home"
    (home / "project").mkdir(parents=True)
    (home / "private").write_text("")
    (sbx.folder / "link").symlink_to(home)
    written = form.format(sbx.folder)
    for folder in (home, sbx.folder):
        shows_nothing_of(sbx, folder, written)
    run = sh(sbx, "ls -A", cwd=home / "project", env={"HOME": written}).assert_ok()
    assert run.out == "" and "warning" not in run.err, run


@pytest.mark.parametrize("home", [None, "", "relative", "/nonexistent"])
def test_the_home_of_the_account_is_home_whatever_the_environment_says(sbx, home):
    account = pwd.getpwuid(os.geteuid())
    for folder in (account.pw_dir, os.path.dirname(account.pw_dir)):
        shows_nothing_of(sbx, folder, home)


@pytest.mark.needs("user", "overlay")
def test_an_overlay_works_for_an_ordinary_user(sbx):
    sh(sbx, "echo x > f", "--workspace", ".:overlay").assert_ok()


# ---- mounts

def test_what_is_bound_is_read_only_unless_it_is_said(sbx):
    data, out = sbx.folder / "data", sbx.folder / "out"
    data.mkdir(), out.mkdir()
    (data / "f").write_text("data\n")
    run = sh(sbx, "cat /data/f; echo x > /out/made; echo x > /data/f", "--ro", f"{data}:/data", "--rw", f"{out}:/out")
    assert run.out == "data\n" and "Read-only" in run.err and (out / "made").read_text() == "x\n"
    assert (data / "f").read_text() == "data\n"


def test_relative_sources_start_at_the_profile_and_at_the_caller(sbx):
    (sbx.folder / "beside").mkdir()
    (sbx.folder / "beside" / "f").write_text("profile's\n")
    (sbx.cwd / "f").write_text("caller's\n")
    run = sh(sbx, "cat /a/f /b", "--ro", "./f:/b", profile={"version": 1, "mounts": [{"bind": "./beside", "at": "/a"}]})
    assert run.assert_ok().out == "profile's\ncaller's\n"


def test_the_same_relative_source_means_another_file_in_each_folder(sbx):
    for folder in (sbx.folder / "team", sbx.folder, sbx.cwd):
        folder.mkdir(exist_ok=True)
        (folder / "f").write_text(f"of {folder.name}\n")
    (sbx.folder / "team" / "base.yaml").write_text("version: 1\nmounts: [./f:/base, {copy: ./f, at: /tmp/copy}]\n")
    profile = {"version": 1, "extends": ["./team/base.yaml"],
               "mounts": ["./f:/own", {"bind": ".", "at": "/folder"}, {"bind": "gone", "at": "/gone", "optional": True}]}
    (sbx.cwd / "gone").write_text("here\n")
    run = sh(sbx, "cat /base /tmp/copy /own /folder/f /flag f /here; ls /gone",
             "--ro", "./f:/flag", "--ro", "./gone:/here", profile=profile)
    expected = ["team", "team", sbx.folder.name, sbx.folder.name, sbx.cwd.name, sbx.cwd.name]
    assert run.out == "".join(f"of {name}\n" for name in expected) + "here\n", run
    assert run.code == 2 and "/gone" in run.err, run


def test_a_single_file_can_be_bound(sbx):
    (sbx.cwd / "f").write_text("one\n")
    run = sh(sbx, "cat /etc/one.conf; echo x >> /etc/one.conf", "--ro", "./f:/etc/one.conf")
    assert run.out == "one\n" and "Read-only" in run.err


def test_a_missing_source_is_refused_unless_it_is_optional(sbx):
    sh(sbx, "true", "--ro", "/nonexistent:/x").assert_refused("/nonexistent")
    profile = {"version": 1, "mounts": [{"bind": "/nonexistent", "at": "/x", "optional": True}]}
    assert sh(sbx, "ls /x", profile=profile).code != 0
    sh(sbx, "true", profile=profile).assert_ok()


def test_a_tmpfs_is_writable_and_its_size_holds(sbx):
    run = sh(sbx, "echo x > /scratch/f; head -c 5M /dev/zero > /scratch/big; df -k --output=size /scratch | tail -1",
             "--tmpfs", "/scratch:2M")
    assert "No space left" in run.err and run.out.strip() == "2048", run


def test_a_tmpfs_bounds_its_files_and_executes_nothing_when_asked(sbx):
    profile = {"version": 1, "mounts": [{"tmpfs": "/s", "size": "4M", "inodes": 50, "exec": False}]}
    script = "i=0; while [ $i -lt 100 ]; do true > /s/$i || break; i=$((i+1)); done; ls /s | wc -l; " \
             "cp /usr/bin/true /s/0; chmod +x /s/0; /s/0"
    run = sh(sbx, script, profile=profile)
    assert int(run.out) < 51 and "Permission denied" in run.err and run.code == 126, run


def test_tmp_and_shm_are_fresh_writable_and_executable(sbx):
    run = sh(sbx, "ls -A /tmp /dev/shm; cp /usr/bin/true /tmp/t && /tmp/t && touch /dev/shm/x && echo fine").assert_ok()
    assert run.out.endswith("fine\n") and run.out.count("\n") <= 4


def test_a_file_has_its_content_and_permissions(sbx):
    profile = {"version": 1, "mounts": [{"file": "/etc/app.ini", "content": "a=1\nü\n", "perm": "0440"},
                                        {"file": "/opt/deep/er/file", "content": ""}]}
    run = sh(sbx, "cat /etc/app.ini; stat -c %a /etc/app.ini /opt/deep/er/file; echo x > /etc/app.ini", profile=profile)
    assert run.out == "a=1\nü\n440\n444\n" and "ead-only" in run.err, run


def test_a_file_in_scratch_is_read_only_and_stays_where_it_is(sbx):
    """The control is the folder that the file is in: that is the command's."""
    script = ("chmod 644 q; echo evil > q; rm -f q; mv ../e ../f; mv /tmp/d /tmp/x; cat /tmp/d/e/q; "
              "touch new && mv new /tmp/d/e/newer && rm newer && echo; stat -c %a q")
    for place, flags in (("/tmp/d/e", []), ("/tmp/d/e", ["--tmpfs", "/tmp"]), ("/tmp/d/e", ["--tmpfs", "/tmp/d"])):
        run = sbx.run(flags=[*flags, "--file", f"{place}/q=ours"], cmd=["sh", "-c", f"cd {place}; {script}"])
        assert run.out == "ours\n444\n", run
        assert len(run.err.splitlines()) == 5, run
    why = sbx.call("explain", "--file", "/tmp/q=ours", "--why", "path:/tmp/q", "--", "true")
    assert "read, not written" in why.out, why


def test_what_is_mounted_in_scratch_stays_where_it_is(sbx):
    (sbx.cwd / "input").write_text("ours\n")
    script = "mv /tmp/d /tmp/x; mkdir -p /tmp/d; echo evil > /tmp/d/q; cat /tmp/d/q; touch /tmp/d/other /tmp/other"
    run = sbx.run(flags=["--ro", "./input:/tmp/d/q"], cmd=["sh", "-c", script])
    assert run.out == "ours\n" and run.code == 0 and len(run.err.splitlines()) == 2, run


def test_a_copy_in_scratch_is_the_commands_with_the_folders_above_it(sbx):
    (sbx.cwd / "input").write_text("mine\n")
    run = sbx.run(flags=["--copy-in", "./input:/tmp/d/e/copy"], cmd=["sh", "-c", "mv /tmp/d /tmp/x && ln /tmp/x/e/copy /tmp/y && rm -r /tmp/x && cat /tmp/y"])
    assert run.assert_ok().out == "mine\n"


def test_a_file_stands_in_for_one_of_the_sandboxs_own(sbx):
    run = sbx.run(flags=["--file", "/etc/hosts=192.0.2.1 here\n"], cmd=["sh", "-c", "cat /etc/hosts; getent hosts here; echo > /etc/hosts"])
    assert run.code == 2 and run.out.splitlines()[0] == "192.0.2.1 here" and len(run.out.splitlines()) == 2, run
    sbx.run(flags=["--file", "/etc=x"], cmd=["true"]).assert_refused("/etc", "EEXIST", "something else is at that place")


def test_a_file_can_stand_in_for_one_of_the_workspace(sbx):
    (sbx.cwd / "config").write_text("the host's\n")
    run = sh(sbx, "cat config", profile={"version": 1, "mounts": [{"file": "/workspace/config", "content": "ours\n"}]})
    assert run.assert_ok().out == "ours\n" and (sbx.cwd / "config").read_text() == "the host's\n"


def test_mounts_inside_mounts(sbx):
    outer, inner = sbx.folder / "outer", sbx.folder / "inner"
    (outer / "in").mkdir(parents=True), inner.mkdir()
    (inner / "f").write_text("inner\n")
    run = sh(sbx, "cat /o/in/f; touch /o/x; touch /o/in/x", "--rw", f"{inner}:/o/in", "--ro", f"{outer}:/o")
    assert run.out == "inner\n" and run.err.count("Read-only") == 1 and (inner / "x").exists(), run


@pytest.mark.needs("root")
def test_set_user_id_programs_of_the_host_gain_nothing(sbx):
    tools = sbx.folder / "tools"
    tools.mkdir()
    shutil.copy("/usr/bin/id", tools / "id")
    os.chmod(tools / "id", 0o6755)
    run = sh(sbx, "/tools/id -u; grep ' /tools ' /proc/mounts", "--ro", f"{tools}:/tools").assert_ok()
    assert run.out.startswith("1000\n") and "nosuid" in run.out and "nodev" in run.out


def test_a_hundred_binds_are_all_there(sbx):
    """Started by root each travels to init in a message of its own, more than the socket holds at once."""
    flags = []
    for number in range(100):
        folder = sbx.cwd / f"bound-{number}"
        folder.mkdir()
        (folder / "name").write_text(f"{number}\n")
        flags += ["--ro", f"{folder}:/data/{number}"]
    run = sbx.run(flags=flags, cmd=["sh", "-c", "for i in $(seq 0 99); do read name < /data/$i/name; "
                                                "[ $name = $i ] || echo \"$i is $name\"; done; echo all"]).assert_ok()
    assert run.out == "all\n"
