"""The pytest plugin: what tests in a sandbox report is here as if they had run here."""
import os
import sys
from pathlib import Path


def test_reports_are_as_if_it_ran_here(project):
    project.write("conftest.py", """
        import pytest, os
        @pytest.fixture(scope="module")
        def shared():
            print("from the fixture")
            yield {"inside": os.path.isdir("/run/sbx-client")}
            print("torn down")
        """)
    project.write("test_it.py", """
        import os, pytest, sys
        pytestmark = pytest.mark.sandbox(memory="256M")

        def test_good(shared, tmp_path):
            (tmp_path / "x").write_text("x")
            print("said inside")
            assert shared["inside"]

        def test_bad(shared):
            print("before it failed", file=sys.stderr)
            assert {"a": 1} == {"a": 2}

        @pytest.mark.xfail(reason="known", strict=True)
        def test_known(): assert 0

        @pytest.mark.xfail(reason="known")
        def test_better(): pass

        def test_skipped(): pytest.skip("no reason")

        @pytest.fixture
        def broken(): raise RuntimeError("in the fixture")
        def test_error(broken): pass

        @pytest.mark.parametrize("word", ["a/b::c[d]", "ö"])
        def test_each(word): assert word

        class TestIn:
            def test_method(self): pass
        """)
    project.write("test_other.py", "import os\ndef test_here(): assert not os.path.isdir('/run/sbx-client')\n")
    found = project.run()
    assert found == {
        "[1] test_it.py:20: no reason": "SKIPPED", "test_good": "PASSED", "test_bad": "FAILED", "test_known": "XFAIL", "test_better": "XPASS",
        "test_error": "ERROR", "test_each[a/b::c[d]]": "PASSED", "test_each[\\xf6]": "PASSED",
        "TestIn::test_method": "PASSED", "test_here": "PASSED"}, project.said
    for text in ("AssertionError: assert {'a': 1} == {'a': 2}", "before it failed", "said inside", "from the fixture",
                 "in the fixture", "no reason", "torn down"):
        assert text in project.said, text


def test_subtests_are_as_if_they_ran_here(project):
    """Those of the fixture and of unittest: each is told, counted and shown, at every verbosity."""
    text = """
        import pytest, unittest
        {mark}
        def test_good(subtests):
            for n in range(3):
                with subtests.test("good", n=n): print("said", n)
        {mark}
        def test_bad(subtests):
            for n in range(3):
                with subtests.test("bad", n=n, word="a b"):
                    if n == 2: pytest.skip("not this one")
                    assert n == 0, "the second"
        class TestUnit(unittest.TestCase):
            {mark}
            def test_unit(self):
                for n in range(2):
                    with self.subTest("unit", n=n): self.assertEqual(n, 1)
        """
    for words in (["-q"], [], ["-v"]):
        told = []
        for mark in ("@pytest.mark.sandbox", ""):
            project.write("test_it.py", text.format(mark=mark))
            found = project.run("--tb=line", *words)
            assert {**found, "TestUnit::test_unit": "PASSED"}.items() >= {
                "test_good": "PASSED", "test_bad": "FAILED", "TestUnit::test_unit": "PASSED"}.items(), project.said
            assert "AssertionError: the second" in project.said and "contains 1 failed subtest" in project.said
            assert "SUBFAILED[bad] (n=1, word='a b') test_it.py::test_bad - " in project.said
            told.append(project.said.splitlines()[-1].strip("= ").rpartition(" in ")[0])
        assert told[0] == told[1] and ("subtests passed" in told[0]) == bool(words), told


def test_much_output_is_cut_and_no_failure(project):
    project.write("test_it.py", """
        import pytest
        pytestmark = pytest.mark.sandbox
        def test_prints(): print("\\x1b" * 3_000_000)
        def test_fails():
            print("first" + "x" * 12_000_000 + "last")
            raise ValueError("y" * 12_000_000)
        """)
    assert project.run("--tb=short") == {"test_prints": "PASSED", "test_fails": "FAILED"}, project.said[-1000:]
    assert "first" in project.said and "characters left out" in project.said and "last" in project.said


def test_outer_fixtures_are_torn_down_in_time(project):
    """A module's fixture that was set up here ends before the next module, although a sandboxed test came between."""
    project.write("test_1.py", """
        import pytest
        @pytest.fixture(scope="module")
        def outer():
            yield
            print("OUTER ENDED")
        def test_here(outer): pass
        @pytest.mark.sandbox
        def test_there(): pass
        """)
    project.write("test_2.py", "def test_next(): print('NEXT')\n")
    assert set(project.run("-s").values()) == {"PASSED"}, project.said
    assert project.said.index("OUTER ENDED") < project.said.index("NEXT")


