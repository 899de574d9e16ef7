#!/usr/bin/env bash
# Measures, and writes docs/benchmarks.md and docs/plots/.
#
#     docs/benchmarks.sh [FOLDER]
#
# FOLDER has the 47 benchmarks of the SER paper and their expected.csv. Without it, it is looked for
# beside the repository, in shared/benchmarks/ser47; if it is not there, its sections are left out.
# SER names the program to measure; without it, a release build is made. Takes half an hour, and
# wants a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release -p ser -p ser-bench
SER="${SER:-${CARGO_TARGET_DIR:-target}/release/ser}"
measure() { "${CARGO_TARGET_DIR:-target}/release/ser-bench" "$@" --ser "$SER" --format markdown; }
paper="${1:-../shared/benchmarks/ser47}"
work="$(mktemp -d)"
trap 'rm -r "$work"' EXIT

# A report as part of a page: without its title and its longest table, headings one level down, and
# in the table of programs only the columns that are named.
section() {
    awk -v wanted=" $2 " '
        /^# /             { next }
        /^## All numbers/ { exit }
        /^## /            { print "#" $0; table = /Programs/; header = 1; next }
        table && /^\|/    {
            n = split($0, cell, "|")
            if (header) {
                for (i = 2; i < n; i++) {
                    name = cell[i]; gsub(/ /, "", name)
                    keep[i] = index(wanted, " " name " ") > 0
                }
                header = 0
            }
            line = "|"
            for (i = 2; i < n; i++) if (keep[i]) line = line cell[i] "|"
            print line
            next
        }
        { print }' "$1"
}

# What comes before the numbers about event tracing.
events_text() {
    cat <<'TEXT'

## Event tracing and bounded model checking

`ser-bench events`: the family of section 7 of Dubrovin's report on event tracing. Two processes add to a shared X, C times
each, and read and write it in two steps; can X be D in the end? There are 2,498 instances with C from 4 to 9; here is one
of 25, and one of 100 where the encoding is changed. Both methods use the same solver, in one process; times are those of the
whole answer, without the check of proofs. Bounded model checking is cut after 30 times the time of
event tracing, but not within a second; where such runs decide a number, it is a lower bound, written `>=`.

![Each instance by both methods](plots/events.svg)

TEXT
}

# What comes before the numbers about sequentialization.
sequence_text() {
    cat <<'TEXT'

## Sequentialization and Spin

`ser-bench sequentialize`: the 17 protocols of Table 1 of Bakst, v. Gleissenthall, Kici and Jhala, *Verifying Distributed
Programs via Canonical Sequentialization*, OOPSLA 2017. `answer ms` is parsing, searching, and the proof of assertions, for sets of any
size; `check ms` is the kernel, which checks the certificate again; both are medians in one process. `process ms` is a
whole `ser sequentialize`, from start to end. Columns `paper:` are what the paper publishes, **on another machine** (a Xeon of
2.8 GHz, times rounded to 10 ms); its terms are of its own language, and its Theque is larger than ours.

The model checker Spin lists all states for given sizes. **Here it gives up after 2 s or 2 GiB**, so that this page is made in minutes;
the paper has 60 s and 8 GB, which are the defaults of `ser-bench sequentialize`, so its sizes may be larger. A size such as `7 (time)` is the
smallest at which Spin gave up, and why; `(refused)` means that it does not take so many channels.
The models are what `ser sequentialize --promela` writes, with channels as small as possible and loops that visit members one after
the other; the paper's models were written by hand, and have other and often fewer states. `largest finished` describes the largest size
that Spin finished, `pan s` the time of its search, `compile s` the time to get there.

TEXT
}

# What comes before the numbers about invariants.
prove_text() {
    cat <<'TEXT'

## Parametrized invariance

`ser-bench prove`: the 20 invariants of Figure 7 of A. Sánchez and C. Sánchez, *Parametrized Invariance for Infinite State Processes*, Acta
Informatica 52 (2015): a lock-coupling list, and ticket locks with numbers and with a set (S). Times are those of making and deciding
all conditions of the row, in one process on one core, without parsing, the certificate and its check. Columns `paper` are what the paper publishes, **on
another machine** (2.8 GHz, 8 GB), in seconds; `TO` is 30 minutes there. Here **`TO` is the limit that is named below**.

The paper's columns are *Tactics*, *Offend*, *Supp* and *Full supp*; ours are the same tactics: all of them; support at offending transitions only; support where it is said to
be needed; all invariants as support of every condition.

`by locations` is larger than the paper's `by position` where a condition asks for something that it literally assumes: that is seen before any
theory is asked, and counts as locations. The sum is the same. The three `fun` rows speak of one more thread that never changes, which
the paper does not count as an index but has in its conditions.

TEXT
}

