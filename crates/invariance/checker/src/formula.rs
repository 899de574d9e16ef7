//! Formulas, each of which exists once, and the store of all terms and formulas.
//!
//! A formula is a node and a sign. Nodes are conjunctions and atoms; a disjunction is a negated
//! conjunction. Constants are propagated when formulas are made, and equal parts are dropped, so
//! that most formulas that say the same thing in the same way are the same number.

use crate::linear::{AtLeastZero, Linear};
use crate::rejection::Overflow;
use crate::term::{Sort, TermId, TermKind};
use rustc_hash::FxHashMap;
use ser_syntax::inv::ast::{LocId, ProcId, Scalar};
use std::rc::Rc;

/// A formula: twice its node, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Formula(u32);

impl Formula {
    pub const TRUE: Formula = Formula(0);
    pub const FALSE: Formula = Formula(1);

    pub fn of(value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// The same with this sign.
    pub fn signed(self, positive: bool) -> Formula {
        if positive { self } else { !self }
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn positive(node: u32) -> Formula {
        Formula(node << 1)
    }

    pub fn node(self) -> u32 {
        self.0 >> 1
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        Formula(self.0 ^ 1)
    }
}

/// A variable of type `bool` before the step, or one that is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Flag {
    Global(u32),
    /// Local and block.
    Local(u32, u32),
    New(u32),
}

/// What is not looked into.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    /// The form is at least 0; its first coefficient is above 0.
    AtLeastZero(Linear),
    /// The first term has the smaller number.
    Equal(TermId, TermId),
    /// Of sets; likewise.
    Same(TermId, TermId),
    LessEqual(TermId, TermId),
    In(TermId, TermId),
    Subset(TermId, TermId),
    /// The set is not empty.
    Some(TermId),
    /// Heap version, cut (ascending), from, to.
    Reach(u32, Vec<TermId>, TermId, TermId),
    Ordered(u32, TermId, TermId),
    Flag(Flag),
    /// The block is at one of these locations: not at all, and not at none.
    At(u32, Rc<[LocId]>),
    /// The site of the procedure of the block is this call.
    Site(u32, ProcId, LocId),
}

/// A node of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    True,
    Atom(Atom),
    /// At least two, ascending.
    And(Box<[Formula]>),
}

/// All terms and formulas.
pub(crate) struct Store {
    terms: Vec<(TermKind, Sort)>,
    depths: Vec<u32>,
    /// How deep the deepest term is.
    pub deepest: u32,
    term_ids: FxHashMap<TermKind, TermId>,
    nodes: Vec<Node>,
    node_ids: FxHashMap<Node, u32>,
    members: FxHashMap<(TermId, TermId), Formula>,
}

impl Store {
    pub fn new() -> Store {
        Store {
            terms: Vec::new(),
            depths: Vec::new(),
            deepest: 0,
            term_ids: FxHashMap::default(),
            nodes: vec![Node::True],
            node_ids: FxHashMap::default(),
            members: FxHashMap::default(),
        }
    }

    /// How many terms and nodes there are.
    pub fn size(&self) -> usize {
        self.terms.len() + self.nodes.len()
    }

    pub fn node(&self, formula: Formula) -> &Node {
        &self.nodes[formula.node() as usize]
    }

    pub fn kind(&self, term: TermId) -> &TermKind {
        &self.terms[term.0 as usize].0
    }

    pub fn sort(&self, term: TermId) -> Sort {
        self.terms[term.0 as usize].1
    }

    /// A term that is no sum; the caller says of which type it is.
    pub fn term(&mut self, kind: TermKind, sort: Sort) -> TermId {
        if let Some(id) = self.term_ids.get(&kind) {
            return *id;
        }
        let id = TermId(self.terms.len() as u32);
        let depth =
            kind.parts().iter().flatten().map(|part| self.depths[part.0 as usize] + 1).max();
        self.depths.push(depth.unwrap_or(0));
        self.deepest = self.deepest.max(depth.unwrap_or(0));
        self.terms.push((kind.clone(), sort));
        self.term_ids.insert(kind, id);
        id
    }

    /// A term of a scalar type.
    pub fn scalar(&mut self, kind: TermKind, scalar: Scalar) -> TermId {
        self.term(kind, Sort::Scalar(scalar))
    }

    /// A set of addresses, elements, ....
    pub fn set(&mut self, kind: TermKind, of: Option<Scalar>) -> TermId {
        self.term(kind, Sort::Set(of))
    }

    /// The union, intersection or difference of two sets of the same type.
    pub fn both(&mut self, kind: fn(TermId, TermId) -> TermKind, l: TermId, r: TermId) -> TermId {
        let sort = self.sort(l).with(self.sort(r)).unwrap_or(self.sort(l));
        self.term(kind(l, r), sort)
    }

    /// `{t}`.
    pub fn singleton(&mut self, t: TermId) -> TermId {
        let of = match self.sort(t) {
            Sort::Scalar(scalar) => Some(scalar),
            Sort::Set(of) => of,
        };
        self.set(TermKind::Singleton(t), of)
    }

    pub fn null(&mut self) -> TermId {
        self.scalar(TermKind::Null, Scalar::Addr)
    }

    pub fn nobody(&mut self) -> TermId {
        self.scalar(TermKind::Nobody, Scalar::Tid)
    }

    /// A form as a term.
    pub fn sum(&mut self, form: Linear) -> TermId {
        match form.term() {
            Some(term) => term,
            None => self.scalar(TermKind::Sum(form), Scalar::Int),
        }
    }

    /// A term of type `int` as a form.
    pub fn form(&self, term: TermId) -> Linear {
        match self.kind(term) {
            TermKind::Sum(form) => form.clone(),
            _ => Linear::of(term),
        }
    }

