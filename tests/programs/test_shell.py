"""Shells and coreutils: what every script leans on."""
import pytest


@pytest.mark.parametrize("script,checks", [("text.sh", 38), ("files.sh", 36), ("processes.sh", 30)])
@pytest.mark.parametrize("profile", ["shell", "default"])
def test_scripts_run_as_they_do_outside(inside, project, profile, script, checks):
    run = inside(profile, project("shell"), "bash", script)
    assert int(run.out.split()[0]) >= checks, run


@pytest.mark.parametrize("shell", ["bash", "sh", "dash"])
def test_shell_reads_its_script_from_stdin(inside, project, shell):
    run = inside("shell", project("shell"), shell, stdin='for i in 1 2 3; do echo "line $i"; done\n')
    assert run.out == "line 1\nline 2\nline 3\n"


def test_exit_code_is_the_scripts_own(sbx):
    sbx.run("shell", cmd=["bash", "-c", "exit 42"]).assert_nonzero(42)


def test_both_streams_stay_apart(sbx):
    run = sbx.run("shell", cmd=["sh", "-c", "echo out; echo err >&2"]).assert_ok()
    assert (run.out, run.err.splitlines()[-1]) == ("out\n", "err")


def test_tmux_runs_a_session(inside, project):
    folder = project("shell")
    run = inside("shell", folder, "bash", "tmux.sh", flags=["--env", "TERM=xterm"])
    assert "from inside tmux" in run.out


def test_perl_forks_talks_and_sorts(inside, project):
    run = inside("shell", project("perl"), "perl", "work.pl")
    assert run.out == "children 1 4 9\nsocket hello\nwords ant bee cat\n"
