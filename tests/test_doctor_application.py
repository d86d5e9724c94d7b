"""`python -m ssrjson_web doctor MODULE:OBJECT`: how the application is found, what is printed, and the exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from ssrjson_web._cli.doctor.application_report import application_as_json, application_as_text, is_unserved
from ssrjson_web._shared.route_report import ApplicationReport, PartReport, RouteReport

FILES = {
    "shop/__init__.py": "",
    "shop/main.py": """
        from fastapi import FastAPI
        from fastapi.responses import HTMLResponse
        from ssrjson_web.asgi import MemoryMiddleware
        from ssrjson_web.fastapi import setup

        print("printed by the module")
        app = FastAPI(docs_url=None, redoc_url=None)

        @app.get("/books")
        async def books() -> list[str]:
            return []

        @app.get("/page")
        async def page() -> HTMLResponse:
            return HTMLResponse()

        setup(app)
        _wrapped = MemoryMiddleware(MemoryMiddleware(app))

        def create_app():
            return app

        class Settings:
            pass
        """,
    "shop/bare.py": """
        from fastapi import FastAPI
        from pydantic import BaseModel, Field, field_validator
        app = FastAPI(openapi_url=None)

        class Code(BaseModel):
            code: str = Field(pattern="^a+$")

        class Checked(BaseModel):
            name: str

            @field_validator("name")
            def check(cls, name):
                print("checked was called")
                return name

        @app.get("/books")
        async def books() -> list[str]:
            return []

        app.get("/code", response_model=Code)(books)
        app.get("/checked", response_model=Checked)(books)
        app.get("/untyped", response_model=None)(books)
        """,
    "shop/two.py": "from shop.main import app as one\nfrom shop.bare import app as two\n",
    "shop/broken.py": "1 / 0\n",
    "shop/settings.py": """
        INSTALLED_APPS = ["ssrjson_web.django"]
        ROOT_URLCONF = "shop.urls"
        SECRET_KEY = "of the tests"
        """,
    "shop/urls.py": "urlpatterns = []\n",
    "shop/wrong_urls.py": "ROOT_URLCONF = 'shop.broken'\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the package `shop`."""
    top = tmp_path_factory.mktemp("doctor")
    for name, text in FILES.items():
        file = top / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return top


def doctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ssrjson_web", "doctor", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=120, check=False)


@pytest.mark.parametrize(
    "target", ["shop.main:app", "shop.main", "shop.main:_wrapped", "--call shop.main:create_app"], ids=lambda word: word
)
def test_application_is_found_and_its_routes_are_listed(target: str, folder: Path) -> None:
    done = doctor(folder, *target.split())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{target.split()[-1]}, FastAPI: the core serves 2 of 3 routes\n")
    blocks = done.stdout.split("\n\n")
    reason = "its response model is encoded by the core, and validated by it or by pydantic"
    assert blocks[1] == f"Served: {reason}\n  GET  /books  shop.main.books"
    assert "Not served, but requests are decoded: its endpoint returns starlette.responses.HTMLResponse" in done.stdout
    assert "  served      responses to HTTPException: answered by the core" in done.stdout
    assert done.stderr == "printed by the module\n"


def test_application_that_was_not_set_up_is_told_what_setup_would_do(folder: Path) -> None:
    done = doctor(folder, "shop.bare:app")
    assert done.returncode == 0, done.stderr
    head, *blocks = done.stdout.split("\n\n")
    assert head == (
        "shop.bare:app, FastAPI: with setup(app), which it does not call, the core would serve 4 of 4 routes"
    )
    assert "  GET  /books    shop.bare.books\n" in done.stdout
    (timings,) = [block for block in blocks if block.startswith("Response models with made-up values")]
    assert re.search(r"^  GET /books +\d+ +[\d.]+ us +[\d.]+ us +\d+\.\d$", timings, re.MULTILINE)
    assert "  GET /code: not timed: no value could be made up: _NoValueError" in timings
    assert "  GET /checked: not timed: `shop.bare.Checked.check` would run twice" in timings
    assert "checked was called" not in done.stdout + done.stderr
    assert done.stdout.endswith("Add setup(app); or setup(app, compare=0.01) to try it on your own traffic first.\n")
    report = json.loads(doctor(folder, "--json", "shop.bare:app").stdout)
    assert (report["assumes"], [one["route"] for one in report["timings"]]) == (
        "setup(app)",
        ["GET /books", "GET /code", "GET /checked"],
    )


