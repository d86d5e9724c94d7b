"""What several adapters share. Nothing here is public."""
