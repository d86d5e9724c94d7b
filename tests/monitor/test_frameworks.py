"""The middlewares around FastAPI, Django and Flask, as docs/middleware.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python

TOKEN = "0123456789abcdef"


def ran(snippet: str, folder: Path) -> list[str]:
    """Lines that it prints, in an interpreter of its own: observation and settings are a process's."""
    result = run_python(snippet, folder)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def test_fastapi_response_model_is_seen_as_pydantics(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    lines = ran(
        f"""
        from fastapi import FastAPI
        from fastapi.testclient import TestClient
        from pydantic import BaseModel
        from ssrjson_web.asgi import MemoryMiddleware

        class Book(BaseModel):
            title: str

        app = FastAPI()
        app.add_middleware(
            MemoryMiddleware, enabled=True, token="{TOKEN}", share=False, server_timing=True,
            observe=["json", "pydantic"],
        )

        @app.post("/books")
        async def add(book: Book) -> Book:
            return book

        with TestClient(app) as client:
            answer = client.post("/books", json={{"title": "红楼梦"}})
            print(answer.json()["title"], "server-timing" in answer.headers)
            stats = client.get("/ssrjson/stats", headers={{"authorization": "Bearer {TOKEN}"}}).json()
        calls = stats["libraries"]
        print(calls["json"]["decodes"], calls["json"]["encodes"] + calls.get("pydantic", {{}}).get("encodes", 0))
        print(stats["requests"]["count"], 0 < stats["requests"]["json_share"] < 1)
        """,
        tmp_path,
    )
    assert lines == ["红楼梦 True", "1 1", "1 True"]


def test_fastapi_with_our_setup_is_seen_as_ours(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    lines = ran(
        f"""
        from fastapi import FastAPI
        from fastapi.testclient import TestClient
        from ssrjson_web.asgi import MemoryMiddleware
        from ssrjson_web.fastapi import setup

        app = FastAPI()
        setup(app)
        app.add_middleware(MemoryMiddleware, enabled=True, token="{TOKEN}", share=False, observe=["json", "pydantic"])

        @app.post("/books")
        def add(book: dict) -> dict:
            return book

        with TestClient(app) as client:
            print(client.post("/books", json={{"title": "x"}}).json())
            calls = client.get("/ssrjson/stats", headers={{"authorization": "Bearer {TOKEN}"}}).json()["libraries"]
        print(sorted(calls), calls["ssrjson_web"]["encodes"], calls["ssrjson_web"]["decodes"])
        """,
        tmp_path,
    )
    assert lines == ["{'title': 'x'}", "['ssrjson_web'] 1 1"]


def test_django_is_measured_over_both_protocols(tmp_path: Path) -> None:
    pytest.importorskip("django")
    lines = ran(
        f"""
        import asyncio, io, json
        import django.conf
        from django.http import JsonResponse
        from django.urls import path

        def books(request):
            return JsonResponse({{"title": "红楼梦", "body": json.loads(request.body or b"null")}})

        urlpatterns = [path("books", books)]
        django.conf.settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x")
        django.setup()
        from django.core.asgi import get_asgi_application
        from django.core.wsgi import get_wsgi_application
        from ssrjson_web import asgi, wsgi

        options = dict(enabled=True, token="{TOKEN}", share=False, observe=["json"])
        over_wsgi = wsgi.MemoryMiddleware(get_wsgi_application(), **options)
        environ = {{"REQUEST_METHOD": "POST", "PATH_INFO": "/books", "SERVER_NAME": "x", "SERVER_PORT": "80",
                    "wsgi.input": io.BytesIO(b"[1]"), "CONTENT_LENGTH": "3", "wsgi.url_scheme": "http"}}
        result = over_wsgi(environ, lambda *_: None)
        print(json.loads(b"".join(result)))
        result.close()

        over_asgi = asgi.MemoryMiddleware(get_asgi_application(), **options)
        async def request():
            sent = []
            async def receive():
                if sent:
                    await asyncio.sleep(1000)
                sent.append(None)
                return {{"type": "http.request", "body": b"[2]"}}
            async def send(message):
                sent.append(message)
            scope = {{"type": "http", "method": "POST", "path": "/books", "headers": [], "query_string": b""}}
            await over_asgi(scope, receive, send)
            return b"".join(message.get("body", b"") for message in sent[2:])
        print(json.loads(asyncio.run(request())))
        for middleware in (over_wsgi, over_asgi):
            stats = middleware.monitor.stats()
            calls, requests = stats["libraries"]["json"], stats["requests"]
            print(calls["encodes"], calls["decodes"], requests["body_bytes_in"], requests["count"], requests["failed"])
        """,
        tmp_path,
    )
    assert lines == [
        "{'title': '红楼梦', 'body': [1]}",
        "{'title': '红楼梦', 'body': [2]}",
        "1 1 3 1 0",
        "1 1 3 1 0",
    ]


def test_flask_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("flask")
    lines = ran(
        f"""
        from flask import Flask, request
        from ssrjson_web.wsgi import MemoryMiddleware

        app = Flask("books")
        app.wsgi_app = MemoryMiddleware(app.wsgi_app, enabled=True, token="{TOKEN}", share=False, observe=["json"])

        @app.post("/books")
        def add():
            return {{"title": request.get_json()["title"]}}

        client = app.test_client()
        print(client.post("/books", json={{"title": "x"}}).json)
        stats = client.get("/ssrjson/stats", headers={{"authorization": "Bearer {TOKEN}"}}).json
        print(stats["libraries"]["json"]["encodes"], stats["libraries"]["json"]["decodes"], stats["requests"]["count"])
        """,
        tmp_path,
    )
    assert lines == ["{'title': 'x'}", "1 1 1"]


REPLIES = """
import asyncio, io

def over_wsgi(middleware, path):
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SERVER_NAME": "x", "SERVER_PORT": "80", "SCRIPT_NAME": "",
               "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(), "wsgi.url_scheme": "http"}
    result = middleware(environ, lambda *_: None)
    list(result)
    if hasattr(result, "close"):
        result.close()

def scope_of(path):
    return {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "", "headers": [],
            "query_string": b"", "scheme": "http", "http_version": "1.1", "server": ("x", 80), "client": ("y", 1),
            "asgi": {"version": "3.0", "spec_version": "2.3"}}

async def over_asgi(middleware, path):
    finished = asyncio.Event()
    received = []
    async def receive():
        if received:
            await finished.wait()
            return {"type": "http.disconnect"}
        received.append(None)
        return {"type": "http.request", "body": b""}
    async def send(message):
        if message["type"] == "http.response.body" and not message.get("more_body"):
            finished.set()
    try:
        await middleware(scope_of(path), receive, send)
    except RuntimeError:
        pass

def tell(middleware):
    stats = middleware.monitor.stats()
    print({how: number for how, number in stats["responses"].items() if number}, stats["requests"]["failed"])
"""


@pytest.mark.parametrize("framework", ["flask", "quart", "starlette", "fastapi"])
def test_framework_that_answers_500_itself_has_failed_once(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    made = {
        "flask": "import flask; from ssrjson_web.wsgi import MemoryMiddleware; app = flask.Flask('x')",
        "quart": "import quart; from ssrjson_web.asgi import MemoryMiddleware; app = quart.Quart('x')",
        "starlette": "from starlette.applications import Starlette; from ssrjson_web.asgi import MemoryMiddleware\n"
        "from starlette.routing import Route; from starlette.responses import PlainTextResponse",
        "fastapi": "import fastapi; from ssrjson_web.asgi import MemoryMiddleware; app = fastapi.FastAPI()",
    }[framework]
    views = {
        "flask": "@app.route('/ok')\ndef ok(): return {}\n@app.route('/broken')\ndef broken(): raise RuntimeError",
        "quart": "@app.route('/ok')\nasync def ok(): return {}\n"
        "@app.route('/broken')\nasync def broken(): raise RuntimeError",
        "starlette": "def ok(request): return PlainTextResponse('x')\ndef broken(request): raise RuntimeError\n"
        "app = Starlette(routes=[Route('/ok', ok), Route('/broken', broken)])",
        "fastapi": "@app.get('/ok')\ndef ok(): return {}\n@app.get('/broken')\ndef broken(): raise RuntimeError",
    }[framework]
    ask = "over_wsgi(middleware, path)" if framework == "flask" else "asyncio.run(over_asgi(middleware, path))"
    lines = ran(
        f"""{made}
{views}
{REPLIES}
import logging
logging.disable()
middleware = MemoryMiddleware(app, enabled=True, token="{TOKEN}", share=False)
for path in ("/ok", "/broken", "/nowhere"):
    {ask}
tell(middleware)
""",
        tmp_path,
    )
    assert lines == ["{'2xx': 1, '4xx': 1, '5xx': 1} 1"]


def test_middleware_within_starlettes_own_sees_what_was_raised(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    lines = ran(
        f"""
        from fastapi import BackgroundTasks, FastAPI, HTTPException
        from fastapi.testclient import TestClient
        from ssrjson_web.asgi import MemoryMiddleware

        app = FastAPI()
        app.add_middleware(MemoryMiddleware, enabled=True, token="{TOKEN}", share=False)

        @app.get("/{{status}}")
        def answer(status: int, tasks: BackgroundTasks):
            if status == 0:
                raise RuntimeError
            def task():
                raise RuntimeError("after the response")
            if status == 200:
                tasks.add_task(task)
            else:
                raise HTTPException(status)

        with TestClient(app, raise_server_exceptions=False) as client:
            for status in (0, 0, 200, 404, 422, 503):
                client.get(f"/{{status}}")
            stats = client.get("/ssrjson/stats", headers={{"authorization": "Bearer {TOKEN}"}}).json()
        print({{how: number for how, number in stats["responses"].items() if number}}, stats["requests"]["failed"])
        """,
        tmp_path,
    )
    assert lines == ["{'2xx': 1, '4xx': 2, '5xx': 1, 'raised': 2} 3"]


def test_django_that_answers_500_itself_has_failed_once_over_both_protocols(tmp_path: Path) -> None:
    pytest.importorskip("django")
    lines = ran(
        f"""{REPLIES}
import django.conf
from django.http import JsonResponse
from django.urls import path as route
import logging
logging.disable()

def broken(request):
    raise RuntimeError

urlpatterns = [route("ok", lambda request: JsonResponse({{}})), route("broken", broken)]
django.conf.settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x")
django.setup()
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from ssrjson_web import asgi, wsgi

made = ((wsgi, get_wsgi_application()), (asgi, get_asgi_application()))
both = [module.MemoryMiddleware(app, enabled=True, token="{TOKEN}", share=False) for module, app in made]
for path in ("/ok", "/broken", "/nowhere"):
    over_wsgi(both[0], path)
    asyncio.run(over_asgi(both[1], path))
for middleware in both:
    tell(middleware)
""",
        tmp_path,
    )
    assert lines == 2 * ["{'2xx': 1, '4xx': 1, '5xx': 1} 1"]


@pytest.mark.parametrize("framework", ["starlette", "quart", "django"])
def test_stream_of_a_framework_whose_client_leaves_counts_as_aborted(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    app = {
        "starlette": "from starlette.applications import Starlette; from starlette.routing import Route\n"
        "from starlette.responses import StreamingResponse\n"
        "app = Starlette(routes=[Route('/stream', lambda request: StreamingResponse(endless()))])",
        "quart": "import quart; app = quart.Quart('x')\n"
        "@app.route('/stream')\nasync def stream(): return endless(), 200",
        "django": "import django.conf\nfrom django.http import StreamingHttpResponse; from django.urls import path\n"
        "urlpatterns = [path('stream', lambda request: StreamingHttpResponse(endless()))]\n"
        "django.conf.settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=['*'], SECRET_KEY='x'); django.setup()\n"
        "from django.core.asgi import get_asgi_application; app = get_asgi_application()",
    }[framework]
    lines = ran(
        f"""{REPLIES}
async def endless():
    while True:
        yield b"x" * 10
        await asyncio.sleep(0)

{app}
from ssrjson_web.asgi import MemoryMiddleware
middleware = MemoryMiddleware(app, enabled=True, token="{TOKEN}", share=False)

async def leave():
    is_leaving, n_received, n_chunks = asyncio.Event(), 0, 0
    async def receive():
        nonlocal n_received
        n_received += 1
        if n_received > 1:
            await is_leaving.wait()
            return {{"type": "http.disconnect"}}
        return {{"type": "http.request", "body": b""}}
    async def send(message):
        nonlocal n_chunks
        n_chunks += message["type"] == "http.response.body"
        if n_chunks >= 3:
            is_leaving.set()
    await asyncio.wait_for(middleware(scope_of('/stream'), receive, send), 60)
asyncio.run(leave())
tell(middleware)
""",
        tmp_path,
    )
    assert lines == ["{'aborted': 1} 0"]
