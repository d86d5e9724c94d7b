"""The demo's catalogue: its size, its scripts, and strings that belong to one record each."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.kit.lexicon import SCRIPTS, script_words
from bench.kit.records import MEGABYTE, PAGE_RECORDS, generate, make_page, make_record, strings
from ssrjson_web import scan_utf8_cache

ROOT = Path(__file__).parents[3]

ALPHABETS = {
    "chinese": range(0x4E00, 0xA000),
    "japanese": range(0x3040, 0x3100),
    "russian": range(0x0400, 0x0460),
    "french": range(0xC0, 0x100),
    "emoji": range(0x1F300, 0x1FB00),
    "ascii": range(0x21, 0x7F),
}


def deep_size(value: object) -> int:
    """Bytes of the objects of a record, minus the shared ones: dict keys and CPython's small integers."""
    if isinstance(value, int) and value <= 256:
        return 0
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sys.getsizeof(value) + sum(map(deep_size, children))


@pytest.mark.parametrize("script", SCRIPTS)
def test_catalogue_size_is_within_five_percent_of_the_asked(script: str) -> None:
    catalogue = generate(megabytes=2, script=script)
    truth = sum(map(deep_size, catalogue.records))
    assert abs(truth - 2 * MEGABYTE) < 0.05 * 2 * MEGABYTE
    assert catalogue.n_bytes == pytest.approx(truth, rel=0.01)
    assert catalogue.text_bytes == sum(sys.getsizeof(text) for record in catalogue.records for text in strings(record))
    assert 0.5 * catalogue.n_bytes < catalogue.text_bytes < catalogue.n_bytes


def test_catalogue_same_seed_gives_same_records_in_another_process() -> None:
    code = (
        "import json, hashlib; from bench.kit.records import generate\n"
        "print(hashlib.sha256(json.dumps(generate(megabytes=0.5, seed=7).records).encode()).hexdigest())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    here = json.dumps(generate(megabytes=0.5, seed=7).records)
    assert hashlib.sha256(here.encode()).hexdigest() == there


def test_catalogue_other_seed_gives_other_records() -> None:
    assert generate(megabytes=0.1, seed=1).records != generate(megabytes=0.1, seed=2).records


def test_catalogue_unknown_script_raises_keyerror() -> None:
    with pytest.raises(KeyError, match="klingon"):
        generate(megabytes=0.1, script="klingon")


@pytest.mark.parametrize("script", SCRIPTS)
def test_record_holds_its_script_in_its_texts(script: str) -> None:
    names = SCRIPTS[script]
    for index in range(5 * len(names)):
        name = names[index % len(names)]
        record = make_record(index, script=script, seed=1)
        for text in (record["description"], *(review["text"] for review in record["reviews"])):
            assert any(ord(char) in ALPHABETS[name] for char in text), (name, text)


def test_mixed_catalogue_has_all_scripts_but_ascii() -> None:
    assert set(SCRIPTS["mixed"]) == set(ALPHABETS) - {"ascii"}
    assert script_words("mixed") == "Chinese, Japanese, Russian, French, emoji"


def test_ascii_catalogue_is_ascii() -> None:
    assert all(text.isascii() for record in generate(megabytes=0.5, script="ascii").records for text in strings(record))


@pytest.mark.parametrize("script", SCRIPTS)
def test_description_has_several_hundred_characters(script: str) -> None:
    lengths = [len(record["description"]) for record in generate(megabytes=1, script=script).records]
    assert min(lengths) > 150
    assert max(lengths) < 1200
    assert 300 < sum(lengths) / len(lengths) < 800


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_string_is_shared_between_or_within_records(script: str) -> None:
    texts = [text for record in generate(megabytes=1, script=script).records for text in strings(record)]
    assert len({id(text) for text in texts}) == len(texts)


def test_fresh_catalogue_holds_no_utf8_copies() -> None:
    catalogue = generate(megabytes=1)
    report = scan_utf8_cache(catalogue.records)
    assert report["cached_strings"] == 0
    assert report["strings"] > 10 * len(catalogue.records)


def test_pages_cover_the_catalogue_and_can_be_made_without_it() -> None:
    catalogue = generate(megabytes=0.3, script="russian", seed=3)
    assert len(catalogue.records) % PAGE_RECORDS, "the last page should be a short one here"
    pages = [catalogue.page(number) for number in range(catalogue.pages)]
    assert [record for page in pages for record in page] == catalogue.records
    assert catalogue.page(catalogue.pages) == []
    for number, page in enumerate(pages):
        assert make_page(number, of=len(catalogue.records), script="russian", seed=3) == page
