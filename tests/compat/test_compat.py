"""The command that `make compat` runs: its table, its plug-in and its runs, on a small suite made here.

The frameworks' own suites take minutes and the network: `make compat` runs them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from importlib.metadata import requires
from pathlib import Path

import pytest

from compat.__main__ import RunError, Trial, describe, main, stock_report, verdict_of
from compat.suites import SUITES, Suite, chosen

FAKE_SUITE = {
    "test_starlette.py": """
        import json

        import pytest
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.routing import Route, WebSocketRoute
        from starlette.testclient import TestClient


        async def echo(request):
            return JSONResponse(await request.json())


        async def echo_frame(websocket):
            await websocket.accept()
            await websocket.send_json(await websocket.receive_json())
            await websocket.close()


        client = TestClient(Starlette(routes=[Route("/", echo, methods=["POST"]), WebSocketRoute("/ws", echo_frame)]))


        def test_echo():
            assert client.post("/", content="[1, \\"é\\"]").content == "[1,\\"é\\"]".encode()


        def test_frame():
            with client.websocket_connect("/ws") as session:
                session.send_json({"é": 1})
                assert session.receive_json() == {"é": 1}


        def test_stock_only(monkeypatch):
            monkeypatch.setattr(json, "dumps", lambda value, **options: "patched")
            assert JSONResponse([]).body == b"patched"


        def test_that_always_fails():
            assert not "this"


        @pytest.mark.skip(reason="never")
        def test_that_is_skipped():
            pass


        @pytest.fixture
        def broken():
            raise OSError


        def test_that_has_no_fixture(broken):
            pass
    """,
    "test_fastapi.py": """
        from fastapi import FastAPI
        from fastapi.testclient import TestClient
        from pydantic import BaseModel


        class Item(BaseModel):
            name: str


        app = FastAPI()


        @app.post("/any")
        def any(item: Item):
            return {"item": item}


        @app.post("/model", response_model=Item)
        def model(item: Item):
            return item


        def test_fastapi():
            client = TestClient(app)
            assert client.post("/any", json={"name": "é"}).json() == {"item": {"name": "é"}}
            assert client.post("/model", json={"name": "é"}).json() == {"name": "é"}
            assert client.post("/model", json={}).status_code == 422
    """,
}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A source distribution with two files of tests."""
    tests = tmp_path / "sources" / "tests"
    tests.mkdir(parents=True)
    for name, text in FAKE_SUITE.items():
        (tests / name).write_text(textwrap.dedent(text), "utf-8")
    (tests.parent / "pytest.ini").write_text("[pytest]\n")
    return tests.parent


def trial(sources: Path, suite: Suite, *, seconds: float = 60) -> Trial:
    return Trial(suite=suite, python=Path(sys.executable), sources=sources, folder=sources.parent, seconds=seconds)


STARLETTE_CALLS = {"responses rendered": 2, "requests parsed": 1, "frames sent": 1, "frames received": 1}
FRAMEWORKS = "starlette|fastapi|djangorestframework|django|flask|falcon|marshmallow"
PEERS = ("cpython", "simplejson", "pyjson5", "orjson", "jupyter_client", "langsmith")
ON_REST_FRAMEWORK = ("drf_spectacular", "django_filter", "djangorestframework_simplejwt", "dj_rest_auth")
ON_MARSHMALLOW = ("marshmallow", "webargs", "flask_smorest")
STOCK_ONLY = "tests/test_starlette.py::test_stock_only"
STARLETTE = next(suite for suite in SUITES if suite.name.startswith("starlette"))
FASTAPI = next(suite for suite in SUITES if suite.name.startswith("fastapi"))


def small(suite: Suite, **changed: object) -> Suite:
    return Suite(**{**vars(suite), "arguments": (), "python_path": (), "expected": {}, "least_calls": {}, **changed})


def test_plug_in_counts_our_calls_and_tells_what_changed(sources: Path) -> None:
    suite = small(STARLETTE, least_calls=STARLETTE_CALLS)
    words = ["tests/test_starlette.py"]
    stock, ours, verdict = verdict_of(trial(sources, suite), words, is_fresh=True)
    assert stock.counts == {}
    assert stock.outcomes == {
        "tests/test_starlette.py::test_echo": "passed",
        "tests/test_starlette.py::test_frame": "passed",
        STOCK_ONLY: "passed",
        "tests/test_starlette.py::test_that_always_fails": "failed",
        "tests/test_starlette.py::test_that_is_skipped": "skipped",
        "tests/test_starlette.py::test_that_has_no_fixture": "error",
    }
    assert ours.counts == STARLETTE_CALLS
    assert [each.test for each in verdict.new] == [STOCK_ONLY]
    text = "\n".join(describe(suite, stock, ours, verdict))
    assert "DIFFERENT" in text
    assert f"NEW           {STOCK_ONLY}: passed -> failed" in text
    assert "E   AssertionError: assert b'[]' == b'patched'" in text


