"""Random schemas of marshmallow, held against marshmallow itself: `make check-marshmallow`."""
