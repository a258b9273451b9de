"""Go without a network: build, test, and the static program that comes out."""
import pytest

from support.profiles import with_tools


@pytest.mark.needs("program:go")
@pytest.mark.slow  # Go compiles its own library first
def test_go_tests_and_builds_a_static_program(sbx, inside, project):
    folder = project("go")
    run = inside(with_tools("build", "go"), folder, "sh", "-ec", "go test ./...; go build -o program .",
                 mode="rw", flags=["--env", "CGO_ENABLED=0"], timeout=300)
    assert "ok  \texample.test/sample/count" in run.out
    # No C library, and a runtime that asks the kernel for everything itself: in the tightest surroundings.
    program = folder / "program"
    for profile in ("default", "strict"):
        run = sbx.run(profile, ["--ro", program], [program]).assert_ok()
        assert run.out == "hello gopher 5050\n"
