"""--env-file: variables out of a file, as `docker run` reads it."""
import json
import os

import pytest


def variables(sbx, *flags, caller=()):
    """Those of the command that only flags can have brought."""
    run = sbx.call("explain", "--json", *sbx.degraded, *flags, "--", "true", env=dict(caller))
    assert run.code == 0, run
    return dict(entry.split("=", 1) for entry in json.loads(run.out)["env"] if entry.startswith("V_"))


def write(sbx, text, name="vars.env"):
    (sbx.cwd / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def test_a_value_is_the_rest_of_its_line_as_it_is(sbx):
    write(sbx, "# a comment\n\n  # another\nV_A=1\n\t V_B=\"x y\" # z \nV_C=\nV_D=a=b\r\n#V_E=1\nV_F=${env:HOME} $${x} $HOME\nV_G=last")
    assert variables(sbx, "--env-file", "vars.env") == {
        "V_A": "1", "V_B": '"x y" # z ', "V_C": "", "V_D": "a=b", "V_F": "${env:HOME} $${x} $HOME", "V_G": "last"}


def test_a_mark_at_its_beginning_is_no_part_of_a_name(sbx):
    write(sbx, b"\xef\xbb\xbfV_A=1\n")
    assert variables(sbx, "--env-file=vars.env") == {"V_A": "1"}


def test_a_name_alone_is_the_callers_variable(sbx):
    write(sbx, "V_A\nV_B\n")
    assert variables(sbx, "--env-file", "vars.env", caller={"V_A": "mine", "V_C": "no"}) == {"V_A": "mine"}


@pytest.mark.parametrize("text, value", [("V_A=1\nV_A\n", "mine"), ("V_A\nV_A=1\n", "1"), ("V_A=1\nV_A=2\n", "2")])
def test_the_last_line_counts(sbx, text, value):
    write(sbx, text)
    assert variables(sbx, "--env-file", "vars.env", caller={"V_A": "mine"}) == {"V_A": value}


def test_a_flag_wins_wherever_it_stands_and_of_files_the_last(sbx):
    one, two = write(sbx, "V_A=1\nV_B=1\nV_C=1\n", "one"), write(sbx, "V_B=2\nV_C=2\n", "two")
    flags = ["--env", "V_C=3", "--env-file", one, "--env", "V_D=3", "--env-file", two]
    assert variables(sbx, *flags) == {"V_A": "1", "V_B": "2", "V_C": "3", "V_D": "3"}
    assert variables(sbx, "--env-file", two, "--env-file", one)["V_B"] == "1"


def test_a_pipe_is_read_to_its_end(sbx):
    text = "".join(f"V_{number}={'x' * 80}\n" for number in range(2000))
    run = sbx.call("explain", "--json", *sbx.degraded, "--env-file", "/dev/stdin", "--", "true", stdin=text.encode())
    assert len([entry for entry in json.loads(run.out)["env"] if entry.startswith("V_")]) == 2000, run


@pytest.mark.parametrize("line, said", [
    ("export V_A=hush", "'export V_A' is no name of a variable"), ("=hush", "no name of a variable stands here"),
    ("V.A=hush", "V.A is no name of a variable"), ("V A=hush", "'V A' is no name"), ("1=hush", "1 is no name"),
    ("hush+hush/hush", "no name of a variable stands here"), (b"V_A=hush\xff", "not UTF-8 text"), (b"V_A=hush\0hush", "not UTF-8 text"),
])
def test_a_wrong_line_is_told_with_its_number_and_no_value(sbx, line, said):
    write(sbx, b"# one\nV_A=1\n" + (line if isinstance(line, bytes) else line.encode()) + b"\nV_B=1\n")
    run = sbx.call("run", "--env-file", "vars.env", "--", "true")
    run.assert_refused("vars.env:3: ", said)
    assert "hush" not in run.err, run


def test_what_cannot_be_read_is_an_error(sbx):
    sbx.call("run", "--env-file", "none.env", "--", "true").assert_refused("none.env: cannot read", "ENOENT")
    sbx.call("run", "--env-file", ".", "--", "true").assert_refused(".: this file of variables is not a file")
    write(sbx, "#" * (1 << 20) + "\nV_A=1\n")
    sbx.call("run", "--env-file", "vars.env", "--", "true").assert_refused("longer than 1 MiB")
    write(sbx, "".join(f"V_{number}=hush\n" for number in range(4097)))
    run = sbx.call("run", "--env-file", "vars.env", "--", "true")
    run.assert_refused("vars.env: this file names more than 4096 variables")
    assert "hush" not in run.err, run
    os.mkfifo(sbx.cwd / "fifo")
    sbx.call("run", "--env-file", "fifo", "--", "true", timeout=20).assert_refused("nobody has written to this FIFO")


def test_no_link_leads_out_of_the_current_directory(sbx, tmp_path):
    """An earlier command may have put one where the file was, or in place of a folder on the way."""
    (tmp_path / "of-others").write_text("V_A=hush\n")
    (sbx.cwd / "vars.env").symlink_to(tmp_path / "of-others")
    (sbx.cwd / "folder").symlink_to(tmp_path)
    for name, said in (("vars.env", "a symbolic link"), ("folder/of-others", "leads out of the current directory")):
        run = sbx.call("run", "--env-file", name, "--", "true")
        run.assert_refused(said)
        assert "hush" not in run.err, run
    assert variables(sbx, "--env-file", tmp_path / "of-others") == {"V_A": "hush"}


def test_every_job_of_a_batch_has_them_and_a_session_takes_none(sbx):
    write(sbx, "V_A=1\n")
    (sbx.cwd / "jobs.jsonl").write_text('{"id": "a", "argv": ["printenv", "V_A"]}\n')
    run = sbx.call("batch", "jobs.jsonl", "--env-file", "vars.env", *sbx.degraded)
    assert json.loads(run.out)["result"]["output"]["stdout"]["text"] == "1\n", run
    sbx.call("mcp", "--env-file", "vars.env").assert_refused("`sbx mcp` has no flag --env-file")
