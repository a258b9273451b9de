"""The program with a failing step put into its plan (tests/tools/sbx_weakened.cpp)."""
import os
from pathlib import Path

import pytest

from support.sbx import Sbx

BUILD = Path(os.environ.get("SBX_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))


@pytest.fixture
def weakened(sbx, tmp_path):
    path = Path(os.environ.get("SBX_WEAKENED", BUILD / "tests" / "tools" / "sbx_weakened")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not there: build it, or name another with SBX_WEAKENED", pytrace=False)
    program = Sbx(path, tmp_path)
    yield program
    program.close()
    sbx.killed = sbx.killed or program.killed
