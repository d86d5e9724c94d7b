"""The commands of `python -m ssrjson_web`. Only the names in `ssrjson_web._cli.audit` are public."""
