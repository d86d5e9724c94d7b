"""The calls of the threads. Readers call the library and check what they get; writers change what readers encode.

What holds of every object that is changed: a dict has pairs of a number as str and the number, a list and a deque have
consecutive numbers, a set has no other than 0 to 99. So a reader sees whether a container was written as it was at one
moment.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import pickle
import random
import sys
from collections.abc import Callable

import ssrjson_web
import ssrjson_web.orjson
from ssrjson_web import _core
from ssrjson_web._models.language import (
    Accepted,
    AcceptedField,
    AcceptedModel,
    LoadField,
    LoadRecord,
    ReadField,
    ReadRecord,
    StepWay,
)
from threads import option_calls, serializer_calls
from threads.shared import MODELS, NATIVE, Shared, document

try:
    from threads import typed_calls
except ImportError:  # FastAPI is not installed
    typed_calls = None  # type: ignore[assignment]

Call = Callable[[Shared, random.Random], None]

READERS: dict[str, Call] = {}
WRITERS: dict[str, Call] = {}


def reader(call: Call) -> Call:
    READERS[call.__name__] = call
    return call


def writer(call: Call) -> Call:
    def changed(shared: Shared, rng: random.Random) -> None:
        with shared.writing:
            call(shared, rng)

    WRITERS[call.__name__] = changed
    return call


def is_run(numbers: list[int]) -> bool:
    return all(after - before == 1 for before, after in itertools.pairwise(numbers))


def are_pairs(pairs: dict[str, int]) -> bool:
    return all(int(key) == value for key, value in pairs.items())


# Objects that nobody changes: every text is known.


@reader
def dumps(shared: Shared, rng: random.Random) -> None:
    shared.check(ssrjson_web.dumps(shared.document) == shared.text, "dumps")
    shared.check(ssrjson_web.dumps(shared.document, sort_keys=True) == shared.sorted, "dumps sorted")
    indented = ssrjson_web.dumps(shared.document, indent=rng.randrange(1, 4))
    shared.check(json.loads(indented) == shared.decoded, "dumps indented")


@reader
def dumps_to_bytes(shared: Shared, rng: random.Random) -> None:
    shared.check(ssrjson_web.dumps_to_bytes(shared.document) == shared.encoded, "dumps_to_bytes")
    shared.check(shared.encoder.encode(shared.document) == shared.encoded, "encode")
    shared.check(shared.encoder.encode_str(shared.document) == shared.text, "encode_str")


@reader
def orjson(shared: Shared, rng: random.Random) -> None:
    floats = json.loads(shared.text, parse_int=float)  # without ints beyond 64 bits, which are refused
    shared.check(json.loads(ssrjson_web.orjson.dumps(floats)) == floats, "orjson.dumps")
    with contextlib.suppress(TypeError):  # there may be such ints
        ssrjson_web.orjson.dumps(shared.models[:2], default=str, option=rng.choice([0, 1, 32, 4]))
    shared.check(ssrjson_web.orjson.loads(shared.encoded) == shared.decoded, "orjson.loads")


@reader
def loads(shared: Shared, rng: random.Random) -> None:
    source = rng.choice([shared.text, shared.encoded, bytearray(shared.encoded), memoryview(shared.encoded)])
    shared.check(ssrjson_web.loads(source) == shared.decoded, "loads")
    text = rng.choice(shared.documents)
    shared.check(shared.decoder.decode(text) == json.loads(text), "decode")
    shared.check(shared.decoder.raw_decode(text)[1] == len(text), "raw_decode")
    shared.check(shared.hooking.decode(text) == json.loads(text), "decode with hooks")


@reader
def new_shapes(shared: Shared, rng: random.Random) -> None:
    fresh = [{f"k{rng.randrange(5000)}": n, "n": n} for n in range(5)] * 3
    shared.check(ssrjson_web.loads(json.dumps(fresh)) == fresh, "new shapes")


@reader
def changed_dicts(shared: Shared, rng: random.Random) -> None:
    rows = ssrjson_web.loads('[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}]')
    rows[1]["c"] = 3
    rows[2].pop("a")
    shared.check(rows == [{"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"b": 2}], "dicts of one shape")


@reader
def errors(shared: Shared, rng: random.Random) -> None:
    for text in ('[{"a":1},{"a":]', b'["\xff"]', "[1,]"):
        with contextlib.suppress(ValueError):
            ssrjson_web.loads(text)
            shared.check(False, "an error was not raised")
    with contextlib.suppress(TypeError):
        ssrjson_web.dumps({"a": [1, {"b": object()}]})
        shared.check(False, "an error was not raised")


@reader
def lines(shared: Shared, rng: random.Random) -> None:
    text = shared.encoder.encode_lines(shared.document)
    shared.check(shared.decoder.decode_lines(text) == shared.decoded, "lines")


@reader
def own_stream(shared: Shared, rng: random.Random) -> None:
    chunks = shared.encoder.iterencode(shared.document, rng.choice([1, 20, 4096]))
    shared.check(b"".join(chunks) == shared.encoded, "iterencode")


@reader
def shared_stream(shared: Shared, rng: random.Random) -> None:
    with contextlib.suppress(ValueError):  # iterencode() is already running
        if next(shared.stream, None) is None:
            shared.stream = iter(shared.encoder.iterencode(shared.document, 50))


@reader
def feed(shared: Shared, rng: random.Random) -> None:
    decoder = ssrjson_web.Decoder()
    middle = rng.randrange(len(shared.encoded))
    decoder.feed(shared.encoded[:middle])
    decoder.feed(bytearray(shared.encoded[middle:]))
    shared.check(decoder.close() == shared.decoded, "feed")


@reader
def shared_feed(shared: Shared, rng: random.Random) -> None:
    with contextlib.suppress(ValueError, TypeError):  # the chunks of two threads are mixed
        shared.decoder.feed(rng.choice(["[1", b"[2", ",3]", b"]"]))
        if rng.random() < 0.3:
            shared.decoder.close()


@reader
def encode_into(shared: Shared, rng: random.Random) -> None:
    buffer = bytearray(b"x")
    shared.encoder.encode_into(shared.document, buffer, -1)
    shared.check(bytes(buffer) == b"x" + shared.encoded, "encode_into")


@reader
def natives(shared: Shared, rng: random.Random) -> None:
    native = dict(NATIVE)
    text = rng.choice([ssrjson_web.dumps(native, natives=True), shared.encoder.encode_str(native)])
    shared.check(json.loads(text)["colour"] == "rot", "natives")


@reader
def hooks(shared: Shared, rng: random.Random) -> None:
    shared.check(json.loads(shared.hooked.encode([object(), {"x": object()}]))[0][1] == {"n": 1}, "hooks")


@reader
def fragments(shared: Shared, rng: random.Random) -> None:
    shared.check(ssrjson_web.dumps_to_bytes([shared.fragment]) == b"[" + shared.encoded + b"]", "Fragment")
    shared.check(shared.fragment == copy.copy(shared.fragment) and hash(shared.fragment) != 0, "Fragment")


@reader
def options(shared: Shared, rng: random.Random) -> None:
    made = ssrjson_web.Encoder(indent=1, separators=[",", ":"], default=str)
    shared.check(repr(pickle.loads(pickle.dumps(made))) == repr(made), "pickle")
    shared.check("hook" in repr(shared.hooking), "repr")
    shared.check(ssrjson_web.get_current_features()["level"] != "", "features")


@reader
def caches(shared: Shared, rng: random.Random) -> None:
    string = rng.choice(shared.strings)
    ssrjson_web.dumps_to_bytes(string, is_write_cache=True)
    shared.check(ssrjson_web.utf8_cache_size(string) == len(string.encode()) + 1, "utf8_cache_size")
    ssrjson_web.dumps_to_bytes([string, string])


@reader
def switch(shared: Shared, rng: random.Random) -> None:
    ssrjson_web.write_utf8_cache(rng.random() < 0.1)
    ssrjson_web.dumps_to_bytes("é" * rng.randrange(1, 50))
    ssrjson_web.write_utf8_cache(False)


@reader
def scans(shared: Shared, rng: random.Random) -> None:
    if rng.random() < 0.05:  # all other threads wait for it
        shared.check(ssrjson_web.scan_utf8_cache(shared.nested, shared.models)["objects"] > 0, "scan")
        shared.check(_core._audit_utf8_cache(shared.nested, 5, 100)[1] > 0, "audit")


@reader
def recorders(shared: Shared, rng: random.Random) -> None:
    _core.current_recorder.set(shared.recorder if rng.random() < 0.5 else None)
    ssrjson_web.dumps([1])
    ssrjson_web.loads("[1]")
    if shared.recorder.begin():
        shared.recorder.end(rng.choice(["a", "b"]), "encode", 1, 1, 1)
    total = ssrjson_web.Recorder()
    total.add(shared.recorder)
    shared.check(total.json_ns >= 0 and set(total.observed) <= {"a", "b"}, "recorder")
    _core.current_recorder.set(None)


# Objects that writers change.


@reader
def changing_dict(shared: Shared, rng: random.Random) -> None:
    for value in (shared.dict, shared.own_dict):
        for text in (
            ssrjson_web.dumps(value),
            ssrjson_web.dumps(value, sort_keys=True),
            ssrjson_web.dumps(value, indent=1, exact_types=True, default=dict),
            ssrjson_web.dumps_to_bytes(value, html_safe=True),
        ):
            shared.check(are_pairs(json.loads(text)), f"a dict: {text!r}")


@reader
def changing_list(shared: Shared, rng: random.Random) -> None:
    for value in (shared.list, shared.own_list):
        for text in (ssrjson_web.dumps(value), ssrjson_web.dumps_to_bytes([value])):
            numbers = json.loads(text)
            shared.check(is_run(numbers if isinstance(text, str) else numbers[0]), f"a list: {text!r}")
    shared.check(is_run(json.loads(shared.exact.encode(shared.list))), "a list of exact types")


@reader
def changing_nested(shared: Shared, rng: random.Random) -> None:
    value = json.loads(rng.choice([shared.sorting, shared.exact, shared.encoder]).encode(shared.nested))
    shared.check(is_run(value["list"]) and are_pairs(value["dict"]), f"nested: {value!r}")
    json.loads(ssrjson_web.dumps(shared.attributes))


@reader
def changing_sets(shared: Shared, rng: random.Random) -> None:
    numbers = json.loads(ssrjson_web.dumps(shared.set, iterables=True))
    shared.check(set(numbers) <= set(range(100)), f"a set: {numbers!r}")
    keys, values = json.loads(ssrjson_web.dumps([shared.dict.keys(), shared.dict.values()], iterables=True))
    shared.check(len(set(keys)) == len(keys) and len(set(values)) == len(values), "views of a dict")
    with contextlib.suppress(RuntimeError):  # deque mutated during iteration
        shared.check(is_run(json.loads(ssrjson_web.dumps(shared.deque, iterables=True))), "a deque")


@reader
def changing_streams(shared: Shared, rng: random.Random) -> None:
    chunks: list[bytes] = []
    with contextlib.suppress(RuntimeError):  # dictionary changed size during iteration
        chunks.extend(shared.encoder.iterencode(shared.nested, 1))
        json.loads(b"".join(chunks))


@reader
def changing_models(shared: Shared, rng: random.Random) -> None:
    for model in shared.models:
        value = json.loads(shared.modelling.encode(model) if rng.random() < 0.5 else shared.modelling.encode([model]))
        value = value[0] if isinstance(value, list) else value
        shared.check(str(value["name"]).startswith("é"), f"a model: {value!r}")
    ssrjson_web.dumps(shared.models[0], dataclass=True)
    ssrjson_web.dumps(shared.models[1], natives=True)


class Numbers:
    """A class of a few numbers, each of which may be absent."""


NUMBER = (Accepted(int),)
PAIRS = _core._Acceptance((Accepted(dict, "values", inner=NUMBER),))
RUN = _core._Acceptance((Accepted(list, "items", inner=NUMBER),))
FIELDS = tuple(AcceptedField(str(n), str(n), None, str(n), NUMBER, default=(n,)) for n in range(0, 400, 40))
SOME = _core._Acceptance((Accepted(dict, "model", model=AcceptedModel(Numbers, FIELDS)),))
NAMES = _core._RecordReader(
    ReadRecord((ReadField("name", ("name",), None, 0, 0),), lambda cls, name: StepWay("attribute"), None)
)
LOADED = _core._RecordLoader(
    LoadRecord(
        tuple(LoadField(str(n), (str(n),), NUMBER, 0, may_be_absent=True) for n in range(9)), None, None, 0, 0, 0
    )
)


@reader
def changing_accepted(shared: Shared, rng: random.Random) -> None:
    pairs = PAIRS.for_text(shared.dict)
    shared.check(pairs is NotImplemented or are_pairs(dict(pairs)), f"accepted values: {pairs!r}")
    numbers = RUN.for_models(shared.list)
    shared.check(numbers is NotImplemented or is_run(numbers), f"accepted items: {numbers!r}")
    some = SOME.for_text(shared.dict)
    shared.check(all(key == str(value) for key, value in some.items()), f"accepted fields: {some!r}")
    for made in NAMES.read_all(shared.models, lambda number: str):
        shared.check(str(made["name"]).startswith("é"), f"a record: {made!r}")
    loaded = LOADED.load(shared.dict, lambda number: str)
    shared.check(all(key == str(value) for key, value in loaded.items()), f"a loaded record: {loaded!r}")


@reader
def typed_requests(shared: Shared, rng: random.Random) -> None:
    for wrong in typed_calls.use(rng) if typed_calls is not None else []:
        shared.check(False, wrong)


@reader
def open_models(shared: Shared, rng: random.Random) -> None:
    for wrong in typed_calls.use_anything(rng) if typed_calls is not None else []:
        shared.check(False, wrong)


def reader_of(use: Callable[[random.Random], list[str]]) -> Call:
    def read(shared: Shared, rng: random.Random) -> None:
        for wrong in use(rng):
            shared.check(False, wrong)

    return read


READERS.update({name: reader_of(use) for name, use in (option_calls.USES | serializer_calls.USES).items()})


@writer
def write_others(shared: Shared, rng: random.Random) -> None:
    option_calls.change(rng)
    serializer_calls.change(rng)


@writer
def write_typed(shared: Shared, rng: random.Random) -> None:
    if typed_calls is not None:
        typed_calls.change(rng)


@writer
def write_dict(shared: Shared, rng: random.Random) -> None:
    for written in (shared.dict, shared.own_dict):
        number = rng.randrange(400)
        action = rng.randrange(12)
        if action == 0:
            written.clear()
        elif action == 1:
            written.update({str(n): n for n in range(number % 60)})
        elif action < 6:
            written.pop(str(number), None)
        else:
            written[str(number)] = number


@writer
def write_list(shared: Shared, rng: random.Random) -> None:
    for written in (shared.list, shared.own_list):
        action = rng.randrange(12)
        if action == 0:
            written.clear()
        elif action == 1:
            written[:] = range(rng.randrange(100))
        elif action < 5 and written:
            written.pop(rng.choice([0, -1]))
        else:
            written.append(written[-1] + 1 if written else 0)


@writer
def write_sets(shared: Shared, rng: random.Random) -> None:
    shared.set.add(rng.randrange(100))
    shared.set.discard(rng.randrange(100))
    if rng.random() < 0.05:
        shared.set.clear()
    shared.deque.append(shared.deque[-1] + 1)


@writer
def write_models(shared: Shared, rng: random.Random) -> None:
    model = rng.choice(shared.models)
    model.x = rng.randrange(1000)
    model.name = "é" * rng.randrange(1, 9)
    model.items = [document(rng.randrange(9)), model.x]
    shared.attributes[f"a{rng.randrange(20)}"] = model.x
    if rng.random() < 0.02 and len(shared.attributes) > 10:
        shared.attributes.clear()


@writer
def write_fields(shared: Shared, rng: random.Random) -> None:
    model = rng.choice(shared.models)
    if isinstance(model.items, list):
        model.items.append(rng.choice([1, "x", None, [1], {"a": 1}]))
        del model.items[20:]
    if hasattr(model, "table"):
        model.table[str(rng.randrange(50))] = 1
        model.numbers.append(rng.randrange(9))
        del model.numbers[50:]
    if hasattr(model, "__dict__") and rng.random() < 0.1:
        model.__dict__ = dict(model.__dict__)


@writer
def write_classes(shared: Shared, rng: random.Random) -> None:
    if rng.random() < 0.02:  # a class that changes gets a new plan
        made = rng.choice(MODELS[:1])
        made.note = rng.random()


def sizes() -> str:
    """For the report: which build is called."""
    gil = "with the GIL" if getattr(sys, "_is_gil_enabled", lambda: True)() else "without the GIL"
    return f"{len(READERS)} readers and {len(WRITERS)} writers, {gil}"
