"""Allocation that fails at each point in turn, or collects garbage: an error or the right result, and no crash."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.builds import IS_FREE_THREADED
from helpers.processes import run_python

from ssrjson_web import _core

CASES = {
    "dumps": "dumps(VALUE)",
    "dumps ascii": "dumps(VALUE, ensure_ascii=True)",
    "dumps indented and sorted": "dumps(VALUE, indent=1, sort_keys=True, separators=('，', '：'))",
    "dumps_to_bytes": "dumps_to_bytes(VALUE)",
    "dumps_to_bytes with a cache": "dumps_to_bytes(VALUE, is_write_cache=True)",
    "dumps_to_bytes of subclasses": "dumps_to_bytes([OrderedDict(a=[1]), Items([1, 2])])",
    "dumps_to_bytes with a hook": "dumps_to_bytes([{1}, {'a': {2}}], default=list)",
    "dumps_to_bytes of a lone surrogate": "outcome_of(dumps_to_bytes, ['é', chr(0xd800), '中'])",
    "dumps of a deep list": "dumps(DEEP)",
    "dumps of native types": "dumps(NATIVE, natives=True)",
    "dumps of native types in other formats": "dumps(NATIVE, natives=True, timedelta='seconds', bytes='base64')",
    "dumps_to_bytes of native keys": "dumps_to_bytes({key: 1 for key in NATIVE[:7]}, natives=True)",
    "dumps_to_bytes of a new class": "dumps_to_bytes([new_class()], natives=True)",
    "dumps_to_bytes of plans": "[Encoder(models=True, **options).encode([PLANNED, CHANGED]) for options in OPTIONS]",
    "dumps_to_bytes of a new plan": "[renew() and encode_models([PLANNED, CHANGED])]",
    "Encoder.iterencode of plans": "b''.join(Encoder(models=True).iterencode([PLANNED, CHANGED], 1))",
    "dumps for html": "dumps(['<' + 'é\u2028' * 9000], html_safe=True, append_newline=True)",
    "dumps of escaped surrogates": "dumps(['é', chr(0xd800) * 9000], escape_surrogates=True)",
    "dumps_to_bytes of escaped surrogates": "dumps_to_bytes(['é', chr(0xd800) * 9000, '中'], escape_surrogates=True)",
    "dumps_to_bytes for html": "dumps_to_bytes(['<' + 'é' * 9000], html_safe=True)",
    "dumps of unsafe ints": "dumps([2**60, {2**70: 1}], int53='str')",
    "dumps of a refused int": "outcome_of(dumps, [2**60], int53='error')",
    "dumps of fragments": "dumps([Fragment('é' * 5000), Fragment(b'1')], ensure_ascii=True)",
    "dumps_to_bytes of fragments": "dumps_to_bytes([Fragment('é' * 5000), Fragment(b'1')])",
    "Encoder": "Encoder(indent=1, separators=(';', ':'), default=list, natives=True).encode_str([VALUE, {1}])",
    "Encoder of an unknown format": "outcome_of(Encoder, bytes='base32')",
    "Encoder.encode_lines": "Encoder().encode_lines([VALUE, 1, 'é' * 3000])",
    "Encoder.encode_into": "into(VALUE)",
    "Encoder.iterencode": "b''.join(Encoder(natives=True).iterencode([VALUE, NATIVE, DEEP], 1))",
    "Encoder.iterencode sorted": "b''.join(Encoder(natives=True, sort_keys=True).iterencode([VALUE, NATIVE], 50))",
    "Encoder.iterencode in part": "[next(Encoder().iterencode(VALUE, 1)) for _ in range(3)]",
    "loads str": "loads(TEXT)",
    "loads bytes": "loads(TEXT.encode())",
    "loads utf-16": "loads(TEXT.encode('utf-16'))",
    "loads keys that no cache holds": "loads(LONG_KEYS)",
    "loads deep": "loads('[' * 200 + ']' * 200)",
    "loads malformed": "outcome_of(loads, TEXT[:-3])",
    "loads malformed bytes": "outcome_of(loads, TEXT.encode()[:-3])",
    "loads invalid UTF-8": "outcome_of(loads, b'[\"\\xff\"]')",
    "loads with hooks": "loads(TEXT, object_hook=list, array_hook=tuple, parse_int=str, parse_float=str)",
    "loads with pairs": "loads(TEXT.encode(), object_pairs_hook=list, parse_constant=str)",
    "loads with refusals": 'outcome_of(loads, \'{"a": 1, "é": 2, "a": 3}\', duplicate_keys=\'error\', allow_nan=False)',
    "loads too deep": "outcome_of(loads, b'[[[1]]]', max_depth=2)",
    "loads too long": "outcome_of(loads, '[[[1]]]', max_size=2)",
    "Decoder": "Decoder(object_hook=list, max_depth=900, duplicate_keys='last').decode(TEXT)",
    "Decoder of an unknown option": "outcome_of(Decoder, object_hook=list, duplicate_keys='first')",
    "Decoder.decode_lines": "Decoder().decode_lines(f'{TEXT}\\n\\n1\\n')",
    "Decoder.decode_lines malformed": "outcome_of(Decoder().decode_lines, f'{TEXT}\\n\\n1 2\\n'.encode())",
    "Decoder.raw_decode": "Decoder().raw_decode(f'x{TEXT} y', 1)",
    "Decoder.feed str": "fed(TEXT[:7], TEXT[7:300], TEXT[300:], ' ', ' ' * 5000)",
    "Decoder.feed bytes": "fed(bytearray(TEXT[:7].encode()), TEXT[7:].encode(), b' ')",
    "Decoder.feed malformed": "outcome_of_fed(TEXT, 'x')",
    "records made": "made_records() and True",
    "records read": "(READER.read(PLANNED, CALL), READER.read_all([1, CHANGED], CALL))",
    "records loaded": "LOADER.load_all([{'a': ' x ', 'b': '1.5', 'c': 1}, {'b': 1, 'd': {'a': 'a'}}, {'a': 1}], CALL)",
    "get_current_features": "get_current_features()",
    "scan_utf8_cache": "scan_utf8_cache(HELD)",
    "audit": "_audit_utf8_cache(HELD, 9, 9)",
}

SNIPPET = """
    import dataclasses, datetime, decimal, enum, pathlib, sys, types, uuid
    from collections import OrderedDict, UserDict, deque
    import _testcapi
    from ssrjson_web import Decoder, Encoder, Fragment, dumps, dumps_to_bytes, get_current_features, loads
    from ssrjson_web import scan_utf8_cache
    from ssrjson_web._core import _audit_utf8_cache, _use_level
    from ssrjson_web._core import _RecordLoader, _RecordReader
    from ssrjson_web._models.language import Accepted, LoadField, LoadRecord, ReadField, ReadRecord, StepWay
    from ssrjson_web._models.plan import Plan, PlanField

    def convert(value, *options):
        return [value if isinstance(value, str) else None]

    class Items(list):
        def __iter__(self):
            return list.__iter__(self)

    VALUE = {{"b": ["é" * 300, "中" * 400, "a" * 3000, 1.5, 10**30, None], "a": {{"😀": [[], {{}}, (1, 2)]}}, "c": -7}}
    TEXT = dumps(VALUE)
    TEXT = TEXT.replace('"c"', '"c\\\\n中"')
    DEEP = loads("[" * 200 + "]" * 200)
    LONG_KEYS = dumps({{f"中{{i}}" * 50: i for i in range(40)}})

    HELD = [type(f"Class{{i}}", (), {{"__slots__": "text"}})() for i in range(70)]  # more than the first tables hold
    for held in HELD:
        held.text = "".join(["中"] * 9)
    HELD += [[b""] for _ in range(3000)]
    dumps_to_bytes(HELD[:70], default=lambda held: held.text, is_write_cache=True)

    class Colour(enum.Enum):
        RED = ("rot", 1)
        GREEN = "grün"

    @dataclasses.dataclass
    class Model:
        x: object
        y: object

        @property
        def z(self):
            return 1

    NATIVE = (
        datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        datetime.timedelta(5), uuid.UUID(int=5), decimal.Decimal("1.50"), Colour.GREEN, b"bytes" * 50,
        pathlib.PurePosixPath("a/é"), Colour.RED, frozenset([5]), deque([Model(1, [Model(2, {{"k": b"v"}})])]),
        types.MappingProxyType({{"a": UserDict(b=1)}}), memoryview(b"abc"),
    )

    class Planned:
        __ssrjson_plan__ = Plan(
            "dict",
            (
                PlanField("a", "a", "A", (
                    Accepted(list, "items", inner=(Accepted(str), Accepted(tuple, "places", places=(None, None)))),
                )),
                PlanField("b", "b", "b", (
                    Accepted(dict, "fields", mapping={{"x": 0}}, places=(None,)),
                    Accepted(int, "among", among=frozenset([1, 2])),
                ), convert),
            ),
            (PlanField("c", "c", "c"),),
            convert,
        )
        c = "é"

    PLANNED, CHANGED = Planned(), Planned()
    PLANNED.__dict__.update(a=["é", (1, 2)], b={{"x": None}})
    CHANGED.__dict__.update(b="x" * 300, a=["é"])
    OPTIONS = ({{}}, {{"by_alias": True, "exclude_none": True}})
    encode_models = Encoder(models=True).encode

    def renew():
        Planned.changed = True  # its plan is made again
        return True

    def new_class():
        return type("New", (Model,), {{}})(1, 2)  # its plan is made again

    def into(value):
        buffer = bytearray(b"x" * 50)
        try:
            Encoder().encode_into(value, buffer, 50)
        except MemoryError:
            assert buffer == b"x" * 50
            raise
        return bytes(buffer)

    def fed(*chunks):
        decoder = Decoder(parse_int=str)
        for chunk in chunks:
            try:
                decoder.feed(chunk)
            except MemoryError:
                _testcapi.remove_mem_hooks()
                decoder.feed("[5]")  # what was fed is dropped
                assert decoder.close() == ["5"]
                raise
        return decoder.close()

    def outcome_of_fed(*chunks):  # in one frame: CPython loses an error that it has no memory to trace through two
        decoder = Decoder(parse_int=str)
        try:
            for chunk in chunks:
                decoder.feed(chunk)
            return decoder.close()
        except ValueError as error:
            return type(error).__name__

    def called(*arguments):
        for argument in arguments:
            if isinstance(argument, MemoryError):
                raise argument
        return str(len(arguments))

    def CALL(number):
        return called

    # Neither a function nor a generator is made where memory fails: CPython 3.12.1 and 3.13.0 crash.
    def way_of(cls, name):
        return StepWay("attribute")

    def made_records():
        values = (
            Accepted(str, "mapped_or_same", mapping={{"é": "e"}}),
            Accepted(list, "items", inner=None),
            Accepted(dict, "values", inner=(Accepted(type(None)),)),
        )
        inner = (ReadField("real", ("real",), values, 0, 0), ReadField("c", ("c",), None, 0, 0))
        inner = ReadRecord(inner, way_of, None)
        reader = _RecordReader(ReadRecord(
            tuple([ReadField(key, (key,), (*values, Accepted(object, "read", record=inner)), 0, 0) for key in "abc"]),
            way_of, None,
        ))
        fields = (
            LoadField("a", ("x", "a"), (Accepted(str, "trimmed", 1, 5),), 0),
            LoadField("b", ("b",), (Accepted(str, "decimal", 3, 2), Accepted(int, "decimal", 3, 2)), 0, after=0),
            LoadField("c", ("c",), (Accepted(str),), 0, default=("default",)),
        )
        within = LoadField("d", ("d",), (Accepted(dict, "load", record=LoadRecord(fields, None, None, 0, 0, 0)),), 0)
        return reader, _RecordLoader(LoadRecord((*fields, within), None, None, 0, 0, 0))

    READER, LOADER = made_records()

    def outcome_of(function, *arguments, **options):
        try:
            return function(*arguments, **options)
        except (UnicodeError, ValueError) as error:
            return type(error).__name__

    def call():
        return {expression}

    for level in get_current_features()["levels"]:
        assert _use_level(level)
        expected = call()
        n_failures = n_passed = n = 0
        while n_passed < 20:  # in a row: then n is beyond the number of allocations
            error = None
            result = None
            _testcapi.set_nomemory(n, n + 1)
            try:
                result = call()
            except MemoryError:
                error = True
            except SystemError as fault:  # of CPython 3.10 itself: named tuples alone, made so, show it, too
                if sys.version_info >= (3, 11) or not str(fault).startswith("_PyEval_EvalFrameDefault returned NULL"):
                    raise
                error = True
            finally:
                _testcapi.remove_mem_hooks()
            if error:
                n_failures += 1
                n_passed = 0
            else:
                assert result == expected, (n, result)
                n_passed += 1
            assert call() == expected, n
            n += 1
        print(level, n_failures)
