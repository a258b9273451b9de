"""Our own rows: no sandbox, the floors (floor.c), and sbx in the ways that its cost depends on."""
import json
import os
import re
import shutil
import sys
from pathlib import Path

from .tool import Tool

HERE = Path(__file__).resolve().parents[1]
NO_CGROUP = ["--memory", "none", "--pids", "none", "--set", "limits.swap=none"]
CPU = ["--cpus", "1"]
STARTS = ("start", "python")
RELAYED = {
    "sbx --idle": ("relays the output unseen (spliced)", ["--idle", "1h"]),
    "sbx --stdout-limit": ("relays the output and counts it (copied)", ["--stdout-limit", "1T", "--on-exceed", "kill"]),
    "sbx --result": ("relays the output and hashes it (copied)", ["--result", "/dev/null"]),
}


class Ours:
    def __init__(self, bench):
        self.bench, self.folder = bench, bench.folder
        self.degrade = self.find_degrade() if bench.sbx else []

    def find_degrade(self):
        """Without a cgroup of its own an ordinary user's sbx says so with 125; then it is degraded, loudly."""
        user, sbx = self.bench.user, self.bench.sbx
        plain = user.run([sbx, "run", "--", "/bin/true"], self.bench.workspace)
        if plain.returncode == 0:
            return []
        flags = ["--degrade", "cgroup"]
        degraded = user.run([sbx, "run", *flags, "--", "/bin/true"], self.bench.workspace)
        if degraded.returncode != 0:
            sys.exit(f"bench/run: sbx does not run as {user.name}:\n{plain.stderr}{degraded.stderr}")
        self.bench.note(f"{user.name} owns no cgroup here: sbx ran with --degrade cgroup, its limits sampled.")
        return flags

    def groups(self, name, flags):
        """A file for floor's --groups with the cgroups that sbx would make, under another name; None: it makes
        none, or makes others first (a scope, handing down controllers), which floor cannot."""
        plan = self.bench.user.run([self.bench.sbx, "explain", "--json", "default", *flags, "--", "/bin/true"],
                                   self.bench.workspace)
        steps = json.loads(plan.stdout)["steps"] if plan.returncode == 0 else []
        lines = []
        for step in steps:
            if step["kind"] != "make_cgroup":
                continue
            found = re.fullmatch(r"cgroup v([12]) (?:\S+ )?at (\S+)/sbx-explain(?:: (.*))?", step["text"])
            if not found or not os.access(found[2], os.W_OK):
                self.bench.note(f"floor cannot make the groups that sbx would: {step['text']}")
                return None
            settings = [] if found[3] in (None, "no settings") else found[3].split("; ")
            values = [word for setting in settings for word in setting.split(" = ")]
            lines.append("\t".join([found[1], f"{found[2]}/bench-floor", *values]))
        if not lines:
            return None
        file = self.folder / f"groups-{name}-{self.bench.user.uid}"
        file.write_text("".join(f"{line}\n" for line in lines))
        file.chmod(0o644)
        return file

    def floors(self):
        floor = self.folder / "floor"
        yield Tool("no sandbox", "the command by itself", lambda command, _: command, work="")
        yield Tool("floor", "floor --bare: every namespace, the host's root read-only, own /tmp, /dev and /proc, no "
                   "capability, a filter, an init; in as few system calls as it takes",
                   lambda command, _: [floor, "--bare", "--", *command], work="")
        yield Tool("equal work", "floor: the same, and the dearer part of what else sbx does by default (a composed "
                   "root, more of /dev, parts of /proc hidden, ids mapped by the parent, loopback); no Landlock, less "
                   "of /etc",
                   lambda command, _: [floor, "--", *command])
        if not self.bench.sbx or self.degrade:
            return
        for name, about, flags in (("cgroups", "its groups for memory and pids", []),
                                   ("cgroups and cpu", "its group for cpu, too", CPU)):
            if groups := self.groups(name.replace(" ", "-"), flags):
                yield Tool(f"equal work, {name}", f"equal work, and {about}, made as sbx would",
                           lambda command, _, groups=groups: [floor, "--groups", groups, "--", *command], parts=STARTS)

    def sbx_tool(self, name, about, profile, flags, parts=None):
        def words(command, more):
            return [self.bench.sbx, "run", profile, *flags, *more, "--", *command]

        # A wall limit is for the payload's sake; here it would cut a slow machine short.
        return Tool(name, about, words, parts=parts, patient=("--timeout", "none"),
                    path=self.bench.sbx if name == "sbx" else None)

    def sbx_tools(self):
        default, cgroups = "sbx run default", "limits for memory, swap and pids"
        yield self.sbx_tool("sbx", f"{default}: {cgroups}" + (", sampled" if self.degrade else " by cgroup"), "default",
                            self.degrade)
        yield self.sbx_tool("sbx, no cgroup", f"{default} {' '.join(NO_CGROUP)}: limits by rlimit only", "default",
                            NO_CGROUP)
        yield self.sbx_tool("sbx --cpus 1", f"{default} --cpus 1: the cpu controller, too", "default",
                            [*self.degrade, *CPU], STARTS)
        yield self.sbx_tool("sbx python", "the built-in profile python", "python", self.degrade, STARTS)
        lines = len((HERE / "profile.yaml").read_text().splitlines())
        yield self.sbx_tool("sbx profile.yaml", f"bench/profile.yaml, {lines} lines that extend python", self.profile(),
                            self.degrade, STARTS)
        yield self.sbx_tool("sbx --landlock off", f"{default} --landlock off: what the second wall adds to a call",
                            "default", [*self.degrade, "--landlock", "off"], ("calls",))
        for name, (about, flags) in RELAYED.items():
            yield self.sbx_tool(name, f"{default} {' '.join(flags)}: {about}", "default", [*self.degrade, *flags],
                                ("stream",))

    def profile(self):
        """Beside its data, where the user can read it."""
        copy = self.folder / "profile.yaml"
        if not copy.exists():
            shutil.copyfile(HERE / "profile.yaml", copy)
            (self.folder / "data").mkdir()
        copy.chmod(0o644)
        return copy

    def tools(self):
        return [*self.floors(), *(self.sbx_tools() if self.bench.sbx else [])]
