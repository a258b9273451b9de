"""What a run says of the network: its payload, and its result."""
import json


class Said(dict):
    """What a payload printed; whoever asks for what it did not say gets to see the whole run."""

    def __init__(self, run):
        super().__init__(json.loads(run.out.strip().splitlines()[-1]) if run.code == 0 and run.out.strip() else {})
        self.run = run

    def __missing__(self, key):
        raise AssertionError(f"it did not say {key!r}:\n{self.run!r}")


def connections(run, **like):
    """The entries of network.connections that are like this."""
    return [c for c in run.result["network"]["connections"] if all(c.get(k) == v for k, v in like.items())]


def denials(run, host, operation=None):
    """The denials of a host's."""
    return [d for d in run.result["denials"] if d["kind"] == "network" and d["target"].startswith(host)
            and operation in (None, d["operation"])]
