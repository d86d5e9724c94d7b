"""Random programs: classes of serializers, fields and mixins of a user, and steps that read and load with them."""

# ruff: noqa: E501 - the text of a program's part stays on its line

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rest_framework import serializers as stock_serializers

from check_serializers import tables
from check_serializers.fields import FieldText, random_field
from check_serializers.programs import Block, Program, Step
from check_serializers.values import DATA_OF_MODELS, anything, rows_of

__all__ = ["random_program"]

_MISCHIEF = (
    *(
        "shrink",
        "clear",
        "grow",
        "swap",
        "forget",
        "other dict",
        "other class",
        "key",
        "collect",
        "interrupt",
        "property",
    ),
    *("hook", "hook of stock", "fields", "again"),
)
_RAISED = (
    *(
        "serializers.ValidationError('v')",
        "serializers.ValidationError({'f0': ['v']}, code='c')",
        "SkipField()",
        "KeyError('k')",
    ),
    *("serializers.ValidationError(['a', 'b'])", "AttributeError('a')", "TypeError('t')", "ObjectDoesNotExist()"),
    *(
        "DjangoValidationError('d', code='e')",
        "DjangoValidationError({'f1': ['d']})",
        "StopIteration()",
        "LookupError('l')",
    ),
    *("serializers.ValidationError([{'f0': ['v']}, {}])", "ValueError('v')"),
)
_MANY = ("[{}]", "[{}]", "[{}]", "({},)", "LoudList([{}])", "generated([{}])", "iter([{}])", "collections.deque([{}])")
_SERIALIZER_METHODS = (
    *(
        "to_representation",
        "to_internal_value",
        "run_validation",
        "validate",
        "get_fields",
        "get_initial",
        "run_validators",
    ),
    *("get_attribute", "get_default", "get_value", "bind", "get_validators", "validate_empty_values", "fail"),
    *("_read_only_defaults", "get_extra_kwargs", "get_field_names", "build_field", "build_standard_field", "get_root"),
    *(
        "build_relational_field",
        "build_nested_field",
        "include_extra_kwargs",
        "get_unique_together_validators",
        "is_valid",
    ),
    *("get_unique_for_date_validators", "get_default_field_names", "build_property_field", "run_child_validation"),
)
_SERIALIZER_PROPERTIES = (
    "fields",
    "_writable_fields",
    "_readable_fields",
    "data",
    "errors",
    "validators",
    "context",
    "root",
)
_FIELD_METHODS = (
    *("to_representation", "to_internal_value", "run_validation", "get_attribute", "get_value", "get_default", "bind"),
    *("validate_empty_values", "run_validators", "fail", "get_initial", "get_validators", "use_pk_only_optimization"),
    *(
        "get_queryset",
        "enforce_timezone",
        "validate_precision",
        "quantize",
        "run_child_validation",
        "get_url",
        "__init__",
    ),
    *("display_value", "get_choices", "get_object", "__deepcopy__", "default_timezone"),
)


@dataclass(kw_only=True)
class Class:
    """A serializer class of the program."""

    name: str
    fields: list[FieldText] = field(default_factory=list)
    nested: dict[str, tuple[Class, bool]] = field(default_factory=dict)
    """Fields that are serializers, with whether they are of many."""
    model: str = ""
    names: Sequence[str] = ()
    """Of a model: the fields of Meta."""
    options: Sequence[str] = ()
    """Names of the parameters that its own `__init__` takes."""

    @cached_property
    def keys(self) -> list[str]:
        """The keys of its data."""
        return [*(each.name for each in self.fields), *self.nested, *self.names]


