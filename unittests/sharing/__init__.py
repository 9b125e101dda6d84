"""Tests of how runs and workers share a cluster."""
