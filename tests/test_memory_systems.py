"""ssrjson_web.memory on macOS and Windows: the same names, the layouts of their structures, the errors."""

from __future__ import annotations

import ctypes
import inspect
import os
import types
from typing import Any

import pytest

from ssrjson_web import memory
from ssrjson_web._shared import memory_linux, memory_macos, memory_windows

SYSTEMS = [memory_linux, memory_macos, memory_windows]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("name", memory.__all__)
def test_system_has_each_public_function_with_its_parameters(system: types.ModuleType, name: str) -> None:
    public, own = (inspect.signature(getattr(module, name)) for module in (memory, system))
    assert list(public.parameters) == list(own.parameters)
    assert public.return_annotation == own.return_annotation


def test_structures_have_the_size_and_the_fields_of_the_headers() -> None:
    assert ctypes.sizeof(memory_windows._Counters) == 80  # PROCESS_MEMORY_COUNTERS_EX of 64-bit Windows
    assert memory_windows._Counters.working_set.offset == 16
    assert memory_windows._Counters.private.offset == 72
    assert ctypes.sizeof(memory_macos._Usage) == 96  # rusage_info_v0
    assert memory_macos._Usage.resident_bytes.offset == 64
    assert memory_macos._Usage.footprint_bytes.offset == 72
    assert memory_macos._MallocStatistics.size_in_use.offset == 8


class Kernel32:
    """Knows process 7, and this one."""

    def __init__(self) -> None:
        self.closed: list[int] = []

    def OpenProcess(self, rights: int, inherit: int, pid: int) -> int:
        assert (rights, inherit) == (0x1000, 0)
        return pid if pid in (7, os.getpid()) else 0

    def K32GetProcessMemoryInfo(self, handle: int, counters: Any, size: int) -> int:
        filled = counters._obj
        assert size == filled.size == ctypes.sizeof(filled)
        filled.working_set, filled.peak_working_set, filled.private = 100, 200, 50
        return 1

    def CloseHandle(self, handle: int) -> int:
        self.closed.append(handle)
        return 1


def test_windows_reads_the_counters_and_closes_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel32 = Kernel32()
    monkeypatch.setattr(memory_windows, "_kernel32", lambda: kernel32)
    probes = (memory_windows.rss_bytes, memory_windows.peak_rss_bytes, memory_windows.uss_bytes)
    assert [probe(7) for probe in probes] == [100, 200, 50]
    assert memory_windows.rss_bytes(None) == 100
    assert kernel32.closed == [7, 7, 7, os.getpid()]
    with pytest.raises(OSError, match=r"OpenProcess\(8\): the process is gone"):
        memory_windows.rss_bytes(8)


class LibSystem:
    """Knows this process only."""

    def proc_pid_rusage(self, pid: Any, flavor: Any, usage: Any) -> int:
        assert flavor.value == 0
        if pid.value != os.getpid():
            ctypes.set_errno(3)
            return -1
        usage._obj.resident_bytes, usage._obj.footprint_bytes = 300, 150
        return 0

    def malloc_zone_statistics(self, zone: None, statistics: Any) -> None:
        statistics._obj.size_in_use = 40

    @staticmethod
    def malloc_zone_pressure_relief(zone: None, goal: int) -> int:
        return 4096


def test_macos_reads_usage_and_the_allocator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_macos, "_system", LibSystem)
    assert (memory_macos.rss_bytes(None), memory_macos.uss_bytes(os.getpid())) == (300, 150)
    with pytest.raises(ProcessLookupError, match=r"proc_pid_rusage\(1\)"):
        memory_macos.rss_bytes(1)
    assert memory_macos.malloc_in_use_bytes() == 40
    assert memory_macos.trim() is True


@pytest.mark.parametrize(("system", "name"), [(memory_macos, "macOS"), (memory_windows, "Windows")])
def test_figure_that_a_system_lacks_is_an_oserror_with_its_name(system: Any, name: str) -> None:
    for probe in (system.pss_bytes, system.reset_peak):
        with pytest.raises(OSError, match=name):
            probe(None)


def test_peak_of_another_process_is_not_to_be_had_on_macos() -> None:
    with pytest.raises(OSError, match="peak of this process only, not that of 1"):
        memory_macos.peak_rss_bytes(1)
