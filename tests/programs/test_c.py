"""C and C++: compilers, make, CMake with ninja, in a writable workspace and in /tmp alone."""
import os

import pytest


def test_compile_and_run_from_stdin(inside, project):
    source = '#include <stdio.h>\nint main(void) { return puts("compiled") < 0; }\n'
    run = inside("build", project("make"), "sh", "-c", "cd ${TMPDIR:-/tmp} && gcc -x c -o a - && ./a", stdin=source)
    assert run.out == "compiled\n"


def test_make_in_parallel(inside, project):
    folder = project("make")
    run = inside("build", folder, "make", "-s", "-j4", mode="rw")
    assert run.out == "sum 360\nsum 360\n"
    program = (folder / "program").stat()
    assert program.st_uid == os.geteuid() and program.st_mode & 0o100


def test_sanitized_program(inside, project):
    run = inside("build", project("make"), "sh", "-c",
                 "gcc -g -fsanitize=undefined -pthread -o p *.c && ./p", mode="rw")
    assert run.out == "sum 360\n"


@pytest.mark.needs("program:cmake", "program:ninja")
def test_cmake_with_ninja_and_ctest(inside, project):
    run = inside("build", project("cmake"), "sh", "-ec",
                 "cmake -GNinja -S . -B out; cmake --build out; ctest --test-dir out; ./out/main", mode="rw")
    assert "100% tests passed" in run.out and run.out.endswith("a 2\n")


def test_build_out_of_a_read_only_workspace(inside, project):
    run = inside("build", project("cmake"), "sh", "-ec",
                 "out=$(mktemp -d); cmake -S . -B $out >/dev/null; make -s -C $out -j2 >/dev/null; $out/main")
    assert run.out == "a 2\n"
