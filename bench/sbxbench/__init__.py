"""The parts of bench/run: who is measured (ours, peers), what (one module for each part), and how it is shown."""
