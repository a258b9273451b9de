"""A client of `sbx mcp` that speaks the protocol by hand: each message is a line, and none is made nicer than it is."""
import json
import os
import selectors
import signal
import subprocess
import time

from . import features, slow

LATEST = "2025-11-25"  # of the revisions with a handshake
MODERN = "2026-07-28"
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"}}
PATIENCE = 30 * slow.FACTOR


class Gone(Exception):
    """The server has closed its output."""


class Client:
    """One server and its session. `words`: the profile and flags of `sbx mcp`. `ends`: its socket and ours instead of a
    pipe to it."""

    def __init__(self, sbx, *words, env=None, revision=LATEST, cwd=None, ends=None):
        degraded = [] if features.why_not("cgroup") is None else ["--degrade", "cgroup"]
        self.sbx, self.revision = sbx, revision
        self.words = [str(sbx.binary), "mcp", *map(str, words), *degraded]
        self.process = subprocess.Popen(self.words, stdin=ends[0] if ends else subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=cwd or sbx.cwd, env={**os.environ, **(env or {})},
                                        start_new_session=True)
        if ends:
            self.process.stdin = ends[1].makefile("wb")
        self.notes, self.answers, self._rest, self._next = [], {}, bytearray(), 0

    def begin(self):
        """The handshake of its revision, if that has one."""
        revision = self.revision
        if revision == MODERN or revision is None:
            return
        begun = self.request("initialize", protocolVersion=revision, capabilities={},
                             clientInfo={"name": "tests", "version": "1"})
        assert begun["protocolVersion"] == revision
        self.notify("notifications/initialized")

    # what it sends
    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, _meta=None, **params):
        """Sends a request and returns its id."""
        self._next += 1
        meta = {**(ENVELOPE if self.revision == MODERN else {}), **(_meta or {})}
        if meta:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    # what it gets
    def read(self, patience=PATIENCE):
        """The next message, or a batch of them, parsed strictly."""
        end = time.monotonic() + patience
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            looked = 0  # a line may be long, and comes in many pieces
            while (end_of_line := self._rest.find(b"\n", looked)) < 0:
                looked = len(self._rest)
                if not selector.select(max(0, end - time.monotonic())):
                    raise AssertionError(f"no message within {patience} s")
                data = os.read(self.process.stdout.fileno(), 1 << 20)
                if not data:
                    raise Gone(self.process.stderr.read().decode(errors="replace"))
                self._rest += data
        line = bytes(self._rest[:end_of_line])
        del self._rest[:end_of_line + 1]
        return json.loads(line)

    def response(self, number, patience=PATIENCE):
        """The whole message that answers request `number`."""
        while number not in self.answers:
            message = self.read(patience)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.notes.append(message)
        return self.answers.pop(number)

    def request(self, method, **params):
        """The result of a request."""
        response = self.response(self.ask(method, **params))
        assert "result" in response, response
        return response["result"]

    def error(self, method, **params):
        response = self.response(self.ask(method, **params))
        assert "error" in response, response
        return response["error"]

    def call(self, tool, **arguments):
        """What a tool gives: the result of tools/call."""
        return self.request("tools/call", name=tool, arguments=arguments)

    def start(self, tool, progress=None, **arguments):
        """Calls a tool and returns the request's id."""
        return self.ask("tools/call", _meta=None if progress is None else {"progressToken": progress}, name=tool,
                        arguments=arguments)

    def shell(self, script, **arguments):
        """The data of a run that the sandbox let end by itself."""
        result = self.call("run_shell", script=script, **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def refused(self, tool, **arguments):
        """What a tool says that does not do it."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        return result["content"][0]["text"]

    def wait_for_note(self, text, patience=PATIENCE):
        """Until a notification has `text`."""
        while not any(text in json.dumps(note) for note in self.notes):
            message = self.read(patience)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.notes.append(message)

    # how it ends
    def close(self, patience=PATIENCE):
        """Closes our end; returns the exit code and what the server said on standard error."""
        self.process.stdin.close()
        return self.ended(patience)

    def ended(self, patience=PATIENCE):
        code = self.process.wait(patience)
        return code, self.process.stderr.read().decode(errors="replace")

    def kill(self):
        """SIGKILL to the server, and then to nobody else."""
        self.sbx.killed = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def tidy(self):
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
