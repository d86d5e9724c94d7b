"""Relations and uniqueness: the same queries in the same order, and the same errors, as REST framework alone."""

from __future__ import annotations

import textwrap
from pathlib import Path

from helpers.processes import run_python

PROJECT = """
    import sys
    import warnings
    sys.path.insert(0, {tests!r})
    import django
    from django.conf import settings
    settings.configure(
        DATABASES={{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
        USE_TZ=True,
    )
    django.setup()
    from django.db import connection, models
    from django.test.utils import CaptureQueriesContext
    from rest_framework import serializers
    from helpers.rest_validation import described, outcome, validate
    from ssrjson_web.rest_framework import _templates, disabled, setup

    class Maker(models.Model):
        name = models.CharField(max_length=9, unique=True)
        class Meta:
            app_label = "shop"
    class Tag(models.Model):
        word = models.SlugField(unique=True)
        class Meta:
            app_label = "shop"
    class Item(models.Model):
        title = models.CharField(max_length=9)
        code = models.CharField(max_length=9, unique=True, null=True, blank=True)
        maker = models.ForeignKey(Maker, models.CASCADE, null=True)
        day = models.DateField(null=True)
        number = models.PositiveIntegerField(default=3)
        tags = models.ManyToManyField(Tag)
        class Meta:
            app_label = "shop"
            unique_together = [("title", "maker")]

    class Usual(serializers.ModelSerializer):
        class Meta:
            model = Item
            fields = "__all__"
    class BySlug(serializers.ModelSerializer):
        maker = serializers.SlugRelatedField("name", queryset=Maker.objects)
        tags = serializers.SlugRelatedField("word", queryset=Tag.objects.all(), many=True, required=False)
        class Meta:
            model = Item
            exclude = ["id"]
    class Filtered(serializers.Serializer):
        maker = serializers.PrimaryKeyRelatedField(queryset=Maker.objects.filter(name="a"), allow_null=True)
        keyed = serializers.PrimaryKeyRelatedField(
            queryset=Maker.objects.all(), pk_field=serializers.IntegerField(), required=False
        )
        all = serializers.PrimaryKeyRelatedField(
            queryset=Tag.objects.all(), many=True, allow_empty=False, required=False
        )
    class Chosen(serializers.Serializer):
        maker = serializers.PrimaryKeyRelatedField(queryset=Maker.objects.all())
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.fields["maker"].queryset = Maker.objects.exclude(name="a")
    class Daily(serializers.ModelSerializer):
        class Meta:
            model = Item
            fields = ["title", "day"]
            validators = [serializers.UniqueForDateValidator(Item.objects.all(), "title", "day")]

    with connection.schema_editor() as editor:
        for model in (Maker, Tag, Item):
            editor.create_model(model)
    makers = [Maker.objects.create(name=name) for name in "abc"]
    tags = [Tag.objects.create(word=word) for word in ("x", "y")]
    item = Item.objects.create(title="t", code="c", maker=makers[0], day="2024-02-29")
    setup()
    _templates.MIN_USES = 1

    def queries(call):
        with CaptureQueriesContext(connection) as captured:
            found = outcome(call)
        return found, [query["sql"] for query in captured]

    def same(call):
        with disabled():
            expected = queries(call)
        for _ in range(3):
            found = queries(call)
            assert found == expected, (found, expected)

    warnings.simplefilter("ignore")
"""

