"""Races of one call of ours with others that do the same: a table of them, and one command for all."""
