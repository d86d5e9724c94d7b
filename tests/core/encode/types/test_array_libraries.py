"""Arrays of the libraries themselves, with arrays=True, against their own lists of Python's objects.

nanoarrow is small, and is installed for `make test`. The others are tested where they are installed, as by
`make check-arrays`.
"""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import JSONEncodeValueError, dumps, dumps_to_bytes

pytestmark = pytest.mark.usefixtures("isa")


def in_json(value: Any) -> Any:
    """What json writes of the objects that are none of JSON's."""
    assert isinstance(value, (datetime.date, datetime.time))
    return value.isoformat()


def assert_written(expected: Any, exported: Any, **options: Any) -> None:
    text = json.dumps(expected, separators=(",", ":"), ensure_ascii=False, default=in_json)
    assert dumps(exported, arrays=True, **options) == text
    assert dumps_to_bytes(["é", exported, exported], arrays=True, **options).decode() == f'["é",{text},{text}]'
    assert dumps(exported, arrays=True, indent=1, **options) == json.dumps(
        expected, indent=1, ensure_ascii=False, default=in_json
    )


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.none() | values, max_size=40)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)

# nanoarrow


@given(nullable(st.integers(-(1 << 31), (1 << 31) - 1)), nullable(DOUBLES), nullable(TEXTS), nullable(st.booleans()))
def test_arrays_of_nanoarrow(ints: list[Any], floats: list[Any], texts: list[Any], flags: list[Any]) -> None:
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed")
    for values, of_type in (
        (ints, nanoarrow.int32()),
        (ints, nanoarrow.int64()),
        (floats, nanoarrow.float64()),
        (texts, nanoarrow.string()),
        (texts, nanoarrow.large_string()),
        (flags, nanoarrow.bool_()),
    ):
        array = nanoarrow.Array(values, of_type)
        assert array.to_pylist() == values
        assert_written(values, array)
        assert_written(values, nanoarrow.c_array(array))  # by __arrow_c_array__ alone
        assert_written(values[1:], nanoarrow.c_array(array)[1:] if values else array)
        assert_written(values * 2, nanoarrow.Array.from_chunks([array, array]))


# pyarrow


