"""Python code that runs within the core's calls of CPython's API: `make test-collections`, `make test-collecting`."""
