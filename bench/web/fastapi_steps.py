"""The parts of a FastAPI request by themselves: validating, converting, encoding and decoding the same data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fastapi.encoders import jsonable_encoder
from pydantic import TypeAdapter

from bench.web.documents import Document
from bench.web.fastapi_rivals import SET_UP, STOCK, Kind, WebRival
from bench.web.fastapi_routes import model_of
from bench.web.web_case import Step
from ssrjson_web import Decoder, Encoder
from ssrjson_web.models import TypedEncoder

_OF_DICTS = Encoder(
    default=jsonable_encoder,
    models="pydantic",
    by_alias=True,
    exact_types=True,
    allow_nan=False,
    escape_surrogates=True,
)
"""Does what `setup(app)` does with the results of endpoints that declare no type."""


def steps_of(rival: WebRival, kind: Kind, document: Document) -> Sequence[Step]:
    """The steps of a request that are separate functions; the rest of the time belongs to the framework."""
    render = partial(rival.response_class.render, rival.response_class(None))
    if kind.endpoint == "empty":
        return ()
    if kind.endpoint == "give" and kind.item is None:
        if rival is SET_UP:
            return (Step(name="encode", run=_OF_DICTS.encode),)
        return (
            Step(name="convert", run=jsonable_encoder),
            Step(name="encode", run=render, prepare=jsonable_encoder),
        )
    if kind.endpoint == "respond":
        return (Step(name="encode", run=render),)
    adapter: TypeAdapter[Any] = TypeAdapter(model_of(kind, document))
    if kind.endpoint == "take":
        decode = Step(name="decode", run=json.loads if rival is STOCK else Decoder().decode)
        validate = Step(name="validate", run=adapter.validate_python, prepare=json.loads)
        return (decode,) if kind.item is None else (decode, validate)
    make_models = partial(adapter.validate_python, from_attributes=True)
    return (Step(name="validate", run=make_models), *_encoding_of_models(rival, adapter, make_models, render))


def _encoding_of_models(
    rival: WebRival, adapter: TypeAdapter[Any], make_models: Callable[[Any], Any], render: Callable[[Any], bytes]
) -> Sequence[Step]:
    if rival is STOCK:
        return (Step(name="encode", run=partial(adapter.dump_json, by_alias=True), prepare=make_models),)
    if rival is SET_UP:
        return (Step(name="encode", run=TypedEncoder(adapter, by_alias=True).encode, prepare=make_models),)
    convert = partial(adapter.dump_python, mode="json", by_alias=True)
    return (
        Step(name="convert", run=convert, prepare=make_models),
        Step(name="encode", run=render, prepare=lambda value: convert(make_models(value))),
    )