def test_outer_fixture_that_fails_as_it_ends(project):
    """It is an error of the sandboxed test that came last, and not the end of the session."""
    project.write("test_1.py", """
        import pytest
        @pytest.fixture(scope="module")
        def outer():
            yield
            raise RuntimeError("outer could not end")
        def test_here(outer): pass
        @pytest.mark.sandbox
        def test_there(): pass
        """)
    project.write("test_2.py", "def test_next(): pass\n")
    assert project.run("--junitxml=out.xml") == {"test_here": "PASSED", "test_there": "ERROR", "test_next": "PASSED"}, \
        project.said
    assert "outer could not end" in project.said and "INTERNALERROR" not in project.said and project.code == 1


def test_denials_are_shown(project):
    project.write("test_it.py", """
        import pytest
        @pytest.mark.sandbox
        def test_trace():
            import ctypes
            assert ctypes.CDLL(None).ptrace(0) == 0
        """)
    assert project.run() == {"test_trace": "FAILED"}
    assert "denied: ptrace" in project.said and '@debug' in project.said


def test_python_is_found_by_any_of_its_paths(project, tmp_path):
    """By one that goes up, and through a link to its virtualenv: neither is there inside."""
    project.write("test_it.py", """
        import os, pytest
        @pytest.mark.sandbox
        def test_there(): assert os.path.isdir("/run/sbx-client")
        """)
    (tmp_path / "link").symlink_to(sys.prefix)
    up = Path(os.path.relpath(sys.prefix, project.folder), "bin", "python3")
    for python in (up, tmp_path / "link" / "bin" / "python3"):
        assert project.run(python=str(python)) == {"test_there": "PASSED"}, project.said


def test_all_and_profile_and_closest_mark(project):
    project.write("mine.yaml", "version: 1\nextends: [python]\nenv: {set: {WHICH: mine}}\n")
    project.write("test_it.py", """
        import os, pytest
        def test_plain(): assert os.environ.get("WHICH") == "mine"
        @pytest.mark.sandbox(profile="python", env=["OWN=1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"])
        class TestClass:
            def test_class(self): assert "WHICH" not in os.environ and os.environ["OWN"] == "1"
            @pytest.mark.sandbox(hostname="closest")
            def test_own(self): assert os.uname().nodename == "closest" and "WHICH" not in os.environ
        """)
    found = project.run("--sandbox-all", "--sandbox-profile", "./mine.yaml")
    assert set(found.values()) == {"PASSED"} and len(found) == 3, project.said
    assert project.run()["test_plain"] == "FAILED"  # the control: without --sandbox-all it runs here


def test_arguments_have_every_form_that_sandbox_takes(project):
    project.write("shown", "s")
    project.write("test_it.py", """
        import os, pathlib, pytest
        SHOWN = pathlib.Path(__file__).with_name("shown")
        @pytest.mark.sandbox(ro={SHOWN: "/opt/shown"}, env={"OWN": 1})
        def test_dict(): assert open("/opt/shown").read() == "s" and os.environ["OWN"] == "1"
        @pytest.mark.sandbox(ro=SHOWN)
        def test_path(): assert os.path.exists(SHOWN)
        @pytest.mark.sandbox(ro=(SHOWN, f"{SHOWN}:/opt/again"), env=False)
        def test_several(): assert open("/opt/again").read() == "s"
        @pytest.mark.sandbox(ro=False, env="OWN=2")
        def test_none(): assert os.environ["OWN"] == "2"
        """)
    found = project.run()
    assert set(found.values()) == {"PASSED"} and len(found) == 4, project.said


def test_wrong_setting_is_told_at_the_start(project):
    project.write("pytest.ini", "[pytest]\nsandbox_overrides =\n    memory\n")
    project.write("test_it.py", "def test_it(): pass\n")
    project.run()
    assert project.code == 4 and "'memory' is not NAME = VALUE" in project.said


def test_with_xdist(project):
    project.write("test_it.py", """
        import os, pytest
        @pytest.mark.sandbox
        @pytest.mark.parametrize("n", range(3))
        def test_each(n): assert os.path.isdir("/run/sbx-client") and n < 2, "third"
        def test_here(): assert "PYTEST_XDIST_WORKER" in os.environ
        """)
    found = project.run("-n", "2", plugins=["-p", "xdist"])
    assert found == {"test_each[0]": "PASSED", "test_each[1]": "PASSED", "test_each[2]": "FAILED",
                     "test_here": "PASSED"}, project.said
    assert "AssertionError: third" in project.said


def test_junit_and_durations(project):
    project.write("test_it.py", """
        import pytest, time
        @pytest.mark.sandbox
        def test_slow():
            time.sleep(0.3)
            print("in the report")
        """)
    project.run("--junitxml=out.xml", "-o", "junit_logging=all")
    text = (project.folder / "out.xml").read_text()
    assert "in the report" in text and float(text.split('name="test_slow" time="')[1].split('"')[0]) > 0.29


def test_collecting_is_not_sandboxed(project):
    """What the docs say plainly: the module itself is imported by the pytest outside."""
    project.write("test_it.py", "import pytest\nopen('imported', 'a').write('x')\n"
                                "@pytest.mark.sandbox(workspace='overlay')\ndef test_it(): pass\n")
    assert project.run() == {"test_it": "PASSED"}, project.said
    assert (project.folder / "imported").read_text() == "x"
