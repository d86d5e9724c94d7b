"""The steps of the report: the commands, the files that they write, and how long each takes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Part = Literal["encode", "decode", "article", "memory", "web"]
PARTS: Sequence[Part] = ("encode", "decode", "article", "memory", "web")
_MEMORY_ROUNDS = 3
_QUICK_MEMORY_ROUNDS = 2


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command of the run."""

    name: str
    part: Part
    title: str
    words: Sequence[str]
    """The arguments after `python -m bench`, without the option for the file of figures."""
    seconds: int
    """The approximate duration on two cores."""
    document: str
    """The JSON file that it writes in the folder of figures."""

    def command(self, data: Path) -> list[str]:
        """The command line of a process that writes into `data`, to be started in the source tree."""
        document = (data / self.document).resolve()
        written = ("--out", str(document.parent)) if self.part == "memory" else ("--json", str(document))
        return [sys.executable, "-m", "bench", *self.words, *written]


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A run of `python -m bench web`; `web_section` describes its JSON."""

    name: str
    title: str
    words: Sequence[str] = ()
    seconds: int
    quick_seconds: int


FRAMEWORKS: Sequence[Framework] = (
    Framework(name="fastapi", title="FastAPI", seconds=45, quick_seconds=10),
    Framework(name="django", title="Django", words=("--django",), seconds=5, quick_seconds=5),
    Framework(name="flask", title="Flask", words=("--flask",), seconds=10, quick_seconds=5),
)


def steps(parts: Collection[str] = PARTS, *, quick: bool = False) -> list[Step]:
    """The commands of those parts, in the order of the page."""
    few_rounds = ("--quick", "--rounds", "9") if quick else ()
    found = [
        _bench_step("encode", "Encoding", ("encode", *few_rounds), seconds=25 if quick else 250),
        _bench_step("decode", "Decoding", ("decode", *few_rounds), seconds=5 if quick else 90),
        _bench_step(
            "article",
            "The article's two scripts",
            ("article", *(("--objects", "300") if quick else ())),
            seconds=20 if quick else 50,
        ),
        *(
            Step(
                name=f"memory-{turn}",
                part="memory",
                title=f"Memory of real servers, round {turn}",
                words=("demo", *(("--mb", "20", "--seconds", "2") if quick else ())),
                seconds=25 if quick else 55,
                document=f"memory-{turn}/results.json",
            )
            for turn in range(1, (_QUICK_MEMORY_ROUNDS if quick else _MEMORY_ROUNDS) + 1)
        ),
        *(
            _bench_step(
                "web",
                each.title,
                ("web", *each.words, *few_rounds),
                name=each.name,
                seconds=each.quick_seconds if quick else each.seconds,
            )
            for each in FRAMEWORKS
        ),
    ]
    return [step for step in found if step.part in parts]


def _bench_step(part: Part, title: str, words: Sequence[str], *, seconds: int, name: str = "") -> Step:
    name = name or part
    return Step(name=name, part=part, title=title, words=words, seconds=seconds, document=f"{name}.json")
