"""Sandbox: runs commands with one profile and one workspace folder."""
from __future__ import annotations

import inspect
import json
import os
import secrets
import tempfile
import weakref
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union, cast

from . import binary as sbx
from . import folder, guardian, options, schema
from .decode import Decoder, decode
from .document import yaml
from .errors import Closed, CommandFailed
from .place import here
from .process import Cancelled, Process
from .result import Result
from .runs import Runs
from .source import Bytes, Data, source

Profile = Union[str, "os.PathLike[str]", Dict[str, Any]]
Arg = Union[str, bytes, "os.PathLike[str]"]
Text = Union[str, Bytes]
Sink = Callable[[bytes], Any]
EventSink = Callable[[schema.Event], Any]
MODES = ("ro", "rw", "overlay", "none")


class Sandbox:
    """A profile, overrides, and a workspace; `run` starts one command in a fresh sandbox made of them.

    profile: a name (`sbx profiles ls`), a path, or a dict that is one, whose `version` may be left out. None:
    `default`. Paths in a dict must be absolute.
    workspace: None, a temporary folder that the command may write to and that goes with `close`; "ro",
    "overlay": such a folder, in this mode; "DIR[:MODE]": a folder of yours, as in --workspace; "none"; False:
    what the profile says.
    binary: the sbx to use, else the variable SBX_BIN, else `sbx`; a name without a slash is looked up in PATH.
    overrides: the flags of `sbx run --help`, see options.flags.

    Relative paths, of a run too, are relative to the folder that the process is in now, wherever it goes later.

    Raises SbxError when there is no sbx. Runs may be started from several threads at once.
    """

    def __init__(self, profile: Optional[Profile] = None, *, workspace: Union[sbx.StrPath, bool, None] = None,
                 binary: Optional[sbx.StrPath] = None, **overrides: Any) -> None:
        self.binary = sbx.find(binary)
        self._place = here()
        self._flags = options.flags(overrides)
        self._folder: Optional[str] = None
        self._owner = os.getpid()
        self._detach: Optional[Callable[[], Any]] = None
        self._runs = Runs()
        asked = "rw" if workspace is None else "" if workspace is False else os.fspath(cast(str, workspace))
        own = asked in MODES and asked != "none"
        if own or isinstance(profile, dict):
            self._make_folder()
        if own:
            self._workspace = f"{self._folder}/workspace:{asked}"
            self.workspace: Optional[str] = f"{self._folder}/workspace"
        else:
            place, _, mode = asked.rpartition(":")
            self._workspace = asked
            found = place if mode in MODES and place else asked
            self.workspace = None if asked in ("", "none") else os.path.join(self._place or "", found)
        self._profile = self._profile_words(profile)

    def _make_folder(self) -> None:
        """The folder of this sandbox alone, which goes with it however this process ends.

        Whoever removes it knows of it before it is there: an exception of a signal handler may come in between.
        """
        name = os.path.join(os.path.abspath(tempfile.gettempdir()), f"sbx-client-{secrets.token_hex(16)}")
        self._folder = name
        self._detach = weakref.finalize(self, _remove, name, self._owner).detach
        guardian.keep(name)
        os.mkdir(name, 0o700)
        os.mkdir(f"{name}/workspace", 0o755)

    def _profile_words(self, profile: Optional[Profile]) -> List[str]:
        if profile is None:
            return []
        if isinstance(profile, dict):
            text = yaml({"version": 1, **profile}, indent=1)  # lines for sbx's messages
            path = f"{self._folder}/profile.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return [path]
        word = os.fspath(profile)
        if not word or word.startswith("-"):
            raise ValueError(f"profile {word!r} is neither a name nor a path; write ./{word} for a file")
        return [word if isinstance(profile, str) or "/" in word else f"./{word}"]

    def _words(self, overrides: Dict[str, Any]) -> List[str]:
        self._runs.check()
        place = [f"--workspace={self._workspace}"] if self._workspace else []
        return [*self._profile, *place, *self._flags, *options.flags(overrides)]

    def run(self, argv: Sequence[Arg], *, input: Data = None, timeout: Union[float, str, None] = None, check: bool = False,
            on_stdout: Optional[Sink] = None, on_stderr: Optional[Sink] = None,
            on_event: Optional[EventSink] = None, **overrides: Any) -> Result:
        """Runs `argv` once and returns how it ended. [] means the profile's own `command`.

        input: what the command reads: text, bytes, or a file, from where it stands, which is no terminal. None: nothing,
        or the file that the profile names.
        timeout: seconds of wall clock, or a text such as '1.5s', in place of the sandbox's limit (60 s unless it
        says otherwise); the result's status is then `timeout`.
        on_stdout, on_stderr: called with the bytes of each output as they come, in the order of both; on_event
        with every event (`sbx schema event`). One that raises ends the run, and its exception is passed on. One
        that is slow loses nothing: up to 64 MiB of events wait for it. Coroutine functions are for AsyncSandbox.
        overrides: flags of `sbx run` for this run.

        Raises SbxError when sbx fails, and CommandFailed if `check` and the command did. Whatever is raised, a
        KeyboardInterrupt too, the whole tree of the command has ended by then.
        """
        for name, sink in (("on_stdout", on_stdout), ("on_stderr", on_stderr), ("on_event", on_event)):
            if inspect.iscoroutinefunction(sink) or inspect.iscoroutinefunction(getattr(sink, "__call__", None)):
                raise TypeError(f"{name} is a coroutine function, which nobody awaits here: that is for AsyncSandbox")
        return self._run(argv, input, timeout, check, (on_stdout, on_stderr, on_event), overrides, -1)

    def _run(self, argv: Sequence[Arg], input: Data, timeout: Union[float, str, None], check: bool,
             sinks: Tuple[Optional[Sink], Optional[Sink], Optional[EventSink]], overrides: Dict[str, Any],
             cancel: int, watch: Optional[Callable[[], bool]] = None) -> Result:
        if isinstance(argv, (str, bytes)):
            raise TypeError("argv is a list of words, not one text; for a shell: ['sh', '-c', TEXT]")
        if timeout is not None:
            overrides = {**overrides, "timeout": timeout}
        # Last: what is given here wins over a file that the profile, or a `set`, names.
        words = [self.binary, "run", "--json", *self._words(overrides), *([] if input is None else ["--stdin=inherit"])]
        decoder = Decoder(*sinks) if any(sinks) else None
        words += ["--", *map(os.fsdecode, argv)] if argv else []
        process = Process(words, source(input), decoder.feed if decoder else None, self._runs,
                          self._place)
        try:
            with process:
                process.communicate(cancel, watch)
        except Cancelled:
            if not self._runs.closed:
                raise
            process.asked = True
        if process.asked:
            raise Closed
        result = decode(bytes(process.stdout), bytes(process.stderr), process.code, decoder.lost if decoder else 0)
        if check and not result.ok:
            raise CommandFailed(result)
        return result

    def write_file(self, path: str, data: Text, mode: int = 0o644) -> None:
        """Writes a file of the workspace, and the folders above it; `path` is relative to it.

        Text is written as UTF-8. Raises ValueError for a path that leads out, OSError when a link of the
        command's is in the way or the file is no plain one.
        """
        folder.write(self._root(), path, data.encode() if isinstance(data, str) else data, mode)

    def read_file(self, path: str, limit: int = folder.READ_LIMIT) -> bytes:
        """The content of a file of the workspace. Errors as for write_file; FileNotFoundError: it is not there.

        limit: the most bytes to read, 64 MiB unless told otherwise. OSError (EFBIG): the file has more.
        """
        return folder.read(self._root(), path, limit)

    def list_files(self) -> List[str]:
        """Sorted relative paths of all files in the workspace. Links are named and never followed."""
        return folder.list_files(self._root())

    def _root(self) -> str:
        self._runs.check()
        if not self.workspace:
            raise ValueError("this sandbox has no workspace folder")
        return self.workspace

    def artifacts(self, result: Result) -> List[schema.KeptArtifact]:
        """What is kept of a run with `collect`, from `sbx artifacts ls`. Raises SbxError."""
        listed = json.loads(sbx.call(self.binary, ["artifacts", "ls", result.id, "--json"]))
        return cast(List[schema.KeptArtifact], listed)

    def get_artifact(self, result: Result, path: Union[str, bytes]) -> bytes:
        """The content of one artifact, by its path inside the sandbox or its SHA-256. Raises SbxError.

        A path that is no UTF-8 is bytes (`path_base64`), or a text as list_files has it.
        """
        name = os.fsdecode(path)
        which = [result.id, name] if name.startswith("/") else [name]
        return sbx.call(self.binary, ["artifacts", "get", *which, "-o", "-"])

    def save_artifacts(self, result: Result, target: sbx.StrPath) -> None:
        """Writes all artifacts of a run below the folder `target`, each at its path inside. Raises SbxError."""
        sbx.call(self.binary, ["artifacts", "get", result.id, "-o", os.fspath(target)], self._place)

    def explain(self, argv: Sequence[str] = (), **overrides: Any) -> Dict[str, Any]:
        """The plan that `run` would execute, as `sbx explain --json` prints it. Raises SbxError."""
        words = ["explain", "--json", *self._words(overrides), *(["--", *argv] if argv else [])]
        return cast(Dict[str, Any], json.loads(sbx.call(self.binary, words, self._place)))

    def close(self) -> None:
        """Ends what still runs, and removes the temporary workspace.

        Runs that it ends, in other threads, raise SbxError. OSError: something of the workspace is still there, and the
        next call tries again.
        """
        self._runs.close()
        if self._folder and self._detach:
            _remove(self._folder, self._owner)
            self._detach()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def _remove(place: str, owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked child leaves: the folder is its parent's
    if os.path.lexists(place):
        folder.remove(place)
    guardian.forget(place)
