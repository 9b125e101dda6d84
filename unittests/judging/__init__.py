"""Drains of the lab, judged as a plan judges them."""
