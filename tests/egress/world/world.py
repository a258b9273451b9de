"""A test internet of network namespaces, and the way into the host's side of it, where sbx runs.

Root makes the namespaces as they are; an ordinary user makes them in a user namespace of his own, in which he
stays who he is: sbx then starts there, without any right, as on a host. Nothing of this machine's network or
mounts changes, and all of it goes with one process.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from egress.world import files

HERE = Path(__file__).resolve().parent
SERVICES_UID = 60001  # of root's services: nobody else's


class World:
    def __init__(self, folder, image):
        self.folder, self.image, self.process = folder, image, None
        self.srv = folder / "srv"
        self.is_root = os.geteuid() == 0

    def start(self):
        files.write_all(self.srv)
        uid = os.geteuid()
        if self.is_root:
            uid = SERVICES_UID
            subprocess.run(["chown", "-R", f"{uid}:{uid}", self.srv], check=True)
        own = [] if self.is_root else ["--user", "--map-current-user", "--keep-caps"]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                ["unshare", *own, "--net", "--mount", "--propagation", "private", sys.executable, "-B",
                 HERE / "holder.py", self.srv, self.image, str(uid)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
        if self.process.stdout.readline() != b"ready\n":
            self.stop()
            raise RuntimeError(f"no test internet:\n{(self.folder / 'log').read_text()}")

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def prefix(self, cwd=None):
        """What makes a command line run on the host's side."""
        user = [] if self.is_root else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self.process.pid}", *user, "--net", "--mount",
                *(["env", "-C", str(cwd)] if cwd else [])]

    def run(self, *command, **options):
        """A command on the host's side, without sbx."""
        return subprocess.run([*self.prefix(), *map(str, command)], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, **options)

    def seen(self, service=None, **like):
        """What the small services noted."""
        lines = [json.loads(line) for line in (self.srv / "log/seen").read_text().splitlines()]
        return [e for e in lines if (service is None or e["service"] == service)
                and all(e.get(key) == value for key, value in like.items())]

    def wait_seen(self, service, seconds=5, **like):
        """What it noted, once it has: it may be behind the run's end."""
        deadline = time.monotonic() + seconds
        while not (found := self.seen(service, **like)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return found

    def queries(self):
        """The names that the internet's DNS server was asked for."""
        text = (self.srv / "log/queries").read_text()
        return [line.split("query[", 1)[1].split()[1] for line in text.splitlines() if "query[" in line]
