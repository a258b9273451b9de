"""What the index names has to outlive a power loss as the index does: the content, and the name it is found by."""
import hashlib
import re
import subprocess


def run_traced(store, *options):
    script = "mkdir out; echo 1 > out/1; echo 2 > out/2"
    words = ["strace", "-qq", "-y", "-s", "200", "-o", store.state / "calls", *options, store.sbx.binary, "run", *store.sbx.degraded,
             "--workspace", ".:rw", "--collect", "/workspace/out/**", "--", "sh", "-c", script]
    return subprocess.run(words, capture_output=True, cwd=store.sbx.cwd, timeout=60)


def test_a_content_and_its_name_are_on_the_disk_before_the_index_tells_of_it(store):
    store.state.mkdir()
    done = run_traced(store, "-e", "trace=linkat,fsync,fdatasync,unlink")
    assert done.returncode == 0, done
    calls = (store.state / "calls").read_text().splitlines()
    where = lambda call: next(i for i, line in enumerate(calls) if re.search(call, line))
    committed = max(i for i, line in enumerate(calls) if "index.db-journal" in line and line.startswith("unlink"))
    for content in (b"1\n", b"2\n"):
        digest, folder = hashlib.sha256(content).hexdigest(), store.object(content).parent
        named = where(rf"^linkat\(.*{digest}")
        assert where(rf"^fdatasync\(.*/{digest}>") < named
        # The folder of the name, and those that had to be made for it.
        for above in (folder, folder.parent, folder.parent.parent):
            assert named < where(rf"^fsync\(\d+<{above}>\)") < committed, calls


def test_a_name_that_the_disk_has_not_taken_is_not_told(store):
    store.state.mkdir()
    for folder in (store.object(b"1\n").parent, store.folder / "objects"):
        done = run_traced(store, "-P", folder, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO")
        assert done.returncode == 125 and b"EIO" in done.stderr, done
        assert store.list() == [] and store.objects() == [] and store.staged() == []
    assert run_traced(store, "-e", "trace=none").returncode == 0
    store.assert_whole()
