"""Objects looked up with a query that is compiled once: the same objects, queries, signals and errors as `get`."""

from __future__ import annotations

import textwrap
from pathlib import Path

from helpers.processes import run_python

PROJECT = """
    import threading
    import uuid
    import django
    from django.conf import settings
    from django.core.exceptions import ObjectDoesNotExist
    settings.configure(
        DATABASES={
            name: {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{name}.sqlite"} for name in ("default", "other")
        },
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASE_ROUTERS=["__main__.Router"],
    )
    routed = []
    class Router:
        alias = "default"
        def db_for_read(self, model, **hints):
            routed.append((model.__name__, hints))
            return self.alias
    django.setup()
    from django.db import connections, models
    from django.db.models.signals import post_init
    from django.test.utils import CaptureQueriesContext
    from ssrjson_web._models.django.lookup import prepared

    class Loud(models.QuerySet):
        def loud(self):
            return self
    class Changed(models.QuerySet):
        def filter(self, *args, **kwargs):
            return super().filter(*args, **kwargs).exclude(name="c")
    class Hiding(models.Manager):
        def get_queryset(self):
            return super().get_queryset().exclude(name="c")

    class Maker(models.Model):
        name = models.CharField(max_length=9, unique=True)
        nick = models.CharField(max_length=9)
        since = models.DateField(null=True)
        loud = Loud.as_manager()
        changed = Changed.as_manager()
        hiding = Hiding()
        objects = models.Manager()
        class Meta:
            app_label = "shop"
            ordering = ["nick"]
    class Famous(Maker):
        class Meta:
            app_label = "shop"
    class Seen(Maker):
        class Meta:
            app_label = "shop"
            proxy = True
    class Counting(models.QuerySet):
        def count(self):
            return 5
        def delete(self):
            raise AssertionError
    class Own(models.Model):
        key = models.DecimalField(primary_key=True, max_digits=9, decimal_places=2)
        class Meta:
            app_label = "shop"
    class Unique(models.Model):
        key = models.UUIDField(primary_key=True)
        name = models.CharField(max_length=9)
        other = models.UUIDField(unique=True)
        objects = Counting.as_manager()
        class Meta:
            app_label = "shop"

    for alias in ("default", "other"):
        with connections[alias].schema_editor() as editor:
            for model in (Maker, Famous, Own, Unique):
                editor.create_model(model)
        for name in "abc":
            Maker.objects.using(alias).create(name=name, nick=alias)
            number = ord(name)
            Unique.objects.using(alias).create(key=uuid.UUID(int=number), name=name, other=uuid.UUID(int=2 * number))

    def outcome(look_up):
        seen, loaded = [], []
        routed.clear()
        listen = lambda instance, **_: loaded.append(instance.pk)
        for model in (Maker, Unique):
            post_init.connect(listen, sender=model)
        try:
            with CaptureQueriesContext(connections[Router.alias]) as queries:
                try:
                    found = look_up()
                    values = {name: value for name, value in vars(found).items() if name != "_state"}
                    seen = [type(found).__name__, values, vars(found._state), str(found)]
                except ObjectDoesNotExist:
                    seen = ["none"]
        finally:
            for model in (Maker, Unique):
                post_init.disconnect(listen, sender=model)
        return seen, loaded, [query["sql"] for query in queries.captured_queries], list(routed)

    def found_or_raise(lookup, value):
        found = lookup.get(value)
        if found is None:
            raise ObjectDoesNotExist
        assert found is not NotImplemented
        return found
"""


def run(snippet: str, folder: Path) -> None:
    done = run_python(textwrap.dedent(PROJECT) + textwrap.dedent(snippet), folder)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_same_object_query_and_signals(tmp_path: Path) -> None:
    run(
        """
        for queryset in (
            Maker.objects, Maker.objects.all(), Maker._base_manager, Maker.loud, Maker.loud.all(),
            Maker.objects.order_by("name"), Maker.objects.order_by("-since", "pk"), Maker.objects.reverse(),
            Maker.objects.all().all(), Maker.objects.all().order_by("name").all(),
        ):
            assert prepared(queryset), queryset
            for name, values in (("pk", (1, 2, 3, 4, 2**31 - 1)), ("name", ("a", "b", "é", "x" * 99)), ("id", (1,))):
                lookup = prepared(queryset, name)
                for alias in ("default", "other"):
                    Router.alias = alias
                    for value in values:
                        expected = outcome(lambda: queryset.all().get(**{name: value}))
                        ours = [outcome(lambda: found_or_raise(lookup, value)) for _ in range(2)]
                        assert ours[-1] == expected, (queryset, name, value, ours, expected)
        assert prepared(Maker.objects.using("other")) is not prepared(Maker.objects.all())
        """,
        tmp_path,
    )


