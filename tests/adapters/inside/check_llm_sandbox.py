"""SbxSession with the real llm-sandbox: as the backend "sbx" of SandboxSession and ArtifactSandboxSession."""
import base64
import os
import threading
import time

import pytest
from llm_sandbox import ArtifactSandboxSession, SandboxSession, backends
from llm_sandbox.exceptions import (CommandEmptyError, LibraryInstallationNotSupportedError, NotOpenSessionError,
                                    SandboxError, SandboxTimeoutError)
from llm_sandbox.security import SecurityIssueSeverity, SecurityPattern, SecurityPolicy

import sbx.adapters.llm_sandbox as adapter
from conftest import DEGRADE

from sbx import folder


def make(lang="python", **words):
    return SandboxSession(backend="sbx", lang=lang, **{"degrade": DEGRADE, "default_timeout": 20, **words})


@pytest.fixture
def session():
    with make() as made:
        yield made


def test_is_registered_once():
    adapter.register()
    assert [one.name for one in backends.list_backends()].count("sbx") == 1
    assert backends.get_backend("sbx").capabilities.seccomp


def test_run(session):
    output = session.run("import sys\nprint(6 * 7)\nprint('warned', file=sys.stderr)")
    assert (output.exit_code, output.stdout, output.stderr, output.success()) == (0, "42\n", "warned\n", True)
    assert session.last_result.status == "ok"


def test_arguments_have_every_form_that_sandbox_takes(tmp_path):
    (tmp_path / "shown").mkdir(mode=0o777)
    for words in ({"rw": tmp_path / "shown", "set": ["limits.pids=7"], "env": "OWN=1"},
                  {"rw": {tmp_path / "shown": tmp_path / "shown"}, "set": {"limits.pids": 7}, "env_vars": {"OWN": 1}}):
        with make(**words) as session:
            output = session.execute_command(f"echo $OWN; ls -d {tmp_path / 'shown'}; pwd")
            assert output.stdout.split() == ["1", str(tmp_path / "shown"), "/sandbox"], output.stderr


def test_files_stay_and_variables_do_not(session):
    assert session.run("x = 1\nopen('kept', 'w').write('k'); open('/tmp/gone', 'w')").success()
    assert session.run("import os; print(open('kept').read(), os.path.exists('/tmp/gone'))").stdout == "k False\n"
    assert "NameError" in session.run("x").stderr


def test_commands(session):
    assert session.execute_command("pwd").stdout == "/sandbox\n"
    assert session.execute_command("pwd", workdir="/tmp").stdout == "/tmp\n"
    assert session.execute_command("exit 3").exit_code == 3
    assert session.execute_command("-x; exit 3").exit_code == 3
    assert session.execute_commands(["echo a > f", ("cat f", "/sandbox"), "false", "echo never"]).exit_code == 1
    with pytest.raises(CommandEmptyError):
        session.execute_command("")


@pytest.mark.parametrize("command", ["pwd; touch here", "pwd\ntouch here", "false || touch here", "touch here &\nwait"])
def test_a_command_whose_folder_is_not_there_does_not_run_elsewhere(session, command):
    output = session.execute_command(command, workdir="/no/such")
    assert output.exit_code != 0 and output.stdout == "" and "/no/such" in output.stderr
    assert session.execute_command("ls").stdout == ""


def test_folder_with_a_dash(session):
    session.execute_command("mkdir -- '-a b'")
    assert session.execute_command("pwd\nexit 7", workdir="-a b").stdout == "/sandbox/-a b\n"


def test_streaming(session):
    heard = []
    output = session.run("print('one', flush=True); print('two')", on_stdout=heard.append)
    assert "".join(heard) == output.stdout == "one\ntwo\n"


