"""A run that draws a chart with matplotlib, its artifacts, and the page about it in a browser: chart, plot and result."""
import subprocess

from report.test_looks import LIGHT

from support.cache import made

# Half a second of work beside it, so that there is something to plot.
SCRIPT = """
import os, time, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 3), dpi=100)
axes.bar(["a", "b", "c"], [3, 5, 4], color="#d6336c")
os.mkdir("out")
figure.savefig("out/chart.png")
open("out/numbers.csv", "w").write("name,value\\n" + "".join(f"row {i},{i * i}\\n" for i in range(50)))
until = time.monotonic() + 0.5
while time.monotonic() < until: pass
print("drawn")
"""


def test_the_page_about_a_run_of_matplotlib(sbx, browser, tmp_path, monkeypatch, open_folder):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    venv = made("venv")
    run = sbx.run(profile="python", flags=["--ro", venv, "--workspace", ".:overlay", "--collect", "/workspace/out/**",
                                           "--env", "MPLCONFIGDIR=/tmp"],
                  cmd=[venv / "bin/python3", "-c", SCRIPT]).assert_ok()
    assert {one["media_type"] for one in run.result["artifacts"]} == {"image/png", "text/csv"}, run
    page = tmp_path / "report.html"
    subprocess.run([sbx.binary, "artifacts", "show", run.result["id"], "-o", page], check=True)
    chart, plots = "img[alt*='chart.png']", "svg.plot"
    seen = browser.look(page, selectors=[chart, plots, "header"])
    [chart_box] = seen["boxes"][chart]
    assert chart_box["pixels"] == 600 and len(seen["boxes"][plots]) >= 1
    pixels = browser.picture(page)
    assert pixels.count("d6336c", chart_box) > 0.1 * chart_box["width"] * chart_box["height"]
    # The processor was busy all the time: its line is drawn in the first plot.
    assert pixels.count(LIGHT["cpu"], seen["boxes"][plots][0], near=40) > 50
    assert pixels.count(LIGHT["good"]) > 1000  # the verdict
    text = page.read_text()
    assert "row 49" in text and "2401" in text and "<table" in text
