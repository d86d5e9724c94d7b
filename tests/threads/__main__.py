"""The command of `make test-threads`."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import threading
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase

from threads.calls import READERS, WRITERS, sizes
from threads.run import call_at_once
from threads.shared import Shared


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="make test-threads ARGS='...'",
        description="Threads that make every call at once, on objects that other threads change. The exit status is 1 "
        "where a result was wrong or a thread failed, and ThreadSanitizer's where it has found a data race.",
    )
    made.add_argument("calls", nargs="*", metavar="CALL", help="names or globs of calls that read; all by default")
    made.add_argument("--list", action="store_true", help="print the names of the calls and stop")
    made.add_argument("--minutes", type=float, default=1, metavar="N", help="how long; default 1")
    made.add_argument("--readers", type=int, default=4, metavar="N", help="threads that read; default 4")
    made.add_argument("--writers", type=int, default=2, metavar="N", help="threads that write; default 2")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the order of calls; default 0")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    names = [name for name in READERS if any(fnmatchcase(name, wanted) for wanted in options.calls or ["*"])]
    if options.list or not names:
        print("\n".join([*READERS, *WRITERS]))
        return 0 if options.list else 2
    faulthandler.enable()
    shared = Shared()
    timer = threading.Timer(options.minutes * 60, shared.stop.set)
    timer.start()
    started = time.monotonic()
    n_calls = call_at_once(shared, names, n_readers=options.readers, n_writers=options.writers, seed=options.seed)
    timer.cancel()
    print(f"{n_calls} calls in {time.monotonic() - started:.0f} s: {sizes()}")
    for failure in shared.failures[:20]:
        print(f"wrong: {failure}", file=sys.stderr)
    return 1 if shared.failures else 0


if __name__ == "__main__":
    sys.exit(main())