def types_of_pyarrow(pa: Any) -> st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]:
    """Types, and values of each."""
    datetimes = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))
    in_utc = datetimes.map(lambda moment: moment.replace(tzinfo=datetime.timezone.utc))
    whole = datetimes.map(lambda moment: moment.replace(microsecond=0))
    plain: list[tuple[Any, st.SearchStrategy[Any]]] = [
        (pa.null(), st.none()),
        (pa.bool_(), st.booleans()),
        *((getattr(pa, f"int{n}")(), st.integers(-(1 << n - 1), (1 << n - 1) - 1)) for n in (8, 16, 32, 64)),
        *((getattr(pa, f"uint{n}")(), st.integers(0, (1 << n) - 1)) for n in (8, 16, 32, 64)),
        (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
        (pa.float64(), DOUBLES),
        (pa.string(), TEXTS),
        (pa.large_string(), TEXTS),
        (pa.string_view(), TEXTS),
        (pa.date32(), st.dates()),
        (pa.date64(), st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1))),
        (pa.time32("s"), st.times().map(lambda time: time.replace(microsecond=0))),
        (pa.time64("us"), st.times()),
        (pa.timestamp("s"), whole),
        (pa.timestamp("us"), datetimes),
        (pa.timestamp("us", "UTC"), in_utc),
    ]

    def within(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        def lists(chosen: tuple[Any, Any]) -> st.SearchStrategy[Any]:
            of_type, values = chosen
            many = st.lists(st.none() | values, max_size=5)
            fixed = st.lists(st.none() | values, min_size=2, max_size=2)
            return st.sampled_from(
                [
                    (pa.list_(of_type), many),
                    (pa.large_list(of_type), many),
                    (pa.list_view(of_type), many),
                    (pa.list_(of_type, 2), fixed),
                ]
            )

        def struct(chosen: list[tuple[Any, Any]]) -> tuple[Any, Any]:
            names = [f"é{i}" for i in range(len(chosen))]
            fields = [pa.field(name, of_type) for name, (of_type, _) in zip(names, chosen, strict=True)]
            values = {name: st.none() | values for name, (_, values) in zip(names, chosen, strict=True)}
            return pa.struct(fields), st.fixed_dictionaries(values)

        return inner.flatmap(lists) | st.lists(inner, min_size=1, max_size=3).map(struct)

    return st.recursive(st.sampled_from(plain), within, max_leaves=4)


@pytest.fixture(scope="session")
def pyarrow() -> Any:
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed: make check-arrays")


@given(st.data())
def test_arrays_of_pyarrow(pyarrow: Any, data: st.DataObject) -> None:
    of_type, values = data.draw(types_of_pyarrow(pyarrow))
    items = data.draw(st.lists(st.none() | values, max_size=20))
    array = pyarrow.array(items, of_type)
    assert_written(array.to_pylist(), array)
    begin = data.draw(st.integers(0, len(items)))
    assert_written(array.slice(begin).to_pylist(), array.slice(begin))
    chunks = pyarrow.chunked_array([array.slice(begin), array, array.slice(0, begin)], of_type)
    assert_written(chunks.to_pylist(), chunks)
    table = pyarrow.table({"a": array, "b": pyarrow.array(range(len(items)))})
    assert_written(table.to_pylist(), table)
    assert_written(table.to_pylist(), table.to_batches()[0] if items else table)
    if not pyarrow.types.is_nested(of_type) and not pyarrow.types.is_null(of_type) and "view" not in str(of_type):
        assert_written(array.to_pylist(), array.dictionary_encode())


def test_stream_of_pyarrow_is_read_to_its_end_and_not_held(pyarrow: Any) -> None:
    batch = pyarrow.record_batch({"id": list(range(1000))})
    schema = batch.schema
    n_batches = 0

    def batches() -> Any:
        nonlocal n_batches
        for _ in range(5):
            n_batches += 1
            yield batch

    before = pyarrow.total_allocated_bytes()
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    assert json.loads(dumps_to_bytes(reader, natives=True)) == batch.to_pylist() * 5
    assert n_batches == 5
    assert dumps(reader, arrays=True) == "[]"  # as an iterator, it has no more
    del reader
    assert pyarrow.total_allocated_bytes() == before


def test_failing_stream_of_pyarrow_says_why(pyarrow: Any) -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"id": [1]})
        raise OSError("the disk is on fire")

    schema = pyarrow.schema({"id": pyarrow.int64()})
    with pytest.raises(JSONEncodeValueError, match="the disk is on fire"):
        dumps(pyarrow.RecordBatchReader.from_batches(schema, batches()), arrays=True)


def test_types_of_pyarrow_without_a_form_name_the_field(pyarrow: Any) -> None:
    import decimal

    table = pyarrow.table({"price": [decimal.Decimal("1.50")]})
    with pytest.raises(JSONEncodeValueError, match=r'^Arrow\'s type "d:3,2" of "price" is not written'):
        dumps(table, arrays=True)
    assert dumps(table, arrays=True, default=lambda table: table.to_pylist(), decimal="number") == '[{"price":1.50}]'
    encoded = pyarrow.RunEndEncodedArray.from_arrays([2, 3], [1, 2])
    assert dumps(encoded, arrays=True, default=lambda array: array.to_pylist()) == "[1,1,2]"


def test_map_of_pyarrow_is_written_as_its_pairs(pyarrow: Any) -> None:
    array = pyarrow.array([[("a", 1), ("b", None)], None, []], pyarrow.map_(pyarrow.string(), pyarrow.int8()))
    assert_written([[["a", 1], ["b", None]], None, []], array)


def test_bytes_of_pyarrow_are_written_as_the_option_says(pyarrow: Any) -> None:
    for of_type in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view(), pyarrow.binary(14)):
        array = pyarrow.array([b"0123456789abc\xff", None], of_type)
        assert dumps(array, arrays=True, bytes="base64") == '["MDEyMzQ1Njc4OWFiY/8=",null]'
        with pytest.raises(UnicodeDecodeError):
            dumps(array, natives=True)


# Other libraries of Arrow


def test_series_and_frames_of_polars() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed: make check-arrays")
    for values in (
        [1, None, 3],
        [0.5, None],
        ["a", None, "中" * 20],
        [True, None],
        [[1, 2], None, []],
        [{"a": 1}, None],
    ):
        series = polars.Series("s", values)
        assert_written(series.to_list(), series)
    frame = polars.DataFrame({"id": [1, 2], "title": ["红楼梦", None], "when": [datetime.date(2020, 1, 2), None]})
    assert_written(frame.to_dicts(), frame)
    assert_written(frame[1:].to_dicts(), frame[1:])
    categories = polars.Series(["b", "a", "b", None], dtype=polars.Categorical)
    assert_written(categories.to_list(), categories)


