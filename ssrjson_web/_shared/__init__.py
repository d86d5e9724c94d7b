"""Modules that several adapters share. Nothing here is public."""
