"""The documents: equal on every machine, and in accordance with their names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cases import Case, all_cases, compact_json, generated_cases

ROOT = Path(__file__).parents[2]
CASES = {case.name: case for case in generated_cases()}

DIGEST = """
import hashlib
from bench.cases import generated_cases
print([(case.name, hashlib.sha256(case.make().encode()).hexdigest()) for case in generated_cases()])
"""


def strings_of(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in strings_of(each)]
    return [text for each in value for text in strings_of(each)] if isinstance(value, list) else []


def test_generated_documents_do_not_depend_on_the_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_generated_document_made_twice_is_the_same_compact_json(case: Case) -> None:
    text = case.make()
    assert case.make() == text
    if not case.name.startswith("escapes/u-"):
        assert compact_json(json.loads(text)) == text


@pytest.mark.parametrize(
    ("script", "at_least", "below"),
    [
        ("ascii", 0, 0x80),
        ("french", 0x80, 0x100),
        ("russian", 0x400, 0x10000),
        ("chinese", 0x4E00, 0x10000),
        ("japanese", 0x4E00, 0x10000),
        ("chinese-ascii", 0x4E00, 0x10000),
        ("emoji", 0x10000, 0x110000),
    ],
)
def test_script_decides_the_kind_of_its_strings(script: str, at_least: int, below: int) -> None:
    long_text = json.loads(CASES[f"text/{script}"].make())
    titles = [row["summary"] for row in json.loads(CASES[f"rows/{script}"].make())]
    assert 1_000_000 <= len(long_text.encode()) < 1_000_100
    assert len(titles) == 100
    assert at_least <= ord(max(long_text)) < below
    assert at_least <= max(ord(max(title)) for title in titles) < below


def test_case_matches_name_glob_and_family() -> None:
    case = CASES["rows/chinese"]
    assert case.matches(["rows/chinese"])
    assert case.matches(["nothing", "rows/c*"])
    assert case.matches(["rows"])
    assert not case.matches(["row", "chinese", "text/*"])


def test_corpus_folder_adds_documents_and_replaces_none(tmp_path: Path) -> None:
    import lzma

    (tmp_path / "mine.json").write_text('{"é": 1}', "utf-8")
    (tmp_path / "packed.json.xz").write_bytes(lzma.compress(b"[2]"))
    (tmp_path / "wheel.json").write_text("[3]", "utf-8")
    (tmp_path / "readme.txt").write_text("no", "utf-8")
    cases = {case.name: case for case in all_cases([("wheel", b"[0]")], [tmp_path]) if case.name.startswith("doc/")}
    assert {name: case.make() for name, case in cases.items()} == {
        "doc/wheel": "[0]",
        "doc/mine": '{"é": 1}',
        "doc/packed": "[2]",
    }
