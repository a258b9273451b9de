"""Ports that are opened when somebody is about to connect to them: by whatever call that is."""
import pytest

from egress.account import connections

FAST_OPEN = """
import ctypes, socket, sys
how, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
address = (socket.gethostbyname(host), port)
class Name(ctypes.Structure):
    _fields_ = [("family", ctypes.c_uint16), ("port", ctypes.c_uint16), ("address", ctypes.c_uint8 * 4), ("rest", ctypes.c_uint64)]
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_char_p), ("size", ctypes.c_size_t)]
class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.POINTER(Name)), ("size", ctypes.c_uint32), ("parts", ctypes.POINTER(Part)), ("count", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("control_size", ctypes.c_size_t), ("flags", ctypes.c_int), ("sent", ctypes.c_uint)]
with socket.socket() as peer:
    if how == "sendto":
        peer.sendto(b"hello", socket.MSG_FASTOPEN, address)
    elif how == "sendmsg":
        peer.sendmsg([b"hel", b"lo"], [], socket.MSG_FASTOPEN, address)
    elif how == "sendmmsg":
        name = Name(socket.AF_INET, socket.htons(port), (ctypes.c_uint8 * 4)(*socket.inet_aton(address[0])), 0)
        part = Part(b"hello", 5)
        message = Message(ctypes.pointer(name), 16, ctypes.pointer(part), 1, None, 0, 0, 0)
        libc = ctypes.CDLL(None, use_errno=True)
        done = libc.sendmmsg(peer.fileno(), ctypes.byref(message), 1, socket.MSG_FASTOPEN)
        assert done == 1, ctypes.get_errno()
    else:
        peer.setsockopt(socket.IPPROTO_TCP, 30, 1)  # TCP_FASTOPEN_CONNECT
        peer.connect(address)
        peer.send(b"hello")
    print(peer.recv(9).decode())
"""


@pytest.mark.parametrize("rule", ["other.test:*", "other.test:9003"], ids=["late", "control"])
@pytest.mark.parametrize("how", ["sendto", "sendmsg", "sendmmsg", "option"])
def test_fast_open(net, how, rule):
    """A first packet that no connect(2) has announced (tcp(7), RFC 7413)."""
    run = net(["/usr/bin/python3", "-c", FAST_OPEN, how, "other.test", "9003"], allow=[rule]).assert_ok()
    assert run.out == "hello\n" and connections(run, port=9003, verdict="allowed")[0]["count"] == 1, repr(run)
