"""Emptying nodes as kubectl drain does: cordons, pod evictions that are asked for again, evacuations called off."""
