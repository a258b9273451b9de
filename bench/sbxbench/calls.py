"""What a system call costs inside: the filter and the namespaces are in its way."""
from .bench import INSIDE

COUNT = 20000
ROUNDS = 15  # short and many: some of them fall into a moment in which nobody disturbs


def measure(bench):
    """Name -> nanoseconds of each call; the least of several, as nothing can make one faster."""
    results = {}
    tools = bench.working("calls", ["/bin/true"])
    for _ in range(ROUNDS):
        for tool in tools:
            run = bench.try_out(tool, [INSIDE, "calls", COUNT], patient=True)
            if run.returncode != 0:
                bench.note(f"{tool.name} does not run the benchmark's own program: {run.stderr.strip()[-200:]}")
                continue
            found = dict(zip(("getppid", "open"), map(float, run.stdout.split()[-2:])))
            best = results.setdefault(tool.name, found)
            results[tool.name] = {call: min(best[call], found[call]) for call in found}
    return results
