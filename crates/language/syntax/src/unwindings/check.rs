//! What an unwinding must satisfy beyond the grammar: names, numbers of components, values.

use std::collections::{BTreeMap, BTreeSet};

use super::{structure, variables};
use crate::ast::items::{Items, TransitionItem, TransitionPartKind};
use crate::ast::{Arc, ArcKind, Component, Expr, ExprKind, Name, Place, Transition, Unwinding};
use crate::check::{Checker, defined_twice};
use crate::report::{Messages as _, count_of, error};
use crate::types::{Enumerations, Values};
use crate::{goal, intervals, make};
use ser_base::{Diagnostic, Sink, Span};

/// Checks the items and resolves their names; empty if there are errors.
pub(super) fn check(items: &Items, sink: &mut Sink) -> Unwinding {
    let enumerations = Enumerations::of(items, sink);
    let mut checker = Checker::new(&items.constants, sink);
    let mut unwinding = Unwinding::default();
    let net = Net::of(items, enumerations, &mut checker, &mut unwinding);
    for transition in &items.transitions {
        if let Some(transition) = net.transition(transition, &mut checker) {
            unwinding.transitions.push(transition);
        }
    }
    net.targets(items, &mut checker, &mut unwinding);
    if checker.sink.has_errors() {
        return Unwinding::default();
    }
    structure::check(&unwinding, &items.targets, checker.sink);
    if checker.sink.has_errors() { Unwinding::default() } else { unwinding }
}

/// The places and transitions of a file by name.
pub(super) struct Net<'i> {
    pub(super) enumerations: Enumerations<'i>,
    /// Where each name leads, with what its components are; nothing if that has an error.
    places: BTreeMap<&'i str, (usize, Option<Components>)>,
    transitions: BTreeMap<&'i str, usize>,
}

/// What the tokens of a place carry, each with the place of its type.
type Components = Vec<(Values, Span)>;

/// An arc before its names are resolved.
pub(super) struct OpenArc<'i> {
    pub(super) kind: ArcKind,
    pub(super) place: usize,
    pub(super) name: &'i Name,
    pub(super) exprs: &'i [Expr],
    pub(super) components: Components,
    pub(super) span: Span,
}

