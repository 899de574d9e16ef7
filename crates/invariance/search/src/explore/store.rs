//! All states that were seen, packed.

use super::memory::{HIGHEST, LOWEST, Word};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number of a state, in the order in which they were found.
pub(super) type StateId = u32;

/// The parent of a state at the start.
pub(super) const NONE: StateId = StateId::MAX;

/// States as bytes: most words take one.
#[derive(Default)]
pub(super) struct Store {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    parents: Vec<StateId>,
    table: HashTable<StateId>,
    packed: Vec<u8>,
}

impl Store {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// About how many bytes this takes.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + 24 * self.ends.capacity()
    }

    /// Adds a state: its number, and whether it is new.
    pub fn add(&mut self, words: &[Word], parent: StateId) -> (StateId, bool) {
        pack(words, &mut self.packed);
        let hash = hash(&self.packed);
        let (bytes, ends, packed) = (&self.bytes, &self.ends, &self.packed);
        let found = self.table.find(hash, |id| slice(bytes, ends, *id) == packed.as_slice());
        if let Some(id) = found {
            return (*id, false);
        }
        let id = self.ends.len() as StateId;
        self.bytes.extend_from_slice(&self.packed);
        self.ends.push(self.bytes.len());
        self.parents.push(parent);
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.table.insert_unique(hash, id, |id| self::hash(slice(bytes, ends, *id)));
        (id, true)
    }

    pub fn load(&self, id: StateId, words: &mut Vec<Word>) {
        unpack(slice(&self.bytes, &self.ends, id), words);
    }

    /// Whether this is the state with that number.
    pub fn is(&mut self, words: &[Word], id: StateId) -> bool {
        pack(words, &mut self.packed);
        self.packed == slice(&self.bytes, &self.ends, id)
    }

    /// The states from the start to this one.
    pub fn path_to(&self, id: StateId) -> Vec<StateId> {
        let parent = |id: &StateId| {
            let parent = self.parents.get(*id as usize).copied();
            parent.filter(|parent| *parent != NONE)
        };
        let mut path: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
        path.reverse();
        path
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: StateId) -> &'a [u8] {
    let id = id as usize;
    let start = match id {
        0 => 0,
        _ => ends[id - 1],
    };
    &bytes[start..ends[id]]
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Words between these are one byte.
const LEAST: Word = -50;
const LARGEST: Word = 190;
const TAG_LOWEST: u8 = 252;
const TAG_HIGHEST: u8 = 253;
const TAG_SHORT: u8 = 254;
const TAG_LONG: u8 = 255;

fn pack(words: &[Word], bytes: &mut Vec<u8>) {
    bytes.clear();
    for &word in words {
        match word {
            LEAST..=LARGEST => bytes.push((word - LEAST) as u8),
            LOWEST => bytes.push(TAG_LOWEST),
            HIGHEST => bytes.push(TAG_HIGHEST),
            _ => match i16::try_from(word) {
                Ok(word) => {
                    bytes.push(TAG_SHORT);
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
                Err(_) => {
                    bytes.push(TAG_LONG);
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
            },
        }
    }
}

fn unpack(mut bytes: &[u8], words: &mut Vec<Word>) {
    words.clear();
    while let Some((&tag, rest)) = bytes.split_first() {
        bytes = rest;
        words.push(match tag {
            TAG_LOWEST => LOWEST,
            TAG_HIGHEST => HIGHEST,
            TAG_SHORT => take(&mut bytes).map_or(0, |bytes| Word::from(i16::from_le_bytes(bytes))),
            TAG_LONG => take(&mut bytes).map_or(0, Word::from_le_bytes),
            small => Word::from(small) + LEAST,
        });
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}
