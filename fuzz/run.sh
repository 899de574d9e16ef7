#!/bin/sh
# Fuzzes the readers: fuzz/run.sh [MINUTES] [TARGET...]
#
# Each target gets so many minutes of CPU time on one core (20 unless told): three quarters of them with
# inputs up to 9 KB, and one with inputs up to 64 KB. A crash, a unit that takes more than 10 s or
# more than 2 GiB ends the run of its target; the input is then in fuzz/artifacts/TARGET. What is new
# goes to fuzz/found/TARGET. The last lines are a summary. The exit code is 1 if a target crashed or did not run
# for its whole time. For Linux: other systems' `ps` has no CPU time in seconds.
#
# Stable Rust is enough. SANITIZER=address TOOLCHAIN=+nightly looks at memory, too, at half the speed.
set -eu
cd "$(dirname "$0")"

minutes=20
case "${1:-}" in
    '' | *[!0-9.]*) ;;
    *) minutes=$1; shift ;;
esac
[ $# -gt 0 ] || set -- program system certificate net pnml properties \
    processes unwinding protocol derivation invariants invariance
sanitizer=${SANITIZER:-none}
toolchain=${TOOLCHAIN:-}
target_dir=${CARGO_TARGET_DIR:-$PWD/target}
triple=$(rustc -vV | sed -n 's/^host: //p')
logs=found/logs
mkdir -p "$logs"

CARGO_TARGET_DIR=$target_dir cargo $toolchain fuzz build --fuzz-dir . --sanitizer "$sanitizer"

# The CPU time of a process in seconds.
cpu() { ps -o cputimes= -p "$1" 2>/dev/null | tr -d ' ' || true; }

# phase TARGET LOG SECONDS FLAG...: runs until the CPU time is used up or something is found.
phase() {
    target=$1 log=$2 seconds=$3
    shift 3
    seeds=corpus/$target
    case $target in
        program | system) seeds="$seeds ../examples" ;;
        processes | unwinding) seeds="$seeds ../examples/processes" ;;
        protocol) seeds="$seeds ../examples/messages" ;;
        invariants) seeds="$seeds ../examples/threads" ;;
    esac
    # shellcheck disable=SC2086
    nice -n 15 "$target_dir/$triple/release/$target" "found/$target" $seeds \
        -dict="dictionaries/$target.dict" -artifact_prefix="artifacts/$target/" \
        -max_total_time=$((20 * seconds)) -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
        -print_final_stats=1 "$@" >"$log" 2>&1 &
    pid=$!
    trap 'kill -INT $pid 2>/dev/null; exit 130' INT TERM
    used=0
    while kill -0 "$pid" 2>/dev/null; do
        now=$(cpu "$pid")
        used=${now:-$used}
        [ "$used" -lt "$seconds" ] || kill -INT "$pid" 2>/dev/null || true
        sleep 1
    done
    status=0
    wait "$pid" || status=$?
    # 72 is what the fuzzer says when it was interrupted, which is how it is meant to end.
    if [ "$status" -ne 72 ] && [ "$status" -ne 0 ] || [ "$used" -lt "$seconds" ]; then
        echo "$target ended early with status $status after $used s: see fuzz/$log" >&2
        failed=1
    fi
    cpu_used=$((cpu_used + used))
}

# The last value of a statistic in a log; 0 if there is none.
stat() { sed -n "s/^stat::$2: *//p" "$1" | tail -1 | grep . || echo 0; }
last() { grep -o "$2: [0-9]*" "$1" | tail -1 | grep -o '[0-9]*$' || echo 0; }
larger() { [ "$1" -gt "$2" ] && echo "$1" || echo "$2"; }

summary=''
failed=0
for target in "$@"; do
    mkdir -p "found/$target" "artifacts/$target"
    before=$(find "artifacts/$target" -type f | wc -l)
    short=$(awk "BEGIN { printf \"%d\", $minutes * 45 }")
    long=$(awk "BEGIN { printf \"%d\", $minutes * 15 }")
    cpu_used=0
    phase "$target" "$logs/$target-short.log" "$short" -max_len=9000
    phase "$target" "$logs/$target-long.log" "$long" -max_len=65536 -len_control=0
    crashes=$(($(find "artifacts/$target" -type f | wc -l) - before))
    [ "$crashes" -eq 0 ] || failed=1
    a=$logs/$target-short.log b=$logs/$target-long.log
    executions=$(($(stat "$a" number_of_executed_units) + $(stat "$b" number_of_executed_units)))
    slowest=$(larger "$(stat "$a" slowest_unit_time_sec)" "$(stat "$b" slowest_unit_time_sec)")
    rss=$(larger "$(stat "$a" peak_rss_mb)" "$(stat "$b" peak_rss_mb)")
    line=$(printf '%-12s %10d executions in %d s of CPU time (%d/s), %d edges, %d inputs, %d crashes, slowest %d s, %d MB' \
        "$target" "$executions" "$cpu_used" $((executions / (cpu_used > 0 ? cpu_used : 1))) \
        "$(last "$b" cov)" "$(last "$b" corp)" "$crashes" "$slowest" "$rss")
    echo "$line"
    summary="$summary$line
"
done
printf '\n%s' "$summary"
exit $failed
