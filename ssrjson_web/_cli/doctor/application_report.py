"""The report on an application as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from ssrjson_web._shared.plain_text import text_table
from ssrjson_web._shared.route_report import ApplicationReport, PartReport, ResponseModelTiming, RouteReport

__all__ = ["application_as_json", "application_as_text", "is_unserved"]

_WIDTH = 100
_VERDICTS = (
    "Served",
    "Served, responses",
    "Served, responses only",
    "Depends on the endpoint, requests are decoded",
    "Depends on the endpoint",
    "Not served, but requests are decoded",
    "Not served",
)


def is_unserved(report: ApplicationReport) -> bool:
    """Whether the core serves no route, as far as that is known; of an application without routes: no part of it."""
    return not any(route.is_served for route in report.routes) if report.routes else not report.is_served


def _conclusion(report: ApplicationReport) -> str:
    """The last line on an unserved application."""
    if any(route.encodes is None for route in report.routes):
        return "No route is known to be served: annotate what the endpoints return."
    return "The core serves no route of it." if report.is_served else "The core does nothing for this application."


def application_as_text(target: str, report: ApplicationReport) -> str:
    """How many routes are served; then each group of routes under the reason that they share; then the settings."""
    served = [route for route in report.routes if route.is_served]
    unknown = [route for route in report.routes if route.encodes is None]
    serves = "the core serves"
    if report.assumes:
        serves = f"with {report.assumes}, which it does not call, the core would serve"
    head = f"{target}, {report.framework}: {serves} {len(served)} of {_count(report.routes, 'route')}"
    if unknown:
        head += f"; for {len(unknown)} it depends on what the endpoint returns"
    groups: dict[tuple[str, str], list[RouteReport]] = {}
    for route in report.routes:
        groups.setdefault((_verdict(route), route.reason), []).append(route)
    in_order = sorted(groups.items(), key=lambda group: _VERDICTS.index(group[0][0]))
    blocks = [head, *(_group(verdict, reason, routes) for (verdict, reason), routes in in_order)]
    if report.timings:
        blocks.append(_timings(report.timings))
    if report.parts:
        blocks.append("Besides the routes:\n" + "\n".join(map(_part, report.parts)))
    if report.assumes:
        trial = report.assumes.replace(")", ", compare=0.01)")
        blocks.append(f"Add {report.assumes}; or {trial} to try it on your own traffic first.")
    if is_unserved(report):
        blocks.append(_conclusion(report))
    return "\n\n".join(blocks) + "\n"


def application_as_json(target: str, report: ApplicationReport) -> str:
    """The whole report as JSON."""
    content = {"target": target, **asdict(report), "is_served": report.is_served}
    return json.dumps(content, indent=1) + "\n"


def _count(routes: Sequence[RouteReport], noun: str) -> str:
    return f"{len(routes)} {noun}{'' if len(routes) == 1 else 's'}"


def _verdict(route: RouteReport) -> str:
    """One of _VERDICTS."""
    if route.encodes:
        return {True: "Served", None: "Served, responses", False: "Served, responses only"}[route.decodes]
    if route.encodes is None:
        return "Depends on the endpoint, requests are decoded" if route.decodes else "Depends on the endpoint"
    return "Not served, but requests are decoded" if route.decodes else "Not served"


def _group(verdict: str, reason: str, routes: Sequence[RouteReport]) -> str:
    rows = [(_methods(route), route.path, route.endpoint) for route in routes]
    lines = text_table(("", "", ""), rows, left=range(3)).split("\n")[2:]
    title = textwrap.fill(f"{verdict}: {reason}", width=_WIDTH, break_on_hyphens=False, break_long_words=False)
    return "\n".join([title, *(f"  {line}" for line in lines)])


def _methods(route: RouteReport) -> str:
    implied = {"HEAD", "OPTIONS"} if "GET" in route.methods else {"OPTIONS"} if len(route.methods) > 1 else set()
    return ",".join(method for method in route.methods if method not in implied) or "any"


def _timings(timings: Sequence[ResponseModelTiming]) -> str:
    """The response models with made-up values: bytes, the time of each way, and how many times as fast the core is."""
    rows = []
    for one in timings:
        if not one.problem:
            stock, core = (f"{ns / 1000:.1f} us" for ns in (one.stock_ns, one.core_ns))
            rows.append((one.route, str(one.n_bytes), stock, core, f"{one.stock_ns / one.core_ns:.1f}"))
    table = text_table(("response model of", "bytes", "stock", "core", "times as fast"), rows, left=range(1))
    title = "Response models with made-up values: time of validation and encoding, of a part of a request"
    problems = [f"  {one.route}: {one.problem}" for one in timings if one.problem]
    lines = [f"  {line}" for line in table.split("\n")] if rows else []
    return "\n".join([title, *lines, *problems])


def _part(part: PartReport) -> str:
    return textwrap.fill(
        f"{part.name}: {part.reason}",
        width=_WIDTH,
        initial_indent="  served      " if part.is_served else "  not served  ",
        subsequent_indent=" " * 14,
        break_on_hyphens=False,
        break_long_words=False,
    )
