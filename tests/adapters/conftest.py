"""What is in inside/ runs in another Python, which has the frameworks (test_adapters.py)."""
collect_ignore = ["inside"]
