#!/usr/bin/env bash
# A real Oxigraph server on loopback, for tests and measurements.
#
#   oxigraph.sh install FOLDER              puts the program into FOLDER, if it is not there yet
#   oxigraph.sh start DIR FILE.nt [GRAPH]   loads the file, prints the endpoint's URL and nothing else
#   oxigraph.sh stop DIR                    stops it; DIR stays (database, log) for inspection
#
# Settings, from the environment:
#   OXIGRAPH         the program                                        (oxigraph, found with PATH)
#   OXIGRAPH_SOURCE  1: install compiles it from crates.io (minutes, a C++ compiler and libclang for RocksDB)
#                    instead of taking the authors' compiled one from PyPI
#   OXIGRAPH_WAIT    seconds until the server must answer               (60)
set -euo pipefail

version=0.5.13
# The authors publish the command-line program as wheels of the PyPI package "oxigraph": zip files with one program.
program=${OXIGRAPH:-oxigraph}

say() { printf 'oxigraph.sh: %s\n' "$*" >&2; }
. "$(dirname "${BASH_SOURCE[0]}")/process.sh"

fail() {
    say "$1"
    if [ -s "$dir/output" ]; then
        say "the end of $dir/output:"
        tail -n 20 "$dir/output" >&2
    fi
    stop_server
    exit 1
}

usage() {
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

our_process() { process_with "$dir/store"; }

stop_server() {
    local pid
    if pid=$(our_process); then
        kill "$pid" 2>/dev/null || true
        gone_within "$pid" 10 || { kill -9 "$pid" 2>/dev/null || true; }
        gone_within "$pid" 5 || return 1
    fi
    rm -f "$dir/pid"
}

install_program() {
    local work
    if [ -x "$dir/oxigraph" ]; then
        say "$dir/oxigraph is there"
        return
    fi
    if [ "${OXIGRAPH_SOURCE:-}" = 1 ]; then
        # Without default features: no native TLS, no geometry. RocksDB has no switch; it is what takes the time.
        cargo install oxigraph-cli --version "$version" --locked --no-default-features --features rdf-12 --root "$dir/source" >&2
        cp "$dir/source/bin/oxigraph" "$dir/oxigraph"
        return
    fi
    work=$(mktemp -d "$dir/install.XXXXXX")
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" "oxigraph==$version" >&2 ||
        { rm -rf "$work"; say "cannot fetch the package oxigraph $version"; exit 1; }
    mkdir "$work/wheel"
    python3 -m zipfile -e "$work"/oxigraph-*.whl "$work/wheel"
    chmod +x "$work/wheel/oxigraph-$version.data/scripts/oxigraph"
    mv "$work/wheel/oxigraph-$version.data/scripts/oxigraph" "$dir/oxigraph"
    rm -rf "$work"
}

start() {
    local port pid deadline try
    command -v "$program" >/dev/null || { say "no $program: run oxigraph.sh install FOLDER and set OXIGRAPH=FOLDER/oxigraph"; exit 1; }
    [ -r "$file" ] || { say "cannot read $file"; exit 1; }
    if our_process >/dev/null; then say "one is running in $dir already"; exit 1; fi
    rm -rf "$dir/store" "$dir/output"
    set -- --location "$dir/store" --file "$file"
    if [ -n "$graph" ]; then set -- "$@" --graph "$graph"; fi
    "$program" load "$@" >"$dir/output" 2>&1 || fail "loading $file failed"
    # Another process may take the port between our look and the server's start: another one then.
    for try in 1 2 3; do
        port=$(free_port)
        setsid "$program" serve-read-only --location "$dir/store" --bind "127.0.0.1:$port" >"$dir/output" 2>&1 </dev/null &
        pid=$!
        printf '%s\n' "$pid" >"$dir/pid"
        deadline=$((SECONDS + ${OXIGRAPH_WAIT:-60}))
        while [ "$SECONDS" -lt "$deadline" ] && kill -0 "$pid" 2>/dev/null; do
            if listening "$port"; then
                say "ready after $SECONDS s"
                printf 'http://127.0.0.1:%s/query\n' "$port"
                return
            fi
            sleep 0.1
        done
        grep -qi 'in use' "$dir/output" || break
        say "try $try: port $port was taken"
    done
    fail "the server did not come up"
}

[ $# -ge 2 ] || usage
command=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd -P)
case $command in
install) install_program ;;
start)
    [ $# -ge 3 ] || usage
    file=$(readlink -f "$3")
    graph=${4:-}
    start
    ;;
stop) stop_server ;;
*) usage ;;
esac
