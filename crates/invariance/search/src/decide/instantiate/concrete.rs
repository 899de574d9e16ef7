//! Where the model that a solution describes is not what the solution says.
//!
//! Axioms are looked at for what is asked, so a solution that breaks none of them may still be
//! silent about cells that get into a set because they are on a way, or about elements that nobody
//! compares. Instead of asking about everything, the solution is made concrete ([`Model`]), every
//! atom is evaluated in it, and wherever the value is another one, the axiom is asked for what
//! makes the difference. What comes out if there are no differences left is a model by evaluation,
//! not by an argument about axioms.

use super::super::Solution;
use super::super::ground::Ground;
use super::Step;
use crate::logic::{Atom, Field, Logic, Sort, Term, TermRef};
use crate::model::Model;
use ser_invariance_checker::Lemma;
use ser_invariance_checker::run::Value;
use ser_syntax::inv::ast::Scalar;
use std::collections::BTreeMap;

/// How a solution and its model differ.
pub struct Differences {
    /// Whether they do.
    pub any: bool,
    /// Instantiations that bring them closer together.
    pub steps: Vec<Step>,
    /// Whether the element of `null` is not the one that it has in runs.
    pub null_is_odd: bool,
}

/// Compares a solution with its model. As long as ways are not traced back to one `finest` cut, a
/// difference about them is the only one that counts: what is in a set may be a consequence of it.
pub fn differences(
    ground: &mut Ground<'_>,
    solution: &Solution,
    blocks: u32,
    finest: bool,
) -> Differences {
    let model = Model::new(ground.logic, solution, blocks);
    let cells = model.cells_by_term();
    let compare = Compare { logic: ground.logic, model, cells };
    let null_is_odd = compare.model.null_is_odd();
    let mut wanted = Vec::new();
    let (mut any, mut astray) = (false, false);
    for (id, value) in &solution.atoms {
        let atom = ground.logic.atom(*id);
        if compare.model.holds(atom) != *value {
            any = true;
            astray |= matches!(atom, Atom::Reach(..));
            wanted.extend(compare.instantiations(atom, *value));
        }
    }
    if astray && !finest {
        wanted.clear();
    }
    let mut steps = Vec::new();
    for wanted in wanted {
        let mut term = |named: Named| match named {
            Named::Term(t) => t,
            Named::DataOf(heap, cell) => ground.logic.read(Field::Data, heap, cell),
        };
        let lemma = match wanted {
            Instantiation::Lemma(lemma) => lemma,
            Instantiation::Same(s, t, u) => Lemma::Same(s, t, term(u)),
            Instantiation::Subset(s, t, u) => Lemma::Subset(s, t, term(u)),
        };
        if !ground.has_lemma(&lemma) {
            ground.note(&lemma);
            steps.push(ground.step(lemma));
        }
    }
    Differences { any, steps, null_is_odd }
}

/// A term for a value.
#[derive(Clone, Copy)]
enum Named {
    Term(TermRef),
    /// The element of a cell in a heap version.
    DataOf(u32, TermRef),
}

/// An axiom that may be about a new term.
enum Instantiation {
    Lemma(Lemma),
    Same(TermRef, TermRef, Named),
    Subset(TermRef, TermRef, Named),
}

struct Compare<'a> {
    logic: &'a Logic,
    model: Model<'a>,
    /// A term for each address.
    cells: BTreeMap<u32, TermRef>,
}

