"""Memory that ran out around the sandbox, in a group above its own, is not told as its own limit."""
import pytest

from support import cgroups

pytestmark = [pytest.mark.needs("cgroup:memory"), pytest.mark.needs("cgroup-v1")]


@pytest.fixture
def narrow(sbx, monkeypatch):
    """sbx in a group that has no more than 64 MiB."""
    outer = cgroups.find("memory").path / "narrow"
    outer.mkdir()
    (outer / "memory.limit_in_bytes").write_text("64M")
    monkeypatch.setattr(sbx, "around", lambda cwd: ["sh", "-c", f'echo $$ >{outer}/cgroup.procs && exec "$@"', "sh"])
    yield sbx
    cgroups.remove_tree(outer)


@pytest.mark.parametrize("limit", ["256M", "none"])
@pytest.mark.parametrize("script, code", [("exec {probe} memory-bomb 128", 137), ("{probe} memory-bomb 128; exit 7", 7)],
                         ids=["the command", "a child"])
def test_whose_limit_it_was_is_told(narrow, probe, limit, script, code):
    run = narrow.run(flags=[*probe.flags, "--memory", limit], cmd=["sh", "-c", script.format(probe=probe.path)])
    run.assert_status("oom", code)
    reason = run.result["reason"]
    assert reason["code"] == "outer_memory" and reason["limit"] is None, run
    assert "outside of the sandbox" in reason["text"] and "limits.memory" not in reason["text"], run


def test_control_its_own_limit_is_told_as_that(narrow, probe):
    run = narrow.run(flags=[*probe.flags, "--memory", "32M"], cmd=[probe.path, "memory-bomb", "128"])
    run.assert_status("oom", 137)
    assert run.result["reason"]["code"] == "memory_limit" and run.result["reason"]["limit"] == "32M", run


def test_a_warning_says_it_too(narrow, probe):
    run = narrow.run(flags=[*probe.flags, "--memory", "256M"], cmd=["sh", "-c", f"{probe.path} memory-bomb 128; kill -TERM $$"])
    run.assert_status("signal")
    assert any("outside of the sandbox" in warning for warning in run.result["warnings"]), run
