"""A sample of `make check-mutations`: ours follow a framework of which one function is another."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import run

SAMPLE = "all" if os.environ.get("SSRJSON_TEST_PROFILE") == "thorough" else "3"


def _check(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    command = [sys.executable, "-m", "mutations", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False, env=environment)


@pytest.mark.parametrize("corpus", run.CORPORA)
def test_changed_function_is_followed(corpus: str) -> None:
    if importlib.util.find_spec(corpus) is None:
        pytest.skip(f"{corpus} is not installed")
    done = _check(corpus, *(() if SAMPLE == "all" else ("--sample", SAMPLE)))
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert " 0 are not followed" in done.stdout


def test_function_that_is_not_followed_is_found(tmp_path: Path) -> None:
    """As where nothing names it: every text counts as known."""
    program = (
        "import sys; from mutations import run; run.preload('flask'); from ssrjson_web._known import texts; "
        "from ssrjson_web._known import functions; "
        "texts.functions_of_unknown_text = functions.functions_of_unknown_text = lambda module, text: frozenset(); "
        "from mutations.command import main; "
        "sys.exit(main(['flask', '--like', 'DefaultJSONProvider.loads']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 1, done.stdout + done.stderr[-3000:]
    assert "flask.json.provider.DefaultJSONProvider.loads is not followed, and is named" in done.stdout
