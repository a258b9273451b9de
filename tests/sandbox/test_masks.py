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


@pytest.mark.parametrize("mask", ["/workspace/link", "/workspace/link/a.key", "/workspace/link/*.key", "/workspace/link/**/a.*"])
def test_a_link_that_is_written_out_is_refused_and_not_passed_by(sbx, mask):
    """What it leads to would stay open in silence."""
    (sbx.cwd / "real").mkdir()
    (sbx.cwd / "real" / "a.key").write_text("secret\n")
    (sbx.cwd / "link").symlink_to("real")
    cat(sbx, "real/a.key", mask).assert_refused("ELOOP", "name what it leads to")


def test_a_link_that_a_pattern_meets_is_left_alone(sbx):
    (sbx.cwd / "real").mkdir()
    (sbx.cwd / "real" / "a.key").write_text("secret\n")
    (sbx.cwd / "link").symlink_to("real")
    (sbx.cwd / "lonely").symlink_to("nowhere")
    assert cat(sbx, "link/a.key", "/workspace/l*", "/workspace/*/a.key").assert_ok().out == "end\n"


@pytest.mark.parametrize("mask", ["/nowhere/*", "/workspace/none/**", "/workspace/file/*"])
def test_a_pattern_of_a_folder_that_is_not_there_is_fine(sbx, mask):
    (sbx.cwd / "file").write_text("shown\n")
    assert cat(sbx, "file", mask).assert_ok().out == "shown\nend\n"
