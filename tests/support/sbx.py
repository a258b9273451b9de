"""Runs the sbx binary as a user would and brings back everything that can be judged."""
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import features, leftovers, terminal


def shorten(data, limit=4000):
    text = data.decode(errors="replace") if isinstance(data, bytes) else str(data)
    return text if len(text) <= limit else f"{text[:limit // 2]}\n[...]\n{text[-limit // 2:]}"


@dataclass(repr=False)
class Run:
    """One ended run of sbx."""

    argv: list
    code: int  # sbx's own exit code; negative: killed by that signal
    stdout: bytes
    stderr: bytes
    result: dict = None  # the sbx.result/1 object; None: there was none
    events: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def out(self):
        return self.stdout.decode(errors="replace")

    @property
    def err(self):
        return self.stderr.decode(errors="replace")

    @property
    def status(self):
        return self.result["status"] if self.result else None

    def __repr__(self):
        result = json.dumps(self.result, indent=1) if self.result else "none"
        return (f"$ {' '.join(map(str, self.argv))}\nexit code {self.code} after {self.seconds:.2f} s\n"
                f"--- stdout\n{shorten(self.stdout)}\n--- stderr\n{shorten(self.stderr)}\n"
                f"--- result\n{shorten(result, 6000)}")

    def assert_ok(self):
        """The payload ran and returned 0."""
        __tracebackhide__ = True
        return self.assert_status("ok", 0)

    def assert_status(self, status, code=None):
        """How the run ended and, if given, sbx's exit code."""
        __tracebackhide__ = True
        if self.status != status or (code is not None and self.code != code):
            raise AssertionError(f"expected {status}, exit code {code}; got {self.status}\n{self}")
        return self

    def assert_nonzero(self, code):
        """The payload ran and returned `code` by itself."""
        __tracebackhide__ = True
        return self.assert_status("nonzero", code)

    def assert_refused(self, *words):
        """sbx gave 125 before the payload started, and its message has all of `words` (any case)."""
        __tracebackhide__ = True
        absent = [w for w in words if w.lower() not in self.err.lower()]
        if self.code != 125 or not self.err.startswith("sbx: ") or absent:
            raise AssertionError(f"expected 125 and a message with {list(words)}; lacking {absent}\n{self}")
        return self


class Running:
    """A run under way. Ends with `wait`, or at the latest with the test."""

    def __init__(self, owner, argv, process, channels, started, tty=None):
        self.argv, self.process, self.tty = argv, process, tty
        self._owner, self._channels, self._started = owner, channels, started

    @property
    def pid(self):
        return self.process.pid

    def processes(self):
        """{(pid, start time): name} of what runs below the supervisor, as the host sees it."""
        return leftovers.descendants(self.pid)

    def signal(self, number):
        if number == signal.SIGKILL:
            self._owner.killed = True
        self.process.send_signal(number)

    def kill(self):
        """SIGKILL to the supervisor: the one end that it cannot see coming."""
        self.signal(signal.SIGKILL)

    def read_until(self, text, timeout=20):
        """Reads the payload's stdout (or terminal) until `text` (bytes) was seen; returns all of it."""
        source = self.tty.fd if self.tty else self.process.stdout.fileno()
        return terminal.read_until(source, text, timeout)

    def wait(self, stdin=None, timeout=60):
        """Feeds `stdin`, reads both outputs to their end, and returns the Run."""
        try:
            if self.tty:
                stdout, stderr = self.tty.drain(self.process, timeout), b""
            else:
                stdout, stderr = self.process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired as late:
            self._owner.killed = True
            ended = self.process.poll() is not None
            self.process.kill()
            what = "its output was still open" if ended else "sbx had not ended"
            raise AssertionError(f"{what} after {timeout} s\n$ {' '.join(map(str, self.argv))}\n"
                                 f"--- stdout\n{shorten(late.stdout or b'')}\n"
                                 f"--- stderr\n{shorten(late.stderr or b'')}") from None
        seconds = time.monotonic() - self._started
        texts = {name: _read_all(fd) for name, fd in self._channels.items()}
        self._channels.clear()
        result = json.loads(texts["result"]) if texts.get("result", "").strip() else None
        events = [json.loads(line) for line in texts.get("events", "").splitlines()]
        return Run(self.argv, self.process.returncode, stdout or b"", stderr or b"", result, events, seconds)


def _read_all(fd):
    with os.fdopen(fd, "rb") as file:
        file.seek(0)
        return file.read().decode()


