"""Programs of every kind, none of which was told about a sandbox or a proxy: the allowed name works, the other
one is refused at once, and the result has both. The control shows that only the policy refuses it."""
from dataclasses import dataclass

import pytest

from egress.account import connections, denials
from egress.world import ports
from support import slow

NODE = {"extends": ["node"], "tools": ["node", "npm"]}
JAVA = {"extends": ["build"], "tools": ["java"]}
SSH = ("umask 077; cp /ssh_key /tmp/key; exec ssh -i /tmp/key -o BatchMode=yes -o StrictHostKeyChecking=no "
       "-o UserKnownHostsFile=/dev/null guest@{host} echo reached by ssh")
MAIL = """
import smtplib
with smtplib.SMTP("{host}", 25, timeout=10) as mail:
    mail.sendmail("a@example.test", "b@example.test", "Subject: reached by mail")
print("sent")
"""
AIOHTTP = """
import aiohttp, asyncio, ssl
async def get():
    async with aiohttp.ClientSession() as session:
        async with session.get("https://{host}/", ssl=ssl.create_default_context(cafile="/ca.pem")) as answer:
            print(await answer.text())
asyncio.run(get())
"""
NPM = ("cd /tmp && npm install --cafile /ca.pem --registry https://{host}/ --no-offline --no-audit --no-fund --no-update-notifier --fetch-retries 0 tiny"
       " && node -p 'require(\"/tmp/node_modules/tiny\")'")
PIP = ("{python} -m pip install -q --disable-pip-version-check --no-cache-dir --no-deps --retries 0 --timeout 10"
       " --index-url https://{host}/simple --target /tmp/t tiny && cat /tmp/t/tiny.py")
OPENSSL = ("printf 'GET / HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n' | openssl s_client -quiet -verify_return_error"
           " -CAfile /ca.pem -servername {host} -connect {host}:443")


@dataclass(frozen=True)
class Client:
    """`command` with {host}, {python} (of the virtualenv), {java} (a folder with a class), {go} (a binary)."""

    command: tuple
    port: int
    prints: str = "hello from {host}"
    protocol: str = "tcp"
    profile: dict = None
    flags: tuple = ()


def shell(text, port, prints="hello from {host}", **more):
    return Client(("sh", "-c", text), port, prints, **more)


CLIENTS = {
    "curl": shell("curl -sS --max-time 10 https://{host}/", 443),
    "wget": shell("wget -qO- --tries=1 --ca-certificate=/ca.pem https://{host}/", 443),
    "git": shell("git clone -q https://{host}/repository.git /tmp/r && cat /tmp/r/file", 443, "from a repository"),
    "pip": shell(PIP, 443, "a tiny wheel", flags=("--ro", "{venv}")),
    "npm": shell(NPM, 443, "a tiny package", profile=NODE, flags=("--memory", "1G")),
    "node": Client(("node", "-e", "fetch('https://{host}/').then(r => r.text()).then(t => console.log(t))"), 443,
                   profile=NODE, flags=("--memory", "1G")),
    "java": Client(("java", "-Xshare:auto", "-cp", "/java", "Get", "https://{host}/", "/ca.pem"), 443, profile=JAVA,
                   flags=("--ro", "{java}:/java", "--memory", "1G")),
    "go": Client(("/client", "{host}"), 80, flags=("--ro", "{go}:/client")),
    "requests": Client(("{python}", "-c", "import requests; print(requests.get('https://{host}/', timeout=10).text)"), 443,
                       flags=("--ro", "{venv}")),
    "aiohttp": Client(("{python}", "-c", AIOHTTP), 443, flags=("--ro", "{venv}")),
    "openssl": shell(OPENSSL, 443),
    "ssh": shell(SSH, 22, "reached by ssh", flags=("--ro", "{srv}/ssh_key:/ssh_key")),
    "psql": shell("psql 'host={host} user=guest dbname=postgres connect_timeout=10' -Atc 'select 6 * 7'", 5432, "42"),
    "smtplib": Client(("/usr/bin/python3", "-c", MAIL), 25, "sent"),
    "bash": Client(("bash", "-c", "exec 3<>/dev/tcp/{host}/7; echo hello from {host} >&3; head -n 1 <&3"), ports.ECHO),
    "udp": Client(("/usr/bin/python3", "/inside.py", "udp", "{host}", "7"), ports.ECHO, '"got": "hello"', "udp"),
}


@pytest.fixture(params=CLIENTS)
def client(request, net, world):
    """client(HOST, network=...) runs it against HOST."""
    what = CLIENTS[request.param]
    places = {"srv": world.srv}
    words = " ".join((*what.command, *what.flags))
    if "{venv}" in words:
        venv = request.getfixturevalue("virtualenv")
        places |= {"venv": venv, "python": venv / "bin/python3"}
    if "{java}" in words:
        places["java"] = request.getfixturevalue("java_client")
    if "{go}" in words:
        places["go"] = request.getfixturevalue("go_client")

    def fill(word, host):
        for name, value in {**places, "host": host}.items():
            word = word.replace("{" + name + "}", str(value))
        return word

    def run(host, **network):
        return net([fill(word, host) for word in what.command], profile=what.profile,
                   flags=[fill(word, host) for word in what.flags], **network)

    run.what = what
    run.rule = ("udp:" if what.protocol == "udp" else "") + f"allowed.test:{what.port}"
    return run


def worked(run, what, host):
    return run.code == 0 and what.prints.format(host=host) in run.out


def test_control_only_the_policy_refuses(client):
    run = client("forbidden.test", network="host")
    ok = worked(run, client.what, "forbidden.test")
    assert ok, repr(run)


def test_the_allowed_name_works_and_the_other_is_refused(client):
    what = client.what
    good = client("allowed.test", allow=[client.rule])
    ok = worked(good, what, "allowed.test")
    assert ok, repr(good)
    (entry,) = connections(good, host="allowed.test", port=what.port, protocol=what.protocol, verdict="allowed")
    assert entry["count"] >= 1 and entry["sent"] > 0 and entry["received"] > 0, repr(good)
    assert entry["bytes"] == entry["sent"] + entry["received"]
    assert not denials(good, "allowed.test"), repr(good)

    bad = client("forbidden.test", allow=[client.rule])
    assert what.prints.format(host="forbidden.test") not in bad.out, repr(bad)
    assert bad.code != 0 or what.protocol == "udp", repr(bad)  # inside.py tells it in words
    # Not a timeout: the command takes no longer than what succeeds, with some room for a busy machine, which has
    # held up a start for as long.
    assert bad.result["wall_ms"] < good.result["wall_ms"] + 1500 * slow.FACTOR, repr(bad)
    (denial,) = denials(bad, "forbidden.test", "lookup")
    assert denial["count"] >= 1 and "forbidden.test" in denial["allow_with"], repr(bad)
    assert connections(bad, host="forbidden.test", verdict="denied") and not connections(bad, verdict="allowed"), repr(bad)