class _Writer:
    """Writes the program of a seed."""

    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.blocks: list[Block] = []
        self.classes: list[Class] = []
        self.n_classes = 0
        self.hostile = r.random() < 0.15
        self.loud = r.choice([0.02, 0.1, 0.25])
        self.is_wide = r.random() < 0.006

    def name(self, what: str) -> str:
        self.n_classes += 1
        return f"{what}{self.n_classes}"

    # user code

    def override(self, owner: str, method: str) -> str:
        """A method that notes its call, and then does what stock does, or something else."""
        r = self.r
        given = "" if method == "__deepcopy__" else ", *args, **options"  # its memo has addresses
        lines = [f"note('{owner}.{method}', self{given})"]
        if self.hostile and r.random() < 0.5:
            lines.append(f"if tick() == {r.randrange(1, 9)}: mischief('{r.choice(_MISCHIEF)}', self)")
        if r.random() < 0.1:
            lines.append(f"if tick() % 4 == 0: raise {r.choice(_RAISED)}")
        call = f"super().{method}(*args, **options)"
        which = r.random()
        if (
            method in ("__init__", "bind", "get_fields", "get_extra_kwargs", "get_field_names", "__deepcopy__")
            or which < 0.75
        ):
            lines.append(f"return {call}")
        elif which < 0.85:
            lines += [f"made = {call}", "note('made', made)", "return made"]
        elif which < 0.92:
            lines.append(f"return {anything(r)}")
        else:
            lines += [
                "try:",
                f"    return {call}",
                "except Exception as error:",
                "    note('caught', error)",
                "    raise",
            ]
        return f"def {method}(self, *args, **options):\n" + "\n".join(f"    {line}" for line in lines)

    def property(self, owner: str, name: str) -> str:
        kind = self.r.choice(["property", "property", "functools.cached_property"]) if name == "fields" else "property"
        return f"@{kind}\ndef {name}(self):\n    note('{owner}.{name}')\n    return super().{name}"

    def derived(self, r: random.Random, cls: str) -> str:
        """A field class of a user."""
        name = self.name("My" + cls)
        known = [each for each in _FIELD_METHODS if hasattr(getattr(stock_serializers, cls), each)]
        items = [self.override(name, method) for method in r.sample(known, min(len(known), r.choice([0, 1, 1, 2, 3])))]
        if r.random() < 0.15:
            items.append("default_error_messages = {'invalid': 'of mine', 'required': 'mine'}")
        if r.random() < 0.1:
            items.append(
                r.choice(
                    [
                        "default_empty_html = 5",
                        "initial = 'i'",
                        "format = '%Y'",
                        "input_formats = ['%Y']",
                        "coerce_to_string = False",
                    ]
                )
            )
        self.blocks.append(Block(head=f"class {name}(serializers.{cls}):", items=items))
        return name

    def list_class(self) -> str:
        name = self.name("List")
        methods = self.r.sample(
            [
                "to_representation",
                "to_internal_value",
                "run_validation",
                "validate",
                "run_child_validation",
                "get_value",
                "update",
                "get_attribute",
            ],
            self.r.randrange(3),
        )
        items = [self.override(name, method) for method in methods]
        items += [self.property(name, each) for each in self.r.sample(["data", "errors"], self.r.choice([0, 0, 1]))]
        self.blocks.append(Block(head=f"class {name}(serializers.ListSerializer):", items=items))
        return name

    # classes

    def nested(self, cls: Class, items: list[str], depth: int) -> None:
        """Fields of a class that are serializers."""
        r = self.r
        for number in range(r.choice([0, 1, 1, 2])):
            inner = r.choice(self.classes) if self.classes and r.random() < 0.3 else self.serializer(depth - 1)
            if cls.model and inner.model not in (_TARGETS.get(cls.model) or {}):
                continue
            name = _TARGETS[cls.model][inner.model][0] if cls.model else f"n{number}"
            many = _TARGETS[cls.model][inner.model][1] if cls.model else r.random() < 0.5
            options = ["many=True"] if many else []
            options += [
                each
                for each in (
                    "required=False",
                    "allow_null=True",
                    "read_only=True",
                    "source='g1'",
                    "source='*'",
                    "default=None",
                    "validators=[Checks(1)]",
                    "write_only=True",
                    "partial=True",
                )
                if r.random() < (0.25 if cls.model and "read" in each else 0.08)
            ]
            if "read_only=True" in options:
                options = [
                    each for each in options if each.partition("=")[0] not in ("required", "default", "write_only")
                ]
            if "default=None" in options:
                options = [each for each in options if not each.startswith("required")]
            cls.nested[name] = (inner, many)
            items.append(f"{name} = {inner.name}({', '.join(options)})")

    def serializer(self, depth: int) -> Class:
        """A class with fields, or of a model."""
        r = self.r
        cls = self.of_model(depth) if r.random() < 0.4 else self.plain(depth)
        self.classes.append(cls)
        return cls

    def plain(self, depth: int) -> Class:
        r = self.r
        bases = ["serializers.Serializer"]
        known = [each for each in self.classes if not each.model and "*" not in str(each.fields)]
        cls = Class(name="")
        if known and r.random() < 0.2:
            base = r.choice(known)
            bases = [base.name]
            cls.fields, cls.nested, cls.options = list(base.fields), dict(base.nested), base.options
        items: list[str] = []
        n = r.choice([30, 310]) if self.is_wide and depth == 2 else r.randrange(1, 7)
        for number in range(n):
            made = random_field(r, f"f{number}", self.derived)
            cls.fields = [each for each in cls.fields if each.name != made.name] + [made]
            cls.nested.pop(made.name, None)
            items += [f"{made.name} = {made.text}", *made.methods]
        if depth:
            self.nested(cls, items, depth)
        if bases != ["serializers.Serializer"] and r.random() < 0.2:
            items.append("f1 = None")
        if r.random() < 0.1:
            bases.insert(0, self.mixin())
        cls.name = self.name("Plain")
        items += self.hooks(cls)
        if r.random() < 0.06:
            items.append(f"class Meta:\n    list_serializer_class = {self.list_class()}")
        if r.random() < 0.03:
            items.append("create = lambda self, data: Thing(**data)\nupdate = lambda self, instance, data: instance")
        self.blocks.append(Block(head=f"class {cls.name}({', '.join(bases)}):", items=items))
        return cls

    def mixin(self) -> str:
        r = self.r
        name = self.name("Mixin")
        items = [self.override(name, each) for each in r.sample(_SERIALIZER_METHODS[:7], r.choice([0, 1]))]
        if r.random() < 0.5:
            items.append(f"m = {random_field(r, 'm', self.derived).text}")
        base = r.choice(["", "", "(serializers.Serializer)"])
        items = [each for each in items if base or "return super()" not in each or "def get_" not in each]
        self.blocks.append(Block(head=f"class {name}{base}:", items=items))
        return name

    def hooks(self, cls: Class) -> list[str]:
        """Code of the user in a serializer."""
        r, items = self.r, []
        model_only = () if cls.model else _SERIALIZER_METHODS[16:]
        methods = [each for each in _SERIALIZER_METHODS if each not in model_only or each in ("is_valid", "get_root")]
        methods = [each for each in methods if hasattr(stock_serializers.ModelSerializer, each)]
        if r.random() < self.loud * 3:
            items += [self.override(cls.name, each) for each in r.sample(methods, r.choice([1, 1, 2, 3]))]
        if r.random() < self.loud:
            items.append(self.property(cls.name, r.choice(_SERIALIZER_PROPERTIES)))
        for key in r.sample(cls.keys, min(len(cls.keys), r.choice([0, 0, 0, 1, 2]))):
            items.append(
                self.override(cls.name, f"validate_{key}")
                .replace(f"return super().validate_{key}(*args, **options)", "return args[0]")
                .replace(f"super().validate_{key}(*args, **options)", "args[0]")
            )
        if r.random() < 0.12:
            cls.options = ["only"]
            items.append(
                "def __init__(self, *args, only=None, **options):\n    super().__init__(*args, **options)\n"
                "    for name in set(self.fields) - set(only or self.fields):\n        self.fields.pop(name)"
            )
        elif r.random() < 0.12:
            items.append(
                "def __init__(self, *args, **options):\n    super().__init__(*args, **options)\n"
                + r.choice(
                    [
                        "    if 'a' in self.context: self.fields['f0'] = serializers.CharField(required=False)",
                        "    self.fields['f1'].required = False",
                        "    self.fields['f0'].read_only = True",
                        "    note('init', self)",
                        "    self.fields['f0'].validators.append(Checks('abc'))",
                        "    if self.instance is not None: self.fields.pop('f0', None)",
                        "    self.Meta = type('Meta', (), {'fields': ['f0']})",
                        "    self.f0 = 5",
                        "    self.to_representation = lambda value: {'own': 1}",
                        "    self.validate = lambda data: dict(data, own=1)",
                    ]
                )
            )
        if r.random() < 0.1:
            items.append(
                "def get_fields(self):\n    fields = super().get_fields()\n    note('get_fields', self, list(fields))\n"
                + r.choice(
                    [
                        "    fields.pop('f0', None)\n",
                        "    if self.context.get('a'): fields['extra'] = serializers.CharField(default='e')\n",
                        "    for each in fields.values(): each.required = False\n",
                        "    fields['f9'] = fields.pop(next(iter(fields)))\n",
                        "    fields = dict(reversed(list(fields.items())))\n",
                    ]
                )
                + "    return fields"
            )
        return items

    def of_model(self, depth: int) -> Class:
        r = self.r
        model = r.choice(["Item", "Item", "Item", "Seller", "Category", "Tag", "Review", "Detail", "Special", "Shown"])
        known = [
            each.name for each in getattr(tables, model)._meta.get_fields() if not getattr(each, "auto_created", False)
        ]
        more = [*_MORE.get(model, ()), "pk"]
        cls = Class(name="", model=model)
        items: list[str] = []
        if depth:
            self.nested(cls, items, depth)
        meta = [f"model = {model}"]
        which = r.random()
        names = r.sample(known, r.randrange(1, len(known) + 1)) + r.sample(
            more, r.choice([0, 0, 1, 2]) if len(more) > 2 else 0
        )
        base = r.choice(["ModelSerializer"] * 5 + ["HyperlinkedModelSerializer"])
        if base.startswith("H") and r.random() < 0.5:
            names.append("url")
        for number in range(r.choice([0, 0, 0, 1, 2])):
            made = random_field(r, r.choice([f"f{number}", r.choice(names)]), self.derived)
            cls.fields.append(made)
            items += [f"{made.name} = {made.text}", *made.methods]
            names.append(made.name)
        names = list(dict.fromkeys([*names, *cls.nested]))
        if which < 0.2:
            meta.append("fields = '__all__'")
            names = known
        elif which < 0.3:
            excluded = r.sample(known, r.randrange(1, 4) if len(known) > 4 else 1)
            meta.append(f"exclude = {excluded}")
            names = [each for each in known if each not in excluded]
        else:
            meta.append(f"fields = {names!r}" if r.random() < 0.5 else f"fields = {tuple(names)!r}")
        cls.names = [each for each in names if each not in cls.nested and each not in {one.name for one in cls.fields}]
        if r.random() < 0.15:
            meta.append(f"depth = {r.choice([1, 1, 2])}")
        if r.random() < 0.25:
            meta.append(f"read_only_fields = {r.sample(names, min(len(names), 2))}")
        if r.random() < 0.25:
            options = [f"{name!r}: {{{self.extra(name)}}}" for name in r.sample(names, min(len(names), 2))]
            meta.append(f"extra_kwargs = {{{', '.join(options)}}}")
        if r.random() < 0.08:
            meta.append(
                r.choice(
                    ["validators = []", "validators = [Checks(1)]", f"list_serializer_class = {self.list_class()}"]
                )
            )
        cls.name = self.name("Of")
        items += self.hooks(cls)
        if r.random() < 0.08:
            items.append(
                r.choice(
                    [
                        f"serializer_field_mapping = dict(serializers.ModelSerializer.serializer_field_mapping, **{{}}) | {{models.CharField: {self.derived(r, 'CharField')}}}",
                        "serializer_related_field = serializers.StringRelatedField",
                        f"serializer_related_field = {self.derived(r, 'PrimaryKeyRelatedField')}",
                        "serializer_choice_field = serializers.CharField",
                        "url_field_name = 'link'",
                    ]
                )
            )
        items.append("class Meta:\n" + "\n".join(f"    {line}" for line in meta))
        self.blocks.append(Block(head=f"class {cls.name}(serializers.{base}):", items=items))
        return cls

    def extra(self, name: str) -> str:
        """An option for a field of a model."""
        if name == "seller" and self.r.random() < 0.5:
            return "'queryset': Seller.objects.filter(pk__lt=3)"
        if name in ("title", "summary", "name", "text", "note") and self.r.random() < 0.5:
            return "'min_length': 2"
        return self.r.choice(_EXTRA)

    # what is read and loaded

    def instance(self, cls: Class, depth: int = 3) -> str:
        """The text of an object that a serializer reads."""
        r = self.r
        if cls.model:
            if r.random() < 0.06:
                return r.choice(
                    ["Seller(name='x', pk=3)", "{'title': 'a', 'name': 'b'}", "Thing(title='t')", "None", "Item(pk=3)"]
                )
            if r.random() < 0.3:
                return f"changed({rows_of(r, cls.model)}.first(), {self.changes(cls)})"
            return f"{rows_of(r, cls.model)}.first()"
        values = {
            each.key: each.reads(r)
            for each in cls.fields
            if "." not in each.key and each.key not in ("*", "method", "shown")
        }
        for name, (inner, many) in cls.nested.items():
            if depth:
                values[name] = self.many(inner, depth - 1) if many else self.instance(inner, depth - 1)
        if r.random() < 0.5:
            values["g0"], values["g1"] = anything(r), anything(r)
        if any("a." in each.key for each in cls.fields):
            values["a"] = r.choice([f"Thing(b={anything(r)}, c=None)", f"{{'b': {anything(r)}}}", "None", "5"])
        if r.random() < 0.08 and values:
            values.pop(r.choice(list(values)))
        if r.random() < 0.03:
            return anything(r)
        made = ", ".join(f"{name}={value}" for name, value in values.items())
        which = r.random()
        if which < 0.62:
            return f"Thing({made})"
        if which < 0.75:
            return f"dict({made})"
        return f"{r.choice(['OtherThing', 'LoudThing', 'Watched', 'Described', 'Slotted', 'LoudDict', 'QuietDict', 'types.SimpleNamespace'])}({made})"

    def changes(self, cls: Class) -> str:
        name = self.r.choice([*cls.names, "title"])
        return f"{name}={anything(self.r)}" if name.isidentifier() and name != "pk" else "stock='x'"

    def many(self, cls: Class, depth: int = 3) -> str:
        r = self.r
        if cls.model and r.random() < 0.8:
            return rows_of(r, cls.model)
        rows = ", ".join(self.instance(cls, depth) for _ in range(r.choice(_N_ROWS if depth == 3 else _N_ROWS[:-1])))
        if r.random() < 0.15:
            rows = f"{rows}, *[each for each in [{rows}]] * 4" if rows else "None"
        return r.choice(_MANY).replace("{}", rows) if rows else "[]"

    def data(self, cls: Class, depth: int = 3) -> str:
        """The text of what a client sends."""
        r = self.r
        if r.random() < 0.03:
            return anything(r)
        values = {each.name: each.loads(r) for each in cls.fields}
        for name, (inner, many) in cls.nested.items():
            if depth:
                values[name] = self.many_data(inner, depth - 1) if many else self.data(inner, depth - 1)
        for name in cls.names:
            if name in DATA_OF_MODELS and r.random() < 0.9:
                values[name] = DATA_OF_MODELS[name](r) if r.random() < 0.95 else anything(r)
        for _ in range(r.choice([0, 0, 0, 1, 2])):
            if values and r.random() < 0.6:
                values.pop(r.choice(list(values)))
            else:
                values[r.choice(["more", "f0", "id", "pk"])] = anything(r)
        pairs = list(values.items())
        if r.random() < 0.2:
            r.shuffle(pairs)
        text = "{" + ", ".join(f"{name!r}: {value}" for name, value in pairs) + "}"
        which = r.random()
        if which < 0.85:
            return text
        if which < 0.92:
            return f"{r.choice(['LoudDict', 'QuietDict', 'collections.OrderedDict', 'types.MappingProxyType', 'collections.UserDict', 'MultiValueDict'])}({text})"
        if which < 0.96:
            return f"{{Key(key): value for key, value in {text}.items()}}"
        return (
            "QueryDict('"
            + "&".join(f"{name}={r.choice(['1', 'abc', '', 'true', '2020-01-02'])}" for name, _ in pairs[:30])
            + "')"
        )

    def many_data(self, cls: Class, depth: int = 3) -> str:
        r = self.r
        rows = ", ".join(self.data(cls, depth) for _ in range(r.choice(_N_ROWS if depth == 3 else _N_ROWS[:-1])))
        return (
            r.choice(_MANY[:5] if r.random() < 0.3 else _MANY[:1]).replace("{}", rows)
            if rows
            else r.choice(["[]", "{}", "None"])
        )

    # steps

    def conditions(self) -> list[str]:
        r, found = self.r, []
        if r.random() < 0.15:
            found.append(f"translation.override({r.choice(['de', 'en', 'fr', 'zh-hans', None])!r})")
        if r.random() < 0.15:
            found.append(
                f"timezone.override({r.choice(['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Berlin', None])!r})"
            )
        if r.random() < 0.12:
            found.append(
                f"override_settings({r.choice(['USE_TZ=False', 'TIME_ZONE=' + repr('Asia/Tokyo'), 'USE_I18N=False', 'LANGUAGE_CODE=' + repr('de'), 'USE_THOUSAND_SEPARATOR=True'])})"
            )
        if r.random() < 0.15:
            options = [
                *(
                    "'COERCE_DECIMAL_TO_STRING': False",
                    "'DATETIME_FORMAT': None",
                    "'DATETIME_FORMAT': '%d.%m.%Y'",
                    "'DATE_FORMAT': '%y'",
                ),
                *(
                    "'TIME_FORMAT': None",
                    "'DATE_INPUT_FORMATS': ['%d.%m.%Y']",
                    "'DATETIME_INPUT_FORMATS': ['%Y-%m-%d']",
                ),
                *("'NON_FIELD_ERRORS_KEY': 'all'", "'URL_FIELD_NAME': 'link'", "'UPLOADED_FILES_USE_URL': False"),
                *(
                    "'COERCE_BIGINT_TO_STRING': True",
                    "'DURATION_FORMAT': 'iso-8601'",
                    "'STRICT_JSON': False",
                    "'UNICODE_JSON': False",
                ),
            ]
            found.append("override_settings(REST_FRAMEWORK={" + ", ".join(r.sample(options, r.randrange(1, 4))) + "})")
        return found

    def step(self, cls: Class) -> Step:
        r = self.r
        context = r.choice(
            [
                "",
                "",
                "",
                "context={}",
                "context={'a': 1}",
                "context={'request': request}",
                "context={'request': request, 'a': 1}",
            ]
        )
        options = [context] if context else []
        if cls.options and r.random() < 0.6:
            options.append(f"only={r.sample(cls.keys, min(len(cls.keys), 2))}")
        many = r.random() < 0.45
        if many:
            options.append("many=True")
            options += [each for each in ("allow_empty=False", "min_length=2", "max_length=2") if r.random() < 0.06]
        if r.random() < 0.5:
            x, calls = self.reading(cls, many, options)
        else:
            x, calls = self.loading(cls, many, options)
        return Step(
            x=x, calls=calls, conditions=self.conditions(), before=self.before(cls) if r.random() < 0.06 else ""
        )

    def reading(self, cls: Class, many: bool, options: list[str]) -> tuple[str, list[str]]:
        r = self.r
        x = self.many(cls) if many else self.instance(cls)
        made = f"s = {cls.name}({', '.join(['x', *options])})"
        which = r.random()
        if which < 0.55:
            return x, [made, "s.data"]
        if which < 0.7:
            touch = r.choice(
                ["s.fields.pop('f0', None)", "s.fields['more'] = serializers.CharField(source='f0')", "s.fields['f1'].source_attrs", "s.fields['f0'].read_only = True", "s.fields", "s.child.fields.pop('f0', None)", "s.child.fields", "copy.deepcopy(s).data", "s.__dict__.pop('fields', None)", "s.context", "s.instance", "repr(s)", "s.fields['f0'].write_only = True", "s.fields['f0'].to_representation = len"]
            )  # fmt: skip
            return x, [made, touch, "s.data", "s.data"]
        if which < 0.8:
            return x, [f"s = {cls.name}({', '.join(options)})", "s.to_representation(x)", "s.to_representation(x)"]
        if which < 0.9:
            return x, [made, "s.data", "s.instance = x", "s.to_representation(s.instance)", "s.data"]
        return x, [
            made,
            "json.loads(JSONRenderer().render(s.data))",
            "s.data is s.data",
            "s.data.serializer is s",
            "s.fields['f0'].value",
        ][: r.randrange(2, 6)]

    def loading(self, cls: Class, many: bool, options: list[str]) -> tuple[str, list[str]]:
        r = self.r
        x = self.many_data(cls) if many else self.data(cls)
        if r.random() < 0.15:
            options.append("partial=True")
        which = r.random()
        if which < 0.2:
            made = (
                f"s = {cls.name}({self.many(cls) if many else self.instance(cls)}, {', '.join(['data=x', *options])})"
            )
        else:
            made = f"s = {cls.name}({', '.join(['data=x', *options])})"
        if which < 0.7:
            return x, [made, "s.is_valid()", "s.validated_data", "s.errors", *(["s.data"] if r.random() < 0.5 else [])]
        if which < 0.8:
            return x, [made, "s.is_valid(raise_exception=True)", "s.validated_data"]
        if which < 0.9:
            method = r.choice(["run_validation", "to_internal_value"])
            return x, [f"s = {cls.name}({', '.join(options)})", f"s.{method}(x)", f"s.{method}(x)"]
        touch = r.choice(
            ["s.fields['f0'].required = False", "s.fields.pop('f0')", "s.child.fields['f0'].allow_null = True", "s.fields['f1'].validators.append(Checks('abc'))", "s.partial = True", "s.fields['f0'].default = 5", "s.data", "s.initial_data['f0'] = 5", "s.fields['f0'].read_only = True"]
        )  # fmt: skip
        return x, [
            made,
            touch,
            "s.is_valid()",
            "s.errors",
            "s.validated_data",
            *(["s.save()"] if r.random() < 0.3 else []),
        ]

    def before(self, cls: Class) -> str:
        """A change of classes that lasts."""
        r = self.r
        return r.choice(
            [
                f"change({cls.name}, 'to_representation', lambda self, x: {{'patched': 1}}, for_good=True)",
                f"change({cls.name}, 'validate', lambda self, data: note('patched', data) or data, for_good=True)",
                f"change({cls.name}, 'validate_f0', lambda self, value: note('patched', value) or value, for_good=True)",
                f"change({cls.name}, 'to_internal_value', lambda self, x: {{'patched': 1}}, for_good=True)",
                "change(serializers.CharField, 'to_representation', lambda self, x: note('of stock', x) or str(x), for_good=True)",
                "change(serializers.IntegerField, 'to_internal_value', lambda self, x: note('of stock', x) or 1, for_good=True)",
                "change(serializers.Field, 'get_attribute', lambda self, x: note('of stock') or 'got', for_good=True)",
                "change(serializers.Field, 'run_validation', lambda self, x=empty: note('of stock') or x, for_good=True)",
                f"change({cls.name}, 'get_fields', lambda self: {{'f0': serializers.CharField()}}, for_good=True)",
                f"{cls.name}._declared_fields.pop('f0', None)",
                f"{cls.name}._declared_fields.update(f0=serializers.IntegerField(required=False, source='g0'))",
                f"{cls.name}.Meta.fields = {cls.names[:2]!r}",
                f"{cls.name}.Meta.read_only_fields = ['title']",
                f"{cls.name}.Meta.extra_kwargs = {{'title': {{'required': False}}}}",
                "change(Thing, 'f0', property(lambda self: note('f0 of class') or 5), for_good=True)",
                "change(Item, 'title', property(lambda self: note('title of class') or 't'), for_good=True)",
                "change(Item, '__getattribute__', lambda self, name: (name[0] == '_' or note(name)) and None or object.__getattribute__(self, name), for_good=True)",
                "change(serializers.Serializer, 'to_representation', lambda self, x: {'of': 'user'}, for_good=True)",
                "change(serializers.ListSerializer, 'to_representation', lambda self, x: ['of user'], for_good=True)",
                "change(serializers.CharField, 'default_error_messages', dict(serializers.CharField.default_error_messages, required='now'), for_good=True)",
                "change(serializers.DateTimeField, 'format', '%Y', for_good=True)",
            ]
        )