def test_with_everything_switched_off_setup_would_do_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSRJSON_DISABLED", "1")
    done = doctor(folder, "shop.bare:app")
    assert done.returncode == 1
    assert "Not served: setup(app) was not called\n  GET  /books    shop.bare.books\n" in done.stdout
    assert done.stdout.endswith("\nThe core does nothing for this application.\n")


def test_settings_of_django_are_examined(folder: Path) -> None:
    pytest.importorskip("django", reason="Django is not installed")
    done = doctor(folder, "shop.settings")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("shop.settings, Django: the core serves 0 of 0 routes\n")
    assert "  served      INSTALLED_APPS: " in done.stdout
    assert "  not served  MIDDLEWARE: " in done.stdout
    failed = doctor(folder, "shop.wrong_urls")
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stderr
    assert failed.stderr.endswith("ssrjson_web doctor: setting Django up with shop.wrong_urls failed\n")


def test_json_holds_the_whole_report(folder: Path) -> None:
    done = doctor(folder, "--json", "shop.main:app")
    report = json.loads(done.stdout)
    assert (done.returncode, report["target"], report["framework"]) == (0, "shop.main:app", "FastAPI")
    assert report["is_served"] is True
    books = next(route for route in report["routes"] if route["path"] == "/books")
    assert (books["methods"], books["endpoint"], books["encodes"]) == (["GET"], "shop.main.books", True)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("shop.main:", 2, "'shop.main:': write MODULE:OBJECT"),
        ("shop.main:app extra", 2, "unrecognized arguments: extra"),
        ("--call", 2, "--call needs a MODULE:OBJECT"),
        ("shop.main:create_app", 2, "shop.main:create_app is a function: with --call"),
        ("shop.main:Settings", 2, "shop.main:Settings is a class, not an application"),
        ("--call shop.main:Settings", 2, "is of type Settings, which is not an application of FastAPI, Starlette"),
        ("shop.two", 2, "shop.two holds several applications: name one of them, shop.two:one or shop.two:two"),
        ("shop.urls", 2, "shop.urls holds neither an application of"),
        ("shop.main:ap", 1, "shop.main has no attribute 'ap'; did you mean app?"),
        ("shop.nothing:app", 1, "there is no module 'shop.nothing'"),
        ("shop.broken:app", 1, "importing shop.broken failed"),
    ],
)
def test_wrong_target_is_a_line_and_a_status(words: str, status: int, message: str, folder: Path) -> None:
    done = doctor(folder, *words.split())
    assert done.returncode == status
    assert message in done.stderr.splitlines()[-1]
    assert ("Traceback" in done.stderr) is ("broken" in words)
    assert done.stdout == ""


def route(path: str, encodes: bool | None, decodes: bool | None, reason: str = "for a reason") -> RouteReport:
    return RouteReport(
        path=path, methods=("GET", "HEAD"), endpoint="shop.view", encodes=encodes, decodes=decodes, reason=reason
    )


def test_text_groups_routes_by_their_reason_the_served_ones_first() -> None:
    routes = (
        route("/a", False, False),
        route("/b", True, False),
        route("/c", None, False),
        route("/d", True, True),
        route("/e", True, True),
        route("/f", False, True, "word " * 40),
    )
    part = PartReport(name="SETTING", is_served=False, reason="word " * 40)
    text = application_as_text("shop", ApplicationReport(framework="Flask", parts=(part,), routes=routes))
    titles = [line.partition(":")[0] for line in text.splitlines() if line and line[0] not in " w"]
    assert titles == [
        "shop, Flask",
        "Served",
        "Served, responses only",
        "Depends on the endpoint",
        "Not served, but requests are decoded",
        "Not served",
        "Besides the routes",
    ]
    assert "serves 3 of 6 routes; for 1 it depends" in text
    assert "\n  GET  /d  shop.view\n  GET  /e  shop.view\n" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("encodes", "is_part_served", "is_nothing"),
    [(True, False, False), (None, False, True), (False, True, True), (False, False, True), ("no route", True, False)],
)
def test_application_is_unserved_where_no_route_is_known_to_be_served(
    encodes: Any, is_part_served: bool, is_nothing: bool
) -> None:
    part = PartReport(name="SETTING", is_served=is_part_served, reason="")
    routes = () if encodes == "no route" else (route("/a", encodes, False),)
    report = ApplicationReport(framework="Flask", parts=(part,), routes=routes)
    assert is_unserved(report) is is_nothing
    conclusions = ("does nothing for", "serves no route of it", "No route is known to be served")
    assert any(words in application_as_text("shop", report) for words in conclusions) is is_nothing
    assert json.loads(application_as_json("shop", report))["is_served"] is report.is_served
