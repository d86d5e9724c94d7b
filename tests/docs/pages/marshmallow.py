"""docs/marshmallow.md: what its schemas give."""

import decimal
import json
from typing import Any

from marshmallow import Schema

from ssrjson_web.marshmallow import teardown


def after(names: dict[str, Any]) -> None:
    assert names["books"][1] == {"title": "Faust", "price": decimal.Decimal("5.00")}
    assert json.loads(names["text"])[0] == {"title": "红楼梦", "price": "7.50"}
    assert names["schema"].dump(names["books"], many=True)[1]["price"] == "5.00"
    assert vars(names["schema"])["_ssrjson_plans"].plans
    teardown()
    assert Schema._serialize.__module__ == "marshmallow.schema"
