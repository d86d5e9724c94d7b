"""A race: documents, and for each the contenders, whose results are checked before they are timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Literal

from bench.command_output import say
from bench.speed_goals import Goal
from bench.speed_results import Measurement, Row
from bench.subject import WrongResultError
from bench.timing import CPU_CLOCK, Clock, Lane, Loop, Sample, Settings, called_loop, race
from bench.timing import Race as Outcome

_N_CHECKS = 3
"""Calls of each contender before the timing: the first ones learn classes."""
_CHECKED_ONCE_BYTES = 500_000


class WrongContenderError(WrongResultError):
    """A contender gives another result than the right one."""

    def __init__(self, contender: str) -> None:
        super().__init__(f"{contender} gives a wrong result")
        self.contender = contender


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One way to do the work."""

    name: str
    call: Callable[[Any], Any]
    """Gives what is checked."""
    view: Callable[[Any], Any] = lambda result: result
    """The part of the result that all contenders have in common."""
    within: Callable[[], AbstractContextManager[Any]] = nullcontext
    loop: Loop | None = None
    """How it is timed, if not call by call."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """What all contenders get; ours is the first of them."""

    name: str
    contenders: Sequence[Contender]
    make: Callable[[], Any]
    """The argument of a call. It is made while the clock is stopped."""
    is_right: Callable[[Any], bool]
    """Whether a contender's result is the one that all must give."""
    n_bytes: int
    n_items: int = 1
    """What a call's time is divided by."""
    max_batch: int = 1000
    """Arguments that are made before a loop: 1 where each is a new one of many objects."""
    clock: Clock = CPU_CLOCK


@dataclass(frozen=True, kw_only=True)
class Race:
    """A line of the table of races."""

    name: str
    """Of the command, and of the module with `documents(size)`."""
    help: str
    text: str
    """What is compared with what."""
    needs: Sequence[str] = ()
    """Packages without which there are no documents."""
    unit: Literal["call", "event", "pause"] = "call"
    """What the microseconds are of."""
    size: int
    quick_size: int
    size_of: str
    """What `--size` is the number of."""
    rounds: int = 15
    loop_ns: int = 1_000_000
    with_collector: bool = False
    """Whether the garbage collector is on, because it is a part of what is compared."""
    goal: float = 1.0
    """The least ratio of the fastest other's time and ours, in each document."""

    def documents(self, size: int) -> Iterable[Document]:
        """Made one after another, each before it is timed."""
        found: Iterable[Document] = import_module(f"bench.races.{self.name}").documents(size)
        return found

    @property
    def goals(self) -> list[Goal]:
        return [Goal(title="each document", mode=self.name, cases=("*",), rule="each", at_least=self.goal)]

    def settings(self, *, rounds: int | None, is_quick: bool) -> Settings:
        """How long to measure."""
        settings = Settings(loop_ns=min(self.loop_ns, 100_000) if is_quick else self.loop_ns)
        return settings.with_rounds(rounds or (2 if is_quick else self.rounds))

    def row(self, document: Document, settings: Settings) -> Row:
        """The times on one document; it is refused, and nothing timed, where a contender gives a wrong result."""
        wrong: WrongContenderError | None = None
        outcome = Outcome(n_calls=0, n_rounds=0, samples={})
        try:
            outcome = race(lanes_of(document), settings, document.clock, with_collector=self.with_collector)
        except WrongContenderError as error:
            wrong = error
        return Row(
            case=document.name,
            mode=self.name,
            n_bytes=document.n_bytes,
            n_calls=outcome.n_calls,
            n_rounds=outcome.n_rounds,
            measurements=[
                Measurement(
                    rival=each.name,
                    is_ours=each is document.contenders[0],
                    converts=False,
                    sample=None if wrong else _of_item(outcome.samples[each.name], document.n_items),
                    reason=f"not timed, {wrong}" if wrong else "",
                    is_wrong=wrong is not None and wrong.contender == each.name,
                )
                for each in document.contenders
            ],
        )


def lanes_of(document: Document) -> list[Lane]:
    """A lane for each contender, all of which have given the right result. Raises WrongContenderError."""
    for each in document.contenders:
        for _ in range(_N_CHECKS if document.n_bytes < _CHECKED_ONCE_BYTES else 1):
            with each.within():
                result = each.call(document.make())
            if not _is_right(document, each, result):
                raise WrongContenderError(each.name)
    return [
        Lane(
            rival=each.name,
            loop=each.loop or called_loop(each.call, each.within),
            batch=lambda n: [document.make() for _ in range(n)],
            max_batch=document.max_batch,
        )
        for each in document.contenders
    ]


def _is_right(document: Document, contender: Contender, result: Any) -> bool:
    try:
        return document.is_right(contender.view(result))
    except Exception:  # of another kind than the right one, which a library may say in its own way
        return False


def _of_item(sample: Sample, n: int) -> Sample:
    return replace(
        sample,
        median_ns=sample.median_ns / n,
        p25_ns=sample.p25_ns / n,
        p75_ns=sample.p75_ns / n,
        best_ns=sample.best_ns / n,
    )


@cache
def library(name: str) -> Any:
    """A module; None where it is not installed, after a line that says so."""
    try:
        return import_module(name)
    except ImportError:
        say(f"{name.partition('.')[0]} is not installed")
        return None


def installed(names: Iterable[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions, by their dotted names, of the libraries that are installed."""
    for name in names:
        module, _, function = name.rpartition(".")
        if (found := library(module)) is not None:
            yield name, getattr(found, function)
