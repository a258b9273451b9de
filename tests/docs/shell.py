"""One shell for a whole page: what a command changes (its folder, a variable, `$?`) the next one finds."""
import contextlib
import os
import pty
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SECONDS = 120


class Late(AssertionError):
    """A command did not end."""


class Shell:
    def __init__(self, folder, env, around=(), notes=None):
        """`around`: words before bash; `notes`: a folder for our files, and its name where bash runs."""
        self.notes = None if notes else tempfile.TemporaryDirectory(prefix="shell-")
        place, self.seen = notes or (self.notes.name, self.notes.name)
        self.script, self.out = Path(place) / "command", Path(place) / "out"
        self.code, self.said = 0, ""
        read, write = os.pipe()
        self.codes = read
        # Not a session of its own, in which the first terminal that it opens would end it.
        self.process = subprocess.Popen([*around, "bash", "--norc", "--noprofile"], cwd=folder, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[write],
                                        process_group=0)
        os.close(write)
        self.write = write  # its number, in the shell

    def run(self, command, terminal=False, seconds=SECONDS):
        """(exit code, what it printed on both streams)."""
        self.script.write_text(command + "\n")
        self.out.touch()
        self.out.chmod(0o666)  # bash may be somebody else's, and so may the terminal be
        master, slave = pty.openpty() if terminal else (None, None)
        if terminal:
            os.fchmod(slave, 0o666)
        place = os.ttyname(slave) if terminal else None
        streams = f"<{place} >{place} 2>&1" if terminal else f"</dev/null >{self.seen}/out 2>&1"
        line = f"(exit {self.code}); . {self.seen}/command {streams} {self.write}>&-; echo $? >&{self.write}\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        said = self._wait(command, seconds, master)
        if terminal:
            os.close(slave)
            os.close(master)
            return self.code, said
        return self.code, self.out.read_text(errors="replace")

    def _wait(self, command, seconds, master):
        deadline, said = time.monotonic() + seconds, b""
        sources = [self.codes] + ([master] if master is not None else [])
        while True:
            ready, _, _ = select.select(sources, [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self.close()
                raise Late(f"still running after {seconds} s: {command}\n{said.decode(errors='replace')}")
            if master in ready:
                said += os.read(master, 65536)
            elif self.codes in ready:
                text = os.read(self.codes, 16)
                if not text:
                    raise AssertionError(f"the shell ended at: {command}")
                self.code = int(text)
                return said.decode(errors="replace")

    def close(self):
        """Ends the shell and what it has started in the background."""
        if self.codes is None:
            return
        os.close(self.codes)
        self.codes = None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)  # what is around it may have to clean up
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.notes:
            self.notes.cleanup()
