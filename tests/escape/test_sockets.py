"""The payload cannot reach the host's servers, nor socket families that no namespace contains."""
import os
import socket

import pytest

from escape.attacks import (ROOT_INSIDE, Attack, test_contained, test_one_wall_less_still_contains,  # noqa: F401
                            test_works_without_its_walls)

FILTER = ("install_seccomp",)
FOR_EVERYBODY = ("vsock", "alg", "bluetooth", "tipc", "rds", "netlink-uevent", "netlink-audit", "netlink-generic",
                 "netlink-diag", "netlink-connector", "netlink-netfilter", "netlink-xfrm",
                 # Protocols that are modules, which the kernel loads for whoever asks first.
                 "sctp", "sctp-packets", "dccp", "l2tp", "smc")
# These want a capability, which the payload's own namespaces would give.
FOR_ROOT = ("packet", "packet-datagram", "key", "can", "xdp")

ATTACKS = [
    Attack("cannot_reach_a_server_on_loopback", "connect-tcp 127.0.0.1 {port}", granted_by=("--net", "host")),
    Attack("cannot_reach_a_server_on_ipv6_loopback", "connect-tcp ::1 {port6}", granted_by=("--net", "host"),
           needs=("ipv6",)),
    # With the host's network, Landlock still keeps abstract names of others out.
    Attack("cannot_reach_an_abstract_socket", "connect-unix @{abstract}", walls=("apply_landlock",),
           control_flags=("--net", "host")),
    Attack("cannot_reach_a_socket_file_it_was_not_given", "connect-unix {path}",
           granted_by=("--ro", "{folder}:{folder}")),
    *[Attack(f"cannot_make_a_{name}_socket", f"socket {name}", walls=FILTER) for name in FOR_EVERYBODY],
    *[Attack(f"cannot_make_a_{name}_socket", f"socket {name}", walls=("install_seccomp", "capabilities"),
             control_flags=ROOT_INSIDE) for name in FOR_ROOT],
    # AF_INET itself is allowed: what makes a raw socket of it is the capability.
    *[Attack(f"cannot_make_a_{name}_socket", f"socket {name}", walls=("capabilities",), control_flags=ROOT_INSIDE)
      for name in ("raw-inet", "raw-inet6")],
    Attack("cannot_hide_a_family_in_high_bits", "socket vsock high-bits", walls=FILTER),
]

@pytest.fixture
def scene(tmp_path):
    folder = tmp_path / "sockets"
    folder.mkdir(mode=0o755)
    name = f"sbx-test-{os.getpid()}"
    servers = []

    def serve(family, address):
        server = socket.socket(family, socket.SOCK_STREAM)
        server.bind(address)
        server.listen(8)
        servers.append(server)
        return server.getsockname()

    port = serve(socket.AF_INET, ("127.0.0.1", 0))[1]
    port6 = serve(socket.AF_INET6, ("::1", 0))[1] if os.path.exists("/proc/net/if_inet6") else 0
    serve(socket.AF_UNIX, "\0" + name)
    path = folder / "server"
    serve(socket.AF_UNIX, str(path))
    path.chmod(0o777)
    yield {"port": port, "port6": port6, "abstract": name, "path": path, "folder": folder}
    for server in servers:
        server.close()


@pytest.mark.needs("landlock:6")
def test_abstract_sockets_stay_out_of_reach_with_the_hosts_network(stage):
    """Landlock's scope is a wall of its own, where the network namespace is given up."""
    stage.contained(Attack("abstract socket, host network", "connect-unix @{abstract}", flags=("--net", "host")))
