"""Is the bill of materials valid SPDX, and does it name what is in the binary? `bill.py BILL BINARY`, with the Python of
the virtualenv that scripts/setup makes."""
import hashlib
import json
import sys
from pathlib import Path

from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

# Linked, or in templates, whatever the release of Debian; and that a linker says of itself.
EXPECTED = {"libseccomp-dev", "libcap-dev", "libcgroup-dev", "libyaml-cpp-dev", "libsqlite3-dev", "libmagic-dev",
            "libc-ares-dev", "libarchive-dev", "libzstd-dev", "zlib1g-dev", "libc6-dev", "libcli11-dev",
            "nlohmann-json3-dev", "libspdlog-dev", "libfmt-dev"}


def problems(bill, binary):
    messages = validate_full_spdx_document(parse_file(str(bill)))
    yield from (f"not valid: {message.validation_message} ({message.context})" for message in messages)
    document = json.loads(bill.read_text())
    packages = {package["name"]: package for package in document["packages"]}
    linked = {one["relatedSpdxElement"] for one in document["relationships"]
              if one["relationshipType"] == "STATIC_LINK" and one["spdxElementId"] == packages["sbx"]["SPDXID"]}
    names = {name for name, package in packages.items() if package["SPDXID"] in linked}
    yield from (f"does not name {name}" for name in sorted(EXPECTED - names))
    yield from (f"{name} has no license" for name in sorted(names) if packages[name]["licenseDeclared"] == "NOASSERTION")
    sums = {item["algorithm"]: item["checksumValue"] for one in document["files"] if one["fileName"] == "./bin/sbx"
            for item in one["checksums"]}
    if sums.get("SHA256") != hashlib.sha256(binary.read_bytes()).hexdigest():
        yield f"is of another binary than {binary}"


def main():
    bill, binary = map(Path, sys.argv[1:])
    found = list(problems(bill, binary))
    # The control: what has a mistake is not valid.
    broken = bill.with_name("broken.spdx.json")
    broken.write_text(bill.read_text().replace('"STATIC_LINK"', '"DESCRIBES"').replace("SPDXRef-Package-libcap-dev", "SPDXRef-x"))
    try:
        if not list(problems(broken, binary)):
            found.append("a broken bill would pass as well")
    finally:
        broken.unlink()
    for problem in found:
        print(f"{bill.name}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
