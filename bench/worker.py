"""One measurement in its own process. The `memory` and `peers` commands run it for each rival.

`python -m bench.worker TASK RIVAL ARGUMENTS` prints one JSON object; ARGUMENTS is a JSON object too.
"""

from __future__ import annotations

import gc
import json
import marshal
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bench.source_tree import prefer_installed_packages

if __name__ == "__main__":
    prefer_installed_packages()

from bench import generated, procfs
from bench.cases import Operation, compact_json
from bench.rivals import Call, compiled, select
from bench.subject import attempt
from bench.timing import CPU_CLOCK, timed_loop
from bench.utf8_cache import graph_cache_bytes
from bench.vocabulary import VOCABULARIES

MEGABYTE = 1_000_000


def ask_workers(
    task: str, names: Sequence[str], *, rounds: int = 1, say: Callable[[str], None], **arguments: Any
) -> dict[str, list[dict[str, Any]]]:
    """The answers of new processes that run `task`, by rival; they take turns. For one that fails there is a line."""
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    words = " ".join(str(each) for each in arguments.values())
    for turn in range(rounds):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            done = subprocess.run(
                [sys.executable, "-m", "bench.worker", task, name, json.dumps(arguments)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
                say(f"{task} {name}: {lines[-1]}")
                continue
            answers[name].append(json.loads(done.stdout))
            say(f"{task} {turn + 1}/{rounds} {words} {name}: done")
    return {name: found for name, found in answers.items() if found}


def article_dumps(call: Call, *, n_objects: int) -> dict[str, Any]:
    """The article's first script: fresh objects, all alive, each encoded once."""
    return _timed_growth(call, [generated.article_object() for _ in range(n_objects)])


def article_loads(call: Call, *, n_objects: int) -> dict[str, Any]:
    """The article's second script: fresh str documents, all alive, each parsed once."""
    document = compact_json(generated.article_object()).encode()
    return _timed_growth(call, [document.decode() for _ in range(n_objects)])


def _timed_growth(call: Call, values: list[Any]) -> dict[str, Any]:
    loop = timed_loop(call)
    gc.collect()
    before = procfs.status_bytes("VmRSS")
    elapsed_ns = loop(values, CPU_CLOCK)
    gc.collect()
    return {"elapsed_ns": elapsed_ns, "growth_bytes": procfs.status_bytes("VmRSS") - before}


def linearity(call: Call, *, operation: Operation, sizes_mb: list[int], rounds: int) -> dict[str, Any]:
    """Nanoseconds for a document of each size: the median of the rounds, with a fresh document each time."""
    loop = timed_loop(call)
    rows = generated.rows("chinese")
    text = compact_json(rows)
    image = marshal.dumps(rows)
    n_bytes = len(text.encode())
    gc.disable()
    found = []
    for size_mb in sizes_mb:
        copies = max(1, size_mb * MEGABYTE // n_bytes)
        ns = []
        for _ in range(rounds):
            value: Any
            if operation == "encode":
                value = [marshal.loads(image) for _ in range(copies)]
            else:
                value = ("[" + ",".join([text] * copies) + "]").encode()
            ns.append(loop([value], CPU_CLOCK))
            del value
        found.append({"n_bytes": copies * n_bytes, "elapsed_ns": statistics.median(ns)})
    return {"sizes": found}


def peak(call: Call, *, operation: Operation, kind: str, script: str, n_mb: int) -> dict[str, Any]:
    """Memory that encoding or decoding one long string adds to the memory before it.

    `result_bytes` is the size of the result; `peak_bytes` and `reserved_bytes` include it.
    """
    paragraph = generated.long_text(script, 10_000)
    value: Any = paragraph * max(1, n_mb * MEGABYTE // len(paragraph.encode()))
    if operation == "decode":
        value = f'"{value}"' if kind == "str" else f'"{value}"'.encode()
    attempt(call, {"ok": True} if operation == "encode" else b'{"ok":true}')  # memory of the first call is not counted
    gc.collect()

    def measure() -> dict[str, int]:
        rss, size = procfs.status_bytes("VmRSS"), procfs.status_bytes("VmSize")
        result = attempt(call, value)
        return {
            "result_bytes": sys.getsizeof(result),
            "peak_bytes": procfs.status_bytes("VmHWM") - rss,
            "reserved_bytes": procfs.status_bytes("VmPeak") - size,
        }

    answer: dict[str, Any] = procfs.in_forked_child(measure)
    return answer


def document(call: Call, *, operation: Operation, n_mb: int) -> dict[str, Any]:
    """Time and memory of one call, the first that this process makes on a document of `n_mb` of rows in all scripts.

    `peak_bytes` is what resident memory rose by, the result and the copies included; `copy_bytes` is the size of the
    cached UTF-8 copies that the document's strings hold afterwards.
    """
    pages = [generated.rows(script) for script in VOCABULARIES]
    text = compact_json(pages)
    image = marshal.dumps(pages)
    copies = max(1, n_mb * MEGABYTE // len(text.encode()))
    value: Any = [marshal.loads(image) for _ in range(copies)]
    if operation == "decode":
        value = ("[" + ",".join([text] * copies) + "]").encode()
    attempt(call, {"ok": True} if operation == "encode" else b'{"ok":true}')  # memory of the first call is not counted
    once = compiled(call, "def once(value):\n    return {expression}")["once"]
    gc.collect()
    procfs.reset_peak()
    rss, start = procfs.status_bytes("VmRSS"), CPU_CLOCK()
    result = once(value)
    elapsed_ns, peak_bytes = CPU_CLOCK() - start, procfs.status_bytes("VmHWM") - rss
    return {
        "elapsed_ns": elapsed_ns,
        "peak_bytes": peak_bytes,
        "result_bytes": len(result) if operation == "encode" else None,
        "copy_bytes": graph_cache_bytes(value) if operation == "encode" else 0,
    }


def fork(call: Call, *, n_mb: int) -> dict[str, Any]:
    """Private memory that a forked child gains by encoding every page of a catalogue loaded before the fork."""
    rows = generated.rows("chinese")
    image = marshal.dumps(rows)
    n_pages = max(1, n_mb * MEGABYTE // len(compact_json(rows).encode()))
    catalogue = [marshal.loads(image) for _ in range(n_pages)]
    loop = timed_loop(call)
    loop([{"ok": True}], CPU_CLOCK)
    gc.collect()
    gc.freeze()

    def measure() -> dict[str, int]:
        before = procfs.private_dirty_bytes()
        loop(catalogue, CPU_CLOCK)
        return {"own_bytes": procfs.private_dirty_bytes() - before}

    answer: dict[str, Any] = procfs.in_forked_child(measure)
    return answer


_TASKS: Mapping[str, tuple[Operation, Callable[..., dict[str, Any]]]] = {
    "article-dumps": ("encode", article_dumps),
    "article-loads": ("decode", article_loads),
    "encode-linearity": ("encode", partial(linearity, operation="encode")),
    "decode-linearity": ("decode", partial(linearity, operation="decode")),
    "encode-peak": ("encode", partial(peak, operation="encode")),
    "decode-peak": ("decode", partial(peak, operation="decode")),
    "encode-document": ("encode", partial(document, operation="encode")),
    "decode-document": ("decode", partial(document, operation="decode")),
    "fork": ("encode", fork),
}


def main(task: str, rival_name: str, arguments: str) -> None:
    """Runs `task` and prints its answer."""
    operation, measure = _TASKS[task]
    options = json.loads(arguments)
    rival = next(each for each in select([rival_name]) if each.name == rival_name)
    call = rival.call(operation, options.get("kind", "bytes"), "plain")
    assert call is not None, f"{rival_name} does not {operation}"
    print(json.dumps(measure(call, **options)))


if __name__ == "__main__":
    main(*sys.argv[1:])
