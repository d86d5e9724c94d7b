"""Compare canonical JSON with JavaScript's, as `make check-canonical ARGS='...'` does; it needs `node`.

Random floats are held against `String(x)` of node, at every level of this CPU, and random documents against a recursive
`JSON.stringify` of node with keys in the order of `Array.sort`, which is that of UTF-16.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

_PROGRAM = "python tests/check_canonical.py"

try:
    import check_floats
    from helpers.checks import one_or_more, status_of

    from ssrjson_web import _core
    from ssrjson_web._cli.command_line import Parser, run_command
except ImportError as error:
    if __name__ != "__main__":
        raise
    sys.exit(f"{_PROGRAM}: error: {error}")

BATCH = 50_000
N_SHOWN = 10

NODE_PROGRAM = """
const canonical = (value) =>
  Array.isArray(value) ? "[" + value.map(canonical).join(",") + "]"
  : value !== null && typeof value === "object"
    ? "{" + Object.keys(value).sort().map((key) => JSON.stringify(key) + ":" + canonical(value[key])).join(",") + "}"
  : JSON.stringify(value);
const {bits, documents} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const view = new DataView(new ArrayBuffer(8));
const numbers = bits.map((word) => (view.setBigUint64(0, BigInt("0x" + word)), String(view.getFloat64(0))));
process.stdout.write(JSON.stringify({numbers, documents: documents.map((text) => canonical(JSON.parse(text)))}));
"""

ALPHABET = (
    '\0\x01\x1f\b\t\n\f\r "/\\abAZ09\x7f\x80éÿĀя中\u2028\u2029\ud7ff\ue000\ufb33\uffff' + "\U00010000😀\U0010ffff"
)


def ask_node(numbers: Sequence[float], documents: Sequence[str]) -> tuple[list[str], list[str]]:
    """The texts that node has for these floats and these JSON texts."""
    question = {"bits": [f"{word:x}" for word in check_floats.bits_of(numbers)], "documents": list(documents)}
    answer = subprocess.run(
        ["node", "-e", NODE_PROGRAM], input=json.dumps(question), capture_output=True, text=True, check=True
    )
    texts = json.loads(answer.stdout)
    return texts["numbers"], texts["documents"]


def random_text(draw: random.Random) -> str:
    return "".join(draw.choices(ALPHABET, k=draw.randrange(7)))


def random_value(draw: random.Random, depth: int = 4) -> Any:
    """A value of JSON whose numbers node reads as Python does."""
    kind = draw.randrange(7 if depth > 0 else 5)
    if kind == 6:
        return {random_text(draw): random_value(draw, depth - 1) for _ in range(draw.randrange(12))}
    if kind == 5:
        return [random_value(draw, depth - 1) for _ in range(draw.randrange(6))]
    return (
        draw.choice((None, True, False)),
        draw.randrange(-(2**53) + 1, 2**53),
        draw.uniform(-1e3, 1e3) * 10.0 ** draw.randrange(-30, 30),
        random_text(draw),
        random_text(draw),
    )[kind]


def differences(numbers: list[float], documents: list[Any], levels: Sequence[str]) -> Iterator[str]:
    """What the core writes otherwise than node does."""
    texts, canonical = ask_node(numbers, [json.dumps(document) for document in documents])
    for level in levels:
        previous = _core._use_level(level)
        try:
            written = _core.dumps(numbers, canonical=True)
            if written != f"[{','.join(texts)}]":
                got = written[1:-1].split(",")
                for number, text, ours in zip(numbers, texts, got, strict=True):
                    if text != ours:
                        yield f"{level}: {number.hex()}: expected {text}, got {ours}"
            for document, text in zip(documents, canonical, strict=True):
                for ours in (
                    _core.dumps(document, canonical=True),
                    _core.dumps_to_bytes(document, canonical=True).decode(),
                ):
                    if ours != text:
                        yield f"{level}: {document!r}: expected {text!r}, got {ours!r}"
        finally:
            _core._use_level(previous)


def sample(seed: int, index: int, size: int) -> tuple[list[float], list[Any]]:
    """About `size` finite floats, and a document for each hundred of them."""
    draw = random.Random(f"canonical {seed} {index}")
    return check_floats.batch(seed, index, size), [random_value(draw) for _ in range(-(-size // 100))]


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where the core agrees with node, 1 where not."""
    levels = _core.get_current_features()["levels"]
    parser = Parser(prog=_PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=one_or_more, default=1_000_000, metavar="N", help="default 1_000_000")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the random floats, default 1")
    options = parser.parse_args(arguments)
    if shutil.which("node") is None:
        parser.error("node is not on PATH: apt install nodejs")
    started = time.monotonic()
    n_done = n_documents = 0
    found: list[str] = []
    for index, start in enumerate(range(0, options.count, BATCH)):
        numbers, documents = sample(options.seed, index, min(BATCH, options.count - start))
        found += islice(differences(numbers, documents, levels), N_SHOWN)
        n_done += len(numbers)
        n_documents += len(documents)
        if found:
            break
    what = f"{n_done:,} floats and {n_documents:,} documents (seed {options.seed}) at {', '.join(levels)}"
    how = f"in {time.monotonic() - started:.0f} s: {'some differ from' if found else 'written as'} node's"
    return status_of(found, f"{what} {how}")


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
