"""How much slower than real hardware this host is: bounds on what is fast are multiplied by it, promises
about what is enforced are not. tests/vm sets SBX_TEST_SLOW for software emulation."""
import os

FACTOR = float(os.environ.get("SBX_TEST_SLOW", "1"))
