"""What the figures say, in words, and no more than they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ssrjson_web.demo.figures import megabytes
from ssrjson_web.demo.results import EngineRun, PreloadRun, Results

__all__ = ["Finding", "findings", "headline", "preload_finding", "short_headline"]

_STILL_SHARE = 0.03
"""Growth below this part of the catalogue is noise: allocator pages, not copies."""
_UNSHARED_SHARE = 0.5
"""Private growth of a worker above this part of the catalogue means that most of it is no longer shared."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing learned."""

    title: str
    paragraphs: tuple[str, ...]


def headline(results: Results) -> str:
    """The outcome in a sentence or two."""
    if not results.runs:
        return "No engine gave a result."
    holding = _holding(results.runs)
    if not holding:
        return f"{_names(results.runs)} left no UTF-8 copies in the catalogue's strings."
    catalogue = results.runs[0].catalogue_bytes
    growth = max(run.growth_bytes for run in holding)
    text = (
        f"{_names(holding)} made the server {_about(growth)} MB bigger, {100 * growth / catalogue:.0f} % of its "
        f"{_about(catalogue)} MB catalogue, and it stayed so."
    )
    ours, stdlib = _run(results.runs, "ssrjson"), _run(results.runs, "json")
    if ours is not None and not ours.caches["bytes"]:
        as_stdlib = ", as with the standard library's json," if stdlib is not None and _is_still(stdlib) else ""
        text += f" With ssrjson{as_stdlib} it grew by {_mb(max(0, ours.growth_bytes))} MB."
    return text


def short_headline(results: Results) -> str:
    """The outcome as the title of a picture."""
    holding = _holding(results.runs)
    clean = [run for run in results.runs if not run.caches["bytes"]]
    if not holding or not clean:
        return "What serving JSON adds to a server's memory"
    copies = max(run.caches["bytes"] for run in holding)
    return (
        f"{_names(holding)} {_verb(holding, 'keep')} {_about(copies)} MB of UTF-8 copies; "
        f"{_names(clean)} {_verb(clean, 'keep')} none"
    )


def findings(results: Results) -> list[Finding]:
    """All that the results support, in the order of the reader's questions."""
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
    holding = _holding(results.runs)
    if not holding:
        return
    copies = max(run.caches["bytes"] for run in holding)
    held = max(run.caches["cached_strings"] for run in holding)
    text = (
        f"{_names(holding)} {_verb(holding, 'ask')} CPython for each string's UTF-8 form, and CPython keeps that "
        f"copy in the string until the string is freed: {held:,} copies here, {_mb(copies)} MB. malloc_trim cannot "
        "give them back, they are in use."
    )
    yield Finding(title="Where the memory goes", paragraphs=(text,))


def _plateau(results: Results) -> Iterable[Finding]:
    holding = _holding(results.runs)
    if not holding:
        return
    again = [run.second_pass_growth_bytes for run in holding if run.second_pass_growth_bytes is not None]
    measured = f"Serving everything a second time added {_mb(max(0, *again))} MB. " if again else ""
    bound = (
        f"{measured}A string is copied once: at most 3 bytes for a Chinese or Japanese character in it, 2 for a "
        "Cyrillic or accented one, 4 for an emoji, 1 for an ASCII letter beside them. The copy goes when the string "
        "goes."
    )
    who = (
        "So it matters for text that stays: catalogues, caches, configuration, translations. Strings that live as "
        "long as a request, such as rows fresh from a database, take their copies with them, and nobody gains."
    )
    yield Finding(title="A plateau, not a leak", paragraphs=(bound, who))


def _what_copies_buy(results: Results) -> Iterable[Finding]:
    timed = [run for run in _holding(results.runs) if run.encode_first_us and run.encode_again_us]
    ours = _run(results.runs, "ssrjson")
    if not timed:
        return
    text = "Time, when the same text is served again. Median µs to encode a page the first time and later: "
    text += ", ".join(f"{run.engine} {run.encode_first_us:.0f} and {run.encode_again_us:.0f}" for run in timed) + "."
    if ours is not None and ours.encode_first_us and ours.encode_again_us:
        text += f" ssrjson, without copies: {ours.encode_first_us:.0f} and {ours.encode_again_us:.0f}."
    yield Finding(title="What the copies buy", paragraphs=(text,))


