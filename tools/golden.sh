#!/usr/bin/env bash
# The golden set: what the program printed and wrote at a starting commit, compared with what it prints and writes now.
#
#   golden.sh record BINARY OUT     records the outputs of a binary into the folder OUT
#   golden.sh compare OUT1 OUT2     lists every difference between two records by file; exit code 1 if there are any
#   golden.sh                       builds the starting commit and this tree, records both, and compares
#
# Recorded are: every command of the README and the docs as they were at the starting commit, all recipes (2,000 questions, two seeds
# each) with their lint, statistics, axioms, sensitivity and grades of degraded runs, exports, mix, neighbours, comparison and report, and
# import, shape, convert, match, level, query, grade, axioms and sensitivity on the real data in ../shared/data; without that folder this
# part is skipped, and a line reports it.
# The comparison normalises times and paths only; it prints what. Needs git, Python 3.10 and, without arguments, cargo.
set -euo pipefail
START=${TOUCHSTONE_GOLDEN_START:-a3b5688}
root=$(cd "$(dirname "$0")/.." && pwd)
golden=$root/tools/golden.py

# Both binaries play the same commands: those of the pages of the starting commit.
record() {
    local pages status=0
    pages=$(mktemp -d)
    git -C "$root" archive "$START" README.md docs | tar -x -C "$pages"
    python3 "$golden" record "$1" "$2" "$pages" "$root/../shared/data" || status=$?
    rm -rf "$pages"
    return "$status"
}

build_and_compare() {
    local folder status=0
    folder=$(mktemp -d)
    git -C "$root" worktree add --detach "$folder/tree" "$START"
    trap 'git -C "$root" worktree remove --force "'"$folder"'/tree"' EXIT
    CARGO_TARGET_DIR=$folder/target cargo build --release --locked -p touchstone --manifest-path "$folder/tree/Cargo.toml"
    cargo build --release --locked -p touchstone --manifest-path "$root/Cargo.toml"
    record "$folder/target/release/touchstone" "$folder/start"
    record "${CARGO_TARGET_DIR:-$root/target}/release/touchstone" "$folder/now"
    python3 "$golden" compare "$folder/start" "$folder/now" || status=$?
    printf 'the records are in %s\n' "$folder"
    return "$status"
}

case "${1-}" in
    record) record "${2:?usage: golden.sh record BINARY OUT}" "${3:?usage: golden.sh record BINARY OUT}" ;;
    compare) python3 "$golden" compare "${2:?usage: golden.sh compare OUT1 OUT2}" "${3:?usage: golden.sh compare OUT1 OUT2}" ;;
    '') build_and_compare ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac
