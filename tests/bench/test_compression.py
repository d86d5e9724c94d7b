"""The benchmark of compression: what it compares unpacks to the body, and a compressor that is missing is named."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")
pytest.importorskip("flask", reason="Flask is not installed")
pytest.importorskip("django", reason="Django is not installed")

import helpers.django_project  # noqa: F401 (its settings, before the benchmark makes its own)

from bench.__main__ import main
from bench.compression import bodies, codecs, compression_command, middlewares


@pytest.mark.parametrize("language", bodies.SCRIPTS)
@pytest.mark.parametrize("n_bytes", bodies.SIZES)
def test_body_has_about_the_size_that_was_asked_for(language: str, n_bytes: int) -> None:
    body = bodies.body_of(language, n_bytes)
    assert 0.9 * n_bytes < len(body) < 1.1 * n_bytes + 400
    assert json.loads(body) == bodies.rows_of(language, n_bytes)


def test_each_compressor_gives_back_the_body() -> None:
    known = codecs.codecs(pytest.fail)
    body = bodies.body_of("Chinese", 10_000)
    assert {codec.coding for codec in known} == {"gzip", "zstd", "br"}
    for codec in known:
        assert codec.decompress(codec.compress(body)) == body
        assert len(codec.compress(body)) < len(body) / 2


def test_each_middleware_answers_in_its_coding() -> None:
    found = middlewares.served(bodies.rows_of("English", 10_000), pytest.fail)
    assert {one.framework for one in found} == {"FastAPI", "Flask", "Django"}
    assert [one.ask().coding for one in found] == [one.coding for one in found]


def test_command_prints_tables_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "figures.json"
    arguments = ["compression", "--quick", "--rivals", "zlib,brotli,middlewares", "--json", str(written)]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    for language in bodies.SCRIPTS:
        assert f"{language}: µs to compress a body" in output
        assert f"{language}: µs of a request without a server" in output
    document = json.loads(written.read_text(encoding="utf-8"))
    assert all(row["us"] > 0 and 0 < row["share"] <= 100.1 for row in document["compressors"] + document["requests"])
    assert {row["contender"].split()[0] for row in document["compressors"]} == {"zlib", "brotli"}


def test_compressor_that_gives_back_another_body_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(missing: object) -> list[codecs.Codec]:
        return [dataclasses.replace(codecs.codecs(pytest.fail)[0], compress=lambda body: b"")]

    monkeypatch.setattr(compression_command, "codecs", wrong)
    assert main(["compression", "--quick", "--rivals", "zlib"]) == 1
    assert "zlib 9 gives a wrong result: what the client unpacks is not the body" in capsys.readouterr().err


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal.igzip", None)
    monkeypatch.setitem(sys.modules, "flask_compress", None)
    said: list[str] = []
    assert "isal" not in {codec.name.split()[0] for codec in codecs.codecs(said.append)}
    found = middlewares.served([], said.append)
    assert {one.name for one in found if one.framework == "Flask"} == {"none"}
    assert [line.partition(": ")[0] for line in said] == ["left out"] * len(said)
    assert len(said) == 3


def test_unknown_rival_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compression", "--rivals", "lzma"]) == 2
    assert "unknown rival lzma" in capsys.readouterr().err
