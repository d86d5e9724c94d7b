"""The output of every command, and the options for it."""

from __future__ import annotations

import argparse
import json
import lzma
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bench.kit import markup
from bench.kit.machine import describe_machine
from bench.kit.pictures import COLOURS, Picture
from bench.kit.plain_text import prose
from bench.kit.tables import Table
from bench.rivals import RIVALS, MissingRivalError, Rival, select
from bench.source_tree import ROOT
from bench.timing import Settings


@dataclass(frozen=True, kw_only=True)
class Page:
    """The outcome of a command."""

    machine: Mapping[str, Any]
    tables: Sequence[Table]
    document: Mapping[str, Any]
    """The JSON file."""
    is_complete: bool
    """False after Ctrl-C."""
    has_faults: bool = False
    """Whether a result of ours was wrong."""
    lead: str = ""
    """The outcome in a few sentences."""
    texts: Sequence[tuple[str, str]] = ()
    """What the figures mean: titles and paragraphs."""
    pictures: Sequence[Picture] = ()

    @property
    def head(self) -> list[str]:
        """The machine and the versions that the figures depend on."""
        lines = [f"{name}: {value}" for name, value in self.machine.items()]
        return lines if self.is_complete else [*lines, "INCOMPLETE: stopped before the end"]

    def as_text(self) -> str:
        """The page for a terminal."""
        lead = [prose(self.lead), ""] if self.lead else []
        texts = ["\n".join([title, prose(text, indent="  "), ""]) for title, text in self.texts]
        return "\n".join([*lead, *self.head, "", *(table.as_text() for table in self.tables), *texts])

    def as_markdown(self) -> str:
        """The page as Markdown."""
        return "\n".join([*(f"- {line}" for line in self.head), "", *(table.as_markdown() for table in self.tables)])

    def as_document(self) -> dict[str, Any]:
        """The JSON file: every figure, and what `from_document` makes the page of."""
        shown = {
            "lead": self.lead,
            "tables": [asdict(table) for table in self.tables],
            "texts": self.texts,
            "pictures": [asdict(picture) for picture in self.pictures],
        }
        return {"machine": self.machine, **self.document, "is_complete": self.is_complete, **shown}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Page:
        """The page of a JSON file, without its figures. Raises KeyError and TypeError for another file."""
        return cls(
            machine=document["machine"],
            tables=[Table(**each) for each in document["tables"]],
            document={},
            is_complete=document["is_complete"],
            lead=document["lead"],
            texts=[(title, text) for title, text in document["texts"]],
            pictures=[Picture(**each) for each in document["pictures"]],
        )

    def write_html(self, path: Path, title: str) -> None:
        """Write the page by itself."""
        path.write_text(markup.page(title, [markup.heading(1, title), *self.html_parts(level=2)]), "utf-8")

    def html_parts(self, *, level: int) -> list[str]:
        """The page as HTML, with headings of that level."""
        stopped = [] if self.is_complete else [markup.paragraph("INCOMPLETE: only a part was measured.", "warning")]
        return [
            *stopped,
            markup.paragraph(self.lead, "lead") if self.lead else "",
            *(markup.figure(each.title, each.png, each.caption) for each in self.pictures),
            *(markup.heading(level, table.title) + markup.table_of(table, colours=COLOURS) for table in self.tables),
            *(markup.heading(level, title) + markup.paragraph(text) for title, text in self.texts),
            markup.heading(level, "Where"),
            markup.named_values((name, str(value)) for name, value in self.machine.items()),
        ]


class UsageError(Exception):
    """An argument that cannot be used; the message says why."""


def add_common_options(parser: argparse.ArgumentParser, quick: str, rivals: Sequence[str] = ()) -> None:
    """Adds the options that every command has; `quick` describes --quick, `rivals` are the choices of --rivals.

    Without `rivals` they are the JSON libraries.
    """
    names = rivals or [rival.name for rival in RIVALS]
    parser.add_argument("--rivals", metavar="NAMES", default="", help=", ".join(names))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    parser.add_argument("--quick", action="store_true", help=quick)


