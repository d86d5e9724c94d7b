"""The command `report`: it runs every benchmark and writes one page with the results."""
