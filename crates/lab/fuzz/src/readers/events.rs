//! Processes with goals, and unwindings: their readers, and short searches.

use super::text;
use super::texts::{check_messages, check_places};
use ser_base::Limits;
use ser_reachability_search::{Bound, Covered, Net, SearchOptions, explore};
use ser_session::reachability::{Question, Reaching, trace_source};
use ser_session::source::Kind;
use ser_syntax::{parse_processes, parse_unwinding};
use std::time::Duration;

/// The longest text whose meaning is looked at, in bytes.
const MAX_SEARCHED: usize = 1000;

/// How long one search may take.
const MAX_TIME: Duration = Duration::from_millis(5);

/// The largest number of values that are tried for the variables of one transition.
const MAX_VALUES: u64 = 64;

/// Reads a file with processes.
///
/// - All places of messages, variables and goals lie inside the text, on character boundaries.
/// - A text without errors has processes and goals, and a first value within its range for every
///   variable.
/// - Short searches keep their limits, find nothing wrong with themselves, and agree: where all
///   states are listed, and where the solver alone answers.
pub fn processes(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = parse_processes(text);
    check_messages(text, &parsed.diagnostics);
    if parsed.has_errors() {
        return;
    }
    let program = &parsed.program;
    let asks = !program.questions.is_empty() || program.may_fail();
    assert!(!program.requests.is_empty() && asks, "nothing to look for");
    check_places(text, program.questions.iter().map(|it| it.span));
    check_places(text, program.globals.iter().map(|it| it.name.span));
    for global in &program.globals {
        assert!(global.range.is_some_and(|(low, high)| low <= high), "no values: {global:?}");
    }
    let listed = verdicts(text, Kind::Processes, false, Bound::Expand);
    let solved = verdicts(text, Kind::Processes, true, Bound::Rounds(1));
    if let (Some(listed), Some(solved)) = (listed, solved) {
        for (listed, solved) in listed.iter().zip(&solved) {
            if let (Some(listed), Some(solved)) = (listed, solved) {
                assert_eq!(listed, solved, "what is listed and what is solved differ");
            }
        }
    }
}

/// Reads a `.unw` file.
///
/// - All places of messages lie inside the text, on character boundaries.
/// - A text without errors has transitions and targets.
/// - A short search keeps its limits, finds nothing wrong with itself, and agrees with the list of
///   all executions, where there are few.
pub fn unwinding(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = parse_unwinding(text);
    check_messages(text, &parsed.diagnostics);
    if parsed.has_errors() {
        return;
    }
    let unwinding = &parsed.unwinding;
    assert!(!unwinding.targets.is_empty(), "nothing to look for");
    check_places(text, unwinding.transitions.iter().map(|it| it.span));
    check_places(text, unwinding.places.iter().map(|it| it.span));
    let Some(solved) = verdicts(text, Kind::Unwinding, true, Bound::Expand) else { return };
    let Ok((net, targets)) = Net::written(unwinding) else { return };
    let few = net.transitions.iter().all(|transition| {
        let values = transition.variables.iter().map(|v| net.variables.get(v.index()));
        let count = |total: u64, interval: ser_reachability_search::Interval| {
            let more = interval.high.saturating_sub(interval.low).saturating_add(1);
            total.saturating_mul(u64::try_from(more).unwrap_or(u64::MAX))
        };
        values.flatten().map(|v| v.interval).fold(1, count) <= MAX_VALUES
    });
    let limits = Limits { max_states: 300, ..Limits::default() }.with_timeout(MAX_TIME);
    if few && let Ok(explored) = explore(&net, &limits) {
        let reached = targets.iter().any(|target| explored.reachable.contains(target));
        if let [Some(solved)] = solved[..] {
            assert_eq!(solved, reached, "what is tried and what is solved differ");
        }
    }
}

/// For each goal whether it is reachable, if that is known for sure; nothing if the text is too
/// long, or the question has no answer.
fn verdicts(text: &str, kind: Kind, never_lists: bool, bound: Bound) -> Option<Vec<Option<bool>>> {
    if text.len() > MAX_SEARCHED {
        return None;
    }
    let source = ser_session::source::from_text("text", kind, text.to_owned()).ok()?;
    let search = SearchOptions { bound, ..SearchOptions::default() };
    let question = Question { search, never_lists, ..Question::default() };
    let limits = Limits { max_states: 300, max_bytes: 256 << 20, ..Limits::default() };
    let limits = limits.with_timeout(MAX_TIME);
    let report = trace_source(&source, &question, &limits, &|_| {});
    let answers = report.answers.unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let verdict = |answer: &ser_session::reachability::Answer| match &answer.verdict {
        Reaching::Reachable(_) => Some(true),
        Reaching::Unreachable(_) => (answer.covered == Covered::All).then_some(false),
        Reaching::Unknown(reason) => {
            let words = reason.to_string();
            assert!(!words.starts_with("internal error"), "{words}");
            None
        }
    };
    Some(answers.iter().map(verdict).collect())
}
