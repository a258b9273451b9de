"""The payload cannot change the mount tree, by the old calls or the new (flatpak CVE-2021-41133)."""
from escape.attacks import (MOUNT_WALLS, ROOT_INSIDE, Attack, test_contained,  # noqa: F401
                            test_one_wall_less_still_contains, test_works_without_its_walls)

NO_LANDLOCK = ("install_seccomp", "capabilities")  # calls that Landlock does not know


def attack(promise, verb, walls=MOUNT_WALLS):
    return Attack(promise, verb, walls=walls, control_flags=ROOT_INSIDE)


ATTACKS = [
    attack("cannot_mount_a_tmpfs", "mount-tmpfs /tmp"),
    attack("cannot_mount_proc", "mount-kind proc /proc"),
    Attack("cannot_mount_sysfs", "mount-kind sysfs /tmp",
           why_no_control="the kernel wants a sysfs in sight already, and there is none"),
    attack("cannot_mount_a_cgroup_tree", "mount-kind cgroup2 /tmp"),
    attack("cannot_bind", "bind /usr /tmp"),
    attack("cannot_unmount", "umount /tmp"),
    attack("cannot_change_mount_attributes", "mount-setattr /tmp", NO_LANDLOCK),
    attack("cannot_make_the_workspace_writable", "remount-writable /workspace"),
    attack("cannot_pivot_root", "pivot-root /tmp"),
    attack("cannot_chroot", "chroot /tmp", NO_LANDLOCK),
    attack("cannot_open_a_new_filesystem", "fsopen", NO_LANDLOCK),
    attack("cannot_clone_a_mount_tree", "open-tree /tmp", NO_LANDLOCK),
    attack("cannot_pick_a_filesystem", "fspick /tmp", NO_LANDLOCK),
    attack("cannot_move_a_mount", "move-mount /tmp /dev/shm"),
]
