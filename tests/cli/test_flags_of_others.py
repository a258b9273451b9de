"""Flags that docker, bubblewrap, nsjail, firejail, isolate, systemd-run and others have: what is told to who tries them."""
import re

import pytest

LEAVE = "leave it out"


@pytest.mark.parametrize("flag, said", [
    ("--rm", LEAVE), ("--die-with-parent", "setpriv --pdeathsig TERM sbx run"), ("--init", LEAVE), ("--read-only", LEAVE), ("--cap-drop", LEAVE),
    ("--unshare-net", LEAVE), ("--cg", LEAVE), ("-i", "standard input: " + LEAVE),
    ("-p", "did you mean --publish?"), ("--box-id", "gives a run its id"), ("--unit", "did you mean --name?"), ("-d", "put & behind it"),
    ("--gpus", "--device gpu"), ("--mqueue", "--device mqueue"), ("--entrypoint", "the words after --"),
    ("--overlay", "--workspace DIR:overlay"), ("-o", "CMD >FILE"), ("--profile", "sbx run PROFILE -- CMD"),
    ("--cap-add", "did you mean --cap?"), ("--memory-swap", "did you mean --swap?"), ("--ulimit", "did you mean --rlimit?"),
    ("--wall-time", "did you mean --timeout?"), ("--meta", "did you mean --result?"), ("--dev-bind", "--device NAME"),
    ("--overlay-src", "--workspace DIR:overlay"), ("--dir", "--tmpfs DST"), ("--unsetenv", LEAVE),
    ("--rlimit-nofile", "did you mean --rlimit?"), ("--rlimit_fsize", "did you mean --rlimit?"),
    ("--whitelist", "did you mean --ro?"), ("--blacklist", "did you mean --mask?"), ("--setenv", "did you mean --env?"),
    ("--seccomp.keep", "did you mean --seccomp-allow?"), ("--seccomp.drop", "did you mean --seccomp-deny?"), ("--caps.keep", "did you mean --cap?"),
    ("--rlimit_core", "did you mean --rlimit?"), ("--rlimit-sigpending", "did you mean --rlimit?"), ("--net-allow", "did you mean --allow?"),
    ("--pid", "namespaces of its own"), ("--userns", "namespaces of its own"), ("--cg-timing", LEAVE), ("--size", "--tmpfs DST:SIZE"),
    ("--trace", "sbx learn -o OUT -- CMD"), ("--stderr-to-stdout", "2>&1"), ("--property", "--memory"), ("--keep-fd", "0, 1 and 2"),
    ("--deny", "--set network.deny=VALUE"), ("--on-leak", "--set on_leak=VALUE"),
])
def test_what_it_is_called_here_is_told(sbx, flag, said):
    run = sbx.call("run", flag, "x", "--", "true")
    run.assert_refused(said)
    assert "--help" not in run.err or "did you mean" in run.err


@pytest.mark.parametrize("flag", ["--seed", "--nice", "--dns", "--wait-for", "--join"])
def test_no_likeness_is_made_up(sbx, flag):
    run = sbx.call("run", flag, "x", "--", "true")
    run.assert_refused(f"unknown flag {flag}", "all flags: sbx run --help")
    assert "did you mean" not in run.err, run


def test_it_is_told_to_who_may_give_such_flags(sbx):
    run = sbx.call("ps", "--rm")
    run.assert_refused("unknown flag --rm", "all flags: sbx ps --help")
    assert LEAVE not in run.err
    run = sbx.call("run", "--output", "x", "--", "true")
    run.assert_refused("has no flag --output, which is one of `sbx batch`")
    assert "limits.output" not in run.err, run


def test_a_line_of_docker_is_answered_at_once(sbx):
    run = sbx.call("run", "--rm", "-v", "/data:/data", "-w", "/data", "-e", "A=b", "image", "true")
    run.assert_refused("unknown flag --rm", LEAVE, "-v; did you mean --ro?", "-w; did you mean --workdir?", "-e; did you mean --env?")
    assert run.err.count("all flags") == 1, run


@pytest.mark.parametrize("flag, entries", [
    ("--seccomp-allow", ["mount", "@io"]), ("--seccomp-deny", ["mount", "umount2"]), ("--cap", ["chown", "net_raw"]),
    ("--degrade", ["cgroup", "idmap"]), ("--tool", ["python3", "node"]), ("--publish", ["8080:80", "8081:81"]), ("--env", ["A", "B"]),
    ("--rlimit", ["nofile=64", "core=0"]), ("--time-offset", ["monotonic=1s", "boottime=1s"]),
])
def test_a_list_with_commas_is_told_how_to_be_written(sbx, flag, entries):
    run = sbx.call("run", flag, ",".join(entries), "--", "true")
    run.assert_refused(f"{flag}: '{','.join(entries)}' is a list", " ".join(f"{flag} {entry}" for entry in entries))
    assert "unknown" not in run.err, run


def test_where_commas_belong_to_an_entry_they_stay(sbx):
    run = sbx.call("explain", *sbx.degraded, "--env", "A=1,2", "--mask", "/usr/share/a,b", "--file", "/etc/a,b=c,d", "--", "true")
    assert run.code == 0 and "/usr/share/a,b" in run.out and "/etc/a,b" in run.out, run


