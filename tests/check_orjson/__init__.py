"""`make check-orjson`: random trees for each combination of flags, held against orjson."""
