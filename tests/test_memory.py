"""ssrjson_web.memory against what is known: memory that was taken and given back."""

from __future__ import annotations

import gc
import mmap
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web import memory

MEGABYTE = 1_000_000

needs_proc = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
needs_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc_trim is glibc's")


def touched(n_bytes: int) -> mmap.mmap:
    """Private memory outside of the allocator, every page written to; closing it gives it back."""
    block = mmap.mmap(-1, n_bytes)
    block.write(b"x" * n_bytes)
    return block


@needs_proc
@pytest.mark.parametrize("probe", [memory.rss_bytes, memory.uss_bytes, memory.pss_bytes])
def test_probe_sees_memory_taken_and_given_back(probe: Any) -> None:
    before = probe()
    block = touched(64 * MEGABYTE)
    taken = probe() - before
    block.close()
    assert 60 * MEGABYTE < taken < 200 * MEGABYTE  # the bytes that were written from may still be there
    assert probe() - before < taken - 50 * MEGABYTE


@needs_proc
def test_probes_are_ordered_by_what_they_count() -> None:
    slack = MEGABYTE  # they are taken one after another
    assert 0 < memory.uss_bytes() <= memory.pss_bytes() + slack
    assert memory.pss_bytes() <= memory.rss_bytes() + slack
    assert memory.rss_bytes() <= memory.peak_rss_bytes() + slack


@needs_proc
def test_probes_of_another_process_tell_its_memory() -> None:
    code = "import sys; block = b'x' * 50_000_000; print('ready', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        figures = [probe(child.pid) for probe in (memory.rss_bytes, memory.uss_bytes, memory.pss_bytes)]
        figures.append(memory.peak_rss_bytes(child.pid))
        child.communicate()
    assert all(50 * MEGABYTE < figure < 150 * MEGABYTE for figure in figures)


@needs_proc
@pytest.mark.parametrize(
    "probe", [memory.rss_bytes, memory.uss_bytes, memory.pss_bytes, memory.peak_rss_bytes, memory.reset_peak]
)
def test_probe_of_ended_process_raises_oserror(probe: Any) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with pytest.raises(OSError, match=str(child.pid)):
        probe(child.pid)


@needs_proc
def test_reset_peak_forgets_memory_that_is_gone() -> None:
    touched(64 * MEGABYTE).close()
    gc.collect()
    assert memory.peak_rss_bytes() >= memory.rss_bytes() + 50 * MEGABYTE
    memory.reset_peak()
    assert memory.peak_rss_bytes() < memory.rss_bytes() + 10 * MEGABYTE


@needs_proc
@needs_glibc
def test_trim_gives_free_pages_back() -> None:
    code = """if True:
        from ssrjson_web import memory
        pieces = [bytes(4000) for _ in range(20_000)]
        kept = pieces[::40]  # spread over the heap, so that nothing goes back by itself
        del pieces
        before = memory.rss_bytes()
        print(memory.trim(), before - memory.rss_bytes() > 20_000_000)
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "True"]


def test_trim_without_malloc_trim_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _name: object())
    assert memory.trim() is False
