"""Sampler, control groups, memory figures, gates: what there is, and what is said where it is missing."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import ssrjson_web
from ssrjson_web import memory
from ssrjson_web._shared import memory_linux
from ssrjson_web.monitor import unwatch, watch
from ssrjson_web.monitor.cgroup import cgroup_files, cgroup_memory
from ssrjson_web.monitor.gate import Gate, TooSoon
from ssrjson_web.monitor.process import ProcessMemory
from ssrjson_web.monitor.sampler import Sampler

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it does not come true"
        time.sleep(0.01)


@pytest.fixture
def sampler() -> Any:
    sampler = Sampler(every_seconds=0.01)
    yield sampler
    sampler.stop()


@needs_proc
def test_sampler_samples_from_its_start_on_in_bounded_memory(sampler: Sampler) -> None:
    assert sampler.samples() == []
    sampler.start()
    sampler.start()
    wait_until(lambda: len(sampler.samples()) > 3)
    assert sum(thread.name == "ssrjson-sampler" for thread in threading.enumerate()) >= 1
    times = [at for at, _ in sampler.samples()]
    assert times == sorted(times)
    assert all(abs(rss - memory.rss_bytes()) < 200_000_000 for _, rss in sampler.samples())
    assert sampler._samples.maxlen is not None


@needs_proc
def test_sampler_of_a_child_tells_of_the_child(sampler: Sampler) -> None:
    sampler.start()
    wait_until(sampler.samples)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:  # nothing of pytest may run here
        try:
            sampler.reset_after_fork()
            was_empty = sampler.samples() == [] and not sampler.is_running
            block = bytearray(b"x" * 100_000_000)
            sampler.start()
            deadline = time.monotonic() + 20
            while not sampler.samples() and time.monotonic() < deadline:
                time.sleep(0.01)
            seen = bool(sampler.samples()) and abs(sampler.samples()[-1][1] - memory.rss_bytes()) < 50_000_000
            os.write(writing, b"yes" if was_empty and seen and len(block) else b"no")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        assert answer.read() == b"yes"
    os.waitpid(pid, 0)


def test_sampler_without_proc_says_so(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> None:
    monkeypatch.setattr("ssrjson_web.monitor.sampler._STATM", "/nowhere/statm")
    sampler.start()
    wait_until(lambda: sampler.problem)
    assert "/nowhere/statm" in str(sampler.problem)
    assert sampler.samples() == []
    figures, problems = ProcessMemory(sampler).figures()
    assert figures["rss"] is None
    assert "/nowhere/statm" in problems["rss"]
    assert ProcessMemory(sampler).trim()["rss_before"] is None


def test_sampler_without_threads_says_so(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    sampler.start()
    assert sampler.problem == "no sampler thread: can't start new thread"
    assert sampler.is_running


def test_figures_that_nobody_measured_yet_name_the_action(sampler: Sampler) -> None:
    figures, problems = ProcessMemory(sampler).figures()
    assert {name for name, number in figures.items() if number is None} - {
        "malloc_in_use",
        "cgroup_current",
        "cgroup_peak",
    } == {"after_trim", "uss", "pss", "cache_bytes", "cache_strings", "after_trim_at", "scanned_at"}
    assert problems["after_trim"] == "not measured yet: POST trim"
    assert problems["cache_bytes"] == "not measured yet: POST scan"
    assert set(problems) <= set(figures)


@needs_proc
def test_scan_counts_copies_under_what_is_watched(sampler: Sampler) -> None:
    process = ProcessMemory(sampler)
    texts = ["中" * 50 + str(n) for n in range(20)]
    assert process.scan()["cache"] is None
    assert process.figures()[1]["cache_bytes"].startswith("no object is watched")
    watch(texts)
    watch(texts)
    try:
        assert process.scan()["cache"]["bytes"] == 0
        ssrjson_web.dumps_to_bytes(texts, is_write_cache=True)
        result = process.scan()
    finally:
        unwatch(texts, object())
    expected = sum(len(text.encode()) + 1 for text in texts)
    assert (result["cache"]["bytes"], result["cache"]["cached_strings"]) == (expected, 20)
    figures, problems = process.figures()
    assert (figures["cache_bytes"], figures["cache_strings"]) == (expected, 20)
    assert figures["uss"] == result["uss"] > 0
    assert abs(figures["scanned_at"] - time.time()) < 60
    assert not {"uss", "pss", "cache_bytes"} & set(problems)
    process.reset_after_fork()
    assert process.figures()[0]["cache_bytes"] is None


def test_scan_without_smaps_keeps_what_it_can_count(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> None:
    def refuse() -> int:
        raise OSError("no smaps_rollup")

    monkeypatch.setattr(memory, "uss_bytes", refuse)
    monkeypatch.setattr(memory, "pss_bytes", refuse)
    process = ProcessMemory(sampler)
    texts = ["中" * 50]
    watch(texts)
    result = process.scan()
    unwatch(texts)
    assert (result["uss"], result["cache"]["strings"]) == (None, 1)
    assert process.figures()[1]["uss"] == "no smaps_rollup"


def test_system_without_any_of_it_gets_reasons_for_all(monkeypatch: pytest.MonkeyPatch, sampler: Sampler) -> None:
    def refuse(*_: Any) -> Any:
        raise OSError("not here")

    monkeypatch.setattr(memory_linux, "_proc", lambda _pid: Path("/nowhere"))
    monkeypatch.setattr("ssrjson_web.monitor.sampler._STATM", "/nowhere/statm")
    monkeypatch.setattr("ssrjson_web.monitor.process.cgroup_files", refuse)
    monkeypatch.setattr("ctypes.CDLL", refuse)
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    process = ProcessMemory(sampler)
    assert process.trim()["trimmed"] is False
    assert process.scan()["uss"] is None
    figures, problems = process.figures()
    times = {"after_trim_at", "scanned_at"}
    assert {name for name, number in figures.items() if number is not None} == times
    assert figures.keys() - times == problems.keys()
    assert problems["peak"] == "this system has neither /proc nor getrusage"
    assert problems["cgroup_peak"] == "not here"
    assert "/nowhere" in problems["pss"]


def test_malloc_in_use_follows_a_large_block() -> None:
    try:
        before = memory.malloc_in_use_bytes()
    except OSError as error:
        pytest.skip(str(error))
    block = bytearray(50_000_000)
    assert 49_000_000 < memory.malloc_in_use_bytes() - before < 60_000_000
    del block
    assert memory.malloc_in_use_bytes() - before < 10_000_000


def test_malloc_in_use_without_mallinfo2_raises_oserror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _name: object())
    with pytest.raises(OSError, match="mallinfo2"):
        memory.malloc_in_use_bytes()


@pytest.mark.parametrize(
    ("listing", "folder", "names"),
    [
        ("0::/app.slice\n", "app.slice", ("memory.current", "memory.peak")),
        ("0::/gone\n", ".", ("memory.current", "memory.peak")),
        ("5:cpu:/x\n4:memory:/app\n", "memory/app", ("memory.usage_in_bytes", "memory.max_usage_in_bytes")),
        ("4:cpu,memory:/docker/1\n0::/\n", "memory", ("memory.usage_in_bytes", "memory.max_usage_in_bytes")),
    ],
)
def test_cgroup_files_are_found_in_both_versions(
    tmp_path: Path, listing: str, folder: str, names: tuple[str, str]
) -> None:
    (tmp_path / "cgroup").write_text(listing)
    (tmp_path / "fs" / folder).mkdir(parents=True)
    for name, number in zip(names, ("1000\n", "2000\n"), strict=True):
        (tmp_path / "fs" / folder / name).write_text(number)
    files = cgroup_files(tmp_path / "cgroup", tmp_path / "fs")
    assert [cgroup_memory(file) for file in files] == [1000, 2000]


def test_cgroup_that_is_missing_or_unreadable_raises_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cgroup"):
        cgroup_files(tmp_path / "cgroup", tmp_path)
    (tmp_path / "cgroup").write_text("0::/\nnonsense\n")
    with pytest.raises(OSError, match="no memory control group"):
        cgroup_files(tmp_path / "cgroup", tmp_path)
    (tmp_path / "memory.current").write_text("max\n")
    with pytest.raises(OSError, match="holds no number"):
        cgroup_memory(cgroup_files(tmp_path / "cgroup", tmp_path)[0])


def test_gate_lets_one_through_and_the_next_after_its_pause() -> None:
    gate = Gate(100)
    with gate.passing(), pytest.raises(TooSoon) as meanwhile, gate.passing():
        pass
    assert meanwhile.value.seconds >= 1
    with pytest.raises(TooSoon) as behind, gate.passing():
        pass
    assert 90 < behind.value.seconds <= 100


def test_gate_opens_again_after_work_that_failed() -> None:
    gate = Gate(0)
    with pytest.raises(ZeroDivisionError), gate.passing():
        raise ZeroDivisionError
    gate._opens_at = 0
    with gate.passing():
        pass
