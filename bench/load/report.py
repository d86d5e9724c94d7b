"""The report of a load test: a page of HTML that needs nothing else, and a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from bench.load.curves import STYLE, Chart, as_html, worker_charts
from bench.load.results import PERCENTILES, Results
from bench.tables import Table

NOTES = (
    "A UTF-8 copy is what a str keeps once it has been encoded by a library that asks CPython for its UTF-8: orjson, "
    "msgspec, pydantic, and so FastAPI's response models. It goes when the str does.",
    "A plateau, not a leak: each resident string can get one copy, so the growth ends when all have been served.",
    "Nothing is gained where text is ASCII (SCRIPT=ascii shows it) or does not stay (/transient): there no engine "
    "grows by copies. Stdlib json leaves none either.",
    "RSS also holds what the allocator keeps for later: compare it after malloc_trim, beside the copies. The last "
    "point of each RSS curve is after that trim.",
    "Requests per second on a shared machine are no evidence, and locust is the bound here: it waits between requests. "
    "Latencies hold what else ran, and a scan of the copies each second or two, which stops its worker for some ms.",
    "JSON's share is of what the middleware times: the core's own calls, and those of the engine's library that it "
    "observes. What a framework does around them, as FastAPI's jsonable_encoder, is no part of it.",
)

_WORKER_HEADERS = ("worker", "RSS before", "after", "after trim", "growth", "UTF-8 copies", "JSON share", "requests")


def headline(results: Results) -> str:
    """One sentence."""
    plan = results.plan
    what = f"{plan.app} under {plan.served_by}, engine {plan.engine}"
    if not results.workers:
        return f"{what}: no figures of the workers"
    before = _sum(each.rss_before_bytes for each in results.workers)
    after = _sum(each.after_trim_bytes or each.rss_after_bytes for each in results.workers)
    copies = _sum(each.cache_after_bytes for each in results.workers)
    several = "" if len(results.workers) == 1 else f" in {len(results.workers)} workers"
    return f"{what}: RSS {_mb(before)} to {_mb(after)} MB{several}, {_mb(copies)} MB in UTF-8 copies"


def worker_table(results: Results) -> Table:
    """The workers before and after, in MB."""
    return Table(
        title=headline(results),
        headers=_WORKER_HEADERS,
        rows=[
            [
                f"pid {each.pid}",
                _mb(each.rss_before_bytes),
                _mb(each.rss_after_bytes),
                _mb(each.after_trim_bytes),
                _growth(each.rss_before_bytes, each.after_trim_bytes or each.rss_after_bytes),
                _mb(each.cache_after_bytes),
                "-" if each.json_share is None else f"{100 * each.json_share:.1f} %",
                "-" if each.n_requests is None else f"{each.n_requests:,}",
            ]
            for each in results.workers
        ],
        notes=["MB, 1,000,000 bytes; growth: from before to after trim"],
    )


def request_table(results: Results) -> Table:
    """The requests by kind."""
    return Table(
        title="requests, and their latencies in ms",
        headers=["request", "number", "failed", *(f"p{name.rstrip('%')}" for name in PERCENTILES)],
        rows=[
            [each.name, f"{each.n_requests:,}", str(each.n_failures), *(f"{ms:.0f}" for ms in each.percentiles_ms)]
            for each in results.requests
        ],
    )


def as_page(results: Results) -> str:
    """The HTML."""
    plan = results.plan
    latencies = Chart(
        title="Latency of the requests about then, ms",
        curves={f"p{name.rstrip('%')}": points for name, points in results.latencies_ms.items()},
    )
    incomplete = "" if results.is_complete else "<p><strong>INCOMPLETE: stopped before the end.</strong></p>"
    asked = (
        f"{plan.users} users in four steps within {plan.seconds} s; {plan.workers} worker(s), each with "
        f"{plan.megabytes:g} MB of resident records, script: {plan.script}."
    )
    command = (
        f"make load APP={plan.app} ENGINE={plan.engine} SERVER={plan.served_by} WORKERS={plan.workers} "
        f"USERS={plan.users} SECONDS={plan.seconds} SCRIPT={plan.script}"
    )
    body = [
        f"<h1>{escape(headline(results))}</h1>",
        incomplete,
        f'<p class="quiet">{escape(asked)}</p>',
        as_html([*worker_charts(results.samples), latencies]),
        *_html_table(worker_table(results), title="Workers"),
        *_html_table(request_table(results), title="Requests, and their latencies in ms"),
        "<h2>What it means, and what not</h2>",
        *(f"<p>{escape(note)}</p>" for note in NOTES),
        "<h2>Where</h2>",
        _plain_table([("command", command), *results.machine.items()]),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Load test: {escape(plan.name)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _html_table(table: Table, *, title: str) -> Iterator[str]:
    yield f"<h2>{escape(title)}</h2>"
    rows = [table.headers, *table.rows]
    lines = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(rows, ["th", *["td"] * len(table.rows)], strict=True)
    ]
    yield f'<div class="scroll"><table>{"".join(lines)}</table></div>'
    for note in table.notes:
        yield f'<p class="quiet">{escape(note)}</p>'


def _plain_table(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
    return f'<div class="scroll"><table class="plain">{lines}</table></div>'


def _sum(numbers: Iterator[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _mb(n_bytes: int | None) -> str:
    return "-" if n_bytes is None else f"{n_bytes / 1e6:.1f}"


def _growth(before: int | None, after: int | None) -> str:
    return "-" if before is None or after is None else f"{(after - before) / 1e6:+.1f}"
