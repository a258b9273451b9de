"""The bed of tests/vm whose virtual machine we are in, if any: its name, and what its host is there to lack.
Everything else sbx has to enforce there; a test that finds it missing has found a bug."""
import os

NAME = os.environ.get("SBX_TEST_BED", "")
LACKS = set(filter(None, os.environ.get("SBX_TEST_LACKS", "").split(",")))


def why_no_cgroup(*controllers):
    """None when sbx has to find a place with these controllers; else a skip's reason."""
    return f"the bed {NAME} lacks it" if LACKS & {"cgroup", *controllers} else None
