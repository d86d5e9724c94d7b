"""Encoding: objects to bytes and to str, with strings fresh (cold, evicted) or encoded before (warm).

Cold: every timed call gets a graph made for it outside the clock, so no string holds a cached UTF-8 copy.
Evicted: the same, but the graphs lie in none of the CPU's caches, as where a server holds more than fits there.
Warm: a rival gets the same graph again and again, and reads the copies that its own calls left there.
"""

from __future__ import annotations

import importlib
import json
import marshal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench import cpu_cache
from bench.cases import Case
from bench.rivals import Call, Rival
from bench.subject import Entry, Mode, Temperature, UnableError, WrongResultError, attempt, max_batch
from bench.timing import Lane, timed_loop
from bench.utf8_cache import graph_cache_bytes

BALLAST_BYTES = 1_000_000
"""Before each rival's own graph, six graphs are made, and more that hold this much JSON; at most fifty in all."""


@dataclass(frozen=True, kw_only=True)
class EncodeSubject:
    """A document to encode."""

    case: Case
    n_bytes: int
    reference: str
    """`repr` of what stdlib parses from the document: it tells 1 from 1.0 and from True, and orders keys."""
    make_fresh: Callable[[], object]
    """Makes a new graph. No library has encoded its strings."""
    ballast: list[object] = field(default_factory=list)
    """Graphs that fill free blocks in the heap, so that no rival's own graph is scattered over them."""

    @classmethod
    def of(cls, case: Case) -> EncodeSubject:
        """The subject of `case`. Raises UnableError where an array needs numpy and it is absent."""
        text = case.make()
        graph = json.loads(text)
        return cls(
            case=case,
            n_bytes=len(text.encode()),
            reference=repr(graph),
            make_fresh=_maker_of_array(graph) if case.style == "numpy" else _maker_of_graph(graph),
        )

    def entry(self, rival: Rival, mode: Mode) -> Entry:
        """The rival's lane, once its output parses to the reference. Raises UnableError."""
        call = rival.call("encode", mode.kind, self.case.style)
        if call is None:
            raise UnableError(f"has no call for {self.case.style} {mode.kind}")
        self.ballast.extend(self.make_fresh() for _ in range(min(50, 6 + BALLAST_BYTES // self.n_bytes)))
        graph = self.make_fresh()
        assert graph_cache_bytes(graph) == 0, "a fresh graph holds cached UTF-8 copies"
        self._check(call, graph, mode)
        cache_bytes = graph_cache_bytes(graph)
        if rival.is_ours and cache_bytes:
            raise WrongResultError(f"left {cache_bytes} bytes of cached UTF-8 copies")
        lane = Lane(
            rival=rival.name,
            loop=timed_loop(call),
            batch=self._batch(graph, mode.temperature),
            max_batch=max_batch(self.n_bytes, mode.temperature),
        )
        return Entry(lane=lane, cache_bytes=cache_bytes)

    def _batch(self, encoded_before: object, temperature: Temperature | None) -> Callable[[int], Sequence[object]]:
        if temperature == "warm":
            return lambda n: [encoded_before] * n

        def make(n: int) -> Sequence[object]:
            graphs = [self.make_fresh() for _ in range(n)]
            if temperature == "evicted":
                cpu_cache.evict()
            return graphs

        return make

    def _check(self, call: Call, graph: object, mode: Mode) -> None:
        output = attempt(call, graph)
        if type(output).__name__ != mode.kind:
            raise WrongResultError(f"gives {type(output).__name__}, not {mode.kind}")
        assert isinstance(output, bytes | str)
        try:
            value = json.loads(output)
        except ValueError as error:
            raise WrongResultError(f"stdlib cannot parse the output: {error}") from error
        if repr(value) != self.reference:
            raise WrongResultError("the output parses to another value")


def _maker_of_graph(graph: Any) -> Callable[[], object]:
    # marshal creates every str, float and container again, in a fraction of the parser's time. Keys are shared, as
    # stdlib's parser shares them. Unlike pickle it leaves no cached UTF-8 copy, neither in source nor in result.
    image = marshal.dumps(graph)
    return lambda: marshal.loads(image)


def _maker_of_array(values: object) -> Callable[[], object]:
    try:
        numpy = importlib.import_module("numpy")
    except ModuleNotFoundError:
        raise UnableError("numpy is not installed (pip install numpy)") from None
    array = numpy.array(values)
    return lambda: array  # an array holds no strings, so cold and warm are the same
