"""Simulated controllers: decision tables, the effects they may have, and the runtime that drives them."""
