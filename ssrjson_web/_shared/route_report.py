"""What the core does for an application: each route and setting, with the reason in a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ssrjson_web._shared.validation_counter import ValidationCounter

__all__ = [
    "ApplicationReport",
    "PartReport",
    "ResponseModelTiming",
    "RouteReport",
    "ValidationCount",
    "sorted_methods",
    "validation_count",
]


@dataclass(frozen=True, kw_only=True)
class ValidationCount:
    """Values of a route in this process, since its handler was built."""

    around: int
    """Those that needed no validation, and bypassed it."""
    validated: int
    """Those that the framework's library validated."""


def validation_count(counters: Iterable[ValidationCounter]) -> ValidationCount | None:
    """The sum of counters; None where nothing was counted."""
    known = list(counters)
    around, validated = (sum(getattr(one, name) for one in known) for name in ("n_bypassed", "n_validated"))
    return ValidationCount(around=around, validated=validated) if around + validated else None


@dataclass(frozen=True, kw_only=True)
class RouteReport:
    """One route of an application."""

    path: str
    """As the framework writes it, with the prefixes of routers and mounts."""
    methods: tuple[str, ...]
    """HTTP methods in alphabetical order; empty where the route takes any, and for WebSockets."""
    endpoint: str
    """The function or class that answers: `shop.views.books`."""
    encodes: bool | None
    """Whether the core encodes the route's JSON responses; None where that depends on what the endpoint returns."""
    decodes: bool | None
    """Whether the core decodes the JSON of its requests; None where that depends on what the endpoint calls."""
    reason: str
    """Why, and what to change where the core does not encode."""
    answers: ValidationCount | None = None
    """How many answers were validated; None where there is no response model, or before the first one."""
    bodies: ValidationCount | None = None
    """Likewise of the request's fields in bodies."""

    @property
    def is_served(self) -> bool:
        """Whether the core encodes the route's JSON responses, as far as that is known."""
        return bool(self.encodes)


@dataclass(frozen=True, kw_only=True)
class PartReport:
    """A setting of an application, or a part of it that is no route."""

    name: str
    """`SESSION_SERIALIZER`, `error responses`."""
    is_served: bool
    """Whether the core does its JSON."""
    reason: str
    """Why, and what to change where it does not."""


@dataclass(frozen=True, kw_only=True)
class ResponseModelTiming:
    """How long a made-up answer of a response model takes by the framework, and by the core."""

    route: str
    """`GET /books`."""
    n_bytes: int = 0
    stock_ns: int = 0
    core_ns: int = 0
    problem: str = ""
    """Why there are no times."""


@dataclass(frozen=True, kw_only=True)
class ApplicationReport:
    """All that is known of an application."""

    framework: str
    parts: tuple[PartReport, ...]
    routes: tuple[RouteReport, ...]
    assumes: str = ""
    """The call that the application has not made, and that the report is made after."""
    timings: tuple[ResponseModelTiming, ...] = ()
    """Of the response models, where the report assumes something."""

    @property
    def is_served(self) -> bool:
        """Whether the core does any JSON of the application."""
        return any(part.is_served for part in self.parts) or any(route.is_served for route in self.routes)


def sorted_methods(methods: Iterable[str] | None) -> tuple[str, ...]:
    """HTTP methods in alphabetical order."""
    return tuple(sorted(methods or ()))
