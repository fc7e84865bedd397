"""Compiled code only: the rules, ranking, random streams and the batched game loop."""
