"""How the core finds what objects of Django's models hold, and how objects are looked up."""
