"""`make test-threads`: threads that call everything at once, on objects that other threads change."""
