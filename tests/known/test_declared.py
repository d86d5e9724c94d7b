"""Each function that ours stand in for is one whose text is compared: a name that is mistyped would never be."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ssrjson_web._cli.served import ADAPTERS, is_installed
from ssrjson_web._known.texts import FILES, FUNCTIONS

PROGRAM = """
import json, sys
from ssrjson_web._cli.served import import_adapter
from ssrjson_web._known.functions import declared

import_adapter(sys.argv[1])
print(json.dumps(declared()))
"""
OF_NO_RELEASE = {"fastapi._compat.ModelField.serialize_json"}
"""Named because each method is looked for in each module."""


@pytest.mark.parametrize("library", ADAPTERS)
def test_declared_functions_are_those_of_known_files(library: str) -> None:
    if not is_installed(library):
        pytest.skip(f"{library} is not installed")
    done = subprocess.run([sys.executable, "-c", PROGRAM, library], capture_output=True, text=True, check=True)
    files, functions = (json.loads(table.read_bytes()) for table in (FILES, FUNCTIONS))
    names = [name for name in json.loads(done.stdout) if name.partition(".")[0] not in sys.stdlib_module_names]
    of_no_file, of_no_function = [], []
    for name in names:
        prefixes = [name[:n] for n, char in enumerate(f"{name}.") if char == "."]
        module = next((prefix for prefix in reversed(prefixes) if prefix in files), None)
        if module is None:
            of_no_file.append(name)
        elif name != module and name.removeprefix(f"{module}.") not in functions.get(module, {}):
            of_no_function.append(name)
    assert of_no_file == [], "their file belongs in PATTERNS of _known/tables.py; then `make known-texts`"
    hint = "of no known release: is the name that of the class that defines it? If so, `make known-texts`"
    assert set(of_no_function) <= OF_NO_RELEASE, hint
    assert any(name.startswith(f"{library}.") for name in names)
