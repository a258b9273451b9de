"""Which skips are accepted (tests/accepted-skips.txt); all others fail a full test run."""
import re
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "accepted-skips.txt"


def accepted():
    """[(pattern, why)]: lines `PATTERN | WHY`; PATTERN is searched in a skip's reason."""
    pairs = []
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, bar, why = line.partition(" | ")
        if not bar or not why.strip():
            raise ValueError(f"{LIST}:{number}: expected `PATTERN | WHY`")
        pairs.append((re.compile(pattern.strip()), why.strip()))
    return pairs


def not_accepted(reasons):
    patterns = [pattern for pattern, _ in accepted()]
    return [r for r in reasons if not any(p.search(r) for p in patterns)]
