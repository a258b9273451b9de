"""How a run ended: the decoded sbx.result/1 object."""
from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from . import schema


def output_bytes(stream: Dict[str, object]) -> bytes:
    """The bytes of an object with `text` or `base64`, as sbx writes output; b"" when it has neither."""
    if "base64" in stream:
        return base64.b64decode(str(stream["base64"]))
    return str(stream.get("text", "")).encode()


@dataclass(frozen=True)
class Result:
    """One ended run. `raw` has every field of `sbx schema result`; the properties are those most asked for.

    Times are in milliseconds, sizes in bytes. A figure that this host cannot measure is None, never 0.
    """

    raw: schema.ResultObject
    code: int
    """What `sbx run` exited with: the command's own code, 124 for a time limit, 126, 127, or 128 + a signal."""
    events_lost: int = 0
    """Output events that sbx dropped, because 64 MiB of them waited for a callback. Captured output has all."""
    stdout: bytes = field(init=False)
    """Standard output, at most 10 MiB or `stdout_limit`; what was cut shows as [sbx: N bytes dropped]."""
    stderr: bytes = field(init=False)
    """Standard error, likewise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "stdout", output_bytes(dict(self.raw["output"]["stdout"])))
        object.__setattr__(self, "stderr", output_bytes(dict(self.raw["output"]["stderr"])))

    def __hash__(self) -> int:
        """Of the run's name: equal results are of one run."""
        return hash(self.raw["id"])

    @property
    def ok(self) -> bool:
        """Whether the command ran and ended with 0, within all limits."""
        return self.raw["status"] == "ok"

    @property
    def status(self) -> str:
        """How it ended, decided from evidence: ok, nonzero, signal, timeout, oom, output_limit and so on."""
        return self.raw["status"]

    @property
    def reason(self) -> schema.Reason:
        """Code, a text for a person, and where a limit ended the run limit and observed."""
        return self.raw["reason"]

    @property
    def exit_code(self) -> Optional[int]:
        """The command's own code; None when it did not end by itself, or never ran."""
        return self.raw["exit_code"]

    @property
    def signal(self) -> Optional[int]:
        """The number of the signal that ended the command, else None."""
        return self.raw["signal"]

    @property
    def id(self) -> str:
        """The run's name, for `sbx artifacts`, `sbx diff` and the others."""
        return self.raw["id"]

    @property
    def stdout_text(self) -> str:
        """Standard output as text; what is not UTF-8 becomes U+FFFD."""
        return self.stdout.decode(errors="replace")

    @property
    def stderr_text(self) -> str:
        """Standard error as text; what is not UTF-8 becomes U+FFFD."""
        return self.stderr.decode(errors="replace")

    @property
    def truncated(self) -> bool:
        """Whether either of the captured outputs was cut."""
        return any(bool(s["truncated"]) for s in (self.raw["output"]["stdout"], self.raw["output"]["stderr"]))

    @property
    def wall_ms(self) -> Optional[float]:
        """From just before exec to the end of the tree; None when the command never ran."""
        return self.raw["wall_ms"]

    @property
    def setup_ms(self) -> float:
        """From the start of sbx to just before exec, where wall_ms begins."""
        return self.raw["setup_ms"]

    @property
    def cpu_ms(self) -> schema.CpuMs:
        """Processor time of the tree: user, system, and throttled by limits.cpus."""
        return self.raw["cpu_ms"]

    @property
    def memory(self) -> schema.Memory:
        """peak_bytes, limit_bytes, oom_kills and high_events."""
        return self.raw["memory"]

    @property
    def pids(self) -> schema.Pids:
        """The most processes and threads at once, and how many forks were refused."""
        return self.raw["pids"]

    @property
    def io(self) -> schema.Io:
        """Bytes that were read from and written to disks."""
        return self.raw["io"]

    @property
    def network(self) -> schema.Network:
        """mode, and what was connected to."""
        return self.raw["network"]

    @property
    def denials(self) -> Optional[List[schema.Denial]]:
        """What the filter and the network's list refused; None when nobody could listen."""
        return self.raw["denials"]

    @property
    def changes(self) -> Optional[schema.Changes]:
        """What an overlay workspace with `keep` changed, else None."""
        return self.raw["changes"]

    @property
    def artifacts(self) -> List[schema.Artifact]:
        """The files that are kept for `collect`."""
        return self.raw["artifacts"]

    @property
    def redactions(self) -> Dict[str, int]:
        """How often each secret was masked."""
        return {one["secret"]: one["count"] for one in self.raw["redactions"]}

    @property
    def isolation(self) -> schema.Isolation:
        """What held the command, and what was degraded."""
        return self.raw["isolation"]

    @property
    def warnings(self) -> List[str]:
        """What sbx also said."""
        return self.raw["warnings"]

    @property
    def undelivered(self) -> List[str]:
        """What was to be kept or applied and was not, and why. Where the command is `ok` all the same, that is a SbxError, with
        this result."""
        return self.raw["undelivered"]
