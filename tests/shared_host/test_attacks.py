"""Tier `landlock`: what a run without namespaces keeps all the same, and that each attack works when the walls that
keep it are taken away."""
import inspect
import json
import os
import signal
import socket
import subprocess
import uuid
from pathlib import Path

import pytest

from shared_host import attacks

pytestmark = pytest.mark.needs("signal-scope")

FILES, FILTER, SIGNALS = "apply_landlock", "install_seccomp", "hold_tree,fork_keeper"
# For each attack the walls that keep it from the caller's things when an ordinary user starts sbx.
WALLS = {
    FILES: ["reads_a_file", "lists_a_folder", "writes_a_file", "makes_a_file", "truncates_a_file", "removes_a_file",
            "executes_a_file", "links_a_file_into_reach", "follows_a_link_of_its_own", "opens_by_a_path_descriptor",
            "reads_through_its_working_directory", "writes_to_the_workspace", "reads_where_others_put_things",
            "reads_the_command_line_of_a_process", "reads_the_hosts_connections", "reads_the_hosts_mounts",
            "reads_the_hosts_connections_by_a_thread"],
    FILTER: ["changes_a_mode", "changes_times", "changes_an_owner", "writes_an_attribute", "reads_an_attribute",
             "watches_a_folder", "limits_a_process", "moves_a_process_to_a_processor", "slows_a_process_down",
             "slows_a_user_down", "schedules_a_process", "sets_the_io_class_of_a_process", "sends_a_datagram",
             "lists_the_interfaces", "connects_to_a_socket_of_the_tree", "sends_from_a_pair_of_sockets",
             "connects_a_pair_anew", "makes_a_shared_segment", "reads_the_callers_keys",
             "sets_a_flag_of_a_file_it_may_read"],
    f"{FILES},{FILTER}": ["connects_to_a_port", "makes_a_queue"],
    f"{FILES},{SIGNALS}": ["signals_a_process", "signals_the_group_of_another", "signals_by_a_descriptor",
                           "reads_the_environment_of_a_process", "enters_the_folder_of_a_process"],
    f"{FILES},{FILTER},{SIGNALS}": ["traces_a_process", "connects_to_an_abstract_socket"],
}
# Of a tree of one: there is nobody to signal, so nothing is refused. test_a_signal_to_all... looks at the others.
NOT_HERE = {"signals_everybody", "signals_init"}
# Started by root the command is a user of its own, to whom nothing belongs: only what needs no owner can be shown.
OPEN_TO_ALL = {"reads_a_file", "lists_a_folder", "executes_a_file", "follows_a_link_of_its_own",
               "opens_by_a_path_descriptor", "reads_through_its_working_directory", "reads_where_others_put_things",
               "reads_the_command_line_of_a_process", "watches_a_folder", "sends_a_datagram", "lists_the_interfaces",
               "connects_to_a_port", "reads_the_hosts_connections", "reads_the_hosts_mounts",
               "reads_the_hosts_connections_by_a_thread", "makes_a_shared_segment", "makes_a_queue", "reads_the_callers_keys"}
ALL = [(wall, name) for wall, names in WALLS.items() for name in names]
# Of its own user nobody else is.
CONTAINED = [pytest.param(name, marks=pytest.mark.needs("user") if name == "slows_a_user_down" else ()) for _, name in ALL]
CONTROLS = [pytest.param(wall, name, id=name, marks=() if name in OPEN_TO_ALL else pytest.mark.needs("user"))
            for wall, name in ALL]


def test_every_attack_is_in_the_table():
    defined = {name for name, what in inspect.getmembers(attacks, inspect.isfunction) if what.__module__ == attacks.__name__}
    assert defined - {"called", "syscall"} == {name for _, name in ALL} | NOT_HERE


def put(folder, name, content, mode=0o644):
    (folder / name).write_text(content)
    (folder / name).chmod(mode)


@pytest.fixture
def scene(open_folder, sbx):
    """Things of the caller's, beside the workspace."""
    folder = open_folder / "outside"
    folder.mkdir()
    folder.chmod(0o755)
    put(folder, "secret", "the host's secret\n")
    put(folder, "open", "x")
    put(folder, "program", "#!/bin/sh\n", 0o755)
    put(sbx.cwd, "file", "x")
    os.setxattr(folder / "secret", "user.word", b"secret")
    helper = subprocess.Popen(["sleep", "600"], env={"WORD": "helper_secret"}, start_new_session=True, cwd=folder)
    sockets = []

    def listen(family, kind, address):
        one = socket.socket(family, kind)
        one.bind(address)
        if kind == socket.SOCK_STREAM:
            one.listen()
        sockets.append(one)
        return one

    word = f"sbx-{uuid.uuid4()}"
    port = listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)).getsockname()[1]
    here = os.getcwd()
    os.chdir(folder)  # a socket's path has 107 bytes at most
    listen(socket.AF_UNIX, socket.SOCK_STREAM, "stream")
    listen(socket.AF_UNIX, socket.SOCK_DGRAM, "datagram")
    os.chdir(here)
    listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + word)
    yield {"folder": str(folder), "secret": str(folder / "secret"), "helper": helper.pid, "port": port, "abstract": word,
           "stream": str(folder / "stream"), "datagram": str(folder / "datagram")}
    helper.kill()
    helper.wait()
    for one in sockets:
        one.close()


