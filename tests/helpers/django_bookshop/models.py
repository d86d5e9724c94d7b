"""Models with a field of each kind that JSON has no form for."""

from __future__ import annotations

import uuid

from django.db import models

from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder


class Book(models.Model):
    title = models.CharField(max_length=200)
    price = models.DecimalField(max_digits=8, decimal_places=2, default="0")
    created = models.DateTimeField(null=True)
    opens = models.TimeField(null=True)
    takes = models.DurationField(null=True)
    published = models.DateField(null=True)
    key = models.UUIDField(default=uuid.UUID(int=7))
    rating = models.FloatField(default=0)
    details = models.JSONField(null=True, encoder=DjangoJSONEncoder, decoder=JSONDecoder)

    class Meta:
        app_label = "django_bookshop"
