"""The payload cannot write to a read-only path, whatever class of path it is."""
import pytest

from escape.attacks import (ROOT_INSIDE, Attack, test_contained, test_one_wall_less_still_contains,  # noqa: F401
                            test_works_without_its_walls)

# In the sandbox's own tmpfs, owned by the payload's user: read-only mounts and Landlock keep them.
OWN = ("seal_mount", "apply_landlock")
# Root's on the host. In the sandbox root's files are nobody's, so the control is root itself.
PROC = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
        "/proc/sys/kernel/randomize_va_space", "/proc/sys/vm/overcommit_memory", "/proc/sys/fs/file-max",
        "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity")
FILES = ("/usr/bin/env", "/etc/passwd", "/etc/ld.so.cache")


def named(path):
    return path.strip("/").replace("/", "_").replace(".", "_") or "the_root"


ATTACKS = [
    *[Attack(f"cannot_create_in_{named(path)}", f"create-in {path}", walls=OWN) for path in ("/", "/etc", "/dev")],
    *[Attack(f"cannot_create_in_{named(path)}", f"create-in {path}",
             why_no_control="not to be tried in a folder of the host's own")
      for path in ("/usr", "/usr/bin", "/usr/lib", "/bin", "/lib", "/proc", "/sys", "/run", "/var", "/home", "/root")],
    *[Attack(f"cannot_write_{named(path)}", f"open-write {path}", bare="root") for path in (*PROC, *FILES)],
    Attack("cannot_write_a_sysctl_of_its_own_network", "open-write /proc/sys/net/ipv4/ip_unprivileged_port_start",
           flags=ROOT_INSIDE, walls=("protect_path", "capabilities")),
    Attack("cannot_create_in_a_read_only_workspace", "create-in /workspace", granted_by=("--workspace", ".:rw")),
    Attack("cannot_write_a_file_of_a_read_only_workspace", "open-write /workspace/file",
           granted_by=("--workspace", ".:rw")),
    Attack("cannot_create_in_a_read_only_bind", "create-in /data", contained_flags=("--ro", "{data}:/data"),
           granted_by=("--rw", "{data}:/data")),
    Attack("cannot_write_a_file_of_a_read_only_bind", "open-write /data/file", contained_flags=("--ro", "{data}:/data"),
           granted_by=("--rw", "{data}:/data")),
    Attack("cannot_write_the_program_it_runs", "open-write /proc/self/exe", bare="root"),
    Attack("cannot_write_to_a_cgroup", "open-write /sys/fs/cgroup/cgroup.procs",
           why_no_control="no cgroup tree is mounted inside"),
    Attack("cannot_keep_others_from_opening_a_file_that_they_share", "lease /etc/passwd", walls=("install_seccomp",)),
    Attack("cannot_write_its_id_map_again", "settled open-write /proc/1/uid_map", walls=("set_dumpable",)),
]


@pytest.fixture
def scene(sbx, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for folder in (data, sbx.cwd):
        (folder / "file").write_text("precious\n")
        (folder / "file").chmod(0o666)
        folder.chmod(0o777)
    return {"data": data}


def test_a_read_only_file_is_unchanged_on_the_host(sbx, scene):
    """The same question without the probe, by the shell that users have."""
    script = "echo x >/data/file; rm -f /data/file; mv /data/file /data/g; chmod 600 /data/file; touch /data/new"
    sbx.run(flags=["--ro", f"{scene['data']}:/data"], cmd=["sh", "-c", script])
    assert [p.name for p in scene["data"].iterdir()] == ["file"]
    assert (scene["data"] / "file").read_text() == "precious\n"
    assert (scene["data"] / "file").stat().st_mode & 0o777 == 0o666


def test_no_link_crosses_from_a_read_only_bind_to_a_writable_one(stage, sbx, probe, scene):
    """Also when both are of one disk; within one writable mount the same calls work."""
    flags = ("--ro", "{data}:/data", "--workspace", ".:rw")
    stage.contained(Attack("link across", "link /data/file /workspace/link", flags=flags))
    assert not (sbx.cwd / "link").exists()
    stage.escaped(Attack("link within", "link /workspace/file /workspace/link", flags=flags), sbx)
