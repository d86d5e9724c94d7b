"""The served application: the one that this process's environment names, in the memory middleware.

Servers import it by its name: `bench.load.served:application`.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from bench.source_tree import prefer_installed_packages

prefer_installed_packages()  # a server may have put the source tree at the front again

from bench.load.plan import TOKEN, Setting  # noqa: E402
from bench.load.shelf import Shelf  # noqa: E402
from ssrjson_web.monitor import watch  # noqa: E402

SCAN_EVERY_SECONDS = 1.0


def _application() -> Any:
    setting = Setting.from_environment()
    shelf = Shelf(script=setting.script, megabytes=setting.megabytes)
    watch(shelf.catalogues)
    app = import_module(f"bench.load.{setting.app}_app").create(setting, shelf)
    middleware = import_module(f"ssrjson_web.{setting.interface}").MemoryMiddleware
    return middleware(
        app,
        enabled=True,
        token=os.environ[TOKEN],
        scan_every=SCAN_EVERY_SECONDS,
        trim_every=SCAN_EVERY_SECONDS,
    )


application = _application()
