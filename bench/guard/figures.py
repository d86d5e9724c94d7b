"""The committed figures, the versions that they were made with, and how a count compares with them."""

from __future__ import annotations

import json
import platform
import re
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from bench.guard.guarded import GuardedCall

FILE = Path(__file__).with_name("figures.json")
TOLERANCE = 0.02

State = Literal["worse", "as before", "better", "new", "gone", "other library"]


@dataclass(frozen=True, kw_only=True)
class Makings:
    """The versions that instruction counts depend on, besides our sources."""

    python: str
    """The full version."""
    python_build: str
    """The compiler, and the options of `configure` that change the interpreter's code."""
    clang: str
    """The core's compiler."""
    libc: str
    """The C library, which chooses `memcpy` by the CPU."""
    libraries: Mapping[str, str]
    """Model libraries and their releases."""

    @classmethod
    def of_this_process(cls, compiler: str) -> Makings:
        """The versions of this process; `compiler` is the core's, as `get_current_features` returns it."""
        options = re.findall(r"--(?:enable-optimizations|with-lto|with-pydebug|enable-shared)\b", _configured())
        return cls(
            python=platform.python_version(),
            python_build=" ".join([platform.python_compiler(), *sorted(set(options))]),
            clang=compiler,
            libc=" ".join(platform.libc_ver()),
            libraries={name: version(name) for name in ("fastapi", "msgspec", "pydantic")},
        )

    @property
    def key(self) -> str:
        """The key of the figures in the file: `python 3.11, clang 19`."""
        minor = ".".join(self.python.split(".")[:2])
        major = re.search(r"\d+", self.clang)
        return f"python {minor}, clang {major[0] if major else 'unknown'}"

    def misfit(self, others: Makings) -> str:
        """Why figures made with `others` cannot be compared here; empty where they can."""
        return "; ".join(
            f"{name.replace('_', ' ')} is {here}, not {there}"
            for name in ("python", "python_build", "libc")
            if (here := getattr(self, name)) != (there := getattr(others, name))
        )


def _configured() -> str:
    return str(sysconfig.get_config_var("CONFIG_ARGS") or "")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Instructions per call, or calls of Python functions, and the versions that they were counted with."""

    made_with: Makings
    instructions: Mapping[str, int]


def read(path: Path) -> dict[str, Figures]:
    """Key to figures. Raises OSError, ValueError."""
    if not path.exists():
        return {}
    return {
        key: Figures(made_with=Makings(**each["made_with"]), instructions=each["instructions"])
        for key, each in json.loads(path.read_text("utf-8")).items()
    }


def write(path: Path, figures: Mapping[str, Figures]) -> None:
    """Write the file, one call on each line. Raises OSError."""
    document = {key: asdict(each) for key, each in sorted(figures.items())}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A call, its committed figure and its count; either may be None."""

    call: str
    before: int | None
    now: int | None
    state: State

    @property
    def change(self) -> str:
        """`+2.41 %`."""
        return f"{(self.now / self.before - 1) * 100:+.2f} %" if self.now and self.before else "-"

    @property
    def is_good(self) -> bool:
        """False for a call that got worse, and for a call or a figure without the other."""
        return self.state not in ("worse", "new", "gone")


def judge(
    calls: Iterable[GuardedCall], counted: Mapping[str, int], kept: Figures, libraries: Mapping[str, str]
) -> list[Finding]:
    """A finding for each call, then for each figure without a call."""
    calls = list(calls)
    names = {call.name for call in calls}
    found = []
    for call in calls:
        before, now = kept.instructions.get(call.name), counted[call.name]
        of_other = bool(call.library) and libraries[call.library] != kept.made_with.libraries.get(call.library)
        found.append(
            Finding(call=call.name, before=before, now=now, state=_state(before, now, of_other_library=of_other))
        )
    return [
        *found,
        *(
            Finding(call=name, before=before, now=None, state="gone")
            for name, before in kept.instructions.items()
            if name not in names
        ),
    ]


def _state(before: int | None, now: int, *, of_other_library: bool) -> State:
    if before is None:
        return "new"
    if of_other_library:
        return "other library"
    if now > before * (1 + TOLERANCE):
        return "worse"
    return "better" if now < before * (1 - TOLERANCE) else "as before"
