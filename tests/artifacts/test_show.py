"""`sbx artifacts show`: the page of a run out of the store. What is in the page is for tests/report."""
import base64
import os

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def made(store):
    (store.sbx.cwd / "p.png").write_bytes(PNG)
    return store.run("mkdir out; cp p.png out/p.png; printf 'name,value\\nfirst-cell,1\\nb,2\\nc,3\\n' > out/t.csv; sleep 0.5",
                     json=True).result["id"]


def test_the_page_has_command_result_plot_and_artifacts(store, tmp_path):
    run = made(store)
    store.good("show", run, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert run in page and ">first-cell<" in page and "data:image/png;base64," in page and "<svg" in page
    assert "<script" not in page.lower() and "Content-Security-Policy" in page
    assert store.good("show", run).strip() == page.strip() == store.good("show", run, "-o", "-").strip()


def test_nothing_half_written(store, tmp_path):
    run = made(store)
    (tmp_path / "old.html").write_text("old")
    assert store.verb("show", "nobody", "-o", tmp_path / "old.html").returncode == 125
    assert (tmp_path / "old.html").read_text() == "old"
    assert store.verb("show", run, "-o", tmp_path / "missing/r.html").returncode == 125
    assert store.verb("show").returncode == 125
    store.good("show", run, "-o", tmp_path / "old.html")
    assert run in (tmp_path / "old.html").read_text()
    assert [name for name in os.listdir(tmp_path) if "html" in name] == ["old.html"]


def test_a_damaged_artifact_is_told_in_its_place(store, tmp_path):
    run = made(store)
    path = store.object(b"name,value\nfirst-cell,1\nb,2\nc,3\n")
    path.chmod(0o600)
    path.write_bytes(b"something else")
    page = store.good("show", run)
    assert ">first-cell<" not in page and "something else" not in page and "is damaged" in page
