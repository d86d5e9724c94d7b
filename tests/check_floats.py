"""Compare the core's floats with Python's, as `make check-floats ARGS='...'` does.

Writing and reading are checked at every level of this CPU. The text must be that of `float.__repr__`, among floats and
alone, and reading that text must return the same bits. Other spellings are read too: with 15 to 40 digits, truncated or
not, and halfway between two doubles. Each must give the value of `float()`.
"""

from __future__ import annotations

import math
import os
import random
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import islice

_PROGRAM = "python tests/check_floats.py"

try:
    from helpers.checks import in_processes, one_or_more, status_of

    from ssrjson_web import _core
    from ssrjson_web._cli.command_line import Parser, run_command
except ImportError as error:
    if __name__ != "__main__":
        raise
    sys.exit(f"{_PROGRAM}: error: {error}")

BATCH = 60_000
"""Size of a batch of numbers. The numbers of a batch depend only on the seed and its index."""
N_SHOWN = 10

Kind = Callable[[random.Random, int], list[float]]
"""Makes about n random finite doubles."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A double that the core wrote or read differently from Python."""

    level: str
    what: str
    number: float
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.level}: {self.what} {self.number.hex()}: expected {self.expected}, got {self.got}"


def from_bits(patterns: Sequence[int]) -> list[float]:
    """The finite ones among the doubles that have these bits."""
    return [number for number in array("d", array("Q", patterns).tobytes()) if math.isfinite(number)]


def bits_of(numbers: Sequence[float]) -> array[int]:
    return array("Q", array("d", numbers).tobytes())


def random_words(draw: random.Random, n: int) -> array[int]:
    return array("Q", draw.randbytes(8 * n))


def random_bits(draw: random.Random, n: int) -> list[float]:
    return from_bits(random_words(draw, n))


def random_subnormals(draw: random.Random, n: int) -> list[float]:
    return from_bits([(word & (2**52 - 1)) >> (word >> 52) % 52 for word in random_words(draw, n)])


def random_decimals(draw: random.Random, n: int) -> list[float]:
    """1 to 17 digits, with any exponent."""
    return [
        number
        for word in random_words(draw, n)
        if math.isfinite(number := float(f"{word % 10 ** (1 + word % 17)}e{(word >> 32) % 640 - 330}"))
    ]


def everyday_decimals(draw: random.Random, n: int) -> list[float]:
    """Up to 15 digits, up to 15 of them after the point: the quotient is the nearest double."""
    scales = [10**places for places in range(16)]
    return [word % scales[1 + (word >> 50) % 15] / scales[(word >> 55) % 16] for word in random_words(draw, n)]


def short_decimals(draw: random.Random, n: int) -> list[float]:
    """Up to 13 digits, up to 6 of them after the point, of both signs: what a run of few digits takes."""
    return [
        (1 - 2 * (word >> 63)) * (word % 10 ** (1 + (word >> 50) % 13)) / 10 ** (1 + (word >> 55) % 6)
        for word in random_words(draw, n)
    ]


def near_short_decimals(draw: random.Random, n: int) -> list[float]:
    """Up to 15 digits, up to 9 of them after the point: half exactly, half up to 2 units in the last place off."""
    decimals = [word % 10 ** (1 + (word >> 50) % 15) / 10 ** ((word >> 55) % 10) for word in random_words(draw, n)]
    steps = random_words(draw, n)
    return from_bits(
        [
            max(0, bits + (step >> 1) % 5 - 2) if step & 1 else bits
            for bits, step in zip(bits_of(decimals), steps, strict=True)
        ]
    )


def unit_interval(draw: random.Random, n: int) -> list[float]:
    return [draw.random() for _ in range(n)]


def near_powers(draw: random.Random, n: int) -> list[float]:
    """At most 1000 units in the last place from a power of two or of ten, or on it."""
    return from_bits([_POWERS[word % len(_POWERS)] + (word >> 32) % 2001 - 1000 for word in random_words(draw, n)])


def large_integers(draw: random.Random, n: int) -> list[float]:
    """Around 2**53 and up to 10**17, where repr changes to an exponent."""
    return [float(2**53 + word % 2**20 - 2**19 if word >> 63 else word % 10**17) for word in random_words(draw, n)]


def halves(draw: random.Random, n: int) -> list[float]:
    """Halves, quarters and so on: ties between two decimals."""
    return [(word >> 12) / 2 ** (1 + word % 8) if word & 1 else (word >> 11) / 2 for word in random_words(draw, n)]


_POWERS = [
    bits
    for bits in bits_of([2.0**e for e in range(-1074, 1024)] + [float(f"1e{e}") for e in range(-323, 309)])
    if bits >= 1000
]
KINDS: Sequence[Kind] = (
    random_bits,
    random_subnormals,
    random_decimals,
    everyday_decimals,
    short_decimals,
    near_short_decimals,
    unit_interval,
    near_powers,
    large_integers,
    halves,
)


