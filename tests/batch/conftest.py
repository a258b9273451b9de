"""`batch`: what support/batch.py has, with the program under test."""
import pytest

from support.batch import Batch


@pytest.fixture
def batch(sbx):
    return Batch(sbx)
