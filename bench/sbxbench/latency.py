"""How long a start takes, from posix_spawn to the end of the command: every tool once in each round, in a new order.
Those that fail are counted, and not timed."""
import random
import statistics

SLOW_MS = 50  # who takes longer runs in every n-th round only
FEWEST_RUNS = 8


def summary(times, failed=0):
    ordered = sorted(times)
    median = statistics.median(ordered)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return {"min": ordered[0], "median": median, "p99": p99, "spread": p99 / median, "runs": len(ordered),
            "failed": failed}


class Starters:
    """A `spawn serve` for those who see the machine's mounts, and one for each other view. They run one command at a
    time, and their clocks do not see us."""

    def __init__(self, bench, tools, command):
        self.bench, self.processes, self.places = bench, [], {}
        for view in {tool.view for tool in tools}:
            group = [tool for tool in tools if tool.view == view]
            argv = [bench.folder / "spawn", "serve", bench.spec(group, command), int(bench.args.pause_ms * 1000)]
            process = bench.popen(argv, bench.views.get(view))
            self.processes.append(process)
            self.places.update({tool.name: (process, index) for index, tool in enumerate(group)})

    def start(self, tool):
        """Milliseconds and exit code."""
        process, index = self.places[tool.name]
        process.stdin.write(f"{index}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            self.bench.figures(process)
        ns, code = map(int, line.split())
        return ns / 1e6, code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.communicate()


def interleaved(bench, tools, command, rounds, warmup):
    """Name -> summary, of those that succeeded at all."""
    order = random.Random(bench.args.seed)
    times = {tool.name: [] for tool in tools}
    failed = dict.fromkeys(times, 0)
    for tool in tools:
        tool.slots(1)
    with Starters(bench, tools, command) as starters:
        # The first starts read files and fill caches; they also tell who is slow.
        first = {tool.name: statistics.median(starters.start(tool)[0] for _ in range(max(1, warmup)))
                 for tool in tools}
        most = max(1, rounds // FEWEST_RUNS)
        stride = {name: min(most, max(1, round(ms / SLOW_MS))) for name, ms in first.items()}
        for number in range(rounds):
            for tool in order.sample(tools, len(tools)):
                if number % stride[tool.name]:
                    continue
                ms, code = starters.start(tool)
                if code == 0:
                    times[tool.name].append(ms)
                else:  # gives up sooner than it would be done
                    failed[tool.name] += 1
    for name in [name for name, values in times.items() if not values]:
        bench.note(f"{name}: no start of {' '.join(map(str, command))} succeeded while it was measured.")
        del times[name]
    return {name: summary(values, failed[name]) for name, values in times.items()}


def measure(bench, part, command, rounds):
    return interleaved(bench, bench.working(part, command), command, rounds, bench.args.warmup)
