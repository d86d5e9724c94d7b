"""A small shop: tables for serializers, in a database in memory."""
