//! Finite sets of words, each kept once: the same set has the same number.

use super::memory::Word;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of the empty set.
pub(super) const EMPTY: Word = 0;

/// All sets that have come up.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    members: Vec<Rc<[Word]>>,
    numbers: FxHashMap<Rc<[Word]>, Word>,
}

impl Default for Sets {
    fn default() -> Sets {
        let empty: Rc<[Word]> = Rc::from([]);
        let numbers = std::iter::once((Rc::clone(&empty), EMPTY)).collect();
        Sets { members: vec![empty], numbers }
    }
}

impl Sets {
    /// Its members, ascending.
    pub fn members(&self, set: Word) -> &[Word] {
        &self.members[set as usize]
    }

    pub fn contains(&self, set: Word, member: Word) -> bool {
        self.members(set).binary_search(&member).is_ok()
    }

    /// The number of the set with these members, in any order.
    pub fn number(&mut self, mut members: Vec<Word>) -> Word {
        members.sort_unstable();
        members.dedup();
        self.sorted(&members)
    }

    fn sorted(&mut self, members: &[Word]) -> Word {
        if let Some(&number) = self.numbers.get(members) {
            return number;
        }
        let number = self.members.len() as Word;
        let members: Rc<[Word]> = Rc::from(members);
        self.members.push(Rc::clone(&members));
        self.numbers.insert(members, number);
        number
    }

    pub fn union(&mut self, left: Word, right: Word) -> Word {
        if left == right || right == EMPTY {
            return left;
        }
        let members = [self.members(left), self.members(right)].concat();
        self.number(members)
    }

    pub fn intersection(&mut self, left: Word, right: Word) -> Word {
        self.filter(left, right, true)
    }

    pub fn difference(&mut self, left: Word, right: Word) -> Word {
        self.filter(left, right, false)
    }

    fn filter(&mut self, left: Word, right: Word, kept: bool) -> Word {
        let is_kept = |member: &&Word| self.contains(right, **member) == kept;
        let members: Vec<Word> = self.members(left).iter().filter(is_kept).copied().collect();
        self.sorted(&members)
    }

    pub fn is_subset(&self, left: Word, right: Word) -> bool {
        left == right || self.members(left).iter().all(|member| self.contains(right, *member))
    }

    /// The set of what `change` makes of the members.
    pub fn map(&mut self, set: Word, change: impl Fn(Word) -> Word) -> Word {
        let members = self.members(set).iter().map(|member| change(*member)).collect();
        self.number(members)
    }
}
