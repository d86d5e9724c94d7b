"""`make check-growth`: instructions for inputs of n, 2n and 4n units, for each way to decode and to split the input."""

from __future__ import annotations

import sys

from growth.run import counts_of, too_fast


def main() -> int:
    counts = counts_of(*(sys.argv[1:] or ["*"]))
    for name, by_times in sorted(counts.items()):
        print(f"{name:45} {by_times[1]:12,} x {by_times[2] / by_times[1]:4.2f} x {by_times[4] / by_times[2]:4.2f}")
    faults = list(too_fast(counts))
    print("\n".join(["", *faults, f"{len(counts)} calls, {len(faults)} grow faster than their input"]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
