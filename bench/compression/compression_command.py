"""What compression of JSON costs and saves: compressors, and the middlewares of web frameworks.

    python -m bench compression
    python -m bench compression --quick --rivals zlib,zstd

What a client unpacks is compared with the body first. All take turns in each round; the tables have the fastest rounds
of the thread's CPU time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from bench.command_output import Page, add_common_options, check_names, chosen_settings, publishing, say, split_names
from bench.compression.bodies import SCRIPTS, SIZES, body_of, rows_of
from bench.compression.codecs import PACKAGES as CODEC_PACKAGES
from bench.compression.codecs import Codec, codecs
from bench.compression.middlewares import PACKAGES as MIDDLEWARE_PACKAGES
from bench.compression.middlewares import Served, served
from bench.kit.machine import describe_machine, installed_versions
from bench.kit.tables import Table, significant
from bench.races.race import Contender, Document, WrongContenderError, lanes_of
from bench.source_tree import ROOT
from bench.timing import Settings, race

_MIDDLEWARES = "middlewares"
_FAMILIES = ("zlib", "isal", "zlib-ng", "zstd", "zstandard", "brotli", _MIDDLEWARES)
_REQUEST_SIZES = (10_000, 50_000)  # Starlette compresses longer bodies in a thread, whose time is another one's


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One compressor, or one middleware, on one body."""

    is_request: bool
    """Whether the body is answered by a whole application."""

    contender: str
    coding: str
    language: str
    body_bytes: int
    sent_bytes: int
    us: float
    """CPU time of the fastest round, for one body."""
    share: float
    """The bytes that are sent, as a percentage of the body."""


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
    found: list[Measured] = []
    is_complete, is_wrong = True, False
    try:
        for rows in _bodies(families, settings, is_quick=options.quick):
            found += rows
            kind = _MIDDLEWARES if rows[0].is_request else "compressors"
            say(f"{rows[0].language}, {rows[0].body_bytes} bytes: {len(rows)} {kind}")
    except KeyboardInterrupt:
        is_complete = False
    except WrongContenderError as error:
        is_wrong = True
        say(f"error: {error}: what the client unpacks is not the body")
    return Page(
        machine={**describe_machine(versions, sources=ROOT), "clock": "CPU time of the thread"},
        tables=[
            _table(language, rows, is_request=is_request)
            for is_request in (False, True)
            for language in SCRIPTS
            if (rows := [one for one in found if (one.is_request, one.language) == (is_request, language)])
        ],
        document={
            "compressors": [asdict(one) for one in found if not one.is_request],
            "requests": [asdict(one) for one in found if one.is_request],
        },
        is_complete=is_complete,
        has_faults=is_wrong,
    )


def _bodies(families: Sequence[str], settings: Settings, *, is_quick: bool) -> Iterator[list[Measured]]:
    """The compressors, then the middlewares, on one body after the other. Raises WrongContenderError."""
    known = [codec for codec in codecs(_once) if codec.name.split()[0] in families]
    for language in SCRIPTS:
        for size in (SIZES[:2] if is_quick else SIZES) if known else ():
            yield measured(language, body_of(language, size), [_by_codec(codec) for codec in known], settings)
        if _MIDDLEWARES in families:
            for size in _REQUEST_SIZES[:1] if is_quick else _REQUEST_SIZES:
                asked = [_by_request(one) for one in served(rows_of(language, size), _once)]
                yield measured(language, body_of(language, size), asked, settings, is_request=True)


@dataclass(frozen=True, kw_only=True)
class Sender:
    """What makes the bytes that are sent of a body."""

    coding: str
    contender: Contender
    sent: Callable[[Any], bytes]
    """The bytes in what the contender's call gives."""


def _by_codec(codec: Codec) -> Sender:
    contender = Contender(name=codec.name, call=codec.compress, view=codec.decompress)
    return Sender(coding=codec.coding, contender=contender, sent=bytes)


def _by_request(one: Served) -> Sender:
    """A whole request to a framework, through a middleware."""
    unpack = {codec.coding: codec.decompress for codec in codecs(_once)} | {"": bytes}

    def unpacked(answer: Any) -> bytes | None:
        return unpack[one.coding](answer.body).rstrip(b"\n") if answer.coding == one.coding else None

    name = f"{one.framework}: {one.name}{f' ({one.coding})' * bool(one.coding)}"
    contender = Contender(name=name, call=lambda _: one.ask(), view=unpacked)
    return Sender(coding=one.coding, contender=contender, sent=lambda answer: bytes(answer.body))


def measured(
    language: str, body: bytes, senders: Sequence[Sender], settings: Settings, *, is_request: bool = False
) -> list[Measured]:
    """Every sender on one body. Raises WrongContenderError."""
    document = Document(
        name=f"{language}, {len(body)} bytes",
        contenders=[one.contender for one in senders],
        make=lambda: body,
        is_right=lambda unpacked: bool(unpacked == body),
        n_bytes=len(body),
    )
    samples = race(lanes_of(document), settings, document.clock).samples
    sent_bytes = [len(one.sent(one.contender.call(body))) for one in senders]
    return [
        Measured(
            is_request=is_request,
            contender=one.contender.name,
            coding=one.coding,
            language=language,
            body_bytes=len(body),
            sent_bytes=n_sent,
            us=samples[one.contender.name].best_ns / 1000,
            share=100 * n_sent / len(body),
        )
        for one, n_sent in zip(senders, sent_bytes, strict=True)
    ]


def _table(language: str, rows: Sequence[Measured], *, is_request: bool) -> Table:
    """A row for each contender, and a column with time and size for each body."""
    what = "of a request without a server" if is_request else "to compress a body"
    sizes = list(dict.fromkeys(one.body_bytes for one in rows))
    return Table(
        title=f"{language}: µs {what}, and the percentage of the body's bytes that is sent",
        headers=["middleware" if is_request else "compressor", *(f"{size / 1000:.1f} KB" for size in sizes)],
        rows=[
            [name, *(f"{significant(one.us)}, {one.share:.1f} %" for one in rows if one.contender == name)]
            for name in dict.fromkeys(one.contender for one in rows)
        ],
        notes=["Django: the middleware and the response alone, without Django's handler"] if is_request else [],
    )


@cache
def _once(line: str) -> None:
    say(line)
