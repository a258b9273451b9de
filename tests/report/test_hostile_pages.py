"""Nothing of a run becomes markup, runs or loads anything in the browser of who looks at its page."""
import re

import pytest
from report.hostile import hostile, payloads, svg
from report.samples import ordinary

# These leave the page, so that nothing could be seen of the others.
LEAVING = ("refresh", "<base", "<form")


def test_no_string_of_a_run_becomes_an_element(make_page, browser, listener):
    page = make_page(hostile(listener.address))
    dom = browser.dom(page)
    assert "document.title=" in dom  # they are there, as text
    assert not re.findall(r"<(?:script|iframe|object|embed|form|base|link|input|foreignobject)\b", dom, re.I)
    assert len(re.findall(r"<meta\b", dom)) == 4
    assert len(re.findall(r"<style\b", dom)) == 1
    boxes = browser.look(page, selectors=[
        ".attack", "[onload],[onerror],[style],[autofocus]", "[href]:not([href^='#'])",
        "[src]:not([src^='data:image/'])", "main h2"])["boxes"]
    assert len(boxes.pop("main h2")) >= 6
    assert not any(boxes.values()), boxes


def test_a_hostile_page_runs_nothing_and_loads_nothing(make_page, browser, listener):
    page = make_page(hostile(listener.address))
    assert "PWNED" not in re.search(r"<title>(.*?)</title>", browser.dom(page), re.S).group(1).split(":")[-1]
    browser.picture(page, height=12_000)  # with everything on it drawn
    assert listener.asked == []


def test_the_same_strings_do_their_work_where_nobody_escapes_them(tmp_path, browser, listener):
    """The control: what the two tests above look for does happen."""
    page = tmp_path / "careless.html"
    kept = [p for p in payloads(listener.address) if not any(word in p for word in LEAVING)]
    page.write_text("<!DOCTYPE html><meta charset=utf-8><title>t</title>" + "\n".join(kept), errors="replace")
    dom = browser.dom(page)
    assert "<title>PWNED</title>" in dom
    assert len(browser.look(page, selectors=[".attack"])["boxes"][".attack"]) > 5
    assert {"/script", "/img", "/frame", "/css", "/link"} <= set(listener.asked)


def test_an_svg_is_drawn_and_does_nothing_else(make_page, browser, listener):
    page = make_page(hostile(listener.address))
    pictures = browser.look(page, selectors=["img[src^='data:image/svg']"])["boxes"]["img[src^='data:image/svg']"]
    assert [p["pixels"] for p in pictures] == [200]
    assert browser.picture(page, height=12_000).count("0ca678", pictures[0]) > 5000
    assert listener.asked == []


def test_the_same_svg_as_a_document_of_its_own_asks_for_more(tmp_path, browser, listener):
    """The control of that."""
    page = tmp_path / "drawing.svg"
    page.write_text(svg(listener.address))
    browser.dom(page)
    assert {"/svg-script", "/svg-image"} <= set(listener.asked)


@pytest.mark.parametrize("status, exit_code", [("ok", 0), ("</title><script>", None)])
def test_a_page_is_one_document_whatever_its_title(make_page, browser, status, exit_code):
    sample = ordinary()
    sample["result"] |= {"status": status, "exit_code": exit_code, "argv": ["</title><script>document.title=1</script>"]}
    seen = browser.look(make_page(sample), selectors=["main", "script", "head title"])
    assert {name: len(boxes) for name, boxes in seen["boxes"].items()} == {"main": 1, "script": 0, "head title": 1}
    assert seen["title"].startswith("</title><script>")