def test_uuids_and_texts_of_them(tmp_path: Path) -> None:
    run(
        """
        stored, absent = uuid.UUID(int=ord("a")), uuid.UUID(int=5)
        texts = [str(stored), str(stored).upper(), str(absent)]
        for name, factor in (("pk", 1), ("key", 1), ("other", 2)):
            lookup = prepared(Unique.objects, name)
            for alias in ("default", "other"):
                Router.alias = alias
                for value in (*texts, stored, absent, uuid.UUID(int=2 * ord("b"))):
                    expected = outcome(lambda: Unique.objects.all().get(**{name: value}))
                    for _ in range(2):
                        assert outcome(lambda: found_or_raise(lookup, value)) == expected, (name, value)
        class Named(uuid.UUID):
            pass
        others = ("", "x", "x" * 36, "a" * 36, stored.hex, f"{{{stored}}}", f"urn:uuid:{stored}", stored.int, None,
                  True, b"a", Named(int=1), type("Text", (str,), {})(stored))
        for value in others:
            assert prepared(Unique.objects).get(value) is NotImplemented, value

        from rest_framework import generics, serializers
        import ssrjson_web.rest_framework as ours
        class Row(serializers.Serializer):
            one = serializers.PrimaryKeyRelatedField(queryset=Unique.objects.all())
            many = serializers.PrimaryKeyRelatedField(queryset=Unique.objects, many=True)
        values = [*texts, *others, stored, absent, 1.5, [], {}]
        def validated(value):
            row = Row(data={"one": value, "many": [value, texts[0]]})
            return row.is_valid(), row.errors, {key: str(found) for key, found in row.validated_data.items()}
        def looked_up(value):
            return generics.get_object_or_404(Unique.objects.all(), pk=value)
        def outcomes():
            made = []
            for call in (validated, looked_up):
                for value in [*values, *values]:
                    with CaptureQueriesContext(connections[Router.alias]) as queries:
                        try:
                            found = str(call(value))
                        except Exception as error:
                            found = type(error), str(error)
                    made.append((found, [query["sql"] for query in queries.captured_queries]))
            return made
        stock = outcomes()
        assert sum(len(queries) > 1 for _, queries in stock) >= 10
        ours.setup()
        for _ in range(5):
            assert outcomes() == stock
        """,
        tmp_path,
    )


def test_what_only_django_looks_up(tmp_path: Path) -> None:
    run(
        """
        objects = Maker.objects
        for queryset in (
            objects.filter(name="a"), objects.select_related(), objects.only("name"),
            objects.annotate(one=models.Value(1)), objects.distinct(), objects.none(), objects.all()[:2],
            objects.select_for_update(), objects.prefetch_related("famous"), objects.extra(where=["1"]),
            objects.values(), objects.exclude(pk=1), objects.all().union(objects.all()),
            objects.all() | objects.filter(name="a"),
            Maker.hiding, Maker.hiding.all(), Maker.changed, Maker.changed.all(), Famous.objects, Seen.objects,
            Own.objects, None, [], Maker,
        ):
            assert prepared(queryset) is None, queryset
        for name in ("nick", "since", "absent", "famous", "name__iexact"):
            assert prepared(objects, name) is None, name
        for value in (True, None, "1", 1.0, 0, -1, 2**31, 2**70, [1], models.F("pk")):
            assert prepared(objects).get(value) is NotImplemented, value
        for value in (1, None, "", "a\\0", b"a"):
            assert prepared(objects, "name").get(value) is NotImplemented, value
        stock = models.QuerySet.get
        models.QuerySet.get = lambda self, *args, **kwargs: stock(self, *args, **kwargs)
        assert prepared(objects) is None
        """,
        tmp_path,
    )


