"""Connections through the gateway beside the same without a sandbox: one function for each part, and all of
them take turns, so that the ratios hold also on a machine that is not quiet."""
import os
import random
import statistics
import subprocess
import threading
import time
from pathlib import Path

MEGABYTE = 1 << 20


def pss(pid):
    """Bytes that a process takes, of shared pages its part."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("\nPss:")[1].split()[0]) * 1024


class Ends:
    """The server, and its clients outside and inside."""

    def __init__(self, sbx, folder, user):
        self.sbx, self.folder, self.user = str(sbx), folder, user
        self.flow = folder / "flow"
        here = Path(__file__).resolve().parents[1]
        subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-static", "-o", self.flow, here / "flow.c",
                        here / "flow_server.c"], check=True)
        self.server = subprocess.Popen([self.flow, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.server.stdout.readline())

    def close(self):
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait()

    def profile(self, name, network):
        path = self.folder / f"{name}.yaml"
        text = "version: 1\nlimits: {wall: none, rlimits: {nofile: 8192}}\n"
        path.write_text(text + (f"network: {network}\n" if network else ""))
        return path

    def through(self):
        """The words before a client that goes through the gateway; outside: none."""
        network = f"{{host_ports: [{self.port}], limits: {{connections: 4096}}}}"
        return [self.sbx, "run", self.profile("through", network), "--degrade", "cgroup", "--workspace", "none",
                "--ro", f"{self.flow}:/flow", "--", "/flow"]

    def client(self, way, verb, *numbers, **options):
        before = self.through() if way == "gateway" else [self.flow]
        words = [*before, verb, "127.0.0.1", self.port, *numbers]
        return self.user.popen(words, self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def figures(self, way, verb, *numbers):
        process = self.client(way, verb, *numbers, stdin=subprocess.DEVNULL)
        out, err = process.communicate(timeout=600)
        if process.returncode != 0:
            raise RuntimeError(f"{way}: {verb}: exit code {process.returncode}: {err.strip()}")
        return [[int(word) for word in line.split()] for line in out.splitlines()]


def in_turns(rounds, rng, one):
    """{way: figures} of `one(way)`, in shuffled order within each round."""
    found = {"direct": [], "gateway": []}
    for _ in range(rounds):
        for way in rng.sample(list(found), 2):
            found[way].append(one(way))
    return found


def throughput(ends, args, rng):
    """Bytes a second of one stream, each way: medians."""
    size, found = args.stream_mib * MEGABYTE, {}
    for verb in ("send", "receive"):
        times = in_turns(args.stream_rounds, rng, lambda way, v=verb: ends.figures(way, v, size)[0][0])
        rates = {way: size * 1e9 / statistics.median(list_) for way, list_ in times.items()}
        found[verb] = {**rates, "ratio": rates["gateway"] / rates["direct"]}
    return found


def setup(ends, args, rng):
    """Microseconds of a connection: of connect(2), and until a first byte has come back."""
    each = 50
    lists = in_turns(max(4, args.rounds // each), rng, lambda way: ends.figures(way, "setup", each)[5:])
    found = {}
    for at, what in enumerate(("connect", "first_byte")):
        medians = {way: statistics.median(f[at] for block in list_ for f in block) / 1e3 for way, list_ in lists.items()}
        found[what] = {**medians, "added": medians["gateway"] - medians["direct"]}
    return found


def rate(ends, args, rng):
    """New connections a second, with 50 under way, each with a byte there and back."""
    count = args.rate_count
    times = in_turns(3, rng, lambda way: ends.figures(way, "rate", count, 50)[0][0])
    return {way: count * 1e9 / statistics.median(list_) for way, list_ in times.items()}


def crowd(ends, args, _):
    """Memory of the supervisor with so many connections, and with one."""
    found = {"connections": args.crowd}
    for name, count in (("one", 1), ("all", args.crowd)):
        process = ends.client("gateway", "crowd", count, stdin=subprocess.PIPE)
        line = process.stdout.readline()
        if line != "here\n":
            raise RuntimeError(f"crowd of {count}: {line}{process.stderr.read()}")
        found[f"pss_{name}"] = pss(process.pid)
        found[f"descriptors_{name}"] = len(os.listdir(f"/proc/{process.pid}/fd"))
        process.stdin.write("\n")
        out, err = process.communicate(timeout=60)
        if out.strip() != str(count):
            raise RuntimeError(f"crowd of {count}: {out}{err}")
    return found


def start(ends, args, rng):
    """Milliseconds of a start with `network: none` and with a list of what is allowed."""
    profiles = {"none": ends.profile("none", None), "allow": ends.profile("allow", '{allow: ["example.org:443"]}')}
    times = {name: [] for name in profiles}
    for _ in range(args.rounds):
        for name in rng.sample(list(profiles), 2):
            words = [ends.sbx, "run", profiles[name], "--degrade", "cgroup", "--workspace", "none", "--", "/bin/true"]
            time.sleep(args.pause_ms / 1000)
            begin = time.perf_counter()
            process = ends.user.popen(words, ends.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if process.wait() != 0:
                raise RuntimeError(f"start with {name}: exit code {process.returncode}")
            times[name].append((time.perf_counter() - begin) * 1000)
    found = {name: statistics.median(list_) for name, list_ in times.items()}
    return {**found, "added": found["allow"] - found["none"]}


def long(ends, args, _):
    """A long transfer: the supervisor's memory at its start, and at most."""
    process = ends.client("gateway", "send", args.long_gib << 30, stdin=subprocess.DEVNULL)
    used, done = [], threading.Event()

    def sample():
        while not done.wait(0.05):
            try:
                used.append(pss(process.pid))
            except (OSError, IndexError):
                return

    watcher = threading.Thread(target=sample)
    begin = time.monotonic()
    watcher.start()
    out, err = process.communicate(timeout=3600)
    seconds = time.monotonic() - begin
    done.set()
    watcher.join()
    if process.returncode != 0:
        raise RuntimeError(f"long: exit code {process.returncode}: {err.strip()}")
    used = used[4:-1]  # without the start and the end of the run
    return {"gib": args.long_gib, "seconds": seconds, "pss_first": used[0], "pss_most": max(used), "pss_last": used[-1]}


PARTS = {"throughput": throughput, "setup": setup, "rate": rate, "crowd": crowd, "start": start, "long": long}


def measure(ends, args):
    rng = random.Random(args.seed)
    return {part: PARTS[part](ends, args, rng) for part in args.only}
