"""The application on Flask."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, request
from flask.json.provider import DefaultJSONProvider

from bench.kit.engines import Peer, peer
from bench.load.plan import Setting
from bench.load.shelf import Product, Shelf, receipt


def create(setting: Setting, shelf: Shelf) -> Any:
    """Views that return data; a peer is a JSON provider, ours is `SSRJSON(app)`."""
    app = Flask(__name__)
    library = peer(setting.engine)
    if library is not None:
        app.json = _provider_class(library)(app)
    if setting.engine == "ssrjson_web":
        from ssrjson_web.flask import SSRJSON

        SSRJSON(app)

    @app.get("/about")
    def about() -> dict[str, Any]:
        return shelf.about()

    @app.get("/resident/<script>")
    def resident(script: str) -> dict[str, Any]:
        first, count = _span()
        return {"first": first, "records": shelf.resident(script, first, count)}

    @app.get("/models/<script>")
    def models(script: str) -> list[Product]:
        return [Product.of(record) for record in shelf.resident(script, *_span())]

    @app.get("/transient/<script>")
    def transient(script: str) -> dict[str, Any]:
        first, count = _span()
        return {"first": first, "records": shelf.fresh(script, first, count)}

    @app.post("/orders")
    def orders() -> dict[str, int]:
        return receipt(request.get_json())

    return app.wsgi_app


def _span() -> tuple[int, int]:
    return int(request.args["first"]), int(request.args["count"])


def _provider_class(library: Peer) -> type[DefaultJSONProvider]:
    class PeerProvider(DefaultJSONProvider):
        def dumps(self, obj: Any, **kwargs: Any) -> str:
            return library.dumps(obj).decode()

        def loads(self, s: str | bytes, **kwargs: Any) -> Any:
            return library.loads(s.encode() if isinstance(s, str) else s)

        def response(self, *args: Any, **kwargs: Any) -> Response:
            return Response(library.dumps(self._prepare_response_obj(args, kwargs)), mimetype=self.mimetype)

    return PeerProvider
