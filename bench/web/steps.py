"""The parts of a request by themselves: what validating, converting, encoding and decoding take on the same data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from fastapi.encoders import jsonable_encoder
from pydantic import TypeAdapter

from bench.timing import Clock, Lane
from bench.web.documents import Document
from bench.web.rivals import SET_UP, STOCK, Kind, WebRival
from ssrjson_web import Decoder
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.jsonable import JsonableEncoder

StepName = Literal["validate", "convert", "encode", "decode"]
STEPS: Sequence[StepName] = ("validate", "convert", "encode", "decode")


@dataclass(frozen=True, kw_only=True)
class Step:
    """A part of a request: the function that the framework calls there, and what makes its argument from the value."""

    name: StepName
    run: Callable[[Any], object]
    prepare: Callable[[Any], Any] = lambda value: value

    def lane(self, rival: str, make_value: Callable[[], Any], max_batch: int) -> Lane:
        """The step as a lane of a race; arguments are prepared outside the clock."""
        run, prepare = self.run, self.prepare

        def loop(batch: Sequence[Any], clock: Clock) -> int:
            start = clock()
            for value in batch:
                run(value)
            return clock() - start

        return Lane(
            rival=f"{rival} {self.name}",
            loop=loop,
            batch=lambda n: [prepare(make_value()) for _ in range(n)],
            max_batch=max_batch,
        )


def steps_of(rival: WebRival, kind: Kind, document: Document) -> Sequence[Step]:
    """The steps of a request that are functions of their own; what they leave over is the framework's."""
    render = partial(rival.response_class.render, rival.response_class(None))
    if kind in ("dict", "dict-def"):
        if rival is SET_UP:
            return (Step(name="encode", run=JsonableEncoder().encode),)
        return (
            Step(name="convert", run=jsonable_encoder),
            Step(name="encode", run=render, prepare=jsonable_encoder),
        )
    if kind == "direct":
        return (Step(name="encode", run=render),)
    if kind == "empty":
        return ()
    adapter: TypeAdapter[Any] = TypeAdapter(document.model)
    if kind.startswith("post-"):
        decode = Step(name="decode", run=json.loads if rival is STOCK else Decoder().decode)
        is_checked = kind == "post-models"
        validate = Step(name="validate", run=adapter.validate_python, prepare=json.loads)
        return (decode, validate) if is_checked else (decode,)
    return (
        Step(name="validate", run=partial(adapter.validate_python, from_attributes=True)),
        *_encoding_of_models(rival, adapter, render),
    )


def _encoding_of_models(rival: WebRival, adapter: TypeAdapter[Any], render: Callable[[Any], bytes]) -> Sequence[Step]:
    if rival is STOCK:
        return (Step(name="encode", run=partial(adapter.dump_json, by_alias=True), prepare=adapter.validate_python),)
    if rival is SET_UP:
        return (
            Step(
                name="encode", run=AdapterEncoder(adapter, like_dump_json=True).encode, prepare=adapter.validate_python
            ),
        )
    convert = partial(adapter.dump_python, mode="json", by_alias=True)
    return (
        Step(name="convert", run=convert, prepare=adapter.validate_python),
        Step(name="encode", run=render, prepare=lambda value: convert(adapter.validate_python(value))),
    )


def shares(total_ns: float, parts_ns: Mapping[str, float]) -> dict[str, float]:
    """Each part's share of the whole, and `other`, which they leave over; that is below 0 where they overlap."""
    found = {name: ns / total_ns for name, ns in parts_ns.items()}
    return {**found, "other": 1 - sum(found.values())}
