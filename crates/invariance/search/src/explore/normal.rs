//! One state for many that differ in names only, or in values that do not matter
//! ([`Liveness`](super::liveness::Liveness)).
//!
//! Threads are compared with `==` alone, and so are addresses. So a permutation of threads, or of
//! the addresses of cells, turns runs into runs and violations into violations. Cells that nobody
//! can come to ([`alive`](super::heap::alive)) do not matter at all. Here cells are numbered in the
//! order in which one comes to them, and threads are sorted by what is known of each alone.
//!
//! Whatever the order, the result is the same state up to names: this is why it is sound. That two
//! states that are the same up to names always get the same result is not claimed (threads with
//! equal keys may be told apart by others); then a state is looked at twice.

use super::heap::{ADDR, ADDRS, TID, TIDS};
use super::memory::{FIELDS, Layout, Word, tid};
use super::sets::Sets;
use super::step::Machine;
use ser_syntax::inv::ast::{Field, Scalar, Type};

/// How the names of a state were changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// The old number of each new thread.
    pub threads: Vec<usize>,
    /// The new number of each old address; 0 for cells that are gone, and for `null`.
    pub cells: Vec<usize>,
}

/// Room to work in.
#[derive(Default)]
pub(super) struct Normalizer {
    renaming: Renaming,
    /// Old to new, in words.
    tids: Vec<Word>,
    keys: Vec<Word>,
    old: Vec<Word>,
    named: usize,
}

impl Normalizer {
    /// Renames threads and cells.
    pub fn normalise(
        &mut self,
        machine: &mut Machine<'_>,
        layout: &Layout,
        words: &mut [Word],
    ) -> &Renaming {
        clear_dead(machine, layout, words);
        self.named = 0;
        self.renaming.cells.clear();
        self.renaming.cells.resize(layout.cells + 1, 0);
        self.renaming.threads.clear();
        self.renaming.threads.extend(0..layout.threads);
        for global in machine.kinds.globals(ADDR) {
            self.name_chain(layout, words, words[layout.global(*global)]);
        }
        if layout.threads > 1 {
            match machine.kinds.has_tids() {
                false => self.sort_plain(layout, words),
                true => self.sort_by_keys(machine, layout, words),
            }
        }
        if layout.cells > 0 {
            self.name_the_rest(machine, layout, words);
        }
        let threads_stay = self.renaming.threads.iter().enumerate().all(|(new, old)| new == *old);
        let cells_stay = (1..=layout.cells).all(|cell| {
            let name = self.renaming.cells[cell];
            name == cell || name == 0 && is_blank(layout, words, cell)
        });
        if !threads_stay || !cells_stay {
            self.rewrite(machine, layout, words);
        }
        &self.renaming
    }

    fn name_chain(&mut self, layout: &Layout, words: &[Word], from: Word) {
        let mut at = from as usize;
        while at != 0 && self.renaming.cells[at] == 0 {
            self.named += 1;
            self.renaming.cells[at] = self.named;
            at = words[layout.field(at as Word, Field::Next)] as usize;
        }
    }

    /// No value of a thread speaks of threads or cells: it is its own key.
    fn sort_plain(&mut self, layout: &Layout, words: &[Word]) {
        let stride = layout.stride();
        let key = |thread: usize| &words[layout.thread(thread)..layout.thread(thread) + stride];
        self.renaming.threads.sort_by(|left, right| key(*left).cmp(key(*right)));
    }

