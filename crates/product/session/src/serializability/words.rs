//! Sentences that several report formats share.

pub mod causes;

use crate::source::Source;
use crate::{Decision, InParts, Verdict};
use ser_base::Stop;
use ser_model::{ExploreError, NetworkSystem};
use ser_net::Outcome;
use ser_report::run::aborts;
use ser_report::text::{and, count, grouped};
use ser_serializability_checker::Slice;
use ser_serializability_search::{
    CountingFailure, Failure, Progress, SearchStop, Searched, SerialRuns, StepAt, Tried, Unknown,
};
use ser_syntax::Span;
use std::collections::BTreeSet;

/// `main responds 0`, `main responds 1, twice`.
pub fn responses(system: &NetworkSystem, outcome: &[(Outcome, u32)]) -> Vec<String> {
    outcome
        .iter()
        .map(|(o, n)| match n {
            1 => ends(system, *o),
            2 => format!("{}, twice", ends(system, *o)),
            n => format!("{}, {n} times", ends(system, *o)),
        })
        .collect()
}

/// `main responds 0`, `main aborts`.
fn ends(system: &NetworkSystem, outcome: Outcome) -> String {
    let request = system.request_name(outcome.request);
    let response = system.response_name(outcome.response);
    match system.counts(outcome.response) {
        true => format!("{request} responds {response}"),
        false => format!("{request} {}", aborts(response)),
    }
}

/// What serial runs have to do with responses that do not count; nothing if all of them do.
pub fn uncounted(system: &NetworkSystem) -> Option<String> {
    let names: Vec<&str> = system.uncounted().iter().map(|r| system.response_name(*r)).collect();
    let who = match names.as_slice() {
        [] => return None,
        ["abort"] => "Requests that abort".to_owned(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("Requests that respond {}", names.join(" or "))
        }
    };
    Some(format!(
        "{who} do not count: in the serial runs, each of them runs like the others or does nothing."
    ))
}

/// `main responds 1, then main responds 0`; many of the same in a row are `main responds 1 (12
/// times)`.
pub fn serial_run(system: &NetworkSystem, run: &[Outcome]) -> String {
    const MANY: usize = 3;
    let same = run.chunk_by(|a, b| a == b);
    let words = same.flat_map(|same| {
        let Some(first) = same.first() else { return Vec::new() };
        match same.len() {
            n if n >= MANY => vec![format!("{} ({} times)", ends(system, *first), grouped(n))],
            n => vec![ends(system, *first); n],
        }
    });
    words.collect::<Vec<_>>().join(", then ")
}

/// What serial runs of the same requests look like, in one sentence; the runs follow it.
pub fn serial_sentence(serial: &SerialRuns) -> &'static str {
    match serial {
        SerialRuns::Closest(_) => "One after the other, the same requests come closest with:",
        SerialRuns::Impossible => {
            "One after the other, these requests cannot even complete: in every order, one of them waits forever."
        }
        SerialRuns::TooMany => "No serial order of these requests gives these responses.",
    }
}

/// The question, when real-time order is asked for.
pub const IN_REAL_TIME: &str = "in real-time order";

/// Why a run is no run in real-time order.
pub const OUT_OF_ORDER: &str = "One after the other, with those first that had responded before \
    others arrived, the same requests cannot respond like this.";

/// What a proof says about the order of requests that do not overlap.
pub fn real_time(is_strict: bool) -> &'static str {
    match is_strict {
        true => {
            "Also in real-time order: requests that do not overlap keep their order (strictly \
             serializable)."
        }
        false => {
            "Whether real-time order is kept is left open by this proof; --strict asks for it."
        }
    }
}

/// Which shared variables slices leave out, and why; nothing if there are none.
pub fn unseen<'a>(slices: impl Iterator<Item = &'a Slice>) -> Option<String> {
    const SHOWN: usize = 5;
    let names = left_out(slices);
    let mut words: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        words.push(format!("{} more variables", names.len() - SHOWN));
    }
    let (last, others) = words.split_last()?;
    let words = match others {
        [] => last.clone(),
        others => format!("{} or {last}", others.join(", ")),
    };
    Some(format!("no response and no condition depends on {words}"))
}

/// That two steps do not commute, for any choice of commit points.
pub fn do_not_commute(source: &Source, [first, second]: &[StepAt; 2]) -> String {
    let step = |at: &StepAt| match at.from {
        Some(span) => {
            let line = source.lines.line(span.start);
            format!("the step of `{}` that begins before line {line}", at.handler)
        }
        None => format!("the first step of `{}`", at.handler),
    };
    format!(
        "whatever the values: {} and then {}, of another request, do not commute as far as is \
         known of the values there",
        step(first),
        step(second)
    )
}

