"""Reads the table of beds, beds.txt, which says what the columns mean."""
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "beds.txt"
WAYS = ("login", "service", "plain", "delegated", "container")
HOMES = ("top", "own", "scope", "hybrid", "v1", "-")


@dataclass(frozen=True)
class Bed:
    name: str
    kernel: str
    scenario: str
    user: str
    way: str  # how the tests become that user, and where they are then: one of WAYS
    home: str  # where sbx has to make its groups: one of HOMES
    lacks: tuple
    suites: tuple
    kernel_args: tuple
    why: str

    @property
    def machine(self):
        """Whose programs and image it boots: "arm64", or "" for this host's own."""
        return self.kernel.partition("-")[2]


def _words(cell, separator=None):
    return () if cell == "-" else tuple(cell.split(separator))


def read():
    """{name: Bed}, in the table's order."""
    found = {}
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) != 9 or cells[0] in found:
            raise ValueError(f"{TABLE}:{number}: expected 9 columns and a name of its own")
        name, kernel, scenario, who, home, lacks, suites, arguments, why = cells
        user, _, way = who.partition(":")
        if scenario not in ("bare", "systemd") or way not in WAYS or home not in HOMES:
            raise ValueError(f"{TABLE}:{number}: no such scenario, way to become a user, or home")
        found[name] = Bed(name, kernel, scenario, user, way, home, _words(lacks, ","), _words(suites),
                          _words(arguments), why)
    return found
