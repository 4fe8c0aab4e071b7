#!/usr/bin/env bash
# A real Virtuoso 7 (Debian: apt-get install virtuoso-opensource-7-bin) on loopback, for tests and measurements.
#
#   virtuoso.sh start DIR FILE.nt [GRAPH]   loads the file, prints the endpoint's URL and nothing else
#   virtuoso.sh stop DIR                    stops it; DIR stays (database, log) for inspection
#
# Settings, from the environment:
#   VIRTUOSO_MAX_ROWS   rows after which results are cut silently   (1000000)
#   VIRTUOSO_BUFFERS    pages of 8 KB kept in memory                (60000, about 500 MB)
#   VIRTUOSO_WAIT       seconds until the server must answer        (120)
#   VIRTUOSO_QUERY_TIME seconds a query may take; 0: no limit       (0)
set -euo pipefail

say() { printf 'virtuoso.sh: %s\n' "$*" >&2; }
. "$(dirname "${BASH_SOURCE[0]}")/process.sh"

# Shows why: the server's own words are in its log, or on its standard error if it never got that far.
fail() {
    say "$1"
    for log in "$dir/virtuoso.log" "$dir/output" "$dir/load.log"; do
        if [ -s "$log" ]; then
            say "the end of $log:"
            tail -n 20 "$log" >&2
        fi
    done
    stop_server
    exit 1
}

usage() {
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

our_process() { process_with "$dir/virtuoso.ini"; }

isql() { timeout "$1" isql-vt "127.0.0.1:$(cat "$dir/sql-port")" dba dba ERRORS=STDOUT VERBOSE=OFF PROMPT=OFF "exec=$2"; }

stop_server() {
    local pid
    if pid=$(our_process); then
        # Asked politely first (it writes its database), then told, then ended.
        isql 20 'shutdown;' >/dev/null 2>&1 || true
        gone_within "$pid" 10 || { kill "$pid" 2>/dev/null || true; }
        gone_within "$pid" 10 || { kill -9 "$pid" 2>/dev/null || true; }
        gone_within "$pid" 5 || return 1
    fi
    rm -f "$dir/pid" "$dir/virtuoso.lck"
}

write_settings() {
    cat >"$dir/virtuoso.ini" <<SETTINGS
[Database]
DatabaseFile       = $dir/virtuoso.db
ErrorLogFile       = $dir/virtuoso.log
LockFile           = $dir/virtuoso.lck
TransactionFile    = $dir/virtuoso.trx
xa_persistent_file = $dir/virtuoso.pxa
ErrorLogLevel      = 7
FileExtend         = 200
MaxCheckpointRemap = 2000

[TempDatabase]
DatabaseFile       = $dir/virtuoso-temp.db
TransactionFile    = $dir/virtuoso-temp.trx
MaxCheckpointRemap = 2000

[Parameters]
ServerPort           = 127.0.0.1:$1
ServerThreads        = 20
CheckpointInterval   = 0
NumberOfBuffers      = ${VIRTUOSO_BUFFERS:-60000}
MaxDirtyBuffers      = $((${VIRTUOSO_BUFFERS:-60000} * 3 / 4))
DirsAllowed          = $dir/load
ThreadsPerQuery      = 2
AsyncQueueMaxThreads = 4

[HTTPServer]
ServerPort                  = 127.0.0.1:$2
ServerThreads               = 16
MaxClientConnections        = 16
MaxKeepAlives               = 16
KeepAliveTimeout            = 30

[SPARQL]
DefaultGraph               = $graph
ResultSetMaxRows           = ${VIRTUOSO_MAX_ROWS:-1000000}
MaxQueryCostEstimationTime = 0
MaxQueryExecutionTime      = ${VIRTUOSO_QUERY_TIME:-0}

[Client]
SQL_QUERY_TIMEOUT = 0
SQL_TXN_TIMEOUT   = 0
SETTINGS
}

# Starts the process on ports of our choice; fails if it ends or does not answer in time.
try_to_start() {
    local sql_port http_port pid deadline
    sql_port=$(free_port)
    http_port=$(free_port)
    printf '%s\n' "$sql_port" >"$dir/sql-port"
    write_settings "$sql_port" "$http_port"
    setsid virtuoso-t +configfile "$dir/virtuoso.ini" +foreground >"$dir/output" 2>&1 </dev/null &
    pid=$!
    printf '%s\n' "$pid" >"$dir/pid"
    deadline=$((SECONDS + ${VIRTUOSO_WAIT:-120}))
    while [ "$SECONDS" -lt "$deadline" ]; do
        kill -0 "$pid" 2>/dev/null || return 1
        if listening "$http_port" && isql 10 'select 1;' >/dev/null 2>&1; then
            url="http://127.0.0.1:$http_port/sparql"
            return 0
        fi
        sleep 0.2
    done
    return 1
}

load() {
    # The loader takes a pattern; a folder of its own with one name makes sure that it matches one file.
    local name=data.nt answer
    case $file in *.gz) name=data.nt.gz ;; esac
    rm -rf "$dir/load"
    mkdir "$dir/load"
    ln -s "$file" "$dir/load/$name"
    isql 7200 "ld_dir('$dir/load', '$name', '$graph'); rdf_loader_run(); checkpoint;" >"$dir/load.log" 2>&1 ||
        fail "loading $file failed"
    # State 2 is done; a file with a syntax error is also done, with an error.
    answer=$(isql 60 "select concat('loaded=', count(*)) from DB.DBA.load_list where ll_state = 2 and ll_error is null;" 2>&1) || true
    case $answer in *loaded=1*) ;; *)
        isql 60 'select ll_file, ll_state, ll_error from DB.DBA.load_list;' >>"$dir/load.log" 2>&1 || true
        fail "$file was not loaded"
        ;;
    esac
}

start() {
    local try
    command -v virtuoso-t >/dev/null || { say "virtuoso-t is missing: apt-get install virtuoso-opensource-7-bin"; exit 1; }
    command -v isql-vt >/dev/null || { say "isql-vt is missing: apt-get install virtuoso-opensource-7-bin"; exit 1; }
    [ -r "$file" ] || { say "cannot read $file"; exit 1; }
    case $dir$graph in *[\'\"\ ]*) say "no quotes or blanks in DIR and GRAPH, please"; exit 1 ;; esac
    if our_process >/dev/null; then say "one is running in $dir already"; exit 1; fi
    rm -f "$dir"/virtuoso.db "$dir"/virtuoso.trx "$dir"/virtuoso-temp.* "$dir"/virtuoso.pxa "$dir"/virtuoso.lck \
        "$dir"/virtuoso.log "$dir"/load.log "$dir"/output
    # Another process may take a port between our look and the server's start: other ports then.
    for try in 1 2 3; do
        if try_to_start; then
            load
            say "ready after $SECONDS s"
            printf '%s\n' "$url"
            return
        fi
        our_process >/dev/null && break
        grep -qi 'in use\|listen' "$dir/output" "$dir/virtuoso.log" 2>/dev/null || break
        say "try $try: its port was taken"
    done
    fail "the server did not come up"
}

[ $# -ge 2 ] || usage
command=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd -P)
case $command in
start)
    [ $# -ge 3 ] || usage
    file=$(readlink -f "$3")
    graph=${4:-urn:touchstone:test}
    url=
    start
    ;;
stop) stop_server ;;
*) usage ;;
esac
