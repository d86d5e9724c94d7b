"""Applications by HttpArena's rules that the entries are held against: stock, and with orjson."""
