#!/usr/bin/env python3
"""Judges a solution on one input, the way a contest does.

usage: judge.py EXPECTED [INPUT] -- CMD [ARG...]

Runs CMD under the built-in profile `judge`, compares its output with the file EXPECTED, and prints the
verdict with time and memory. SBX names the program to use, `sbx` by default.
"""

import json
import os
import subprocess
import sys

VERDICTS = {
    "timeout": "time limit", "cpu_limit": "time limit", "idle_timeout": "time limit",
    "oom": "memory limit", "output_limit": "output limit", "disk_limit": "output limit",
    "nonzero": "runtime error", "signal": "runtime error", "seccomp": "forbidden system call",
}


def main():
    if "--" not in sys.argv[2:4]:
        sys.exit(__doc__)
    dashes = sys.argv.index("--")
    files, command = sys.argv[1:dashes], sys.argv[dashes + 1:]
    with open(files[1] if len(files) > 1 else os.devnull, "rb") as given:
        run = subprocess.run([os.environ.get("SBX", "sbx"), "run", "judge", "--json", "--", *command],
                             stdin=given, stdout=subprocess.PIPE, check=False)
    result = json.loads(run.stdout)
    if result["status"] == "ok":
        with open(files[0], encoding="utf-8") as expected:
            right = result["output"]["stdout"].get("text", "").split() == expected.read().split()
        verdict = "accepted" if right else "wrong answer"
    else:
        verdict = VERDICTS.get(result["status"], "not judged: " + result["reason"]["text"])
    cpu, peak = result["cpu_ms"]["user"], result["memory"]["peak_bytes"]
    print(verdict + (f", {cpu:.0f} ms" if cpu is not None else "")
          + (f", {peak / 2**20:.1f} MiB" if peak is not None else ""))
    sys.exit(0 if verdict == "accepted" else 1)


if __name__ == "__main__":
    main()
