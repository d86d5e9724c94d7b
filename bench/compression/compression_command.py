"""What compression of JSON costs and saves: compressors, and the middlewares of web frameworks.

    python -m bench compression
    python -m bench compression --quick --rivals zlib,zstd

What a client unpacks is compared with the body first. All take turns in each round; the tables have the fastest rounds
of the thread's CPU time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.command_output import Page, add_common_options, check_names, chosen_settings, publishing, say, split_names
from bench.compression.bodies import SCRIPTS, SIZES, body_of, rows_of
from bench.compression.codecs import PACKAGES as CODEC_PACKAGES
from bench.compression.codecs import Codec, codecs
from bench.compression.middlewares import PACKAGES as MIDDLEWARE_PACKAGES
from bench.compression.middlewares import Served, served
from bench.kit.machine import describe_machine, installed_versions
from bench.kit.progress import Progress
from bench.kit.tables import Table, significant
from bench.source_tree import ROOT
from bench.timing import CPU_CLOCK, Lane, Settings, called_loop, race

_FAMILIES = ("zlib", "isal", "zlib-ng", "zstd", "zstandard", "brotli", "middlewares")
_MAX_CALLS = 1000
_REQUEST_SIZES = (10_000, 50_000)  # Starlette compresses longer bodies in a thread, whose time is another one's


class WrongBodyError(Exception):
    """What a client unpacks is not the body."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One compressor, or one middleware, on one body."""

    contender: str
    coding: str
    language: str
    body_bytes: int
    sent_bytes: int
    us: float
    """CPU time of the fastest round, for one body."""

    @property
    def share(self) -> float:
        """The bytes that are sent, as a percentage of the body."""
        return 100 * self.sent_bytes / self.body_bytes


def add_command(commands: Any) -> None:
    """Adds `compression` to an `argparse` subparsers object."""
    parser = commands.add_parser("compression", help="gzip, zstd and brotli of JSON bodies, alone and as middlewares")
    parser.set_defaults(start=publishing(_page))
    parser.add_argument("--rounds", type=int, metavar="N", help="exactly N, instead of as many as 1.5 s have room for")
    add_common_options(parser, "bodies of 1 and 10 KB, and few rounds", _FAMILIES)


def _page(options: argparse.Namespace) -> Page:
    settings = chosen_settings(options)
    families = split_names(options.rivals) or list(_FAMILIES)
    check_names("rival", families, _FAMILIES)
    versions = installed_versions(("ssrjson_web", *CODEC_PACKAGES, *MIDDLEWARE_PACKAGES))
    machine = {**describe_machine(versions, sources=ROOT), "clock": "CPU time of the thread"}
    progress = Progress(sys.stderr)
    alone: list[Measured] = []
    requests: list[Measured] = []
    is_complete, fault = True, ""
    try:
        for language in SCRIPTS:
            for size in SIZES[:2] if options.quick else SIZES:
                alone += compressed(language, size, families, settings, progress)
            if "middlewares" in families:
                for size in _REQUEST_SIZES[:1] if options.quick else _REQUEST_SIZES:
                    requests += answered(language, size, settings, progress)
    except KeyboardInterrupt:
        is_complete = False
    except WrongBodyError as error:
        fault = str(error)
        say(f"error: {error}")
    return Page(
        machine=machine,
        tables=[
            *(codec_table(language, alone) for language in SCRIPTS if _of(alone, language)),
            *(request_table(language, requests) for language in SCRIPTS if _of(requests, language)),
        ],
        document={"is_complete": is_complete, "compressors": _rows(alone), "requests": _rows(requests)},
        is_complete=is_complete,
        has_faults=bool(fault),
    )


def compressed(
    language: str, size: int, families: Sequence[str], settings: Settings, progress: Progress
) -> list[Measured]:
    """Every compressor of the families on one body. Raises WrongBodyError."""
    body = body_of(language, size)
    known = [codec for codec in codecs(_once) if codec.name.split()[0] in families]
    sent = {codec.name: _checked(codec, body) for codec in known}
    progress.start(f"{language}, {len(body)} bytes", "compressors")
    times = _race({codec.name: _called(codec, body) for codec in known}, settings)
    progress.finish(f"{len(known)} compressors")
    return [
        Measured(
            contender=codec.name,
            coding=codec.coding,
            language=language,
            body_bytes=len(body),
            sent_bytes=sent[codec.name],
            us=times[codec.name],
        )
        for codec in known
    ]


