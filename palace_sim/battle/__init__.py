"""Battles and decisions: odds, ranges over hidden palaces, values of moves."""
