"""Results that are read from their file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from bench.demo.results import Failure, Results, results_from_json, write_json


def test_results_come_back_from_their_file_as_they_were(make_results: Callable[..., Results], tmp_path: Path) -> None:
    results = make_results(failures=(Failure(engine="msgspec", part="all", reason="gone", is_missing=True),))
    write_json(results, tmp_path / "results.json")
    assert results_from_json(json.loads((tmp_path / "results.json").read_text("utf-8"))) == results
