"""A start while many sandboxes of the same tool are alive. The floor is measured twice for each: among as many of its
own right before, which is the same load, and beside the tool's, at the same moments."""
import time

from .latency import interleaved
from .memory import footprint, held

ROUNDS = 40
REST = 0.5  # in which the kernel clears away what was alive
COMMAND = ["/bin/true"]


def starts(bench, tools):
    return interleaved(bench, tools, COMMAND, min(ROUNDS, bench.args.rounds), bench.args.warmup)


def among(bench, tool, tools):
    """The starts of `tools` while those of `tool` are alive, how many these are, and what each takes; None: none."""
    with held(bench, tool, bench.args.alive) as pids:
        if not pids:
            return None
        time.sleep(REST)
        found = starts(bench, tools), len(pids), footprint(pids)
    time.sleep(REST)
    return found


def one(bench, tool, floor):
    """The figures, or what is wrong."""
    alone = starts(bench, [tool]).get(tool.name)
    floors = among(bench, floor, [floor])
    found = floors if tool is floor else among(bench, tool, [tool, floor])
    if not floors or not found:
        return "a sandbox that waits did not come up"
    then, count, memory = found
    if not alone or tool.name not in then:
        return "nothing starts beside so many of it"
    mine = then[tool.name]
    return {"alive": count, "alone": alone["median"], "median": mine["median"], "p99": mine["p99"],
            "floor_among": floors[0][floor.name]["median"], "floor_beside": then[floor.name]["median"],
            "kib": memory["kib"] if memory else None, "failed": mine["failed"] + alone["failed"]}


def measure(bench):
    """Name -> figures."""
    tools = {tool.name: tool for tool in bench.working("alive", COMMAND)}
    tools.pop("no sandbox", None)
    results = {}
    for name, tool in tools.items():
        found = one(bench, tool, tools["floor"])
        if isinstance(found, str):
            bench.note(f"{name}: {found}; left out of alive.")
        else:
            results[name] = found
    return results
