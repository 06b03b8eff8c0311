"""The list of parts and their licences, as SPDX 2.3 in JSON."""

import re

from parts import debian_parts, npm_parts

DISTRIBUTION = "distro=bookworm&arch=amd64"
PUBLIC_DOMAIN = "LicenseRef-public-domain"
DOCUMENT = "SPDXRef-DOCUMENT"
PROGRAM, IMAGE = "SPDXRef-quarry", "SPDXRef-quarry-image"
RELATIONS = {"compiled": (PROGRAM, "STATIC_LINK"), "loaded": (PROGRAM, "DYNAMIC_LINK"),
             "image": (IMAGE, "CONTAINS")}


def purl(part):
    if part.source == "npm":
        return f"pkg:npm/{part.name.replace('@', '%40')}@{part.version}"
    version = part.version.replace(":", "%3A").replace("+", "%2B")
    return f"pkg:deb/debian/{part.name}@{version}?{DISTRIBUTION}"


def package(identifier, name, version, licence, holders, address=None):
    holding = "\n".join(f"Copyright {holder}" for holder in holders)
    out = {"SPDXID": identifier, "name": name, "versionInfo": version,
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": licence, "licenseDeclared": licence,
           "copyrightText": holding or "NOASSERTION"}
    if address:
        out["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                "referenceLocator": address}]
    return out


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(project, found):
    """`found` is that of debian_parts."""
    packages = [package(PROGRAM, "quarry", project.version, "MIT", ["The Quarry authors"]),
                package(IMAGE, "quarry-image", project.version, "NOASSERTION", [])]
    relations = [relation(DOCUMENT, "DESCRIBES", PROGRAM), relation(DOCUMENT, "DESCRIBES", IMAGE),
                 relation(IMAGE, "CONTAINS", PROGRAM)]
    for part in [*npm_parts(), *debian_parts(found)]:
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{part.source}-{part.name}")
        packages.append(package(identifier, part.name, part.version, part.licence, part.holders,
                                purl(part)))
        relations.append(relation(*RELATIONS[part.how], identifier))
    name = f"quarry-{project.version}"
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": DOCUMENT, "name": name,
            "documentNamespace": f"urn:quarry:spdx:{name}-{project.epoch}",
            "creationInfo": {"created": project.date.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: The Quarry authors",
                                          "Tool: scripts/package"]},
            "hasExtractedLicensingInfos": [{"licenseId": PUBLIC_DOMAIN, "name": "Public domain",
                                            "extractedText": "This work is in the public domain."}],
            "packages": packages, "relationships": relations}
