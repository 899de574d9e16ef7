//! Programs: parser, static checks, layout, and the semantics of small ones.

use super::text;
use super::texts::{check_layout, check_messages};
use ser_base::{Limits, Stop};
use ser_editing::{format, parse};
use ser_model::{ExploreError, ProgramModel, program_rules};
use ser_syntax::Parse;
use std::time::Duration;

/// The longest program whose states are explored, in bytes.
const MAX_EXPLORED: usize = 1000;

/// How long one exploration may take: hardly longer than the rest, or little else would be tried.
const MAX_TIME: Duration = Duration::from_millis(5);

/// Reads a program.
///
/// - All spans of messages and edits lie inside the text, on character boundaries.
/// - A program without errors has a layout, which is laid out already, has no errors, and means the
///   same.
/// - Few states or few rules are explored within their limits.
pub fn program(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = parse(text);
    check_messages(text, &parsed.diagnostics);
    let Some(formatted) = check_layout(text, parsed.has_errors(), format) else { return };
    let again = parse(&formatted);
    assert!(!again.has_errors(), "the layout has errors: {:?}", again.diagnostics);
    if text.len() <= MAX_EXPLORED
        && let Some(before) = meaning(&parsed, text)
        && let Some(after) = meaning(&again, &formatted)
    {
        assert_eq!(before, after, "the layout means something else");
    }
}

/// What a program without errors does, in numbers, apart from lines and columns; nothing if the
/// clock had a say in it.
fn meaning(parsed: &Parse, text: &str) -> Option<(String, String)> {
    let small = Limits { max_states: 300, ..Limits::default() };
    let limits = small.clone().with_timeout(MAX_TIME);
    let timed_out = |error: &ExploreError| {
        matches!(error, ExploreError::TooManyStates { stop: Stop::Time { .. }, .. })
    };
    let whole = match ProgramModel::new(&parsed.program, text, &limits) {
        Ok(model) => {
            let system = model.system();
            format!(
                "{} global and {} local states, {} steps, {:?} {:?}, {} warnings",
                system.globals().len(),
                system.local_count(),
                system.steps().len(),
                system.requests(),
                system.responses(),
                model.warnings().len(),
            )
        }
        Err(error) if timed_out(&error) => return None,
        Err(_) => "not explored".to_owned(),
    };
    let limits = small.with_timeout(MAX_TIME);
    let rules = match program_rules(&parsed.program, text, &limits) {
        Ok(rules) => format!("{} rules", rules.rules().len()),
        Err(error) if timed_out(&error) => return None,
        Err(_) => "no rules".to_owned(),
    };
    Some((whole, rules))
}
