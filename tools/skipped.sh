#!/usr/bin/env bash
# Lists the tests that could not run: `skipped.sh FOLDER`, with the lines that tests wrote to `workspace` and `servers` (see crates/testing).
# Tests that tools/servers/test.sh runs again, with servers, count as they ended there.
set -euo pipefail
folder=${1:?usage: skipped.sh FOLDER}
touch "$folder/workspace" "$folder/servers"
all=$({ grep -v '^endpoint_servers::\|^engines::' "$folder/workspace" || true; cat "$folder/servers"; } | sort -u)
printf '%s skipped%s\n' "$(printf '%s' "$all" | grep -c '' || true)" "${all:+:}"
if [ -n "$all" ]; then printf '%s\n' "$all" | sed 's/^/  /'; fi
