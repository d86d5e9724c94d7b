"""The ratios to reach on the JSON part of Django requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.web.django_rivals import DJANGO_ORJSON, DRF_ORJSON, STOCK, Kind


@dataclass(frozen=True, kw_only=True)
class DjangoGoal:
    """A rival's time over ours."""

    kind: Kind
    over: str
    at_least: float


GOALS: Sequence[DjangoGoal] = (
    DjangoGoal(kind="drf-serializer", over=STOCK, at_least=8),
    DjangoGoal(kind="drf-serializer", over=DRF_ORJSON, at_least=1),
    DjangoGoal(kind="drf-serializer", over=DJANGO_ORJSON, at_least=1),
    DjangoGoal(kind="drf-values", over=STOCK, at_least=8),
    DjangoGoal(kind="drf-values", over=DRF_ORJSON, at_least=1),
    DjangoGoal(kind="response", over=STOCK, at_least=12),
    DjangoGoal(kind="response", over=DJANGO_ORJSON, at_least=1),
    DjangoGoal(kind="ninja", over=STOCK, at_least=6),
    DjangoGoal(kind="drf-parse", over=STOCK, at_least=2),
)
