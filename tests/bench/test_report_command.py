"""`python -m bench report`, end to end; its steps, its charts and its PDF."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import bench_report_records

from bench.kit.charts import Bar, ratio_chart, value_chart
from bench.kit.tables import span
from bench.report.pdf import NoPdfError, print_pdf
from bench.report.run_records import write_records
from bench.report.run_steps import FRAMEWORKS, PARTS, steps

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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--parts", "encode,nothing"], "unknown part nothing: choose from encode, decode"),
        (["--from", "no-such-folder"], "no-such-folder"),
        (["--from", "somewhere", "--quick"], "--from measures nothing"),
        (["--from", "somewhere", "--parts", "web"], "--from measures nothing"),
    ],
)
def test_report_with_arguments_that_cannot_be_used_is_one_line_and_status_2(arguments: list[str], message: str) -> None:
    done = report(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_help_says_how_long_it_takes() -> None:
    done = report("--help")
    assert done.returncode == 0
    assert len(re.findall(r"about \d+ minutes", done.stdout)) >= 3


def test_steps_of_a_part_are_those_alone_and_quick_ones_are_shorter() -> None:
    assert {step.part for step in steps()} == set(PARTS)
    assert [step.name for step in steps(["web"])] == [framework.name for framework in FRAMEWORKS]
    assert len({step.document for step in steps()}) == len(steps())
    assert sum(step.seconds for step in steps(quick=True)) < sum(step.seconds for step in steps()) / 3


def bar(value: float) -> Bar:
    return Bar(label="it", value=value, low=value * 0.9, high=value * 1.1, note=f"{value:.2f}")


def edges(svg: str, css: str) -> tuple[float, float]:
    found = re.search(rf'<rect class="bar{css}" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    assert found
    return float(found[1]), float(found[1]) + float(found[2])


def test_chart_of_ratios_has_losses_left_of_one_and_gains_right() -> None:
    svg = ratio_chart([("a <group>", [bar(2.0), bar(0.5)])], title='a "title"')
    middle = re.search(r'<line class="rule even" x1="([\d.]+)"', svg)
    assert middle
    assert edges(svg, " gain")[0] == pytest.approx(float(middle[1]), abs=0.2)
    assert edges(svg, " loss")[1] == pytest.approx(float(middle[1]), abs=0.2)
    assert edges(svg, " gain")[1] - float(middle[1]) == pytest.approx(
        float(middle[1]) - edges(svg, " loss")[0], abs=0.2
    )
    assert "a &lt;group&gt;" in svg
    assert "&quot;title&quot;" in svg


@pytest.mark.parametrize("value", [1e-9, 1.0, 1e9])
def test_chart_of_any_ratio_stays_within_its_frame(value: float) -> None:
    svg = ratio_chart([("", [bar(value)])], title="t")
    assert all(0 <= float(x) <= 500 for x in re.findall(r'[ M]x?1?="?([\d.]+)', svg))


def test_chart_of_values_begins_at_zero_and_takes_negative_ones() -> None:
    svg = value_chart([("", [bar(10.0)])], title="t", top=20.0)
    start, end = edges(svg, "")
    assert end - start == pytest.approx((500 - 110 - 130) * 10 / 20.6, abs=0.2)
    assert "<svg" in value_chart([("", [bar(-1.0)])], title="t")


def test_pdf_without_a_browser_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoPdfError, match="apt install chromium"):
        print_pdf(tmp_path / "index.html", tmp_path / "report.pdf")


@pytest.mark.skipif(not any(map(shutil.which, ("chromium", "google-chrome"))), reason="no Chromium is installed")
def test_pdf_is_printed_by_a_browser(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>t</title><p>text</p>", "utf-8")
    print_pdf(tmp_path / "index.html", tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
