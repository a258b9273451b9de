"""What all Python tests share: running sbx, what this host offers, and what a run left behind."""
