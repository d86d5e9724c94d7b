"""The outcome in words: only statements that the figures support, and only of runs with a completed load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.demo.results import Results, Run
from bench.kit.records import MEGABYTE
from bench.kit.tables import gain, megabytes

__all__ = ["findings", "headline", "short_headline"]

_NO_GROWTH = "did not grow"


def headline(results: Results) -> str:
    """The outcome in a few sentences."""
    runs = results.finished_runs
    if not runs:
        return "No engine completed its load." if results.runs else "No engine gave a result."
    holding = _holding(runs)
    if not holding:
        text = f"{_names(runs)} left no cached UTF-8 copies in the catalogue's strings."
    else:
        text = _held(holding)
        ours, stdlib = _run(runs, "ssrjson_web"), _run(runs, "json")
        if ours is not None and not ours.server.copies_bytes:
            beside = f", with the standard library's json it {_grew(stdlib)}" if stdlib is not None else ""
            text += f" With ssrjson_web it {_grew(ours)}{beside}."
    left_out = [run for run in results.runs if run.cut_off is not None]
    return f"{text} Cut off, and left out: {_names(left_out)}." if left_out else text


def _held(holding: Sequence[Run]) -> str:
    catalogue = holding[0].catalogue_bytes
    growth = _span(holding, lambda run: run.growth_bytes, _about)
    if any(run.is_still for run in holding):
        copies = _span(holding, lambda run: run.server.copies_bytes, megabytes)
        return (
            f"{_names(holding)} left {copies} MB of cached UTF-8 copies in the catalogue's strings; the server grew by "
            f"{growth} MB."
        )
    share = _span(holding, lambda run: 100 * run.growth_bytes / catalogue, "{:.0f}".format)
    return (
        f"{_names(holding)} made the server {growth} MB bigger, {share} % of its {_about(catalogue)} MB catalogue, "
        "and malloc_trim did not undo it."
    )


def short_headline(results: Results) -> str:
    """The outcome as the title of a picture: the same number as in `headline`."""
    holding = _holding(results.finished_runs)
    clean = [run for run in results.finished_runs if not run.server.copies_bytes]
    if not holding or not clean:
        return "What serving JSON adds to a server's memory"
    if any(run.is_still for run in holding):
        copies = _span(holding, lambda run: run.server.copies_bytes, megabytes)
        return f"{_names(holding)} left {copies} MB of cached UTF-8 copies; {_names(clean)} left none"
    growth = _span(holding, lambda run: run.growth_bytes, _about)
    others = "did not" if all(run.is_still for run in clean) else "left no copies"
    return f"{_names(holding)} made the server {growth} MB bigger; {_names(clean)} {others}"


def findings(results: Results) -> list[tuple[str, str]]:
    """Titles and texts, in the order of the reader's questions."""
    return [*_of_copies(results), *_against_stdlib(results), *_control(results), *_preload(results), *_cut_off(results)]


def _of_copies(results: Results) -> Iterable[tuple[str, str]]:
    holding = _holding(results.finished_runs)
    if not holding:
        return
    held = _span(holding, lambda run: (run.server.caches or {})["cached_strings"], "{:,}".format)
    size = _span(holding, lambda run: run.server.copies_bytes, megabytes)
    yield (
        "Where the memory goes",
        f"{_names(holding)} asked CPython for a string's UTF-8 form, and CPython keeps that copy in the string until "
        f"the string is freed: {held} copies here, {size} MB. "
        "malloc_trim cannot give them back, because they are in use.",
    )
    yield (
        "Each string is copied once",
        f"Serving everything a second time added: {_each(holding, lambda run: run.second_pass_growth_bytes or 0)}. A "
        "copy takes at most 3 bytes for a Chinese or Japanese character, 2 for a Cyrillic or accented one, 4 for an "
        "emoji, 1 for an ASCII letter beside them, and is freed with its string. So it matters for text that stays in "
        "memory: catalogues, caches, configuration, translations. Strings that live as long as a request, such as rows "
        "from a database, are freed with their copies: no memory is gained.",
    )
    timed = [run for run in results.finished_runs if run.encode_first_us and run.encode_again_us]
    if timed:
        times = ", ".join(f"{run.engine} {run.encode_first_us:.0f} and {run.encode_again_us:.0f}" for run in timed)
        yield "What the copies buy", f"Median µs to encode a page the first time and later: {times}."


