set -e; false || true; if false; then :; fi; ! true; while false; do :; done; echo here; false; echo not
