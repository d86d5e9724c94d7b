"""`python -m bench report`, end to end; its steps, its charts and its PDF."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import bench_report_records

from bench.kit.tables import span
from bench.report.run_records import write_records

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "bench", "report"]


def report(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300
    )


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_report_measures_a_part_and_renders_it_again_without_measuring(tmp_path: Path) -> None:
    done = report("--parts", "article", "--quick", "--no-pdf", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "[1/1] The article's two scripts: about" in done.stderr
    (step,) = json.loads((tmp_path / "data" / "run.json").read_text("utf-8"))["steps"]
    assert (step["status"], step["reason"]) == ("measured", "")
    content = (tmp_path / "index.html").read_text("utf-8")
    document = json.loads((tmp_path / "data" / "article.json").read_text("utf-8"))
    assert all(f"<td>{span(each['elapsed_ms'])}</td>" in content for each in document["article-dumps"])
    (tmp_path / "index.html").unlink()
    again = report("--from", tmp_path, "--no-pdf")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "index.html").read_text("utf-8") == content


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_report_after_an_interrupt_keeps_what_it_has_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "data" / "encode.log"
    with subprocess.Popen(
        [*COMMAND, "--parts", "encode,decode", "--no-pdf", "--out", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as child:
        until = time.monotonic() + 120
        while not (log.is_file() and "[2/" in log.read_text("utf-8")):
            assert child.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=120)
    assert child.returncode == 130, errors
    assert "INCOMPLETE" in output
    statuses = {
        step["name"]: (step["status"], step["reason"])
        for step in json.loads((tmp_path / "data" / "run.json").read_text("utf-8"))["steps"]
    }
    assert statuses == {"encode": ("incomplete", "stopped by Ctrl-C"), "decode": ("not reached", "")}
    assert json.loads((tmp_path / "data" / "encode.json").read_text("utf-8"))["rows"]
    content = (tmp_path / "index.html").read_text("utf-8")
    assert "Encoding: was not completed" in content
    assert "Decoding: not reached." in content


def test_report_of_a_step_that_fails_names_it_and_keeps_the_figures_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = bench_report_records.write_run(tmp_path / "data")
    old = bench_report_records.record("bottle", "web", "A framework of long ago", "bottle.json")
    write_records([*records, old], tmp_path / "data")
    (tmp_path / "fastapi.py").write_text("raise ImportError('broken <here>')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = report("--parts", "web", "--quick", "--no-pdf", "--out", tmp_path)
    assert done.returncode == 1
    content = (tmp_path / "index.html").read_text("utf-8")
    assert re.search("FastAPI: failed. error: broken &lt;here&gt;", content)
    assert "shape/nested-lists" in content
    assert "of long ago" not in content