    fn intern(&mut self, node: Node) -> Formula {
        if let Some(id) = self.node_ids.get(&node) {
            return Formula(*id << 1);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node.clone());
        self.node_ids.insert(node, id);
        Formula(id << 1)
    }

    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// All of them hold.
    pub fn all(&mut self, mut parts: Vec<Formula>) -> Formula {
        parts.sort_unstable();
        parts.dedup();
        // A formula and its negation are neighbours.
        if parts.windows(2).any(|pair| pair[0] == !pair[1]) || parts.contains(&Formula::FALSE) {
            return Formula::FALSE;
        }
        parts.retain(|part| *part != Formula::TRUE);
        match parts[..] {
            [] => Formula::TRUE,
            [only] => only,
            _ => self.intern(Node::And(parts.into())),
        }
    }

    pub fn any(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let parts = parts.into_iter().map(|part| !part).collect();
        !self.all(parts)
    }

    pub fn and(&mut self, l: Formula, r: Formula) -> Formula {
        self.all(vec![l, r])
    }

    pub fn or(&mut self, l: Formula, r: Formula) -> Formula {
        self.any([l, r])
    }

    pub fn implies(&mut self, l: Formula, r: Formula) -> Formula {
        self.or(!l, r)
    }

    pub fn iff(&mut self, l: Formula, r: Formula) -> Formula {
        let (there, back) = (self.implies(l, r), self.implies(r, l));
        self.and(there, back)
    }

    /// `form >= 0`.
    pub fn at_least_zero(&mut self, form: &Linear) -> Result<Formula, Overflow> {
        Ok(match form.at_least_zero()? {
            AtLeastZero::Constant(value) => Formula::of(value),
            AtLeastZero::Atom(form, sign) => self.atom(Atom::AtLeastZero(form)).signed(sign),
        })
    }

    /// `x <= y` of numbers.
    pub fn at_most(&mut self, x: TermId, y: TermId) -> Result<Formula, Overflow> {
        let form = self.form(y).add(-1, &self.form(x))?;
        self.at_least_zero(&form)
    }

    /// `x == y` of two terms of the same type.
    pub fn equal(&mut self, x: TermId, y: TermId) -> Result<Formula, Overflow> {
        if x == y {
            return Ok(Formula::TRUE);
        }
        let (first, second) = (x.min(y), x.max(y));
        match self.sort(x) {
            Sort::Scalar(Scalar::Int) => {
                let (up, down) = (self.at_most(x, y)?, self.at_most(y, x)?);
                Ok(self.and(up, down))
            }
            Sort::Set(_) => Ok(self.atom(Atom::Same(first, second))),
            Sort::Scalar(_) if self.kind(x).is_constant() && self.kind(y).is_constant() => {
                Ok(Formula::FALSE)
            }
            Sort::Scalar(_) => Ok(self.atom(Atom::Equal(first, second))),
        }
    }

    /// `x <= y` of elements.
    pub fn less_equal(&mut self, x: TermId, y: TermId) -> Formula {
        use TermKind::{Highest, Lowest};
        match (self.kind(x), self.kind(y)) {
            _ if x == y => Formula::TRUE,
            (Lowest, _) | (_, Highest) => Formula::TRUE,
            (Highest, Lowest) => Formula::FALSE,
            _ => self.atom(Atom::LessEqual(x, y)),
        }
    }

    /// `u in s`, by the structure of `s`.
    pub fn member(&mut self, u: TermId, s: TermId) -> Result<Formula, Overflow> {
        let kind = match self.kind(s) {
            TermKind::Empty => return Ok(Formula::FALSE),
            TermKind::Singleton(v) => return self.equal(u, *v),
            TermKind::Cells(version, a) => {
                let (version, a) = (*version, *a);
                return Ok(self.reach(version, Vec::new(), a, u));
            }
            kind
            @ (TermKind::Union(..) | TermKind::Intersection(..) | TermKind::Difference(..)) => {
                kind.clone()
            }
            _ => return Ok(self.atom(Atom::In(u, s))),
        };
        if let Some(known) = self.members.get(&(u, s)) {
            return Ok(*known);
        }
        let formula = match kind {
            TermKind::Union(l, r) => {
                let (l, r) = (self.member(u, l)?, self.member(u, r)?);
                self.or(l, r)
            }
            TermKind::Intersection(l, r) => {
                let (l, r) = (self.member(u, l)?, self.member(u, r)?);
                self.and(l, r)
            }
            TermKind::Difference(l, r) => {
                let (l, r) = (self.member(u, l)?, self.member(u, r)?);
                self.and(l, !r)
            }
            _ => Formula::FALSE,
        };
        self.members.insert((u, s), formula);
        Ok(formula)
    }

    /// `s subset t`.
    pub fn subset(&mut self, s: TermId, t: TermId) -> Formula {
        if s == t { Formula::TRUE } else { self.atom(Atom::Subset(s, t)) }
    }

    /// `s` is not empty.
    pub fn some(&mut self, s: TermId) -> Formula {
        self.atom(Atom::Some(s))
    }

    /// `reach[version, cut](x, y)`; the version is lowered. It depends on which cells are in the
    /// cut, not on their order.
    pub fn reach(&mut self, version: u32, mut cut: Vec<TermId>, x: TermId, y: TermId) -> Formula {
        cut.sort_unstable();
        cut.dedup();
        self.atom(Atom::Reach(version, cut, x, y))
    }

    /// `ordered(a, b)`; the version is lowered.
    pub fn ordered(&mut self, version: u32, a: TermId, b: TermId) -> Formula {
        self.atom(Atom::Ordered(version, a, b))
    }
}
