"""Does what a page says, in the order of the page, and compares what happens with what it prints."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare  # noqa: E402  (found only after the line above)
from shell import SECONDS, Shell  # noqa: E402

RUNS = {"python": "python3 {}", "js": "node {}", "bash": ". ./{}"}
SUFFIX = {"python": "py", "js": "mjs", "bash": "sh"}
SHOWN = 80  # lines of what a failed command printed
FRESH = "on a fresh host only"


class Wrong(AssertionError):
    """The page is not right."""


class Follower:
    def __init__(self, page, folder, env, around=(), notes=None, fresh=None, seconds=SECONDS):
        """`fresh`: where on a fresh host the folder is, and what is for such hosts only is run, too."""
        self.fresh, self.seconds = fresh, seconds
        self.page, self.folder, self.home = page, Path(folder), env["HOME"]
        self.ids, self.shell, self.ran = compare.Ids(), Shell(folder, env, around, notes), []

    def real(self, text):
        """What happened, with the page's own word for the reader's home."""
        return text.replace(self.home, self.page.notes["home"]) if "home" in self.page.notes else text

    def fail(self, block, what, command, printed, said):
        lines, ended = "\n".join(printed), "\n".join(compare.clean(said).splitlines()[-SHOWN:])
        raise Wrong(f"{block}: {what}\n$ {command}\n--- the page has\n{lines}\n--- it printed, at its end\n{ended}")

    def do(self, block, command, printed, expected_code=0):
        """`printed` is None where the page does not show it."""
        code, said = self.shell.run(self.ids.translate(command), "terminal" in block.notes, self.seconds)
        self.ran.append(command)
        said = self.real(said)
        if code != expected_code:
            self.fail(block, f"exit code {code}, not {expected_code}", command, printed or [], said)
        if printed is not None and not compare.matches(printed, said, self.ids, block.notes.get("varies", "").split()):
            self.fail(block, "it printed something else", command, printed, said)

    def console(self, block):
        commands = block.commands()
        for number, (command, printed) in enumerate(commands):
            last = number == len(commands) - 1
            silent = not printed and "output not shown" in block.notes
            self.do(block, command, None if silent else printed, int(block.notes.get("exit", 0)) if last else 0)

    def program(self, block):
        name = f"block{block.line}.{SUFFIX[block.language]}"
        (self.folder / name).write_text(block.text)
        printed = block.notes["prints"].split("\\n") if "prints" in block.notes else None
        if printed is None and "output not shown" not in block.notes:
            printed = []
        self.do(block, RUNS[block.language].format(name), printed, int(block.notes.get("exit", 0)))

    def file(self, block):
        place = self.folder / block.notes["file"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.text)
        owner = self.folder.stat()
        for path in (place, place.parent):  # the reader's, whoever we are
            os.chown(path, owner.st_uid, owner.st_gid)

    def is_run(self, block):
        why = block.notes.get("not run")
        return why is None or (self.fresh and why.startswith(FRESH))

    def block(self, block):
        if not self.is_run(block):
            return
        if "file" in block.notes:
            self.file(block)
        elif block.language == "console":
            self.console(block)
        elif block.language in RUNS:
            self.program(block)
        else:
            raise Wrong(f"{block}: neither a file nor something to run: ```{block.language}")

    def all(self, blocks=None):
        try:
            for block in self.page.blocks if blocks is None else blocks:
                self.block(block)
        finally:
            self.shell.close()
        return self.ran
