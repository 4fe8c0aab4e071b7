#!/usr/bin/env bash
# Opens every page of the studio in a real Chromium; see studio.py. Needs `chromium` and `python3`, and a built `touchstone`.
#
#   studio.sh [PICTURES]     with a folder, writes a picture of each page there
#
# axe-core is downloaded from npm, checked, and never committed; without it the accessibility checks are skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
say() { printf 'browser/studio.sh: %s (%ss)\n' "$*" "$SECONDS" >&2; }
for needed in chromium python3; do
    command -v "$needed" >/dev/null || { say "there is no $needed: skipped"; exit 0; }
done
program=${CARGO_TARGET_DIR:-target}/debug/touchstone
folder=$(mktemp -d)
studio=
stop() {
    [ -z "$studio" ] || kill "$studio" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT
axe=
version=4.14.0 hash=2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af
if (cd "$folder" && npm pack "axe-core@$version" >/dev/null 2>&1) &&
    printf '%s  %s\n' "$hash" "$folder/axe-core-$version.tgz" | sha256sum --check --quiet; then
    tar -xzf "$folder/axe-core-$version.tgz" -C "$folder"
    axe=$folder/package/axe.min.js
else
    say "axe-core $version cannot be downloaded: accessibility is not checked"
fi
"$program" studio --dir "$folder/studio" --port 0 2>"$folder/log" &
studio=$!
for _ in $(seq 600); do
    grep -q 'http://' "$folder/log" && break
    sleep 0.1
done
address=$(grep -o 'http://[0-9.:]*' "$folder/log") || { cat "$folder/log" >&2; say "the studio did not start"; exit 1; }
# The systems of the ask page are opened in the background.
for _ in $(seq 1200); do
    curl -fsS -o "$folder/ask" "$address/ask?format=json" 2>/dev/null && break
    sleep 0.25
done
cat >"$folder/routes.json" <<'END'
{
  "home": "/",
  "kb": "/kb",
  "kb-domain": "/kb?domain=film&filter=direct",
  "find": "/kb/find?q=john",
  "find-nothing": "/kb/find?q=zzzzqqqq",
  "entity": "/kb/show?id=Paris",
  "person": "/kb/show?id=Christopher+Nolan",
  "class": "/kb/show?id=film",
  "relation": "/kb/property?id=director",
  "attribute": "/kb/property?id=duration",
  "query-empty": "/query",
  "query": "/query?lang=kopl&q=Find(Christopher+Nolan)+%3E+Relate(director,+backward)+%3E+FilterConcept(film)+%3E+FilterYear(release+date,+2008,+%3E)+%3E+Count()",
  "query-branches": "/query?lang=kopl&q=Find(Christopher+Nolan)+%3E+Relate(director,+backward)+%3E+Find(Michael+Caine)+%3E+Relate(cast+member,+backward)+%3E+And()+%3E+What()",
  "query-wrong": "/query?lang=sexpr&q=(AND+film+(JOIN+director",
  "query-nothing": "/query?q=Find(Paris)+%3E+Relate(director,+forward)+%3E+What()",
  "ask-empty": "/ask",
  "ask": "/ask?q=Which+films+directed+by+Christopher+Nolan+were+released+after+2008%3F",
  "ask-nothing": "/ask?q=zzzz",
  "error": "/kb/show?id=Pariss"
}
END
python3 tools/browser/studio.py "$address" "$folder/routes.json" "$axe" ${1:+"$1"}
say "done"