def _against_stdlib(results: Results) -> Iterable[Finding]:
    stdlib, ours = _run(results.runs, "json"), _run(results.runs, "ssrjson")
    if stdlib is None:
        return
    text = "It leaves no UTF-8 copies either, so in a server like this one there is no memory to gain against it."
    if ours is not None and stdlib.encode_first_us and ours.encode_first_us:
        text += (
            f" The difference is time: {stdlib.encode_first_us:.0f} µs to encode a page here, "
            f"{ours.encode_first_us:.0f} µs with ssrjson (medians, pages served for the first time)."
        )
    yield Finding(title="The standard library's json", paragraphs=(text,))


def _control(results: Results) -> Iterable[Finding]:
    runs = results.control or tuple(run for run in results.runs if run.script == "ascii")
    if not runs:
        return
    grown = ", ".join(f"{run.engine} {_mb(run.growth_bytes, sign=True)} MB" for run in runs)
    text = (
        f"ASCII text is its own UTF-8, so CPython never copies it: {grown}. If your text is ASCII, memory is no "
        "reason to choose between these engines."
    )
    yield Finding(title="ASCII: nobody gains" if all(map(_is_still, runs)) else "ASCII: no copies", paragraphs=(text,))


def preload_finding(results: Results) -> Iterable[Finding]:
    """What the preload case shows, if it was run."""
    if not results.preload:
        return
    grown = ", ".join(f"{run.engine} {_mb(run.worker_growth_bytes, sign=True)} MB" for run in results.preload)
    paragraphs = [
        f"A parent loads the catalogue, calls gc.freeze() and forks {results.options.workers} workers. They share "
        "its memory, page by page, until one writes to a page. Private memory of a worker that has served each "
        f"record once: {grown}."
    ]
    copying = [run for run in results.preload if run.engine in {held.engine for held in _holding(results.runs)}]
    if copying:
        paragraphs.append(
            f"{_names(copying)}: the copies, and besides every page that holds such a string, because the copy's "
            "address is written into the string. Each worker pays for both."
        )
    stdlib, ours = (_preload_run(results.preload, name) for name in ("json", "ssrjson"))
    if stdlib is not None and _is_unshared(stdlib):
        paragraphs.append(
            f"json: no copies, but reference counts. On {results.environment.python} its encoder takes a reference "
            "to each key and value; the count is part of the object, so the object's page is written. From Python "
            "3.12 on it walks a dict with borrowed references and most of this goes away; sort_keys=True brings it "
            "back."
        )
    elif stdlib is not None:
        paragraphs.append(
            "json: no copies, and few reference counts: since Python 3.12 its encoder walks a dict with borrowed "
            "references. On Python 3.10 and 3.11, and on any with sort_keys=True, it writes to nearly every page."
        )
    if ours is not None and not _is_unshared(ours):
        paragraphs.append(
            "ssrjson: walks with borrowed references and writes to no object. What is left comes from the endpoint, "
            "whose list of a page's records takes a reference to each; it is in every engine's figure."
        )
    yield Finding(title="Several workers over one preloaded catalogue", paragraphs=tuple(paragraphs))


def _cut_off(results: Results) -> Iterable[Finding]:
    runs = [run for run in (*results.runs, *results.control) if not run.sweep.served_all]
    if runs:
        cut = ", ".join(f"{run.engine} ({run.sweep.first_pass_pages} of {run.sweep.pages} pages)" for run in runs)
        text = (
            f"--seconds ended the load before each record had been served once: {cut}. Their growth is a lower bound."
        )
        yield Finding(title="Cut off", paragraphs=(text,))


def _holding(runs: Sequence[EngineRun]) -> list[EngineRun]:
    return [run for run in runs if run.caches["bytes"]]


def _run(runs: Sequence[EngineRun], engine: str) -> EngineRun | None:
    return next((run for run in runs if run.engine == engine), None)


def _preload_run(runs: Sequence[PreloadRun], engine: str) -> PreloadRun | None:
    return next((run for run in runs if run.engine == engine), None)


def _is_still(run: EngineRun) -> bool:
    return run.growth_bytes < _STILL_SHARE * run.catalogue_bytes


def _is_unshared(run: PreloadRun) -> bool:
    return run.worker_growth_bytes > _UNSHARED_SHARE * run.catalogue_bytes


def _names(runs: Sequence[EngineRun] | Sequence[PreloadRun]) -> str:
    names = [run.engine for run in runs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(runs: Sequence[EngineRun], plural: str) -> str:
    return plural + "s" if len(runs) == 1 else plural


def _mb(n_bytes: float, *, sign: bool = False) -> str:
    return f"{megabytes(n_bytes):{'+' if sign else ''}.1f}"


def _about(n_bytes: float) -> str:
    return f"{megabytes(n_bytes):.0f}"
