"""The whole demo: every engine in every part, then the reports."""

from __future__ import annotations

from collections.abc import Sequence

from bench.demo.engines import ENGINES
from bench.demo.measure import WrongAnswer, measure
from bench.demo.results import Failure, Options, Results, Run, describe_demo_machine, package_versions
from bench.demo.server import serving
from bench.kit.processes import ProcessDied
from bench.kit.progress import Progress
from bench.kit.tables import megabytes

__all__ = ["EXTRA_HINT", "run"]

EXTRA_HINT = "pip install 'ssrjson_web[demo]'"

_CONTROL_ENGINES = ("orjson", "ssrjson_web")
_PRELOAD_ENGINES = ("json", "orjson", "ssrjson_web")
_SHORT_SHARE = 0.6
"""The control and the preload case last for this part of the time: they need no long plateau."""


def run(options: Options, *, progress: Progress, command: Sequence[str]) -> Results:
    """Measure all engines; an engine that fails is reported in a line and a `Failure`, and the others go on."""
    failures: list[Failure] = []
    engines = []
    for name in options.engines:
        if ENGINES[name].is_installed:
            engines.append(name)
            continue
        failure = Failure(engine=name, part="all", reason=f"{name} is not installed: {EXTRA_HINT}", is_missing=True)
        failures.append(failure)
        progress.say(f"{name} is left out: it is not installed ({EXTRA_HINT})")
    stage = _Stage(options=options, progress=progress, failures=failures)
    has_control = options.has_control and options.script != "ascii"
    controlled = _some(engines, _CONTROL_ENGINES) if has_control else []
    preloaded = _some(engines, _PRELOAD_ENGINES) if options.has_preload else []
    short = _SHORT_SHARE * options.seconds
    progress.plan(len(engines) + len(controlled) + len(preloaded))
    runs = [stage.measured(name, part="sweep", script=options.script, seconds=options.seconds) for name in engines]
    control = [stage.measured(name, part="ascii control", script="ascii", seconds=short) for name in controlled]
    preload = [
        stage.measured(name, part="preload", script=options.script, seconds=short, workers=options.workers)
        for name in preloaded
    ]
    return Results(
        options=options,
        machine=describe_demo_machine(command=command),
        versions=package_versions(),
        runs=tuple(filter(None, runs)),
        control=tuple(filter(None, control)),
        preload=tuple(filter(None, preload)),
        failures=tuple(failures),
    )


def _some(engines: Sequence[str], preferred: Sequence[str]) -> list[str]:
    """The preferred engines that run; if there are none, the engines that do run."""
    return [name for name in engines if name in preferred] or list(engines)


class _Stage:
    """Runs one engine at a time on a server of its own."""

    def __init__(self, *, options: Options, progress: Progress, failures: list[Failure]) -> None:
        self._options = options
        self._progress = progress
        self._failures = failures

    def measured(self, engine: str, *, part: str, script: str, seconds: float, workers: int = 0) -> Run | None:
        """One engine on one server, of a single process or of forked workers; None where it fails."""
        self._progress.start(f"{engine} ({part})", "loading the catalogue")
        try:
            seed, size, show = self._options.seed, self._options.megabytes, self._progress.advance
            with serving(engine=engine, megabytes=size, script=script, seed=seed, workers=workers) as server:
                done = measure(server, engine=engine, script=script, seed=seed, seconds=seconds, on_page=show)
        except (ProcessDied, WrongAnswer, OSError) as error:
            self._failures.append(Failure(engine=engine, part=part, reason=str(error)))
            self._progress.finish(f"FAILED, going on without it: {error}")
            return None
        kind, before, after = "RSS", float(done.server.rss_base_bytes), float(done.server.rss_trimmed_bytes)
        if workers:
            kind = "private memory of a worker"
            before = done.mean_of_workers(lambda each: each.uss_base_bytes)
            after = done.mean_of_workers(lambda each: each.uss_trimmed_bytes)
        self._progress.finish(
            f"{sum(sweep.requests for sweep in done.sweeps):,} pages in {done.sweeps[0].seconds:.1f} s, "
            f"{kind} {megabytes(before)} to {megabytes(after)} MB, "
            f"{megabytes(done.mean_of_workers(lambda each: each.copies_bytes))} MB in cached UTF-8 copies"
            + ("" if done.cut_off is None else f"; UNFINISHED, {done.cut_off}")
        )
        return done
