"""Cortex's scheduling, pure: a request, a view of the cluster, a pipeline of filters and weighers, a run (sheet §2-5).

Nothing in here reads a store, a clock or a socket; randomness is passed in. Decisions that a fault may replace are
tables, each named in the module that asks it.
"""
