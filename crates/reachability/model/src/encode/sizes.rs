//! How large a net and its formula are.

use super::Encoder;
use crate::formula::{Count, PARTS, Part};

/// Numbers for people and for comparisons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub places: usize,
    pub transitions: usize,
    /// Pairs of a reading arc and an output arc that could be linked.
    pub links: usize,
    pub order_symbols: usize,
    /// Triangles of the order.
    pub triangles: usize,
    /// The formula by purpose.
    pub parts: [(Part, Count); PARTS.len()],
}

impl Sizes {
    /// The whole formula.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        for (_, count) in &self.parts {
            total.variables += count.variables;
            total.clauses += count.clauses;
            total.literals += count.literals;
        }
        total
    }

    /// One part of the formula.
    pub fn part(&self, part: Part) -> Count {
        self.parts[part as usize].1
    }
}

impl Encoder {
    /// How large everything is by now.
    pub fn sizes(&self) -> Sizes {
        let readers = self.places.iter().flat_map(|place| place.inputs.iter().chain(&place.tests));
        Sizes {
            places: self.places.len(),
            transitions: self.occurs.len(),
            links: readers.map(|reader| reader.links.len()).sum(),
            order_symbols: self.order.symbols(),
            triangles: self.order.triangles(),
            parts: PARTS.map(|part| (part, self.formula.count(part))),
        }
    }
}
