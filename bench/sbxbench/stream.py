"""How fast bytes come out of the payload, and through it, and the processor time that the launcher takes for that."""
import random
import statistics

GIB = 1 << 30
MIB = 1 << 20


def jobs(mib):
    """Name -> (bytes of input, command)."""
    return {"out": (0, ["/bin/dd", "if=/dev/zero", "bs=1M", f"count={mib}", "status=none"]),
            "through": (mib * MIB, ["/bin/cat"])}


def one(bench, tool, size, command, mib):
    tool.slots(1)
    count, ns, code, cpu_ns = bench.figures(bench.spawn(tool, "stream", command, size, patient=True))
    if code != 0 or count != mib * MIB:
        return None
    gib = count / GIB
    return {"gib_per_s": gib / (ns / 1e9), "cpu_s_per_gib": cpu_ns / 1e9 / gib}


def medians(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def measure(bench):
    """Job -> name -> figures."""
    mib, results = bench.args.stream_mib, {}
    for job, (size, command) in jobs(mib).items():
        tools = bench.working("stream", ["/bin/true"])
        if job == "through":  # what goes in is nobody's but ours: the peers pass it on as it is
            tools = [tool for tool in tools if tool.name.split()[0] in ("no", "sbx")]
        runs = {tool.name: [] for tool in tools}
        for _ in range(bench.args.stream_rounds):
            for tool in random.sample(tools, len(tools)):
                if found := one(bench, tool, size, command, mib):
                    runs[tool.name].append(found)
                else:
                    bench.note(f"{tool.name}: not every byte came out ({job}).")
        results[job] = {name: medians(found) for name, found in runs.items() if found}
    return results
