"""Threads: every call at once, a body that several threads feed, a fork among threads; the GIL stays off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest
from helpers.processes import run_python
from threads.calls import READERS, WRITERS
from threads.run import call_at_once
from threads.shared import Shared

import ssrjson_web

IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
TESTS = str(Path(__file__).parent)


def test_every_call_at_once_finds_nothing_wrong() -> None:
    shared = Shared()
    n_calls = call_at_once(shared, list(READERS), n_readers=3, n_writers=1, n_rounds=60)
    assert not shared.failures, shared.failures[0]
    assert n_calls == 180


@pytest.mark.parametrize("name", READERS)
def test_each_call_is_made_by_two_threads(name: str) -> None:
    shared = Shared()
    assert call_at_once(shared, [name], n_readers=2, n_writers=1, n_rounds=4) == 8
    assert not shared.failures, shared.failures[0]


def test_command_lists_its_calls_and_refuses_unknown_ones() -> None:
    command = [sys.executable, "-m", "threads"]
    listed = subprocess.run(
        [*command, "--list"], env=os.environ | {"PYTHONPATH": TESTS}, capture_output=True, text=True, check=True
    )
    assert listed.stdout.split() == [*READERS, *WRITERS]
    refused = subprocess.run([*command, "nothing"], env=os.environ | {"PYTHONPATH": TESTS}, capture_output=True)
    assert refused.returncode == 2


@pytest.mark.skipif(not IS_FREE_THREADED, reason="this Python has a GIL in any case")
def test_import_leaves_the_gil_off(tmp_path: Path) -> None:
    done = run_python(
        """
        import sys
        import ssrjson_web
        assert not sys._is_gil_enabled()
        assert ssrjson_web.get_current_features()["free_threading"] is True
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("chunk", ['["a', '["é', '["中'])
def test_body_of_str_is_fed_by_one_thread_after_the_other(chunk: str) -> None:
    """CPython lets no thread but its maker write to a str."""
    decoder = ssrjson_web.Decoder()
    chunks = [chunk, *["0" * n for n in range(1, 40)], '"]']

    def feed(number: int) -> None:
        decoder.feed(chunks[number])

    for number in range(len(chunks)):
        thread = threading.Thread(target=feed, args=(number,))
        thread.start()
        thread.join()
    whole = "".join(chunks)
    assert json.dumps(decoder.close(), ensure_ascii=False) == json.dumps(json.loads(whole), ensure_ascii=False)


def test_sorted_keys_that_are_made_and_freed_stay_sorted() -> None:
    """The order of the keys of one dict is kept for the next: a key at an address that was freed is another one."""
    for n in range(300):
        value = [{f"{(i * 7919 + n) % 1000:03}": i for i in range(12)} for _ in range(3)]
        assert ssrjson_web.dumps(value, sort_keys=True) == json.dumps(value, sort_keys=True, separators=(",", ":"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_child_that_is_forked_among_encoding_threads_encodes_and_decodes(tmp_path: Path) -> None:
    done = run_python(
        """
        import os, threading, warnings
        import ssrjson_web

        warnings.simplefilter("ignore", DeprecationWarning)  # a fork among threads

        def made_rows():  # without the GIL the child may wait for ever for a container that another thread had locked
            return [{"id": n, "name": "Zoë", "tags": [1.5, None]} for n in range(200)]

        text = ssrjson_web.dumps_to_bytes(made_rows())
        stop = threading.Event()

        def hook(value):
            return ssrjson_web.loads(text)[:2]

        def work():
            rows = made_rows()
            while not stop.is_set():
                assert ssrjson_web.loads(ssrjson_web.dumps_to_bytes(rows)) == rows
                ssrjson_web.dumps([object()] * 5, default=hook)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()

        def child():
            rows = made_rows()
            for _ in range(20):
                assert ssrjson_web.loads(ssrjson_web.dumps_to_bytes(rows)) == rows
                assert ssrjson_web.dumps([object()], default=hook)
            made = [threading.Thread(target=lambda: ssrjson_web.loads(text)) for _ in range(3)]
            for thread in made:
                thread.start()
            for thread in made:
                thread.join()

        statuses = []
        for _ in range(10):
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    child()
                    status = 0
                finally:
                    os._exit(status)
            statuses.append(os.waitpid(pid, 0)[1])
        stop.set()
        for thread in threads:
            thread.join()
        assert statuses == [0] * 10, statuses
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
