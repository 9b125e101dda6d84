"""Verbs and nouns of Nova and Placement, as their administrator."""
