"""Changes the functions that frameworks call in a corpus, one at a time, and compares ours with their own way.

A function that ours leave out, because they do its work, must be followed all the same: it is named by `stands_in_for`,
so that a text of no known release leaves its work to the framework.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Sequence

from mutations.run import CORPORA, Function, differences_of, functions_of, named, preload

__all__ = ["PROGRAM", "main"]

PROGRAM = "python -m mutations"


def chosen(functions: Sequence[Function], names: frozenset[str], n: int, seed: int) -> list[Function]:
    """Some functions that ours leave out without a name, some that they name, and some that they call."""
    kinds: dict[tuple[bool, bool], list[Function]] = {}
    for function in functions:
        kinds.setdefault((function.is_left_out, function.dotted_name in names), []).append(function)
    numbers = random.Random(seed)
    found = [one for kind in kinds.values() for one in numbers.sample(kind, min(n, len(kind)))]
    return sorted(found)


def check(corpus: str, *, n: int | None, seed: int, like: str) -> int:
    """Check one corpus, say what differs, and return how many functions are not followed."""
    started = time.monotonic()
    preload(corpus)
    functions, names = functions_of(corpus), named(corpus)
    changed = [one for one in functions if like in one.dotted_name]
    if n is not None:
        changed = chosen(changed, names, n, seed)
    found = differences_of(corpus, changed)
    for function, wrong in found.items():
        print(f"{corpus}: {function} is not followed, and {'is' if function in names else 'is not'} named")
        print(*(f"    {line[:2000]}" for line in wrong), sep="\n")
    n_left_out = sum(one.is_left_out for one in functions)
    print(
        f"{corpus}: {len(functions)} functions are called, of which ours leave {n_left_out} out; "
        f"{len(changed)} were changed, {len(found)} are not followed; {time.monotonic() - started:.0f} s",
        flush=True,
    )
    return len(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    parser.add_argument("corpora", nargs="*", default=[*CORPORA], help=f"which ones of {', '.join(CORPORA)}")
    parser.add_argument("--sample", type=int, help="change this number of functions of each kind; by default all")
    parser.add_argument("--seed", type=int, default=0, help="another sample")
    parser.add_argument("--like", default="", help="change functions with this in their name only")
    options = parser.parse_args(arguments)
    unknown = set(options.corpora) - set(CORPORA)
    if unknown:
        parser.error(f"no corpus {', '.join(sorted(unknown))}")
    if len(options.corpora) > 1:  # what one imports, another changes; all run, whatever fails
        return max(_in_process(one, options) for one in options.corpora)
    return int(check(options.corpora[0], n=options.sample, seed=options.seed, like=options.like) > 0)


def _in_process(corpus: str, options: argparse.Namespace) -> int:
    words = [corpus, "--seed", str(options.seed), f"--like={options.like}"]
    if options.sample is not None:
        words += ["--sample", str(options.sample)]
    return subprocess.run([sys.executable, "-m", "mutations", *words], check=False).returncode
