//! Values numbered in the order of their first appearance, so that comparing two of them, again
//! and again, is comparing numbers.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Values with their numbers.
pub(super) struct Interned<T> {
    numbers: FxHashMap<T, u32>,
    list: Vec<T>,
    /// What is known of one number beside another.
    known: FxHashMap<(u32, u32), bool>,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    pub fn new() -> Interned<T> {
        let (numbers, known) = (FxHashMap::default(), FxHashMap::default());
        Interned { numbers, list: Vec::new(), known }
    }

    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.list.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// The value with this number.
    pub fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }

    /// Whether a relation that every value has with itself holds between two values. It has to be
    /// the same relation each time: it is looked at once.
    pub fn relate(&mut self, a: u32, b: u32, relation: impl FnOnce(&T, &T) -> bool) -> bool {
        a == b || {
            let list = &self.list;
            let holds = || relation(&list[a as usize], &list[b as usize]);
            *self.known.entry((a, b)).or_insert_with(holds)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_is_looked_at_once() {
        let mut numbers = Interned::new();
        let (two, three) = (numbers.number("II"), numbers.number("III"));
        assert_eq!((numbers.number("II"), *numbers.get(three)), (two, "III"));
        let mut looked = 0;
        for _ in 0..3 {
            let shorter = |a: &&str, b: &&str| {
                looked += 1;
                a.len() <= b.len()
            };
            assert!(numbers.relate(two, three, shorter));
        }
        assert_eq!(looked, 1);
        assert!(numbers.relate(two, two, |_, _| unreachable!()));
        assert!(!numbers.relate(three, two, |a, b| a.len() <= b.len()));
    }
}
