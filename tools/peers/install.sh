#!/usr/bin/env bash
# Installs the Python packages that tests and benches compare with, and prints the Python that has them:
#
#   export TOUCHSTONE_KOPL_PYTHON=$(tools/peers/install.sh target/peers) TOUCHSTONE_TEXT_PYTHON=$TOUCHSTONE_KOPL_PYTHON
set -euo pipefail
folder=${1:?usage: install.sh FOLDER}
requirements=$(dirname "$0")/requirements.txt
mkdir -p "$(dirname "$folder")"
# A folder that is complete holds the list that it was made from.
if ! cmp -s "$requirements" "$folder/requirements.txt"; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" >&2
    cp "$requirements" "$folder/requirements.txt"
fi
printf '%s\n' "$(cd "$folder/bin" && pwd)/python"
