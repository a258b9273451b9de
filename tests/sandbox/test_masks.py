"""What `mask` hides, and what a pattern of it means where somebody who reads it might think otherwise."""
import shutil

import pytest


def sh(sbx, script, *flags, profile=None, **options):
    return sbx.run(profile, flags, ["sh", "-c", script], **options)


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


def test_brackets_hide_what_they_mean_to_a_shell_as_well(sbx):
    for name in "iz":
        (sbx.cwd / f"{name}.key").write_text("secret\n")
    assert cat(sbx, "i.key", "/workspace/[id].key").assert_ok().out == "end\n"
    assert cat(sbx, "z.key", "/workspace/[id].key").assert_ok().out == "secret\nend\n"


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


def test_masked_files_read_as_empty_and_folders_have_nothing(sbx):
    (sbx.cwd / ".env").write_text("TOKEN=1\n")
    (sbx.cwd / "secret").mkdir()
    (sbx.cwd / "secret" / "key").write_text("k")
    run = sh(sbx, "cat .env; ls -A secret; cat secret/key", "--mask", "/workspace/.env", "--mask", "/workspace/secret")
    assert not run.out and "No such file" in run.err, run
    run = sh(sbx, "echo x > .env; touch secret/x; rm -r secret .env; mv secret s", "--mask", "/workspace/.env",
             "--mask", "/workspace/secret", "--workspace", ".:rw")
    assert (sbx.cwd / ".env").read_text() == "TOKEN=1\n" and (sbx.cwd / "secret" / "key").read_text() == "k"


def test_a_mask_as_the_shell_completes_a_folder(sbx):
    (sbx.cwd / "secret/deep").mkdir(parents=True)
    for mask in ("/workspace/secret/", "/workspace//secret", "/workspace/s*/"):
        assert sh(sbx, "ls -A secret", "--mask", mask).assert_ok().out == "", mask


def test_a_mask_names_a_folder_with_brackets_or_has_a_dot(sbx):
    folder = sbx.cwd / "[id]"
    folder.mkdir()
    (folder / "key.pem").write_text("a secret")
    for mask in ("/workspace/[id]/key.pem", "/workspace/[id]/*.pem", "/workspace/[id]", "/workspace/./[id]/*",
                 "/workspace/./*/key.pem"):
        run = sh(sbx, "cat '[id]/key.pem'; true", "--mask", mask).assert_ok()
        assert run.out == "", mask


def test_masked_patterns_match_at_any_depth(sbx):
    for path in ("a.pem", "d/b.pem", "d/e/f/c.pem", "d/e/keep.txt", ".hidden/x.pem"):
        (sbx.cwd / path).parent.mkdir(parents=True, exist_ok=True)
        (sbx.cwd / path).write_text("secret\n")
    run = sh(sbx, "find . -type f -size +0 ; cat $(find . -name '*.pem')", "--mask", "/workspace/**/*.pem").assert_ok()
    assert run.out == "./d/e/keep.txt\n", run


def test_a_pattern_with_many_stars_is_looked_up_once(sbx):
    deep = sbx.cwd
    for number in range(30):
        deep = deep / "ab"
        deep.mkdir()
        (deep / f"f{number}").write_text("x")
    (deep / "a.pem").write_text("secret\n")
    run = sh(sbx, "cat $(find . -name a.pem)", "--mask", "/workspace/**/a*/**/*/**/a?/**/**/a*/**/*.pem").assert_ok()
    assert run.out == "" and run.seconds < 10, run


def test_a_pattern_reaches_deep_folders_or_refuses(sbx):
    """Never a secret that is shown because it lies too deep."""
    deep = sbx.cwd
    for number in range(70):
        deep = deep / "d"
        deep.mkdir()
        if number == 50:
            (deep / "a.pem").write_text("secret\n")
    run = sh(sbx, "cat $(find . -name a.pem)", "--mask", "/workspace/**/*.pem")
    run.assert_refused("nested more than 64 deep")
    run = sh(sbx, "cat $(find . -name a.pem)", "--mask", "/workspace/" + "d/" * 40 + "d*/" + "d/" * 10 + "*.pem").assert_ok()
    assert run.out == "", run
    shutil.rmtree(sbx.cwd / "d" / "d" / "d" / "d" / "d" / "d" / "d" / "d" / "d" / "d" / "d" / "d")
    deep = sbx.cwd / ("d/" * 11)
    for _ in range(45):
        deep = deep / "d"
        deep.mkdir()
    (deep / "a.pem").write_text("secret\n")
    run = sh(sbx, "cat $(find . -name a.pem); echo end", "--mask", "/workspace/**/*.pem").assert_ok()
    assert run.out == "end\n", run


def test_a_folder_that_cannot_be_listed_is_no_way_around_a_pattern(sbx):
    """To be entered is enough to open a name in it that one knows."""
    folder = sbx.cwd / "drop"
    folder.mkdir()
    (folder / "a.pem").write_text("secret\n")
    folder.chmod(0o311)
    run = sh(sbx, "cat drop/a.pem", "--mask", "/workspace/**/*.pem")
    folder.chmod(0o755)
    assert "secret" not in run.out, run
    if run.code == 125:
        run.assert_refused("EACCES", "can be entered but not listed")


def test_a_mask_that_matches_nothing_is_fine(sbx):
    sh(sbx, "true", "--mask", "/workspace/none", "--mask", "/workspace/**/*.none", "--mask", "/nowhere/x").assert_ok()


def test_a_mask_does_not_follow_links_of_the_workspace(sbx):
    (sbx.cwd / "link.pem").symlink_to("/usr/bin/env")
    (sbx.cwd / "loop").symlink_to(".")
    run = sh(sbx, "wc -c < /usr/bin/env", "--mask", "/workspace/**/*.pem")
    assert run.code == 125 or int(run.out) > 1000, run


def test_every_mask_is_closed_whatever_it_is_made_of(sbx):
    """The second of /proc is a copy of the first (launch, execute_masks.cpp)."""
    for name in ("a", "b"):
        (sbx.cwd / name).write_text("x")
        (sbx.cwd / f"{name}.d").mkdir()
    masks = [f"/workspace/{name}" for name in ("a", "b", "?.d")]
    run = sbx.run(flags=["--workspace", ".:rw", *(word for mask in masks for word in ("--mask", mask))],
                  cmd=["cat", "/proc/self/mountinfo"]).assert_ok()
    mounts = [line.split() for line in run.out.splitlines()]
    found = {fields[4]: set(fields[5].split(",")) for fields in mounts if fields[3] in ("/null", "/proc")}
    assert {"/proc/keys", "/proc/timer_list", *(f"/workspace/{name}" for name in ("a", "b", "a.d", "b.d"))} <= set(found), run
    for place, flags in found.items():
        wanted = {"ro", "nosuid", "noexec"} | ({"nodev"} if place.endswith(".d") else set())
        assert place == "/dev/null" or wanted <= flags, (place, flags)
