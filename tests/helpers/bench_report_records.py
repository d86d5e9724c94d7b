"""A small run of the report that was never measured: files as the commands write them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.report.run_records import Record, write_records
from bench.speed_results import Measurement, Report, Row, report_to_json
from bench.timing import Sample

MACHINE = {
    "cpu": "A <CPU> & more, 2 cores",
    "level": "avx2",
    "best level": "avx2",
    "python": "CPython 3.11.7 (GCC)",
    "libraries": "ssrjson_web 0.1.0, orjson 3.13.0, json stdlib",
    "commit": "abc1234",
    "date": "2026-01-02 03:04 UTC",
    "load": "0.1 at the start",
    "note": "shared machine: ratios, not absolute times",
}
MB = 1_000_000
SPEED = {
    # case: median µs and best µs of ours, of orjson and of json
    "rows/chinese": ((11.25, 11.0), (33.75, 32.0), (101.5, 100.0)),
    "shape/nested-lists": ((90.5, 90.0), (45.25, 45.0), (300.25, 299.0)),
    "small/web": ((2.5, 2.25), (2.375, 2.3125), (7.125, 7.0)),
}


def sample(median_us: float, best_us: float) -> Sample:
    return Sample(median_ns=1000 * median_us, p25_ns=990 * median_us, p75_ns=1010 * median_us, best_ns=1000 * best_us)


def speed_report(*modes: str) -> Report:
    def measurement(rival: str, times: tuple[float, float], mode: str) -> Measurement:
        fills = rival == "orjson" and mode in ("encode bytes cold", "decode str cold")
        return Measurement(
            rival=rival,
            is_ours=rival == "ssrjson_web",
            converts=rival == "json" and mode == "encode bytes cold",
            sample=sample(*times),
            cache_bytes=4321 if fills else 0,
        )

    refusing = Measurement(
        rival="ujson", is_ours=False, converts=False, sample=None, reason="ValueError: <b>no & never</b>"
    )
    rows = [
        Row(
            case=case,
            mode=mode,
            n_bytes=10_000,
            n_calls=10,
            n_rounds=5,
            measurements=[
                *(
                    measurement(rival, each, mode)
                    for rival, each in zip(("ssrjson_web", "orjson", "json"), times, strict=True)
                ),
                refusing,
            ],
        )
        for mode in modes
        for case, times in SPEED.items()
    ]
    return Report(machine=MACHINE, rows=rows)


def article() -> dict[str, Any]:
    return {
        "machine": MACHINE,
        "is_complete": True,
        "objects": 100,
        "rounds": 3,
        **{
            script: [
                {"rival": "ssrjson_web", "elapsed_ms": [6.125, 6.25, 6.375], "growth_mb": [0.5, 1.25, 0.75]},
                {"rival": "orjson", "elapsed_ms": [60.5, 61.5, 62.5], "growth_mb": [61.25, 61.5, 61.75]},
            ]
            for script in ("article-dumps", "article-loads")
        },
    }


def web() -> dict[str, Any]:
    def entry(rival: str, times: tuple[float, float], *, is_ours: bool, copies: int = 0) -> dict[str, Any]:
        return {
            "rival": rival,
            "is_ours": is_ours,
            "request": asdict(sample(*times)),
            "steps": {},
            "cache_bytes": copies,
            "note": "",
            "reason": "",
            "is_wrong": False,
        }

    rows = [
        {
            "case": "dict/chinese",
            "kind": "dict",
            "n_bytes": 45_000,
            "title": "return a `dict`",
            "measured": [
                entry("stock", (2718.5, 2700.0), is_ours=False),
                entry("ORJSONResponse", (2461.5, 2400.0), is_ours=False, copies=22_048),
                entry("setup(app)", (123.5, 120.0), is_ours=True),
            ],
        },
        {
            "case": "empty",
            "kind": "empty",
            "n_bytes": 0,
            "title": "an empty answer",
            "measured": [
                entry("stock", (30.5, 30.0), is_ours=False),
                entry("setup(app)", (31.5, 31.0), is_ours=True),
            ],
        },
    ]
    return {"machine": MACHINE, "is_complete": True, "rows": rows}


def django() -> dict[str, Any]:
    def figures(rival: str, part: tuple[float, float], request: tuple[float, float], note: str = "") -> dict[str, Any]:
        return {
            "rival": rival,
            "is_ours": rival == "ssrjson_web",
            "request": asdict(sample(*request)),
            "steps": {"JSON": asdict(sample(*part))},
            "n_bytes": 42_000,
            "cache_bytes": 0,
            "note": note,
            "reason": "",
            "is_wrong": False,
        }

    row = {
        "case": "response",
        "kind": "response",
        "n_bytes": 42_000,
        "title": "a response class",
        "measured": [
            figures("stock", (243.5, 240.0), (841.5, 800.0)),
            figures("django-orjson", (46.25, 46.0), (577.5, 570.0), "another JSON value"),
            figures("ssrjson_web", (18.75, 18.5), (602.5, 600.0)),
        ],
    }
    return {"machine": MACHINE, "is_complete": True, "rows": [row]}


def memory(*, more_mb: float = 0.0) -> dict[str, Any]:
    def sweep(passes: int) -> dict[str, Any]:
        return {
            "requests": 100 * passes,
            "body_bytes": 1000,
            "faults": [],
            "pages": 100,
            "first_pass_pages": 100,
            "pass_seconds": [1.0, 2.0][:passes],
            "seconds": 2.0,
        }

    def run(engine: str, growth_mb: float, times: tuple[float, float], script: str = "mixed") -> dict[str, Any]:
        base, end = 100 * MB, round((100 + growth_mb) * MB)
        copies = round(growth_mb * MB) if growth_mb > 1 else 0
        return {
            "engine": engine,
            "script": script,
            "records": 5000,
            "catalogue_bytes": 60 * MB,
            "text_bytes": 45 * MB,
            "rss_base_bytes": base,
            "rss_end_bytes": end + 100_000,
            "rss_trimmed_bytes": end,
            "uss_base_bytes": base,
            "uss_trimmed_bytes": end,
            "caches": {"bytes": copies, "cached_strings": 7, "strings": 9, "objects": 10, "by_holder": {}},
            "encode_first_us": times[0],
            "encode_again_us": times[1],
            "sweep": sweep(2),
            "samples": [
                {"seconds": 0.0, "rss_bytes": base, "uss_bytes": None},
                {"seconds": 2.0, "rss_bytes": end, "uss_bytes": None},
            ],
        }

    def process(growth_mb: float) -> dict[str, Any]:
        base, end = 12 * MB, round((12 + growth_mb) * MB)
        return {
            "pid": 1,
            "rss_base_bytes": base,
            "rss_trimmed_bytes": end,
            "uss_base_bytes": base,
            "uss_trimmed_bytes": end,
            "copies_bytes": None,
        }

    def preload(engine: str, growth_mb: float) -> dict[str, Any]:
        return {
            "engine": engine,
            "script": "mixed",
            "records": 5000,
            "catalogue_bytes": 60 * MB,
            "pss_base_bytes": 130 * MB,
            "pss_trimmed_bytes": round((130 + 2 * growth_mb) * MB),
            "parent": process(0.0),
            "workers": [process(growth_mb), process(growth_mb)],
            "sweeps": [sweep(1), sweep(1)],
        }

    return {
        "options": {"engines": ["orjson", "ssrjson_web"], "workers": 2, "script": "mixed", "out": "demo-out"},
        "environment": {
            "date": "2026-01-02 03:05 UTC",
            "command": "python -m bench demo",
            "python": "CPython 3.11.7",
            "system": "Linux",
            "cpu": "A CPU",
            "cores": 2,
            "memory_bytes": 8_000_000_000,
            "level": "avx2",
            "versions": {"ssrjson_web": "0.1.0", "orjson": "3.13.0"},
        },
        "runs": [run("orjson", 26.5 + more_mb, (60.5, 20.25)), run("ssrjson_web", 0.25, (15.5, 15.25))],
        "control": [run("orjson", 0.125, (20.5, 20.75), "ascii"), run("ssrjson_web", 0.0, (19.5, 19.75), "ascii")],
        "preload": [preload("orjson", 87.5 + more_mb), preload("ssrjson_web", 4.75)],
        "failures": [{"engine": "msgspec", "part": "all", "reason": "not <installed>", "is_missing": True}],
        "units": {"megabyte": MB},
    }


def record(name: str, part: str, title: str, document: str, **changes: Any) -> Record:
    fields: dict[str, Any] = {
        "command": f"python -m bench {name}",
        "status": "measured",
        "date": "2026-01-02 03:04 UTC",
        "commit": "abc1234",
        "seconds": 12.5,
        **changes,
    }
    return Record(name=name, part=part, title=title, document=document, **fields)


def write_run(data: Path) -> list[Record]:
    """Writes the files of a whole run, and gives their records."""
    documents = {
        "encode.json": report_to_json(speed_report("encode bytes cold", "encode bytes warm", "encode str cold")),
        "decode.json": report_to_json(speed_report("decode bytes", "decode str cold")),
        "article.json": article(),
        "memory-1/results.json": memory(),
        "memory-2/results.json": memory(more_mb=0.5),
        "fastapi.json": web(),
        "django.json": django(),
    }
    for name, document in documents.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), "utf-8")
    records = [
        record("encode", "encode", "Encoding", "encode.json"),
        record("decode", "decode", "Decoding", "decode.json"),
        record("article", "article", "The article's two scripts", "article.json"),
        record("memory-1", "memory", "Memory, round 1", "memory-1/results.json"),
        record("memory-2", "memory", "Memory, round 2", "memory-2/results.json"),
        record("fastapi", "web", "FastAPI", "fastapi.json"),
        record("django", "web", "Django", "django.json"),
    ]
    write_records(records, data)
    return records
