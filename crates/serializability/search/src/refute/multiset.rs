//! Multisets known by a number.
//!
//! Searches handle millions of multisets (requests in flight, outcomes so far) that differ in one
//! element. Each distinct multiset is stored once, and adding or removing an element is a table
//! look-up after the first time.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher as _;

/// A multiset: its place in [`Multisets`].
pub(crate) type MultisetId = u32;

/// The empty multiset.
pub(crate) const EMPTY: MultisetId = 0;

const UNKNOWN: u32 = u32::MAX;
const ABSENT: u32 = u32::MAX - 1;

/// Above this many kinds of elements, successors are kept in a hash table instead of an array.
const MAX_DENSE: usize = 64;

/// All multisets seen so far over elements `0..kinds`.
pub(crate) struct Multisets {
    kinds: usize,
    /// All elements of all multisets, each as (element, count), sorted by element.
    arena: Vec<(u32, u32)>,
    /// Where each multiset begins in `arena`; one more entry at the end.
    starts: Vec<u32>,
    sizes: Vec<u32>,
    /// The last multiset with this hash. Millions of keys of their own would take seconds to free.
    last: FxHashMap<u64, MultisetId>,
    /// For each multiset the one before it with the same hash; `UNKNOWN` if there is none.
    before: Vec<MultisetId>,
    added: Successors,
    removed: Successors,
    scratch: Vec<(u32, u32)>,
}

enum Successors {
    Dense(Vec<u32>),
    Sparse(FxHashMap<(u32, u32), u32>),
}

impl Successors {
    fn get(&self, kinds: usize, from: u32, element: u32) -> u32 {
        match self {
            Successors::Dense(table) => table[from as usize * kinds + element as usize],
            Successors::Sparse(table) => table.get(&(from, element)).copied().unwrap_or(UNKNOWN),
        }
    }

    fn set(&mut self, kinds: usize, from: u32, element: u32, to: u32) {
        match self {
            Successors::Dense(table) => table[from as usize * kinds + element as usize] = to,
            Successors::Sparse(table) => {
                table.insert((from, element), to);
            }
        }
    }

    fn grow(&mut self, kinds: usize) {
        if let Successors::Dense(table) = self {
            table.resize(table.len() + kinds, UNKNOWN);
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Successors::Dense(table) => table.capacity() * 4,
            Successors::Sparse(table) => table.capacity() * 14,
        }
    }
}

impl Multisets {
    /// Multisets over elements `0..kinds`; the empty one exists already.
    pub fn new(kinds: usize) -> Multisets {
        let successors = || {
            if kinds <= MAX_DENSE {
                Successors::Dense(vec![UNKNOWN; kinds])
            } else {
                Successors::Sparse(FxHashMap::default())
            }
        };
        Multisets {
            kinds,
            arena: Vec::new(),
            starts: vec![0, 0],
            sizes: vec![0],
            last: FxHashMap::from_iter([(hash(&[]), EMPTY)]),
            before: vec![UNKNOWN],
            added: successors(),
            removed: successors(),
            scratch: Vec::new(),
        }
    }

    /// The elements with their counts, sorted by element.
    pub fn elements(&self, id: MultisetId) -> &[(u32, u32)] {
        &self.arena[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    /// How many elements there are, with repetition.
    pub fn size(&self, id: MultisetId) -> u32 {
        self.sizes[id as usize]
    }

    /// How often an element occurs.
    pub fn count(&self, id: MultisetId, element: u32) -> u32 {
        let elements = self.elements(id);
        elements.binary_search_by_key(&element, |(e, _)| *e).map_or(0, |at| elements[at].1)
    }

    /// One more of `element`.
    pub fn add(&mut self, id: MultisetId, element: u32) -> MultisetId {
        let known = self.added.get(self.kinds, id, element);
        if known != UNKNOWN {
            return known;
        }
        self.load(id);
        match self.scratch.binary_search_by_key(&element, |(e, _)| *e) {
            Ok(at) => self.scratch[at].1 += 1,
            Err(at) => self.scratch.insert(at, (element, 1)),
        }
        let to = self.intern();
        self.added.set(self.kinds, id, element, to);
        to
    }

    /// One less of `element`, if there is one.
    pub fn remove(&mut self, id: MultisetId, element: u32) -> Option<MultisetId> {
        let known = self.removed.get(self.kinds, id, element);
        if known != UNKNOWN {
            return (known != ABSENT).then_some(known);
        }
        self.load(id);
        let to = match self.scratch.binary_search_by_key(&element, |(e, _)| *e) {
            Err(_) => ABSENT,
            Ok(at) => {
                self.scratch[at].1 -= 1;
                if self.scratch[at].1 == 0 {
                    self.scratch.remove(at);
                }
                self.intern()
            }
        };
        self.removed.set(self.kinds, id, element, to);
        (to != ABSENT).then_some(to)
    }

    fn load(&mut self, id: MultisetId) {
        let range = self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize;
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.arena[range]);
    }

    fn intern(&mut self) -> MultisetId {
        let hash = hash(&self.scratch);
        let first = self.last.get(&hash).copied().unwrap_or(UNKNOWN);
        let mut at = first;
        while at != UNKNOWN {
            if self.elements(at) == self.scratch {
                return at;
            }
            at = self.before[at as usize];
        }
        let id = self.sizes.len() as MultisetId;
        self.last.insert(hash, id);
        self.before.push(first);
        self.arena.extend_from_slice(&self.scratch);
        self.starts.push(self.arena.len() as u32);
        self.sizes.push(self.scratch.iter().map(|(_, n)| n).sum());
        self.added.grow(self.kinds);
        self.removed.grow(self.kinds);
        id
    }

    /// Roughly the memory in use.
    pub fn bytes(&self) -> usize {
        self.arena.capacity() * 8
            + self.sizes.len() * 12
            + self.last.capacity() * 18
            + self.added.bytes()
            + self.removed.bytes()
    }
}

fn hash(elements: &[(u32, u32)]) -> u64 {
    FxBuildHasher.hash_one(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against sorted vectors, in the dense and in the sparse form.
        #[test]
        fn behaves_like_a_sorted_vector(
            ops in prop::collection::vec((any::<bool>(), 0u32..5), 0..60),
            kinds in prop::sample::select(vec![5usize, MAX_DENSE + 10]),
        ) {
            let mut sets = Multisets::new(kinds);
            let (mut id, mut model): (u32, Vec<u32>) = (EMPTY, Vec::new());
            for (add, element) in ops {
                if add {
                    id = sets.add(id, element);
                    model.push(element);
                } else {
                    let next = sets.remove(id, element);
                    let at = model.iter().position(|e| *e == element);
                    prop_assert_eq!(next.is_some(), at.is_some());
                    if let (Some(next), Some(at)) = (next, at) {
                        id = next;
                        model.remove(at);
                    }
                }
                model.sort_unstable();
                let flat: Vec<u32> = sets
                    .elements(id)
                    .iter()
                    .flat_map(|(e, n)| std::iter::repeat_n(*e, *n as usize))
                    .collect();
                prop_assert_eq!(&flat, &model);
                prop_assert_eq!(sets.size(id) as usize, model.len());
                prop_assert_eq!(id == EMPTY, model.is_empty());
            }
        }
    }
}
