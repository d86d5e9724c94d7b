"""What setup and the report say of functions that are not known."""

from __future__ import annotations

from typing import Any

import fastapi.encoders
import fastapi.routing
import pytest
from fastapi import FastAPI

from ssrjson_web.fastapi import route_report, setup
from ssrjson_web.fastapi._report import application_report


def _application() -> FastAPI:
    app = FastAPI()

    @app.get("/one")
    def one() -> Any:
        return {"a": 1}

    setup(app)
    return app


def test_setup_and_report_name_a_function_that_is_not_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING"):
        app = _application()
        assert caplog.messages == []
        assert "is encoded by the core" in route_report(app)[-1].reason
        monkeypatch.setattr(fastapi.encoders, "jsonable_encoder", lambda obj, **options: 5)
        app = _application()
    (message,) = caplog.messages
    assert message.startswith(f"fastapi {fastapi.__version__}: not as in a release that ssrjson_web knows")
    assert "left to stock: fastapi.encoders.jsonable_encoder (replaced by " in message
    reason = route_report(app)[-1].reason
    assert "was replaced, or is of no known release: fastapi.encoders.jsonable_encoder (replaced by " in reason
    assert any(part.name == "unknown functions" for part in application_report(app).parts)
