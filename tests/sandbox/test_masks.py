"""What a pattern of `mask` means, where somebody who reads it might think otherwise."""
import pytest


def cat(sbx, name, *masks):
    flags = [word for mask in masks for word in ("--mask", mask)]
    return sbx.run(flags=flags, cmd=["sh", "-c", f"cat '{name}'; echo end"])


ODD = {
    "brackets": ("[id].key", "/workspace/[id].key"),
    "brackets in a pattern": ("[id].key", "/workspace/[*.key"),
    "a backslash in a pattern": ("a\\b.key", "/workspace/a\\b*"),
    "a character of several bytes": ("\u00e9.key", "/workspace/?.key"),
}


@pytest.mark.parametrize("name, mask", ODD.values(), ids=list(ODD))
def test_every_character_but_the_wildcards_is_itself(sbx, name, mask):
    (sbx.cwd / name).write_text("secret\n")
    assert cat(sbx, name, mask).assert_ok().out == "end\n"
    assert cat(sbx, name).assert_ok().out == "secret\nend\n"  # the control


def test_brackets_hide_nothing_else(sbx):
    (sbx.cwd / "i.key").write_text("shown\n")
    assert cat(sbx, "i.key", "/workspace/[id].key").assert_ok().out == "shown\nend\n"