/// What is known about the slices of a program of which some are open.
pub fn slices(slices: &[(Slice, Decision)]) -> Vec<String> {
    let name = |(slice, _): &&(Slice, Decision)| {
        let names: Vec<String> = slice.requests.iter().map(|r| format!("`{r}`")).collect();
        and(&names)
    };
    let is_proved = |it: &&(Slice, Decision)| matches!(it.1.verdict, Verdict::Serializable { .. });
    let mut out = Vec::new();
    if slices.len() > 1 {
        let proved: Vec<String> = slices.iter().filter(is_proved).map(|it| name(&it)).collect();
        let open = slices.iter().filter(|it| !is_proved(it));
        let open: Vec<String> = open.map(|it| name(&it)).collect();
        if !proved.is_empty() {
            out.push(format!("parts: proved, each by itself: {}", proved.join("; ")));
        }
        out.push(format!("parts: open: {}", open.join("; ")));
    }
    let left_out = unseen(slices.iter().map(|(slice, _)| slice));
    out.extend(left_out.map(|words| format!("left out: {words}")));
    out
}

/// The shared variables that slices leave out.
pub fn left_out<'a>(slices: impl Iterator<Item = &'a Slice>) -> BTreeSet<&'a str> {
    let names = slices.flat_map(|slice| &slice.dropped).map(String::as_str);
    names.filter(|name| !name.contains('.')).collect()
}

/// The way out of an interruption.
const LET_IT_RUN: &str = "let it run to its end, or bound it with --timeout";

/// Why there is no answer, and nothing more to say: a sentence, and ways out.
pub fn stopped(name: &str, stop: &Stop, doing: Option<Progress>) -> (String, Vec<String>) {
    let doing = match doing {
        None => String::new(),
        Some(Progress::Exploring) => " while the states were being listed".into(),
        Some(Progress::Reducing) => " while the net was being reduced".into(),
        Some(Progress::Proving { .. }) => " while a proof by inclusion was being looked for".into(),
        Some(Progress::Counting) => " while a proof by arithmetic was being looked for".into(),
        Some(Progress::Searching { requests, states, .. }) => format!(
            " while runs of {} were being explored ({} visited)",
            count(requests, "request"),
            count(states, "state")
        ),
    };
    let help = match stop {
        Stop::Time { .. } => "give it more time with --timeout",
        Stop::Memory { .. } => "give it more memory with --memory",
        Stop::States { .. } | Stop::Share => "raise --max-states",
        Stop::Cancelled => LET_IT_RUN,
    };
    let mut helps = vec![help.to_owned()];
    if *stop != Stop::Cancelled && name.ends_with(".ser") {
        helps.push(start_a_proof(name));
    }
    (format!("there is no answer yet; {stop}{doing}"), helps)
}

/// Why a file was not checked, and the way out.
pub fn not_checked() -> (String, Vec<String>) {
    ("not checked: interrupted before its turn came".into(), vec![LET_IT_RUN.to_owned()])
}

/// Why there is no answer: a sentence, and ways out.
pub fn unknown(unknown: &Unknown) -> (String, Vec<String>) {
    let mut reason =
        "requests can interleave, and ser has found neither a proof nor a counterexample"
            .to_owned();
    if let Some(stop) = &unknown.stop {
        reason += &format!("; {stop}");
    }
    let help = match &unknown.stop {
        Some(Stop::Time { .. }) => "give it more time with --timeout",
        Some(Stop::Memory { .. }) => "give it more memory with --memory",
        Some(Stop::Cancelled) => LET_IT_RUN,
        None if unknown.searched.is_none() => {
            "allow the other methods, too, and the search for a counterexample: leave out --only"
        }
        _ => {
            "search further: raise --search-states, and --max-requests or --max-in-flight if you gave them"
        }
    };
    (reason, vec![help.to_owned()])
}

/// What was found out about a large program without listing its global states. Parts are not
/// searched for runs out of order.
pub fn in_parts(found: &InParts, strict: bool) -> Vec<String> {
    const SHOWN: usize = 3;
    let InParts { unknown, pauses } = found;
    let mut out = Vec::new();
    for pause in pauses.iter().take(SHOWN) {
        out.push(format!("rules: {pause} is not known to be harmless"));
    }
    if pauses.len() > SHOWN {
        let more = pauses.len() - SHOWN;
        out.push(format!("rules: and {more} more, of {}", count(unknown.labels, "request")));
    }
    if unknown.requests > 1 {
        let aside = if strict { ", real-time order aside" } else { "" };
        out.push(format!(
            "search: no counterexample with {} or fewer{aside}",
            count(unknown.requests, "request")
        ));
    } else if unknown.states > 0 {
        out.push(format!("search: nothing in {} of parts of it", count(unknown.states, "state")));
    }
    out
}

