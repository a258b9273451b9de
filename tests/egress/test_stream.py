"""What is carried is carried whole: bytes, ends of one half, resets, the pace of a slow reader. Each is asked of
the host's network as well, where it is the kernel that does it."""
import pytest

from egress.account import connections
from egress.world import ports

HOST = "other.test"


@pytest.fixture(params=["control", "rules"])
def flows(request, net):
    """flows(VERB, PORT, ...): to other.test, by its rules or (control) without any."""
    def run(verb, port, *words, timeout=60, **network):
        how = {"network": "host"} if request.param == "control" else \
            {"allow": [f"{HOST}:{port}"], **({"network": network} if network else {})}
        done = net.flows(verb, HOST, port, *words, timeout=timeout, **how)
        assert done.said, repr(done)
        return done
    run.rules = request.param == "rules"
    return run


def test_a_hundred_megabytes_up(flows):
    run = flows("upload", ports.SPEAKS_LAST, "100")
    assert run.said["answer"] == run.said["sent"], repr(run)
    if flows.rules:
        (entry,) = connections(run, host=HOST)
        assert entry["sent"] == 100 << 20 and entry["received"] == len(run.said["answer"]) + 1, repr(run)


def test_a_hundred_megabytes_down(flows):
    run = flows("download", ports.SOURCE, 100 << 20)
    assert run.said["intact"], repr(run)
    if flows.rules:
        (entry,) = connections(run, host=HOST)
        assert entry["received"] == 100 << 20, repr(run)


def test_every_size_around_a_buffers(flows):
    """Nothing is lost or doubled at the end of a pipe or a socket's buffer."""
    for size in (0, 1, 4095, 65536, 65537, (1 << 20) + 1):
        assert flows("download", ports.SOURCE, size).said["intact"], size


def test_a_slow_reader_stops_the_sender_and_loses_nothing(flows):
    run = flows("download", ports.SOURCE, 30 << 20, "1.0")
    assert run.said["intact"], repr(run)


def test_a_server_that_reads_slowly(flows):
    run = flows("upload", ports.READS_SLOWLY, "40")
    assert run.said["answer"] == str(40 << 20), repr(run)


def test_the_client_ends_its_half_and_still_reads(flows):
    run = flows("talk", ports.SPEAKS_LAST, "words", "half")
    assert run.said["got"].startswith("6 ") and run.said["how"] == "end", repr(run)


def test_the_server_ends_its_half_and_still_reads(flows, world):
    text = f"after your end, {'by rules' if flows.rules else 'without'}"
    run = flows("send_after_their_end", ports.ENDS_ITS_HALF, text)
    assert run.said["got"] == "that is all\n", repr(run)
    assert world.wait_seen("ends_its_half", got=text)


def test_the_servers_reset_reaches_the_client(flows):
    run = flows("talk", ports.RESETS, "words")
    assert run.said["how"] == "reset", repr(run)


@pytest.mark.parametrize("how", ["end", "reset"])
def test_the_servers_side_sees_how_the_client_ended(flows, world, how):
    tag = f"{how}, {'by rules' if flows.rules else 'without'}"
    assert flows("leave", ports.HOW_IT_ENDED, tag, how).said["noted"] == "noted\n"
    (seen,) = world.wait_seen("how_it_ended", tag=tag)
    assert seen["how"] == how


def test_a_server_that_closes_first(flows):
    run = flows("talk", ports.CLOSES_FIRST, "words")
    assert run.said["got"] == "hello, and goodbye\n", repr(run)


def test_a_server_that_takes_its_time(flows):
    assert flows("talk", ports.SLOW, "words").said == {"got": "slowly, but all of it\n", "how": "end"}


def test_two_hundred_connections_at_once(flows):
    run = flows("crowd", ports.ECHO, "200")
    assert run.said["good"] == 200, repr(run)
    if flows.rules:
        (entry,) = connections(run, host=HOST)
        assert entry["count"] == 200, repr(run)


def test_five_hundred_connections_in_turn(flows):
    run = flows("in_turn", ports.ECHO, "500")
    assert run.said["good"] == 500, repr(run)


def test_what_follows_an_urgent_byte_comes_through(flows):
    """splice(2) stops there, and says 0 as at the end when that has come already."""
    run = flows("urgent", ports.READS_SLOWLY, 3 << 20, 100000)
    assert run.said["got"] == (3 << 20) + 100000, repr(run)