columns="file verdict method requests states nodes check_ms total_ms certificate_bytes"

echo "examples ..." >&2
measure examples --repeat 3 --output "$work/suite.md"
echo "scaling ..." >&2
measure scaling --max-n 50 --output "$work/scaling.md" --plot "$work/plots"
echo "ablation ..." >&2
measure ablation examples --timeout 10 --output "$work/ablation.md"
echo "event tracing ..." >&2
measure events --every 25 --output "$work/events.md" --plot "$work/plots"
measure events --ablation --every 100 --timeout 10 \
    --output "$work/events_ablation.md"
echo "sequentialization ..." >&2
measure sequentialize --spin-timeout 2 --spin-memory 2048 --output "$work/sequence.md"
echo "invariants ..." >&2
measure prove --output "$work/prove.md"
if [[ -d "$paper" ]]; then
    echo "the paper's benchmarks ..." >&2
    measure "$paper" --expected "$paper/expected.csv" --repeat 3 --output "$work/paper.md"
    measure ablation "$paper" --expected "$paper/expected.csv" --timeout 10 \
        --output "$work/paper_ablation.md"
fi

mkdir -p docs/plots
cp "$work/plots/time_serializable.svg" "$work/plots/time_broken.svg" "$work/plots/events.svg" docs/plots/
{
    cat <<'TEXT'
# How fast is it? Benchmarks

*What you get here: how long `ser` takes, how that grows with the size of programs, and what each
optimisation is good for. With machine and date, so that you can judge the numbers.*

This page is written by `docs/benchmarks.sh`, which runs `ser-bench`. Every program runs in a process of its
own; `total_ms` includes starting it, making the certificate and checking it. `requests` is the number of
requests in a counterexample, `states` how many states the search visited, `nodes` the size of a proof
(triples, or nodes of trees), `check_ms` the time of the independent checker.

## The examples

Every program of `examples/README.md`.

TEXT
    section "$work/suite.md" "$columns"
    if [[ -f "$work/paper.md" ]]; then
        cat <<'TEXT'

## The benchmarks of the SER paper

The 47 programs of Amir, Barbone, Amat and Jacobs, *Deciding Serializability in Network Systems*, TACAS 2026.
`paper_total_ms` is the total run time that the paper publishes in Table 4 for its own tool with SMPT as back
end; it is empty where that tool did not answer within 500 s. **The machines differ**: the paper used a laptop
with 16 cores and 64 GB of memory, and ran the benchmarks in parallel. Read the ratio as an order of
magnitude, not as a measurement.

TEXT
        section "$work/paper.md" "file verdict method requests check_ms total_ms certificate_bytes paper_total_ms paper_ratio"
    fi
    cat <<'TEXT'

## How the cost grows

Families of programs of any size (`ser-bench families`), each in a serializable and a broken variant, up to
n = 50. An exponent e means that the time grows as n^e where it is large enough to be measured. `(noise)`
means that it is not.

![Time of the serializable variants](plots/time_serializable.svg)

![Time of the broken variants](plots/time_broken.svg)

TEXT
    section "$work/scaling.md" ""
    cat <<'TEXT'

## What each optimisation is good for: the examples

Every optimisation has a switch (`--without`). These are the counterparts of Table 5, Figure 16 and Figure 15
of the SER paper. Most programs here are so small that times differ by noise only; the number of programs
that are *solved* and the sizes are what to compare.

TEXT
    section "$work/ablation.md" ""
    if [[ -f "$work/paper_ablation.md" ]]; then
        cat <<'TEXT'

## What each optimisation is good for: the benchmarks of the SER paper

For comparison, the paper publishes: on average 2.91 components (22 at most) with 1.33 periods each (4 at
most) with all its options on; nets of 23.91 places and 37.3 transitions on average before slicing, and 12.79
and 12.61 after it. (Our front end merges local states that behave in the same way, so even the net as
the paper defines it has fewer places here.)

TEXT
        section "$work/paper_ablation.md" ""
    fi
    events_text
    section "$work/events.md" ""
    echo
    section "$work/events_ablation.md" ""
    sequence_text
    section "$work/sequence.md" ""
    prove_text
    section "$work/prove.md" ""
} | cat -s > "$work/page.md"
mv "$work/page.md" docs/benchmarks.md
echo "wrote docs/benchmarks.md" >&2
