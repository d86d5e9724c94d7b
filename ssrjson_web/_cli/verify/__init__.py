"""Whether an installed release of a library does what ours do in its place: `python -m ssrjson_web verify`."""
