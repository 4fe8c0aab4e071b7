# What the scripts of all servers share: free ports, and processes by their folder. To be sourced; `say` and `dir` are the script's own.

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A port that no process listens on now. Below the range the kernel gives to outgoing connections, so that none of these takes it.
free_port() {
    local port try
    for try in $(seq 100); do
        port=$((20000 + (RANDOM * 3 + try) % 12000))
        if ! listening "$port"; then
            printf '%s\n' "$port"
            return
        fi
    done
    say "no free port found"
    exit 1
}

# The process of DIR, if it is still the one that was started there with this argument: numbers are used again.
process_with() {
    local pid
    pid=$(cat "$dir/pid" 2>/dev/null) || return 1
    [ -n "$pid" ] && tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF "$1" || return 1
    printf '%s\n' "$pid"
}

# Whether a process ends within some seconds.
gone_within() {
    local second
    for second in $(seq $(($2 * 5))); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.2
    done
    say "process $1 is still there after $((second / 5)) s"
    return 1
}
