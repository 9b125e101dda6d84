"""Tests of the lab and of the utilities."""
