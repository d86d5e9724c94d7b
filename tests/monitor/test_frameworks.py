"""The middlewares around FastAPI, Django and Flask, as docs/middleware.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
from child import run_python

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
