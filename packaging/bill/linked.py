"""What is in the binary, as the tools that made it say: the linker which archives it took, the compiler which headers
were read; and dpkg, whose they are."""
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# Numbers and structures that the kernel publishes for programs to use; nothing of it is code.
INTERFACES = {"linux-libc-dev"}
FIELDS = ("binary:Package", "Package", "Version", "Architecture", "source:Package", "source:Version", "Homepage")


@dataclass
class Package:
    """A Debian package of which something is in the binary; without archives it is in it by its headers alone."""
    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    homepage: str
    archives: list = field(default_factory=list)

    @property
    def copyright_file(self):
        return Path("/usr/share/doc") / self.name / "copyright"


def run(*words, cwd=None, check=True):
    return subprocess.run([str(word) for word in words], cwd=cwd, check=check, capture_output=True, text=True).stdout


def linked_files(build):
    """The files from elsewhere that end up in src/sbx: archives and start files. Links once more, to be told."""
    (command,) = run("ninja", "-C", build, "-t", "commands", "-s", "src/sbx").splitlines()[-1:]
    with tempfile.TemporaryDirectory() as scratch:
        # Said twice, it names the members as well, and no archive of which it took none.
        traced, replaced = re.subn(r"-o src/sbx\b", f"-Wl,--trace,--trace -o {scratch}/sbx", command)
        assert replaced == 1, command
        lines = run("sh", "-c", traced, cwd=build).splitlines()
    names = {re.sub(r"^\((.*)\).*$", r"\1", line) for line in lines if re.match(r"\(/.*\)|/.*\.o$", line)}
    return sorted({Path(name).resolve() for name in names})


def read_headers(build):
    """The headers from elsewhere that its sources include."""
    objects = [line for line in run("ninja", "-C", build, "-t", "inputs", "src/sbx").splitlines() if line.endswith(".o")]
    deps = run("ninja", "-C", build, "-t", "deps", *objects)
    return sorted({Path(line.strip()).resolve() for line in deps.splitlines() if line.startswith("    /")})


def owners(paths):
    """The name, as dpkg has it, of the package that each path belongs to."""
    # Before /lib became a link to usr/lib, packages named it so, and some still do.
    known = {str(path): path for path in paths}
    known.update({str(path)[4:]: path for path in paths if str(path).startswith("/usr/lib/")})
    found = {}
    for line in run("dpkg-query", "--search", *known, check=False).splitlines():
        names, _, path = line.partition(": ")
        if path in known:
            found[known[path]] = names.split(", ")[0]
    return found


def described(names):
    """Package by its name."""
    form = "\\t".join("${%s}" % name for name in FIELDS) + "\\n"
    rows = [line.split("\t") for line in run("dpkg-query", "--show", f"--showformat={form}", *names).splitlines()]
    return {row[0]: Package(*row[1:]) for row in rows}


def packages(build):
    """All Packages of which something is in BUILD/src/sbx, by name. Raises LookupError for a file that is nobody's."""
    files, headers = linked_files(build), read_headers(build)
    owner = owners(files + headers)
    nobodys = [str(path) for path in files + headers if path not in owner]
    if nobodys:
        raise LookupError(f"no Debian package has {', '.join(nobodys)}: the bill would not name it")
    found = described(sorted({owner[path] for path in files + headers}))
    for path in files:
        found[owner[path]].archives.append(path)
    sources = {package.source for package in found.values() if package.archives}
    return sorted((package for package in found.values() if package.archives or
                   (package.source not in sources and package.name not in INTERFACES)), key=lambda package: package.name)
