//! Which variables a transition has, and which values they can have.
//!
//! A variable that is all of an expression on an arc has the values of that component. Input and
//! test arcs count first: their tokens are there, and where there are several, the variable has a
//! value of them all. Output arcs count for variables that stand nowhere else, which then have any
//! value.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{Net, OpenArc, component};
use crate::ast::items::TransitionItem;
use crate::ast::{ArcKind, Expr, ExprKind, Name, TransitionVariable};
use crate::check::{Checker, truth_value};
use crate::report::{Messages as _, error};
use crate::types::Values;
use ser_base::{Diagnostic, Span};

/// The variables of one transition.
pub(super) struct Variables<'i> {
    known: BTreeMap<&'i str, (Values, Span)>,
    order: Vec<&'i Name>,
}

impl Variables<'_> {
    pub(super) fn get(&self, name: &str) -> Option<Values> {
        self.known.get(name).map(|(values, _)| *values)
    }

    pub(super) fn in_order(&self) -> Vec<TransitionVariable> {
        let public = |name: &&Name| {
            let (values, span) = self.known.get(name.text.as_str())?;
            Some(TransitionVariable { name: (*name).clone(), values: component(values, *span) })
        };
        self.order.iter().filter_map(public).collect()
    }
}

/// Finds the variables of a transition, each with its values; nothing if some have none. Quiet
/// about missing values if the transition is not `fine`, because those may be in the part that is
/// not.
pub(super) fn find<'i>(
    net: &Net<'i>,
    item: &'i TransitionItem,
    arcs: &[OpenArc<'i>],
    guards: &[&'i Expr],
    declared: &[(&'i Name, Option<Values>, Span)],
    fine: bool,
    checker: &mut Checker<'i, '_>,
) -> Option<Variables<'i>> {
    let mut order: Vec<&'i Name> = Vec::new();
    let mut seen: BTreeSet<&'i str> = BTreeSet::new();
    {
        let mut each = |name: &'i Name| {
            if !checker.constants.contains(&name.text) && seen.insert(&name.text) {
                order.push(name);
            }
        };
        arcs.iter().flat_map(|arc| arc.exprs).for_each(|expr| names(expr, &mut each));
        guards.iter().for_each(|guard| names(guard, &mut each));
        declared.iter().for_each(|(name, ..)| each(name));
    }
    let mut known: BTreeMap<&'i str, (Values, Span)> = BTreeMap::new();
    let mut ok = fine;
    for (name, values, span) in declared {
        if known.contains_key(name.text.as_str()) {
            let message = format!("the variable `{}` is declared twice", name.text);
            error("duplicate-variable", message, name.span, "again here").report(checker.sink);
            ok = false;
        } else {
            ok &= !checker.shadows_constant(name, "variable-shadows-constant", "a variable");
        }
        match values {
            Some(values) => {
                known.entry(&name.text).or_insert((*values, *span));
            }
            None => ok = false,
        }
    }
    for first in [true, false] {
        let before: BTreeSet<&str> = known.keys().copied().collect();
        for arc in arcs.iter().filter(|arc| (arc.kind != ArcKind::Out) == first) {
            for (expr, (values, span)) in arc.exprs.iter().zip(&arc.components) {
                let ExprKind::Read(name) = &expr.kind else { continue };
                if name.is_global()
                    || checker.constants.contains(&name.text)
                    || !first && before.contains(name.text.as_str())
                {
                    continue;
                }
                ok &= narrow(net, name, (*values, *span), expr.span, &mut known, checker);
            }
        }
    }
    let all_typed = ok;
    for name in &order {
        if known.contains_key(name.text.as_str()) {
            continue;
        }
        if all_typed {
            checker.sink.push(untyped(name, item, &known, checker));
        }
        ok = false;
    }
    ok.then_some(Variables { known, order })
}

/// A variable has these values, too. Says no if it then has none.
fn narrow<'i>(
    net: &Net<'i>,
    name: &'i Name,
    (values, span): (Values, Span),
    place: Span,
    known: &mut BTreeMap<&'i str, (Values, Span)>,
    checker: &mut Checker<'_, '_>,
) -> bool {
    let Some((before, earlier)) = known.get(name.text.as_str()).copied() else {
        known.insert(&name.text, (values, span));
        return true;
    };
    let text = &name.text;
    if let (Some(first), Some(second)) = (before.enumeration, values.enumeration)
        && first != second
    {
        let (first, second) = (net.enumerations.name(first), net.enumerations.name(second));
        let message = format!("`{text}` cannot be both a `{first}` and a `{second}`");
        error("wrong-enum", message, place, format!("a `{second}` here"))
            .with_secondary(earlier, format!("a `{first}` here"))
            .report(checker.sink);
        return false;
    }
    let (low, high) = (before.low.max(values.low), before.high.min(values.high));
    if low > high {
        let message = format!("`{text}` has no value that fits everywhere");
        Diagnostic::error("ranges-never-meet", message, place)
            .with_label(format!("from {} to {} here", values.low, values.high))
            .with_secondary(earlier, format!("from {} to {} here", before.low, before.high))
            .report(checker.sink);
        return false;
    }
    let narrowed = Values {
        low,
        high,
        wraps: before.wraps && values.wraps,
        enumeration: before.enumeration.or(values.enumeration),
    };
    known.insert(&name.text, (narrowed, earlier));
    true
}

/// The message about a variable whose values nobody knows.
fn untyped(
    name: &Name,
    item: &TransitionItem,
    known: &BTreeMap<&str, (Values, Span)>,
    checker: &Checker<'_, '_>,
) -> Diagnostic {
    let Name { text, span } = name;
    let candidates = known.keys().copied().chain(checker.constants.0.keys().map(String::as_str));
    if name.is_global() {
        let diagnostic = name.missing("undefined-name", "constant", "not defined");
        return match checker.sink.closest(text, candidates) {
            Some(known) => diagnostic.meant(known),
            None => diagnostic.with_help("variables of transitions start with a lowercase letter"),
        };
    }
    if let Some(truth) = truth_value(name) {
        return truth;
    }
    let message = format!("nobody knows which values `{text}` can have");
    let diagnostic = error("untyped-variable", message, *span, "stands alone on no arc");
    let help = format!("`{}`: `var {text} : 0..5`", item.name.text);
    let diagnostic = match checker.sink.closest(text, candidates) {
        Some(known) => diagnostic.meant(known),
        None => diagnostic,
    };
    diagnostic.with_help(format!("say so in {help}"))
}

/// Hands over the names in an expression.
fn names<'i>(expr: &'i Expr, each: &mut dyn FnMut(&'i Name)) {
    if let ExprKind::Read(name) = &expr.kind {
        each(name);
    }
    expr.for_each_child(&mut |child| names(child, each));
}
