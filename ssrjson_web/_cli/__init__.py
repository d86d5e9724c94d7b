"""The commands of `python -m ssrjson_web`. Nothing here is public but what `ssrjson_web._cli.audit` names."""
