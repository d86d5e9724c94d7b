"""The tests of frameworks and of JSON libraries themselves, run on our classes: `make compat`."""
