"""The parts of the standard library that lean on the kernel, on C libraries, or on files of the host."""
import bz2
import compileall
import ctypes
import datetime
import getpass
import json
import locale
import lzma
import mmap
import os
import platform
import random
import resource
import secrets
import select
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import uuid
import zlib
import zoneinfo

folder = tempfile.mkdtemp()
os.chdir(folder)

base = sqlite3.connect("base.db")
base.execute("pragma journal_mode=wal")
base.execute("create table t(n integer, s text)")
base.executemany("insert into t values(?, ?)", [(n, str(n)) for n in range(1000)])
base.commit()
assert base.execute("select sum(n), count(s) from t").fetchone() == (499500, 1000)
base.close()

assert ssl.create_default_context().get_ca_certs(), "no certificate authorities"
assert ctypes.CDLL(None).getpid() == os.getpid()
for packer in (bz2, lzma, zlib):
    assert packer.decompress(packer.compress(b"x" * 10000)) == b"x" * 10000
assert zoneinfo.ZoneInfo("Europe/Paris").utcoffset(datetime.datetime(2024, 7, 1)).seconds == 7200
assert len(secrets.token_bytes(32)) == 32 and uuid.uuid4() != uuid.uuid4() and random.SystemRandom().random() < 1

with open("map", "wb+") as file:
    file.truncate(1 << 20)
    with mmap.mmap(file.fileno(), 0) as view:
        view[:3] = b"abc"
    file.seek(0)
    assert file.read(3) == b"abc"
os.symlink("map", "link")
os.utime("map", (1, 10**9))
assert os.stat("link").st_mtime == 10**9 and os.scandir(".") and shutil.disk_usage(".").free > 0
os.fchmod(os.open("map", os.O_RDONLY), 0o600)
assert os.sendfile(os.memfd_create("m"), os.open("map", os.O_RDONLY), 0, 100) == 100
shutil.make_archive("all", "zip", ".", "map")

poll, (near, far) = select.epoll(), socket.socketpair()
poll.register(far, select.EPOLLIN)
near.send(b"x")
assert poll.poll(10)[0][0] == far.fileno()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
udp.sendto(b"y", udp.getsockname())
assert udp.recv(10) == b"y"
assert socket.gethostbyname("localhost") == "127.0.0.1" and socket.gethostname()

signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
assert subprocess.run([sys.executable, "-c", "import sys; sys.exit(3)"]).returncode == 3
assert subprocess.run("echo $((1 + 1))", shell=True, capture_output=True, text=True).stdout == "2\n"
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 256
assert os.cpu_count() and os.sched_getaffinity(0) and os.getloadavg() and platform.machine() == "x86_64"
assert time.clock_gettime(time.CLOCK_MONOTONIC) > 0 and getpass.getuser() and locale.setlocale(locale.LC_ALL, "C.UTF-8")
with open("module.py", "w") as file:
    file.write("x = 1\n")
assert compileall.compile_file("module.py", quiet=1) and json.loads("[1]") == [1]
print("library fine", "é ✓")
