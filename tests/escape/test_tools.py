"""What lies in the workspace, from whoever's repository or a payload's hand, has `tools` show more of the host."""
import os
import subprocess

import pytest

READ = ["sh", "-c", 'cat "$1/.env"', "sh"]


@pytest.fixture
def host(sbx, open_folder, monkeypatch):
    """A home with another project in it, which looks like an installation, and the workspace beside it."""
    home = open_folder / "home"
    other, workspace = home / "other", home / "project"
    for folder in (other, workspace / ".venv/bin"):
        folder.mkdir(parents=True)
    (other / "package.json").write_text("{}")
    (other / ".env").write_text("DBPASS=1\n")
    executable(other / "run.sh", "#!/bin/sh\n")
    subprocess.run(["chmod", "-R", "a+rwX", home], check=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{workspace}/.venv/bin:{home}/.pyenv/shims:/usr/bin:/bin")
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    sbx.cwd = workspace
    return other


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def reads(sbx, other, *flags):
    return sbx.run(profile="python", flags=flags, cmd=[*READ, str(other)])


@pytest.mark.parametrize("plant", ["printf '#!%s/run.sh\\n' {other} > python3; chmod +x python3", "ln -sf {other}/run.sh python3"],
                         ids=["script", "link"])
def test_a_payload_does_not_decide_what_the_next_run_shows(sbx, host, plant):
    assert "DBPASS" not in reads(sbx, host).out
    sbx.run(profile="python", flags=["--workspace", ".:rw"],
            cmd=["sh", "-c", "cd .venv/bin; " + plant.format(other=host)]).assert_ok()
    reads(sbx, host).assert_refused(str(host), "nothing in there says", f"if it is to be shown, add --ro {host}")


def test_the_control_shows_what_the_caller_has_put_on_the_path(sbx, host, monkeypatch):
    executable(host.parent / "bin2/python3", f"#!{host}/run.sh\n")
    monkeypatch.setenv("PATH", f"{host.parent}/bin2:/usr/bin:/bin")
    assert reads(sbx, host).assert_ok().out == "DBPASS=1\n"


def test_a_version_file_names_no_other_folder(sbx, host):
    """CVE-2022-35861 of pyenv: ../../other has a bin and a lib."""
    executable(host.parent / ".pyenv/shims/python3", "#!/bin/sh\n")
    executable(host.parent / ".pyenv/versions/3.11/bin/python3", "#!/bin/sh\n")
    executable(host / "bin/python3", "#!/bin/sh\n")
    (host / "lib").mkdir()
    (sbx.cwd / ".python-version").write_text("3.11\n")
    run = sbx.run(profile="python", cmd=["sh", "-c", "command -v python3"])
    assert run.assert_ok().out == f"{host.parent}/.pyenv/versions/3.11/bin/python3\n"  # the control: a name
    (sbx.cwd / ".python-version").write_text("../../other\n")
    assert os.path.samefile(host.parent / ".pyenv/versions/../../other", host)
    reads(sbx, host).assert_refused(".python-version", "../../other")


def test_a_virtual_environment_of_the_workspace_still_has_its_base(sbx, host):
    """Debian's, which shows anyway, and one that stands elsewhere."""
    base = host.parent / "pythons/3.11"
    executable(base / "bin/python3", "#!/bin/sh\necho base\n")
    (base / "lib/python3.11").mkdir(parents=True)
    (base / "lib/python3.11/os.py").touch()
    (sbx.cwd / ".venv/pyvenv.cfg").write_text("home = x\n")
    for target, said in ((base / "bin/python3", "base"), ("/usr/bin/python3", "3")):
        for name in ("python", "python3"):
            (sbx.cwd / ".venv/bin" / name).unlink(missing_ok=True)
            (sbx.cwd / ".venv/bin" / name).symlink_to(target)
        run = sbx.run(profile="python", cmd=["python3", "-c", "import sys; print(sys.version_info[0])"])
        assert run.assert_ok().out == f"{said}\n", run


def test_what_is_masked_in_the_workspace_is_masked_by_its_name_on_the_host(sbx, host):
    """A virtual environment shows by both."""
    (sbx.cwd / ".venv/pyvenv.cfg").write_text("home = x\n")
    (sbx.cwd / ".venv/token").write_text("DBPASS=2\n")
    (sbx.cwd / ".venv/lib").mkdir()
    (sbx.cwd / ".venv/lib/key.pem").write_text("DBPASS=3\n")
    for name in ("python", "python3"):
        (sbx.cwd / ".venv/bin" / name).symlink_to("/usr/bin/python3")
    subprocess.run(["chmod", "-R", "a+rX", sbx.cwd], check=True)
    read = ["sh", "-c", 'cat "$1"/.venv/token "$1"/.venv/lib/key.pem /workspace/.venv/token /workspace/.venv/lib/key.pem; ls "$1/.venv"', "sh", str(sbx.cwd)]
    assert sbx.run(profile="python", cmd=read).assert_ok().out.count("DBPASS") == 4  # the control
    for patterns in (["/workspace/.venv/token", "/workspace/**/*.pem"], ["/workspace/.venv/token", "/**/*.pem"], ["/workspace/.venv"]):
        run = sbx.run(profile="python", flags=[word for pattern in patterns for word in ("--mask", pattern)], cmd=read)
        assert "DBPASS" not in run.out, run
    sbx.run(profile="python", flags=["--mask", "/w*/.venv/token"], cmd=read).assert_refused("--mask", "wildcards")
    above = sbx.run(profile="python", flags=["--set", "workspace.at=/data/ws", "--mask", "/data"], cmd=read)
    assert "DBPASS" not in above.out, above
    same = sbx.run(profile="python", flags=["--set", f"workspace.at={sbx.cwd}", "--mask", f"{sbx.cwd.parent}/*/.venv/token"], cmd=read)
    assert "DBPASS=2" not in same.out and "DBPASS=3" in same.out, same


def test_nor_may_it_be_anything_below_where_the_caller_stands(sbx, host, monkeypatch):
    """The home, mostly; the workspace is what the payload writes to."""
    (sbx.cwd / ".venv/bin/python3").symlink_to(host / "run.sh")
    workspace, sbx.cwd = sbx.cwd, host.parent
    run = sbx.run(profile="python", flags=["--workspace", str(workspace)], cmd=[*READ, str(host)])
    run.assert_refused(str(host), "nothing in there says")
