"""A sample of what `make test-collections` does, by the collector itself: no build of its own is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.processes import run_python

from ssrjson_web import _core

SNIPPET = """
    import datetime, decimal, gc
    from ssrjson_web import dumps, _core
    {prepare}

    class Dropping:
        def __init__(self):
            self.me = self

        def __del__(self):
            for container in document:
                container.clear()

    _core._use_level({level!r})
    gc.disable()
    gc.freeze()
    for n in range(1, 40):
        document = [[{value}, ["after" * 9]], {{"k": {value}}}]
        Dropping()
        gc.set_threshold(n, 1, 1)
        gc.enable()
        try:
            dumps(document, natives=True)
        except (RuntimeError, TypeError):
            pass
        gc.disable()
        gc.set_threshold(700, 10, 10)
        gc.collect()
    print("done")
"""


@pytest.mark.parametrize("level", _core.get_current_features()["levels"])
@pytest.mark.parametrize("value", ["decimal.Decimal('1.5')", "moment.validate_json('\"2026-01-02T03:04:05+02:00\"')"])
def test_first_value_of_a_class_that_is_probed_may_be_dropped(value: str, level: str, tmp_path: Path) -> None:
    prepare = ""
    if "moment" in value:
        pytest.importorskip("pydantic", reason="its zones are probed")
        prepare = "import pydantic; moment = pydantic.TypeAdapter(datetime.datetime)"
    done = run_python(SNIPPET.format(prepare=prepare, value=value, level=level), tmp_path, PYTHONMALLOC="debug")
    assert done.stdout == "done\n", done
