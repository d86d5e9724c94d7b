"""The outcome in words: only statements that the figures support.

Only runs with a completed load are described. A sentence that is not true of all results is written only where the
figures support it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.demo.results import EngineRun, PreloadRun, Results
from bench.kit.records import MEGABYTE

__all__ = ["Finding", "findings", "headline", "preload_finding", "short_headline"]

_UNSHARED_SHARE = 0.5
"""Private growth of a worker above this part of the catalogue means that most of it is no longer shared."""
_SHARED_SHARE = 0.15
"""Private growth of a worker below this part of the catalogue comes only from the endpoint's own lists."""
_FASTER_SHARE = 0.95
"""A time below this part of another is shorter by more than noise."""
_NO_GROWTH = "did not grow"
_BORROWING_PYTHON = (3, 12)
"""Since this version the encoder of stdlib's json walks a dict with borrowed references."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing learned."""

    title: str
    paragraphs: tuple[str, ...]


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
        if ours is not None and not ours.caches["bytes"]:
            text += f" With ssrjson_web it {_grew(ours)}{_beside(ours, stdlib)}."
    left_out = [run for run in results.runs if run.cut_off is not None]
    return f"{text} Cut off, and left out: {_names(left_out)}." if left_out else text


def _held(holding: Sequence[EngineRun]) -> str:
    catalogue = holding[0].catalogue_bytes
    growth = _span(holding, lambda run: run.growth_bytes, _about)
    if any(run.is_still for run in holding):
        copies = _span(holding, lambda run: run.caches["bytes"], _mb)
        return (
            f"{_names(holding)} left {copies} MB of cached UTF-8 copies in the catalogue's strings; the server grew by "
            f"{growth} MB."
        )
    share = _span(holding, lambda run: 100 * run.growth_bytes / catalogue, "{:.0f}".format)
    return (
        f"{_names(holding)} made the server {growth} MB bigger, {share} % of its {_about(catalogue)} MB catalogue, "
        "and malloc_trim did not undo it."
    )


def _beside(ours: EngineRun, stdlib: EngineRun | None) -> str:
    if stdlib is None:
        return ""
    if _grew(ours) != _grew(stdlib):
        return f", with the standard library's json it {_grew(stdlib)}"
    return f", {'nor' if _grew(ours) == _NO_GROWTH else 'as'} with the standard library's json"


def short_headline(results: Results) -> str:
    """The outcome as the title of a picture: the same number as in `headline`."""
    holding = _holding(results.finished_runs)
    clean = [run for run in results.finished_runs if not run.caches["bytes"]]
    if not holding or not clean:
        return "What serving JSON adds to a server's memory"
    if any(run.is_still for run in holding):
        copies = _span(holding, lambda run: run.caches["bytes"], _mb)
        return f"{_names(holding)} left {copies} MB of cached UTF-8 copies; {_names(clean)} left none"
    growth = _span(holding, lambda run: run.growth_bytes, _about)
    others = "did not" if all(run.is_still for run in clean) else "left no copies"
    return f"{_names(holding)} made the server {growth} MB bigger; {_names(clean)} {others}"


def findings(results: Results) -> list[Finding]:
    """All findings that the results support, in the order of the reader's questions."""
    return [
        *_where(results),
        *_plateau(results),
        *_what_copies_buy(results),
        *_against_stdlib(results),
        *_control(results),
        *preload_finding(results),
        *_cut_off(results),
    ]


def _where(results: Results) -> Iterable[Finding]:
    holding = _holding(results.finished_runs)
    if not holding:
        return
    copies = _span(holding, lambda run: run.caches["bytes"], _mb)
    held = _span(holding, lambda run: run.caches["cached_strings"], "{:,}".format)
    text = (
        f"{_names(holding)} {_verb(holding, 'ask')} CPython for a string's UTF-8 form, and CPython keeps that "
        f"copy in the string until the string is freed: {held} copies here, {copies} MB. malloc_trim cannot "
        "give them back, because they are in use."
    )
    yield Finding(title="Where the memory goes", paragraphs=(text,))


