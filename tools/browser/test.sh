#!/usr/bin/env bash
# Opens the report of graded runs and the statistics of a benchmark in a real Chromium: everything must be there and readable at any
# width, in light and dark, without violations of WCAG 2.2 A and AA (axe-core), and nothing may be loaded from the network.
#
#   test.sh [QUESTIONS]     2,000 without it
#
# With TOUCHSTONE_REPORT_PICTURE=docs/report.png it also writes the picture that the README shows.
# Installs Chromium and axe-core if they are missing; where that is not possible, what needs them is skipped with a message.
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
fail() { say "$*"; exit 1; }
# A fixed version, whose content is checked.
axe_sum=2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af
axe=()
if (cd "$folder" && npm pack --silent axe-core@4.14.0 >/dev/null 2>&1); then
    echo "$axe_sum  $folder/axe-core-4.14.0.tgz" | sha256sum --check --quiet || fail "axe-core is not what it was"
    tar -xzf "$folder/axe-core-4.14.0.tgz" -C "$folder" package/axe.min.js
    axe=(--axe "$folder/package/axe.min.js")
else
    say "axe-core cannot be downloaded: accessibility is not checked"
fi
"$program" build quick --questions "${1:-2000}" --out "$folder/bench" >&2
for system in nearest degraded:T2:0.5 oracle; do
    name=${system%%:*}
    "$program" run "$system" --benchmark "$folder/bench" --out "$folder/$name" >&2
    "$program" grade "$folder/$name" --out "$folder/$name" >/dev/null
done
# A file of predictions with a confidence, some of which cannot be parsed.
"$program" degrade --benchmark "$folder/bench" --transform T1 --share 0.3 --out "$folder/t1.jsonl" >&2
awk '{ sub(/^{/, "{\"confidence\":" (NR % 10) / 10 ","); print }' "$folder/t1.jsonl" >"$folder/sure.jsonl"
"$program" grade --benchmark "$folder/bench" --predictions "$folder/sure.jsonl" --out "$folder/sure" >/dev/null
"$program" report "$folder/nearest" "$folder/degraded" --title "Two systems on quick" --out "$folder/report.html" >&2
"$program" report "$folder/oracle" "$folder/sure" "$folder/nearest" --out "$folder/three.html" >&2
"$program" stats "$folder/bench" --html "$folder/stats.html" >&2

say "opening the pages"
pages() { python3 tools/browser/pages.py "$@" >&2 || fail "a page is not as it should be"; }
question=$(sed -n '1s/^{"id":"\([^"]*\)".*/\1/p' "$folder/nearest/grades.jsonl")
everything='[".interval", ".weak li", "td.heat", "table.matrix td.same", "#list li", "use"].every((part) => document.querySelector(part)) && document.body.dataset.ready > 0'
pages "${axe[@]}" --script "$everything" "$folder/report.html"
pages "${axe[@]}" --script 'document.querySelectorAll("#confidence polyline").length === 1' "$folder/three.html"
pages "${axe[@]}" --script 'document.querySelectorAll("symbol").length > 1' "$folder/stats.html"
pages "${axe[@]}" --script 'document.querySelector("#question h1") && document.querySelector("#overview").hidden' "$folder/report.html#q/$question"
wrong='[...document.querySelectorAll("#list li")].every((row) => row.querySelector(".mark:nth-child(2)").className !== "mark good") && document.querySelector("#list li")'
pages "${axe[@]}" --script "Boolean($wrong)" "$folder/report.html#list?run=1&result=wrong"

# What users do: the lists are filtered, and every question of an oracle is right on its page.
click='(async () => {
  const list = () => document.querySelectorAll("#list li").length;
  if (list() !== 100) return `${list()} questions are listed at first`;
  const search = document.querySelector("#search");
  search.value = data.questions[7].i;
  search.dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 600));
  if (list() !== 1) return `${list()} questions have one id`;
  for (const at of data.questions.keys()) {
    const page = questionPage(at);
    const text = page.map((part) => part.textContent).join(" ");
    const oracle = page.find((part) => part.className === "prediction");
    if (!oracle.querySelector("h2 .chip.good") || oracle.querySelector("li.wrong")) return `an answer of the oracle looks wrong: ${text}`;
  }
  return true;
})()'
pages --script "$click" "$folder/three.html"
ready=$(python3 tools/browser/pages.py --print 'document.body.dataset.ready' "$folder/report.html")
say "ready after $ready ms; everything is there"
if [ -n "${TOUCHSTONE_REPORT_PICTURE:-}" ]; then
    python3 tools/browser/pages.py --picture "$TOUCHSTONE_REPORT_PICTURE" --size 1280x1500 "$folder/report.html" >&2
    say "picture written to $TOUCHSTONE_REPORT_PICTURE ($(wc -c <"$TOUCHSTONE_REPORT_PICTURE") bytes)"
fi
tools/browser/studio.sh
