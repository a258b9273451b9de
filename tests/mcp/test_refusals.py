"""What an operator or a client asks for in vain is refused at once, and what it is told to do instead can be done."""
import os
import re
import subprocess

import pytest

from shared_host.conftest import without_namespaces
from support.mcp_client import PATIENCE


def refused(sbx, *words, **options):
    """What a server says that does not begin."""
    ours, theirs = os.pipe()  # a client that stays: with it the server would end
    try:
        done = subprocess.run([str(sbx.binary), "mcp", *words], cwd=sbx.cwd, stdin=ours, capture_output=True, text=True,
                              timeout=PATIENCE, **options)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 125 and done.stdout == "", done
    return done.stderr


@pytest.mark.parametrize("words", [["--env", "SBX_TEST_NAME"], ["--set", "env.pass=[LANG, SBX_TEST_NAME]"]])
def test_a_variable_that_would_not_be_there(sbx, state, project, serve, monkeypatch, words):
    monkeypatch.setenv("SBX_TEST_NAME", "the-operators")
    said = refused(sbx, "python", *words)
    assert "SBX_TEST_NAME" in said and words[0] in said and "the-operators" not in said
    instead = re.search(r"--env SBX_TEST_NAME=VALUE", said)[0]
    assert serve("python", *instead.split()).shell("echo $SBX_TEST_NAME")["stdout"]["text"] == "VALUE\n"
    # The control: there it is passed.
    assert sbx.run("python", flags=words, cmd=["sh", "-c", "echo $SBX_TEST_NAME"]).out == "the-operators\n"


def test_a_profile_that_passes_variables_is_taken(serve, project):
    (project / "own.yaml").write_text("version: 1\nenv: {pass: [SBX_TEST_NAME]}\n")
    assert serve("./own.yaml").shell("echo ${SBX_TEST_NAME-none}", env={"A": "b"})["stdout"]["text"] == "none\n"


@pytest.mark.parametrize("by", ["flag", "profile"])
def test_a_secret_that_only_one_run_could_read(sbx, state, project, by):
    (project / "own.yaml").write_text('version: 1\nsecrets: {key: {from: "fd:7"}}\n')
    ours, theirs = os.pipe()
    os.write(theirs, b"the-value")
    os.close(theirs)
    words = ["--secret", f"key=fd:{ours}"] if by == "flag" else ["./own.yaml"]
    try:
        said = refused(sbx, *words, pass_fds=[ours])
        assert "the secret key" in said and "descriptor" in said and "file:" in said
        assert os.read(ours, 100) == b"the-value"  # nobody has read it in vain
    finally:
        os.close(ours)


def test_a_folder_that_is_too_large(sbx, state, project, serve):
    with open(project / "large", "wb") as file:
        file.write(os.urandom(1 << 20) * 260)
    said = refused(sbx, "default", "--degrade", "cgroup")
    instead = re.search(r"--workspace DIR:overlay --set workspace.size=1G", said)[0]
    client = serve(*instead.replace("DIR", str(project)).split())
    assert client.shell("ls")["stdout"]["text"] == "app.py\ndata\nlarge\n"


def test_a_session_that_is_kept_in_what_it_copies(sbx, state, project):
    said = refused(sbx, "default", env={**os.environ, "XDG_STATE_HOME": str(project / "state")})
    assert "$XDG_STATE_HOME" in said and "another place" in said, said


@pytest.mark.parametrize("tool", ["diff", "apply"])
def test_a_path_at_which_nothing_has_changed(client, tool):
    said = client.refused(tool, paths=["app.py"])
    assert "app.py" in said and "`diff` without `paths`" in said and "sbx diff" not in said
    assert client.call("diff")["structuredContent"]["changes"] == []


def test_the_help_tells_the_workspace_of_a_session(sbx, serve, project):
    assert "mcp: .:overlay" in re.sub(r"\s+", " ", sbx.call("mcp", "--help").out)
    client = serve()
    client.shell("echo x > app.py")
    assert (project / "app.py").read_text() != "x\n"


def test_a_misspelt_argument_is_named_and_not_the_missing_one(client):
    said = client.refused("run_shell", scripts="echo hi")
    assert "no argument scripts" in said and "did you mean `script`?" in said and "missing" not in said, said


@pytest.mark.needs("signal-scope")
@pytest.mark.parametrize("words", [[], ["--workspace", "none"]], ids=["a copy", "a folder of its own"])
def test_a_workspace_that_a_host_without_namespaces_cannot_show(sbx, state, project, serve, open_folder, words):
    """Nobody has written that it is to be an overlay, so no key of the profile is named."""
    project.chmod(0o755)
    # The control: a host that has them.
    assert serve(*words, "--degrade", "userns").shell("echo made > new; cat new")["stdout"]["text"] == "made\n"
    without_namespaces(sbx, open_folder)
    said = refused(sbx, *words, *sbx.degraded)
    assert "an overlay" in said and "workspace.mode" not in said
    instead = re.search(r"--workspace DIR:ro", said)[0].replace("DIR", str(project)).split()
    assert serve(*instead, *sbx.degraded).shell("cat app.py")["stdout"]["text"] == "print('hello')\n"
