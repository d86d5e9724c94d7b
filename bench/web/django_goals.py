"""The ratios to reach on the JSON part of Django requests."""

from __future__ import annotations

from collections.abc import Sequence

from bench.web.adapter_case import STOCK, AdapterGoal

DRF_ORJSON = "drf-orjson-renderer"
DJANGO_ORJSON = "django-orjson"

GOALS: Sequence[AdapterGoal] = (
    AdapterGoal(kind="drf-serializer", over=STOCK, at_least=8),
    AdapterGoal(kind="drf-serializer", over=DRF_ORJSON, at_least=1),
    AdapterGoal(kind="drf-serializer", over=DJANGO_ORJSON, at_least=1),
    AdapterGoal(kind="drf-values", over=STOCK, at_least=8),
    AdapterGoal(kind="drf-values", over=DRF_ORJSON, at_least=1),
    AdapterGoal(kind="response", over=STOCK, at_least=12),
    AdapterGoal(kind="response", over=DJANGO_ORJSON, at_least=1),
    AdapterGoal(kind="ninja", over=STOCK, at_least=6),
    AdapterGoal(kind="drf-parse", over=STOCK, at_least=2),
)
