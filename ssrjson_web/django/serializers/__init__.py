"""Serializers for `SERIALIZATION_MODULES`: `json` and `jsonl`."""
