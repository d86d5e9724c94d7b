"""Decoding: bytes and str to objects.

A str is cold where every timed call gets a new one, and warm where the rival gets one that it has parsed
before: several libraries leave a cached UTF-8 copy in a str that is not ASCII. Bytes are neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.cases import Case
from bench.rivals import Call, Rival
from bench.subject import Entry, Mode, UnableError, WrongResultError, attempt, max_batch
from bench.timing import Lane, timed_loop
from bench.utf8_cache import string_cache_bytes


@dataclass(frozen=True, kw_only=True)
class DecodeSubject:
    """A document to decode."""

    case: Case
    document: bytes
    reference: str
    """`repr` of stdlib's result: it tells 1 from 1.0 and from True, and orders keys."""
    keep_results: bool = False
    """Free the results after the clock has stopped, not call by call."""

    @classmethod
    def of(cls, case: Case, *, keep_results: bool = False) -> DecodeSubject:
        """The subject of `case`."""
        text = case.make()
        return cls(case=case, document=text.encode(), reference=repr(json.loads(text)), keep_results=keep_results)

    @property
    def n_bytes(self) -> int:
        """The size of the document, as UTF-8."""
        return len(self.document)

    def entry(self, rival: Rival, mode: Mode) -> Entry:
        """The rival's lane, once its result equals the reference. Raises UnableError."""
        call = rival.call("decode", mode.kind, self.case.style)
        if call is None:
            raise UnableError("has no call that decodes")
        source = self.make_fresh(mode)
        cache_bytes = self._check(call, source)
        if rival.is_ours and cache_bytes:
            raise WrongResultError(f"left {cache_bytes} bytes of cached UTF-8 copies in its source")
        lane = Lane(
            rival=rival.name,
            loop=timed_loop(call, keep_results=self.keep_results),
            batch=self._batch(source, mode),
            max_batch=max_batch(self.n_bytes, mode.temperature),
        )
        return Entry(lane=lane, cache_bytes=cache_bytes)

    def make_fresh(self, mode: Mode) -> bytes | str:
        """The document, as a str that nobody has parsed or as bytes."""
        return self.document if mode.kind == "bytes" else self.document.decode()

    def _batch(self, parsed_before: bytes | str, mode: Mode) -> Callable[[int], Sequence[object]]:
        if mode.temperature == "cold":
            return lambda n: [self.make_fresh(mode) for _ in range(n)]
        return lambda n: [parsed_before] * n

    def _check(self, call: Call, source: bytes | str) -> int:
        """Compares the result; gives the size of the cached UTF-8 copy that the call left in `source`."""
        if isinstance(source, str):
            assert string_cache_bytes(source) == 0, "a fresh document holds a cached UTF-8 copy"
        if repr(attempt(call, source)) != self.reference:
            raise WrongResultError("the result differs from stdlib's")
        return string_cache_bytes(source) if isinstance(source, str) else 0
