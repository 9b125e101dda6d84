"""Rows of the part of the fault matrix that runs every time."""

from benchmarks.marks import read_marks
from benchmarks.matrix import automated, run_broken
from benchmarks.planrun import ROOT
from lab.faults import CATALOGUE, named
from utilities.stp import find_plans, load_plan


def broken(faults, results):
    """The plans that these faults declare scenarios of, on a lab with all of the faults."""
    return run_broken(named(faults, CATALOGUE), results)


def unmet(folder, rows):
    """P0 scenarios of the plans in a folder of `stps` that meet none of the faults that their marks name."""
    plans = [load_plan(path) for path in find_plans(ROOT / "stps" / folder)]
    chosen = {fault for faults in rows for fault in faults}
    met = {scenario for mark in read_marks(ROOT / "tests") if chosen & set(mark.faults) for scenario in mark.scenarios}
    return set(automated(plans, "P0")) - met
