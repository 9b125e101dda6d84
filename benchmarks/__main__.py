"""`python -m benchmarks [NAME…]`: run all of them, or those named."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import cortex_request, drain_of_200, drains, judge, lab_scale, overshoot, stp_lint, stp_mutants, waits

BENCHMARKS = {
    "waits": waits.main,
    "stp_lint": stp_lint.main,
    "stp_mutants": stp_mutants.main,
    "cortex_request": cortex_request.main,
    "judge": judge.main,
    "overshoot": overshoot.main,
    "drain_of_200": drain_of_200.main,
    "drains": drains.main,
    "lab_scale": lab_scale.main,
}
SMALL = {"lab_scale": lab_scale.quick}


def main() -> int:
    """Run what was asked for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], help=f"default: {' '.join(BENCHMARKS)}")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks"), help="where the JSON files go")
    parser.add_argument("--small", action="store_true", help=f"a quick look, where there is one: {' '.join(SMALL)}")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.names or BENCHMARKS:
        chosen = SMALL.get(name, BENCHMARKS[name]) if options.small else BENCHMARKS[name]
        chosen(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
