//! Programs: parser, static checks, layout, and the semantics of small ones.

use super::text;
use ser_lang::{Diagnostic, LineIndex, Parse, Span, format, parse};
use ser_model::{ExploreError, Limits, ProgramModel, Stop, program_rules};
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
    let lines = LineIndex::new(text);
    for diagnostic in &parsed.diagnostics {
        check_spans(text, &lines, diagnostic);
    }
    let formatted = match format(text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            let too_large = |d: &Diagnostic| d.code == "formatted-too-large";
            assert!(
                parsed.has_errors() || diagnostics.iter().all(too_large),
                "no layout for a program without errors: {diagnostics:?}"
            );
            return;
        }
    };
    assert!(!parsed.has_errors(), "a layout for a program with errors");
    let again = parse(&formatted);
    assert!(!again.has_errors(), "the layout has errors: {:?}", again.diagnostics);
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "the layout is laid out differently");
    if text.len() <= MAX_EXPLORED
        && let Some(before) = meaning(&parsed, text)
        && let Some(after) = meaning(&again, &formatted)
    {
        assert_eq!(before, after, "the layout means something else");
    }
}

fn check_spans(text: &str, lines: &LineIndex, diagnostic: &Diagnostic) {
    let inside = |span: Span| {
        assert!(text.get(span.range()).is_some(), "not inside: {span:?} of {diagnostic:?}");
        let (start, end) = (lines.position(span.start), lines.position(span.end));
        assert!((start.line, start.column) <= (end.line, end.column));
    };
    inside(diagnostic.primary.span);
    diagnostic.secondary.iter().for_each(|label| inside(label.span));
    diagnostic.help.iter().filter_map(|h| h.edit.as_ref()).for_each(|edit| inside(edit.span));
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
