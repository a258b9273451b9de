"""The page as people see it: pixels of a real browser, in places that it names itself."""
import os
import subprocess

import pytest
from report.samples import artifact, ordinary, result, usage

from support.cache import made

# Colours of src/report/style.cpp.
LIGHT = {"cpu": "2a6fbb", "memory": "7a4cb8", "pids": "14806b", "limit": "b3261e", "good": "e7f4ec", "bad": "fcebea",
         "stopped": "fdf1dd", "ground": "f7f7f5"}
DARK_GROUND = "121518"
MIB = 1 << 20

CHART = """
import sys, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 3), dpi=100)
axes.bar(["a", "b", "c"], [3, 5, 4], color="#d6336c")
axes.set_title("A chart")
figure.savefig(sys.argv[1])
"""


@pytest.fixture(scope="module")
def chart(tmp_path_factory):
    """A PNG made by matplotlib."""
    target = tmp_path_factory.mktemp("chart") / "chart.png"
    environment = os.environ | {"MPLCONFIGDIR": str(target.parent)}
    subprocess.run([made("venv", "bin", "python3"), "-c", CHART, target], check=True, env=environment)
    return target.read_bytes()


def steady(count=60):
    """Half of the time at a quarter of the limit, then at three quarters."""
    return [{"t_ms": i * 50, "cpu_ms": i * 40, "memory_bytes": (128 if i < count // 2 else 384) * MIB, "pids": 4,
             "read_bytes": None, "write_bytes": None} for i in range(count)]


def test_a_picture_of_matplotlib_is_shown(make_page, browser, chart):
    sample = ordinary()
    without = browser.picture(make_page(sample, "without"))
    sample["artifacts"].insert(0, artifact("/workspace/chart.png", chart, "image/png"))
    page = make_page(sample, "with")
    [box] = browser.look(page, selectors=["img[alt*='chart.png']"])["boxes"]["img[alt*='chart.png']"]
    assert box["pixels"] == 600
    pixels = browser.picture(page)
    # The bars fill about a quarter of it.
    assert pixels.count("d6336c", box) > 0.1 * box["width"] * box["height"]
    assert without.count("d6336c") == 0


def test_the_plots_show_what_was_used(make_page, browser):
    page = make_page(ordinary(samples=steady()))
    plots = browser.look(page, selectors=["svg.plot"])["boxes"]["svg.plot"]
    assert len(plots) == 3  # nobody measured the disk
    pixels = browser.picture(page)
    cpu, memory, pids = plots
    assert longest(pixels.rows(LIGHT["cpu"], cpu)) > 0.9 * cpu["width"]
    assert longest(pixels.rows(LIGHT["pids"], pids)) > 0.9 * pids["width"]
    low, high = lines(pixels.rows(LIGHT["memory"], memory), 0.4 * memory["width"])
    # A quarter and three quarters of a plot whose top is the limit.
    assert low - high == pytest.approx(memory["height"] / 2, abs=3)
    assert high - memory["y"] == pytest.approx(memory["height"] / 4, abs=3)
    limit = pixels.rows(LIGHT["limit"], memory | {"y": memory["y"] - 3, "height": 6})
    assert 0.4 * memory["width"] < longest(limit) < 0.8 * memory["width"]  # dashes


def longest(rows):
    return max((count for _, count in rows), default=0)


def lines(rows, least):
    """Where the lower and the upper line run."""
    ys = [y for y, count in rows if count > least]
    assert ys, "no line"
    return max(ys), min(ys)


def test_a_gap_is_a_gap(make_page, browser):
    samples = steady()
    for sample in samples[20:40]:
        sample["pids"] = None
    page = make_page(ordinary(samples=samples))
    plot = browser.look(page, selectors=["svg.plot"])["boxes"]["svg.plot"][2]
    pixels = browser.picture(page)
    third = plot["width"] / 3
    middle = plot | {"x": plot["x"] + third + 20, "width": third - 40}
    assert pixels.count(LIGHT["pids"], middle) == 0
    assert pixels.count(LIGHT["pids"], plot) > 0.5 * plot["width"]


@pytest.mark.parametrize("status, colour, words", [
    ("ok", "good", "Succeeded"), ("nonzero", "bad", "Failed: exit code 3"), ("timeout", "stopped", "wall time limit")])
def test_the_status_is_told_in_words_and_colour(make_page, browser, status, colour, words):
    page = make_page(ordinary(result=result(status=status, exit_code=3)))
    [box] = browser.look(page, selectors=[".verdict"])["boxes"][".verdict"]
    pixels = browser.picture(page, height=600)
    for other in ["good", "bad", "stopped"]:
        found = pixels.count(LIGHT[other], box, near=0)
        assert (found > 0.4 * box["width"] * box["height"]) == (other == colour)
    assert words in page.read_text()


def test_the_page_is_dark_where_people_want_it_dark(make_page, browser):
    page = make_page(ordinary())
    area = 1000 * 600
    assert browser.picture(page, height=600).count(LIGHT["ground"]) > 0.5 * area
    assert browser.picture(page, height=600, dark=True).count(DARK_GROUND) > 0.5 * area


@pytest.mark.parametrize("width", [320, 390, 768, 1400])
def test_the_page_is_never_wider_than_the_screen(make_page, browser, chart, width):
    sample = ordinary()
    wide = ",".join(f"column {i}" for i in range(60)) + "\n" + ",".join(map(str, range(60)))
    sample["artifacts"] += [artifact("/chart.png", chart), artifact("/wide.csv", wide),
                            artifact("/" + "long" * 200, "x" * 5000)]
    sample["result"]["reason"]["text"] = "y" * 1000
    sample["result"]["argv"].append("z" * 1000)
    assert browser.look(make_page(sample), width=width)["width"] == width


def test_a_tooltip_is_under_every_point_of_the_plot(make_page, browser):
    page = make_page(ordinary(samples=usage()))
    boxes = browser.look(page, selectors=["svg.plot", ".hit"])["boxes"]
    first = boxes["svg.plot"][0]
    hits = [h for h in boxes[".hit"] if abs(h["y"] - first["y"]) < 2]
    assert sum(h["width"] for h in hits) == pytest.approx(first["width"], rel=0.02)
