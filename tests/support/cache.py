"""Where things are: the tree, what was built of it, and what `scripts/setup test` has fetched and made for the tests."""
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SBX_BUILD_DIR", ROOT / "build"))
CACHE = Path(os.environ.get("SBX_TEST_CACHE") or BUILD / "test-cache").resolve()


def made(*parts):
    """The path of something in CACHE. The test fails when it is not there: it needs it, and does not skip."""
    path = CACHE.joinpath(*parts)
    if not path.exists():
        pytest.fail(f"{path} is not there: scripts/setup test makes it", pytrace=False)
    return path