def _against_stdlib(results: Results) -> Iterable[tuple[str, str]]:
    stdlib, ours = _run(results.finished_runs, "json"), _run(results.finished_runs, "ssrjson_web")
    if stdlib is None or stdlib.server.copies_bytes:
        return
    text = "It leaves no cached UTF-8 copies."
    if ours is not None and not ours.server.copies_bytes:
        text = "It leaves no cached UTF-8 copies either"
        text += (
            ", so in a server like this one there is no memory to gain against it."
            if stdlib.is_still and ours.is_still
            else f"; the server {_grew(stdlib)} with it, and {_grew(ours)} with ssrjson_web, for other reasons."
        )
    yield "The standard library's json", text


def _control(results: Results) -> Iterable[tuple[str, str]]:
    runs = results.finished_control or tuple(run for run in results.finished_runs if run.script == "ascii")
    if not runs:
        return
    grown = _each(runs, lambda run: run.growth_bytes)
    if _holding(runs):
        text = (
            f"The data of ASCII text is its UTF-8 form, but copies were found with {_names(_holding(runs))}: {grown}."
        )
    else:
        text = f"The data of ASCII text is its UTF-8 form, so CPython never copies it: {grown}."
        if all(run.is_still for run in runs):
            text += " If your text is ASCII, memory is no reason to choose between these engines."
    yield "ASCII text", text


def _preload(results: Results) -> Iterable[tuple[str, str]]:
    runs = results.finished_preload
    if not runs:
        return
    grown = _each(runs, lambda run: run.mean_of_workers(lambda each: each.growth_bytes))
    copies = _each(runs, lambda run: run.mean_of_workers(lambda each: each.copies_bytes))
    yield (
        "Several workers over one preloaded catalogue",
        "A parent loads the catalogue, calls gc.freeze() and forks its workers. They share its memory, page by page, "
        "until one writes to a page. Private memory of a worker that has served each record once: "
        f"{grown}; of that, cached UTF-8 copies: {copies}. A copy's address "
        "is written into its string, so the string's page is no longer shared either. Before Python 3.12, and with "
        "sort_keys=True, the encoder of the standard library's json takes a reference to each key and value, which "
        "writes to the pages that hold them. The endpoint's own list of a page's records takes a reference to each "
        "record with every engine. Without the GIL (Python 3.13t and newer) workers can be threads of one process, "
        "which has the catalogue once and forks nothing: `python -m bench one-copy` compares the two, and "
        "docs/memory.md has figures.",
    )


def _cut_off(results: Results) -> Iterable[tuple[str, str]]:
    if results.cut_off:
        yield (
            "Cut off",
            f"UNFINISHED: {'; '.join(results.cut_off)}. The text above leaves these runs out. Their figures are not "
            "shown, because the load was not complete.",
        )


def _holding(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.server.copies_bytes]


def _run(runs: Sequence[Run], engine: str) -> Run | None:
    return next((run for run in runs if run.engine == engine), None)


def _grew(run: Run) -> str:
    grown = megabytes(run.growth_bytes)
    return f"grew by {grown} MB" if run.growth_bytes > 0 and grown != "0.0" else _NO_GROWTH


def _each(runs: Sequence[Run], n_bytes: Callable[[Run], float]) -> str:
    return ", ".join(f"{run.engine} {gain(n_bytes(run))} MB" for run in runs)


def _span(runs: Sequence[Run], value: Callable[[Run], float], text: Callable[[float], str]) -> str:
    """One number where all values are printed alike, else the lowest to the highest."""
    values = [value(run) for run in runs]
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def _names(runs: Sequence[Run]) -> str:
    names = [run.engine for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _about(n_bytes: float) -> str:
    return f"{n_bytes / MEGABYTE:.0f}"
