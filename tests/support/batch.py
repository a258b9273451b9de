"""Runs `sbx batch` on jobs that a test writes down as Python objects."""
import json
import subprocess

from . import slow
from .waiting import wait_until


class Batch:
    def __init__(self, sbx):
        self.sbx = sbx
        self.jobs = sbx.folder / "jobs.jsonl"
        self.out = sbx.folder / "out.jsonl"

    def write(self, jobs):
        """Objects, or lines as they are; returns the path."""
        lines = [job if isinstance(job, str) else json.dumps(job) for job in jobs]
        self.jobs.write_text("".join(line + "\n" for line in lines))
        return self.jobs

    def argv(self, *flags, jobs=None):
        return [self.sbx.binary, "batch", str(jobs or self.jobs), *self.sbx.degraded, *map(str, flags)]

    def call(self, jobs, *flags, **options):
        """To its end; what it wrote on standard output is in `results`."""
        self.write(jobs)
        run = self.sbx.call("batch", self.jobs, *self.sbx.degraded, *flags, **options)
        run.results = [json.loads(line) for line in run.out.splitlines()] if "-o" not in flags else self.written()
        return run

    def spawn(self, *flags, **options):
        # What is killed leaves cgroups to the next run's sweep, as after any killed supervisor.
        return subprocess.Popen(self.argv(*flags), cwd=self.sbx.cwd, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def live(self, least=1):
        """The live runs as `sbx ps` tells of them, once there are so many."""
        def seen():
            runs = json.loads(self.sbx.call("ps", "--json").out)
            return runs if len(runs) >= least else None
        return wait_until(seen, f"never {least} runs at a time", 20 * slow.FACTOR)

    def written(self):
        """The results in the file, each line of which must be whole."""
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def kill(self, process):
        self.sbx.killed = True
        process.kill()
        process.communicate()


def by_id(results):
    """The one result of each job."""
    results = list(results)
    found = {line["job"]: line for line in results}
    assert len(found) == len(results), "a job has two results"
    return found


def text(line, stream="stdout"):
    return line["result"]["output"][stream]["text"]
