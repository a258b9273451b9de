"""The types of what sbx prints, from `sbx schema`. Written by generate_types.py: do not edit.

Fields are only ever added, so there may be more than these. None: this host, or this run, did not measure it.
"""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class Waits(TypedDict):
    some_us: Optional[int]  # by some of the processes
    full_us: Optional[int]  # by all of them at once


class StreamAlways(TypedDict):
    bytes: Optional[int]  # written by the payload
    truncated: Optional[bool]
    sha256: Optional[str]  # over all bytes, dropped ones too; of a secret, over what stands in its place


class Stream(StreamAlways, total=False):
    """text or base64 only with --json; a cut shows as [sbx: N bytes dropped]"""

    text: str
    base64: str


class Profile(TypedDict):
    name: str
    sha256: Optional[str]  # over every file and flag that made the profile


class Reason(TypedDict):
    code: str
    text: str  # for a person
    limit: Optional[str]  # as in the profile
    observed: Optional[str]


class Memory(TypedDict):
    peak_bytes: Optional[int]
    limit_bytes: Optional[int]  # null also when there is none
    oom_kills: Optional[int]
    high_events: Optional[int]  # how often it was slowed down for limits.memory_high


class Pids(TypedDict):
    peak: Optional[int]
    limit_hits: Optional[int]  # forks that were refused


class CpuMs(TypedDict):
    user: Optional[float]
    system: Optional[float]
    throttled: Optional[float]  # time held back by limits.cpus


class Io(TypedDict):
    read_bytes: Optional[int]
    write_bytes: Optional[int]


class Pressure(TypedDict):
    """time that was spent waiting for it"""

    cpu: Waits
    memory: Waits
    io: Waits


class Output(TypedDict):
    stdout: Stream
    stderr: Stream


class DenialAlways(TypedDict):
    kind: Literal["syscall", "network"]
    operation: str  # what was tried: the call; of the network: lookup, connect, send
    target: Optional[str]  # the argument that it was refused for: AF_PACKET; of the network: HOST:PORT
    syscall: Optional[str]
    pid: Optional[int]  # inside, of the first who tried
    comm: Optional[str]  # its program
    count: int
    passed: bool  # it was let through: on_deny: log
    allow_with: Optional[str]  # a line of a profile that allows it; null: no one line does


class Denial(DenialAlways, total=False):
    reason: Optional[str]  # of the network: why


class Connection(TypedDict):
    host: str  # the name that the payload asked for, or the address
    port: Optional[int]  # null: the name was only looked up
    protocol: Literal["tcp", "udp"]
    # failed: allowed and not reached; limited: by network.limits; published: from outside
    verdict: Literal["allowed", "denied", "failed", "limited", "published"]
    reason: Optional[str]  # why it was not reached
    count: int
    bytes: int  # both ways
    sent: int  # bytes that the payload sent
    received: int  # bytes that it received


class Network(TypedDict):
    mode: Literal["none", "host", "filtered"]
    connections: Optional[List[Connection]]


class Changes(TypedDict):
    added: int
    modified: int
    deleted: int
    bytes: int
    run: Optional[str]
    applied: bool


class ArtifactAlways(TypedDict):
    bytes: int
    sha256: str
    media_type: str


class Artifact(ArtifactAlways, total=False):
    path: str  # inside the sandbox
    path_base64: str  # one that is not UTF-8


class Redaction(TypedDict):
    secret: str
    count: int


class IsolationAlways(TypedDict):
    tier: str
    namespaces: List[str]
    cgroup: Literal["v2", "v1", "none"]
    seccomp: str
    landlock_abi: int  # 0: not in use
    user: str  # uid:gid inside
    required: List[str]
    enforced: List[str]
    degraded: List[str]


class Isolation(IsolationAlways, total=False):
    # of degraded: those that something weaker stands in for; of enforced: those that cgroup v1 does not hold wholly
    approximate: List[str]


class Step(TypedDict):
    process: Literal["supervisor", "init", "payload"]
    step: Optional[int]  # its number in the plan, from 1; null: not a step of the plan
    kind: str
    text: str  # as sbx explain words it
    start_us: float
    took_us: Optional[float]  # null: it was cut off
    error: Optional[str]  # what it failed with: EPERM


class Timing(TypedDict):
    """only with --timing; every start is counted from the start of sbx"""

    exec_us: Optional[float]  # null: there was no exec
    total_us: float  # until this object was made
    steps: List[Step]  # by start; those of init and payload overlap