def test_listed_difference_is_shown_with_its_reason_and_is_no_failure(sources: Path) -> None:
    suite = small(STARLETTE, expected={STOCK_ONLY: "it patches json"})
    stock, ours, verdict = verdict_of(trial(sources, suite), ["tests/test_starlette.py"], is_fresh=True)
    assert verdict.is_good
    assert f"  expected      {STOCK_ONLY}: it patches json" in describe(suite, stock, ours, verdict)


def test_every_fastapi_application_is_set_up(sources: Path) -> None:
    suite = small(FASTAPI)
    _, ours, verdict = verdict_of(trial(sources, suite), ["tests/test_fastapi.py"], is_fresh=True)
    assert verdict.is_good
    assert ours.counts == {
        "applications set up": 1,
        "requests parsed": 3,
        "results encoded": 1,
        "models encoded": 1,
        "responses rendered": ours.counts["responses rendered"],
        "frames sent": 0,
        "frames received": 0,
    }


def test_outcomes_without_ours_are_kept_until_something_changes(
    sources: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, words = trial(sources, small(STARLETTE)), ["tests/test_starlette.py", "-k", "echo"]
    first = stock_report(one, words, is_fresh=False)
    assert "as kept" not in capsys.readouterr().err
    assert stock_report(one, words, is_fresh=False) == first
    assert "kept from an earlier run" in capsys.readouterr().err
    assert stock_report(one, [*words[:2], "frame"], is_fresh=False) != first
    stock_report(one, [*words[:2], "frame"], is_fresh=True)
    assert "as kept" not in capsys.readouterr().err


def test_run_that_takes_too_long_is_ended(sources: Path) -> None:
    (sources / "tests" / "test_slow.py").write_text("import time\ndef test_it(): time.sleep(600)\n")
    with pytest.raises(RunError, match=r"not done after 3 s$"):
        trial(sources, small(STARLETTE), seconds=3).run("stock", ["tests/test_slow.py"])


def test_run_without_tests_is_an_error(sources: Path) -> None:
    with pytest.raises(RunError, match="pytest ended with 5"):
        trial(sources, small(STARLETTE)).run("stock", ["tests/test_starlette.py", "-k", "nothing"])


def test_plug_in_that_cannot_plug_in_is_an_error(sources: Path) -> None:
    (sources / "starlette.py").write_text("")  # the sources come first on the path
    with pytest.raises(RunError, match="pytest ended with"):
        trial(sources, small(STARLETTE)).run("ours", ["tests/test_starlette.py"])


def test_cpythons_suite_goes_through_the_same_judgement(tmp_path: Path) -> None:
    pytest.importorskip("test.test_json", reason="this Python came without its own tests")
    suite = next(suite for suite in SUITES if suite.framework == "cpython")
    (tmp_path / "sources").mkdir()
    stock, ours, verdict = verdict_of(trial(tmp_path / "sources", suite), [], is_fresh=True)
    assert verdict.is_good, describe(suite, stock, ours, verdict)
    assert stock.counts == {}
    assert len(stock.outcomes) > 50
    unlisted = small(suite, least_calls={"_core_dumps": 10**9})
    _, _, verdict = verdict_of(trial(tmp_path / "sources", unlisted), [], is_fresh=True)
    assert {each.test for each in verdict.new} == suite.expected.keys()
    assert verdict.uncalled.keys() == {"_core_dumps"}


def test_simplejsons_functions_are_lent_where_the_options_are_shared(sources: Path) -> None:
    (sources / "tests" / "test_simplejson.py").write_text(
        textwrap.dedent("""
            import decimal

            import pytest
            import simplejson as json


            def test_shared():
                assert json.dumps({"b": 1, "a": [None]}, sort_keys=True) == '{"a": [null], "b": 1}'
                assert json.loads("[1]") == [1]
                with pytest.raises(json.JSONDecodeError):
                    json.loads("[1")


            def test_own_options_are_simplejsons():
                assert json.dumps(2**60, bigint_as_string=True) == '"1152921504606846976"'
                with pytest.raises(json.JSONDecodeError):
                    json.loads("[1", use_decimal=True)


            def test_decimal():
                assert json.dumps(decimal.Decimal("1.1")) == "1.1"
        """)
    )
    suite = small(next(suite for suite in SUITES if suite.framework == "simplejson"))
    words = ["tests/test_simplejson.py"]
    _, ours, verdict = verdict_of(trial(sources, suite), words, is_fresh=True)
    assert [each.test for each in verdict.new] == ["tests/test_simplejson.py::test_decimal"]
    assert ours.counts == {"texts encoded": 2, "documents parsed": 2}


def test_files_are_judged_by_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "sources" / "third-party" / "JSONTestSuite" / "test_parsing"
    folder.mkdir(parents=True)
    for name, document in {"y_a": b"[1]", "n_b": b"[NaN]", "i_c": b'["\\ud800"]', "n_valid": b"[]"}.items():
        (folder / f"{name}.json").write_bytes(document)
    suite = next(suite for suite in SUITES if suite.framework == "pyjson5")
    suite = Suite(**{**vars(suite), "expected": {}, "least_calls": {}})
    stock, ours, verdict = verdict_of(trial(tmp_path / "sources", suite), [], is_fresh=True)
    wrong = {"::test_is_taken_or_refused_as_its_name_says[n_valid.json]"}
    assert (stock.failures, ours.failures, verdict.new) == (wrong, wrong, [])
    assert ours.counts == {"documents parsed": 15}
    assert len(ours.outcomes) == 15


def test_suites_span_what_the_extras_support() -> None:
    assert [(suite.framework, suite.age) for suite in SUITES] == [
        *(("starlette", "newest"), ("starlette", "oldest"), ("fastapi", "newest"), ("fastapi", "oldest")),
        *(("djangorestframework", "newest"), ("djangorestframework", "oldest")),
        *((name, "newest") for name in ON_REST_FRAMEWORK),
        *(("django", "newest"), ("django", "middle"), ("django", "oldest")),
        *(("flask", "newest"), ("flask", "oldest")),
        *(("falcon", "newest"), ("falcon", "oldest")),
        *(("marshmallow", "newest"), ("marshmallow", "middle"), ("marshmallow", "oldest")),
        *(("webargs", "newest"), ("flask_smorest", "newest")),
        *(("cpython", "newest"), ("simplejson", "newest"), ("pyjson5", "newest"), ("orjson", "newest")),
        *(("jupyter_client", "newest"), ("langsmith", "newest")),
    ]
    extras = FRAMEWORKS.replace("djangorestframework", "rest.framework")
    required = "\n".join(requires("ssrjson_web") or [])
    floors = dict(re.findall(rf"({FRAMEWORKS})>=([\d.]+)[^\n]*extra == .(?:{extras})", required))
    for suite in SUITES:
        if suite.age == "oldest":
            assert suite.version.startswith(floors[suite.framework]), suite.name


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_requirements_pin_everything_and_the_framework_itself(suite: Suite) -> None:
    lines = [line for line in suite.requirements.read_text("utf-8").splitlines() if not line.startswith("#")]
    pinned = f"{suite.framework}=={suite.version}"
    assert {pinned, pinned.replace("_", "-")} & {*lines} or suite.framework in ("cpython", "pyjson5")
    assert all(re.fullmatch(r"[\w.-]+==[\w.+-]+", line) for line in lines)
    assert all(reason and re.search("::|[.]", test) for test, reason in suite.expected.items())
    others = (*PEERS, *ON_REST_FRAMEWORK, *ON_MARSHMALLOW)
    assert "responses rendered" in suite.least_calls or suite.framework in others
    assert suite.framework in ("django", *others) or "requests parsed" in suite.least_calls
    assert suite.least_calls


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], [suite.name for suite in SUITES]),
        (["starlette"], ["starlette-1.10.0", "starlette-0.40.0"]),
        (
            ["oldest"],
            [
                *("starlette-0.40.0", "fastapi-0.115.2", "djangorestframework-3.15.0", "django-4.2.30"),
                *("flask-3.0.0", "falcon-4.0.0", "marshmallow-3.20.0"),
            ],
        ),
        (["fastapi-0.1[56]*", "0.40.0"], ["starlette-0.40.0", "fastapi-0.165.0"]),
    ],
)
def test_words_choose_suites(words: list[str], names: list[str]) -> None:
    assert [suite.name for suite in chosen(words)] == names


def test_word_that_names_no_suite_gets_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pyramid"]) == 2
    assert capsys.readouterr().err.startswith("error: no suite is called 'pyramid'")


def test_help_and_list_need_nothing() -> None:
    for option, expected in (("--help", "The frameworks' own tests"), ("--list", "starlette-0.40.0")):
        done = subprocess.run(
            [sys.executable, "-m", "compat", option],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0
        assert expected in done.stdout
