#!/usr/bin/env python3
"""What a run costs with the client, beside the same binary called by subprocess: cost.py SBX [RUNS] [--degrade=...]

Both run `true`, in turns and on the same profile, one after the other; medians and sums in milliseconds.
"""
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from sbx import Sandbox  # noqa: E402


def measure(sbx: str, runs: int, flags: List[str]) -> Tuple[List[float], List[float]]:
    """Seconds of each bare call, and of each run by the client."""
    bare, client = [], []
    with Sandbox(binary=sbx, degrade=[flag.partition("=")[2] for flag in flags]) as box:
        words = [sbx, "run", f"--workspace={box.workspace}:rw", *flags, "--", "true"]

        def call() -> None:
            subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)

        def run() -> None:
            assert box.run(["true"]).ok

        for each in (call, run):  # the first of each pays for caches, and for the guardian
            each()
        for number in range(runs):
            for each, into in ((call, bare), (run, client)) if number % 2 else ((run, client), (call, bare)):
                into.append(_time(each))
    return bare, client


def _time(call: Callable[[], None]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def main() -> int:
    flags = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if not words or any(not flag.startswith("--degrade=") for flag in flags):
        print(__doc__, file=sys.stderr)
        return 2
    bare, client = measure(words[0], int(words[1]) if len(words) > 1 else 1000, flags)
    for name, times in (("bare", bare), ("client", client)):
        print(f"{name:7} median {statistics.median(times) * 1e3:7.2f}  all {len(times)}: {sum(times) * 1e3:9.0f}")
    ratio = statistics.median(client) / statistics.median(bare)
    print(f"ratio   median {ratio:7.2f}  all: {sum(client) / sum(bare):6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
