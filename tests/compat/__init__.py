"""The own tests of frameworks and of JSON libraries with ours in place: `make compat`."""
