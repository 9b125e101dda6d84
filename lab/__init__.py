"""The embedded lab: a small cluster that speaks the real protocols, for developing plans without hardware."""
