//! Formulas: conjunctions and negations over atoms.

use super::{Atom, AtomId, Logic};

/// A formula: the number of a node, and whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct F(u32);

/// A node of a formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    /// An atom.
    Atom(AtomId),
    /// All of them: sorted, none twice, none with its opposite. Empty for `true` only, never just one.
    And(Vec<F>),
}

impl F {
    /// `true`: node 0, the empty conjunction.
    pub const TRUE: F = F(0);
    /// `false`.
    pub const FALSE: F = F(1);

    /// `true` or `false`.
    pub fn constant(value: bool) -> F {
        if value { F::TRUE } else { F::FALSE }
    }

    /// Its node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is the negation of its node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for F {
    type Output = F;

    fn not(self) -> F {
        F(self.0 ^ 1)
    }
}

impl Logic {
    /// What a formula is, without its sign.
    pub fn node(&self, f: F) -> &Node {
        &self.nodes[f.node() as usize]
    }

    fn node_id(&mut self, node: Node) -> F {
        if let Some(known) = self.node_ids.get(&node) {
            return F(known << 1);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node.clone());
        self.node_ids.insert(node, id);
        F(id << 1)
    }

    /// An atom as a formula.
    pub fn of_atom(&mut self, atom: Atom) -> F {
        let id = self.atom_id(atom);
        self.node_id(Node::Atom(id))
    }

    /// The conjunction.
    pub fn and(&mut self, parts: impl IntoIterator<Item = F>) -> F {
        let mut all: Vec<F> = Vec::new();
        for part in parts {
            match self.node(part) {
                Node::And(inner) if !part.is_negated() => all.extend_from_slice(inner),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        // A formula and its negation are neighbours.
        if all.contains(&F::FALSE) || all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return F::FALSE;
        }
        match all[..] {
            [] => F::TRUE,
            [one] => one,
            _ => self.node_id(Node::And(all)),
        }
    }

    /// The disjunction.
    pub fn or(&mut self, parts: impl IntoIterator<Item = F>) -> F {
        let parts: Vec<F> = parts.into_iter().map(|f| !f).collect();
        !self.and(parts)
    }

    /// `a -> b`.
    pub fn implies(&mut self, a: F, b: F) -> F {
        self.or([!a, b])
    }

    /// `a <-> b`.
    pub fn iff(&mut self, a: F, b: F) -> F {
        let (there, back) = (self.implies(a, b), self.implies(b, a));
        self.and([there, back])
    }

    /// The formula with atoms replaced by what `value` says of them; `None` keeps an atom. `memo` is for one `value`.
    pub fn restrict(
        &mut self,
        f: F,
        value: &dyn Fn(&Logic, AtomId) -> Option<bool>,
        memo: &mut rustc_hash::FxHashMap<u32, F>,
    ) -> F {
        let positive = match memo.get(&f.node()) {
            Some(known) => *known,
            None => {
                let result = match self.node(f).clone() {
                    Node::Atom(atom) => match value(self, atom) {
                        Some(constant) => F::constant(constant),
                        None => F(f.node() << 1),
                    },
                    Node::And(parts) => {
                        let parts: Vec<F> = parts
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
        if f.is_negated() { !positive } else { positive }
    }
}
