"""The command `report`: every benchmark, and one page of what they found."""
