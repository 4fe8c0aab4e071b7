"""Look-ups of facts in the raw packages, independent of the builder."""
