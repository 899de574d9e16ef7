//! A state as a row of machine words.
//!
//! Every value is one word: a `bool` is 0 or 1; of type `tid`, 0 is `nobody` and `t + 1` the thread
//! `t`; of type `addr`, 0 is `null`; of type `elem`, the smallest word is `lowest` and the largest
//! `highest`, so that their order is that of words; a set is its number in the table of
//! [`Sets`](super::sets::Sets). First come the globals, then each thread (location, sites, locals),
//! then the cells of the heap from address 1 on.

use ser_syntax::inv::ast::{Field, GlobalId, LocalId, Scalar, System, Type};

pub(super) type Word = i64;

/// The word for `lowest`.
pub(super) const LOWEST: Word = Word::MIN;
/// The word for `highest`.
pub(super) const HIGHEST: Word = Word::MAX;

/// Where things are in the row.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub globals: usize,
    pub sites: usize,
    pub locals: usize,
    pub threads: usize,
    /// Addresses go up to this.
    pub cells: usize,
}

impl Layout {
    pub fn new(system: &System, sites: usize, threads: usize, cells: usize) -> Layout {
        Layout { globals: system.globals.len(), sites, locals: system.locals.len(), threads, cells }
    }

    /// How many words a thread has.
    pub fn stride(&self) -> usize {
        1 + self.sites + self.locals
    }

    /// How many words a state has.
    pub fn words(&self) -> usize {
        self.globals + self.threads * self.stride() + 3 * self.cells
    }

    /// The first word of a thread.
    pub fn thread(&self, thread: usize) -> usize {
        self.globals + thread * self.stride()
    }

    pub fn global(&self, global: GlobalId) -> usize {
        global.0 as usize
    }

    pub fn location(&self, thread: usize) -> usize {
        self.thread(thread)
    }

    pub fn site(&self, thread: usize, site: usize) -> usize {
        self.thread(thread) + 1 + site
    }

    pub fn local(&self, thread: usize, local: LocalId) -> usize {
        self.thread(thread) + 1 + self.sites + local.0 as usize
    }

    /// A field of an address that is not `null`.
    pub fn field(&self, address: Word, field: Field) -> usize {
        let cells = self.globals + self.threads * self.stride();
        cells + 3 * (address as usize - 1) + field_number(field)
    }
}

/// The fields in the order of their words.
pub(super) const FIELDS: [Field; 3] = [Field::Next, Field::Data, Field::Lockid];

fn field_number(field: Field) -> usize {
    match field {
        Field::Next => 0,
        Field::Data => 1,
        Field::Lockid => 2,
    }
}

pub(super) fn field_type(field: Field) -> Type {
    Type::Scalar(match field {
        Field::Next => Scalar::Addr,
        Field::Data => Scalar::Elem,
        Field::Lockid => Scalar::Tid,
    })
}

/// The word of the thread with this number.
pub(super) fn tid(thread: usize) -> Word {
    thread as Word + 1
}
