"""The bill of materials as a document of SPDX 2.3."""
import datetime
import hashlib
import re
import urllib.parse

NONE = "NOASSERTION"


def digest(path, name):
    return hashlib.new(name, path.read_bytes()).hexdigest()


def reference(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def file_entry(identifier, path, name, license_declared):
    sums = [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")]
    return {"SPDXID": identifier, "fileName": name, "fileTypes": ["BINARY"], "checksums": sums,
            "licenseConcluded": NONE, "licenseInfoInFiles": [license_declared], "copyrightText": NONE}


def library_entry(package, licensing, distribution):
    address = (f"pkg:deb/debian/{urllib.parse.quote(package.name)}@{urllib.parse.quote(package.version, safe='')}"
               f"?arch={package.architecture}&distro={distribution}")
    return {"SPDXID": reference("Package", package.name), "name": package.name, "versionInfo": package.version,
            "supplier": "Organization: Debian", "downloadLocation": NONE, "filesAnalyzed": False,
            **({"homepage": package.homepage} if package.homepage else {}),
            "sourceInfo": f"built from Debian's source package {package.source} {package.source_version}",
            "licenseConcluded": NONE, "licenseDeclared": licensing.expression, "copyrightText": licensing.holders,
            "licenseComments": f"declared as in {package.copyright_file} of the package",
            "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}]}


def relation(one, kind, other, comment=""):
    found = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
    return {**found, "comment": comment} if comment else found


def document(version, binary, libraries, distribution, epoch):
    """LIBRARIES are pairs of a Package and its Copyright; the result depends on nothing but the arguments."""
    program, executable = reference("Package", "sbx"), reference("File", "sbx")
    own = file_entry(executable, binary, "./bin/sbx", "Apache-2.0")
    verification = hashlib.sha1(own["checksums"][0]["checksumValue"].encode()).hexdigest()
    packages = [{"SPDXID": program, "name": "sbx", "versionInfo": version, "supplier": NONE, "downloadLocation": NONE,
                 "filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": verification},
                 "licenseConcluded": NONE, "licenseDeclared": "Apache-2.0", "copyrightText": NONE,
                 "licenseInfoFromFiles": ["Apache-2.0"], "primaryPackagePurpose": "APPLICATION",
                 "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                   "referenceLocator": f"pkg:generic/sbx@{version}"}]}]
    files = [own]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", program), relation(program, "CONTAINS", executable)]
    texts = {}
    for package, licensing in libraries:
        packages.append(library_entry(package, licensing, distribution))
        here = packages[-1]["SPDXID"]
        how = "" if package.archives else "of its headers alone: templates, inline functions, constants"
        relations.append(relation(program, "STATIC_LINK", here, how))
        for path in package.archives:
            archive = reference("File", package.name, path.name)
            files.append(file_entry(archive, path, f".{path}", NONE))
            relations.append(relation(archive, "OTHER", here, "is a file of this package"))
            relations.append(relation(executable, "STATIC_LINK", archive))
        texts.update(licensing.texts)
    extracted = [{"licenseId": key, "name": name, "extractedText": text} for key, (name, text) in sorted(texts.items())]
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sbx-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/sbx-{version}-{own['checksums'][1]['checksumValue']}",
            "creationInfo": {"created": created, "creators": [f"Tool: sbx-packaging-{version}"]},
            "packages": packages, "files": files, "relationships": relations, "hasExtractedLicensingInfos": extracted}