def _plateau(results: Results) -> Iterable[Finding]:
    holding = _holding(results.finished_runs)
    if not holding:
        return
    again = [growth for run in holding if (growth := run.second_pass_growth_bytes) is not None]
    is_plateau = all(run.is_level for run in holding)
    measured = ""
    if is_plateau:
        measured = f"Serving everything a second time added {_mb(max(0, *again))} MB. "
    elif len(again) == len(holding):
        rising = [run for run in holding if not run.is_level]
        measured = (
            f"Serving everything a second time added up to {_mb(max(again))} MB ({_names(rising)}), which the copies "
            "do not explain. "
        )
    bound = (
        f"{measured}A string is copied once: at most 3 bytes for a Chinese or Japanese character in it, 2 for a "
        "Cyrillic or accented one, 4 for an emoji, 1 for an ASCII letter beside them. The copy is freed with the "
        "string."
    )
    who = (
        "So it matters for text that stays in memory: catalogues, caches, configuration, translations. Strings that "
        "live as long as a request, such as rows from a database, are freed with their copies: no memory is gained."
    )
    title = "A plateau, not a leak" if is_plateau else "Each string is copied once"
    yield Finding(title=title, paragraphs=(bound, who))


def _what_copies_buy(results: Results) -> Iterable[Finding]:
    timed = [run for run in _holding(results.finished_runs) if run.encode_first_us and run.encode_again_us]
    ours = _run(results.finished_runs, "ssrjson_web")
    if not timed:
        return
    times = "Median µs to encode a page the first time and later: "
    times += ", ".join(f"{run.engine} {run.encode_first_us:.0f} and {run.encode_again_us:.0f}" for run in timed) + "."
    if all(map(_is_faster_again, timed)):
        text = f"Time, when the same text is served again. {times}"
    elif not any(map(_is_faster_again, timed)):
        text = f"No time that shows in this run, when the same text is served again. {times}"
    else:
        text = times
    if ours is not None and ours.encode_first_us and ours.encode_again_us and not ours.caches["bytes"]:
        text += f" ssrjson_web, without copies: {ours.encode_first_us:.0f} and {ours.encode_again_us:.0f}"
        text += "; so part of what the others gain does not come from the copies." if _is_faster_again(ours) else "."
    yield Finding(title="What the copies buy", paragraphs=(text,))


def _is_faster_again(run: EngineRun) -> bool:
    first, again = run.encode_first_us, run.encode_again_us
    return first is not None and again is not None and again < _FASTER_SHARE * first


def _against_stdlib(results: Results) -> Iterable[Finding]:
    stdlib, ours = _run(results.finished_runs, "json"), _run(results.finished_runs, "ssrjson_web")
    if stdlib is None or stdlib.caches["bytes"]:
        return
    text = "It leaves no cached UTF-8 copies."
    if ours is not None and not ours.caches["bytes"]:
        text = "It leaves no cached UTF-8 copies either"
        text += (
            ", so in a server like this one there is no memory to gain against it."
            if stdlib.is_still and ours.is_still
            else f"; the server {_grew(stdlib)} with it, and {_grew(ours)} with ssrjson_web, for other reasons."
        )
        if stdlib.encode_first_us and ours.encode_first_us:
            is_faster = ours.encode_first_us < _FASTER_SHARE * stdlib.encode_first_us
            text += (
                f" {'The difference is time' if is_faster else 'Time'}: {stdlib.encode_first_us:.0f} µs to encode a "
                f"page here, {ours.encode_first_us:.0f} µs with ssrjson_web (medians, pages served for the first time)."
            )
    yield Finding(title="The standard library's json", paragraphs=(text,))


def _control(results: Results) -> Iterable[Finding]:
    runs = results.finished_control or tuple(run for run in results.finished_runs if run.script == "ascii")
    if not runs:
        return
    grown = ", ".join(f"{run.engine} {_mb(run.growth_bytes, sign=True)} MB" for run in runs)
    if _holding(runs):
        found = f"copies were found with {_names(_holding(runs))}; RSS: {grown}."
        text = f"The data of ASCII text is its UTF-8 form, but {found}"
        yield Finding(title="ASCII", paragraphs=(text,))
        return
    text = f"The data of ASCII text is its UTF-8 form, so CPython never copies it: {grown}."
    if all(run.is_still for run in runs):
        text += (
            " If your text is ASCII, memory is no reason to choose between these engines."
            if len(runs) > 1
            else " If your text is ASCII, memory is no reason against it."
        )
        yield Finding(title="ASCII: no difference", paragraphs=(text,))
        return
    grown_runs = [run for run in runs if not run.is_still]
    text += f" The growth with {_names(grown_runs)} is not from copies."
    yield Finding(title="ASCII: no copies", paragraphs=(text,))


