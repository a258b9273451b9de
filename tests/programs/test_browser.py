"""A browser, as docs/coming-from.md starts one: without its own sandbox, which would need namespaces."""
PAGE = "<p id=a></p><script>document.getElementById('a').textContent = 6 * 7</script>"
FLAGS = ["--workspace", ".", "--ro", "/etc/chromium.d", "--memory", "2G", "--pids", "512"]
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=/tmp/data", "--dump-dom", "file:///workspace/a.html"]


def test_chromium_runs_a_page(sbx):
    (sbx.cwd / "a.html").write_text(PAGE)
    run = sbx.run(flags=FLAGS, cmd=CHROMIUM).assert_ok()
    assert '<p id="a">42</p>' in run.out
