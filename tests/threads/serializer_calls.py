"""REST framework's serializers and marshmallow's schemas, on objects, bodies and classes that other threads change.

What holds of an object while it is changed: its name begins with é, its numbers are small. A list may be a mixture of
two moments: after a change of a class the first calls are left to the libraries, which read lists by Python loops.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

try:
    import django
    from django.conf import settings
    from rest_framework import serializers as rest
except ImportError:
    rest = None
try:
    import marshmallow

    from ssrjson_web.marshmallow import setup
except ImportError:
    marshmallow = None  # type: ignore[assignment]

__all__ = ["USES", "change"]


class Thing:
    """What is read. All attributes may be replaced at once, by another `__dict__`."""

    def __init__(self, n: int) -> None:
        self.id = n
        self.name = "é"
        self.numbers = [n]
        self.part = {"n": n}

    @property
    def doubled(self) -> int:
        return 2 * self.id


class OtherThing(Thing):
    """What a thing may become."""


THINGS = [Thing(n) for n in range(20)]
BODIES: list[dict[str, Any]] = [{"id": n, "name": "é", "numbers": [n], "part": {"n": n}} for n in range(20)]


def are_whole(rows: Any) -> bool:
    return len(rows) == 20 and all(
        row["name"].startswith("é") and all(0 <= number < 10**6 for number in row["numbers"]) and row["part"]["n"] >= 0
        for row in rows
    )


USES: dict[str, Callable[[random.Random], list[str]]] = {}
"""What readers call; each gives what was wrong."""
CLASSES: list[type[Any]] = [Thing]
"""Classes of which a writer changes an attribute."""

if rest is not None:
    if not settings.configured:
        settings.configure(INSTALLED_APPS=["ssrjson_web.rest_framework"], USE_TZ=True)
        django.setup()

    class PartSerializer(rest.Serializer):  # type: ignore[misc]
        n = rest.IntegerField()

    class ThingSerializer(rest.Serializer):  # type: ignore[misc]
        id = rest.IntegerField()
        name = rest.CharField(max_length=100)
        numbers = rest.ListField(child=rest.IntegerField())
        part = PartSerializer()
        doubled = rest.IntegerField(read_only=True)

    CLASSES.append(ThingSerializer)
    SHARED_SERIALIZER = ThingSerializer(THINGS[0])

    def rest_framework(rng: random.Random) -> list[str]:
        wrong = []
        read = ThingSerializer(THINGS, many=True).data
        if not are_whole(read):
            wrong.append(f"REST framework, data: {read!r}")
        if not str(SHARED_SERIALIZER.to_representation(rng.choice(THINGS))["name"]).startswith("é"):
            wrong.append("REST framework, a serializer for all threads")
        made = ThingSerializer(data=BODIES, many=True)
        if not made.is_valid() or not are_whole(made.validated_data):
            wrong.append(f"REST framework, is_valid: {made.errors!r}")
        return wrong

    USES["rest_framework"] = rest_framework

if marshmallow is not None:

    class PartSchema(marshmallow.Schema):
        n = marshmallow.fields.Int()

    class ThingSchema(marshmallow.Schema):
        id = marshmallow.fields.Int(required=True)
        name = marshmallow.fields.Str()
        numbers = marshmallow.fields.List(marshmallow.fields.Int())
        part = marshmallow.fields.Nested(PartSchema)
        doubled = marshmallow.fields.Int(dump_only=True)

    setup()
    CLASSES.append(ThingSchema)
    SHARED_SCHEMA = ThingSchema()

    def schemas(rng: random.Random) -> list[str]:
        schema = SHARED_SCHEMA if rng.random() < 0.5 else ThingSchema()
        wrong = []
        dumped = schema.dump(THINGS, many=True)
        if not are_whole(dumped):
            wrong.append(f"marshmallow, dump: {dumped!r}")
        loaded = schema.load(BODIES, many=True)
        if not are_whole(loaded):
            wrong.append(f"marshmallow, load: {loaded!r}")
        return wrong

    USES["marshmallow"] = schemas


def changed_numbers(numbers: list[int], rng: random.Random) -> list[int]:
    """The list itself, changed, or another one."""
    if rng.random() < 0.2:
        return [rng.randrange(9)]
    if rng.random() < 0.2:
        numbers.clear()
    numbers.append(numbers[-1] + 1 if numbers else 0)
    return numbers


def change(rng: random.Random) -> None:
    """Change what is shared, as one writer at a time does."""
    thing = rng.choice(THINGS)
    action = rng.randrange(6)
    if action == 0:
        thing.__dict__ = {**thing.__dict__, "name": "é" * rng.randrange(1, 90)}
    elif action == 1:
        thing.__class__ = rng.choice([Thing, OtherThing])
    elif action == 2:
        thing.more = rng.random()  # type: ignore[attr-defined]
        del thing.more  # type: ignore[attr-defined]
    else:
        thing.id = rng.randrange(1000)
        thing.numbers = changed_numbers(thing.numbers, rng)
        thing.part = {"n": rng.randrange(9)}
    body = rng.choice(BODIES)
    body["name"] = "é" * rng.randrange(1, 90)
    body["numbers"] = changed_numbers(body["numbers"], rng)
    body["id"] = rng.randrange(1000)
    if rng.random() < 0.05:
        rng.choice(CLASSES).note = rng.random()  # type: ignore[attr-defined]  # a class that changes gets a new plan
