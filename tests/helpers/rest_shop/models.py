"""The tables, with relations of each kind."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

from django.db import connection, models


class Maker(models.Model):
    """What an item refers to."""

    name = models.CharField(max_length=20, unique=True)
    since = models.DateField(null=True)

    class Meta:
        app_label = "rest_shop"

    def __str__(self) -> str:
        return f"maker {self.name}"

    @property
    def shout(self) -> str:
        return self.name.upper()

    def greet(self) -> str:
        return f"from {self.name}"


class Tag(models.Model):
    """One of many."""

    word = models.SlugField()

    class Meta:
        app_label = "rest_shop"


class Item(models.Model):
    """A row with fields of many kinds."""

    title = models.CharField("name of it", max_length=30)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    at = models.DateTimeField(null=True)
    day = models.DateField(null=True)
    span = models.DurationField(null=True)
    key = models.UUIDField(default=uuid.uuid4)
    state = models.CharField(max_length=1, choices=[("a", "A"), ("b", "B")], default="a")
    level = models.IntegerField(choices=[(1, "one"), (2, "two")], default=1)
    rating = models.FloatField(default=1.5)
    is_new = models.BooleanField(default=True)
    data = models.JSONField(default=dict)
    paper = models.FileField(null=True)
    maker = models.ForeignKey(Maker, models.CASCADE, related_name="items", null=True)
    before = models.OneToOneField("self", models.CASCADE, related_name="after", null=True)
    tags = models.ManyToManyField(Tag, related_name="items")

    class Meta:
        app_label = "rest_shop"
        unique_together = (("title", "day"),)

    @property
    def broken(self) -> str:
        raise AttributeError("of the property")


class SmallItem(Item):
    """A proxy."""

    class Meta:
        app_label = "rest_shop"
        proxy = True


class SpecialItem(Item):
    """A table of its own, for some items."""

    extra = models.CharField(max_length=5, default="x")

    class Meta:
        app_label = "rest_shop"


MODELS: list[Any] = [Maker, Tag, Item, SpecialItem]


def fill() -> None:
    """Make the tables and their rows."""
    with connection.schema_editor() as editor:
        for model in MODELS:
            editor.create_model(model)
    makers = [Maker.objects.create(name=name, since=datetime.date(2020, 1, 2)) for name in ("王", "b")]
    tags = [Tag.objects.create(word=word) for word in ("x", "y", "z")]
    before = None
    for number in range(12):
        item = Item.objects.create(
            title=f"题{number}",
            price=decimal.Decimal(f"{number}.50") if number % 5 else None,
            at=datetime.datetime(2024, 7, 1, 2, 3, 4, number, tzinfo=datetime.timezone.utc) if number % 4 else None,
            day=datetime.date(2024, 2, 29) if number % 3 else None,
            span=datetime.timedelta(number, 5) if number % 2 else None,
            key=uuid.UUID(int=number),
            state="ab"[number % 2],
            level=1 + number % 2,
            data={"k": [number, None]},
            paper="a/b.txt" if number % 2 else None,
            maker=makers[number % 2] if number % 4 else None,
            before=before if number % 3 == 0 else None,
        )
        item.tags.set(tags[: number % 4])
        before = item
    SpecialItem.objects.create(title="special", key=uuid.UUID(int=99), maker=makers[0])
