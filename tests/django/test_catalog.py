"""SSRJSONCatalog: the values of Django's catalog, its bytes by the setting, and less than them without it."""

from __future__ import annotations

from django.test import RequestFactory, override_settings
from django.utils import translation
from django.views.i18n import JSONCatalog

from ssrjson_web.django import SSRJSONCatalog, SSRJSONResponse


def test_catalog_has_the_values_of_stock_in_fewer_bytes() -> None:
    request = RequestFactory().get("/")
    with override_settings(USE_I18N=True), translation.override("zh-hans"):
        view = {cls: cls.as_view(domain="django") for cls in (JSONCatalog, SSRJSONCatalog)}
        stock, ours = view[JSONCatalog](request), view[SSRJSONCatalog](request)
        with override_settings(SSRJSON={"ASCII": True, "COMPACT": False}):
            assert view[SSRJSONCatalog](request).content == stock.content
    assert isinstance(ours, SSRJSONResponse)
    assert ours.headers == stock.headers
    assert ours.content.decode() != stock.content.decode()
    assert len(ours.content) < len(stock.content)
    assert "星期" in ours.content.decode()
