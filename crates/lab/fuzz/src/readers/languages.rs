//! Programs, protocols and threads with invariants: readers, layout, and what is made of them.
//!
//! - All places of messages and names lie inside the text, on character boundaries.
//! - A text without errors has a layout with the same words, which is laid out already, has no
//!   errors and means the same.

use super::certificates::accepted;
use super::text;
use super::texts::{check_messages, check_places, check_relaid, without_places};
use ser_base::{Diagnostic, Limits, Stop};
use ser_editing::{Names, icet, inv};
use ser_invariance_checker as invariance;
use ser_model::{ExploreError, ProgramModel, program_rules};
use ser_sequentialization_checker as sequentialization;
use ser_syntax::Parse;
use ser_syntax::ast::World;
use ser_syntax::inv::InvParse;
use std::fmt::Debug;
use std::time::Duration;

/// The longest program whose states are explored, in bytes.
const MAX_EXPLORED: usize = 1000;

/// The longest text whose meaning is compared, in bytes.
const MAX_COMPARED: usize = 3000;

/// The longest formula that is shown and read again, in bytes.
const MAX_SHOWN: usize = 5000;

/// What may be said of a formula that is written out: parentheses count as levels, though they are
/// none in the tree, and locations without a name are shown as numbers.
const UNWRITABLE: [&str; 3] = ["nested-too-deeply", "expanded-too-large", "number-as-place"];

/// How long one exploration or check may take: hardly longer than the rest, or little else would be
/// tried.
const MAX_TIME: Duration = Duration::from_millis(5);

/// Reads a program. Few states or few rules are explored within their limits.
pub fn program(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = ser_editing::parse(text);
    check_messages(text, &parsed.diagnostics);
    if ser_syntax::world(text) != World::Requests {
        return;
    }
    check_relaid(text, parsed.has_errors(), ser_editing::format, |formatted| {
        let again = ser_editing::parse(formatted);
        check_no_errors(&again.diagnostics);
        if text.len() > MAX_EXPLORED {
            return None;
        }
        Some((meaning(&parsed, text)?, meaning(&again, formatted)?))
    });
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
                model.warnings(text).len(),
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

fn check_no_errors(diagnostics: &[Diagnostic]) {
    assert!(
        !diagnostics.iter().any(Diagnostic::is_error),
        "the layout has errors: {diagnostics:?}"
    );
}

/// Names stand inside the text, and have declarations.
fn check_names(text: &str, parsed: &impl Names) {
    check_places(text, parsed.occurrences().iter().map(|it| it.span));
    for occurrence in parsed.occurrences() {
        let _ = parsed.declaration(occurrence.symbol);
    }
}

/// What a text and its layout say, unless it is too long to be compared.
fn trees<T: Debug>(text: &str, before: &T, after: &T) -> Option<(String, String)> {
    (text.len() <= MAX_COMPARED).then(|| (without_places(before), without_places(after)))
}

/// Reads a file with messages. The checker says something about a derivation without steps.
pub fn protocol(data: &[u8]) {
    use sequentialization::{Certificate, Claim, check};
    let Some(text) = text(data) else { return };
    let parsed = icet::parse(text);
    check_messages(text, &parsed.diagnostics);
    check_names(text, &parsed);
    if ser_syntax::world(text) != World::Messages {
        return;
    }
    let relaid = check_relaid(text, parsed.has_errors(), ser_editing::format, |formatted| {
        let again = icet::parse(formatted);
        check_no_errors(&again.diagnostics);
        trees(text, &parsed.protocol, &again.protocol)
    });
    if relaid {
        let claim = Claim::Sequentialized { derivation: Vec::new(), unproved: Vec::new() };
        let certificate = Certificate { source: text.to_owned(), claim };
        accepted(check(&certificate, &Limits::default()));
    }
}

/// Reads a model of threads.
///
/// - A formula that is shown reads as the same formula.
/// - The checker of proofs looks at any system within its limits, and does not believe that
///   everything is proved by nothing where a formula is plainly false.
pub fn invariants(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = inv::parse(text);
    check_messages(text, &parsed.diagnostics);
    check_names(text, &parsed);
    check_places(text, parsed.system.locations.iter().map(|it| it.span));
    if ser_syntax::world(text) != World::Threads {
        return;
    }
    let relaid = check_relaid(text, parsed.has_errors(), ser_editing::format, |formatted| {
        let again = inv::parse(formatted);
        check_no_errors(&again.diagnostics);
        trees(text, &parsed.system, &again.system)
    });
    if relaid {
        check_shown(text, &parsed);
        check_unproved(text, &parsed);
    }
}

/// Every formula that is shown, read as another invariant of the same file.
fn check_shown(text: &str, parsed: &InvParse) {
    let system = &parsed.system;
    let mut name = "shown".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    for invariant in &system.invariants {
        for conjunct in &invariant.conjuncts {
            let shown = inv::show_with(system, &conjunct.formula, &invariant.parameters);
            if shown.len() > MAX_SHOWN {
                continue;
            }
            let parameters: Vec<&str> =
                invariant.parameters.iter().map(|it| it.text.as_str()).collect();
            let longer = format!("{text}\ninvariant {name}({}): {shown}", parameters.join(", "));
            let again = inv::parse(&longer);
            if again.diagnostics.iter().any(|it| UNWRITABLE.contains(&it.code)) {
                continue;
            }
            assert!(!again.has_errors(), "{shown}: {:?}", again.diagnostics);
            let last = again.system.invariants.last().and_then(|it| it.conjuncts.first());
            let formula = last.map(|it| without_places(&it.formula));
            assert_eq!(formula, Some(without_places(&conjunct.formula)), "{shown}");
        }
    }
}

/// Claims that all of it is proved by nothing.
fn check_unproved(text: &str, parsed: &InvParse) {
    use invariance::{Certificate, Claim, How, Node, check};
    let node = |name: &str| Node {
        invariant: name.to_owned(),
        how: How::Induction { initiation: Vec::new(), consecution: Vec::new() },
    };
    let nodes = parsed.system.invariants.iter().map(|it| node(&it.name.text)).collect();
    let certificate = Certificate {
        completed: None,
        source: text.to_owned(),
        claim: Claim::Proved { terms: Vec::new(), nodes, safety: Some(Vec::new()) },
    };
    let limits = Limits { max_bytes: 256 << 20, ..Limits::default() }.with_timeout(MAX_TIME);
    if accepted(check(&certificate, &limits)).is_some() {
        let plainly_false = |it: &ser_syntax::inv::ast::Conjunct| {
            it.formula.kind == ser_syntax::inv::ast::ExprKind::Bool(false)
        };
        let mut wrong = parsed.system.invariants.iter().flat_map(|it| &it.conjuncts);
        // Where no state fits, nobody starts, and everything holds: the minimum of the empty set
        // is no value.
        let starts = parsed.system.assumptions.is_empty()
            && !["min", "max"].iter().any(|word| text.contains(word));
        assert!(!starts || !wrong.any(plainly_false), "false is proved: {text}");
    }
}
