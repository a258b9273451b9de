"""The figures as Markdown tables, one function for each part."""

BASES = ("floor", "equal work", "bwrap")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def ratio(value, base):
    return f"{value / base:.2f}" if value and base else "-"


def times_floor(row):
    return row["median"] / row["floor_among"]


def yes(value):
    return "yes" if value else "no"


def sorted_by(rows, key):
    return sorted(rows.items(), key=lambda item: key(item[1]))


def isolation(rows):
    head = ["", "own namespaces", "user outside", "capabilities", "bounding set", "no_new_privs", "filter",
            "fresh /tmp", "may write in", "writable/all mounts", "processes seen", "interfaces but lo"]
    return table(head, [
        [name, " ".join(r["namespaces"]) or "-", r["user"], yes(r["capabilities"]), yes(r["bounding"]),
         yes(r["no_new_privs"]), yes(r["seccomp"]), yes(r["fresh_tmp"]), " ".join(r["writable"]) or "-",
         f"{r['writable_mounts']}/{r['mounts']}", str(r["processes"]), str(r["interfaces"])]
        for name, r in rows.items()])


def latency(rows):
    bases = [rows.get(name, {}).get("median") for name in BASES]
    return table(["", "min", "median", "p99", "p99/median", *(f"x {name}" for name in BASES), "runs", "failed"], [
        [name, number(r["min"]), number(r["median"]), number(r["p99"]), number(r["spread"], 1),
         *(ratio(r["median"], base) for base in bases), str(r["runs"]), str(r["failed"])]
        for name, r in sorted_by(rows, lambda r: r["median"])])


def added(rows):
    """What cgroups cost us, and what they would cost floor."""
    pairs = (("sbx", "sbx, no cgroup", "sbx"), ("equal work", "equal work", "equal work, cgroups"))
    found = [f"{name} {rows[with_]['median'] - rows[without]['median']:.2f} ms" for name, without, with_ in pairs
             if with_ in rows and without in rows]
    return f"\nCgroups for memory and pids add: {', '.join(found)}.\n" if found else ""


def rate(rows):
    levels = sorted({int(level) for row in rows.values() for level in row})

    def best(row):
        return max((r["per_s"] for r in row.values()), default=0)

    tops = [best(rows.get(name, {})) for name in BASES]
    last = levels[-1]
    return table(["", *(f"at {level}" for level in levels), f"p99 ms at {last}", *(f"best x {name}" for name in BASES),
                  "failed"], [
        [name, *(number(row[level]["per_s"], 0) if level in row else "-" for level in levels),
         number(row[last]["p99"], 1) if last in row else "-", *(ratio(best(row), top) for top in tops),
         str(sum(r["failed"] for r in row.values()))] for name, row in sorted_by(rows, lambda row: -best(row))])


def alive(rows):
    return table(["", "alive", "median alone", "median then", "p99 then", "then x alone", "x floor among floors",
                  "x floor beside it", "KiB each", "failed"], [
        [name, str(r["alive"]), number(r["alone"]), number(r["median"]), number(r["p99"]),
         ratio(r["median"], r["alone"]), ratio(r["median"], r["floor_among"]), ratio(r["median"], r["floor_beside"]),
         number(r["kib"], 0), str(r["failed"])]
        for name, r in sorted_by(rows, times_floor)])


def memory(rows):
    return table(["", "processes", "PSS, KiB"], [[name, number(r["processes"], 0), number(r["kib"], 0)]
                                                 for name, r in sorted_by(rows, lambda r: r["kib"])])


def stream(rows):
    base = rows.get("no sandbox", {})
    return table(["", "GiB/s", "of no sandbox", "launcher's CPU s/GiB"], [
        [name, number(r["gib_per_s"]), ratio(r["gib_per_s"], base.get("gib_per_s")),
         "-" if name == "no sandbox" else number(r["cpu_s_per_gib"], 3)]
        for name, r in sorted_by(rows, lambda r: -r["gib_per_s"])])


def calls(rows):
    base = rows.get("no sandbox", {})
    return table(["", "getppid", "x none", "openat and close", "x none"], [
        [name, number(r["getppid"], 0), ratio(r["getppid"], base.get("getppid")), number(r["open"], 0),
         ratio(r["open"], base.get("open"))] for name, r in rows.items()])


def about(rows):
    return "".join(f"- **{name}**: {row['about']}{row['version'] and ' (' + row['version'] + ')'}\n"
                   for name, row in rows.items())


def whole(result, host):
    """The report of one user."""
    lines = [f"## As {result['user']}\n", f"{host}, {result['rounds']} rounds.\n"]
    alive_count = max((r["alive"] for r in result.get("alive", {}).values()), default=0)
    sections = (
        ("isolation", "What each gives, seen from inside", isolation),
        ("start", f"Start of {result['command']}, ms", lambda rows: latency(rows) + added(rows)),
        ("python", "Start of python3 -c pass, ms", latency),
        ("rate", "Sandboxes a second (/bin/true), by how many at the same time", rate),
        ("alive", f"A start with {alive_count} sandboxes of the same kind alive, ms", alive),
        ("memory", "Memory of one live sandbox, without its payload", memory),
        ("calls", "System calls inside, ns", calls),
    )
    for part, title, show in sections:
        if result.get(part):
            lines.append(f"### {title}\n\n{show(result[part])}")
    for job, rows in result.get("stream", {}).items():
        title = {"out": "out of the payload", "through": "in and out again"}[job]
        lines.append(f"### {result['stream_mib']} MiB {title}\n\n{stream(rows)}")
    lines.append(f"### Rows\n\n{about(result['rows'])}")
    lines += [f"Note: {note}\n" for note in result["notes"]]
    return "\n".join(lines)
