"""A software bill of materials in CycloneDX's JSON: the files of dist/, and what they were built with.

The wheels need no other package at run time and hold no code of others.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from release.files import BUILD, DIST, TREE, ReleaseError
from release.readiness import NAME, project_version
from release.source import git


def written_sbom() -> Path:
    """The file. Raises ReleaseError if dist/ is empty."""
    files = sorted(file for file in DIST.glob("*") if file.suffix in {".whl", ".gz"})
    if not files:
        raise ReleaseError("dist/ holds no wheel and no source distribution: make wheels")
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / "sbom.cdx.json"
    path.write_text(json.dumps(sbom(files), indent=2) + "\n", encoding="utf-8")
    return path


def sbom(files: list[Path]) -> dict[str, Any]:
    version = project_version((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = (TREE / "release" / "requirements.txt").read_text(encoding="utf-8")
    tools = re.findall(r"^([\w.-]+)==([\w.]+)$", requirements, re.MULTILINE)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "package",
                "name": NAME,
                "version": version,
                "purl": f"pkg:pypi/{NAME.replace('_', '-')}@{version}",
                "licenses": [{"license": {"id": "MIT"}}],
                "properties": [{"name": "commit", "value": git("rev-parse", "HEAD")}],
            },
            "tools": {
                "components": [
                    {"type": "application", "name": name, "version": number, "purl": f"pkg:pypi/{name}@{number}"}
                    for name, number in tools
                ]
            },
        },
        "components": [
            {
                "type": "file",
                "bom-ref": file.name,
                "name": file.name,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
            }
            for file in files
        ],
        "dependencies": [{"ref": "package", "dependsOn": []}],
    }