def attack(program, name, scene, **options):
    script = Path(attacks.__file__).read_text()
    return program.run(cmd=["/usr/bin/python3", "-", name, json.dumps(scene)], stdin=script, **options)


@pytest.mark.parametrize("name", CONTAINED)
def test_contained(shared, scene, name):
    run = attack(shared, name, scene).assert_ok()
    assert run.out.startswith("contained: "), run
    assert run.result["isolation"]["tier"] == "landlock"


@pytest.mark.parametrize("wall,name", CONTROLS)
def test_works_without_its_walls(weak, scene, wall, name):
    run = attack(weak, name, scene, env={"SBX_TEST_WITHOUT": wall}).assert_ok()
    assert run.out == "escaped\n", run


def each(walls):
    """The walls one by one; who holds the tree is one."""
    return [wall for wall in (FILES, FILTER, SIGNALS) if wall in walls]


@pytest.mark.parametrize("wall,name", [(w, n) for walls, n in ALL for w in each(walls) if len(each(walls)) > 1
                                       and not (w == FILTER and n == "makes_a_queue")])
def test_one_wall_less_still_contains(weak, scene, wall, name):
    run = attack(weak, name, scene, env={"SBX_TEST_WITHOUT": wall}).assert_ok()
    assert run.out.startswith("contained: "), run


SENDS_BY_A_PIPE = """
import fcntl, os, signal, sys
reader, writer = os.pipe()
fcntl.fcntl(reader, fcntl.F_SETOWN, int(sys.argv[1]))
fcntl.fcntl(reader, fcntl.F_SETSIG, signal.SIGTERM)
fcntl.fcntl(reader, fcntl.F_SETFL, fcntl.fcntl(reader, fcntl.F_GETFL) | os.O_ASYNC)
os.write(writer, b"x")  # sends it before it returns
"""


@pytest.mark.parametrize("without", ["", pytest.param(f"{FILES},{SIGNALS}", marks=pytest.mark.needs("user"))])
def test_a_pipe_sends_no_signal_to_others(request, scene, without):
    program = request.getfixturevalue("weak" if without else "shared")
    helper = subprocess.Popen(["sleep", "600"])
    program.run(cmd=["/usr/bin/python3", "-c", SENDS_BY_A_PIPE, str(helper.pid)],
                env={"SBX_TEST_WITHOUT": without} if without else None).assert_ok()
    if without:
        assert helper.wait(timeout=20) == -signal.SIGTERM
        return
    with pytest.raises(subprocess.TimeoutExpired):
        helper.wait(timeout=0.5)
    helper.kill()
    helper.wait()


@pytest.mark.parametrize("call", ["prlimit64", "sched_setscheduler", "setpriority"])
@pytest.mark.parametrize("denied", [False, True], ids=["", "denied"])
def test_log_lets_nobody_touch_other_processes(shared, scene, call, denied):
    """Under `on_deny: log` what is only denied goes through; this is closed, also where the profile denies it."""
    name = {"prlimit64": "limits_a_process", "sched_setscheduler": "schedules_a_process",
            "setpriority": "slows_a_process_down"}[call]
    flags = ["--set", "seccomp.on_deny=log", *(["--set", f"seccomp.deny=[{call}]"] if denied else [])]
    run = attack(shared, name, scene, flags=flags).assert_ok()
    assert run.out.startswith("contained: "), run


def test_init_cannot_be_rescheduled(shared):
    code = "import os\nfor change in (lambda p: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)),\n" \
           "    lambda p: os.setpriority(os.PRIO_PROCESS, p, 19), lambda p: os.sched_setaffinity(p, {0})):\n" \
           "  try: change(os.getppid()); print('changed')\n  except PermissionError: print('refused')"
    assert shared.run(cmd=["/usr/bin/python3", "-c", code]).assert_ok().out == "refused\n" * 3


def test_a_signal_to_all_reaches_nobody_outside(shared, scene):
    """Not even init, from which it would start to end the tree."""
    code = "import os, signal\nfor who in (-1, os.getppid()):\n  try: os.kill(who, signal.SIGKILL)\n" \
           "  except OSError as error: print(error.strerror)\n"
    run = shared.run(cmd=["/usr/bin/python3", "-c", code]).assert_ok()
    assert run.out.splitlines()[-1] == "Operation not permitted", run
    assert Path(f"/proc/{scene['helper']}/stat").read_text().split()[2] == "S"
