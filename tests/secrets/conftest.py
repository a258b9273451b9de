"""What tests of secrets share."""
import pytest

from support.secret_values import Value


@pytest.fixture
def value(monkeypatch):
    value = Value()
    monkeypatch.setenv("SBX_TEST_SECRET", value.text)
    return value
