"""Layers over one another: what a later one takes away, and what it cannot."""
import pytest

from images.layouts import Image, hard_link, link, member, tar

CASES = {
    "a file is removed": (
        [[member("a", "1"), member("b", "2")], [member(".wh.a", "")]], {"b": b"2"}),
    "a folder is removed": (
        [[member("d/"), member("d/x", "1"), member("d/e/y", "2")], [member(".wh.d", "")]], {}),
    "a file of the same layer stays": (
        [[member("a", "1")], [member("a", "new"), member(".wh.a", "")]], {"a": b"new"}),
    "of a folder of both layers the lower part goes": (
        [[member("d/"), member("d/old", "1")], [member("d/"), member("d/new", "2"), member(".wh.d", "")]],
        {"d/": None, "d/new": b"2"}),
    "opaque, the mark first": (
        [[member("d/"), member("d/old", "1"), member("d/e/y", "")], [member("d/"), member("d/.wh..wh..opq", ""), member("d/new", "2")]],
        {"d/": None, "d/new": b"2"}),
    "opaque, the mark last": (
        [[member("d/old", "1"), member("d/e/y", "")], [member("d/e/z", "3"), member("d/new", "2"), member("d/.wh..wh..opq", "")]],
        {"d/": None, "d/new": b"2", "d/e/": None, "d/e/z": b"3"}),
    "opaque through a link": (
        [[member("d/old", "1"), link("l", "d")], [member("l/.wh..wh..opq", ""), member("l/new", "2")]],
        {"d/": None, "d/new": b"2", "l": "-> d"}),
    "opaque for the layer above only": (
        [[member("d/a", "1")], [member("d/.wh..wh..opq", ""), member("d/b", "2")], [member("d/c", "3")]],
        {"d/": None, "d/b": b"2", "d/c": b"3"}),
    "what was removed comes back": (
        [[member("a", "1")], [member(".wh.a", "")], [member("a", "3")]], {"a": b"3"}),
    "nothing to remove": ([[member("a", "1")], [member(".wh.b", ""), member("x/y/.wh.z", "")]], {"a": b"1"}),
    "a file instead of a folder": ([[member("d/x", "1")], [member("d", "f")]], {"d": b"f"}),
    "a folder instead of a file": ([[member("d", "f")], [member("d/"), member("d/x", "1")]], {"d/": None, "d/x": b"1"}),
    "a folder instead of a link": (
        [[member("t/x", "1"), link("l", "t")], [member("l/"), member("l/y", "2")]],
        {"t/": None, "t/x": b"1", "l/": None, "l/y": b"2"}),
    "a link instead of a folder": ([[member("d/x", "1"), member("t/")], [link("d", "t")]], {"t/": None, "d": "-> t"}),
    "a hard link to a file below, which is then replaced": (
        [[member("a", "old")], [hard_link("b", "a"), member("a", "new")]], {"a": b"new", "b": b"old"}),
    "a hard link whose other name is removed": (
        [[member("d/a", "1")], [hard_link("b", "d/a"), member("d/.wh..wh..opq", "")]], {"b": b"1", "d/": None}),
    "a hard link to its own name": ([[member("a", "1"), hard_link("a", "a"), hard_link("./a", "/a")]], {"a": b"1"}),
    "a hard link to its own name, of the layer below": ([[member("a", "1")], [hard_link("a", "a"), member(".wh.a", "")]], {"a": b"1"}),
    "a hard link that is there already": (
        [[member("a", "1"), hard_link("b", "a"), hard_link("b", "a"), hard_link("a", "b")]], {"a": b"1", "b": b"1"}),
    "marks of aufs": ([[member("a", "1")], [member(".wh..wh.aufs", ""), member(".wh..wh.plnk/", "")]], {"a": b"1"}),
}


@pytest.mark.parametrize("name", CASES)
def test_layers(images, name):
    (first, *rest), wanted = CASES[name]
    root = images.unpack(Image(images.base(*first), *[tar(*members) for members in rest], pack="gzip"))
    assert images.tree(root) == wanted


@pytest.mark.parametrize("name", [".wh.", ".wh..", ".wh...", ".wh.d/x"])
def test_a_mark_that_removes_nothing_nameable_is_refused(images, name):
    images.run(Image(images.base(), tar(member(name, "")))).assert_refused("image has an entry")


@pytest.mark.parametrize("name, target", [("a", "a"), ("a", "b"), ("d", "d/x"), ("a", "d")])
def test_a_hard_link_to_what_is_not_there_says_so(images, name, target):
    images.run(Image(images.base(member("d/x", "1"), hard_link(name, target)))).assert_refused(f"hard link {name} to {target}", "no such file")
