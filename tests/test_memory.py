"""ssrjson_web.memory against what is known: strings whose copies were made, memory that was taken."""

from __future__ import annotations

import gc
import json
import mmap
import platform
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web import memory
from ssrjson_web.memory import CacheReport, utf8_cache_bytes

orjson = pytest.importorskip("orjson", reason="orjson is the writer of UTF-8 copies here")

MEGABYTE = 1_000_000

needs_proc = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
needs_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc_trim is glibc's")


def fresh(text: str) -> str:
    """An equal str that nothing else refers to."""
    return "".join((text[:1], text[1:]))


def cached(text: str) -> str:
    """An equal str that holds a UTF-8 copy."""
    copy = fresh(text)
    orjson.dumps(copy)
    return copy


def copy_bytes(text: str) -> int:
    return len(text.encode()) + 1


# ---- copies of one string ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["中文字", "é", "Привет", "emoji 😀 beside ASCII", "“quoted”"])
def test_cache_bytes_after_orjson_are_the_utf8_and_a_nul(text: str) -> None:
    text = fresh(text * 7)
    bare = sys.getsizeof(text)
    orjson.dumps(text)
    assert utf8_cache_bytes(text) == CacheReport(strings=1, cached_strings=1, bytes=copy_bytes(text))
    assert sys.getsizeof(text) - bare == copy_bytes(text)


def test_cache_bytes_after_encode_and_stdlib_json_are_zero() -> None:
    text = fresh("中文字" * 7)
    assert json.loads(json.dumps(text)) == text == text.encode().decode()
    json.dumps(text, ensure_ascii=False)
    assert utf8_cache_bytes(text) == CacheReport(strings=1, cached_strings=0, bytes=0)


def test_cache_bytes_of_ascii_are_zero_after_any_encoder() -> None:
    assert utf8_cache_bytes(cached("plain ASCII")) == CacheReport(strings=1, cached_strings=0, bytes=0)


def test_cache_bytes_after_dumps_to_bytes_are_zero() -> None:
    import ssrjson_web

    text = fresh("中文字" * 7)
    ssrjson_web.dumps_to_bytes([text])
    assert utf8_cache_bytes(text).bytes == 0


# ---- the walk ---------------------------------------------------------------------------------


def test_cache_bytes_without_roots_are_zero() -> None:
    assert utf8_cache_bytes() == CacheReport(strings=0, cached_strings=0, bytes=0)


def test_cache_bytes_shared_string_counts_once() -> None:
    text = cached("中文字")
    report = utf8_cache_bytes([text, text], {"a": text}, text)
    assert report.cached_strings == 1
    assert report.bytes == copy_bytes(text)


def test_cache_bytes_equal_strings_count_each() -> None:
    texts = [cached("中文字") for _ in range(5)]
    assert utf8_cache_bytes(texts) == CacheReport(strings=5, cached_strings=5, bytes=5 * copy_bytes("中文字"))


def test_cache_bytes_nested_containers_are_followed() -> None:
    names = ["甲", "乙乙", "丙丙丙", "丁", "戊戊", "己", "庚"]
    a, b, c, d, e, f, g = map(cached, names)
    root = {
        "list": [a, (b, [c])],
        "set": {d},
        "frozenset": frozenset({e}),
        "deque": deque([f]),
        "dict": {"x": {"y": g}},
    }
    report = utf8_cache_bytes(root)
    assert report.cached_strings == len(names)
    assert report.bytes == sum(map(copy_bytes, names))


def test_cache_bytes_dict_keys_are_counted() -> None:
    key, deeper = cached("ключ"), cached("глубже")
    assert utf8_cache_bytes({key: {deeper: 1}, 2: 3}).bytes == copy_bytes(key) + copy_bytes(deeper)


class WithDict:
    def __init__(self, text: str) -> None:
        self.text = text


class WithSlots:
    __slots__ = ("text", "unset")

    def __init__(self, text: str) -> None:
        self.text = text


class SlotsAndDict(WithSlots):
    def __init__(self, text: str, other: str) -> None:
        super().__init__(text)
        self.other = other


@dataclass(frozen=True)
class Frozen:
    text: str


class NamedText(str):
    pass


def test_cache_bytes_instance_attributes_and_slots_are_followed() -> None:
    texts = [cached("é" * length) for length in range(1, 6)]
    root = [WithDict(texts[0]), WithSlots(texts[1]), SlotsAndDict(texts[2], texts[3]), Frozen(texts[4])]
    report = utf8_cache_bytes(root)
    assert report.cached_strings == len(texts)
    assert report.bytes == sum(map(copy_bytes, texts))


def test_cache_bytes_model_instances_are_followed() -> None:
    msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    struct = msgspec.defstruct("Point", [("text", str)])(cached("ééé"))
    model = pydantic.create_model("Model", text=(str, ...)).model_construct(text=cached("üü"))
    assert utf8_cache_bytes([struct, model]).bytes == copy_bytes("ééé") + copy_bytes("üü")


def test_cache_bytes_str_subclass_is_a_string_and_its_attributes_follow() -> None:
    named = NamedText("ёлка")
    named.note = cached("ёлочка")  # type: ignore[attr-defined]
    report = utf8_cache_bytes([named])
    assert report.bytes == copy_bytes("ёлочка")
    assert report.strings >= 2


def test_cache_bytes_cycle_ends() -> None:
    root: list[Any] = [cached("ш")]
    root.append(root)
    root.append({"back": root})
    assert utf8_cache_bytes(root).bytes == copy_bytes("ш")


class Classy:
    label = "класс"


orjson.dumps(Classy.label)


def test_cache_bytes_class_is_entered_only_as_root() -> None:
    assert utf8_cache_bytes([Classy(), Classy, test_cache_bytes_cycle_ends, sys]).bytes == 0
    assert utf8_cache_bytes(Classy).bytes >= copy_bytes("класс")


def test_cache_bytes_more_objects_than_a_batch_are_all_found() -> None:
    root = [{"name": [cached(f"№{number}")]} for number in range(10_000)]
    assert utf8_cache_bytes(root).cached_strings == 10_000


def test_cache_bytes_runs_no_code_of_the_objects() -> None:
    class Hostile(dict[str, str]):
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

        def __iter__(self) -> Any:
            raise AssertionError("iterated")

        def keys(self) -> Any:
            raise AssertionError("keys")

    hostile = Hostile()
    dict.__setitem__(hostile, "k", cached("ф"))
    assert utf8_cache_bytes([hostile]).bytes == copy_bytes("ф")


# ---- figures of the process -------------------------------------------------------------------


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
