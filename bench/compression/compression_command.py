"""What compression of JSON costs and saves: compressors, and the middlewares of web frameworks.

    python -m bench compression
    python -m bench compression --quick --rivals zlib,zstd

What a client unpacks is compared with the body first. All take turns in each round; the tables have the fastest rounds
of the thread's CPU time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
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

    contender: str
    coding: str
    language: str
    body_bytes: int
    sent_bytes: int
    us: float
    """CPU time of the fastest round, for one body."""
    share: float
    """The bytes that are sent, as a percentage of the body."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """A body that is compressed, and how many bytes each contender sends."""

    language: str
    is_request: bool
    """Whether it is answered by whole applications."""
    document: Document
    codings: dict[str, str]
    sent_bytes: dict[str, int]


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
    found: dict[bool, list[Measured]] = {False: [], True: []}
    is_complete, is_wrong = True, False
    try:
        for body in _bodies(families, is_quick=options.quick):
            found[body.is_request] += measured(body, settings)
            kind = _MIDDLEWARES if body.is_request else "compressors"
            say(f"{body.language}, {body.document.n_bytes} bytes: {len(body.codings)} {kind}")
    except KeyboardInterrupt:
        is_complete = False
    except WrongContenderError as error:
        is_wrong = True
        say(f"error: {error}: what the client unpacks is not the body")
    return Page(
        machine={**describe_machine(versions, sources=ROOT), "clock": "CPU time of the thread"},
        tables=[
            _table(language, [one for one in rows if one.language == language], is_request=is_request)
            for is_request, rows in found.items()
            for language in SCRIPTS
            if any(one.language == language for one in rows)
        ],
        document={
            "compressors": [asdict(one) for one in found[False]],
            "requests": [asdict(one) for one in found[True]],
        },
        is_complete=is_complete,
        has_faults=is_wrong,
    )


def _bodies(families: Sequence[str], *, is_quick: bool) -> Iterator[Body]:
    known = [codec for codec in codecs(_once) if codec.name.split()[0] in families]
    for language in SCRIPTS:
        for size in (SIZES[:2] if is_quick else SIZES) if known else ():
            yield _compressed(language, body_of(language, size), known)
        if _MIDDLEWARES in families:
            for size in _REQUEST_SIZES[:1] if is_quick else _REQUEST_SIZES:
                yield _answered(language, size)


def _compressed(language: str, body: bytes, known: Sequence[Codec]) -> Body:
    contenders = [Contender(name=codec.name, call=codec.compress, view=codec.decompress) for codec in known]
    return Body(
        language=language,
        is_request=False,
        document=_document(language, body, contenders),
        codings={codec.name: codec.coding for codec in known},
        sent_bytes={codec.name: len(codec.compress(body)) for codec in known},
    )


def _answered(language: str, size: int) -> Body:
    """Whole requests to each framework, through every middleware."""
    unpack = {codec.coding: codec.decompress for codec in codecs(_once)} | {"": bytes}
    known = {
        f"{one.framework}: {one.name}{f' ({one.coding})' * bool(one.coding)}": one
        for one in served(rows_of(language, size), _once)
    }

    def unpacked(answer: Any, *, coding: str) -> bytes | None:
        return unpack[coding](answer.body).rstrip(b"\n") if answer.coding == coding else None

    contenders = [
        Contender(name=name, call=partial(_ask, one), view=partial(unpacked, coding=one.coding))
        for name, one in known.items()
    ]
    return Body(
        language=language,
        is_request=True,
        document=_document(language, body_of(language, size), contenders),
        codings={name: one.coding for name, one in known.items()},
        sent_bytes={name: len(one.ask().body) for name, one in known.items()},
    )


def _ask(one: Served, _: object) -> Any:
    return one.ask()


def _document(language: str, body: bytes, contenders: Sequence[Contender]) -> Document:
    return Document(
        name=f"{language}, {len(body)} bytes",
        contenders=contenders,
        make=lambda: body,
        is_right=lambda unpacked: bool(unpacked == body),
        n_bytes=len(body),
    )


def measured(body: Body, settings: Settings) -> list[Measured]:
    """Every contender on one body. Raises WrongContenderError."""
    document = body.document
    samples = race(lanes_of(document), settings, document.clock).samples
    return [
        Measured(
            contender=name,
            coding=coding,
            language=body.language,
            body_bytes=document.n_bytes,
            sent_bytes=body.sent_bytes[name],
            us=samples[name].best_ns / 1000,
            share=100 * body.sent_bytes[name] / document.n_bytes,
        )
        for name, coding in body.codings.items()
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
