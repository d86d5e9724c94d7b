"""The facts about this installation that the doctor reports."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from ssrjson_web import get_current_features
from ssrjson_web._cli.child import ask
from ssrjson_web._cli.doctor.adapters import Framework, find_frameworks
from ssrjson_web._cli.doctor.libraries import LIBRARIES, Library, LibraryTrial, try_libraries
from ssrjson_web._cli.served import ADAPTERS
from ssrjson_web._known.unknown import UnknownFunction, sentences

if TYPE_CHECKING:
    from ssrjson_web._core import Features

__all__ = ["Examination", "examine"]

_SECONDS = 60.0
_AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class Examination:
    """This installation on this machine."""

    python: str
    system: str
    features: Features
    """The core's features, as `get_current_features` returns them."""
    isa_variable: str | None
    """The value of SSRJSON_ISA; None if it is not set."""
    frameworks: tuple[Framework, ...]
    libraries: tuple[LibraryTrial, ...]
    unknown: tuple[UnknownFunction, ...] = ()
    """Functions of the frameworks that are not those of a release we know."""
    problems: tuple[str, ...]
    """What should be changed, in a sentence or two each."""


def examine(libraries: Sequence[Library] = LIBRARIES) -> Examination:
    """Examine this process's core and the installed packages; try what each JSON library does to a string."""
    features = get_current_features()
    isa_variable = os.environ.get("SSRJSON_ISA") or None
    frameworks = find_frameworks()
    trials = try_libraries(libraries)
    unknown, failures = _unknown_functions(frameworks)
    return Examination(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        features=features,
        isa_variable=isa_variable,
        frameworks=frameworks,
        libraries=trials,
        unknown=unknown,
        problems=(
            *_level_problems(features, isa_variable=isa_variable),
            *_version_problems(features),
            *_framework_problems(frameworks),
            *failures,
            *(
                f"{text} Upgrade ssrjson_web; `python -m ssrjson_web verify` compares both."
                for text in sentences(unknown)
            ),
            *_library_problems(trials, is_writing_cache=features["write_utf8_cache"]),
        ),
    )


def _unknown_functions(frameworks: Sequence[Framework]) -> tuple[tuple[UnknownFunction, ...], list[str]]:
    """Those of the installed frameworks, each asked in a process of its own; and a sentence for each that failed."""
    names = [
        framework.adapter.rpartition(".")[2]
        for framework in frameworks
        if framework.installed and not framework.is_too_old
    ]
    libraries = [name for name in ADAPTERS if name in names]
    unknown, failures = [], []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        asked = pool.map(lambda name: ask("ssrjson_web._cli.served", "unknown_of", name, seconds=_SECONDS), libraries)
        for library, (answer, failure) in zip(libraries, asked, strict=True):
            unknown += [UnknownFunction(**one) for one in answer or ()]
            if failure:
                failures.append(f"ssrjson_web.{library} cannot be imported in a new process: {failure}")
    return tuple(dict.fromkeys(unknown)), failures


def _level_problems(features: Features, *, isa_variable: str | None) -> Iterator[str]:
    best = features["levels"][-1]
    if isa_variable is not None and features["level"] != best:
        yield (
            f"SSRJSON_ISA={isa_variable} limits the core to {features['level']}, but this CPU can run {best}. "
            "Unset SSRJSON_ISA where the servers are started, unless you want this level for a comparison."
        )


def _version_problems(features: Features) -> Iterator[str]:
    try:
        installed = metadata.version("ssrjson_web")
    except metadata.PackageNotFoundError:
        return
    if installed != features["version"]:
        yield (
            f"The compiled core has version {features['version']}, but the package has version {installed}: "
            "install ssrjson_web again, or run 'make build' in its source tree."
        )


def _framework_problems(frameworks: Sequence[Framework]) -> Iterator[str]:
    for framework in frameworks:
        if framework.is_too_old:
            yield (
                f"{framework.adapter} needs {framework.package} {framework.oldest} or newer, and {framework.installed} "
                f"is installed: pip install '{framework.package}>={framework.oldest}', or do not use that adapter."
            )


def _library_problems(trials: Sequence[LibraryTrial], *, is_writing_cache: bool) -> Iterator[str]:
    for trial in trials:
        if trial.name != "ssrjson_web":
            continue
        if trial.failure is not None:
            yield f"ssrjson_web cannot encode in a new process: {trial.failure}"
        elif trial.leaves_copies and not is_writing_cache:
            yield "ssrjson_web cached a UTF-8 copy in a string, which is a bug: please report it with this text."
