"""The starts as an SVG: a bar for each tool, in colours that do on a light and on a dark page. No script, no font."""
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 760, 150, 80  # of the picture; of the names; of the last figure
TOP, BAR, STEP, BOTTOM = 52, 16, 26, 34
BREAK = 14  # where a bar that is too long is cut
LONGEST = 7  # times floor: what takes longer is cut
FONTS = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
TEXT, FAINT, OURS, FLOOR, PEER = "#737d87", "#737d8780", "#2f81f7", "#3fa45b", "#9aa4ae"
LABELS = {"floor": "floor (the least)"}
VARIANTS = ("no sandbox", "equal work", "sbx --cpus 1", "sbx python", "sbx profile.yaml", "nsjail, no filter",
            "isolate, whole")


def shown(rows):
    """Those worth a bar, the quickest first."""
    kept = {name: row["median"] for name, row in rows.items() if not name.startswith(VARIANTS)}
    return sorted(kept.items(), key=lambda item: item[1])


def colour(name):
    return OURS if name.startswith("sbx") else FLOOR if name == "floor" else PEER


def step(longest):
    """Between two marks of the scale: about five of them."""
    for size in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100):
        if longest / size <= 6:
            return size
    return longest


def text(x, y, words, anchor="start", size=13, weight="normal"):
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
            f'fill="{TEXT}">{escape(words)}</text>')


def bar(x, y, width, fill, cut):
    if not cut:
        return f'<rect x="{x:g}" y="{y:g}" width="{width:.1f}" height="{BAR}" rx="2" fill="{fill}"/>'
    # Two pieces with a slanted gap: a bar that goes on.
    at, slant = x + width - 3 * BREAK, BREAK / 2
    near = f"M{x:g} {y:g}H{at + slant:.1f}L{at:.1f} {y + BAR:g}H{x:g}Z"
    far = f"M{at + slant + 5:.1f} {y:g}H{x + width:.1f}V{y + BAR:g}H{at + 5:.1f}Z"
    return f'<path d="{near}{far}" fill="{fill}"/>'


def draw(result):
    rows = shown(result["start"])
    limit = min(rows[-1][1], LONGEST * result["start"].get("floor", result["start"][rows[0][0]])["median"])
    whole = [value for _, value in rows if value <= limit]
    longest = max(whole, default=limit) * 1.05
    scale = (WIDTH - LEFT - RIGHT) / longest
    height = TOP + STEP * len(rows) + BOTTOM
    bottom = TOP + STEP * len(rows)
    title = f"Start of {result['command']}, median in ms"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
             f'viewBox="0 0 {WIDTH} {height}" font-family="{FONTS}" role="img">',
             f"<title>{escape(title)}</title>", text(LEFT, 24, title, size=15, weight="600"),
             text(WIDTH - 8, 24, f"less is better; as {result['user']}", "end", 12)]
    grid = step(longest)
    for number in range(int(longest / grid) + 1):
        x = LEFT + number * grid * scale
        # The figures stand beside the bars: lines through all of it would cross them.
        parts += [f'<path d="M{x:.1f} {bottom if number else TOP - 8}V{bottom + 5}" stroke="{FAINT}"/>',
                  text(round(x, 1), bottom + 18, f"{number * grid:g}", "middle", 11)]
    for index, (name, value) in enumerate(rows):
        y = TOP + STEP * index
        cut = value > limit
        width = (WIDTH - LEFT - RIGHT) if cut else value * scale
        figure = f"{value:.2f}" if value < 10 else f"{value:.1f}"
        strong = "600" if name.startswith("sbx") else "normal"
        parts += [text(LEFT - 10, y + 13, LABELS.get(name, name), "end", weight=strong),
                  bar(LEFT, y, width, colour(name), cut),
                  text(round(LEFT + width + 8, 1), y + 13, figure, weight=strong)]
    return "\n".join([*parts, "</svg>"]) + "\n"