def test_a_line_of_bubblewrap_is_answered_flag_by_flag(sbx):
    """What follows a flag that we do not know may be its value, and is no command yet."""
    run = sbx.call("run", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--proc", "/proc", "--perms", "0700", "bash")
    run.assert_refused("--ro-bind; did you mean --ro?", "unknown flag --symlink", "unknown flag --proc", "unknown flag --perms")
    assert "unexpected argument" not in run.err, run


@pytest.mark.parametrize("flag, written, said", [
    ("--ro", "/usr:/data:rw", "write --rw /usr:/data"), ("--rw", "/usr:/data:ro", "write --ro /usr:/data"),
    ("--ro", "/usr:/data:ro,Z", "leave it out: --ro /usr:/data"), ("--copy-in", "/usr:/tmp/data:ro", "leave it out: --copy-in /usr:/tmp/data"),
])
def test_dockers_mode_behind_a_place_is_no_part_of_its_name(sbx, flag, written, said):
    sbx.call("run", *sbx.degraded, flag, written, "--", "true").assert_refused(said)


def test_short_flags_behind_a_command_are_the_commands(sbx):
    for words in (["sed", "-e", "p"], ["grep", "-v", "x"], ["grep", "-R", "x"]):
        sbx.call("run", *words).assert_refused(f"unexpected argument {words[1]}", "sbx run -- " + " ".join(words))


def test_a_place_that_is_a_word_of_its_own(sbx):
    """`--ro-bind A B` is two words elsewhere."""
    (sbx.cwd / "other").write_text("version: 1\nnetwrk: none\n")
    one = "SRC:DST is one word: "
    for flag in ("--ro", "--rw"):
        sbx.call("run", flag, "/usr", "/x", "--", "true").assert_refused(f"{one}{flag} /usr:/x", "/x: cannot read this profile")
        sbx.call("run", flag, "data", "/etc/passwd", "--", "true").assert_refused(f"{one}{flag} data:/etc/passwd")
        sbx.call("explain", flag, "/usr", "/x").assert_refused(f"{one}{flag} /usr:/x")
        sbx.call("run", "default", flag, "/usr", "/x", "--", "true").assert_refused("unexpected argument /x", f"{one}{flag} /usr:/x")
        sbx.call("run", flag, "/usr", "/x", "true").assert_refused(f"{one}{flag} /usr:/x")
    for words in (["--ro", "/usr", "/none.yaml"], ["--ro", "/usr:/x", "/x"], ["--workdir", "/usr", "/x"], ["--ro", "/usr", "pyton"],
                  ["--ro", "/usr", "--workdir", "/tmp", sbx.cwd / "other"]):
        run = sbx.call("run", *words, "--", "true")
        assert run.code == 125 and one not in run.err, run


@pytest.mark.parametrize("words, whole", [
    (["--tmpfs", "/x", "64M"], "DST:SIZE is one word: --tmpfs /x:64M"), (["--tmpfs=/x", "64M"], "--tmpfs /x:64M"),
    (["--ro=/usr", "/x"], "SRC:DST is one word: --ro /usr:/x"), (["--memory", "64", "M"], "SIZE is one word: --memory 64M"),
    (["--timeout=10", "s"], "DURATION is one word: --timeout 10s"), (["--workspace", ".", "rw"], "DIR:MODE is one word: --workspace .:rw"),
    (["--user", "1", "2"], "UID:GID is one word: --user 1:2"), (["--publish", "8080", "80"], "PORT:PORT is one word: --publish 8080:80"),
    (["--allow", "example.org", "443"], "HOST:PORT is one word: --allow example.org:443"), (["--env", "A", "1"], "K=V is one word: --env A=1"),
])
def test_a_part_of_a_value_that_is_a_word_of_its_own(sbx, words, whole):
    sbx.call("run", *words, "--", "true").assert_refused(whole)
    sbx.call("explain", *words).assert_refused(whole)
    sbx.call("run", *words, "true").assert_refused("unexpected argument true", whole)
    sbx.call("run", "default", *words, "--", "true").assert_refused(f"unexpected argument {words[-1]}", whole)


@pytest.mark.parametrize("words", [["--tmpfs", "/x:64M", "8M"], ["--tmpfs", "/x", "pyton"], ["--memory", "64", "net"], ["--env", "A=1", "2"],
                                   ["--workspace", ".", "wr"], ["--workdir", "/tmp", "64M"], ["--memory", "64M", "1"], ["--pids", "5", "s"]])
def test_no_part_is_made_up(sbx, words):
    run = sbx.call("run", *words, "--", "true")
    assert run.code == 125 and "is one word" not in run.err, run


@pytest.mark.parametrize("word, said", [("stop", "did you mean `sbx kill`?"), ("cp", "`sbx artifacts`"), ("list", "`sbx ps`"), ("top", "`sbx stats`"), ("exec", "`sbx run`"),
                                        ("validate", "`sbx check`"), ("build", "sbx run build [FLAGS] -- CMD")])
def test_verbs_of_others(sbx, word, said):
    sbx.call(word, "x").assert_refused(word, said)


def test_what_the_page_says_of_them_is_there(sbx, root_dir):
    page = (root_dir / "docs" / "coming-from.md").read_text()
    here = [row.rsplit(" | ", 1)[1] for row in page.splitlines() if row.startswith("| `") and " | " in row]
    flags = {flag for cell in here for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", cell)} - {"--pdeathsig"}
    known = "".join(sbx.call(verb, "--help").out for verb in ("run", "learn", "kill"))
    assert len(flags) > 25 and not {flag for flag in flags if not re.search(rf"^  {flag}\b", known, flags=re.M)}
