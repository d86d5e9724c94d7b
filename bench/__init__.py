"""Side-by-side benchmarks of JSON libraries: `python -m bench` from the root of the source tree."""
