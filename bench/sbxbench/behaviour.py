"""What each does with a command that tries something: the same attempts for all, and no word from any manual."""
import os
import pty
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PYTHON = "/usr/bin/python3"
FORKS, MEMORY_MIB, FLOOD_MIB, PATIENCE = 300, 1536, 64, 70  # more than any sane default would let pass
SETTLED_S = 2  # what a sandbox has to clean up in after its launcher was killed


class Behaviour:
    def __init__(self, bench):
        self.bench, self.user = bench, bench.user
        shutil.copy(Path(__file__).resolve().parents[1] / "look.py", bench.workspace / "look.py")
        self.secret = f"SBX_COMPARE_{secrets.token_hex(4)}"
        self.user.env = {**self.user.env, self.secret: "1"}

    def argv(self, tool, command):
        return [word.replace("{slot}", "0") for word in self.bench.argv(tool, command)]

    @staticmethod
    def reporting(tool, *command):
        """Asked for its result as well, where it has one: the others know no flag more."""
        return [str(word).replace("{slot}", "0") for word in tool.words(list(command), ["--json"])]

    def run(self, tool, *command, timeout=60):
        return self.user.run(self.argv(tool, command), self.bench.workspace, self.bench.view_of(tool), timeout)

    def look(self, tool, *words, timeout=60):
        """What look.py said; None if it was ended before it could."""
        place = f"{tool.work or self.bench.workspace}/look.py"
        done = self.run(tool, PYTHON, place, *map(str, words), timeout=timeout)
        said = [line for line in done.stdout.splitlines() if line.startswith("look: ")]
        return said[-1].removeprefix("look: ") if said else None

    def home(self, tool):
        with tempfile.NamedTemporaryFile(prefix=".sbx-compare-", dir=self.user.env["HOME"]) as canary:
            os.chown(canary.name, self.user.uid, self.user.gid)
            return self.look(tool, "home", canary.name) == "yes"

    def environment(self, tool):
        return self.look(tool, "env", self.secret) == "yes"

    def loopback(self, tool):
        with socket.create_server(("127.0.0.1", 0)) as server:
            return self.look(tool, "connect", server.getsockname()[1]) == "yes"

    def abstract(self, tool):
        name = secrets.token_hex(8)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"\0{name}")
            server.listen()
            return self.look(tool, "abstract", name) == "yes"

    def types(self, tool):
        """Whether it can type into the terminal that it was started from."""
        place = f"{tool.work or self.bench.workspace}/look.py"
        argv = self.argv(tool, [PYTHON, place, "type"])
        master, slave = pty.openpty()
        view = self.bench.view_of(tool)
        words = ["setsid", "--ctty", "--wait", *(view.words(self.user) if view else []), *argv]
        own = {} if view or not self.user.other else {"user": self.user.uid, "group": self.user.gid, "extra_groups": []}
        process = subprocess.Popen(list(map(str, words)), stdin=slave, stdout=slave, stderr=slave, env=self.user.env,
                                   cwd=self.bench.workspace, **own)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(slave)
        said = b""
        try:
            while data := os.read(master, 4096):
                said += data
        except OSError:
            pass  # all of it was read
        os.close(master)
        return b"look: yes" in said

    def processes(self, tool):
        return self.look(tool, "processes", FORKS) == "yes"

    def memory(self, tool):
        return self.look(tool, "memory", MEMORY_MIB) == "yes"

    def output(self, tool):
        place = f"{tool.work or self.bench.workspace}/look.py"
        return len(self.run(tool, PYTHON, place, "flood", str(FLOOD_MIB)).stdout) >= FLOOD_MIB << 20

    def sleeping(self, tool, report=False):
        """The launcher of a command that sleeps by now, and the words by which that one is known."""
        seconds = str(10**6 + secrets.randbelow(10**6))
        argv = self.reporting(tool, "/bin/sleep", seconds) if report else self.argv(tool, ["/bin/sleep", seconds])
        process = self.user.popen(argv, self.bench.workspace, self.bench.view_of(tool), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        while not _sleeping(seconds):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError(f"{tool.name} does not start sleep")
            time.sleep(0.02)
        return process, seconds

    def tells_a_signal(self, tool):
        """Whether anything it returns or says (sbx with --json) tells exit code 137 from a SIGKILL."""
        exited = self.user.run(self.reporting(tool, "/bin/sh", "-c", "exit 137"), self.bench.workspace, self.bench.view_of(tool))
        process, seconds = self.sleeping(tool, True)
        for pid in _sleeping(seconds):
            os.kill(pid, signal.SIGKILL)
        said, _ = process.communicate(timeout=30)
        return (exited.returncode, _status(exited.stdout + exited.stderr)) != (process.returncode, _status(said))

    def outlives(self, tool):
        """Whether the command is still there after the launcher was killed."""
        process, seconds = self.sleeping(tool)
        process.kill()
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + SETTLED_S
        while (left := _sleeping(seconds)) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        tool.slots(0)
        return bool(left)

    def measure(self, tool):
        if (said := self.look(tool, "env", "PATH")) is None:
            self.bench.note(f"{tool.name} does not start Python here as {self.user.name}.")
            return None
        assert said
        return {name: way(self, tool) for name, way in WAYS.items()}

    def patient(self, tools):
        """Who lets a command run for longer than PATIENCE seconds; all at the same time."""
        running = {tool.name: self.user.popen(self.argv(tool, ["/bin/sleep", str(PATIENCE)]), self.bench.workspace,
                                              self.bench.view_of(tool), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL) for tool in tools}
        return {name: process.wait() == 0 for name, process in running.items()}


WAYS = {"home": Behaviour.home, "environment": Behaviour.environment, "loopback": Behaviour.loopback,
        "abstract": Behaviour.abstract, "types": Behaviour.types, "processes": Behaviour.processes,
        "memory": Behaviour.memory, "output": Behaviour.output, "signal": Behaviour.tells_a_signal,
        "outlives": Behaviour.outlives}


def _status(text):
    """The status in a result of sbx; of others all that they have said."""
    found = re.search('"status":"([a-z_]+)"', text)
    return found[1] if found else text.strip()


def _sleeping(seconds):
    """The processes `sleep SECONDS`, wherever they are."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # gone meanwhile
            if words[:2] == [b"/bin/sleep", seconds.encode()]:
                found.append(int(folder.name))
    return found
