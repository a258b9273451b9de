"""What every part needs: who is measured, as whom, and how spawn is told to start it."""
import os
import subprocess
import sys
import tempfile

from . import build, peers, skeleton
from .ours import Ours
from .tool import FILTER_FD
from .user import User
from .view import find_views

INSIDE = "{inside}"  # in a command: the path of the program `inside`, where the tool shows it


class Bench:
    def __init__(self, args, user, folder, sbx):
        self.args, self.user, self.folder, self.sbx = args, user, folder, sbx
        self.notes = []
        self.views = find_views(self.note)
        self.workspace = folder / f"workspace-{user.uid}"
        self.workspace.mkdir()
        os.link(folder / "inside", self.workspace / "inside")
        os.chown(self.workspace, user.uid, user.gid)
        root = folder / "root"
        if not root.exists():
            skeleton.make_root(root)
        self.tools = Ours(self).tools() + peers.find(self, root, build.allowed_calls(folder))

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def view_of(self, tool):
        return self.views.get(tool.view)

    def argv(self, tool, command, patient=False):
        inside = f"{tool.work or self.workspace}/inside"
        return tool.argv([str(word).replace(INSIDE, inside) for word in command], patient)

    def version(self, tool):
        """The first line of --version."""
        if not tool.path:
            return ""
        run = self.user.run([tool.path, "--version"], self.workspace, self.view_of(tool))
        lines = (run.stdout + run.stderr).splitlines() if run.returncode == 0 else []
        return next((line.strip()[:60] for line in lines if line.strip()), "")

    def try_out(self, tool, command, patient=False):
        """One run, for what it says or whether it works at all."""
        tool.slots(1)
        argv = [word.replace("{slot}", "0") for word in self.argv(tool, command, patient)]
        if tool.extra:
            argv = ["sh", "-c", f'exec {FILTER_FD}<"$0"; exec "$@"', tool.extra, *argv]
        return self.user.run(argv, self.workspace, self.view_of(tool))

    def working(self, part, command):
        """The rows of this part that run the command at all; what the others say goes into the notes."""
        good = []
        for tool in self.tools:
            if not tool.in_part(part):
                continue
            run = self.try_out(tool, command)
            if run.returncode == 0:
                good.append(tool)
            else:
                said = " ".join((run.stderr or run.stdout).split())[-300:] or "without a word"
                self.note(f"{tool.name} does not run {' '.join(command)} here ({run.returncode}): {said}")
        return good

    def spec(self, tools, command, patient=False):
        """A file of these commands for spawn (command.h)."""
        fd, path = tempfile.mkstemp(prefix="spec-", dir=self.folder, text=True)
        with os.fdopen(fd, "w") as file:
            for tool in tools:
                file.write("\t".join([str(tool.extra or "-"), *self.argv(tool, command, patient)]) + "\n")
        os.chmod(path, 0o644)
        return path

    def spawn(self, tool, verb, command, *args, patient=False):
        """Starts spawn for this one command; the figures come on its stdout."""
        argv = [self.folder / "spawn", verb, self.spec([tool], command, patient), 0, *args]
        return self.popen(argv, self.view_of(tool))

    def popen(self, argv, view):
        errors = tempfile.TemporaryFile("w+")  # a pipe that nobody reads would fill up
        process = self.user.popen(argv, self.workspace, view, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=errors)
        process.errors = errors
        return process

    def figures(self, process):
        """What spawn printed, and nothing else; it has ended by then."""
        out, _ = process.communicate()
        if process.returncode != 0:
            process.errors.seek(0)
            sys.exit(f"bench/run: spawn failed: {process.errors.read()[-500:]}")
        return [int(word) for word in out.split()]

    def close(self):
        for tool in self.tools:
            tool.slots(0)


def users(args):
    return [User(), *map(User, args.user)]
