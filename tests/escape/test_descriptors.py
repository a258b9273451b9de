"""No descriptor of the caller's enters but 0, 1 and 2, and these give no more than they gave."""
import contextlib
import os
import subprocess

import pytest

from escape.attacks import CONTAINED, ESCAPED, Attack

# Of the host alone, and readable for the id of any run.
HOST_FILE = "/etc/login.defs"
KEEP = {"SBX_TEST_WITHOUT": "close_descriptors,apply_landlock", "SBX_TEST_KEEP_FDS": "1"}


@contextlib.contextmanager
def leaking(secret):
    """Descriptors 3 to 20 and one far up, open in us: the host's root, a folder, a file, a socket's end."""
    sources = [os.open("/", os.O_RDONLY), os.open(secret.parent, os.O_RDONLY | os.O_DIRECTORY),
               os.open(secret, os.O_RDWR), os.pipe()[1]]
    numbers = [*range(100, 118), 1000]
    for i, number in enumerate(numbers):
        os.dup2(sources[i % len(sources)], number)
    try:
        yield numbers
    finally:
        for fd in (*numbers, *sources):
            os.close(fd)


@pytest.mark.parametrize("verb", [("leaked",), ("leaked-directory", HOST_FILE)], ids=lambda v: v[0])
def test_no_descriptor_leaks_in(sbx, probe, secret, verb):
    with leaking(secret) as fds:
        run = sbx.run(flags=probe.flags, cmd=[probe.path, *verb], pass_fds=fds)
    assert run.code == CONTAINED and run.out.startswith("contained: "), run


@pytest.mark.parametrize("verb", [("leaked",), ("leaked-directory", HOST_FILE)], ids=lambda v: v[0])
def test_control_descriptors_leak_when_nobody_closes_them(weakened, probe, secret, verb):
    with leaking(secret) as fds:
        run = weakened.run(flags=probe.flags, cmd=[probe.path, *verb], pass_fds=fds, env=KEEP)
    assert run.code == ESCAPED, run


def test_every_low_descriptor_is_closed(sbx, probe, secret):
    """3 to 20 themselves, the numbers that a launcher's own files would have."""
    script = 'for i in $(seq 3 20); do eval "exec $i<\\"$1\\""; done; shift; exec "$@"'
    argv = ["bash", "-c", script, "bash", str(secret), sbx.binary, "run", *sbx.degraded, *probe.flags, "--",
            probe.path, "leaked"]
    run = subprocess.run(argv, cwd=sbx.cwd, capture_output=True, text=True, timeout=60)
    assert run.returncode == CONTAINED and run.stdout.startswith("contained: "), run


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_descriptors_do_not_become_files_of_the_launcher(sbx, probe, closed):
    """With 0, 1 or 2 closed, the launcher's first files would land there."""
    argv = ["sh", "-c", f'"$@" {closed}', "sh", sbx.binary, "run", *sbx.degraded, *probe.flags, "--", probe.path]
    # That the probe's word is lost is told in place of its success, and of that alone.
    contained = 125 if ">&-" in closed.split() else CONTAINED
    for verb in (["leaked"], ["leaked-directory", "/etc/hostname"]):
        run = subprocess.run([*argv, *verb], cwd=sbx.cwd, capture_output=True, timeout=60)
        assert run.returncode == contained, run


def test_a_directory_as_stdin_gives_nothing(sbx, probe, secret):
    """openat(0, "../..") would walk the host; refusing to start is as good as hiding it."""
    with open_fd(secret.parent, os.O_RDONLY | os.O_DIRECTORY) as fd:
        run = sbx.run(flags=probe.flags, cmd=[probe.path, "leaked-directory", str(secret)], stdin=fd)
    assert run.code in (CONTAINED, 125), run


def test_control_a_directory_as_stdin_is_a_way_out(probe, secret):
    with open_fd(secret.parent, os.O_RDONLY | os.O_DIRECTORY) as fd:
        run = subprocess.run([probe.host_path, "leaked-directory", str(secret)], stdin=fd, capture_output=True)
    assert run.returncode == ESCAPED, run


@contextlib.contextmanager
def open_fd(path, flags):
    fd = os.open(path, flags)
    try:
        yield fd
    finally:
        os.close(fd)


def test_a_read_only_stdin_cannot_be_reopened_for_writing(sbx, probe, secret):
    secret.chmod(0o666)
    with open_fd(secret, os.O_RDONLY) as fd:
        run = sbx.run(flags=probe.flags, cmd=[probe.path, "reopen", "0"], stdin=fd)
    assert run.code == CONTAINED and run.out.startswith("contained: "), run


def test_control_a_read_only_stdin_can_be_reopened_without_a_sandbox(probe, secret):
    with open_fd(secret, os.O_RDONLY) as fd:
        run = subprocess.run([probe.host_path, "reopen", "0"], stdin=fd, capture_output=True)
    assert run.returncode == ESCAPED, run


def into_file(argv, path, cwd):
    """The verdict of a run whose stdout is appended to a file that has something in it already."""
    path.write_text("what was there before\n")
    path.chmod(0o666)
    with open(path, "ab") as out:
        return subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=60)


@pytest.mark.parametrize("verb", [["reopen", "1", "read"], ["reopen", "1"], ["cut-output"]], ids="-".join)
def test_a_file_as_stdout_takes_new_output_only(sbx, probe, tmp_path, verb):
    path = tmp_path / "output"
    argv = [sbx.binary, "run", *sbx.degraded, *probe.flags, "--", probe.path, *verb]
    run = into_file(argv, path, sbx.cwd)
    assert run.returncode == CONTAINED, (run, path.read_text())
    assert path.read_text().startswith("what was there before\ncontained: ")


@pytest.mark.parametrize("verb", [["reopen", "1", "read"], ["reopen", "1"], ["cut-output"]], ids="-".join)
def test_control_a_file_as_stdout_gives_all_of_it_without_a_sandbox(probe, tmp_path, verb):
    run = into_file([probe.host_path, *verb], tmp_path / "output", tmp_path)
    assert run.returncode == ESCAPED, run


def test_the_callers_folder_is_not_the_working_directory(stage, secret):
    """A working directory outside of the root is a way out (CVE-2024-21626)."""
    stage.contained(Attack("working directory", f"climb {secret}", flags=("--workspace", ".:none")))
