"""A demonstration of what serving JSON does to the memory of real servers: `python -m bench demo`."""
