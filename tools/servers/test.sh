#!/usr/bin/env bash
# Runs the engines' tests against real servers that hold the World KB: Virtuoso 7 (both views) and Oxigraph.
#
#   test.sh [FOLDER]     the folder keeps exports, databases and logs; a temporary one otherwise
#
# What cannot be installed is left out, and the tests say so. TOUCHSTONE_QUERIES sets how many random queries are asked.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
say() { printf 'servers/test.sh: %s (%ss)\n' "$*" "$SECONDS" >&2; }
stop() {
    for name in virtuoso-direct virtuoso-kqapro; do tools/servers/virtuoso.sh stop "$folder/$name" || true; done
    tools/servers/oxigraph.sh stop "$folder/oxigraph" || true
    if [ "$folder" != "${1:-}" ]; then rm -rf "$folder"; fi
}
trap 'stop "${1:-}"' EXIT

# As the tests of the workspace build it: with the features of one package alone, everything would be compiled again.
cargo test --locked --workspace --no-run
program=${CARGO_TARGET_DIR:-target}/debug/touchstone
export TOUCHSTONE_CACHE=$folder/cache
"$program" kb export --format nt --view direct --no-qualifiers --out "$folder/direct.nt"
if ! command -v virtuoso-t >/dev/null; then
    say "installing Virtuoso"
    apt-get update >&2 && apt-get install -y --no-install-recommends virtuoso-opensource-7-bin >&2 || say "Virtuoso cannot be installed"
fi
if command -v virtuoso-t >/dev/null; then
    "$program" kb export --format nt --view kqapro --out "$folder/kqapro.nt"
    say "starting Virtuoso"
    # Few rows at once: that results are cut must be noticed.
    TOUCHSTONE_TEST_VIRTUOSO=$(VIRTUOSO_MAX_ROWS=5000 tools/servers/virtuoso.sh start "$folder/virtuoso-direct" "$folder/direct.nt")
    TOUCHSTONE_TEST_VIRTUOSO_KQAPRO=$(tools/servers/virtuoso.sh start "$folder/virtuoso-kqapro" "$folder/kqapro.nt")
    export TOUCHSTONE_TEST_VIRTUOSO TOUCHSTONE_TEST_VIRTUOSO_KQAPRO
fi
if tools/servers/oxigraph.sh install "$folder/bin"; then
    say "starting Oxigraph"
    export OXIGRAPH=$folder/bin/oxigraph
    TOUCHSTONE_TEST_OXIGRAPH=$(tools/servers/oxigraph.sh start "$folder/oxigraph" "$folder/direct.nt")
    export TOUCHSTONE_TEST_OXIGRAPH
fi
say "testing"
cargo test --locked --workspace --test suite -- --nocapture endpoint_servers engines
say "done"
