//! Threads with invariants: reader, layout, formulas that are shown, and what a checker makes of them.

use super::text;
use super::texts::{check_layout, check_messages, check_places, without_places};
use ser_base::Limits;
use ser_editing::Names as _;
use ser_editing::inv::{format, parse, show_with};
use ser_invariance_checker::{Certificate, Claim, How, Node, check};
use ser_syntax::inv::InvParse;
use std::time::Duration;

/// The longest text whose meaning is compared, in bytes.
const MAX_COMPARED: usize = 3000;

/// The longest formula that is shown and read again, in bytes.
const MAX_SHOWN: usize = 5000;

/// What may be said of a formula that is written out: parentheses count as levels, though they are none in the tree, and
/// locations without a name are shown as numbers.
const UNWRITABLE: [&str; 3] = ["nested-too-deeply", "expanded-too-large", "number-as-place"];

/// How long the checker may take.
const MAX_TIME: Duration = Duration::from_millis(5);

/// Reads an `.inv` file.
///
/// - All places of messages, names and locations lie inside the text, on character boundaries.
/// - A text without errors has a layout with the same words, which is laid out already and means the same.
/// - A formula that is shown reads as the same formula.
/// - The checker of proofs looks at any system within its limits, and does not believe that everything is
///   proved by nothing where a formula is plainly false.
pub fn invariants(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = parse(text);
    check_messages(text, &parsed.diagnostics);
    check_places(text, parsed.occurrences.iter().map(|it| it.span));
    check_places(text, parsed.system.locations.iter().map(|it| it.span));
    for occurrence in &parsed.occurrences {
        let _ = parsed.declaration(occurrence.symbol);
    }
    let Some(formatted) = check_layout(text, parsed.has_errors(), format) else { return };
    if text.len() > MAX_COMPARED {
        return;
    }
    let again = parse(&formatted);
    assert!(!again.has_errors(), "the layout has errors: {:?}", again.diagnostics);
    let (before, after) = (without_places(&parsed.system), without_places(&again.system));
    assert_eq!(before, after, "the layout means something else");
    check_shown(text, &parsed);
    check_unproved(text, &parsed);
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
            let shown = show_with(system, &conjunct.formula, &invariant.parameters);
            if shown.len() > MAX_SHOWN {
                continue;
            }
            let parameters: Vec<&str> =
                invariant.parameters.iter().map(|it| it.text.as_str()).collect();
            let longer = format!("{text}\ninvariant {name}({}) = {shown};", parameters.join(", "));
            let again = parse(&longer);
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
    let node = |name: &str| Node {
        invariant: name.to_owned(),
        how: How::Induction { initiation: Vec::new(), consecution: Vec::new() },
    };
    let nodes = parsed.system.invariants.iter().map(|it| node(&it.name.text)).collect();
    let claim = Claim::Proved { terms: Vec::new(), nodes, safety: Some(Vec::new()) };
    let certificate = Certificate::new(text, claim);
    let limits = Limits { max_bytes: 256 << 20, ..Limits::default() }.with_timeout(MAX_TIME);
    match check(&certificate, &limits) {
        Ok(_) => {
            let plainly_false = |it: &ser_syntax::inv::ast::Conjunct| {
                it.formula.kind == ser_syntax::inv::ast::ExprKind::Bool(false)
            };
            let wrong = parsed.system.invariants.iter().flat_map(|it| &it.conjuncts);
            // Where no state fits, nobody starts, and everything holds: the minimum of the empty set is no value.
            let starts = parsed.system.assumptions.is_empty()
                && !["min", "max"].iter().any(|word| text.contains(word));
            assert!(!starts || !wrong.into_iter().any(plainly_false), "false is proved: {text}");
        }
        Err(rejection) => {
            assert!(!rejection.to_string().is_empty(), "a rejection without words");
        }
    }
}
