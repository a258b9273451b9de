"""How many sandboxes a second, with a number of them at the same time."""
import time

LEVELS = (1, 2, 4, 16, 64)
PASSES = 2  # the best of them counts: whatever else the machine does can only take away
MOST = 2000  # runs for one figure
REST = 0.3  # in which the kernel clears away the namespaces of those before


def one(bench, tool, level):
    done, failed, ns, median, p99 = bench.figures(
        bench.spawn(tool, "rate", ["/bin/true"], level, MOST, bench.args.rate_ms))
    return {"per_s": done / (ns / 1e9) if ns else 0.0, "median": median / 1e6, "p99": p99 / 1e6, "failed": failed}


def measure(bench):
    """Name -> level -> figures."""
    tools = bench.working("rate", ["/bin/true"])
    for tool in tools:
        tool.slots(max(LEVELS))
    results = {tool.name: {} for tool in tools}
    for level in LEVELS * PASSES:
        for tool in tools:
            found = one(bench, tool, level)
            best = results[tool.name].get(level)
            if best:
                found["failed"] += best["failed"]
            if not best or found["per_s"] > best["per_s"]:
                results[tool.name][level] = found
            else:
                best["failed"] = found["failed"]
            time.sleep(REST)
    return results
