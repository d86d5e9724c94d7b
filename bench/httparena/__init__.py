"""Entries for HttpArena, and the command `httparena`, which holds them against stock applications and orjson."""
