#!/bin/sh
# Adds to the corpus what fuzz/run.sh has found: fuzz/keep.sh [TARGET...]
#
# Of the inputs found, as few as possible that reach the same code as all of them, besides what the
# seeds reach; of these, a number of middle size, so that the corpus stays small enough for the repository and
# the tests. (The smallest ones reach little.)
set -eu
cd "$(dirname "$0")"

[ $# -gt 0 ] || set -- program system certificate net pnml properties \
    processes unwinding protocol derivation invariants invariance
triple=$(rustc -vV | sed -n 's/^host: //p')
bin=${CARGO_TARGET_DIR:-$PWD/target}/$triple/release
most_files=55
most_bytes=700

for target in "$@"; do
    chosen=$(mktemp -d)
    cp "corpus/$target"/* "$chosen"
    "$bin/$target" -set_cover_merge=1 -use_counters=0 -max_len=9000 -timeout=10 \
        "$chosen" "found/$target" >/dev/null 2>&1
    # What has been there before stays.
    (cd "$chosen" && find . -type f -size -${most_bytes}c -printf '%s %f\n' | sort -rn | cut -d' ' -f2) | while read -r name; do
        [ -e "corpus/$target/$name" ] && continue
        files=$(find "corpus/$target" -type f ! -name 'seed-*' | wc -l)
        [ "$files" -ge "$most_files" ] || cp "$chosen/$name" "corpus/$target/$name"
    done
    rm -r "$chosen"
    echo "$target: $(find "corpus/$target" -type f | wc -l) inputs, $(cat "corpus/$target"/* | wc -c) bytes"
done