/// What was tried, and how far it got.
pub fn tried(unknown: &Unknown) -> Vec<String> {
    let mut out: Vec<String> = unknown.searched.iter().map(searched).collect();
    let mut inclusion: Vec<String> = Vec::new();
    let (mut ways, mut most) = (0, 0);
    for tried in &unknown.tried {
        match tried {
            Tried::Atomic { places } => out.push(format!(
                "reductions: requests still yield in {} where it may matter",
                count(*places, "place")
            )),
            Tried::Arithmetic(failure) => out.push(format!(
                "arithmetic: {}",
                match failure {
                    CountingFailure::TooLarge => "the program is too large for it",
                    CountingFailure::SerialTooLarge =>
                        "the serial outcomes need too many components",
                    CountingFailure::TooManyCases => "too many cases",
                    CountingFailure::Candidate(_) =>
                        "a combination of counts that nothing rules out, and that may not be a run",
                    CountingFailure::Stuck => "a region that no serial schedule covers as a whole",
                    CountingFailure::Limit(_) => "stopped by the limit",
                }
            )),
            Tried::Inclusion(attempt, failure) => {
                ways += 1;
                most = most.max(attempt.cap);
                let how = match failure {
                    Failure::Unexplained => "some responses stay unexplained",
                    Failure::TooManyTriples => "too many cases",
                    Failure::Limit(_) => "stopped by the limit",
                };
                if !inclusion.iter().any(|known| known == how) {
                    inclusion.push(how.to_owned());
                }
            }
        }
    }
    if !inclusion.is_empty() {
        let ways = count(ways, "way");
        let how = inclusion.join(", or ");
        out.push(format!("inclusion: {ways}, counting requests up to {most}: {how}"));
    }
    out
}

/// How far the refuter got.
fn searched(searched: &Searched) -> String {
    let Searched { layers, any_in_flight, states, stopped, .. } = searched;
    let mut parts = Vec::new();
    // A wider search that got as far makes the narrower ones uninteresting.
    for (i, layer) in layers.iter().enumerate() {
        // One at a time is a serial run, and one alone as well.
        let says_something = i > 0 && *layer > 1;
        if says_something && layers[i + 1..].iter().all(|wider| wider < layer) {
            let requests = count(*layer, "request");
            parts.push(match i + 1 {
                flying if flying >= *layer || *any_in_flight && flying == layers.len() => {
                    format!("up to {requests}")
                }
                flying => format!("up to {requests}, at most {flying} of them in flight at a time"),
            });
        }
    }
    parts.reverse();
    let looked = if parts.is_empty() {
        "too little room to look at runs of two requests".to_owned()
    } else {
        format!("no counterexample with {}", parts.join(", nor with "))
    };
    let why = match stopped {
        SearchStop::Budget => format!("{} visited", count(*states, "state")),
        SearchStop::Exhausted => format!("all {} visited", count(*states, "state")),
        SearchStop::Limit(stop) => format!("{} visited; {stop}", count(*states, "state")),
    };
    format!("search: {looked} ({why})")
}

/// Why the states cannot be enumerated: a sentence with its place, and ways out.
pub fn too_large(name: &str, error: &ExploreError) -> (String, Option<Span>, Vec<String>) {
    let finite = "where a proof needs the values of a variable, they must be finitely many: bound it, for example with `if (N < 3) { ... }` or `assume(N < 3)`".to_owned();
    let (span, help) = match error {
        ExploreError::TooManyStates { growing: Some(growing), .. } if growing.is_shown() => {
            (growing.span, vec![finite, start_a_proof(name)])
        }
        ExploreError::TooManyStates { stop, .. } => {
            let raise = match stop {
                Stop::Time { .. } => "give it more time with --timeout",
                Stop::Memory { .. } => "give it more memory with --memory",
                _ => "raise --max-states",
            };
            let mut help = vec![format!("{raise}, or make variables range over fewer values")];
            if name.ends_with(".ser") {
                help.push(start_a_proof(name));
            }
            (None, help)
        }
        ExploreError::EndlessStep { span, growing } => {
            let place = growing.as_ref().and_then(|g| g.span).unwrap_or(*span);
            (Some(place), vec!["let the loop end sooner, or `yield` inside it".to_owned(), finite])
        }
        ExploreError::Overflow { span } => (Some(*span), vec![finite, start_a_proof(name)]),
        ExploreError::AnyArguments { span } => {
            let few = "a type or a range with few values lets other methods help: `type Row = 0..3`, `in 0..3`";
            (Some(*span), vec![few.to_owned()])
        }
    };
    (error.to_string(), span, help)
}

/// The way from a program without end to `ser prove`.
fn start_a_proof(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    // A name that a shell would not take for one word is not repeated.
    let (file, start) = match name.strip_suffix(".ser") {
        Some(stem) if stem.chars().all(plain) && !stem.starts_with('-') => {
            (name.to_owned(), format!("{stem}_proof.ser"))
        }
        _ => ("FILE".to_owned(), "PROOF.ser".to_owned()),
    };
    format!(
        "prove what always holds, whatever the numbers: `ser check {file} --start-proof {start}` writes a file for `ser prove`"
    )
}
