#!/usr/bin/env bash
# Runs every program under crates/*/examples: they must succeed and print something.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --locked --workspace --examples
# The cache that the tests use: the World KB is compiled once.
export TOUCHSTONE_CACHE=${TOUCHSTONE_CACHE:-$PWD/${CARGO_TARGET_DIR:-target}/tmp/cache}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for file in crates/*/examples/*.rs; do
    name=$(basename "$file" .rs)
    printf '%s\n' "$file"
    "${CARGO_TARGET_DIR:-target}/debug/examples/$name" </dev/null >"$output"
    [ -s "$output" ] || { printf '%s prints nothing\n' "$file" >&2; exit 1; }
done