class ResultObject(TypedDict):
    """Result of one sbx run"""

    schema: Literal["sbx.result/1"]
    id: str  # the run's id
    profile: Profile
    argv: List[str]
    # what happened, decided from evidence
    status: Literal["ok", "nonzero", "signal", "timeout", "cpu_limit", "idle_timeout", "oom", "output_limit",
        "disk_limit", "seccomp", "interrupted", "not_found", "not_executable", "setup_error", "internal_error"]
    reason: Reason
    phase: Literal["setup", "run"]  # setup: the payload never ran
    exit_code: Optional[int]  # the payload's own
    signal: Optional[int]  # the one that ended the payload
    started_at: str
    wall_ms: Optional[float]  # from just before exec, where cpu_ms begins, to the end of the tree
    setup_ms: float  # from the start of sbx to where wall_ms begins
    memory: Memory
    pids: Pids
    cpu_ms: CpuMs
    io: Io
    pressure: Pressure  # time that was spent waiting for it
    output: Output
    # what the filter and the network's allow list refused, or under on_deny: log would have; by the first of each
    # kind. null: nobody could listen
    denials: Optional[List[Denial]]
    network: Network
    changes: Optional[Changes]
    artifacts: List[Artifact]
    redactions: List[Redaction]  # how often which secret, or which of redact_patterns, was masked in the output
    isolation: Isolation
    warnings: List[str]
    # what was to be written, kept or applied and was not, and why: then sbx exits with 125 where the command has
    # ended with 0
    undelivered: List[str]
    timing: Optional[Timing]  # only with --timing; every start is counted from the start of sbx


class StartEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["start"]
    id: str  # the run's id, for sbx kill and the others
    pid: int  # of init, on the host


class OutputEventAlways(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["stdout", "stderr"]


class OutputEvent(OutputEventAlways, total=False):
    text: str
    base64: str


class SignalSentEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["signal_sent"]
    signal: int
    reason: Literal["forwarded", "interrupted", "wall_limit", "cpu_limit", "idle_limit", "memory_limit",
        "output_limit", "killed", "filter", "git_protect", "secret_leaked"]


class ExitEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["exit"]
    exit_code: Optional[int]
    signal: Optional[int]


class ResultEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["result"]
    result: ResultObject


class UsageEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["usage"]
    cpu_ms: Dict[str, Any]
    memory: Dict[str, Any]
    pids: Dict[str, Any]
    io: Dict[str, Any]
    pressure: Dict[str, Any]


class WarningEvent(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["warning"]
    code: Literal["memory_high"]  # memory_high: limits.memory_high was crossed
    text: str  # for a person


class DenialEventAlways(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["denial"]
    kind: Literal["syscall", "network"]
    operation: str
    target: Optional[str]
    syscall: Optional[str]
    pid: Optional[int]
    comm: Optional[str]
    allow_with: Optional[str]


class DenialEvent(DenialEventAlways, total=False):
    reason: Optional[str]


class ConnectionEventAlways(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["connection"]
    host: str
    port: Optional[int]
    protocol: Literal["tcp", "udp"]
    verdict: Literal["allowed", "denied", "failed", "limited", "published"]


class ConnectionEvent(ConnectionEventAlways, total=False):
    reason: Optional[str]
    count: int
    bytes: int
    sent: int
    received: int


class ArtifactEventAlways(TypedDict):
    v: Literal[1]
    seq: int  # from 0
    t_ms: int  # since the start of sbx
    type: Literal["artifact"]
    bytes: int
    sha256: str
    media_type: str


class ArtifactEvent(ArtifactEventAlways, total=False):
    path: str
    path_base64: str


Event = Union[StartEvent, OutputEvent, SignalSentEvent, ExitEvent, ResultEvent, UsageEvent, WarningEvent,
        DenialEvent, ConnectionEvent, ArtifactEvent]


class KeptArtifactAlways(TypedDict):
    run: str
    bytes: int
    sha256: str
    media_type: str  # as libmagic tells it
    profile: str
    argv: List[str]
    status: str  # how the run ended, as in its result
    ended_at: str
    expires_at: Optional[str]  # null: it stays


class KeptArtifact(KeptArtifactAlways, total=False):
    path: str  # inside the sandbox
    path_base64: str  # one that is not UTF-8
