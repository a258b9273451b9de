"""Every block of clients/python/adapters.md, with the real packages."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import DEGRADE

BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", Path(os.environ["SBX_TEST_PAGE"]).read_text(), re.M | re.S)
PRELUDE = """
import os, sbx
_make = sbx.Sandbox.__init__
def _init(self, *words, **more): _make(self, *words, **{"degrade": os.environ["SBX_TEST_DEGRADE"].split(",") if os.environ["SBX_TEST_DEGRADE"] else [], **more})
sbx.Sandbox.__init__ = _init
"""


def test_there_is_one_for_each():
    text = "".join(code for _, code in BLOCKS)
    assert all(f"sbx.adapters.{name}" in text for name in ("langchain", "llama_index", "smolagents", "llm_sandbox"))
    assert "@pytest.mark.sandbox" in text


@pytest.mark.parametrize("kind, code", [block for block in BLOCKS if block[0] == "python"])
def test_block(kind, code, tmp_path):
    file = tmp_path / ("test_it.py" if "@pytest.mark" in code else "it.py")
    file.write_text(code)
    if "@pytest.mark" in code:
        overrides = f"sandbox_overrides = degrade = {','.join(DEGRADE)}\n" if DEGRADE else ""
        (tmp_path / "pytest.ini").write_text(f"[pytest]\n{overrides}")
        words = [sys.executable, "-m", "pytest", "-q", "-p", "sbx.pytest_plugin", file]
    else:
        words = [sys.executable, "-c", f"{PRELUDE}\nexec(compile(open('it.py').read(), 'it.py', 'exec'))"]
    done = subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    for wanted in re.findall(r"#> (.*)", code):
        assert wanted in done.stdout, done.stdout + done.stderr
