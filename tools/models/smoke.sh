#!/usr/bin/env bash
# Trains, runs and grades every trainable system at the scale `smoke` on small benchmarks of World: all commands must succeed.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo test --locked --workspace --no-run
program=${CARGO_TARGET_DIR:-target}/debug/touchstone
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" build dbnqa --questions 800 --out "$folder/dbnqa" >&2
"$program" build kqapro --questions 200 --out "$folder/kqapro" >&2
systems=$("$program" models --json | python3 -c 'import json, sys; print(*(system["name"] for system in json.load(sys.stdin)))')
for system in $systems; do
    case $system in sup-*) benchmark=kqapro ;; *) benchmark=dbnqa ;; esac
    "$program" train "$system" --benchmark "$folder/$benchmark" --scale smoke --out "$folder/$system" >&2
    "$program" run "model:$folder/$system" --benchmark "$folder/$benchmark" --limit 20 --out "$folder/$system-run" >&2
    "$program" grade "$folder/$system-run" >/dev/null
    printf 'models/smoke.sh: %s is trained, run and graded (%ss)\n' "$system" "$SECONDS"
done
