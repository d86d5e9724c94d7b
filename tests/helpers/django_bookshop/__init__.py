"""An application with models and views for these tests."""
