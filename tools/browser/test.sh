#!/usr/bin/env bash
# Opens the report of a graded run in a real Chromium: everything must be there, and nothing may be loaded from the network.
#
#   test.sh [QUESTIONS]     2,000 without it
#
# With TOUCHSTONE_REPORT_PICTURE=docs/report.png it also writes the picture that the README shows.
# Installs Chromium if it is missing; where that is not possible, the test is skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
say() { printf 'browser/test.sh: %s (%ss)\n' "$*" "$SECONDS" >&2; }
if ! command -v chromium >/dev/null; then
    say "installing Chromium"
    apt-get update >&2 && apt-get install -y --no-install-recommends chromium >&2 || true
fi
command -v chromium >/dev/null || { say "Chromium cannot be installed: skipped"; exit 0; }
cargo test --locked --workspace --no-run
program=${CARGO_TARGET_DIR:-target}/debug/touchstone
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TOUCHSTONE_CACHE=$folder/cache
"$program" build quick --questions "${1:-2000}" --out "$folder/bench" >&2
"$program" degrade --benchmark "$folder/bench" --transform drop --share 0.5 --out "$folder/drop.jsonl" >&2
"$program" degrade --benchmark "$folder/bench" --transform T1 --share 0.3 --out "$folder/t1.jsonl" >&2
for name in drop t1; do
    "$program" grade --benchmark "$folder/bench" --predictions "$folder/$name.jsonl" --out "$folder/$name" >/dev/null
done
"$program" report "$folder/drop" "$folder/t1" --out "$folder/report.html" >&2
"$program" stats "$folder/bench" --html "$folder/stats.html" >&2
say "opening the report"
timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$folder/profile" --dump-dom "file://$folder/report.html" \
    >"$folder/page.html" 2>"$folder/chromium.log"
fail() { say "$*"; exit 1; }
grep -q 'data-ready="[0-9]' "$folder/page.html" || fail "the script did not finish"
grep -q 'class="whisker"' "$folder/page.html" || fail "there are no scores"
grep -q 'class="heat"' "$folder/page.html" || fail "there is no heat map"
grep -q '<use href="#shape-[0-9]*"></use></svg>Iso-0<' "$folder/page.html" || fail "Iso-0 has no picture in the tables"
grep -q '<symbol id="shape-0"' "$folder/stats.html" || fail "the page of stats has no pictures of shapes"
rows=$(grep -o '<details>' "$folder/page.html" | wc -l)
[ "$rows" -eq 100 ] || fail "$rows questions are listed at first, not 100"
# No answer of an oracle may look wrong. Answers and graphs appear when a question is opened.
"$program" run oracle --benchmark "$folder/bench" --out "$folder/oracle" >&2
"$program" grade "$folder/oracle" --out "$folder/oracle" >/dev/null
"$program" report "$folder/oracle" --out "$folder/oracle.html" >&2
printf '<script>document.querySelectorAll("details").forEach((details) => { details.open = true; });</script>\n' >>"$folder/oracle.html"
timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --virtual-time-budget=20000 \
    --dump-dom "file://$folder/oracle.html" >"$folder/opened.html" 2>>"$folder/chromium.log"
grep -q 'class="right">yes<' "$folder/opened.html" || fail "no right yes is among the answers of the oracle"
! grep -q 'class="wrong"' "$folder/opened.html" || fail "answers of the oracle look wrong"
graphs=$(grep -o '<svg class="graph"' "$folder/opened.html" | wc -l)
[ "$graphs" -eq 100 ] || fail "$graphs query graphs are drawn for 100 questions"
say "ready after $(grep -o 'data-ready="[0-9]*"' "$folder/page.html" | tr -dc 0-9) ms; everything is there"
if [ -n "${TOUCHSTONE_REPORT_PICTURE:-}" ]; then
    for system in nearest degraded:T2:0.5; do
        "$program" run "$system" --benchmark "$folder/bench" --out "$folder/${system%%:*}" >&2
        "$program" grade "$folder/${system%%:*}" --out "$folder/${system%%:*}" >/dev/null
    done
    "$program" report "$folder/nearest" "$folder/degraded" --title "Two systems on quick" --out "$folder/picture.html" >&2
    timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
        --force-device-scale-factor=0.7 --window-size=1240,1900 --virtual-time-budget=20000 \
        --screenshot="$TOUCHSTONE_REPORT_PICTURE" "file://$folder/picture.html" 2>>"$folder/chromium.log"
    say "picture written to $TOUCHSTONE_REPORT_PICTURE ($(wc -c <"$TOUCHSTONE_REPORT_PICTURE") bytes)"
fi
tools/browser/studio.sh
