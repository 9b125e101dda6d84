"""Tests of the fault matrix and of the runs with seeds, and the part of the matrix that runs every time."""
