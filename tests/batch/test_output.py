"""Where the results of `sbx batch` go that is no file of their own: standard output, a descriptor, a FIFO and its reader."""
import json
import os
import subprocess

from support import slow
from support.batch import by_id

NOISY = {"argv": ["head", "-c", "20000", "/dev/zero"]}  # JSON makes 120,000 bytes of it


def test_results_go_through_a_fifo_to_its_reader(sbx, batch):
    os.mkfifo(batch.out)
    batch.write([{"argv": ["echo", str(i)]} for i in range(5)])
    process = batch.spawn("-o", batch.out)
    lines = [json.loads(line) for line in batch.out.read_text().splitlines()]
    _, err = process.communicate(timeout=30 * slow.FACTOR)
    assert process.returncode == 0 and len(by_id(lines)) == 5, err
    assert sbx.call("batch", batch.jobs, "-o", batch.out, "--resume").code == 125


def test_a_fifo_whose_reader_goes_ends_the_batch(batch):
    os.mkfifo(batch.out)
    batch.write([NOISY] * 60)
    process = batch.spawn("-o", batch.out, "-j2")
    with batch.out.open("rb") as reader:
        reader.read(1000)
    _, err = process.communicate(timeout=30 * slow.FACTOR)
    assert process.returncode == 125 and b"cannot write a result: Broken pipe" in err
    assert b"its last line may be torn" in err and b"--resume does the rest" not in err, err


def test_a_fifo_without_a_reader_is_refused(batch):
    os.mkfifo(batch.out)
    batch.write([{"argv": ["true"]}])
    process = batch.spawn("-o", batch.out)
    _, err = process.communicate(timeout=30 * slow.FACTOR)
    assert process.returncode == 125 and b"nobody reads this FIFO" in err and b"remove it" in err, err


def test_standard_output_has_a_name(batch):
    run = batch.call([{"argv": ["true"]}], "--output", "-")
    assert run.code == 0 and len(run.results) == 1 and not (batch.sbx.cwd / "-").exists(), run


def test_a_link_of_the_systems_to_a_reader_is_followed_as_it_is_for_a_run(batch):
    """What a shell makes of >(COMMAND), too. One to a file is none that the same command would find again."""
    batch.write([{"argv": ["true"]}] * 3)
    reading, writing = os.pipe()

    def said(target, *flags, **options):
        process = subprocess.Popen(batch.argv("-o", target, *flags), cwd=batch.sbx.cwd, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, **{"stdout": writing, "pass_fds": [writing], **options})
        _, err = process.communicate(timeout=30 * slow.FACTOR)
        return process.returncode, err.decode()

    for target in ("/dev/stdout", "/proc/self/fd/1", f"/dev/fd/{writing}"):
        assert said(target)[0] == 0 and os.read(reading, 1 << 16).count(b"\n") == 3
        code, err = said(target, "--resume")
        assert code == 125 and "--resume needs a file with a name" in err
    os.close(reading)
    os.close(writing)
    (batch.sbx.cwd / "link").symlink_to("/dev/stdout")
    with batch.out.open("wb") as file:
        for target, why in (("/dev/stdout", "name the file itself, or use fd:N"), ("link", "it is a symbolic link")):
            code, err = said(target, stdout=file, pass_fds=[])
            assert code == 125 and why in err
    assert batch.out.read_bytes() == b""


def test_a_descriptor_of_the_callers_is_named_as_it_is_for_a_run(batch):
    batch.write([{"argv": ["true"]}] * 3)
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, batch.out.open("w+b") as file:
        def said(target, *flags):
            process = batch.spawn("-o", target, *flags, pass_fds=[writing, file.fileno()])
            out, err = process.communicate(timeout=30 * slow.FACTOR)
            assert not out and not (batch.sbx.cwd / target).exists()
            return process.returncode, err.decode()

        for number in (writing, file.fileno()):
            code, err = said(f"fd:{number}")
            assert code == 0 and f"results: fd:{number}" in err
        for target, flags, why in (("fd:1", [], "belongs to the command"), ("fd:x", [], "not of the form fd:N"),
                                   ("fd:999", [], "is not open"), (f"fd:{writing}", ["--resume"], "--resume needs a file")):
            code, err = said(target, *flags)
            assert code == 125 and why in err
        os.close(writing)
        for results in (pipe.read(), batch.out.read_bytes()):
            assert len(by_id(map(json.loads, results.splitlines()))) == 3
