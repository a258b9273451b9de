"""The sum of the limits of live jobs never exceeds what there is, and big jobs are not kept out."""
import json
import os
import resource
import socket

from support import peak
from support.batch import by_id

SCRIPT = "date +%s%N; sleep {}; date +%s%N"


def timed(name, seconds, **limits):
    return {"id": name, "argv": ["sh", "-c", SCRIPT.format(seconds)], "overrides": {"limits": limits}}


def spans(run):
    """When each command ran, by its own clock."""
    assert run.code == 0, run
    return {name: tuple(map(int, line["result"]["output"]["stdout"]["text"].split()))
            for name, line in by_id(run.results).items()}


def most_at_once(found, weight):
    """The largest sum of weights of commands that ran at the same moment."""
    moments = [start for start, _ in found.values()]
    return max(sum(weight[name] for name, (start, end) in found.items() if start <= at < end) for at in moments)


def test_memory_of_live_jobs_stays_within_the_sum(batch):
    sizes = [100, 200, 300, 64, 500, 100, 128, 400, 250, 64, 64, 350]
    jobs = [timed(str(i), 0.15, memory=f"{size}M") for i, size in enumerate(sizes)]
    weight = {str(i): size for i, size in enumerate(sizes)}
    found = spans(batch.call(jobs, "-j8", "--total-memory", "600M"))
    assert most_at_once(found, weight) <= 600
    assert most_at_once(found, dict.fromkeys(weight, 1)) >= 2
    # The control: without the bound the same jobs together have more.
    free = spans(batch.call(jobs, "-j8", "--total-memory", "8G"))
    assert most_at_once(free, weight) > 600


def test_what_ps_shows_stays_within_the_sum_too(sbx, batch):
    batch.write([timed(str(i), 0.1, memory="200M") for i in range(16)])
    process = batch.spawn("-j8", "--total-memory", "500M")
    seen = []
    while process.poll() is None:
        seen.append(sum(run["memory"]["limit_bytes"] or 0 for run in json.loads(sbx.call("ps", "--json").out) if "memory" in run))
    process.communicate()
    assert 0 < max(seen) <= 500 << 20, seen


def test_no_more_jobs_than_asked_for_and_no_more_cores_than_there_are(batch):
    jobs = [timed(str(i), 0.15) for i in range(9)]
    weight = {str(i): 1 for i in range(9)}
    assert most_at_once(spans(batch.call(jobs, "-j3", "--total-memory", "8G")), weight) == 3
    cores = len(os.sched_getaffinity(0))
    default = spans(batch.call(jobs, "--total-memory", "8G"))
    assert most_at_once(default, weight) <= cores


def test_half_cores_go_together(sbx, batch):
    cores = len(os.sched_getaffinity(0))
    jobs = [timed(str(i), 0.2, cpus=0.5) for i in range(3 * cores)]
    run = batch.call(jobs, f"-j{4 * cores}", "--total-memory", "8G")
    if run.code == 125:  # without a cgroup no share of a core can be enforced, and the check says so
        assert sbx.degraded and "cpus" in run.err, run
        return
    assert most_at_once(spans(run), {str(i): 1 for i in range(3 * cores)}) <= 2 * cores


def test_more_jobs_at_once_than_cores_get_no_more_cores_by_their_limits(sbx, batch):
    cores = len(os.sched_getaffinity(0))
    jobs = [timed(str(i), 0.2, cpus=cores) for i in range(4)]
    run = batch.call(jobs, f"-j{4 * cores}", "--total-memory", "8G")
    if run.code == 125:
        assert sbx.degraded and "cpus" in run.err, run
        return
    assert most_at_once(spans(run), {str(i): 1 for i in range(4)}) == 1


def test_a_big_job_is_not_kept_out_by_small_ones(batch):
    small = [timed(f"s{i}", 0.12, memory="64M") for i in range(20)]
    jobs = small[:6] + [timed("big", 0.1, memory="600M")] + small[6:]
    found = spans(batch.call(jobs, "-j6", "--total-memory", "600M"))
    later = [found[f"s{i}"][0] for i in range(6, 20)]
    assert found["big"][0] < min(later), "a small job behind it was started first"
    assert all(end <= found["big"][0] or start >= found["big"][1]
               for name, (start, end) in found.items() if name != "big")


def test_a_job_without_a_limit_is_alone(batch):
    jobs = [timed("a", 0.2), {"id": "free", "argv": ["sh", "-c", SCRIPT.format(0.2)],
                              "overrides": {"limits": {"memory": "none"}}}, timed("b", 0.2)]
    run = batch.call(jobs, "-j3", "--total-memory", "8G")
    found = spans(run)
    start, end = found["free"]
    assert found["a"][1] <= start and found["b"][0] >= end
    assert "1 of 3 jobs have no limits.memory, and each of them runs alone, whatever --jobs says\n" in run.err
    for flags in ["-j1"], ["-j3", "--quiet"]:
        assert "runs alone" not in batch.call(jobs, *flags).err, flags


def test_jobs_that_publish_the_same_port_run_in_turn(batch):
    port, other = free_ports(2)
    weight = dict.fromkeys("abcd", 1)
    jobs = [timed(name, 0.15) for name in weight]
    told = "4 of 4 jobs publish a port (network.publish), and those with the same one run in turn, whatever --jobs says\n"
    run = batch.call(jobs, "-j4", "--total-memory", "8G", "--publish", f"{port}:80")
    assert most_at_once(spans(run), weight) == 1 and told in run.err, run
    for flags in ["-j1"], ["-j4", "--quiet"]:
        assert told not in batch.call(jobs, "--publish", f"{port}:80", *flags).err, flags
    # The control: of each of two ports one.
    for i, job in enumerate(jobs):
        job["overrides"]["network"] = {"publish": [f"127.0.0.1:{[port, other][i % 2]}:80"]}
    assert most_at_once(spans(batch.call(jobs, "-j4", "--total-memory", "8G")), weight) == 2
    del jobs[2:]
    assert "publish" not in batch.call(jobs, "-j4").err


def few_files(soft, hard=None):
    """For the process that becomes sbx."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if hard is None else hard
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))


def test_open_files_are_taken_as_far_as_the_hard_limit_goes(batch):
    """Each live job takes three of the coordinator's."""
    words, told = ["-j24", "--total-memory", "8G"], b"the limit of open files (ulimit -Hn) is enough for 10 jobs at once, whatever --jobs says\n"
    batch.write([{"argv": ["sleep", "60"]} for _ in range(16)])
    process = batch.spawn(*words, preexec_fn=few_files(40))
    try:
        batch.live(13)
    finally:
        process.terminate()
        assert b"open files" not in process.communicate()[1]
    batch.write([{"argv": ["true"]} for _ in range(16)])
    out, err = batch.spawn(*words, preexec_fn=few_files(40, 40)).communicate()
    assert told in err and {json.loads(line)["result"]["status"] for line in out.splitlines()} == {"ok"}, err
    for flags in ["-j8"], ["-j24", "--quiet"]:
        assert b"open files" not in batch.spawn(*flags, preexec_fn=few_files(40, 40)).communicate()[1], flags


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def test_a_million_lines_need_no_gigabyte(sbx, batch):
    """100,000 here: what a line takes is measured from the difference."""
    def held(count):
        with batch.jobs.open("w") as file:
            for _ in range(count):
                file.write('{"argv":["true"]}\n')
        return peak.memory_of(batch.argv("--dry-run"), sbx.cwd)

    each = (held(100_000) - held(1)) / 100_000
    assert each < 250, f"{each:.0f} bytes a line"
