"""SbxSession: the backend "sbx" of llm-sandbox. Importing this module registers it.

    from llm_sandbox import SandboxSession
    import sbx.adapters.llm_sandbox

    with SandboxSession(backend="sbx", lang="python", memory="256M") as session:
        print(session.run("print(6 * 7)").stdout)

Each command is a run of its own; the session keeps the workspace (and the folder of plots), so that files stay there, and
processes do not. There is no image and no container; libraries are those that the sandbox has, and asking for others is an error.
"""
from __future__ import annotations

import io
import os
import posixpath
import shlex
import tarfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import folder
from ..errors import Closed, SbxError
from ..options import values
from ..result import Result
from ..sandbox import Sandbox
from .missing import missing
from .words import ending, shell

try:
    from llm_sandbox import backends
    from llm_sandbox.const import SupportedLanguage
    from llm_sandbox.core.config import SessionConfig
    from llm_sandbox.core.session_base import BaseSession
    from llm_sandbox.data import ConsoleOutput
    from llm_sandbox.exceptions import (CommandEmptyError, LibraryInstallationNotSupportedError, NotOpenSessionError,
                                        SandboxError, SandboxTimeoutError)
except ImportError as error:
    raise missing("llm_sandbox", "llm_sandbox", error) from None

PROFILES = {"python": "python", "javascript": "node", "cpp": "build", "go": "build", "java": "build"}
PLOTS = "/tmp/sandbox_plots"  # where ArtifactSandboxSession has them written, and reads them after the run
LACKING = ("import sys\nfrom importlib import metadata, util\nfor name in sys.argv[1:]:\n try:\n"
           "  if util.find_spec(name) is None: metadata.version(name)\n except Exception: print(name)\n")
CONTAINERS = ("image", "dockerfile", "container_id", "runtime_configs", "keep_template", "commit_container", "client")
Stream = Optional[Callable[[str], None]]


class LibraryNotThereError(LibraryInstallationNotSupportedError):  # what llm-sandbox's users catch
    """Libraries were asked for that the sandbox does not have: sbx installs none."""

    def __init__(self, names: List[str]) -> None:
        SandboxError.__init__(self, f"not in the sandbox: {', '.join(names)}; sbx installs nothing: take a profile "
                                    "whose python3 has it, such as a root with an image, or a virtualenv in PATH")