class Sbx:
    """The program under test. `cwd` is an empty folder of the test's own, the default workspace."""

    def __init__(self, binary, folder):
        self.binary = str(binary)
        self.folder = Path(folder)
        self.cwd = self.folder / "work"
        self.cwd.mkdir(exist_ok=True)
        self.killed = False  # a supervisor was ended by SIGKILL: it could not remove its cgroups
        self.running = []
        # Outside of scripts/test an ordinary user seldom owns a cgroup: everything but the limits
        # can be tested all the same. Tests of limits say needs("cgroup").
        self.degraded = [] if features.why_not("cgroup") is None else ["--degrade", "cgroup"]
        self._profiles = 0

    def around(self, cwd):
        """What stands before sbx on the command line: nothing. Tests that put sbx elsewhere override it."""
        return []

    def profile(self, content):
        """Writes a profile, from YAML text or from a dict, and returns its path."""
        self._profiles += 1
        path = self.folder / f"profile-{self._profiles}.yaml"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def _argv(self, verb, profile, flags, cmd, bare):
        if isinstance(profile, dict) or (isinstance(profile, str) and "\n" in profile):
            profile = self.profile(profile)
        argv = [self.binary, verb] + ([str(profile)] if profile is not None else [])
        argv += ([] if bare else self.degraded) + [str(f) for f in flags]
        return argv + (["--", *map(str, cmd)] if cmd else [])

    def spawn(self, profile=None, flags=(), cmd=(), stdin=None, cwd=None, env=None, json=False,
              events=False, result=True, bare=False, tty=False, pass_fds=()):
        """Starts `sbx run` and returns a Running. `profile`: name, path, YAML text (with a newline) or
        dict. `stdin`: None (empty), subprocess.PIPE, or a file. `env`: added to ours. `bare`: without the
        flags that make tests run on a weaker host. `tty`: sbx gets a terminal of its own, 80x24."""
        flags, channels = list(flags), {}
        for name, wanted in (("result", result and not json), ("events", events)):
            if wanted:
                channels[name] = os.memfd_create(name)
                os.lseek(channels[name], 0, os.SEEK_SET)
                flags += [f"--{name}", f"fd:{channels[name]}"]
        if json:
            flags.append("--json")
        argv = self.around(cwd or self.cwd) + self._argv("run", profile, flags, cmd, bare)
        pty = terminal.Terminal() if tty else None
        files = dict(stdin=pty.side, stdout=pty.side, stderr=pty.side, preexec_fn=pty.adopt) if tty else \
            dict(stdin=subprocess.DEVNULL if stdin is None else stdin, stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE)
        started = time.monotonic()
        process = subprocess.Popen(argv, cwd=cwd or self.cwd, env={**os.environ, **(env or {})},
                                   pass_fds=[*channels.values(), *pass_fds], start_new_session=not tty, **files)
        if pty:
            pty.close_side()
        running = Running(self, argv, process, channels, started, pty)
        self.running.append(running)
        return running

    def run(self, profile=None, flags=(), cmd=(), stdin=None, timeout=60, **options):
        """`sbx run` to its end: a Run. `stdin` may be bytes or str as well; the rest is as for spawn.
        With json=True the result is read from stdout, as a caller would."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        feed = isinstance(data, bytes)
        running = self.spawn(profile, flags, cmd, subprocess.PIPE if feed else data, **options)
        run = running.wait(data if feed else None, timeout)
        if options.get("json"):
            run.result = json.loads(run.stdout)
        return run

    def call(self, *arguments, stdin=b"", cwd=None, env=None, timeout=60):
        """Any other command line of sbx; a Run without a result."""
        argv = [*self.around(cwd or self.cwd), self.binary, *map(str, arguments)]
        started = time.monotonic()
        done = subprocess.run(argv, input=stdin, capture_output=True, cwd=cwd or self.cwd, timeout=timeout,
                              env={**os.environ, **(env or {})})
        return Run(argv, done.returncode, done.stdout, done.stderr, None, [], time.monotonic() - started)

    def close(self):
        """Ends what the test did not wait for, and the supervisors' remains that only we can collect."""
        for running in self.running:
            if running.process.poll() is None:
                running.kill()
            running.process.wait()
            for stream in (running.process.stdin, running.process.stdout, running.process.stderr):
                if stream:
                    stream.close()
            if running.tty:
                running.tty.close()
            for fd in running._channels.values():
                os.close(fd)
        self.reap()

    def reap(self):
        """A killed supervisor that nobody has collected counts as one that may be alive."""
        for name in (Path(self.binary).name[:15], "exe"):  # that of the runs of `sbx mcp` (/proc/self/exe)
            leftovers.reap_orphans(name, {r.pid for r in self.running})
