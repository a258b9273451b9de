"""A run by the Python client costs at most 1.3 times the bare call of the binary; clients/python/cost.py does 1,000."""
import statistics
import sys

import pytest

from clients.conftest import PYTHON

RUNS, BOUND, TRIES = 60, 1.3, 3


@pytest.fixture
def cost():
    sys.path.insert(0, str(PYTHON))
    import cost as module
    yield module
    sys.path.remove(str(PYTHON))


def test_cost_of_a_run(client, sbx, cost, degraded):
    """In turns, by medians; what is slow by itself is slow each time, what the machine does meanwhile is not."""
    ratios = []
    for _ in range(TRIES):
        bare, ours = cost.measure(sbx.binary, RUNS, ["--degrade=cgroup"] if degraded else [])
        ratios.append(statistics.median(ours) / statistics.median(bare))
        if ratios[-1] <= BOUND:
            return
    pytest.fail(f"{RUNS} runs by the client took {ratios} times as long as the bare calls; {BOUND} is allowed")
