"""Counts of instructions for inputs of n, 2n and 4n units, for each way to decode and each way to split the input."""