def answered(language: str, size: int, settings: Settings, progress: Progress) -> list[Measured]:
    """Whole requests to each framework, through every middleware. Raises WrongBodyError."""
    body = body_of(language, size)
    unpack = {codec.coding: codec.decompress for codec in codecs(_once)} | {"": bytes}
    known = {
        f"{one.framework}: {one.name}{f' ({one.coding})' * bool(one.coding)}": one for one in _present(language, size)
    }
    sent = {}
    for name, one in known.items():
        answer = one.ask()
        if answer.coding != one.coding or unpack[answer.coding](answer.body).rstrip(b"\n") != body:
            raise WrongBodyError(f"{name}: the client does not get the body of {len(body)} bytes")
        sent[name] = len(answer.body)
    progress.start(f"{language}, {len(body)} bytes", "middlewares")
    times = _race({name: _asked(one) for name, one in known.items()}, settings)
    progress.finish(f"{len(known)} middlewares")
    return [
        Measured(
            contender=name,
            coding=one.coding,
            language=language,
            body_bytes=len(body),
            sent_bytes=sent[name],
            us=times[name],
        )
        for name, one in known.items()
    ]


def _present(language: str, size: int) -> list[Served]:
    return served(rows_of(language, size), _once)


def _checked(codec: Codec, body: bytes) -> int:
    packed = codec.compress(body)
    if codec.decompress(packed) != body:
        raise WrongBodyError(f"{codec.name}: what it unpacks is not the body of {len(body)} bytes")
    return len(packed)


def _called(codec: Codec, body: bytes) -> Callable[[object], object]:
    return lambda _: codec.compress(body)


def _asked(one: Served) -> Callable[[object], object]:
    return lambda _: one.ask()


def _race(calls: Mapping[str, Callable[[object], object]], settings: Settings) -> dict[str, float]:
    """Microseconds of a call of each, in its fastest round."""
    lanes = [
        Lane(rival=name, loop=called_loop(call), batch=lambda n: [None] * n, max_batch=_MAX_CALLS)
        for name, call in calls.items()
    ]
    return {name: one.best_ns / 1000 for name, one in race(lanes, settings, CPU_CLOCK).samples.items()}


def codec_table(language: str, measured: Sequence[Measured]) -> Table:
    """Time and size of each compressor, a pair of columns for each body."""
    title = f"{language}: µs to compress a body, and the percentage of its bytes that is sent"
    return _by_size(_of(measured, language), "compressor", title)


def request_table(language: str, measured: Sequence[Measured]) -> Table:
    """Time of whole requests and bytes that are sent."""
    title = f"{language}: µs of a request without a server, and the percentage of the body's bytes that is sent"
    return _by_size(
        _of(measured, language),
        "middleware",
        title,
        notes=["Django: the middleware and the response alone, without Django's handler"],
    )


def _by_size(measured: Sequence[Measured], contender: str, title: str, notes: Sequence[str] = ()) -> Table:
    """A row for each contender, and a column for each size of a body."""
    sizes = list(dict.fromkeys(one.body_bytes for one in measured))
    return Table(
        title=title,
        headers=[contender, *(f"{size / 1000:.1f} KB" for size in sizes)],
        rows=[
            [name, *(_cell(one) for one in measured if one.contender == name)]
            for name in dict.fromkeys(one.contender for one in measured)
        ],
        notes=list(notes),
    )


def _cell(one: Measured) -> str:
    return f"{significant(one.us)}, {one.share:.1f} %"


def _of(measured: Sequence[Measured], language: str) -> list[Measured]:
    return [one for one in measured if one.language == language]


def _rows(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    return [{**vars(one), "share": one.share} for one in measured]


_said: set[str] = set()


def _once(line: str) -> None:
    if line not in _said:
        _said.add(line)
        say(line)
