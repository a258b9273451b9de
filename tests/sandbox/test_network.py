"""No network by default, but loopback; the host's when it is asked for."""
import os
import socket
import subprocess
import threading

import pytest

INTERFACES = ["sh", "-c", "tail -n +3 /proc/net/dev | cut -d: -f1"]
LOOPBACK = """
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    try:
        server = socket.create_server((address, 0), family=family)
    except OSError as error:
        print(address, error)
        continue
    client = socket.create_connection(server.getsockname()[:2])
    server.accept()[0].sendall(b"hello")
    print(address, client.recv(9))
"""


@pytest.fixture
def server():
    """A service on the host's loopback: its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def accept():
            try:
                while True:
                    listening.accept()[0].close()
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def connects(port):
    return ["/usr/bin/python3", "-c", f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"]


def test_there_is_loopback_and_nothing_else(sbx):
    assert sbx.run(cmd=INTERFACES).assert_ok().out.split() == ["lo"]


def test_loopback_works(sbx):
    run = sbx.run(cmd=["/usr/bin/python3", "-c", LOOPBACK]).assert_ok()
    assert "127.0.0.1 b'hello'" in run.out
    if os.path.exists("/proc/net/if_inet6"):
        assert "::1 b'hello'" in run.out


def test_the_hosts_loopback_is_out_of_reach(sbx, server):
    run = sbx.run(cmd=connects(server))
    assert run.code == 1 and "ConnectionRefused" in run.err
    assert run.result["network"]["mode"] == "none"


def test_no_address_can_be_reached(sbx):
    run = sbx.run(cmd=["/usr/bin/python3", "-c", "import socket; socket.create_connection(('192.0.2.1', 80), 3)"])
    assert run.code == 1 and "unreachable" in run.err


def test_the_hosts_network_when_it_is_asked_for(sbx, server):
    here = subprocess.check_output(INTERFACES, text=True).split()
    run = sbx.run(flags=["--net", "host"], cmd=INTERFACES).assert_ok()
    assert run.out.split() == here and "net" not in run.result["isolation"]["namespaces"]
    run = sbx.run(flags=["--net", "host"], cmd=connects(server)).assert_ok()
    assert run.result["network"]["mode"] == "host"


@pytest.mark.needs("root")
@pytest.mark.parametrize("put, code, word", [
    ("seq -f '0.0.0.0 ad%g.example' 100000 >hosts; echo 127.0.0.9 of-this-test >>hosts", 0, "127.0.0.9"),
    ("truncate -s 33M hosts", 125, "/etc/hosts cannot be copied"),
    ("mkfifo hosts", 125, "/etc/hosts cannot be copied"),
], ids=["long", "too long", "no file"])
def test_the_hosts_own_names_are_copied_or_missed(sbx, tmp_path, put, code, word):
    """In a mount namespace of the test's own."""
    script = f'cd "$1"; shift; {put}; mount --bind hosts /etc/hosts && exec "$@"'
    argv = [sbx.binary, "run", *sbx.degraded, "--net", "host", "--", "/usr/bin/getent", "hosts", "of-this-test"]
    run = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", tmp_path, *argv],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == code and word in run.stdout + run.stderr, run


def test_names_resolve_to_loopback(sbx):
    code = "import socket; print(socket.gethostbyname('localhost'), socket.gethostbyname('sandbox'))"
    assert sbx.run(cmd=["/usr/bin/python3", "-c", code]).assert_ok().out == "127.0.0.1 127.0.0.1\n"


def test_a_list_of_nothing_reaches_nothing(sbx, server):
    profile = {"version": 1, "network": {}}
    assert sbx.run(profile, cmd=INTERFACES).assert_ok().out.split() == ["lo"]
    run = sbx.run(profile, cmd=connects(server))
    assert run.code == 1 and "ConnectionRefused" in run.err
    assert run.result["network"]["mode"] == "filtered"


@pytest.mark.parametrize("flag, value", [("--allow", "example.org:443"), ("--publish", "8080:80")])
def test_a_list_needs_a_network_of_its_own(sbx, flag, value):
    run = sbx.call("run", "--net", "host", flag, value, "--", "true")
    assert run.code == 125 and f"--net and {flag} exclude each other" in run.err


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.parametrize("inside,flags", [(8080, []), (80, ["--cap", "net_bind_service"])])
def test_a_port_is_published_by_its_flag(sbx, inside, flags):
    port = free_port()
    serve = (f"import socket; s = socket.create_server(('', {inside})); print('up', flush=True); "
             "s.settimeout(20); c, _ = s.accept(); c.sendall(b'served')")
    running = sbx.spawn(flags=["--publish", f"{port}:{inside}", *flags], cmd=["/usr/bin/python3", "-c", serve])
    running.read_until(b"up")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        assert client.recv(100) == b"served"
    assert running.wait().assert_ok().result["warnings"] == []


def test_a_published_port_that_the_command_cannot_listen_on_is_told(sbx):
    flags = ["--publish", f"{free_port()}:1023"]
    run = sbx.run(flags=flags, cmd=["/usr/bin/python3", "-c", "import socket; socket.create_server(('', 1023))"])
    assert run.code == 1 and "PermissionError" in run.err
    warning, = run.result["warnings"]
    assert warning.startswith("network.publish[0] (--publish) leads to port 1023") and "--cap net_bind_service" in warning


def test_what_is_no_port_is_told_with_the_flag(sbx):
    run = sbx.call("run", "--publish", "80:nothing", "--", "true")
    run.assert_refused("--publish", "80:nothing")


def test_a_place_that_cannot_be_published_is_told_with_its_line(sbx, server):
    profile = sbx.cwd / "published.yaml"
    profile.write_text(f"version: 1\nnetwork:\n  publish:\n    - '127.0.0.1:{server}:80'\n")
    run = sbx.run(profile, cmd=["true"])
    run.assert_refused("published.yaml:4:7: ", f"cannot listen on 127.0.0.1:{server}", "EADDRINUSE", "take another port")
    profile.write_text("version: 1\nnetwork:\n  publish:\n    - '18089:80'\n    - '[2001:db8::1]:18090:81'\n")
    sbx.run(profile, cmd=["true"]).assert_refused("published.yaml:5:7: ", "EADDRNOTAVAIL", "no such address")


@pytest.mark.parametrize("limit,network,told", [
    (1000, "limits: {connections: 65535}", ":3:25: network.limits.connections: 65535 need 131838 open files"),
    (1800, "publish: [" + ", ".join(f"'{port}:80'" for port in range(18100, 18120)) + "]",
     ": 512 and 20 published need 1812 open files")])
def test_open_files_that_all_connections_need(sbx, limit, network, told):
    profile = sbx.cwd / "few.yaml"
    profile.write_text(f"version: 1\nnetwork:\n  {network}\n")
    few = ["sh", "-c", f'ulimit -n {limit}; exec "$0" "$@"', sbx.binary, "run", profile, "--", "true"]
    done = subprocess.run(few, cwd=sbx.cwd, capture_output=True, text=True)
    assert done.returncode == 125 and told in done.stderr, done.stderr