def test_arrays_of_arro3() -> None:
    core = pytest.importorskip("arro3.core", reason="arro3-core is not installed: make check-arrays")
    assert_written([1, None, 3], core.Array([1, None, 3], core.DataType.int64()))
    chunks = core.ChunkedArray([core.Array(["a"], core.DataType.string()), core.Array(["é"], core.DataType.string())])
    assert_written(["a", "é"], chunks)


def test_frames_of_pandas(pyarrow: Any) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: make check-arrays")
    frame = pandas.DataFrame({"id": [1, 2], "title": ["红楼梦", None]})
    assert_written([{"id": 1, "title": "红楼梦"}, {"id": 2, "title": None}], frame)
    assert_written([{"id": 2, "title": None, "__index_level_0__": 1}], frame[1:].set_index(pandas.Index([1])))


# Tensors

TORCH_TYPES = [
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
]


@pytest.fixture(scope="session")
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed: make check-arrays")


@pytest.mark.parametrize("name", TORCH_TYPES)
def test_tensors_of_torch(torch: Any, name: str) -> None:
    whole = (torch.randn(2, 3, 4, 5) * 100).to(getattr(torch, name))
    for tensor in (
        whole,
        whole[:, 1:, ::2],
        whole.transpose(0, 3),
        whole[0, 0, 0, 0],
        whole[:0],
        whole[..., :0],
        whole.reshape(-1)[3:],
        whole[:1].expand(3, 3, 4, 5),
    ):
        assert_written(tensor.tolist(), tensor)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_narrow_floats_of_torch_with_their_own_digits_are_the_same_again(torch: Any, name: str) -> None:
    dtype = getattr(torch, name)
    numbers = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16)
    numbers = numbers.view(dtype) if name != "float32" else numbers.view(torch.bfloat16).to(torch.float32) * 1.1
    finite = numbers[torch.isfinite(numbers)]
    written = json.loads(dumps(finite, arrays=True, float32="shortest"))
    again = torch.tensor(written, dtype=torch.float64).to(dtype)
    assert torch.equal(again, finite)
    assert len(dumps(finite, arrays=True, float32="shortest")) < 0.8 * len(dumps(finite, arrays=True))


def test_tensors_of_torch_that_are_not_exported_go_to_default(torch: Any) -> None:
    learned = torch.ones(2, requires_grad=True)
    for tensor in (learned, torch.ones(2).to_sparse(), torch.ones(2, dtype=torch.complex64), learned.conj()):
        assert dumps([tensor], arrays=True, default=lambda tensor: "hook") == '["hook"]'
    with pytest.raises(BufferError, match="detach"):
        dumps(learned, arrays=True)
    with pytest.raises(JSONEncodeValueError, match="items of Tensor are complex of 64 bits"):
        dumps(torch.ones(2, dtype=torch.complex64), arrays=True)
    assert dumps(learned.detach(), arrays=True) == "[1.0,1.0]"


def test_storage_of_torch_is_released(torch: Any) -> None:
    import weakref

    tensor = torch.arange(10000.0)
    alive = weakref.ref(tensor.untyped_storage())
    dumps([tensor, tensor[5:]], arrays=True)
    del tensor
    assert alive() is None


def test_arrays_of_jax() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed: make check-arrays")
    for dtype in ("float32", "float16", "bfloat16", "int32", "uint8", "bool"):
        array = jax.numpy.arange(24).reshape(2, 3, 4).astype(dtype)
        assert_written(array.tolist(), array)
        assert_written(array[:, 1:, ::2].tolist(), array[:, 1:, ::2])
    assert_written(2.5, jax.numpy.array(2.5))


# The page

PAGE = Path(__file__).parents[4] / "docs" / "encoding.md"
SHOWN = re.findall(r"^\| `(dumps\(.*(?:pa|torch)\..*)` \| `(.*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("call", "result"), SHOWN)
def test_call_on_the_page_gives_what_it_says(pyarrow: Any, torch: Any, call: str, result: str) -> None:
    assert eval(call, {"dumps": dumps, "pa": pyarrow, "torch": torch}) == result


def test_page_shows_calls() -> None:
    assert len(SHOWN) == 4
