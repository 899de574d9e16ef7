//! Arithmetic: every way in which transitions can be counted up to a complete run gives a serial
//! outcome.
//!
//! *Theorem.* If [`check`] accepts, the network system is serializable. *Proof.* Normal form and
//! reductions keep the outcomes (see `net` and `reduce`), so take a complete run of the reduced
//! net. It ends in the initial global state or in one that a transition leads to, nobody in
//! flight, so there is a case for it, or one for all runs. Let t(i) be how often transition i
//! fires: integers that are not negative, and the hypotheses at the root of the case hold of them
//! (see `counts`). If the hypotheses at a node hold of the run, with some integers for the
//! variables, then so they do at one of its children, which have one more:
//! - *split*: an integer form is at most a number, or at least one more;
//! - *sign*: an integer form is at most -1, or 0, or at least 1;
//! - *mod*: an integer form is q y + r for an integer y, the new variable, and one r of
//!   0, ..., q - 1;
//! - *cut*: see `cut`;
//! - *last*: a transition never fires, or it fires for a last time (see `counts`).
//!
//! So they hold at a leaf. A leaf that is impossible cannot be it (see `leaf`); it is a *member*
//! leaf, and the outcome is in a component, whose outcomes are all serial (see `component`). ∎

mod component;
mod counts;
mod cut;
mod leaf;
mod linear;
mod numbered;
mod rational;
mod scope;

#[cfg(test)]
mod random_tests;

use crate::format::{Arithmetic, CutPlace, End, Node, Part, Terms};
use crate::meter::Meter;
use crate::names::Names;
use crate::reduce::reduced_net;
use crate::reject::At;
use crate::serial::SerialAutomaton;
use crate::{Accepted, Argument, Reason, Rejection};
use component::components;
use counts::{Counts, Phase, divide, state_equation};
use leaf::Outcomes;
use linear::Linear;
use numbered::Numbered;
use rational::Rational;
use rustc_hash::FxHashMap;
use scope::{Relation, Scope};
use ser_model::GlobalId;
use std::collections::BTreeSet;

/// The depth of the deepest tree that is checked. A `mod` node counts twice: its children are in
/// a list. Deeper certificates cannot be read either, because JSON this deep is refused.
pub const MAX_TREE_DEPTH: usize = 110;

/// Checks an argument by arithmetic.
pub(crate) fn check(
    arithmetic: &Arithmetic,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    let net = reduced_net(&arithmetic.reductions, names, meter)?;
    let places = net.places().len();
    let net = Numbered::new(&arithmetic.transitions, &net, names, meter)?;
    let automaton = SerialAutomaton::new(names.system(), meter).at(|| "serial automaton".into())?;
    let components = components(&arithmetic.components, &automaton, names, meter)?;
    let (mut open, mut nodes, mut leaves) = (net.finals(), 0, 0);
    let mut seen = BTreeSet::new();
    for (i, case) in arithmetic.cases.iter().enumerate() {
        let at = || format!("cases[{i}]");
        let end = match &case.global {
            Some(global) => {
                let end = names.global(global).at(at)?;
                if !seen.insert(end) {
                    return Err(Reason::Repeated { what: global.clone() }.at(at()));
                }
                if !open.remove(&end) {
                    return Err(Reason::NotFinal { global: global.clone() }.at(at()));
                }
                Some(end)
            }
            None => {
                // Whatever came before or comes after is about the same runs.
                if arithmetic.cases.len() != 1 {
                    let (expected, found) = (1, arithmetic.cases.len());
                    return Err(Reason::Length { expected, found }.at("cases"));
                }
                open.clear();
                None
            }
        };
        let mut scope = Scope::default();
        let empty = scope.mark();
        let counts = Counts::of_run(&net, &mut scope, meter).at(at)?;
        state_equation(&net, &counts, end, &mut scope, meter).at(at)?;
        let mut walk = Walk {
            net: &net,
            names,
            outcomes: Outcomes { net: &net, counts: &counts, components: &components, names },
            end,
            scope,
            phases: FxHashMap::default(),
            path: format!("cases[{i}].tree"),
            nodes: 0,
            leaves: 0,
        };
        walk.node(&case.tree, 1, meter)?;
        walk.scope.forget(empty, meter);
        nodes += walk.nodes;
        leaves += walk.leaves;
    }
    if let Some(missing) = open.first() {
        let what = names.system().global_name(*missing);
        return Err(Reason::Missing { what }.at("cases"));
    }
    Ok(Accepted::Serializable {
        in_real_time: false,
        argument: Argument::Arithmetic { components: components.len(), nodes, leaves },
        transitions: net.transitions.len(),
        places,
        serial_states: automaton.state_count(),
    })
}