class SbxSession(BaseSession):
    """A session of llm-sandbox whose commands run with sbx.

    profile: of sbx; None: python, node or build, as the language asks. overrides: flags of `sbx run`.
    The other arguments are llm-sandbox's own. Those that are about containers are refused.
    """

    container: Any  # a Sandbox while the session is open, else None

    def __init__(self, lang: str = "python", *, profile: Any = None, workdir: Optional[str] = "/sandbox",
                 verbose: bool = False, stream: bool = False, libraries: Optional[List[str]] = None,
                 env_vars: Optional[Dict[str, str]] = None, default_timeout: Optional[float] = 60.0,
                 execution_timeout: Optional[float] = None, session_timeout: Optional[float] = None,
                 skip_environment_setup: bool = False, encoding_errors: Any = "strict", security_policy: Any = None,
                 binary: Any = None, **overrides: Any) -> None:
        wrong = [name for name in CONTAINERS if overrides.pop(name, None)]
        if wrong:
            raise ValueError(f"the backend sbx has no containers, and takes no {', '.join(wrong)}; "
                             "an image is the root of a profile: root: {oci: IMAGE}")
        config = SessionConfig(lang=SupportedLanguage(lang), workdir=workdir or "/sandbox", verbose=verbose,
                               default_timeout=default_timeout, execution_timeout=execution_timeout,
                               session_timeout=session_timeout, skip_environment_setup=skip_environment_setup,
                               encoding_errors=encoding_errors, security_policy=security_policy)
        super().__init__(config, libraries=libraries)
        self.stream = stream
        self.last_result: Optional[Result] = None
        """The sbx Result of the last command: status, denials, memory and the rest."""
        name = str(config.lang)
        self._made = {"profile": profile or PROFILES.get(name, "default"), "binary": binary, **overrides}
        self._plots = ""
        self._made["env"] = [*values("env", overrides.get("env")), *values("env", env_vars)]
        self._made["set"] = [*values("set", overrides.get("set")), f"workspace.at={self.config.workdir}"]
        if name == "python":
            self.language_handler.config.execution_commands = ["python3 {file}"]

    @property
    def python_executable_path(self) -> str:
        """The interpreter that the profile shows; there is no virtualenv."""
        return "python3"

    def open(self) -> None:
        """Makes the workspace, and sees that a command starts. Raises SandboxError, and for libraries not there."""
        if self.is_open:
            return
        try:
            self.container = Sandbox(**self._made)
            self._plots = os.path.join(os.path.dirname(str(self.container.workspace)), "plots")
            os.mkdir(self._plots, 0o755)
            super().open()
            self._call(["true"], None, None, None)
            self.install(self._initial_libraries)
        except (SbxError, ValueError) as error:
            self.close()
            raise SandboxError(str(error)) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends a command that still runs, and removes the workspace."""
        super().close()
        box, self.container = self.container, None
        if box:
            box.close()

    def environment_setup(self) -> None:
        """Nothing to set up: no virtualenv, no pip."""

    def install(self, libraries: Optional[List[str]] = None) -> None:
        """Sees that the libraries are there already. Raises LibraryNotThereError with those that are not."""
        if not libraries:
            return
        if self.language_handler.name != "python":
            raise LibraryNotThereError(list(libraries))
        lacking = self._call(["python3", "-c", LACKING, *map(str, libraries)], None, None, None).stdout_text.split()
        if lacking or not (self.last_result and self.last_result.ok):
            raise LibraryNotThereError(lacking or list(libraries))

    def run(self, code: str, libraries: Optional[List[str]] = None, timeout: Optional[float] = None,
            on_stdout: Stream = None, on_stderr: Stream = None) -> ConsoleOutput:
        """Runs a program. Raises SandboxTimeoutError when it took too long; the session can still be used."""
        self._require_open()
        self.install(libraries)
        name = f"{os.urandom(8).hex()}.{self.language_handler.file_extension}"
        self.container.write_file(name, code)
        path = posixpath.join(self.config.workdir, name)
        # In one run: what a compiler leaves in /tmp is gone in the next.
        command = " && ".join(self.language_handler.get_execution_commands(path))
        return self._command(command, None, timeout, on_stdout, on_stderr)

    def execute_command(self, command: str, workdir: Optional[str] = None, on_stdout: Stream = None,
                        on_stderr: Stream = None) -> ConsoleOutput:
        """Runs one command of the shell. Raises SandboxTimeoutError when it took too long."""
        if not command:
            raise CommandEmptyError
        return self._command(command, workdir, None, on_stdout, on_stderr)

    def _command(self, command: str, workdir: Optional[str], timeout: Optional[float], on_stdout: Stream,
                 on_stderr: Stream) -> ConsoleOutput:
        seconds = timeout or self.config.get_execution_timeout()
        if workdir and workdir != self.config.workdir:
            command = f"cd -- {shlex.quote(workdir)} || exit\n{command}"  # all of it runs there, or nothing does
        result = self._call(shell(command), seconds, on_stdout, on_stderr)
        if result.status == "timeout":
            raise SandboxTimeoutError(result.reason["text"], seconds)
        errors = self.config.encoding_errors
        stderr = result.stderr.decode(errors=errors)
        if result.status != "nonzero" and not result.ok or result.denials:
            stderr += "".join(f"sbx: {line}\n" for line in ending(result))  # or nobody would learn of it
        return ConsoleOutput(exit_code=result.code, stdout=result.stdout.decode(errors=errors), stderr=stderr)

    def _require_open(self) -> None:
        if not self.container or not self.is_open:
            raise NotOpenSessionError
        self._check_session_timeout()

    def _call(self, words: List[str], seconds: Optional[float], on_stdout: Stream, on_stderr: Stream) -> Result:
        """One run, which `close` of another thread can end. Raises SandboxError."""
        self._require_open()
        limits: Dict[str, Any] = {"timeout": "none" if seconds is None else float(seconds),
                                  "rw": f"{self._plots}:{PLOTS}"}  # beside the sandbox's own
        try:
            sinks = (self._text(on_stdout), self._text(on_stderr), None)
            self.last_result = self.container._run(words, None, None, False, sinks, limits, -1)
        except Closed:
            raise NotOpenSessionError from None
        except SbxError as error:
            raise SandboxError(str(error)) from error
        assert self.last_result is not None
        return self.last_result

    def _text(self, sink: Stream) -> Optional[Callable[[bytes], None]]:
        if sink is None:
            return None
        call = sink
        return lambda data: call(data.decode(errors="replace"))

    def _place(self, path: str) -> Tuple[str, str]:
        """The host's folder that a path of the sandbox is in, and what follows. Raises ValueError for what is not kept."""
        whole = posixpath.normpath(posixpath.join(self.config.workdir, path))
        for inside, outside in ((posixpath.normpath(self.config.workdir), self.container.workspace), (PLOTS, self._plots)):
            if ".." not in path.split("/") and posixpath.commonpath([whole, inside]) == inside:
                return outside, posixpath.relpath(whole, inside)
        raise ValueError(f"{path} is outside of {self.config.workdir}, which is all that is kept")

    def copy_to_runtime(self, src: str, dest: str) -> None:
        """Copies a file or a folder of the host into the workspace. Links inside a folder are left out."""
        self._require_open()
        (root, place), source = self._place(dest), Path(src)
        if not source.exists():
            raise FileNotFoundError(f"Source path {src} does not exist or is not accessible")
        for path in [source] if source.is_file() else sorted(source.rglob("*")):
            if path.is_file() and (path == source or not path.is_symlink()):
                name = place if path == source else posixpath.join(place, path.relative_to(source).as_posix())
                folder.write(root, name, path.read_bytes(), path.stat().st_mode & 0o777)

    def copy_from_runtime(self, src: str, dest: str) -> None:
        """Copies a file or a folder of the workspace to the host. Links are never followed, and left out."""
        target = Path(dest)
        for name, data in self._files(src).items():
            place = target / name if name else target
            place.parent.mkdir(parents=True, exist_ok=True)
            folder.write(str(place.parent), place.name, data, 0o644)

    def _files(self, path: str) -> Dict[str, bytes]:
        """As folder.read_all; 64 MiB are the most. Raises FileNotFoundError when there are none."""
        self._require_open()
        found = folder.read_all(*self._place(path), folder.READ_LIMIT)
        if not found:
            raise FileNotFoundError(f"no file or folder {path} in the sandbox")
        return found

    def get_archive(self, path: str) -> Tuple[bytes, Dict[str, Any]]:
        """A file or a folder as a tar archive, which is how the handlers of artifacts read it; empty: not there."""
        name = posixpath.basename(path.rstrip("/"))
        try:
            files = self._files(path)
        except FileNotFoundError:
            return b"", {"name": name, "size": 0}
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for below, data in files.items():
                member = tarfile.TarInfo(posixpath.join(name, below) if below else name)
                member.size, member.mode = len(data), 0o644
                archive.addfile(member, io.BytesIO(data))
        return buffer.getvalue(), {"name": name, "size": sum(map(len, files.values()))}

    def _ensure_directory_exists(self, path: str) -> None:
        """write_file makes the folders above a file."""

    def _ensure_ownership(self, paths: List[str]) -> None:
        """Files of the workspace are the caller's."""

    def _handle_timeout(self) -> None:
        """The run has ended by then, with all of its processes."""

    def _connect_to_existing_container(self, container_id: str) -> None:
        raise NotImplementedError("the backend sbx has no containers")

    def _process_non_stream_output(self, output: Any) -> Tuple[str, str]:
        raise NotImplementedError("outputs come from the result of sbx")

    def _process_stream_output(self, output: Any, on_stdout: Stream = None, on_stderr: Stream = None
                               ) -> Tuple[str, str]:
        raise NotImplementedError("outputs come from the result of sbx")


def register(name: str = "sbx") -> None:
    """Makes the backend known to llm-sandbox by `name`; a second time is none."""
    if all(one.name != name for one in backends.list_backends()):
        backends.register_backend(name, SbxSession, capabilities=backends.BackendCapabilities(
            platforms=("linux",), filesystem_isolation=True, network_isolation=True, seccomp=True))


register()
