"""Whoever reads an artifact slowly holds up nobody, and who ends a run that collects is heard."""
import os
import shutil
import signal
import subprocess
import time


def test_a_slow_reader_does_not_stop_other_runs(store):
    run = store.run("mkdir out; head -c 3M /dev/zero > out/big").assert_ok()
    with subprocess.Popen([store.sbx.binary, "artifacts", "get", run.result["id"], "-o", "-"], stdout=subprocess.PIPE) as slow:
        assert os.read(slow.stdout.fileno(), 1) == b"\0"  # it is at it, and the pipe is full soon
        began = time.monotonic()
        store.run("echo x > out/other").assert_ok()
        store.good("gc", "--older-than", "0s")
        assert time.monotonic() - began < 20
        assert len(slow.stdout.read()) + 1 >= 3 << 20  # and what it has begun it gets whole


def test_a_path_too_long_to_be_named_is_left_out(store):
    script = "import os\nos.mkdir('out'); os.chdir('out'); open('short', 'w')\n" \
             "for _ in range(20): os.mkdir('d' * 250); os.chdir('d' * 250)\nopen('deep', 'w')"
    run = store.run(script, program="python3").assert_ok()
    assert [one["path"] for one in run.result["artifacts"]] == ["/workspace/out/short"]
    assert any("longer than a program can name: 1" in warning for warning in run.result["warnings"]), run


MANY_FILES = """
import os, sys
os.mkdir('out'); os.chdir('out')
for i in range(int(sys.argv[1])):
    if i % 10000 == 0: open(f'f{i}', 'w')
    else: os.link(f'f{i // 10000 * 10000}', f'l{i}')
print('made', flush=True)
"""


def ended_while_it_collects(store, files):
    running = store.sbx.spawn(flags=["--workspace", ".:rw", "--collect", "/workspace/out/**", "--set", "artifacts.max_files=100000"],
                              cmd=["/usr/bin/python3", "-I", "-S", "-c", MANY_FILES, str(files)])
    running.read_until(b"made", 60)
    until = time.monotonic() + 20
    while running.processes() and time.monotonic() < until:
        time.sleep(0.01)  # until the command and init have ended, and it collects
    running.signal(signal.SIGTERM)
    return running.wait()


def test_a_run_that_collects_can_be_ended(store):
    """With so many files that it still collects when it is told, and of more where it was ready before."""
    for files in (30000, 60000, 100000):
        run = ended_while_it_collects(store, files)
        if run.err:
            break
        store.good("gc", "--older-than", "0s")
        shutil.rmtree(store.sbx.cwd / "out")
    assert "asked to end" in run.err and run.result["artifacts"] == [], run
    assert not store.list()
