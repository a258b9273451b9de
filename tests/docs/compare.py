"""Is this what the page shows? What differs from run to run is replaced: the ids of runs, which the page must use
consistently, times of day, and the words that the block lists under `varies`. A line `...` stands for any lines, `...`
within a line for any text; how wide a gap of blanks is does not matter."""
import re

RUN_ID = r"\d{8}-\d{6}-[0-9a-f]{8}"
CLOCK = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
BLANKS = r"[ \t]+"
# What a terminal gets and nobody sees: colours and titles.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


class Ids:
    """The ids of runs as the page prints them, and those they have here."""

    def __init__(self):
        self.real = {}  # as printed -> here

    def bind(self, printed, real):
        self.real[printed], self.real[printed[-8:]] = real, real[-8:]

    def translate(self, text):
        for printed, real in self.real.items():
            text = text.replace(printed, real)
        return text


def pattern(line, ids, varies, groups):
    """One printed line as a regular expression; ids that are new get a group."""
    words = sorted(map(re.escape, varies), key=len, reverse=True)
    parts = [f"(?P<id>{RUN_ID})", f"(?P<clock>{CLOCK})", r"(?P<any>\.\.\.)", rf"(?P<blanks>{BLANKS})"]
    if words:
        parts.append(rf"(?P<word>(?<![\w.])(?:{'|'.join(words)})(?![\w.]*\w))")
    out, at = "", 0
    for found in re.finditer("|".join(parts), line):
        out += re.escape(ids.translate(line[at:found.start()]))
        at = found.end()
        if found.lastgroup == "id" and found[0] not in ids.real and found[0] not in groups.values():
            groups[f"id{len(groups)}"] = found[0]
            out += f"(?P<id{len(groups) - 1}>{RUN_ID})"
        elif found.lastgroup == "id":
            earlier = [name for name, printed in groups.items() if printed == found[0]]
            out += f"(?P={earlier[0]})" if earlier else re.escape(ids.translate(found[0]))
        else:
            out += {"clock": CLOCK, "any": ".*?", "blanks": BLANKS, "word": r"\S+"}[found.lastgroup]
    return out + re.escape(ids.translate(line[at:]))


def clean(text):
    return "\n".join(line.rstrip() for line in ESCAPES.sub("", text).replace("\r\n", "\n").splitlines()).strip("\n")


def matches(printed, real, ids, varies=()):
    """Whether `real` is what the lines `printed` show; if so, their ids are known from then on."""
    groups, whole = {}, ""
    for line in printed:
        whole += r"(?:.*\n)*?" if line.strip() == "..." else pattern(line.rstrip(), ids, varies, groups) + r"[ \t]*\n"
    said = clean(real)
    found = re.fullmatch(whole, said + "\n" if said else "")
    for name, id_printed in groups.items() if found else ():
        ids.bind(id_printed, found[name])
    return found is not None
