"""The pytest plugin: what tests in a sandbox try against their host does not work, and what they report is no more
than their word."""
import socket
import textwrap


ATTACKS = """
    import os, pytest, socket, sys
    HERE = {here!r}

    {mark}
    def test_write():
        with open(__file__, "a") as file: file.write("# changed\\n")

    {mark}
    def test_network():
        server = socket.create_connection(("127.0.0.1", {port}), timeout=5)

    {mark}
    def test_secret():
        print(os.environ["MY_SECRET"])

    {mark}
    def test_home():
        assert os.path.exists(HERE + "/outside")
"""


def test_attacks_and_their_control(project, tmp_path):
    """The same tests pass without the mark."""
    (tmp_path / "outside").write_text("x")
    listening = socket.create_server(("127.0.0.1", 0))
    words = {"here": str(tmp_path), "port": listening.getsockname()[1]}
    names = ["test_write", "test_network", "test_secret", "test_home"]
    env = {"MY_SECRET": "sk-very-secret"}
    with listening:
        for mark, outcome in (("@pytest.mark.sandbox", "FAILED"), ("", "PASSED")):
            text = textwrap.dedent(ATTACKS.format(mark=mark, **words))
            project.write("test_attack.py", text)
            assert project.run(env=env) == dict.fromkeys(names, outcome), project.said
            assert ((project.folder / "test_attack.py").read_text() == text) == bool(mark)
            assert ("sk-very-secret" in project.said) == (not mark)


def test_overlay_lets_it_write_what_nobody_sees(project):
    project.write("test_it.py", """
        import pytest
        @pytest.mark.sandbox(workspace="overlay")
        def test_write():
            open("new", "w").write("x")
            assert open("new").read() == "x"
        """)
    assert project.run() == {"test_write": "PASSED"}, project.said
    assert not (project.folder / "new").exists()


def test_hang_memory_and_death(project):
    project.write("test_it.py", """
        import os, pytest
        @pytest.mark.sandbox(timeout=3)
        def test_hang():
            while True: pass
        @pytest.mark.sandbox
        def test_gone(): os._exit(0)
        @pytest.mark.sandbox
        def test_killed(): os.kill(os.getpid(), 9)
        @pytest.mark.sandbox("no-such-profile")
        def test_profile(): pass
        @pytest.mark.sandbox(memory="nonsense")
        def test_flag(): pass
        def test_after(): pass
        """)
    found = project.run()
    assert found == {"test_hang": "FAILED", "test_gone": "FAILED", "test_killed": "FAILED", "test_profile": "ERROR",
                     "test_flag": "ERROR", "test_after": "PASSED"}, project.said
    for text in ("sandbox: timeout: it ran longer", "did not report how it ended", "sandbox: signal",
                 "no profile is named", "nonsense"):
        assert text in project.said, text


FORGE = """
    import json, os, pytest

    def forge(*reports, code=0):
        # Where pytest_inside writes its reports is found among the descriptors by whoever looks for it.
        import sbx.pytest_inside as inside
        own = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        for one in reports:
            os.write(inside.REPORTS, json.dumps(["test", {"nodeid": own, **one}]).encode() + b"\\n")
        os._exit(code)

    def report(when, **words):
        return {"$report_type": "TestReport", "location": ["x", 1, "y"],
                "keywords": {}, "when": when, "outcome": "passed", "duration": 0.1, "longrepr": None,
                "sections": [], "user_properties": [["x", "y"]], **words}

    BOTH = [report("call"), report("teardown")]
"""


def test_what_a_forged_report_can_and_cannot(project):
    """"passed" is the word of the code in the sandbox. It is that test's alone, and against the evidence it is nothing."""
    project.write("test_forge.py", textwrap.dedent(FORGE) + textwrap.dedent("""
        pytestmark = pytest.mark.sandbox
        def test_self(): forge(*BOTH)
        def test_foreign(): forge(report("call", nodeid="test_other.py::test_victim"), report("teardown"))
        def test_code(): forge(*BOTH, code=3)
        def test_twice(): forge(*BOTH, *BOTH)
        def test_early(): forge(report("call"))
        def test_kind(): forge(report("call", outcome="perfect"), report("teardown"))
        def test_phase(): forge(report("afterwards"), report("teardown"))
        def test_extra(): forge(report("call", node="x", worker_id="gw9", item_index=1, head_line="HEAD"), report("teardown"))
        def test_long(): forge(report("call", longrepr={"reprcrash": 1, "reprtraceback": 2}), report("teardown"))
        def test_shape(): forge(report("call", sections="text"), report("teardown"))
        def test_time(): forge(report("call", duration=1e400), report("teardown"))
        def test_raw():
            import sbx.pytest_inside as inside
            os.write(inside.REPORTS, b"\\x00 not json\\n")
        def test_terminal(): print("\\x1b]0;title\\x07\\x1b[2J red"); assert 0
        def test_many():
            import sbx.pytest_inside as inside
            for _ in range(12000): os.write(inside.REPORTS, b" " * 1000)
        """))
    project.write("test_other.py", "import pytest\n@pytest.mark.sandbox\ndef test_victim(): assert 0, 'the truth'\n")
    project.write("test_victim.py", "def test_here(): assert 0, 'the truth'\n")
    found = project.run("-p", "no:faulthandler")
    assert found == {
        "test_self": "PASSED",  # what the docs say: it speaks for itself
        "test_extra": "PASSED", "test_time": "FAILED", "test_foreign": "FAILED", "test_code": "FAILED", "test_twice": "FAILED",
        "test_early": "FAILED", "test_kind": "FAILED", "test_phase": "FAILED", "test_long": "FAILED",
        "test_shape": "FAILED", "test_raw": "FAILED", "test_many": "FAILED", "test_terminal": "FAILED",
        "test_victim": "FAILED", "test_here": "FAILED"}, project.said
    assert "HEAD" not in project.said and "gw9" not in project.said
    assert "\x1b" not in project.said and "\x07" not in project.said and "title" in project.said


def test_no_variable_takes_a_test_out_of_its_sandbox(project):
    project.write("test_it.py", """
        import os, pytest
        @pytest.mark.sandbox
        def test_there(): assert os.path.isdir("/run/sbx-client")
        """)
    # PYTEST_CURRENT_TEST and PYTHONPATH are what a pytest inside has as well.
    env = {"SBX_PYTEST_INSIDE": "1", "PYTEST_CURRENT_TEST": "x"}
    assert project.run(env=env) == {"test_there": "PASSED"}, project.said
