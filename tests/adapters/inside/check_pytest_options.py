"""The pytest plugin: what the command line and the ini file say of tests holds in a sandbox, and what a test records beside
its outcome comes back."""
import xml.etree.ElementTree as ElementTree


def test_doctests(project):
    project.write("code.py", """
        def good():
            \'\'\'
            >>> import os; os.path.isdir("/run/sbx-client")
            True
            \'\'\'
        def bad():
            \'\'\'
            >>> 1
            2
            >>> 3
            4
            \'\'\'
        """)
    project.write("page.rst", ">>> 1 + 1\n2\n")
    found = project.run("--sandbox-all", "--doctest-modules", "--doctest-glob=*.rst", "--doctest-continue-on-failure",
                        "--doctest-report=ndiff")
    assert found == {"code.good": "PASSED", "code.bad": "FAILED", "page.rst": "PASSED"}, project.said
    assert "    - 2\n    + 1\n" in project.said and "    - 4\n    + 3\n" in project.said


def test_filters_and_settings_of_the_command_line(project):
    """-W and -o decide how a test ends. What is known outside alone is no unknown setting inside."""
    project.write("test_it.py", """
        import pytest, warnings
        @pytest.mark.sandbox
        def test_warns(): warnings.warn("told")
        @pytest.mark.sandbox
        @pytest.mark.xfail(reason="known")
        def test_better(): pass
        """)
    assert project.run() == {"test_warns": "PASSED", "test_better": "XPASS"}, project.said
    assert project.run("-W", "error::UserWarning") == {"test_warns": "FAILED", "test_better": "XPASS"}, project.said
    assert "UserWarning: told" in project.said
    assert project.run("-W", "error") == {"test_warns": "FAILED", "test_better": "XPASS"}, project.said
    words = ["-o", "xfail_strict=true", "-o", "filterwarnings=error"]
    assert project.run(*words) == {"test_warns": "FAILED", "test_better": "FAILED"}, project.said
    project.write("pytest.ini", (project.folder / "pytest.ini").read_text() + "addopts = -W error\n")
    assert project.run("-o", "cache_dir=cache", cache=True)["test_better"] == "XPASS", project.said


def test_warnings_come_back(project):
    project.write("test_it.py", """
        import pytest, warnings
        class OwnWarning(Warning): pass
        @pytest.mark.sandbox
        def test_warns():
            warnings.warn("the words")
            warnings.warn("other words", OwnWarning)
        @pytest.mark.sandbox
        def test_many():
            for n in range(150): warnings.warn(f"number {n}")
        """)
    for words in ([], ["-n", "2", "-p", "xdist"]):
        assert set(project.run(*words).values()) == {"PASSED"}, project.said
        for text in (f"{project.folder}/test_it.py:6: UserWarning: the words", '    warnings.warn("the words")',
                     "UserWarning: OwnWarning: other words", "102 warnings"):
            assert text in project.said, (text, project.said)


def test_properties_come_back(project):
    project.write("conftest.py", """
        def pytest_collection_modifyitems(items):
            for item in items: item.user_properties.append(("case", 7))
        """)
    project.write("test_it.py", """
        import pytest
        @pytest.mark.sandbox
        def test_records(record_property):
            record_property("a", 1)
            record_property("b", "two words")
            record_property("c", object)
        """)
    assert project.run("--junitxml=out.xml") == {"test_records": "PASSED"}, project.said
    found = [(one.get("name"), one.get("value")) for one in ElementTree.parse(project.folder / "out.xml").iter("property")]
    assert found == [("case", "7"), ("a", "1"), ("b", "two words"), ("c", "<class 'object'>")]
