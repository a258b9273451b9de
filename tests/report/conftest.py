"""Pages to look at (`make_page`), and a browser to look with."""
import json
import subprocess

import pytest
from report.browser import Browser, Listener

from support.cache import BUILD


@pytest.fixture
def make_page(tmp_path):
    """Writes the page of a sample (samples.py) and returns its path."""
    program = BUILD / "tests" / "report" / "report_sample"

    def make(sample, name="page"):
        described, page = tmp_path / f"{name}.json", tmp_path / f"{name}.html"
        described.write_text(json.dumps(sample))
        done = subprocess.run([program, described], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        page.write_bytes(done.stdout)
        return page

    return make


@pytest.fixture
def browser(tmp_path):
    return Browser(tmp_path)


@pytest.fixture
def listener():
    server = Listener()
    yield server
    server.close()