impl<'i> Net<'i> {
    fn of(
        items: &'i Items,
        enumerations: Enumerations<'i>,
        checker: &mut Checker<'i, '_>,
        unwinding: &mut Unwinding,
    ) -> Net<'i> {
        let names = items.places.iter().map(|p| &p.name);
        defined_twice(names, checker.sink, "duplicate-place", "place");
        let names = items.transitions.iter().map(|t| &t.name);
        defined_twice(names, checker.sink, "duplicate-transition", "transition");
        let mut net = Net { enumerations, places: BTreeMap::new(), transitions: BTreeMap::new() };
        for (index, item) in items.places.iter().enumerate() {
            let mut components = Some(Vec::new());
            for values in &item.components {
                match net.enumerations.resolve(values, checker) {
                    Some(resolved) => {
                        if let Some(known) = &mut components {
                            known.push((resolved, values.span));
                        }
                    }
                    None => components = None,
                }
            }
            let public = components.iter().flatten().map(|(v, span)| component(v, *span));
            unwinding.places.push(Place {
                name: item.name.clone(),
                components: public.collect(),
                span: item.span,
            });
            net.places.entry(&item.name.text).or_insert((index, components));
        }
        for (index, item) in items.transitions.iter().enumerate() {
            net.transitions.entry(&item.name.text).or_insert(index);
        }
        net
    }

    fn targets(&self, items: &Items, checker: &mut Checker<'_, '_>, unwinding: &mut Unwinding) {
        let mut seen = BTreeSet::new();
        for name in &items.targets {
            match self.transitions.get(name.text.as_str()) {
                Some(index) if !seen.insert(*index) => {}
                Some(index) => unwinding.targets.push(*index),
                None => {
                    let known = self.transitions.keys().copied();
                    undefined(name, "transition", known, checker).report(checker);
                }
            }
        }
    }

    /// A transition with everything resolved; nothing if it has errors.
    fn transition(
        &self,
        item: &'i TransitionItem,
        checker: &mut Checker<'i, '_>,
    ) -> Option<Transition> {
        let mut arcs: Vec<OpenArc<'i>> = Vec::new();
        let mut guards: Vec<&'i Expr> = Vec::new();
        let mut declared: Vec<(&'i Name, Option<Values>, Span)> = Vec::new();
        let mut fine = true;
        for part in &item.parts {
            match &part.kind {
                TransitionPartKind::Arc(kind, place, exprs) => {
                    match self.arc(*kind, place, exprs, part.span, checker) {
                        Some(arc) => arcs.push(arc),
                        None => fine = false,
                    }
                }
                TransitionPartKind::When(guard) => guards.push(guard),
                TransitionPartKind::Var(name, values) => {
                    let resolved = self.enumerations.resolve(values, checker);
                    declared.push((name, resolved, values.span));
                }
                TransitionPartKind::Error => fine = false,
            }
        }
        let variables = variables::find(self, item, &arcs, &guards, &declared, fine, checker)?;
        let values = |name: &str| variables.get(name);
        let arcs = arcs.iter().map(|arc| self.resolve(arc, &values, checker)).collect::<Vec<_>>();
        let guards =
            guards.iter().map(|guard| self.expr(guard, &values, checker)).collect::<Vec<_>>();
        Some(Transition {
            name: item.name.clone(),
            variables: variables.in_order(),
            arcs: arcs.into_iter().collect::<Option<_>>()?,
            guards: guards.into_iter().map(|guard| Some(plain(&guard?))).collect::<Option<_>>()?,
            span: item.span,
        })
    }

    /// An arc to a place that exists, with as many expressions as the place has components.
    fn arc(
        &self,
        kind: ArcKind,
        place: &'i Name,
        exprs: &'i [Expr],
        span: Span,
        checker: &mut Checker<'_, '_>,
    ) -> Option<OpenArc<'i>> {
        let Some((index, components)) = self.places.get(place.text.as_str()) else {
            return undefined(place, "place", self.places.keys().copied(), checker).none(checker);
        };
        let components = components.as_ref()?;
        if components.len() != exprs.len() {
            let name = &place.text;
            let carries = count_of(components.len(), "value");
            let message = format!("tokens on `{name}` carry {carries}");
            let label = format!("{} given", count_of(exprs.len(), "value"));
            let mut diagnostic = error("wrong-components", message, span, label);
            if components.is_empty() {
                let all = Span::new(place.span.end, span.end);
                diagnostic = diagnostic.with_fix("leave the parentheses out", all, "");
            } else {
                let names = ["x", "y", "z"].into_iter().cycle().take(components.len());
                let names: Vec<&str> = names.collect();
                diagnostic =
                    diagnostic.with_help(format!("it is written `{name}({})`", names.join(", ")));
            }
            checker.sink.push(diagnostic);
            return None;
        }
        let components = components.clone();
        Some(OpenArc { kind, place: *index, name: place, exprs, components, span })
    }

    fn resolve(
        &self,
        arc: &OpenArc<'_>,
        values: &dyn Fn(&str) -> Option<Values>,
        checker: &mut Checker<'_, '_>,
    ) -> Option<Arc> {
        let mut exprs = Some(Vec::new());
        for (expr, (component, span)) in arc.exprs.iter().zip(&arc.components) {
            let resolved = self.expr(expr, values, checker);
            if let Some(resolved) = &resolved {
                self.fits(arc, resolved, expr, component, *span, values, checker);
            }
            exprs = exprs.zip(resolved).map(|(mut exprs, expr)| {
                exprs.push(plain(&expr));
                exprs
            });
        }
        Some(Arc { kind: arc.kind, place: arc.place, exprs: exprs?, span: arc.span })
    }

    /// Reports an expression that can never be a value of its component.
    #[allow(clippy::too_many_arguments, reason = "an arc, its expression and its component")]
    fn fits(
        &self,
        arc: &OpenArc<'_>,
        resolved: &Expr,
        expr: &Expr,
        component: &Values,
        span: Span,
        values: &dyn Fn(&str) -> Option<Values>,
        checker: &mut Checker<'_, '_>,
    ) {
        let place = &arc.name.text;
        if let (Some(wanted), Some(found)) = (component.enumeration, self.kind_of(expr, values))
            && wanted != found
        {
            let (wanted, found) = (self.enumerations.name(wanted), self.enumerations.name(found));
            let message = format!("tokens on `{place}` carry a `{wanted}`, not a `{found}`");
            error("wrong-enum", message, expr.span, format!("this is a `{found}`"))
                .with_secondary(span, format!("expected a `{wanted}`"))
                .report(checker.sink);
            return;
        }
        let known = intervals::interval(resolved, &|name| {
            values(&name.text).map(|values| values.interval())
        });
        let wraps = component.wraps && arc.kind == ArcKind::Out;
        let known = known.filter(|_| !wraps);
        let outside = known.and_then(|known| intervals::outside(known, component.interval()));
        let Some((one, label)) = outside else { return };
        let what = one.map_or("such a value".to_owned(), |one| one.to_string());
        let message = format!("tokens on `{place}` never carry {what}");
        error("value-out-of-range", message, expr.span, label)
            .with_secondary(span, "its values")
            .report(checker.sink);
    }

    /// An expression over variables, with constants replaced by their values.
    fn expr(
        &self,
        expr: &Expr,
        values: &dyn Fn(&str) -> Option<Values>,
        checker: &mut Checker<'_, '_>,
    ) -> Option<Expr> {
        let kind_of = |expr: &Expr| self.kind_of(expr, values);
        self.enumerations.all_compared(expr, &kind_of, checker);
        let constants = &checker.constants;
        let mut report = Vec::new();
        let resolved = goal::condition(expr, &mut report, &mut |name, _| {
            // Unknown names were reported when the variables were looked for.
            match constants.0.get(name.text.as_str()) {
                Some(value) => value.map(|value| make::number(value, name.span)),
                None => values(&name.text).map(|_| make::read(&name.text, name.span)),
            }
        });
        report.into_iter().for_each(|diagnostic| checker.sink.push(diagnostic));
        resolved
    }

    /// The enumeration that an expression belongs to, if that is obvious.
    fn kind_of(&self, expr: &Expr, values: &dyn Fn(&str) -> Option<Values>) -> Option<usize> {
        match &expr.kind {
            ExprKind::Read(name) => match self.enumerations.of_member(&name.text) {
                Some(index) => Some(index),
                None => values(&name.text)?.enumeration,
            },
            ExprKind::Group(block) => match block.exprs.as_slice() {
                [inside] => self.kind_of(inside, values),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The public form of a component.
pub(super) fn component(values: &Values, span: Span) -> Component {
    Component { low: values.low, high: values.high, wraps: values.wraps, span }
}

/// The message about a name that stands for nothing.
pub(crate) fn undefined<'a>(
    name: &Name,
    what: &str,
    known: impl Iterator<Item = &'a str>,
    checker: &Checker<'_, '_>,
) -> Diagnostic {
    let diagnostic = name.missing("undefined-name", what, "not defined");
    match checker.sink.closest(&name.text, known) {
        Some(known) => diagnostic.meant(known),
        None => diagnostic,
    }
}

/// The core of an expression whose constants have been replaced.
fn plain(expr: &Expr) -> crate::core::Expr {
    crate::elaborate::plain_expr(expr, &BTreeMap::new())
}
