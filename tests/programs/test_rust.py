"""Rust without a network: cargo builds, runs and tests; the toolchain may be Debian's or rustup's."""
import pytest

from support.profiles import with_tools

RUST = with_tools("build", "cargo", "rustc")
pytestmark = pytest.mark.needs("program:cargo")


def test_cargo_run_without_dependencies(inside, project):
    folder = project("rust-alone")
    run = inside(RUST, folder, "cargo", "run", "--quiet", "--offline", mode="rw", timeout=120)
    assert run.out == "alone\n"


def test_cargo_build_and_test_with_a_vendored_crate(inside, project):
    run = inside(RUST, project("rust"), "sh", "-ec",
                 "cargo build --quiet --offline; cargo test --quiet --offline; target/debug/sample",
                 mode="rw", timeout=120)
    assert "1 passed" in run.out and run.out.endswith("hello crab 55\n")
