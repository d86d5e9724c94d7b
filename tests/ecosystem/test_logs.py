"""structlog, python-json-logger, loguru and logging write their lines with the core."""

from __future__ import annotations

import datetime
import io
import json
import logging
import logging.config
import pickle
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from ecosystem.page import TEXT, fresh_value, has_no_copy, recorded, run_section

from ssrjson_web import Fragment, utf8_cache_size
from ssrjson_web.logging import SSRJSONFormatter


def record_of(message: str = "m", *args: Any, **attributes: Any) -> logging.LogRecord:
    record = logging.LogRecord("app.shop", logging.INFO, "/app/shop.py", 7, message, args, None)
    vars(record).update(attributes)
    return record


def line_of(record: logging.LogRecord, **options: Any) -> Any:
    text = SSRJSONFormatter(**options).format(record)
    assert text.splitlines() == [text]
    return json.loads(text)


@pytest.fixture
def shop_logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("shop")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield logger
    logger.handlers.clear()


def test_logging(shop_logger: logging.Logger) -> None:
    stream = io.StringIO()
    run_section("logging", stream=stream)
    value = fresh_value()
    with recorded() as recorder:
        shop_logger.info("sold %s", value["title"], extra={"book": value, "lines": "a\u2028b"})
    assert recorder.encodes == 1
    line = json.loads(stream.getvalue())
    assert stream.getvalue().endswith("}\n")
    assert len(stream.getvalue().splitlines()) == 1
    assert list(line) == ["timestamp", "severity", "logger", "message", "line", "service", "book", "lines"]
    assert (line["severity"], line["service"]) == ("INFO", "shop")
    assert (line["message"], line["book"], line["lines"]) == (f"sold {TEXT}", value, "a\u2028b")
    assert has_no_copy(value)


def test_logging_by_dict_config(shop_logger: logging.Logger) -> None:
    formatters = run_section("logging", 1)["FORMATTERS"]
    stream = io.StringIO()
    handlers = {"h": {"class": "logging.StreamHandler", "stream": stream, "formatter": "json"}}
    logging.config.dictConfig({
        "version": 1, "disable_existing_loggers": False, "formatters": formatters, "handlers": handlers,
        "loggers": {"shop": {"handlers": ["h"], "level": "INFO"}},
    })  # fmt: skip
    shop_logger.warning("x")
    line = json.loads(stream.getvalue())
    assert list(line) == ["@timestamp", "level", "logger", "message"]
    moment = datetime.datetime.fromisoformat(line["@timestamp"])
    assert moment.utcoffset() is not None


def test_logging_timestamp() -> None:
    record = record_of(created=1_700_000_000.123456)
    assert line_of(record)["timestamp"] == "2023-11-14T22:13:20.123Z"
    assert line_of(record, timespec="seconds", utc=True)["timestamp"] == "2023-11-14T22:13:20Z"
    assert line_of(record, datetime="epoch-ms")["timestamp"] == 1_700_000_000_123
    local = datetime.datetime.fromisoformat(line_of(record, utc=False)["timestamp"].replace("Z", "+00:00"))
    assert abs(local.timestamp() - record.created) < 0.001


def test_logging_exceptions_and_stacks() -> None:
    try:
        try:
            raise KeyError("inner")
        except KeyError as error:
            raise ValueError("outer") from error
    except ValueError as error:
        record = record_of(exc_info=(type(error), error, error.__traceback__), stack_info="Stack:\n  here")
    line = line_of(record)
    assert "KeyError: 'inner'" in line["exception"]
    assert line["exception"].endswith("ValueError: outer")
    assert "direct cause" in line["exception"]
    assert line["stack"] == "Stack:\n  here"
    assert record.exc_text == line["exception"]
    assert line_of(pickle.loads(pickle.dumps(record_of(exc_text="kept"))))["exception"] == "kept"
    assert not {"exception", "stack"} & line_of(record, fields={"exception": None, "stack": None}).keys()
    assert not {"exception", "stack"} & line_of(record_of()).keys()


class Odd:
    def __repr__(self) -> str:
        return "<odd>"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError


def test_logging_values_of_every_kind() -> None:
    extra = {
        "id": uuid.UUID(int=1), "price": Decimal("1.50"), "nan": float("nan"), "odd": Odd(), "nested": [Odd()],
        "broken": Broken(), "tuple_key": {(1, 2): 3}, "surrogate": "\ud800", "set": {1},
    }  # fmt: skip
    circle: list[Any] = []
    circle.append(circle)
    line = line_of(record_of(**extra, circle=circle))
    assert line["id"] == str(uuid.UUID(int=1))
    assert (line["odd"], line["nested"], line["nan"], line["set"]) == ("<odd>", ["<odd>"], None, [1])
    assert line["broken"] == "<Broken, whose repr raises>"
    assert line["tuple_key"] == "{(1, 2): 3}"
    assert line["circle"] == "[[...]]"
    assert line["surrogate"] == "\ud800"


