"""Folders of root's runs that cannot be id-mapped: who refuses is named, and nothing weaker stands in unasked."""
import subprocess

import pytest

pytestmark = pytest.mark.needs("root")


def run_beside(sbx, script, *flags):
    """A run on a host on which `script` has mounted something, which only the run sees."""
    words = [sbx.binary, "run", *sbx.degraded, *flags, "--workspace", "none", "--", "ls", "/shown"]
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{script} && exec "$@"', "sh", *map(str, words)],
                          cwd=sbx.cwd, capture_output=True, text=True, timeout=60)


def test_a_mount_inside_that_refuses_is_named(sbx):
    inner = sbx.cwd / "an inner one"
    inner.mkdir()
    (sbx.cwd / "other").mkdir()
    # The kernel's own words have no owner to be mapped.
    run = run_beside(sbx, "mount -t tmpfs none other && mount -t sysfs none 'an inner one'", "--ro", f"{sbx.cwd}:/shown")
    assert run.returncode == 125 and f"what refuses is mounted in it, at '{inner}'" in run.stderr, run
    # The folder itself refuses: nothing in it is to blame.
    run = run_beside(sbx, "mount -t sysfs none other", "--ro", f"{sbx.cwd}/other:/shown")
    assert run.returncode == 125 and "cannot be id-mapped" in run.stderr and "mounted in it" not in run.stderr, run
    run = run_beside(sbx, "mount -t tmpfs none other", "--ro", f"{sbx.cwd}:/shown")  # the control
    assert run.returncode == 0 and "other" in run.stdout, run
