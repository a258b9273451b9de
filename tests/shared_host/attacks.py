"""Attacks from inside a run that shares the host's namespaces, each a few lines of Python. They end with an exception
where they are contained. `scene` has what they aim at: things of the caller's, outside of what the profile names."""
import ctypes
import json
import os
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)


def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def syscall(number, *arguments):
    return called(libc.syscall(ctypes.c_long(number), *arguments))


# ---- files: Landlock
def reads_a_file(scene):
    assert "secret" in open(scene["secret"]).read()


def lists_a_folder(scene):
    assert os.listdir(scene["folder"])


def writes_a_file(scene):
    open(os.path.join(scene["folder"], "open"), "a").write("x")


def makes_a_file(scene):
    open(os.path.join(scene["folder"], "new"), "w").close()


def truncates_a_file(scene):
    os.truncate(os.path.join(scene["folder"], "open"), 0)


def removes_a_file(scene):
    os.unlink(os.path.join(scene["folder"], "open"))


def executes_a_file(scene):
    assert os.spawnv(os.P_WAIT, os.path.join(scene["folder"], "program"), ["program"]) == 0


def links_a_file_into_reach(scene):
    os.chdir(os.environ["HOME"])
    os.link(scene["secret"], "reached")
    assert "secret" in open("reached").read()


def follows_a_link_of_its_own(scene):
    os.chdir(os.environ["HOME"])
    os.symlink(scene["secret"], "link")
    assert "secret" in open("link").read()


def reads_through_its_working_directory(scene):
    os.chdir(scene["folder"])
    assert "secret" in open("secret").read()


def opens_by_a_path_descriptor(scene):
    fd = os.open(scene["secret"], os.O_PATH)
    assert "secret" in open(f"/proc/self/fd/{fd}").read()


def reads_the_hosts_connections(_):
    assert open("/proc/net/tcp").read() or open("/proc/self/net/unix").read()


def reads_the_hosts_connections_by_a_thread(_):
    assert open("/proc/thread-self/net/unix").read()


def reads_the_hosts_mounts(_):
    assert open("/proc/self/mountinfo").read()


def writes_to_the_workspace(_):
    open("planted", "w").close()


def reads_where_others_put_things(_):
    assert os.listdir("/tmp") and os.listdir("/dev/shm") is not None


# ---- attributes of files: the filter
def changes_a_mode(scene):
    os.chmod(scene["secret"], 0o777)


def changes_times(scene):
    os.utime(scene["secret"], (1, 1))


def changes_an_owner(scene):
    os.chown(scene["secret"], os.getuid(), os.getgid())


def writes_an_attribute(scene):
    os.setxattr(scene["secret"], "user.sbx", b"x")


def reads_an_attribute(scene):
    assert os.getxattr(scene["secret"], "user.word") == b"secret"


def sets_a_flag_of_a_file_it_may_read(_):
    with open("file") as file:
        flags = ctypes.c_int(0x40)  # FS_NODUMP_FL
        called(libc.ioctl(file.fileno(), ctypes.c_ulong(0x40086602), ctypes.byref(flags)))


def watches_a_folder(scene):
    fd = called(libc.inotify_init1(0))
    called(libc.inotify_add_watch(fd, scene["folder"].encode(), 0x100))


# ---- processes
def signals_a_process(scene):
    os.kill(scene["helper"], 0)


def signals_everybody(scene):
    os.kill(-1, signal.SIGURG)  # which nobody minds


def signals_the_group_of_another(scene):
    os.killpg(os.getpgid(scene["helper"]), 0)


def signals_init(_):
    os.kill(os.getppid(), 0)


def signals_by_a_descriptor(scene):
    syscall(424, syscall(434, scene["helper"], 0), 0, 0, 0)


def traces_a_process(scene):
    syscall(101, 0x4206, scene["helper"], 0, 0)  # PTRACE_SEIZE


def reads_the_environment_of_a_process(scene):
    assert b"helper_secret" in open(f"/proc/{scene['helper']}/environ", "rb").read()


def reads_the_command_line_of_a_process(scene):
    assert b"sleep" in open(f"/proc/{scene['helper']}/cmdline", "rb").read()


def enters_the_folder_of_a_process(scene):
    assert os.listdir(f"/proc/{scene['helper']}/cwd")


def limits_a_process(scene):
    syscall(302, scene["helper"], 7, struct.pack("QQ", 64, 64), 0)


def moves_a_process_to_a_processor(scene):
    os.sched_setaffinity(scene["helper"], {min(os.sched_getaffinity(0))})


def slows_a_process_down(scene):
    os.setpriority(os.PRIO_PROCESS, scene["helper"], 19)


def slows_a_user_down(_):
    os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))


def schedules_a_process(scene):
    os.sched_setscheduler(scene["helper"], os.SCHED_BATCH, os.sched_param(0))


def sets_the_io_class_of_a_process(scene):
    syscall(251, 1, scene["helper"], 3 << 13)


# ---- sockets and what else has no name in the tree
def connects_to_a_port(scene):
    socket.create_connection(("127.0.0.1", scene["port"]), 5).close()


def sends_a_datagram(scene):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", scene["port"]))


def lists_the_interfaces(_):
    assert len(socket.if_nameindex()) >= 1
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))


def connects_to_a_socket_of_the_tree(scene):
    socket.socket(socket.AF_UNIX).connect(scene["stream"])


def connects_to_an_abstract_socket(scene):
    socket.socket(socket.AF_UNIX).connect("\0" + scene["abstract"])


def sends_from_a_pair_of_sockets(scene):
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"x", scene["datagram"])


def connects_a_pair_anew(scene):
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(scene["datagram"])


def makes_a_shared_segment(_):
    syscall(31, syscall(29, 0, 4096, 0o1600), 0, 0)  # and removes it: IPC_RMID


def makes_a_queue(scene):
    called(libc.mq_open(b"/" + scene["abstract"].encode(), os.O_CREAT | os.O_RDWR, 0o600, None))
    libc.mq_unlink(b"/" + scene["abstract"].encode())


def reads_the_callers_keys(_):
    syscall(250, 0, -3, 0)  # KEYCTL_GET_KEYRING_ID of the session


if __name__ == "__main__":
    name, scene = sys.argv[1], json.loads(sys.argv[2])
    try:
        globals()[name](scene)
    except (OSError, AssertionError) as error:
        print(f"contained: {type(error).__name__} {error}")
    else:
        print("escaped")