ROWS = """
    rows = [
        {"title": "t", "code": "c", "maker": 1, "day": "2024-02-29", "tags": [1, 2]},
        {"title": "t", "code": "d", "maker": 2, "day": "2024-02-28", "tags": []},
        {"title": "u", "code": "c", "maker": 99, "day": None, "tags": [99]},
        {"title": "toolongtitle", "code": "", "maker": "1", "tags": ["1"]},
        {"title": "u", "code": None, "maker": None, "tags": "x", "number": -1},
        {"title": "u", "maker": True, "tags": [True, "x"], "number": 2**40},
        {"title": "u", "maker": "a", "tags": ["x", "y"], "number": 4},
        {"title": "u", "maker": "nobody", "tags": ["z"]},
        {"title": "u", "maker": "", "tags": [[]]},
        {"title": "u", "maker": 2**70, "tags": None},
        {"title": "u", "maker": {}, "tags": {}, "keyed": "2", "all": []},
        {"maker": 1, "keyed": 1, "all": [1]},
        {"maker": 2, "keyed": "x", "all": [1, 99]},
        {},
        "x",
    ]
    for cls in (Usual, BySlug, Filtered, Chosen, Daily):
        for options in ({}, {"partial": True}):
            for row in rows:
                same(lambda: validate(cls(data=row, **options)))
                if issubclass(cls, serializers.ModelSerializer):
                    same(lambda: validate(cls(item, data=row, **options)))
            same(lambda: validate(cls(data=rows, many=True, **options)))
            same(lambda: validate(cls(data=rows[:2] * 3, many=True, **options)))
"""


def run(snippet: str, folder: Path) -> None:
    project = textwrap.dedent(PROJECT).format(tests=str(Path(__file__).parent.parent))
    done = run_python(project + textwrap.dedent(snippet), folder)
    assert done.returncode == 0, done.stderr[-3000:]


def test_relations_and_uniqueness_send_the_same_queries(tmp_path: Path) -> None:
    run(ROWS, tmp_path)


def test_changes_of_a_class_are_noticed(tmp_path: Path) -> None:
    run(
        """
        rows = [{"title": "t", "maker": 1, "tags": [1]}, {"title": "uu", "maker": 1, "tags": [1]}, {}]
        for change in (
            "pass",
            "Usual.Meta.extra_kwargs = {'title': {'required': False}}",
            "Usual.Meta.extra_kwargs['title']['max_length'] = 1",
            "Usual.Meta.fields = ['title', 'maker']",
            "Usual.Meta.read_only_fields = ['maker']",
            "Usual.validate_title = lambda self, value: value * 2",
            "del Usual.validate_title",
            "Usual.validate = lambda self, attrs: {**attrs, 'more': 1}",
            "Item._meta.get_field('title').max_length = 1",
            "Item._meta.unique_together = ()",
            "Usual._declared_fields['title'] = serializers.IntegerField()",
            "Usual.get_fields = lambda self: {'title': serializers.CharField()}",
            "serializers.Serializer.validate_title = lambda self, value: value * 3",
        ):
            exec(change)
            for row in rows:
                same(lambda: validate(Usual(data=row)))
            same(lambda: validate(Usual(data=rows, many=True)))
        """,
        tmp_path,
    )


def test_declared_field_that_a_hidden_one_replaces(tmp_path: Path) -> None:
    """Validators of uniqueness get a hidden field for a date with a default, in place of a declared field."""
    run(
        """
        class Post(models.Model):
            title = models.CharField(max_length=9, unique_for_date="day")
            day = models.DateField(default=__import__("datetime").date(2026, 1, 2))
            class Meta:
                app_label = "shop"
        with connection.schema_editor() as editor:
            editor.create_model(Post)
        class Own(serializers.DictField):
            def __init__(self, **options):
                super().__init__(**options)
        for day in (
            serializers.DictField(source="*"),
            Own(source="*"),
            serializers.HiddenField(default=5, source="*"),
            serializers.DateField(),
        ):
            fields = {"day": day, "Meta": type("Meta", (), {"model": Post, "fields": "__all__"})}
            cls = type("Posts", (serializers.ModelSerializer,), fields)
            for row in ({}, {"title": "a"}, {"title": "a", "day": {"x": "1"}}, {"title": "a", "day": "2026-11-27"}):
                same(lambda: validate(cls(data=row)))
                same(lambda: validate(cls(data=[row] * 9, many=True)))
        """,
        tmp_path,
    )