def present_rivals(names: str) -> tuple[list[Rival], dict[str, str]]:
    """The rivals of the option --rivals that can be imported, and the machine; a line for each of the others.

    Raises UsageError for an unknown name, and if no rival is left.
    """
    versions: dict[str, str] = {}
    try:
        rivals = select(split_names(names))
    except ValueError as error:
        raise UsageError(str(error)) from error
    for rival in rivals:
        try:
            versions[rival.name] = rival.version()
        except MissingRivalError as error:
            say(str(error))
    if not versions:
        raise UsageError("no rival is installed")
    return [rival for rival in rivals if rival.name in versions], describe_machine(versions, sources=ROOT)


Start = Callable[[argparse.Namespace], int]
"""Begins a command, and gives its exit status."""


def refusing(start: Start) -> Start:
    """The start of a command; what its arguments name and cannot be used is a line and status 2."""

    def started(options: argparse.Namespace) -> int:
        try:
            return start(options)
        except (UsageError, lzma.LZMAError) as error:
            say(f"error: {error}")
        except OSError as error:
            if error.filename is None:  # an error of standard output, not of a file that an argument names
                raise
            say(f"error: {error}")
        return 2

    return started


def publishing(make: Callable[[argparse.Namespace], Page | None]) -> Start:
    """The start of a command that makes a page of its options."""
    return refusing(partial(_publish, make))


def _publish(make: Callable[[argparse.Namespace], Page | None], options: argparse.Namespace) -> int:
    """Prints the page, if there is one, and writes the files asked for.

    Gives the exit status: 0, 1 where a result of ours was wrong, 130 after Ctrl-C. Raises UsageError, and OSError where
    the output cannot be written.
    """
    for path in filter(None, (options.json, options.markdown)):
        check_writable(path)
    page = make(options)
    if page is None:
        return 0
    print(page.as_text())
    if options.json:
        options.json.write_text(json.dumps(page.as_document(), indent=1, ensure_ascii=False), "utf-8")
    if options.markdown:
        options.markdown.write_text(page.as_markdown(), "utf-8")
    return 130 if not page.is_complete else 1 if page.has_faults else 0


def check_writable(path: Path) -> None:
    """Raises UsageError where a file cannot be written there, before anything is measured for it."""
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        why = "it is a folder" if path.is_dir() else "no such folder" if not folder.is_dir() else "no permission"
        raise UsageError(f"{path} cannot be written: {why}")


USUAL = Settings()
QUICK = Settings(rounds=5, min_rounds=3, loop_ns=100_000, budget_ns=40_000_000)


def chosen_settings(options: argparse.Namespace, usual: Settings = USUAL) -> Settings:
    """The time to measure, from --quick and --rounds. Raises UsageError."""
    settings = QUICK if options.quick else usual
    if options.rounds is None:
        return settings
    if options.rounds < 1:
        raise UsageError(f"--rounds is {options.rounds}: at least 1 is needed")
    return settings.with_rounds(options.rounds)


_Found = TypeVar("_Found")


def until_stopped(measured: Iterable[_Found]) -> tuple[list[_Found], bool]:
    """What is measured, one after the other, and whether that is all: Ctrl-C ends it and keeps what there is."""
    found: list[_Found] = []
    try:
        for each in measured:
            found.append(each)
    except KeyboardInterrupt:
        say("stopped by Ctrl-C")
        return found, False
    return found, True


def check_names(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raises UsageError for names that are not known."""
    known = list(known)
    strangers = [name for name in names if name not in known]
    if strangers:
        raise UsageError(f"unknown {what} {', '.join(strangers)}: choose from {', '.join(known)}")


def split_names(text: str) -> list[str]:
    """The names in a list by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def say(line: str) -> None:
    """A line of progress."""
    print(line, file=sys.stderr, flush=True)
