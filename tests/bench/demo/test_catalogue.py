"""The demo's catalogue: its size, its scripts, and strings that belong to one record each."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.kit.lexicon import SCRIPTS
from bench.kit.records import MEGABYTE, generate, strings
from ssrjson_web import scan_utf8_cache

ROOT = Path(__file__).parents[3]


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


def test_ascii_catalogue_is_ascii() -> None:
    assert all(text.isascii() for record in generate(megabytes=0.5, script="ascii").records for text in strings(record))


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_string_is_shared_between_or_within_records(script: str) -> None:
    texts = [text for record in generate(megabytes=1, script=script).records for text in strings(record)]
    assert len({id(text) for text in texts}) == len(texts)


def test_fresh_catalogue_holds_no_utf8_copies() -> None:
    catalogue = generate(megabytes=1)
    report = scan_utf8_cache(catalogue.records)
    assert report["cached_strings"] == 0
    assert report["strings"] > 10 * len(catalogue.records)
