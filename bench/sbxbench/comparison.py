"""The table of docs/comparison.md: a row for each question, a column for each tool, one table for each user."""
import re

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mnt", "cgroup")


def yes(value):
    return "?" if value is None else "yes" if value else "no"


def own_namespace(name):
    return lambda row: yes(name in row["namespaces"])


def of(key, wanted=True):
    return lambda row: yes(row.get(key) if row.get(key) is None or wanted else not row[key])


QUESTIONS = [
    *((f"own {name} namespace", own_namespace(name)) for name in NAMESPACES),
    ("your home is hidden", of("home", False)),
    ("your variables are hidden", of("environment", False)),
    ("127.0.0.1 of the host is out of reach", of("loopback", False)),
    ("abstract sockets of the host are out of reach", of("abstract", False)),
    ("no capability, nor a way to one", lambda row: yes(not row["capabilities"] and not row["bounding"])),
    ("no_new_privs", of("no_new_privs")),
    ("a filter of system calls", of("seccomp")),
    ("cannot type into your terminal", of("types", False)),
    ("1.5 GiB of memory are refused", of("memory", False)),
    ("300 processes are refused", of("processes", False)),
    ("64 MiB of output are cut", of("output", False)),
    ("a run of 70 s is ended", of("patient", False)),
    ("SIGKILL and exit code 137 are told apart", of("signal")),
    ("nothing is left when the launcher is killed", of("outlives", False)),
]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def of_user(rows, who):
    names = list(rows)
    lines = [[question, *(answer(rows[name]) for name in names)] for question, answer in QUESTIONS]
    if any(rows[name].get("start") for name in names):
        lines.append(["start of `/bin/true`, times the floor", *(f"{rows[name]['start']:.1f}" if rows[name].get("start") else "-"
                                                                 for name in names)])
    return f"### Started by {who}\n\n" + table(["", *names], lines) + "\n"


def whole(results, host, notes):
    """What stands between the marks; `results`: who -> tool -> row."""
    tools = {(name, row["about"]): row for rows in results.values() for name, row in rows.items()}
    parts = [BEGIN, f"\nMeasured {host}.\n", *(of_user(rows, who) for who, rows in results.items()), "### What was started\n"]
    parts += [f"- **{name}**: `{about}` ({row['version']})" for (name, about), row in tools.items() if about]
    parts += [""] + [f"{note}\n" for note in notes] + [END]
    return "\n".join(parts)


def put(page, text):
    """The page with `text` between its marks."""
    begin, rest = page.split(BEGIN)
    return begin + text + rest.split(END)[1]


def answers(page, tool):
    """who -> question -> what the page says of one tool."""
    found = {}
    for who, part in re.findall(r"### Started by (.*?)\n\n(.*?)\n\n", page, re.S):
        _, _, *rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in part.splitlines()]
        at = [cell.strip() for cell in part.splitlines()[0].strip("|").split("|")].index(tool)
        found[who] = {row[0]: row[at] for row in rows}
    return found