/// The way through the tree of one case.
struct Walk<'a> {
    net: &'a Numbered,
    names: &'a Names<'a>,
    outcomes: Outcomes<'a>,
    /// Where the runs of this case end, if that is known.
    end: Option<GlobalId>,
    scope: Scope,
    /// The phases on the way, by name.
    phases: FxHashMap<String, Phase>,
    /// The place of the node in the certificate.
    path: String,
    nodes: usize,
    leaves: usize,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, depth: usize, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        if depth > MAX_TREE_DEPTH {
            return Err(self.here(Reason::TooDeep { limit: MAX_TREE_DEPTH }));
        }
        meter.entry().map_err(|reason| self.here(reason))?;
        self.nodes += 1;
        match node {
            Node::Split { form, at, name, le, gt } => {
                let [low, high] =
                    self.split(form, *at, meter).map_err(|reason| self.here(reason))?;
                let relation = Relation::NonNegative;
                self.child(("le", None), le, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, relation, low, meter)
                })?;
                self.child(("gt", None), gt, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, relation, high, meter)
                })
            }
            Node::Sign { form, name, negative, zero, positive } => {
                let parsed = self.scope.form(form, meter).map_err(|reason| self.here(reason))?;
                // At most -1, and at least 1: the two halves of splits at -1 and at 0.
                let [low, _] = self.split(form, -1, meter).map_err(|reason| self.here(reason))?;
                let [_, high] = self.split(form, 0, meter).map_err(|reason| self.here(reason))?;
                self.child(("negative", None), negative, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::NonNegative, low, meter)
                })?;
                self.child(("zero", None), zero, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::Zero, parsed, meter)
                })?;
                self.child(("positive", None), positive, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::NonNegative, high, meter)
                })
            }
            Node::Modulo { form, q, name, variable, cases } => {
                let form = self.modulo(form, *q, cases.len(), meter);
                let form = form.map_err(|reason| self.here(reason))?;
                for (r, case) in cases.iter().enumerate() {
                    self.child(("cases", Some(r)), case, depth + 2, meter, |walk, meter| {
                        walk.suppose_remainder(&form, *q, r, name, variable, meter)
                    })?;
                }
                Ok(())
            }
            Node::Cut { places, side, phase, part, name, none, some } => {
                let cut = self.cut(places, *side, phase.as_deref(), *part, meter);
                let cut = cut.map_err(|reason| self.here(reason))?;
                self.child(("none", None), none, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::Zero, cut.none, meter)
                })?;
                self.child(("some", None), some, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::NonNegative, cut.some, meter)
                })
            }
            Node::Last { transition, name, never, some } => {
                let (index, count) = (*transition, self.net.transitions.len());
                let Some(fired) = self.outcomes.counts.get(index).cloned() else {
                    let kind = "transition";
                    return Err(self.here(Reason::OutOfRange { kind, index, count }));
                };
                self.child(("never", None), never, depth + 1, meter, |walk, meter| {
                    walk.scope.suppose(name, Relation::Zero, fired, meter)
                })?;
                self.child(("some", None), some, depth + 1, meter, |walk, meter| {
                    walk.enter_phase(index, name, meter)
                })?;
                self.phases.remove(name);
                Ok(())
            }
            Node::Farkas { multipliers } => {
                self.leaves += 1;
                let result = leaf::farkas(multipliers, &self.scope, meter);
                result.at(|| format!("{}.farkas", self.path))
            }
            Node::Lattice { multipliers } => {
                self.leaves += 1;
                let result = leaf::lattice(multipliers, &self.scope, meter);
                result.at(|| format!("{}.lattice", self.path))
            }
            Node::Member { member } => {
                self.leaves += 1;
                let at = format!("{}.member", self.path);
                leaf::member(member, &self.outcomes, &self.scope, meter, &at)
            }
        }
    }

    /// A reason at this node.
    fn here(&self, reason: Reason) -> Rejection {
        reason.at(self.path.clone())
    }

    /// Goes to a child with one more hypothesis, and comes back without it.
    fn child(
        &mut self,
        (field, index): (&str, Option<usize>),
        node: &Node,
        depth: usize,
        meter: &mut Meter<'_>,
        suppose: impl FnOnce(&mut Self, &mut Meter<'_>) -> Result<(), Reason>,
    ) -> Result<(), Rejection> {
        let (mark, length) = (self.scope.mark(), self.path.len());
        suppose(self, meter).map_err(|reason| self.here(reason))?;
        self.path.push('.');
        self.path.push_str(field);
        if let Some(index) = index {
            self.path.push_str(&format!("[{index}]"));
        }
        self.node(node, depth, meter)?;
        self.path.truncate(length);
        self.scope.forget(mark, meter);
        Ok(())
    }

    /// `at - form` and `form - at - 1`: one of them is not negative.
    fn split(&self, form: &Terms, at: i64, meter: &mut Meter<'_>) -> Result<[Linear; 2], Reason> {
        let form = self.scope.form(form, meter)?;
        let (plus, minus) = (Rational::from(1_i64), Rational::from(-1_i64));
        let mut low = Linear::constant(at);
        low.add(&minus, &form, meter)?;
        let mut high = form;
        high.add(&minus, &Linear::constant(at), meter)?;
        high.add(&plus, &Linear::constant(-1), meter)?;
        Ok([low, high])
    }

    /// The form, if there is a case for every remainder.
    fn modulo(
        &self,
        form: &Terms,
        q: u64,
        cases: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Linear, Reason> {
        let expected = usize::try_from(q).unwrap_or(usize::MAX);
        if q == 0 {
            return Err(Reason::NoModulus);
        }
        if cases != expected {
            return Err(Reason::Length { expected, found: cases });
        }
        self.scope.form(form, meter)
    }

    /// `form - q * variable - r = 0`, for a new variable.
    fn suppose_remainder(
        &mut self,
        form: &Linear,
        q: u64,
        r: usize,
        name: &str,
        variable: &str,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let quotient = self.scope.declare(variable, false, meter)?;
        let mut form = form.clone();
        form.add_term(quotient, &Rational::from(q).negated(), meter)?;
        form.add(&Rational::from(r as u64).negated(), &Linear::constant(1), meter)?;
        self.scope.suppose(name, Relation::Zero, form, meter)
    }

    /// The cut of the whole run, or of a part of it.
    fn cut(
        &self,
        places: &[CutPlace],
        side: End,
        phase: Option<&str>,
        part: Option<Part>,
        meter: &mut Meter<'_>,
    ) -> Result<cut::Cut, Reason> {
        let counts = match (phase, part) {
            (None, None) => self.outcomes.counts,
            (Some(name), Some(part)) => {
                let unknown = || Reason::Unknown { kind: "phase", name: name.to_owned() };
                let phase = self.phases.get(name).ok_or_else(unknown)?;
                match (side, part) {
                    (End::Start, Part::First) => &phase.first,
                    (End::End, Part::Second) => &phase.second,
                    _ => return Err(Reason::WrongPart),
                }
            }
            _ => return Err(Reason::WrongPart),
        };
        cut::cut(places, side, self.end, self.net, counts, self.names, meter)
    }

    /// Transition `k` fires: the run has two parts.
    fn enter_phase(&mut self, k: usize, name: &str, meter: &mut Meter<'_>) -> Result<(), Reason> {
        if self.phases.contains_key(name) {
            return Err(Reason::NameTaken { kind: "phase", name: name.to_owned() });
        }
        let counts = self.outcomes.counts;
        let phase = divide(self.net, counts, k, name, &mut self.scope, meter)?;
        self.phases.insert(name.to_owned(), phase);
        Ok(())
    }
}
