"""`make test-collections`: attack each call at each moment at which Python code may run.

A case makes a document and gives it to the core. Then the case runs again, once for each call of CPython's API that
may run Python code: at that call all containers of the document are cleared. Errors are allowed, a crash or a report
of AddressSanitizer is not. Each attack is in a process of its own, so that what happens once in a process, such as
the first look at a class, is attacked, too.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from collecting.cases import Case, cases
from collecting.hook import Hook
from ssrjson_web import _core

MAX_CALLS = 300
"""Calls of a case after which no more are attacked."""
N_FRAMES = 6


class Attacker:
    """Runs cases at one level."""

    def __init__(self, level: str) -> None:
        self.level = level
        self.hook = Hook()
        self.reached: Counter[str] = Counter()
        """Attacks, by the function of the API at which they took place."""

    def run(self, case: Case) -> list[str]:
        """What was wrong: a line for each attack that crashed."""
        n_calls, report = self._child(case, -1)
        if n_calls is None:
            return [f"{case.name}, not attacked: {report}"]
        faults = []
        for n in range(min(n_calls, MAX_CALLS)):
            done, report = self._child(case, n)
            if done is None:
                faults.append(f"{case.name}, call {n}: {report}")
        return faults

    def _child(self, case: Case, n: int) -> tuple[int | None, str]:
        """The number of calls of a case of which call n is attacked, in a process of its own; or None and why."""
        with tempfile.TemporaryFile() as errors:
            reader, writer = os.pipe()
            process = os.fork()
            if process == 0:
                os.dup2(errors.fileno(), 2)
                status = 1
                try:
                    self._attack(case, n, writer)
                    status = 0
                finally:
                    os._exit(status)
            os.close(writer)
            with os.fdopen(reader, "rb") as told:
                *reached, last = told.read().decode().split("\n")
            status = os.waitpid(process, 0)[1]
            self.reached.update(reached)
            if status == 0:
                return int(last), ""
            errors.seek(0)
            return None, f"in {', '.join(reached) or 'no call'}\n{_excerpt(errors.read().decode(errors='replace'))}"

    def _attack(self, case: Case, n: int, writer: int) -> None:
        _core._use_level(self.level)
        document = case.make()

        def attack() -> None:
            os.write(writer, f"{self.hook.last_call()}\n".encode())
            case.attack(document)

        self.hook.start(attack, n, n + 1)
        with contextlib.suppress(Exception):
            case.run(document)
        n_calls = self.hook.stop()
        document = None
        gc.collect()
        os.write(writer, str(n_calls).encode())


def _excerpt(text: str) -> str:
    """The frames of the core and the reason, of a report of a sanitizer; otherwise the end of the text."""
    reasons = re.findall(r"^SUMMARY.*|.*runtime error.*|.*Assertion.*", text, re.MULTILINE)
    frames = re.findall(r"^ +#\d+ 0x\w+ in (\w+ \S*core/\S+)", text, re.MULTILINE)
    return "\n".join(f"    {line}" for line in [*reasons, *frames[:N_FRAMES]]) or text[-500:]


def main() -> int:
    levels = _core.get_current_features()["levels"]
    parser = argparse.ArgumentParser(prog="make test-collections", description=__doc__)
    parser.add_argument("--level", nargs="+", choices=levels, default=[levels[-1], levels[0]])
    parser.add_argument("--match", default="", help="cases whose names match this regular expression")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case of N")
    arguments = parser.parse_args()
    chosen = [case for case in cases() if re.search(arguments.match, case.name)][:: arguments.every]
    gc.collect()
    gc.freeze()
    n_faults = 0
    for level in arguments.level:
        attacker = Attacker(level)
        for number, case in enumerate(chosen):
            if sys.stderr.isatty():
                print(f"\r{level}: {number:,} of {len(chosen):,} cases", end="", file=sys.stderr)
            faults = attacker.run(case)
            n_faults += len(faults)
            print(*faults, sep="\n", end="\n" if faults else "", flush=True)
        reached = ", ".join(f"{name} {n}" for name, n in attacker.reached.most_common())
        print(f"{level}: {len(chosen):,} cases, {attacker.reached.total():,} attacks: {reached}", flush=True)
    print(f"{n_faults} crashed" if n_faults else "none crashed")
    return int(n_faults > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main())
