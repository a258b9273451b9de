"""Runs to make pages of: an ordinary one, in the form that report_sample reads."""
import base64
import math


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def artifact(path, content, media_type="text/plain"):
    name = {"path": path} if isinstance(path, str) else {"path_base64": b64(path)}
    return name | {"base64": b64(content), "media_type": media_type, "sha256": "ab" * 32}


def result(**changed):
    """A result object as `sbx run --json` prints it."""
    usual = {
        "schema": "sbx.result/1", "id": "r-7f3a9c21", "profile": {"name": "python", "sha256": "cd" * 32},
        "argv": ["python3", "plot.py", "--points", "2000"], "status": "ok",
        "reason": {"code": "ok", "text": "the command ended by itself with exit code 0", "limit": None,
                   "observed": None},
        "phase": "run", "exit_code": 0, "signal": None, "started_at": "2026-11-23T14:18:27.412Z",
        "wall_ms": 2841.127, "setup_ms": 5.912, "cpu_ms": {"user": 2210.4, "system": 391.8, "throttled": 120.5},
        "memory": {"peak_bytes": 214 << 20, "limit_bytes": 512 << 20, "oom_kills": 0, "high_events": 0},
        "pids": {"peak": 9, "limit_hits": 0}, "io": {"read_bytes": 38 << 20, "write_bytes": 3 << 20},
        "pressure": {},
        "output": {"stdout": {"text": "read 2000 points\nwrote chart.png\n", "bytes": 33, "truncated": False,
                              "sha256": None},
                   "stderr": {"text": "", "bytes": 0, "truncated": False, "sha256": None}},
        "denials": [{"kind": "syscall", "operation": "socket", "target": "AF_PACKET", "syscall": "socket", "pid": 2,
                     "comm": "python3", "count": 3, "passed": False,
                     "allow_with": "seccomp: {args: [{call: socket, arg: 0, in: [AF_PACKET]}]}"},
                    {"kind": "syscall", "operation": "ptrace", "target": None, "syscall": "ptrace", "pid": 2,
                     "comm": "gdb", "count": 1, "passed": False, "allow_with": "seccomp: {allow: [ptrace]}"}],
        "network": {"mode": "none", "connections": []},
        "changes": {"added": 3, "modified": 1, "deleted": 0, "bytes": 48211, "run": "r-7f3a9c21", "applied": False},
        "artifacts": [], "redactions": [{"secret": "api_key", "count": 2}],
        "isolation": {"tier": "full", "namespaces": ["user", "mount", "pid", "ipc", "uts", "net", "cgroup"],
                      "cgroup": "v2", "seccomp": "filter", "landlock_abi": 4, "user": "1000:1000",
                      "required": ["userns"], "enforced": ["memory", "pids", "cpus", "wall", "seccomp", "landlock"],
                      "degraded": ["swap"], "approximate": []},
        "warnings": ["limits.swap is not enforced: this kernel does not account for swap"], "timing": None,
    }
    return usual | changed


def usage(count=57, step=50):
    """Samples that rise, work on several processors and fall; a stretch was not measured."""
    samples, cpu, read, written = [], 0.0, 0, 0
    for i in range(count):
        share = i / (count - 1)
        cpu += step * (0.2 + 0.9 * math.sin(math.pi * share) ** 2 + 0.12 * math.sin(i * 1.7) ** 2)
        read += int((20 << 20) * step / 1000) if share < 0.4 else 0
        written += int((4 << 20) * step / 1000) if share > 0.7 else 0
        memory = int((24 + 190 * min(1, share * 1.6) ** 1.5 + 6 * math.sin(i)) * (1 << 20))
        samples.append({"t_ms": 6 + i * step, "cpu_ms": round(cpu, 3), "memory_bytes": memory,
                        "pids": 1 if share < 0.15 else 5 if share < 0.3 else 9 if share < 0.8 else 2,
                        "read_bytes": read, "write_bytes": written})
    for sample in samples[count // 2:count // 2 + 3]:
        sample |= {"memory_bytes": None, "pids": None}
    return samples


CSV = "city,population,area,note\n" + "".join(
    f'"City, no. {i}",{120_000 + i * 977},{i * 3.25:.2f},"a ""quoted"" word"\n' for i in range(260))

MARKDOWN = "# Result\n\nThe fit is **good**: see `chart.png`.\n\n- slope 1.98\n- intercept 0.03\n"
MERMAID = "graph TD\n  A[read points] --> B{enough?}\n  B -->|yes| C[plot]\n  B -->|no| D[fail]\n"
JSON = '{"slope":1.98,"intercept":0.03,"residuals":[0.1,-0.2,0.05],"converged":true,"runs":[]}'
SVG = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 120" width="300" height="120">
<rect width="300" height="120" fill="#ffffff"/><path d="M10,100 C80,10 160,140 290,20" fill="none"
 stroke="#e8590c" stroke-width="4"/><circle cx="150" cy="72" r="8" fill="#087f5b"/></svg>
"""


def ordinary(**changed):
    return {
        "result": result(), "samples": usage(), "wall_ms": 60_000, "pids": 128, "cpus": 1.5,
        "artifacts": [
            artifact("/workspace/out/towns.csv", CSV, "text/csv"),
            artifact("/workspace/out/curve.svg", SVG, "image/svg+xml"),
            artifact("/workspace/out/notes.md", MARKDOWN), artifact("/workspace/out/flow.mmd", MERMAID),
            artifact("/workspace/out/fit.json", JSON, "application/json"),
            artifact("/workspace/out/model.bin", bytes(range(256)) * 40, "application/octet-stream"),
        ],
    } | changed
