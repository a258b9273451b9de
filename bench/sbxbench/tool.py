"""One row of the tables: a way to start a command."""
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

FILTER_FD = 9  # where spawn.c opens a tool's `extra`; a shell redirects one digit only
SLOT = "{slot}"  # spawn.c puts a number there that no other run has at the same time


def no_slots(_count):
    """Most tools keep nothing between two runs."""


@dataclass
class Tool:
    name: str
    about: str
    words: Callable  # (command, flags) -> argv
    extra: Path | None = None  # a file for FILTER_FD
    work: str = "/workspace"  # where the benchmark's folder is seen from inside; "": where it is
    view: str | None = None  # the mounts around it, if not the machine's (view.py)
    patient: tuple = ()  # flags for a run that takes long
    parts: tuple | None = None  # the parts that it belongs to; None: all
    slots: Callable = no_slots  # makes ready for so many at the same time; 0: cleans up
    path: str | None = None  # the program, for its version

    def argv(self, command, patient=False):
        return [str(word) for word in self.words(list(command), list(self.patient) if patient else [])]

    def in_part(self, part):
        return self.parts is None or part in self.parts
