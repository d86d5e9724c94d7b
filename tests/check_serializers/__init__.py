"""`make check-serializers`: random serializers, instances and data held against Django REST framework alone."""
