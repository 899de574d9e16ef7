//! Formulas: conjunctions and negations over atoms.

use super::{Atom, AtomId, Logic};

/// A formula: the number of a node, and whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Formula(u32);

/// A node of a formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    Atom(AtomId),
    /// All of them: sorted, none twice, none with its opposite. Empty for `true` only, never just
    /// one.
    And(Vec<Formula>),
}

impl Formula {
    /// `true`: node 0, the empty conjunction.
    pub const TRUE: Formula = Formula(0);
    /// `false`.
    pub const FALSE: Formula = Formula(1);

    /// `true` or `false`.
    pub fn constant(value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// A node as it is, without a negation.
    pub fn positive(node: u32) -> Formula {
        Formula(node << 1)
    }

    /// The same if it is to hold, and otherwise its negation.
    pub fn signed(self, positive: bool) -> Formula {
        if positive { self } else { !self }
    }

    /// Whether it is the negation of its node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        Formula(self.0 ^ 1)
    }
}

impl Logic {
    /// What a formula is, without its sign.
    pub fn node(&self, f: Formula) -> &Node {
        self.nodes.get(f.node())
    }

    fn node_id(&mut self, node: Node) -> Formula {
        Formula::positive(self.nodes.number(node))
    }

    /// An atom as a formula.
    pub fn of_atom(&mut self, atom: Atom) -> Formula {
        let id = self.atom_id(atom);
        self.node_id(Node::Atom(id))
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all: Vec<Formula> = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::And(inner) if !part.is_negated() => all.extend_from_slice(inner),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        // A formula and its negation are neighbours.
        if all.contains(&Formula::FALSE) || all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Formula::FALSE;
        }
        match all[..] {
            [] => Formula::TRUE,
            [one] => one,
            _ => self.node_id(Node::And(all)),
        }
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let parts: Vec<Formula> = parts.into_iter().map(|f| !f).collect();
        !self.and(parts)
    }

    /// `a -> b`.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        self.or([!a, b])
    }

    /// `a <-> b`.
    pub fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and([there, back])
    }

    /// The formula with atoms replaced by what `value` says of them; `None` keeps an atom. `memo`
    /// is for one `value`.
    pub fn restrict(
        &mut self,
        f: Formula,
        value: &dyn Fn(&Logic, AtomId) -> Option<bool>,
        memo: &mut rustc_hash::FxHashMap<u32, Formula>,
    ) -> Formula {
        let positive = match memo.get(&f.node()) {
            Some(known) => *known,
            None => {
                let result = match self.node(f).clone() {
                    Node::Atom(atom) => match value(self, atom) {
                        Some(constant) => Formula::constant(constant),
                        None => Formula::positive(f.node()),
                    },
                    Node::And(parts) => {
                        let parts: Vec<Formula> = parts
                            .into_iter()
                            .map(|part| self.restrict(part, value, memo))
                            .collect();
                        self.and(parts)
                    }
                };
                memo.insert(f.node(), result);
                result
            }
        };
        positive.signed(!f.is_negated())
    }
}
