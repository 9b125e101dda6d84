"""Tests of node drains in the lab: the real kubectl, and what faults do to them."""