"""


@pytest.mark.parametrize("case", CASES)
def test_allocation_that_fails_at_each_point_is_a_memory_error(case: str, tmp_path: Path) -> None:
    pytest.importorskip("_testcapi", reason="this interpreter was built without the hook that makes allocation fail")
    if IS_FREE_THREADED and sys.version_info < (3, 14):
        pytest.skip("CPython 3.13t crashes where it has no memory for list() of a class derived from list")
    if "new_class" in CASES[case] and sys.version_info >= (3, 12):
        pytest.skip("CPython 3.12.1 and 3.13.0 crash where they have no memory for a function or a generator's tuple")
    done = run_python(SNIPPET.format(expression=CASES[case]), tmp_path)
    assert done.returncode == 0, done
    failures = dict(line.split() for line in done.stdout.splitlines())
    assert list(failures) == _core.get_current_features()["levels"], done
    assert all(int(n) > 0 for n in failures.values()), failures


@pytest.mark.parametrize(
    "value",
    [
        "_core.Fragment(bytes([255]) * 3000)",
        "_core.Fragment(chr(0xd800) * 3000)",
        "object.__new__(uuid.UUID)",
        "object.__new__(Colour)",
        "object.__new__(Slotted)",
        "bytes([255]) * 3000",
        "''.join([chr(0xd800)] * 3000)",
        "datetime.datetime(2026, 1, 2, tzinfo=Zone())",
        "decimal.Decimal('1.5')",
        "[decimal.Decimal('1.5'), decimal.Decimal('2.5'), [decimal.Decimal('3.5')]]",
        "{1: 2, 'x' * 100: 3}",
        "{decimal.Decimal(n): [str(n) * 9] for n in range(9)}",
        "[deep() for n in range(50)]",
    ],
)
def test_garbage_collected_within_an_allocation_may_drop_the_document(value: str, tmp_path: Path) -> None:
    snippet = f"""
        import dataclasses, datetime, decimal, enum, gc, threading, uuid
        from ssrjson_web import _core

        class Colour(enum.Enum):
            RED = 1

        @dataclasses.dataclass
        class Slotted:
            __slots__ = ("x",)
            x: int

        class Zone(datetime.tzinfo):
            def utcoffset(self, moment):
                return [datetime.timedelta(0) for _ in range(5)][0]

        class Dropping:
            def __init__(self):
                self.me = self

            def __del__(self):
                for container in document:
                    container.clear()

        def deep():
            value = []
            for _ in range(50):
                value = [value, iter([{{1}}])]
            return value

        def encode(document, way, n, options):
            gc.set_threshold(n, 1, 1)
            gc.enable()
            try:
                if way == 0:
                    _core.dumps(document, natives=True, **options)
                elif way == 1:
                    _core.dumps_to_bytes(document, natives=True, is_write_cache=True, **options)
                else:
                    list(_core.Encoder(natives=True, is_write_cache=True, **options).iterencode(document, 1))
            except (AttributeError, TypeError, ValueError, RuntimeError):
                pass
            gc.disable()

        gc.disable()
        gc.freeze()
        for level in _core.get_current_features()["levels"]:
            _core._use_level(level)
            for n in range(1, 30):
                for options in {{}}, {{"sort_keys": True}}, {{"ensure_ascii": True}}:
                    for way in range(3):
                        made = {value}
                        document = [[made, ["after" * 9]], {{"k": made}}]
                        del made
                        Dropping()
                        # a new thread: its first Decimal makes a context
                        thread = threading.Thread(target=encode, args=(document, way, n, options))
                        thread.start()
                        thread.join()
                        gc.set_threshold(700, 10, 10)
                        gc.collect()
            print(level)
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.split() == _core.get_current_features()["levels"], done