def test_logging_message_whose_arguments_do_not_fit() -> None:
    assert line_of(record_of("%d items", "x"))["message"] == "'%d items' ('x',)"
    assert line_of(record_of(5))["message"] == "5"  # type: ignore[arg-type]
    assert line_of(record_of("%(a)s", {"a": 1}))["message"] == "1"


def test_logging_extra_does_not_replace_fields() -> None:
    record = record_of(level="mine", service="mine", user=1)
    line = line_of(record, constants={"service": "shop"})
    assert (line["level"], line["service"], line["user"]) == ("INFO", "shop", 1)
    assert "user" not in line_of(record, extra=False)
    assert line_of(record, fields={"process": "pid", "missing": "missing"})["missing"] is None
    assert line_of(record, fields={"level": None})["level"] == "mine"


def test_logging_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="'level' is mapped to 5"):
        SSRJSONFormatter(fields={"level": 5})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        SSRJSONFormatter(colour=True)


def test_logging_is_one_line_whatever_the_record_holds() -> None:
    ends = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
    fragment = Fragment(f'{{"é{ends}":{ends[:7]}[1]}}')
    record = record_of(f"a{ends}", one=fragment, two=[Fragment(b'"open\n')], three={f"k{ends}": object()})
    text = SSRJSONFormatter(default=lambda _: Fragment("[\n2\n]"), constants={"c": fragment}).format(record)
    assert text.splitlines() == [text]
    assert SSRJSONFormatter(constants={"c": fragment}, extra=False).format(record).endswith("[1]}}")
    assert line_of(record_of(one=fragment))["one"] == {f"é{ends}": [1]}


@pytest.mark.parametrize(
    "options",
    [{"indent": 1}, {"indent": ""}, {"append_newline": True}, {"line_safe": False}, {"line_safe": None}]
    + [{"separators": (",", f":{end}")} for end in "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"],
    ids=ascii,
)
def test_logging_options_that_write_several_lines_are_a_value_error(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one line"):
        SSRJSONFormatter(**options)


def test_logging_escapes_what_a_terminal_acts_upon() -> None:
    acted_upon = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"]
    for char in acted_upon:
        for record in (record_of(f"a{char}"), record_of(f"中{char}", **{f"k{char}": [char]})):
            text = SSRJSONFormatter().format(record)
            assert char not in text
            assert json.loads(text)["message"] == record.msg
    assert "\x1b" not in SSRJSONFormatter().format(record_of(one=Fragment(b'"\x1b[31m"')))
    plain = "a\u200d\u3000\xa0\xad中😀"
    assert plain in SSRJSONFormatter().format(record_of(plain))
    raw = SSRJSONFormatter(escape_controls=False).format(record_of("\x7f\x9b\u202e\x1b"))
    assert '"\x7f\x9b\u202e\\u001b"' in raw


def test_logging_leaves_no_copy_in_what_it_reads() -> None:
    name = "".join(["магазин", "."])
    record = logging.LogRecord(name, 20, "p", 1, "".join(["сообщение", "!"]), (), None)
    SSRJSONFormatter().format(record)
    assert utf8_cache_size(record.name) == utf8_cache_size(record.msg) == 0


def test_structlog() -> None:
    structlog = pytest.importorskip("structlog", reason="structlog is not installed")
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        run_section("structlog", stream=stream)
        value = fresh_value()
        with recorded() as recorder:
            structlog.get_logger().info("sold", book=value, odd=Odd())
        assert recorder.encodes == 1
        line = json.loads(stream.buffer.getvalue())  # type: ignore[attr-defined]
        assert line == {"book": value, "event": "sold", "odd": "<odd>"}
        assert has_no_copy(value)
    finally:
        structlog.reset_defaults()


def test_python_json_logger() -> None:
    module = pytest.importorskip("pythonjsonlogger.json", reason="python-json-logger is not installed")
    formatter = run_section("python-json-logger")["formatter"]
    value = fresh_value()
    record = record_of("sold", book=value, id=uuid.UUID(int=1))
    with recorded() as recorder:
        text = formatter.format(record)
    assert recorder.encodes == 1
    stock = module.JsonFormatter("%(levelname)s %(message)s", json_ensure_ascii=False)
    assert text == stock.format(record)
    assert has_no_copy(value)


def test_loguru() -> None:
    pytest.importorskip("loguru", reason="loguru is not installed")
    from loguru import logger

    stream = io.StringIO()
    try:
        run_section("loguru", stream=stream)
        value = fresh_value()
        with recorded() as recorder:
            logger.bind(book=value, odd=Odd()).warning("sold {}", 2)
        assert recorder.encodes == 1
        line = json.loads(stream.getvalue())
        assert (line["level"], line["message"], line["book"], line["odd"]) == ("WARNING", "sold 2", value, "<odd>")
        datetime.datetime.fromisoformat(line["time"])
        assert has_no_copy(value)
    finally:
        logger.remove()