    fn sort_by_keys(&mut self, machine: &Machine<'_>, layout: &Layout, words: &[Word]) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        for thread in 0..layout.threads {
            self.key(machine, layout, words, thread, &mut keys);
        }
        let length = keys.len() / layout.threads;
        let key = |thread: usize| &keys[thread * length..(thread + 1) * length];
        self.renaming.threads.sort_by(|left, right| key(*left).cmp(key(*right)));
        self.keys = keys;
    }

    /// What is known of a thread without knowing the others. All keys have the same length.
    fn key(
        &self,
        machine: &Machine<'_>,
        layout: &Layout,
        words: &[Word],
        thread: usize,
        key: &mut Vec<Word>,
    ) {
        let (sets, me) = (&machine.sets, tid(thread));
        let start = layout.thread(thread);
        let locals = start + 1 + layout.sites;
        key.extend_from_slice(&words[start..locals]);
        let mine = |word: Word| match word {
            0 => 0,
            word if word == me => 1,
            _ => 2,
        };
        for (local, word) in machine.system.locals.iter().zip(&words[locals..]) {
            key.push(match local.ty {
                Type::Scalar(Scalar::Tid) => mine(*word),
                // Cells that have no name yet are all alike.
                Type::Scalar(Scalar::Addr) if *word == 0 => 0,
                Type::Scalar(Scalar::Addr) => match self.renaming.cells[*word as usize] {
                    0 => Word::MAX,
                    name => name as Word,
                },
                Type::Set(Scalar::Tid) => set_key(sets, *word, sets.contains(*word, me)),
                Type::Set(Scalar::Addr) => set_key(sets, *word, sets.contains(*word, 0)),
                _ => *word,
            });
        }
        let globals = machine.kinds.globals(TID);
        key.extend(globals.iter().map(|global| mine(words[layout.global(*global)])));
        let globals = machine.kinds.globals(TIDS);
        key.extend(
            globals
                .iter()
                .map(|global| Word::from(sets.contains(words[layout.global(*global)], me))),
        );
        // Locks of cells that have a name.
        let start = key.len();
        key.resize(start + layout.cells, 0);
        for cell in 1..=layout.cells {
            let name = self.renaming.cells[cell];
            if name != 0 {
                let owner = words[layout.field(cell as Word, Field::Lockid)];
                key[start + name - 1] = Word::from(owner == me);
            }
        }
    }

    fn name_the_rest(&mut self, machine: &Machine<'_>, layout: &Layout, words: &[Word]) {
        for new in 0..layout.threads {
            let thread = self.renaming.threads[new];
            for local in machine.kinds.locals(ADDR) {
                self.name_chain(layout, words, words[layout.local(thread, *local)]);
            }
        }
        for global in machine.kinds.globals(ADDRS) {
            self.name_members(machine, layout, words, words[layout.global(*global)]);
        }
        for new in 0..layout.threads {
            let thread = self.renaming.threads[new];
            for local in machine.kinds.locals(ADDRS) {
                self.name_members(machine, layout, words, words[layout.local(thread, *local)]);
            }
        }
    }

    fn name_members(&mut self, machine: &Machine<'_>, layout: &Layout, words: &[Word], set: Word) {
        for member in machine.sets.members(set) {
            self.name_chain(layout, words, *member);
        }
    }

    fn rewrite(&mut self, machine: &mut Machine<'_>, layout: &Layout, words: &mut [Word]) {
        let mut old = std::mem::take(&mut self.old);
        old.clear();
        old.extend_from_slice(words);
        self.tids.clear();
        self.tids.resize(layout.threads + 1, 0);
        for (new, thread) in self.renaming.threads.iter().enumerate() {
            self.tids[*thread + 1] = tid(new);
        }
        let system = machine.system;
        for (place, global) in system.globals.iter().enumerate() {
            words[place] = self.rename(&mut machine.sets, global.ty, old[place]);
        }
        for new in 0..layout.threads {
            let from = layout.thread(self.renaming.threads[new]);
            let to = layout.thread(new);
            let fixed = 1 + layout.sites;
            words[to..to + fixed].copy_from_slice(&old[from..from + fixed]);
            for (place, local) in system.locals.iter().enumerate() {
                let word = old[from + fixed + place];
                words[to + fixed + place] = self.rename(&mut machine.sets, local.ty, word);
            }
        }
        let cells = layout.thread(layout.threads);
        words[cells..].fill(0);
        for cell in 1..=layout.cells {
            let name = self.renaming.cells[cell];
            if name != 0 {
                for field in FIELDS {
                    let ty = super::memory::field_type(field);
                    let word = old[layout.field(cell as Word, field)];
                    words[layout.field(name as Word, field)] =
                        self.rename(&mut machine.sets, ty, word);
                }
            }
        }
        self.old = old;
    }

    fn rename(&self, sets: &mut Sets, ty: Type, word: Word) -> Word {
        match ty {
            Type::Scalar(Scalar::Tid) => self.tids[word as usize],
            Type::Scalar(Scalar::Addr) => self.renaming.cells[word as usize] as Word,
            Type::Set(Scalar::Tid) => sets.map(word, |member| self.tids[member as usize]),
            Type::Set(Scalar::Addr) => {
                sets.map(word, |member| self.renaming.cells[member as usize] as Word)
            }
            _ => word,
        }
    }
}

/// Drops the values of dead variables.
fn clear_dead(machine: &Machine<'_>, layout: &Layout, words: &mut [Word]) {
    for thread in 0..layout.threads {
        let start = layout.thread(thread);
        for slot in machine.liveness.dead(words[start] as usize) {
            words[start + *slot as usize] = 0;
        }
    }
}

fn set_key(sets: &Sets, set: Word, has: bool) -> Word {
    2 * sets.members(set).len() as Word + Word::from(has)
}

fn is_blank(layout: &Layout, words: &[Word], cell: usize) -> bool {
    FIELDS.into_iter().all(|field| words[layout.field(cell as Word, field)] == 0)
}