def test_copies(session, tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a").write_text("a")
    (tmp_path / "in" / "b").write_bytes(b"\0b")
    (tmp_path / "in" / "link").symlink_to("/etc/passwd")
    session.copy_to_runtime(str(tmp_path / "in" / "b"), "/sandbox/x/b")
    session.copy_to_runtime(str(tmp_path / "in"), "/sandbox/in")
    assert session.execute_command("cd in; find . -type f | sort; cmp b /sandbox/x/b").stdout == "./b\n./deep/a\n"
    session.execute_command("echo new > in/new; ln -s /etc/passwd in/out; mkfifo in/pipe")
    session.copy_from_runtime("/sandbox/in", str(tmp_path / "out"))
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["a", "b", "deep", "new"]
    session.copy_from_runtime("x/b", str(tmp_path / "single"))
    assert (tmp_path / "single").read_bytes() == b"\0b"


def test_copies_do_not_leave(session, tmp_path):
    session.execute_command("ln -s /etc/passwd trap; ln -s /etc folder")
    for path in ("trap", "folder/passwd", "not-there"):
        with pytest.raises(FileNotFoundError):
            session.copy_from_runtime(path, str(tmp_path / "got"))
    for path in ("/etc/passwd", "../x", "/sandbox/../etc/passwd", "/sandboxed/x"):
        with pytest.raises(ValueError, match="outside of /sandbox"):
            session.copy_from_runtime(path, str(tmp_path / "got"))
    (tmp_path / "x").write_text("x")
    with pytest.raises(OSError):
        session.copy_to_runtime(str(tmp_path / "x"), "folder/x")
    with pytest.raises(FileNotFoundError):
        session.copy_to_runtime(str(tmp_path / "no"), "/sandbox/x")
    assert not (tmp_path / "got").exists()


def test_timeout_leaves_the_session(session):
    begun = time.monotonic()
    with pytest.raises(SandboxTimeoutError) as caught:
        session.run("import time; time.sleep(50)", timeout=1)
    assert time.monotonic() - begun < 10 and caught.value.timeout_duration == 1
    assert session.run("print(1)").stdout == "1\n"


@pytest.mark.parametrize("code, said", [
    ("import urllib.request as u; u.urlopen('http://192.0.2.1')", "Network is unreachable"),
    ("open('/usr/x', 'w')", "Read-only file system"),
    ("import ctypes; ctypes.CDLL(None).ptrace(0)", "sbx: denied: ptrace"),
    ("import os; os.kill(os.getpid(), 9)", "Killed"),
    ("import os; print(os.environ['MY_SECRET'])", "KeyError"),
])
def test_what_is_refused_is_told(session, monkeypatch, code, said):
    monkeypatch.setenv("MY_SECRET", "x")
    assert said in session.run(code).stderr
    assert os.environ["MY_SECRET"]


def test_environment_and_limits():
    with make(env_vars={"A": "1=2"}, memory="100M", hostname="mine") as session:
        assert session.run("import os; print(os.environ['A'], os.uname().nodename)").stdout == "1=2 mine\n"
        assert session.last_result.raw["memory"]["limit_bytes"] in (100 << 20, None)


def test_libraries(session):
    assert session.run("print(1)", libraries=["json", "math"]).stdout == "1\n"
    with pytest.raises(LibraryInstallationNotSupportedError, match="no-such-library; sbx installs nothing"):
        session.run("print(1)", libraries=["json", "no-such-library"])
    with pytest.raises(LibraryInstallationNotSupportedError, match="no-such-library"), make(libraries=["no-such-library"]):
        pass


def test_shell_language(session):
    with make("cpp") as other:
        assert other.run('#include <cstdio>\nint main() { std::puts("c"); }').stdout == "c\n"


def test_plots(session):
    """The artifacts of llm-sandbox, which are kept in /tmp; a PNG stands for what a library would draw."""
    png = base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()
    with ArtifactSandboxSession(backend="sbx", lang="python", degrade=DEGRADE) as artifacts:
        code = (f"import base64, os\nos.makedirs('/tmp/sandbox_plots', exist_ok=True)\n"
                f"open('/tmp/sandbox_plots/000001.png', 'wb').write(base64.b64decode('{png}'))\nprint('drawn')")
        result = artifacts.run(code)
        assert result.stdout.endswith("drawn\n") and [one.content_base64 for one in result.plots] == [png]
        artifacts.clear_plots()
        assert artifacts.run("print(1)").plots == []


def test_security_policy_is_still_asked():
    policy = SecurityPolicy(patterns=[SecurityPattern(pattern=r"os\.system", description="no", severity=SecurityIssueSeverity.HIGH)],
                            severity_threshold=SecurityIssueSeverity.MEDIUM)
    with make(security_policy=policy) as session:
        assert not session.is_safe("import os; os.system('ls')")[0] and session.is_safe("print(1)")[0]


def test_wrong_use():
    with pytest.raises(ValueError, match="no containers, and takes no image"):
        make(image="python:3")
    with pytest.raises(SandboxError, match="no profile is named"), make(profile="no-such-profile"):
        pass
    with pytest.raises(SandboxError, match="--no-such-flag"), make(no_such_flag=1):
        pass
    session = make()
    with pytest.raises(NotOpenSessionError):
        session.run("print(1)")


def test_close_ends_what_runs(session):
    place, ended = session.container.workspace, []

    def work():
        try:
            session.execute_command("echo > started; sleep 19")
        except NotOpenSessionError as error:
            ended.append(error)
    thread = threading.Thread(target=work)
    thread.start()
    while "started" not in session.container.list_files():
        time.sleep(0.01)
    begun = time.monotonic()
    session.close()
    thread.join()
    assert time.monotonic() - begun < 10 and len(ended) == 1 and not os.path.exists(place)
    session.close()


def test_session_lifetime():
    with make(session_timeout=1) as session:
        with pytest.raises((SandboxTimeoutError, NotOpenSessionError)):
            while True:
                session.execute_command("true")


def test_what_is_too_long_is_not_copied(session, tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "READ_LIMIT", 10)
    session.run("import os; os.makedirs('d'); [open(f'd/{n}', 'w').write('x' * 6) for n in '12']")
    session.copy_from_runtime("d/1", str(tmp_path / "one"))
    assert (tmp_path / "one").read_text() == "x" * 6
    with pytest.raises(OSError, match="longer than the limit"):
        session.copy_from_runtime("d", str(tmp_path / "both"))
    assert not (tmp_path / "both").exists()