def batch(seed: int, index: int, size: int) -> list[float]:
    """About `size` finite doubles: each kind by itself, and the same number with the other sign, all mixed."""
    draw = random.Random(f"{seed} {index}")
    n_kind = -(-size // (2 * len(KINDS)))
    apart = [number for kind in KINDS for number in kind(draw, n_kind)]
    mixed = [-number for kind in KINDS for number in kind(draw, n_kind)]
    draw.shuffle(mixed)
    return apart + mixed


N_BETWEEN_HALFWAYS = 500
"""One double in this many is followed by the number halfway to the next double, which needs many digits."""

EXACT = Context(prec=800)


def halfway_behind(number: float) -> str:
    """The decimal number, of up to 770 digits, halfway between a double and its neighbour, or just beside that."""
    neighbour = math.nextafter(number, 0.0)
    middle = EXACT.divide(EXACT.add(Decimal(number), Decimal(neighbour)), Decimal(2))
    text = f"{middle:e}"
    mantissa, _, exponent = text.partition("e")
    last = "" if bits_of([number])[0] & 2 else "1" if bits_of([number])[0] & 4 else "000"
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{last}e{exponent}"


def other_spellings(numbers: Sequence[float]) -> list[str]:
    """Each double in more digits than it needs, or in fewer."""
    places = (16, 17, 18, 19, 20, 24, 39, 14)
    texts = [f"{number:.{places[i % len(places)]}e}" for i, number in enumerate(numbers)]
    texts[3::16] = [text.replace("e", "E").replace("+", "") for text in texts[3::16]]
    texts[::N_BETWEEN_HALFWAYS] = map(halfway_behind, numbers[::N_BETWEEN_HALFWAYS])
    return texts


def differences(numbers: list[float], levels: Sequence[str]) -> Iterator[Difference]:
    """All differences between the core and Python for these doubles."""
    texts = [*map(float.__repr__, numbers)]
    among_floats = f"[{','.join(texts)}]".encode()
    alone: list[float | None] = [None] * (2 * len(numbers))
    alone[::2] = numbers
    alone_text = f"[{',null,'.join(texts)},null]".encode()
    readings = [(numbers, texts), ([*map(float, spellings := other_spellings(numbers))], spellings)]
    for level in levels:
        previous = _core._use_level(level)
        try:
            if _core.dumps_to_bytes(numbers) != among_floats or _core.dumps_to_bytes(alone) != alone_text:
                yield from written_differently(level, numbers, texts)
            for expected, spelt in readings:
                if bits_of(_core.loads(f"[{','.join(spelt)}]")) != bits_of(expected):
                    yield from read_differently(level, expected, spelt)
        finally:
            _core._use_level(previous)


def read_differently(level: str, numbers: Sequence[float], texts: Sequence[str]) -> Iterator[Difference]:
    for number, text in zip(numbers, texts, strict=True):
        for document in (text, f"[{text},0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"):
            read = _core.loads(document)
            got = read if document is text else read[0]
            if bits_of([got]) != bits_of([number]):
                yield Difference(
                    level=level, what=f"read from {text}", number=number, expected=repr(number), got=repr(got)
                )


def written_differently(level: str, numbers: Sequence[float], texts: Sequence[str]) -> Iterator[Difference]:
    n_found = 0
    for number, text in zip(numbers, texts, strict=True):
        for what, value, expected in (
            ("written among floats", [number] * 9, f"[{','.join([text] * 9)}]"),
            ("written alone", number, text),
        ):
            got = _core.dumps(value)
            if got != expected:
                n_found += 1
                yield Difference(level=level, what=what, number=number, expected=expected, got=got)
    if n_found == 0:
        yield Difference(
            level=level,
            what="written differently only in one list, which begins with this number:",
            number=numbers[0],
            expected="the text of each number alone",
            got="another text",
        )


def check_batch(seed: int, index: int, size: int, levels: Sequence[str]) -> tuple[int, list[Difference]]:
    """The number of doubles that were compared with Python, and the first differences."""
    numbers = batch(seed, index, size)
    return len(numbers), list(islice(differences(numbers, levels), N_SHOWN))


def check(n_wanted: int, seed: int, levels: Sequence[str], n_processes: int) -> tuple[int, list[Difference]]:
    """The results of `check_batch` for many batches together."""
    n_done = 0
    sizes = [min(BATCH, n_wanted - start) for start in range(0, n_wanted, BATCH)]
    cases = ((seed, index, size, levels) for index, size in enumerate(sizes))

    def said() -> str:
        return f"{n_done:,} of {n_wanted:,} doubles, {n_done / n_wanted:.0%}, no difference so far"

    with closing(in_processes(check_batch, cases, n_processes=n_processes, said=said)) as results:
        for n_batch, found in results:
            n_done += n_batch
            if found:
                return n_done, found
    return n_done, []


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where the core agrees with Python, 1 where not. Ctrl-C: KeyboardInterrupt."""
    available = _core.get_current_features()["levels"]
    parser = Parser(prog=_PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--count", type=one_or_more, default=100_000_000, metavar="N", help="doubles, default 100_000_000"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the random doubles, default 1")
    parser.add_argument("--levels", default=",".join(available), metavar="NAMES", help=f"default {','.join(available)}")
    parser.add_argument("--processes", type=one_or_more, default=len(os.sched_getaffinity(0)), metavar="N")
    options = parser.parse_args(arguments)
    levels = options.levels.split(",")
    if not set(levels) <= set(available):
        parser.error(f"--levels: this CPU has {', '.join(available)}")
    started = time.monotonic()
    n_done, found = check(options.count, options.seed, levels, options.processes)
    what = f"{n_done:,} doubles (seed {options.seed}) at {', '.join(levels)} in {time.monotonic() - started:.0f} s"
    ending = "some differ from Python's" if found else "written and read as Python does"
    return status_of(found, f"{what}: {ending}")


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
