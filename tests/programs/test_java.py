"""Java: the compiler and the virtual machine, which want address space, threads and a big thread stack."""
import pytest

from support.profiles import with_tools

pytestmark = pytest.mark.needs("program:javac", "program:java")


def test_javac_then_java(inside, project):
    run = inside(with_tools("build", "javac", "java"), project("java"), "sh", "-ec",
                 "out=$(mktemp -d); javac -d $out Main.java; java -cp $out Main", timeout=120)
    assert run.out == "java 5456 child Pair[a=1, b=2]\n"
