"""The frameworks that have an adapter: which are installed, and whether they are new enough."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata

__all__ = ["Framework", "find_frameworks"]

_REQUIREMENT = re.compile(r"""([\w.-]+)\s*(?:\(?>=\s*([\d.]+)[^;]*)?;.*extra\s*==\s*['"]([\w-]+)['"]""")


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A package that an adapter needs."""

    adapter: str
    """`ssrjson_web.fastapi`."""
    package: str
    oldest: str | None
    """The oldest supported version; None for any."""
    installed: str | None
    """The installed version; None if it is not installed."""

    @property
    def is_too_old(self) -> bool:
        """Whether it is installed, and older than the oldest supported version."""
        if self.installed is None or self.oldest is None:
            return False
        installed = _numbers(self.installed)
        return bool(installed) and installed < _numbers(self.oldest)


def find_frameworks(requirements: Iterable[str] | None = None) -> tuple[Framework, ...]:
    """The packages in the extras that are named after an adapter; by default the extras of the installed ssrjson_web.

    Empty if ssrjson_web is not installed but only on the path.
    """
    if requirements is None:
        try:
            requirements = metadata.requires("ssrjson_web") or ()
        except metadata.PackageNotFoundError:
            return ()
    found = []
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match is None:
            continue
        package, oldest, extra = match.groups()
        adapter = f"ssrjson_web.{extra.replace('-', '_')}"  # metadata may have either character
        if importlib.util.find_spec(adapter) is None:
            continue
        found.append(Framework(adapter=adapter, package=package, oldest=oldest, installed=_installed(package)))
    return tuple(sorted(found, key=lambda framework: framework.adapter))


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """3.15.0rc1 as (3, 15): a release candidate counts as its release. Empty if the version has no number."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, re.sub(r"(\.0+)+$", "", match[0]).split("."))) if match else ()