def preload_finding(results: Results) -> Iterable[Finding]:
    """What the preload case shows, if it was completed."""
    runs = results.finished_preload
    if not runs:
        return
    grown = ", ".join(f"{run.engine} {_mb(run.worker_growth_bytes, sign=True)} MB" for run in runs)
    n_workers = len(runs[0].workers)
    paragraphs = [
        f"A parent loads the catalogue, calls gc.freeze() and forks {n_workers} worker{'s' if n_workers > 1 else ''}. "
        "They share its memory, page by page, until one writes to a page. Private memory of a worker that has served "
        f"each record once: {grown}."
    ]
    copying = [run for run in runs if run.worker_copies_bytes]
    if copying:
        paragraphs.append(_of_copying(copying))
    stdlib, ours = (next((run for run in runs if run.engine == name), None) for name in ("json", "ssrjson_web"))
    if stdlib is not None and not stdlib.worker_copies_bytes:
        paragraphs += _of_stdlib(stdlib, python=results.environment.python)
    if ours is not None and not ours.worker_copies_bytes and _share(ours) < _SHARED_SHARE:
        paragraphs.append(
            "ssrjson_web: walks with borrowed references and writes to no object. The remaining growth comes from the "
            "endpoint: its list of a page's records takes a reference to each. Every engine's figure includes it."
        )
    paragraphs.append(
        "Without the GIL (Python 3.13t and newer) workers can be threads of one process, which has the catalogue once "
        "and forks nothing: `python -m bench one-copy` compares the two, and docs/memory.md has figures."
    )
    yield Finding(title="Several workers over one preloaded catalogue", paragraphs=tuple(paragraphs))


def _of_copying(runs: Sequence[PreloadRun]) -> str:
    copies = _span(runs, lambda run: run.worker_copies_bytes, _mb)
    text = f"{_names(runs)}: the copies, {copies} MB in each worker"
    if all(run.worker_growth_bytes > run.worker_copies_bytes for run in runs):
        text += (
            ", and every memory page that holds such a string, because the copy's address is written into the "
            "string. Each worker holds both"
        )
    return f"{text}."


def _of_stdlib(run: PreloadRun, *, python: str) -> Iterable[str]:
    """Explains the figure by reference counts, for versions of Python where their effect is known."""
    release = re.search(r"(\d+)\.(\d+)", python)
    if release is None or not python.startswith("CPython") or "free-threaded" in python:
        return
    is_borrowing = (int(release[1]), int(release[2])) >= _BORROWING_PYTHON
    if _share(run) > _UNSHARED_SHARE and not is_borrowing:
        yield (
            f"json: leaves no copies, but changes reference counts. On {python} its encoder takes a reference "
            "to each key and value. The count is part of the object, so the object's memory page is written. Since "
            "Python 3.12 it walks a dict with borrowed references, and most of this growth disappears; with "
            "sort_keys=True it remains."
        )
    elif _share(run) < _UNSHARED_SHARE and is_borrowing:
        yield (
            "json: leaves no copies and changes few reference counts: since Python 3.12 its encoder walks a dict with "
            "borrowed references. On Python 3.10 and 3.11, and on any version with sort_keys=True, it writes to "
            "nearly every memory page."
        )


def _cut_off(results: Results) -> Iterable[Finding]:
    if results.cut_off:
        yield Finding(
            title="Cut off",
            paragraphs=(
                f"{'; '.join(results.cut_off)}.",
                "The text above leaves these runs out. Their figures are not shown, because the load was not complete.",
            ),
        )


def _holding(runs: Sequence[EngineRun]) -> list[EngineRun]:
    return [run for run in runs if run.caches["bytes"]]


def _run(runs: Sequence[EngineRun], engine: str) -> EngineRun | None:
    return next((run for run in runs if run.engine == engine), None)


def _share(run: PreloadRun) -> float:
    return run.worker_growth_bytes / run.catalogue_bytes


def _grew(run: EngineRun) -> str:
    grown = _mb(run.growth_bytes)
    return f"grew by {grown} MB" if run.growth_bytes > 0 and grown != "0.0" else _NO_GROWTH


def _span(
    runs: Sequence[EngineRun] | Sequence[PreloadRun], value: Callable[[Any], float], text: Callable[[Any], str]
) -> str:
    """One number where all values are printed alike, else the lowest to the highest."""
    values = [value(run) for run in runs]
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def _names(runs: Sequence[EngineRun] | Sequence[PreloadRun]) -> str:
    names = [run.engine for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(runs: Sequence[EngineRun] | Sequence[PreloadRun], plural: str) -> str:
    return plural + "s" if len(runs) == 1 else plural


def _mb(n_bytes: float, *, sign: bool = False) -> str:
    return f"{n_bytes / MEGABYTE:{'+' if sign else ''}.1f}"


def _about(n_bytes: float) -> str:
    return f"{n_bytes / MEGABYTE:.0f}"
