"""`make fuzz`: the targets at every level that this CPU has, each for its share of the minutes; see tests/README.md."""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from fuzz import corpus
from fuzz.targets import SHARES

HERE = Path(__file__).parent
FINDS = Path("build/fuzz/finds")

LONGEST_INPUT = 800
REPORT_SECONDS = 20
START_SECONDS = 3  # what an interpreter needs to be under way

OPTIONS = (
    "-print_final_stats=1",
    f"-max_len={LONGEST_INPUT}",
    "-len_control=20",
    "-timeout=60",
    "-report_slow_units=60",
    "-rss_limit_mb=3000",
)


@dataclass
class Job:
    """One target at one level."""

    target: str
    level: str
    seconds: float = 0
    executions: int = 0
    edges: int = 0
    exit_code: int | None = None

    @property
    def name(self) -> str:
        return f"{self.target}-{self.level.replace('.', '')}"

    def read(self, line: str) -> None:
        """Take figures out of one of libFuzzer's lines."""
        if found := re.match(r"#(\d+)\t\w+ +cov: (\d+)", line):
            self.executions, self.edges = int(found[1]), int(found[2])
        elif found := re.match(r"stat::number_of_executed_units: (\d+)", line):
            self.executions = max(self.executions, int(found[1]))

    def __str__(self) -> str:
        return f"{self.target:8} {self.level:9} {self.executions:12,} executions, {self.edges:6,} edges"


def environment(arguments: argparse.Namespace) -> dict[str, str]:
    names = ("ASAN_OPTIONS", "UBSAN_OPTIONS")
    inherited = {name: value for name, value in os.environ.items() if name not in names}
    return inherited | {
        "LD_PRELOAD": arguments.preload,
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(HERE.parent),
        "SSRJSON_FUZZ_BUILD": arguments.build,
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def levels_here(arguments: argparse.Namespace) -> list[str]:
    """The levels of this CPU, out of a process that can import a core with sanitizers."""
    program = "from ssrjson_web import _core; print(*_core.get_current_features()['levels'])"
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment(arguments), stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()


def command(job: Job, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "fuzz.run", job.target, job.level, str(FINDS), *arguments]


def is_news(line: str) -> bool:
    """Whether a line is none of libFuzzer's own about its progress."""
    return not re.match(r"#\d|INFO:|\t?NEW_FUNC|stat::|Done \d|#####|\"|Running:|MS: |0x|\\|$", line)


def follow(process: subprocess.Popen[str], job: Job) -> None:
    """Pass on what is to be seen of a run, and now and then how far it got."""
    assert process.stderr is not None
    last = time.monotonic()
    for line in process.stderr:
        job.read(line)
        if is_news(line):
            print(line, end="", file=sys.stderr, flush=True)
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            print(f"   {job}", flush=True)


def run(job: Job, arguments: argparse.Namespace, working: Path) -> None:
    """Fuzz for the job's time; what ends the process early is kept by libFuzzer."""
    folder = working / job.target
    corpus.unpack(job.target, folder)
    seconds = max(1, round(job.seconds - START_SECONDS))
    options = [*OPTIONS, f"-max_total_time={seconds}", f"-artifact_prefix={FINDS}/{job.name}-"]
    process = subprocess.Popen(
        command(job, "--", str(folder), *options),
        env=environment(arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    killer = threading.Timer(seconds + 120, process.kill)
    killer.start()
    try:
        follow(process, job)
        job.exit_code = process.wait()
    finally:
        killer.cancel()
        process.kill()
        process.wait()


def jobs_of(arguments: argparse.Namespace) -> list[Job]:
    jobs = [Job(target, level) for level in arguments.level for target in arguments.target]
    shares = sum(SHARES[job.target] for job in jobs)
    for job in jobs:
        job.seconds = arguments.minutes * 60 * SHARES[job.target] / shares
    return jobs


def kept() -> list[Path]:
    """The inputs that showed something, in this run or before."""
    return sorted(path for path in FINDS.iterdir() if path.suffix != ".txt")


def reproduction(path: Path) -> str:
    return f"make fuzz ARGS='--reproduce {path}'"


def reproduce(path: Path, arguments: argparse.Namespace) -> int:
    target, level_name, *_ = path.name.split("-")
    level = next((level for level in arguments.levels if level.replace(".", "") == level_name), None)
    if target not in SHARES or level is None:
        raise SystemExit(f"{path}: no input of `make fuzz`: its name says no target and level of this machine")
    code = subprocess.run(command(Job(target, level), str(path)), env=environment(arguments), check=False).returncode
    print("reproduced" if code else "this input shows nothing any more")
    return int(code != 0)


def merge(arguments: argparse.Namespace, working: Path) -> None:
    """Commit the smallest part of what was gathered, and of what is there, that covers as much."""
    for target in arguments.target:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                command(Job(target, arguments.level[-1]), "--", "-merge=1", *OPTIONS, folder, str(working / target)),
                env=environment(arguments),
                stderr=subprocess.DEVNULL,
                check=True,
            )
            corpus.save(target, (path.read_bytes() for path in Path(folder).iterdir()))


def fuzz(arguments: argparse.Namespace, working: Path) -> int:
    FINDS.mkdir(parents=True, exist_ok=True)
    known = set(kept())
    jobs = jobs_of(arguments)
    for job in jobs:
        print(f"== {job.target} at {job.level}, {job.seconds:.0f} seconds", flush=True)
        run(job, arguments, working)
        print(f"   {job}", flush=True)
    if arguments.merge:
        merge(arguments, working)
    finds = [path for path in kept() if path not in known]
    failed = [job for job in jobs if job.exit_code != 0]
    print("\n".join(["", *map(str, jobs)]))
    print(f"{sum(job.executions for job in jobs):,} executions, {len(finds)} finds")
    for path in finds:
        print(f"   {path}: {reproduction(path)}")
    for job in failed:
        print(f"   {job.name} ended with exit code {job.exit_code}")
    return int(bool(finds or failed))


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--preload", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=5, help="of all targets and levels together (5)")
    parser.add_argument("--target", nargs="+", choices=SHARES, default=list(SHARES))
    parser.add_argument("--level", nargs="+", help="portable, sse4.2, ... (all of this CPU)")
    parser.add_argument("--reproduce", type=Path, metavar="FILE", help="run one input that was kept")
    parser.add_argument("--merge", action="store_true", help="bring tests/fuzz/corpus up to date")
    parser.add_argument("--working", type=Path, metavar="FOLDER", help="keep what the fuzzer gathers there")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is under way is ended too
    arguments.levels = levels_here(arguments)
    arguments.level = arguments.level or arguments.levels
    if not set(arguments.level) <= set(arguments.levels):
        parser.error(f"--level takes {', '.join(arguments.levels)}")
    if arguments.reproduce is not None:
        return reproduce(arguments.reproduce, arguments)
    if arguments.working is not None:
        return fuzz(arguments, arguments.working)
    with tempfile.TemporaryDirectory(prefix="ssrjson-fuzz-") as folder:
        return fuzz(arguments, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
