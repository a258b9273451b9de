#!/usr/bin/env python3
"""Adds up test reports (pytest's JUnit files, Meson's testlog.json) into the one line that ends a run.

    summary.py [--count NAME=passed|failed]... REPORT...

Each skip is told with its reason. Exit code 1 when anything failed, when a report is missing, or when a
skip is not in accepted-skips.txt.
"""
import argparse
import collections
import json
import sys
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import skips  # noqa: E402  (found only after the line above)


NOT_TRIED = "skipped: "


class Totals:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = collections.Counter()

    def add_junit(self, path):
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            name = f"{path.stem}: {case.get('classname', '')}::{case.get('name')}"
            outcome = {child.tag: child for child in case}
            if "failure" in outcome or "error" in outcome:
                self.failed.append(name)
            elif "skipped" in outcome:
                self.skipped[outcome["skipped"].get("message", "")] += 1
            else:
                self.passed += 1

    def add_meson(self, path):
        for line in path.read_text().splitlines():
            test = json.loads(line)
            if test["result"] in ("OK", "EXPECTEDFAIL"):
                self.passed += 1
                for said in test.get("stdout", "").splitlines():
                    if said.startswith(NOT_TRIED):  # a part of it: not_tried.hpp
                        self.skipped[f"{test['name']}: {said.removeprefix(NOT_TRIED)}"] += 1
            elif test["result"] == "SKIP":
                said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
                self.skipped[f"{test['name']}: {said[-1] if said else 'no reason given'}"] += 1
            else:
                self.failed.append(f"{path.parent.parent.name}: {test['name']} ({test['result']})")

    def add(self, path):
        if not path.exists():
            self.failed.append(f"{path.name}: no report, the suite did not run to its end")
        elif path.suffix == ".xml":
            self.add_junit(path)
        else:
            self.add_meson(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", action="append", default=[], metavar="NAME=passed|failed")
    parser.add_argument("reports", nargs="*", type=Path)
    args = parser.parse_args()
    totals = Totals()
    for report in args.reports:
        totals.add(report)
    for entry in args.count:
        name, _, outcome = entry.rpartition("=")
        if outcome == "passed":
            totals.passed += 1
        else:
            totals.failed.append(name)
    unexpected = set(skips.not_accepted(totals.skipped))
    for name in totals.failed:
        print(f"failed: {name}")
    for reason, count in sorted(totals.skipped.items()):
        print(f"skipped {count}: {reason}{'  <- not in accepted-skips.txt' if reason in unexpected else ''}")
    # A skip nobody accepted is a failure, and is counted as one.
    failed = len(totals.failed) + sum(totals.skipped[reason] for reason in unexpected)
    skipped = sum(totals.skipped.values()) - sum(totals.skipped[reason] for reason in unexpected)
    print(f"{totals.passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