_N_ROWS = (0, 1, 2, 3, 3, 9)
"""Numbers of rows; of many, more is made once."""
_EXTRA = (
    *(
        "'required': False",
        "'allow_null': True",
        "'write_only': True",
        "'read_only': True",
        "'validators': [Checks('abc')]",
    ),
    *(
        "'default': 'd'",
        "'help_text': 'h'",
        "'source': 'title'",
        "'error_messages': {'required': 'must'}",
        "'initial': 3",
    ),
)

_TARGETS: dict[str, dict[str, tuple[str, bool]]] = {
    "Item": {"Seller": ("seller", False), "Category": ("category", False), "Tag": ("tags", True), "Review": ("reviews", True), "Detail": ("detail", False), "Item": ("replaces", False)},
    "Shown": {"Seller": ("seller", False), "Item": ("replaced_by", False)},
    "Special": {"Seller": ("seller", False), "Item": ("item_ptr", False)},
    "Seller": {"Item": ("items", True)},
    "Category": {"Category": ("parent", False), "Item": ("item_set", True)},
    "Tag": {"Item": ("items", True)},
    "Review": {"Item": ("item", False)},
    "Detail": {"Item": ("item", False)},
}  # fmt: skip
"""The relations between models, with whether they are to many."""
_MORE = {
    "Item": ("label", "worth", "fails", "reviews", "detail", "replaced_by", "seller_id", "special"),
    "Shown": ("label", "worth", "reviews"),
    "Special": ("item_ptr", "label"),
    "Seller": ("shout", "items"),
    "Category": ("children", "item_set", "parent_id"),
    "Tag": ("items",),
}


def random_program(seed: int, n_steps: int) -> Program:
    """The program of a seed: a few classes, and steps that use each of them."""
    r = random.Random(seed)
    writer = _Writer(r)
    roots = [writer.serializer(2) for _ in range(r.choice([1, 1, 2]))]
    steps = [writer.step(r.choice(roots if r.random() < 0.85 else writer.classes)) for _ in range(n_steps)]
    return Program(blocks=writer.blocks, steps=steps)
