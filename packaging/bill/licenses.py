"""What Debian's copyright files say, in the words of SPDX."""
import re

# Short names of the machine-readable format 1.0, and what SPDX's list calls the same.
NAMES = {
    "Apache-2.0": "Apache-2.0", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause", "Expat": "MIT",
    "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later",
    "X11": "X11", "Zlib": "Zlib",
}
# Sources whose copyright file no machine reads, and what it says of the libraries that programs are linked with.
STATED = {"gcc": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later"}
# Whoever passes on what is linked with these has to offer their source as well; not so with an exception for that.
COPYLEFT = re.compile(r"GPL(?!.* WITH )")


def paragraphs(text):
    """The paragraphs of a control file: name in lower case, to value with its line breaks."""
    for block in re.split(r"\n\s*\n", text):
        fields = re.findall(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", block, re.M)
        if fields:
            yield {name.lower(): value.strip() for name, value in fields}


def unfolded(value):
    """A long text of such a field: lines that begin with one blank, a dot for an empty one."""
    return "\n".join("" if line.strip() == "." else line.removeprefix(" ") for line in value.splitlines())


class Copyright:
    """The license of a package's library: `expression`, `holders`, and `texts`, of each name that is not SPDX's own."""

    def __init__(self, package):
        text = package.copyright_file.read_text(encoding="utf-8", errors="replace")
        self.texts, self.holders = {}, "NOASSERTION"
        readable = list(paragraphs(text))
        general = next((one for one in readable if one.get("files") == "*"), None)
        stated = STATED.get(re.sub(r"-\d+$", "", package.source))
        if stated:
            self.expression = stated
        elif general:
            self.holders = unfolded(general.get("copyright", "NOASSERTION"))
            self.expression = self.translate(package, general["license"].splitlines()[0], readable)
        else:
            self.expression = self.named(package, "copyright", text)

    def named(self, package, name, text):
        reference = "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{package.source}-{name}")
        self.texts[reference] = (name, text)
        return reference

    def translate(self, package, words, readable):
        """`A or B, and C` of Debian is `(A OR B) AND C` of SPDX."""
        full = {}
        for one in readable:
            short, _, text = one.get("license", "").partition("\n")
            if text:
                full[short] = unfolded(text)

        def single(name):
            return NAMES.get(name) or self.named(package, name, full.get(name) or full.get(words) or name)

        groups = [[single(name) for name in re.split(r"\s+or\s+", group)] for group in re.split(r",?\s+and\s+", words)]
        joined = [" OR ".join(group) for group in groups]
        return joined[0] if len(joined) == 1 else " AND ".join(f"({one})" if " OR " in one else one for one in joined)

    @property
    def source_is_owed(self):
        return all(COPYLEFT.search(one) for one in re.split(r" OR ", self.expression))
