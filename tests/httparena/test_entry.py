"""The entries for HttpArena: each starts, and answers as the rules say."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("flask", reason="flask is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("uvloop", reason="uvloop is not installed")
pytest.importorskip("httptools", reason="httptools is not installed")
pytest.importorskip("gunicorn", reason="gunicorn is not installed")
pytest.importorskip("asyncpg", reason="asyncpg is not installed")
pytest.importorskip("psycopg", reason="psycopg is not installed")
pytest.importorskip("psycopg_pool", reason="psycopg_pool is not installed")
pytest.importorskip("starlette_compress", reason="starlette_compress is not installed")
pytest.importorskip("flask_compress", reason="flask_compress is not installed")

from bench.httparena import database, wrk
from bench.httparena.checks import WrongAnswerError, ask, check, differences
from bench.httparena.contenders import CONTENDERS, ENTRIES, OURS, Contender, serving
from bench.httparena.profiles import PROFILES, Ask, Profile, dataset, write_dataset
from bench.kit.http_client import ask as ask_once

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the entries run on Linux")
ENTRY_OF = {one.framework: one for one in CONTENDERS if one.name == OURS}
BY_NAME = {profile.name: profile for profile in PROFILES}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {"DATASET_PATH": str(write_dataset(tmp_path_factory.mktemp("arena")))}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    absent = database.missing()
    if absent is not None:
        pytest.skip(absent)
    with database.postgres() as url:
        yield url


def serve(contender: Contender, environment: dict[str, str]) -> Iterator[int]:
    with serving(contender, workers=1, environment=environment) as server:
        assert ask_once(server.port, "/pipeline") == (200, b"ok")
        yield server.port


@pytest.fixture(scope="module", params=ENTRY_OF)
def port(request: pytest.FixtureRequest, environment: dict[str, str]) -> Iterator[int]:
    """The port of an entry, which has no database."""
    yield from serve(ENTRY_OF[request.param], environment)


@pytest.mark.parametrize("name", [profile.name for profile in PROFILES if not profile.needs_database])
def test_entry_answers_as_the_rules_say(port: int, name: str) -> None:
    assert len(check(port, BY_NAME[name]).bodies) == len(BY_NAME[name].asks())


def test_entry_multiplies_by_what_the_client_says(port: int) -> None:
    for count, m in ((12, 11), (22, 1), (31, 3), (50, 999)):
        _, body = ask(port, Ask(path=f"/json/{count}?m={m}", media_type="", is_right=bool))
        answer = json.loads(body)
        assert answer["count"] == len(answer["items"]) == count
        items = [{**item, "total": item["price"] * item["quantity"] * m} for item in dataset()[:count]]
        assert answer["items"] == items


def test_entry_adds_what_the_client_sends(port: int) -> None:
    for body in (b"1", b"977"):
        sent = Ask(method="POST", path="/baseline11?a=700&b=1", body=body, media_type="", is_right=bool)
        assert ask(port, sent)[1] == str(701 + int(body)).encode()
    assert ask(port, Ask(path="/baseline11?a=700&b=1", media_type="", is_right=bool))[1] == b"701"


def test_entry_is_not_compressed_where_the_client_says_nothing(port: int) -> None:
    answer, _ = ask(port, Ask(path="/json/50?m=1", media_type="", is_right=bool))
    assert answer.headers["Content-Encoding"] is None
    assert answer.headers["Content-Type"] == "application/json"


def test_entry_without_a_database_answers_that_there_are_no_items(port: int) -> None:
    answer, body = ask(port, Ask(path="/async-db?min=10&max=50&limit=5", media_type="", is_right=bool))
    assert (answer.status, json.loads(body)) == (200, {"items": [], "count": 0})


@pytest.mark.parametrize("framework", ENTRY_OF)
def test_entry_reads_a_database(framework: str, environment: dict[str, str], url: str) -> None:
    settings = {**environment, "DATABASE_URL": url, "DATABASE_MAX_CONN": "16"}
    for port in serve(ENTRY_OF[framework], settings):
        assert len(check(port, BY_NAME["async-db"]).bodies) == 5
        for query, count in (("min=9999&max=9999&limit=50", 0), ("min=100&max=400&limit=33", 33), ("limit=500", 50)):
            _, body = ask(port, Ask(path=f"/async-db?{query}", media_type="", is_right=bool))
            assert json.loads(body)["count"] == count


@pytest.mark.parametrize("framework", ENTRY_OF)
def test_rivals_answer_with_the_values_of_the_entry(framework: str, environment: dict[str, str]) -> None:
    names = ("json", "json-comp", "baseline")
    (ours,) = ({name: check(port, BY_NAME[name]) for name in names} for port in serve(ENTRY_OF[framework], environment))
    for rival in CONTENDERS:
        if rival.framework == framework and rival.name != OURS:
            for port in serve(rival, environment):
                found = {differences(check(port, BY_NAME[name]), ours[name]) for name in names}
                # Flask sorts keys; with FastAPI all bytes are the same
                assert found <= {"", "other bytes"} if framework == "flask" else found == {""}


@pytest.mark.parametrize("folder", ENTRIES.values(), ids=ENTRIES)
def test_folder_of_an_entry_has_what_httparena_asks_for(folder: Path) -> None:
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    keys = {"display_name", "language", "type", "engine", "description", "repo", "enabled", "tests", "maintainers"}
    assert keys == meta.keys()
    assert meta["display_name"] == folder.name
    assert meta["type"] == "tuned"  # another JSON library than the framework's is tuning, by the rules
    assert {profile.name for profile in PROFILES} <= set(meta["tests"])
    docker = (folder / "Dockerfile").read_text(encoding="utf-8")
    started = docker.partition("CMD ")[2]
    assert json.loads(started) == ["sh", "start.sh"]
    named = (folder / "start.sh").read_text(encoding="utf-8")
    assert "8080" in named
    assert "8081" in named
    assert f"{folder.name.partition('-')[0]}_app:app" in named
    asked = [line.partition("==") for line in (folder / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    assert all(version for _, _, version in asked)
    assert "ssrjson_web" in {name for name, _, _ in asked}


def test_check_refuses_a_wrong_answer(port: int) -> None:
    def profile(**changed: Any) -> Profile:
        request = Ask(**{"path": "/pipeline", "media_type": "text/plain", "is_right": lambda body: True, **changed})
        return Profile(
            name="x", asks=lambda: [request], n_connections=1, is_compressed=changed.get("path") == "/json/5"
        )

    assert check(port, profile()).bodies == (b"ok",)
    for wrong in (
        {"path": "/nothing"},
        {"media_type": "text/html"},
        {"is_right": lambda body: False},
        {"path": "/json/5", "media_type": "application/json"},
    ):
        with pytest.raises(WrongAnswerError):
            check(port, profile(**wrong))


def test_differences_of_bytes_are_told_from_those_of_values(port: int) -> None:
    answers = check(port, BY_NAME["json"])
    spaced = tuple(json.dumps(json.loads(body)).encode() for body in answers.bodies)
    assert differences(answers, answers) == ""
    assert differences(type(answers)(bodies=spaced, mean_bytes=1.0), answers) == "other bytes"
    with pytest.raises(WrongAnswerError):
        differences(type(answers)(bodies=(b"{}",) * len(spaced), mean_bytes=1.0), answers)


def test_script_of_wrk_has_each_request() -> None:
    script = wrk.script_of(BY_NAME["baseline"])
    assert script.count("requests[#requests + 1]") == 3
    assert "Transfer-Encoding: chunked\\r\\n\\r\\n2\\r\\n20\\r\\n0\\r\\n\\r\\n" in script
    assert f'string.rep("x", {20 << 20})' in wrk.script_of(BY_NAME["upload"])
