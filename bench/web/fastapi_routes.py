"""The endpoints, as users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Body, FastAPI, Response

from bench.web.documents import Document, with_cheap_validator, with_serializer, with_validator
from bench.web.fastapi_rivals import Kind, WebRival

MODELLED = ("instances", "dicts", "objects", "checked", "validated", "serialized")
"""Kinds whose route has a response model."""


def model_of(kind: Kind, document: Document) -> Any:
    """The annotation of a route's values."""
    if kind in ("checked", "post-checked"):
        return document.model_of(with_cheap_validator(document.item))
    if kind == "validated":
        return document.model_of(with_validator(document.item))
    return document.model_of(with_serializer(document.item)) if kind == "serialized" else document.model


def add_route(
    app: FastAPI,
    rival: WebRival,
    kind: Kind,
    document: Document,
    *,
    path: str,
    supply: Callable[[], Any],
    accept: Callable[[Any], None],
) -> None:
    """Adds the route of a kind; `supply` gives the values to return, `accept` gets the values received."""
    respond: Callable[[Any], Any] = rival.response_class

    async def empty() -> Any:
        return Response()

    def empty_from_thread() -> Any:
        return Response()

    async def give() -> Any:
        return supply()

    def give_from_thread() -> Any:
        return supply()

    async def respond_directly() -> Any:
        return respond(supply())

    async def take(body: Any) -> Any:
        accept(body)
        return Response()

    accepted: Any = Any if kind == "post-any" else model_of(kind, document)
    take.__annotations__["body"] = Annotated[accepted, Body()]
    endpoints: dict[Kind, Callable[..., Any]] = {
        "empty": empty,
        "empty-def": empty_from_thread,
        "dict": give,
        "dict-def": give_from_thread,
        "instances": give,
        "dicts": give,
        "objects": give,
        "checked": give,
        "validated": give,
        "serialized": give,
        "direct": respond_directly,
        "post-any": take,
        "post-models": take,
        "post-checked": take,
    }
    endpoint = endpoints[kind]
    endpoint.__annotations__.pop("return")  # otherwise FastAPI takes the annotation for a response model
    response_model = model_of(kind, document) if kind in MODELLED else None
    app.api_route(path, methods=["GET", "POST"], response_model=response_model)(endpoint)
