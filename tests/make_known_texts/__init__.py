"""The fingerprints of libraries' functions, of all releases that we serve: `make known-texts`."""
