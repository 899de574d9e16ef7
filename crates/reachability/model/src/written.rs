//! Nets from unwindings that a person has written.

use crate::ids::{PlaceId, TransitionId};
use crate::net::{ArcKind, Net, NewTransition};
use crate::term::{Interval, Term, Terms};
use crate::unwind::{Part, UnwindError, condition};
use ser_syntax::ast::{self, BinaryOp};
use std::collections::BTreeMap;

impl Net {
    /// The net of an unwinding that has no errors, and its targets.
    ///
    /// ```
    /// use ser_reachability_model::Net;
    /// let text = "place p : 0..9  transition a { out p(1) }  transition b { in p(x); when x > 1 }  target b";
    /// let (net, targets) = Net::written(&ser_syntax::parse_unwinding(text).unwinding).unwrap();
    /// assert_eq!((net.places.len(), net.transitions.len(), targets.len()), (1, 2, 1));
    /// assert!(net.places[0].is_safe);
    /// ```
    pub fn written(unwinding: &ast::Unwinding) -> Result<(Net, Vec<TransitionId>), UnwindError> {
        let mut net = Net::default();
        for (index, place) in unwinding.places.iter().enumerate() {
            let colours = place.components.iter().map(|c| Interval::new(c.low, c.high)).collect();
            net.add_place(place.name.text.clone(), colours, is_safe(unwinding, index));
        }
        for transition in &unwinding.transitions {
            add(&mut net, unwinding, transition)?;
        }
        let targets = unwinding.targets.iter().map(|t| TransitionId::from_index(*t)).collect();
        Ok((net, targets))
    }
}

/// Whether a place never holds two tokens. Each transition occurs once, so there are never more
/// tokens than the transitions together put more than they take.
fn is_safe(unwinding: &ast::Unwinding, place: usize) -> bool {
    let surplus = |transition: &ast::Transition| {
        let count =
            |kind| transition.arcs.iter().filter(|a| a.place == place && a.kind == kind).count();
        count(ast::ArcKind::Out).saturating_sub(count(ast::ArcKind::In))
    };
    unwinding.transitions.iter().map(surplus).sum::<usize>() <= 1
}

fn add(
    net: &mut Net,
    unwinding: &ast::Unwinding,
    transition: &ast::Transition,
) -> Result<(), UnwindError> {
    let mut variables: BTreeMap<&str, Term> = BTreeMap::new();
    for variable in &transition.variables {
        let interval = Interval::new(variable.values.low, variable.values.high);
        let term = net.add_variable(variable.name.text.clone(), interval);
        variables.insert(&variable.name.text, term);
    }
    let term = |expr, net: &mut Net| {
        condition(expr, &mut |part| match part {
            Part::Name(name) => variables.get(name).copied(),
            Part::Term(make) => Some(make(&mut net.terms)),
        })
    };
    let mut guard = net.terms.number(1);
    for expr in &transition.guards {
        let holds = term(expr, net)?;
        guard = net.terms.and(guard, holds);
    }
    let mut arcs = Vec::new();
    for arc in &transition.arcs {
        let kind = match arc.kind {
            ast::ArcKind::In => ArcKind::Input,
            ast::ArcKind::Test => ArcKind::Test,
            ast::ArcKind::Out => ArcKind::Output,
        };
        let mut values = Vec::new();
        let components = unwinding.places.get(arc.place).map_or(&[][..], |p| &p.components);
        for (expr, component) in arc.exprs.iter().zip(components) {
            let value = term(expr, net)?;
            values.push(match component.wraps && kind == ArcKind::Output {
                true => wrapped(value, component.high, &mut net.terms),
                false => value,
            });
        }
        arcs.push((kind, PlaceId::from_index(arc.place), values));
    }
    if net.terms.too_large() {
        return Err(UnwindError::TooLarge { span: transition.span });
    }
    net.add_transition(NewTransition { name: transition.name.text.clone(), guard, arcs });
    Ok(())
}

/// A number modulo `high + 1`, a power of two: made positive by a multiple of it, then halving
/// multiples are subtracted where they fit.
fn wrapped(term: Term, high: i64, terms: &mut Terms) -> Term {
    let size = high.saturating_add(1);
    let low = terms.interval(term).low;
    let mut term = term;
    if low < 0 {
        let shift = terms.number(low.div_euclid(size).saturating_neg().saturating_mul(size));
        term = terms.binary(BinaryOp::Add, term, shift);
    }
    let mut multiple = size;
    while multiple <= terms.interval(term).high / 2 {
        multiple = multiple.saturating_mul(2);
    }
    while multiple >= size {
        let number = terms.number(multiple);
        let fits = terms.binary(BinaryOp::GreaterEqual, term, number);
        let less = terms.binary(BinaryOp::Subtract, term, number);
        term = terms.choice(fits, less, term);
        multiple /= 2;
    }
    term
}
