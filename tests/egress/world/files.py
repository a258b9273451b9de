"""What the services of the test internet read: a certificate authority, sites, a git repository, a pip index, an
npm registry, keys and settings. Written to one folder, their /srv."""
import base64
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile

SITES = ("allowed.test", "forbidden.test")
OTHER_NAMES = ("*.cdn.test", "v6only.test", "alias.test", "alias2.test", "xn--bcher-kva.test", "crowd.test", "mixed.test")
DNS = """
no-resolv
no-hosts
user=
pid-file=
cache-size=0
local-ttl=1
log-queries
log-facility=/srv/log/queries
local=/test/
local=/#/
server=/rebind.test/flip.test/crowd.test/hang.test/127.0.0.1#5300
host-record=allowed.test,11.22.33.10,2a00:1122:33::10
host-record=forbidden.test,11.22.33.10,2a00:1122:33::10
host-record=other.test,11.22.33.20,2a00:1122:33::20
host-record=proxy.test,11.22.33.30
host-record=mail.test,11.22.33.20
host-record=v4only.test,11.22.33.10
host-record=v6only.test,2a00:1122:33::10
host-record=xn--bcher-kva.test,11.22.33.10
host-record=private.test,10.20.0.5
host-record=ula.test,fd00:20::5
host-record=loop.test,127.0.0.1
host-record=loop5.test,127.0.0.5
host-record=loop6.test,::1
host-record=zero.test,0.0.0.0
host-record=meta.test,169.254.169.254
host-record=translated.test,64:ff9b::b16:2102
host-record=mapped.test,::ffff:10.20.0.5
host-record=host.test,11.22.33.2
host-record=multicast.test,224.0.0.1
host-record=deadend.test,11.22.34.1
host-record=nobody.test,11.22.33.10,2a00:1122:33::dead
host-record=_under.test,11.22.33.10
address=/cdn.test/11.22.33.10
address=/mixed.test/11.22.33.20
address=/mixed.test/10.20.0.5
cname=alias.test,allowed.test
cname=alias2.test,alias.test
cname=alias-of-private.test,private.test
"""
WEB = """
daemon off;
worker_processes 2;
pid /srv/run/nginx.pid;
events { worker_connections 4096; }
http {
  log_format seen '$server_addr:$server_port $ssl_server_name $host $request';
  access_log /srv/log/access seen;
  %(places)s
  types { text/html html; application/json json; }
  default_type application/octet-stream;
  ssl_certificate /srv/server.pem;
  ssl_certificate_key /srv/server.key;
  server_names_hash_bucket_size 128;
  server { %(listen)s server_name _; location / { return 200 "hello from whoever asks\\n"; } }
  server { %(listen)s server_name *.cdn.test v6only.test alias.test alias2.test xn--bcher-kva.test;
    location / { return 200 "hello from $host\\n"; } }
  %(sites)s
}
"""
SITE = """server { %(listen)s server_name %(name)s; root /srv/www/%(name)s;
    location = /tiny { default_type application/json; }
    location = /dns-query { default_type application/dns-message; return 200 "an answer\\n"; } }
"""
LISTEN = " ".join(f"listen {host}:{port};" for host in ("11.22.33.10", "[2a00:1122:33::10]")
                  for port in ("80", "443 ssl", "8443 ssl"))
PLACES = "\n  ".join(f"{kind}_temp_path /srv/run/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
SSH = """
Port 22
HostKey /srv/ssh_host_key
AuthorizedKeysFile /srv/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
UseDNS no
"""


def run(*command, **options):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   **options)


def certificates(folder):
    names = ",".join(f"DNS:{name}" for name in SITES + OTHER_NAMES)
    (folder / "extensions").write_text(f"subjectAltName={names}\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    run("openssl", "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test CA",
        "-addext", "keyUsage=critical,keyCertSign", cwd=folder)
    run("openssl", "req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=allowed.test", cwd=folder)
    run("openssl", "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
        "-out", "server.pem", "-days", "2", "-extfile", "extensions", cwd=folder)


def wheel():
    """A wheel of one module (PEP 427)."""
    info = "tiny-1.0.dist-info"
    files = {"tiny.py": "WORD = 'a tiny wheel'\n",
             f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},"
                     f"{len(text)}\n" for name, text in files.items())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return packed.getvalue()


def npm_package():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("package.json", json.dumps({"name": "tiny", "version": "1.0.0", "main": "index.js"})),
                           ("index.js", "module.exports = 'a tiny package'\n")):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def repository(folder):
    """A bare repository that a plain web server can serve."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.test"]
    run("git", "init", "-q", "-b", "main", "source", cwd=folder)
    (folder / "source" / "file").write_text("from a repository\n")
    run("git", "add", "file", cwd=folder / "source")
    run("git", *identity, "commit", "-q", "-m", "one", cwd=folder / "source")
    run("git", "clone", "-q", "--bare", "source", "repository.git", cwd=folder)
    run("git", "update-server-info", cwd=folder / "repository.git")
    return folder / "repository.git"


def site(folder, name, git, python_wheel, package):
    root = folder / "www" / name
    for below in ("simple/tiny", "tarballs"):
        (root / below).mkdir(parents=True)
    (root / "index.html").write_text(f"hello from {name}\n")
    (root / "simple/tiny/index.html").write_text('<a href="tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>')
    (root / "simple/tiny/tiny-1.0-py3-none-any.whl").write_bytes(python_wheel)
    (root / "tarballs/tiny-1.0.0.tgz").write_bytes(package)
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(package).digest()).decode()
    (root / "tiny").write_text(json.dumps({
        "name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
            "name": "tiny", "version": "1.0.0",
            "dist": {"tarball": f"https://{name}/tarballs/tiny-1.0.0.tgz", "integrity": integrity}}}}))
    (root / "repository.git").symlink_to(f"../../{git.name}")


def write_all(folder):
    """Everything but what the services themselves write, for which there are run/ and log/."""
    for name in ("run", "log", "www"):
        (folder / name).mkdir(parents=True)
    (folder / "log/seen").touch()
    (folder / "resolv.conf").write_text("nameserver 11.22.33.1\noptions timeout:1 attempts:2\n")
    (folder / "hosts").write_text("127.0.0.1 localhost\n11.22.33.20 inhosts.test\n10.20.0.5 private-inhosts.test\n")
    # More addresses than a datagram has room for.
    many = "".join(f"address=/many.test/11.22.33.{n}\n" for n in range(129, 239))
    (folder / "dnsmasq.conf").write_text(DNS + many)
    sites = "  ".join(SITE % {"listen": LISTEN, "name": name} for name in SITES)
    (folder / "nginx.conf").write_text(WEB % {"places": PLACES, "listen": LISTEN, "sites": sites})
    (folder / "sshd_config").write_text(SSH)
    certificates(folder)
    for key in ("ssh_host_key", "ssh_key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / key)
    (folder / "authorized_keys").write_bytes((folder / "ssh_key.pub").read_bytes())
    git = repository(folder)
    for name in SITES:
        site(folder, name, git, wheel(), npm_package())
