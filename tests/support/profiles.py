"""Profiles that several tests need, as data."""


def with_tools(profile, *tools):
    """The built-in profile plus tools that this host may keep anywhere."""
    return {"version": 1, "extends": [profile], "tools": list(tools)}
