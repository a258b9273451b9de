"""What --check objects to. Only what a busy machine does not change: the ratios of one interleaved run."""


NEEDED = ("sbx", "floor", "bwrap")


def of_starts(rows):
    # A start that fails is our business when it is one of these; the other peers may do as they like.
    found = [f"{name}: {r['failed']} of {r['runs']} starts failed" for name, r in rows.items()
             if r["failed"] and name.startswith((*NEEDED, "equal work"))]
    found += [f"{name} did not run: nothing to compare" for name in NEEDED if name not in rows]
    if not found and rows["sbx"]["median"] > rows["bwrap"]["median"]:
        found.append(f"sbx takes {rows['sbx']['median']:.2f} ms, bwrap {rows['bwrap']['median']:.2f} ms")
    return found


def of_streams(rows):
    """What passes through as it is must not be slowed down; the rest may copy."""
    found = []
    for job, rates in rows.items():
        needed = min(1.0, rates["no sandbox"]["gib_per_s"] / 2)
        rate = rates.get("sbx", {}).get("gib_per_s", needed)
        if rate < needed:
            found.append(f"{job}: {rate:.2f} GiB/s, wanted {needed:.2f}")
    return found


def problems(result):
    found = of_starts(result["start"]) if "start" in result else []
    return [f"{result['user']}: {problem}" for problem in found + of_streams(result.get("stream", {}))]
