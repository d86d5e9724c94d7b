"""Run by the Python that a wheel is for: imports it, encodes and decodes at each level, runs the doctor."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import runpy
import sys
from pathlib import Path

TEXT = "名前 ✓ 😀"
DOCUMENT: dict[str, object] = {
    "name": TEXT,
    "n": [0, -1, 2**63, 1.5, 1e300, True, None],
    "nested": [{"deep": [[]]}] * 20,
}


def doctor_status() -> object:
    try:
        runpy.run_module("ssrjson_web", run_name="__main__")
    except SystemExit as stop:
        return stop.code
    return 0


def main(version: str = "", folder: str = sys.prefix) -> None:
    """`version` and `folder` are what is expected, where the caller knows it."""
    import ssrjson_web
    from ssrjson_web import _core, json

    assert version in ("", ssrjson_web.__version__), ssrjson_web.__version__
    assert Path(_core.__file__).is_relative_to(folder), _core.__file__
    features = ssrjson_web.get_current_features()
    for encode in (json.dumps, ssrjson_web.dumps_to_bytes):
        text = encode(DOCUMENT)
        assert ssrjson_web.loads(text) == DOCUMENT
        assert ssrjson_web.loads(json.dumps(DOCUMENT, indent=2)) == DOCUMENT
    assert ssrjson_web.utf8_cache_size(TEXT) == 0
    if hasattr(sys, "_is_gil_enabled"):
        import sysconfig

        assert sys._is_gil_enabled() is not bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "the GIL was switched on"
    if importlib.util.find_spec("_ctypes") is not None:  # a Python that was built for this test may lack it
        check_doctor()
    print(sys.version.split()[0], *features["levels"])


def check_doctor() -> None:
    said = io.StringIO()
    sys.argv = ["ssrjson_web", "doctor"]
    with contextlib.redirect_stdout(said):
        status = doctor_status()
    assert status in (None, 0, 1), said.getvalue()  # 1 is advice, as where qemu lets it start no child
    assert "ssrjson_web" in said.getvalue()


if __name__ == "__main__":
    main(*sys.argv[1:])
