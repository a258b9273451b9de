"""A name outlives a power loss, and so has what it names: by that name every later run takes an image for whole."""
import subprocess

from images.layouts import Image


def run_traced(images, where, *options):
    words = ["strace", "-qq", "-y", "-o", images.folder / "calls", *options, images.sbx.binary, "run", *images.sbx.degraded,
             "--root", f"oci:{where}", "--", "/bin/probe", "finds", "/nothing"]
    return subprocess.run(words, capture_output=True, timeout=60)


def test_an_image_is_on_the_disk_before_it_has_its_name(images):
    done = run_traced(images, images.write(Image(images.base())), "-e", "trace=syncfs,renameat,renameat2")
    assert done.returncode == 0, done
    calls = [line for line in (images.folder / "calls").read_text().splitlines() if str(images.store) in line]
    assert [call.partition("(")[0] for call in calls] == ["syncfs", "renameat"], calls


def test_what_the_disk_has_not_taken_is_no_image(images):
    where = images.write(Image(images.base()))
    done = run_traced(images, where, "-e", "trace=syncfs", "-e", "inject=syncfs:error=EIO")
    assert done.returncode == 125 and b"the disk" in done.stderr and b"EIO" in done.stderr, done
    assert images.roots() == [] and images.left_over() == []
    images.run(where).assert_ok()