impl Compare<'_> {
    /// The axioms by which an atom has its value in the model, and not this one.
    fn instantiations(&self, atom: &Atom, value: bool) -> Vec<Instantiation> {
        match *atom {
            Atom::Same(s, t) if value => {
                let difference = &self.model.set(s) ^ &self.model.set(t);
                let named = difference.iter().flat_map(|it| self.names(&[s, t], it));
                named.map(|u| Instantiation::Same(s, t, u)).collect()
            }
            Atom::Same(s, t) => vec![Instantiation::Lemma(Lemma::NotSame(s, t))],
            Atom::Subset(s, t) if value => {
                let difference = &self.model.set(s) - &self.model.set(t);
                let named = difference.iter().flat_map(|it| self.names(&[s, t], it));
                named.map(|u| Instantiation::Subset(s, t, u)).collect()
            }
            Atom::Subset(s, t) => vec![Instantiation::Lemma(Lemma::NotSubset(s, t))],
            Atom::Some(s) => self.extremes(s),
            Atom::Ge(sum) => {
                let (_, parts) = self.logic.linear(sum);
                let sets = parts.into_iter().filter_map(|(_, part)| match self.logic.term(part) {
                    Term::Min(s) | Term::Max(s) => Some(*s),
                    _ => None,
                });
                sets.flat_map(|s| self.extremes(s)).collect()
            }
            Atom::In(e, set) => match *self.logic.term(set) {
                Term::Elems(heap, s) if value => {
                    vec![Instantiation::Lemma(Lemma::Carrier(heap, s, e))]
                }
                Term::Elems(heap, s) => {
                    let elem = self.model.value(e);
                    let cells = self.carriers(heap, s, &elem).into_iter();
                    cells.map(|a| Instantiation::Lemma(Lemma::ElemOf(heap, s, a))).collect()
                }
                _ => Vec::new(),
            },
            Atom::Ordered(heap, a, b) if value => {
                let way = self.model.list(heap, a, b).unwrap_or_default();
                let pairs = self.model.disorder(heap, &way).into_iter();
                let pairs =
                    pairs.filter_map(|(x, y)| Some((self.cells.get(&x)?, self.cells.get(&y)?)));
                pairs
                    .map(|(x, y)| Instantiation::Lemma(Lemma::OrderedGrows(heap, a, b, *x, *y)))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is said about the minimum of a set.
    fn extremes(&self, s: TermRef) -> Vec<Instantiation> {
        let members = self.model.set(s);
        let names = members.iter().flat_map(|it| self.names(&[s], it));
        let lemmas = names.flat_map(|name| match name {
            Named::Term(u) => vec![Lemma::Some(s, u), Lemma::Least(s, u)],
            Named::DataOf(..) => Vec::new(),
        });
        lemmas.chain([Lemma::Extreme(s)]).map(Instantiation::Lemma).collect()
    }

    /// Terms for a value that is in one of these sets, or not.
    fn names(&self, sets: &[TermRef], value: &Value) -> Vec<Named> {
        let scalar = match value {
            Value::Addr(address) => {
                return self.cells.get(address).map(|t| Named::Term(*t)).into_iter().collect();
            }
            Value::Int(_) => Scalar::Int,
            Value::Tid(_) => Scalar::Tid,
            Value::Elem(_) => Scalar::Elem,
            Value::Bool(_) | Value::Set(_) => return Vec::new(),
        };
        let known = self.model.terms(Sort::One(scalar)).into_iter().find(|(_, it)| it == value);
        match known {
            Some((t, _)) => vec![Named::Term(t)],
            None => {
                let mut found = Vec::new();
                sets.iter().for_each(|set| self.elements_inside(*set, value, &mut found));
                found
            }
        }
    }

    /// Cells by which an element gets into a set.
    fn elements_inside(&self, set: TermRef, value: &Value, found: &mut Vec<Named>) {
        match *self.logic.term(set) {
            Term::Union(a, b) | Term::Intersection(a, b) | Term::Difference(a, b) => {
                self.elements_inside(a, value, found);
                self.elements_inside(b, value, found);
            }
            Term::Elems(heap, s) => {
                let cells = self.carriers(heap, s, value).into_iter();
                found.extend(cells.map(|cell| Named::DataOf(heap, cell)));
            }
            _ => {}
        }
    }

    /// The cells of a set that have an element.
    fn carriers(&self, heap: u32, s: TermRef, elem: &Value) -> Vec<TermRef> {
        let cells = self.model.set(s).into_iter().filter_map(|it| match it {
            Value::Addr(address) if self.model.data(heap, address) == *elem => {
                self.cells.get(&address).copied()
            }
            _ => None,
        });
        cells.collect()
    }
}