def test_functions_that_see_the_value_may_be_replaced(tmp_path: Path) -> None:
    run(
        """
        from django.db.backends.base.operations import BaseDatabaseOperations
        from django.db.models import lookups, query, sql
        assert prepared(Maker.objects).get(1).name == "a"
        for holder, name in (
            (models.BigAutoField, "get_prep_value"), (models.IntegerField, "get_prep_value"),
            (models.Field, "get_db_prep_value"), (models.CharField, "to_python"), (models.QuerySet, "filter"),
            (query, "get_related_populators"), (models.Q, "__init__"), (sql.Query, "resolve_lookup_value"),
            (lookups.Exact, "get_prep_lookup"), (lookups.Lookup, "process_rhs"),
            (BaseDatabaseOperations, "adapt_integerfield_value"),
        ):
            stock, is_its_own = getattr(holder, name), name in vars(holder)
            setattr(holder, name, lambda *args, stock=stock, **kwargs: stock(*args, **kwargs))
            assert prepared(Maker.objects) is None, (holder, name)
            setattr(holder, name, stock) if is_its_own else delattr(holder, name)
            assert prepared(Maker.objects).get(1).name == "a", (holder, name)

        class Unlike(lookups.Exact):
            def process_rhs(self, *args):
                text, parameters = super().process_rhs(*args)
                return text, [2 if one == 3 else one for one in parameters]
        models.BigAutoField.register_lookup(Unlike)
        assert prepared(Maker.objects).get(3) is NotImplemented
        """,
        tmp_path,
    )


def test_threads_use_connections_of_their_own(tmp_path: Path) -> None:
    run(
        """
        lookup = prepared(Maker.objects)
        assert lookup.get(1).name == "a"
        used = []
        def look_up():
            with CaptureQueriesContext(connections["default"]) as queries:
                assert lookup.get(2).name == "b"
            used.append(len(queries.captured_queries))
            connections.close_all()
        threads = [threading.Thread(target=look_up) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert used == [1] * 4
        """,
        tmp_path,
    )


def test_wrappers_of_queries_and_a_broken_connection_are_heard(tmp_path: Path) -> None:
    run(
        """
        from django.db import OperationalError
        heard = []
        def wrapper(execute, sql, params, many, context):
            heard.append((sql, params))
            return execute(sql, params, many, context)
        with connections["default"].execute_wrapper(wrapper):
            Maker.objects.get(pk=1)
            prepared(Maker.objects).get(1)
            prepared(Maker.objects).get(2)
        assert heard[0] == heard[1] and heard[2] == (heard[0][0], (2,)), heard
        with connections["default"].cursor() as cursor:
            cursor.execute("DROP TABLE shop_maker")
        try:
            prepared(Maker.objects).get(1)
        except OperationalError:
            pass
        else:
            raise AssertionError
        """,
        tmp_path,
    )


def test_object_of_a_url_is_the_same_or_the_same_404(tmp_path: Path) -> None:
    run(
        """
        from django.http import Http404
        from rest_framework import generics
        import ssrjson_web.rest_framework as ours
        from ssrjson_web.rest_framework._setup import teardown
        cases = [
            (queryset, {name: value})
            for queryset in (Maker.objects.all(), Maker.objects, Maker, Maker.objects.order_by("name"),
                             Own.objects.all(), Maker.hiding.all(), Famous.objects.all())
            for name in ("pk", "id", "name", "nick", "key")
            for value in ("1", "01", "2", "7", " 1", "-1", "0", "١", "9" * 30, "x", "", 1, 7, True, None, 1.0, "a")
        ]
        def outcomes():
            made = []
            for queryset, kwargs in cases:
                def look_up():
                    return generics.get_object_or_404(queryset, **kwargs)
                try:
                    made.append(outcome(look_up))
                except Exception as error:
                    made.append((type(error), str(error)))
            return made
        stock = outcomes()
        ours.setup()
        assert outcomes() == stock
        with ours.disabled():
            assert outcomes() == stock
        assert sum(isinstance(one[0], list) for one in stock) > 20
        teardown()
        assert generics.get_object_or_404.__module__ == "rest_framework.generics"
        assert not hasattr(generics.get_object_or_404, "__wrapped__")
        """,
        tmp_path,
    )


def test_model_that_was_looked_up_is_collected(tmp_path: Path) -> None:
    run(
        """
        import gc, weakref
        def make():
            class Passing(models.Model):
                class Meta:
                    app_label = "shop"
            assert prepared(Passing.objects) is not None
            del django.apps.apps.all_models["shop"]["passing"]
            return weakref.ref(Passing)
        reference = make()
        django.apps.apps.clear_cache()
        gc.collect()
        assert reference() is None, gc.get_referrers(reference())
        """,
        tmp_path,
    )
