"""The tables that random ModelSerializers are of, their rows, and the URLs of hyperlinks."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import connection, models
from django.http import HttpRequest, HttpResponse
from django.urls import path

UTC = datetime.timezone.utc


class Points(models.Field):
    """A field of a kind that REST framework does not know: it makes a ModelField."""

    def get_internal_type(self) -> str:
        return "IntegerField"

    def value_to_string(self, obj: Any) -> str:
        return f"{self.value_from_object(obj)} points"

    def to_python(self, value: Any) -> Any:
        return None if value is None else int(value)


class Seller(models.Model):
    """What an item refers to."""

    name = models.CharField(max_length=20, unique=True)
    city = models.CharField(max_length=20, null=True, blank=True)
    since = models.DateField(default=datetime.date(2020, 1, 2))

    class Meta:
        app_label = "check"

    def __str__(self) -> str:
        return f"seller {self.name}"

    @property
    def shout(self) -> str:
        return self.name.upper()


class Category(models.Model):
    """A tree, with text as its primary key."""

    slug = models.SlugField(primary_key=True, max_length=10)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="children")

    class Meta:
        app_label = "check"

    def __str__(self) -> str:
        return self.slug


class Tag(models.Model):
    """One of many."""

    name = models.CharField(max_length=10, verbose_name="Name des Tags")

    class Meta:
        app_label = "check"
        ordering = ("-name",)

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """A row with a field of every kind."""

    class Colour(models.TextChoices):
        RED = "red", "Rot"
        BLUE = "blue", "Blau"

    title = models.CharField(max_length=12)
    summary = models.TextField(blank=True, default="")
    price = models.DecimalField(max_digits=6, decimal_places=2)
    rating = models.FloatField(null=True, blank=True)
    stock = models.PositiveSmallIntegerField(default=1)
    big = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    day = models.DateField(null=True, blank=True)
    at = models.TimeField(null=True, blank=True)
    span = models.DurationField(default=datetime.timedelta(1))
    ref = models.UUIDField(default=uuid.UUID(int=7))
    colour = models.CharField(max_length=5, choices=Colour.choices, default="red")
    size = models.IntegerField(choices=[("small", [(1, "S"), (2, "M")]), (3, "L")], null=True, blank=True)
    active = models.BooleanField(default=True)
    maybe = models.BooleanField(null=True)
    data = models.JSONField(default=dict, blank=True)
    email = models.EmailField(blank=True)
    url = models.URLField(blank=True)
    ip = models.GenericIPAddressField(null=True, blank=True)
    paper = models.FileField(blank=True, upload_to="papers")
    raw = models.BinaryField(default=b"x")
    points = Points(default=3)
    hidden = models.CharField(max_length=5, editable=False, default="h")
    seller = models.ForeignKey(Seller, on_delete=models.CASCADE, related_name="items")
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.SET_NULL, limit_choices_to={"pk__gt": ""}
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="items")
    replaces = models.OneToOneField("self", null=True, blank=True, on_delete=models.CASCADE, related_name="replaced_by")

    class Meta:
        app_label = "check"
        unique_together = (("title", "seller"),)

    def __str__(self) -> str:
        return self.title

    @property
    def label(self) -> str:
        return f"{self.title}/{self.stock}"

    def worth(self) -> decimal.Decimal:
        return decimal.Decimal(self.stock) * self.price

    def fails(self) -> None:
        raise AttributeError("of the model itself")


class Detail(models.Model):
    """What an item may have one of."""

    item = models.OneToOneField(Item, primary_key=True, on_delete=models.CASCADE, related_name="detail")
    note = models.CharField(max_length=10)

    class Meta:
        app_label = "check"


class Review(models.Model):
    """What an item may have several of."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="reviews")
    stars = models.IntegerField()
    text = models.CharField(max_length=20, unique_for_date="day")
    day = models.DateField(default=datetime.date(2020, 1, 2))

    class Meta:
        app_label = "check"
        constraints = (
            models.UniqueConstraint(fields=["item", "text"], name="one text"),
            models.UniqueConstraint(
                fields=["item", "stars"], condition=models.Q(stars__gt=1), name="one of high stars"
            ),
        )


class Special(Item):
    """An item with a table of its own."""

    extra = models.CharField(max_length=5, default="e")

    class Meta:
        app_label = "check"


class Shown(Item):
    """A proxy, which counts what is read of it."""

    class Meta:
        app_label = "check"
        proxy = True

    @property
    def label(self) -> str:
        return "shown"


MODELS: Sequence[type[models.Model]] = (Seller, Category, Tag, Item, Detail, Review, Special)


def fill() -> None:
    """Makes the tables and their rows."""
    with connection.schema_editor() as editor:
        for model in MODELS:
            editor.create_model(model)
    sellers = [
        Seller.objects.create(name=name, city=city) for name, city in [("王", "北京"), ("b", None), ("c", "Köln")]
    ]
    root = Category.objects.create(slug="root")
    leaf = Category.objects.create(slug="leaf", parent=root)
    tags = [Tag.objects.create(name=name) for name in ("a", "标签", "c")]
    for number in range(10):
        item = Item.objects.create(
            title=f"题{number}",
            summary="x" * number,
            price=decimal.Decimal("1.50") * number,
            rating=None if number == 2 else number / 3,
            stock=number,
            big=2 ** (6 * number) - 1,
            created_at=datetime.datetime(2020, 1 + number, 2, 3, 4, 5, 1000 * number, UTC),
            day=datetime.date(2020, 1, number + 1) if number % 2 else None,
            at=datetime.time(20, number, 0, number) if number else None,
            span=datetime.timedelta(number, 5 * number, number),
            ref=uuid.UUID(int=2**100 * number),
            colour=("red", "blue", "odd", "red", "")[number % 5],
            size=(1, 3, 9, None, 2)[number % 5],
            active=number != 1,
            maybe=(None, True, False)[number % 3],
            data=({}, [1, "é"], 5, {"a": {"b": 1.5}}, "x")[number % 5],
            email="a@b.de" if number else "",
            ip=(None, "127.0.0.1", "::1")[number % 3],
            paper="papers/a.txt" if number == 3 else "",
            seller=sellers[number % 3],
            category=(root, leaf, None)[number % 3],
        )
        item.tags.set(tags[:number])
        if number:
            Detail.objects.create(item=item, note=f"n{number}")
        for stars in range(number % 3):
            Review.objects.create(item=item, stars=stars, text=f"t{stars}")
    Item.objects.filter(pk=4).update(replaces=3)
    Special(item_ptr_id=5, extra="s").save_base(raw=True)


def page(request: HttpRequest, **_: Any) -> HttpResponse:
    """What the hyperlinks lead to; nothing asks for it."""
    return HttpResponse()


urlpatterns = [
    path(f"{model._meta.model_name}/<str:{key}>/", page, name=f"{model._meta.model_name}-{what}")
    for model in (*MODELS, Shown)
    for what, key in (("detail", "pk"), ("named", "name"))
]
