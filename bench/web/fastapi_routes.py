"""The endpoints, as users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Body, FastAPI, Response

from bench.web.documents import Document
from bench.web.fastapi_rivals import Kind, WebRival


def model_of(kind: Kind, document: Document) -> Any:
    """The annotation of a route's values; Any where it declares none."""
    return Any if kind.item is None else document.model_of(kind.item(document.item))


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

    model = model_of(kind, document)
    take.__annotations__["body"] = Annotated[model, Body()]
    in_thread: dict[str, Callable[..., Any]] = {"empty": empty_from_thread, "give": give_from_thread}
    in_loop: dict[str, Callable[..., Any]] = {"empty": empty, "give": give, "respond": respond_directly, "take": take}
    endpoint = (in_thread if kind.in_thread else in_loop)[kind.endpoint]
    endpoint.__annotations__.pop("return")  # otherwise FastAPI takes the annotation for a response model
    response_model = model if kind.endpoint == "give" and kind.item is not None else None
    app.api_route(path, methods=["GET", "POST"], response_model=response_model)(endpoint)
