"""Lines of the pages under mypy --strict: what an adopter copies must not need an ignore."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.markdown_pages import PAGES, ROOT, blocks_of

api = pytest.importorskip("mypy.api", reason="mypy is not installed: pip install 'ssrjson_web[lint]'")
for package in ("fastapi", "django"):
    pytest.importorskip(package, reason=f"{package} is not installed")

MORE = """
from starlette.applications import Starlette
from starlette.middleware import Middleware
from ssrjson_web import dumps, dumps_to_bytes, loads

Starlette(middleware=[Middleware(MemoryMiddleware, enabled=True, token="x" * 16)]).add_middleware(MemoryMiddleware)
MemoryMiddleware(app, share="folder", sample_every=1)
text: str = dumps([1], indent=2)
data: bytes = dumps_to_bytes(loads("[1]"), sort_keys=True)
"""
WRONG = """
app.add_middleware(MemoryMiddleware, enabled="yes")
app.add_middleware(MemoryMiddleware, tokne="x")
"""


def errors_of(text: str, folder: Path) -> list[str]:
    path = folder / "snippet.py"
    path.write_text(text, encoding="utf-8")
    cache = str(ROOT / ".mypy_cache")
    output, problem, _ = api.run(["--strict", "--config-file=", "--cache-dir", cache, "--no-error-summary", str(path)])
    assert problem == ""
    return [line for line in output.splitlines() if ": error: " in line]


TYPED = """
from ssrjson_web import Decoder, loads
from ssrjson_web.clients import decode, json_body
from ssrjson_web.models import TypedDecoder, TypedEncoder

number: int = loads("1", type=int, max_size=5)
numbers: list[list[int]] = Decoder(type=list[int]).decode_lines("[1]")
kept: Decoder[list[int]] = Decoder(type=list[int])
any_of: Decoder = Decoder(jsonc=True)
encoder = TypedEncoder(list[int], exclude_none=True)
decoder = TypedDecoder(list[int])
numbers = [decoder.decode(encoder.encode([1]))]
text: str = TypedDecoder(int | str).decode("1")
number = decode(object(), type=int)
json_body(decode(object(), only="/a"), canonical=True)
"""
MISTYPED = """
text = loads("1", type=int)
text = Decoder(type=list[int]).decode("[1]")
text = TypedDecoder(int).decode("1")
text = decode(object(), type=int)
json_body(1, cannonical=True)
"""


def test_values_of_a_declared_type_have_that_type(tmp_path: Path) -> None:
    assert errors_of(TYPED, tmp_path) == []
    assert len(errors_of(TYPED + MISTYPED, tmp_path)) == 5


def test_lines_that_add_the_middleware_have_types(tmp_path: Path) -> None:
    snippet = blocks_of(PAGES["docs/middleware.md"].read_text(encoding="utf-8"))[0].text
    assert "app.add_middleware(MemoryMiddleware, enabled=True" in snippet
    setup = blocks_of(PAGES["docs/fastapi.md"].read_text(encoding="utf-8"))[0].text
    assert "setup(app)" in setup
    assert errors_of(snippet + MORE, tmp_path) == []
    assert errors_of(setup, tmp_path) == []
    assert len(errors_of(snippet + WRONG, tmp_path)) == 2
