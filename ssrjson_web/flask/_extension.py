"""The extension that installs a provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from flask.sansio.app import App

from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.stdlib_decoding import decoder_to_depth
from ssrjson_web.flask._provider import SSRJSONFastProvider, SSRJSONProvider

__all__ = ["SSRJSON"]

_PROVIDERS: Mapping[str, type[SSRJSONProvider]] = {"compatible": SSRJSONProvider, "fast": SSRJSONFastProvider}
_REPLACEABLE = (DefaultJSONProvider, *_PROVIDERS.values())


class SSRJSON:
    """Makes the core encode and decode an application's JSON: `SSRJSON(app)`, or `SSRJSON().init_app(app)`.

    `mode="compatible"` writes the bytes of Flask. `mode="fast"` installs `SSRJSONFastProvider`. `ensure_ascii`,
    `sort_keys`, `compact` and `max_depth` set attributes of the provider; None keeps their values. Attributes that
    were set on the application's provider before are kept.

    Raises TypeError and ValueError for wrong arguments. Raises TypeError for an object that is not a Flask application,
    and for an application whose own provider class does not derive from ours.
    """

    _application_class: ClassVar[type[App]] = Flask

    def __init__(
        self,
        app: App | None = None,
        *,
        mode: Literal["compatible", "fast"] = "compatible",
        ensure_ascii: bool | None = None,
        sort_keys: bool | None = None,
        compact: bool | None = None,
        max_depth: int | None = None,
    ) -> None:
        if mode not in _PROVIDERS:
            raise ValueError(f"mode must be one of {', '.join(map(repr, _PROVIDERS))}, not {mode!r}")
        attributes: dict[str, Any] = {"ensure_ascii": ensure_ascii, "sort_keys": sort_keys, "compact": compact}
        for name, value in attributes.items():
            if not isinstance(value, (bool, type(None))):
                raise TypeError(f"{name} must be True, False or None, not {value!r}")
        if max_depth is not None:
            if not isinstance(max_depth, int) or isinstance(max_depth, bool):
                raise TypeError(f"max_depth must be an int or None, not {max_depth!r}")
            decoder_to_depth(max_depth)
        self._provider_class = _PROVIDERS[mode]
        self._attributes = {**attributes, "max_depth": max_depth}
        if app is not None:
            self.init_app(app)

    def init_app(self, app: App) -> None:
        """Install the provider, also for templates that are already set up. Raises TypeError as the class does."""
        if not isinstance(app, self._application_class):
            raise wrong_application("SSRJSON", self._application_class.__name__, self._application_class, app)
        before = app.json
        provider = self._provider_for(app)
        for name, value in self._attributes.items():
            if value is not None:
                setattr(provider, name, value)
        app.json = provider
        # templates keep the function that they were set up with
        if "jinja_env" in app.__dict__ and app.jinja_env.policies.get("json.dumps_function") == before.dumps:
            app.jinja_env.policies["json.dumps_function"] = provider.dumps

    def _provider_for(self, app: App) -> SSRJSONProvider:
        before = app.json
        if type(before) in _REPLACEABLE:
            provider = self._provider_class(app)
            vars(provider).update((name, value) for name, value in vars(before).items() if name != "_app")
            return provider
        if not isinstance(before, self._provider_class):
            raise TypeError(
                f"the application has its own JSON provider class {type(before).__name__}: "
                f"derive it from {self._provider_class.__name__}"
            )
        return before
