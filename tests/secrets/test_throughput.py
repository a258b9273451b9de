"""redact costs little: the supervisor's own processor time for each byte, which other programs do not change."""
import os

import pytest

from support.slow import FACTOR
from support.waiting import cpu_seconds

MB = 1_000_000
SIZE = 256 * MB
WRITE = """
import os, sys
block = open('/workspace/block', 'rb').read(); left = {size}
while left > 0: left -= os.write(1, block[:left])
os.write(2, b'written'); sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["text", "bytes", "hex"])
def test_200_mb_a_second(sbx, value, kind):
    words = b"the quick brown fox jumps over the lazy dog 0123456789 /usr/lib/python3\n"
    block = {"text": words * 15000, "bytes": os.urandom(MB), "hex": os.urandom(MB // 2).hex().encode()}[kind]
    (sbx.cwd / "block").write_bytes(block)
    (sbx.cwd / "write.py").write_text(WRITE.format(size=SIZE))
    read, write = os.pipe()
    with open("/dev/null", "wb") as null:
        import subprocess
        argv = sbx._argv("run", None, ["--secret", "k=env:SBX_TEST_SECRET", "--timeout", "none"],
                         ["python3", "/workspace/write.py"], False)
        run = subprocess.Popen(argv, stdin=read, stdout=null, stderr=subprocess.PIPE, cwd=sbx.cwd)
    os.close(read)
    assert run.stderr.read(7) == b"written"
    # What still is in the pipe is less than a hundredth.
    rate = SIZE / MB / cpu_seconds(run.pid)
    os.close(write)
    assert run.wait() == 0
    run.stderr.close()
    print(f"{kind}: {rate:.0f} MB/s")
    assert rate * FACTOR >= 200
