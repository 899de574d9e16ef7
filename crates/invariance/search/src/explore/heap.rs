//! Which cells of the heap are in use.

use super::memory::{Layout, Word};
use super::sets::Sets;
use ser_syntax::inv::ast::{Field, GlobalId, LocalId, Scalar, System, Type};

/// Where a program keeps addresses and threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    pub global_addrs: Vec<GlobalId>,
    pub global_addr_sets: Vec<GlobalId>,
    pub local_addrs: Vec<LocalId>,
    pub local_addr_sets: Vec<LocalId>,
    pub global_tids: Vec<GlobalId>,
    pub global_tid_sets: Vec<GlobalId>,
    pub local_tids: Vec<LocalId>,
    pub local_tid_sets: Vec<LocalId>,
}

impl Kinds {
    pub fn new(system: &System) -> Kinds {
        let globals = |ty: Type| {
            let numbered = (0..).map(GlobalId).zip(&system.globals);
            numbered.filter(|(_, global)| global.ty == ty).map(|(id, _)| id).collect()
        };
        let locals = |ty: Type| {
            let numbered = (0..).map(LocalId).zip(&system.locals);
            numbered.filter(|(_, local)| local.ty == ty).map(|(id, _)| id).collect()
        };
        let (addr, tid) = (Scalar::Addr, Scalar::Tid);
        Kinds {
            global_addrs: globals(Type::Scalar(addr)),
            global_addr_sets: globals(Type::Set(addr)),
            local_addrs: locals(Type::Scalar(addr)),
            local_addr_sets: locals(Type::Set(addr)),
            global_tids: globals(Type::Scalar(tid)),
            global_tid_sets: globals(Type::Set(tid)),
            local_tids: locals(Type::Scalar(tid)),
            local_tid_sets: locals(Type::Set(tid)),
        }
    }

    /// Whether a state can speak of addresses at all.
    pub fn has_heap(&self) -> bool {
        let lists = [self.global_addrs.len(), self.global_addr_sets.len()];
        lists.iter().sum::<usize>() + self.local_addrs.len() + self.local_addr_sets.len() > 0
    }

    /// Whether a state can speak of threads at all.
    pub fn has_tids(&self) -> bool {
        let globals = self.global_tids.len() + self.global_tid_sets.len();
        globals + self.local_tids.len() + self.local_tid_sets.len() > 0 || self.has_heap()
    }

    /// The slots of all variables of type `addr`.
    pub fn addr_slots<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = usize> + 'a {
        slots(layout, &self.global_addrs, &self.local_addrs)
    }

    /// The slots of all variables of type `set<addr>`.
    pub fn addr_set_slots<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = usize> + 'a {
        slots(layout, &self.global_addr_sets, &self.local_addr_sets)
    }
}

fn slots<'a>(
    layout: &'a Layout,
    globals: &'a [GlobalId],
    locals: &'a [LocalId],
) -> impl Iterator<Item = usize> + 'a {
    let of_threads = (0..layout.threads)
        .flat_map(move |thread| locals.iter().map(move |local| layout.local(thread, *local)));
    globals.iter().map(|global| layout.global(*global)).chain(of_threads)
}

/// Marks a cell and those behind it.
pub(super) fn mark_chain(layout: &Layout, words: &[Word], from: Word, marks: &mut [bool]) {
    let mut at = from;
    while let Some(mark) = marks.get_mut(at as usize)
        && !*mark
        && at != 0
    {
        *mark = true;
        at = words[layout.field(at, Field::Next)];
    }
}

/// The cells that `malloc` must not give: those that some variable of type `addr` has or leads to,
/// and the members of variables of type `set<addr>`.
pub(super) fn held(kinds: &Kinds, layout: &Layout, words: &[Word], sets: &Sets) -> Vec<bool> {
    let mut marks = vec![false; layout.cells + 1];
    for slot in kinds.addr_slots(layout) {
        mark_chain(layout, words, words[slot], &mut marks);
    }
    for slot in kinds.addr_set_slots(layout) {
        for member in sets.members(words[slot]) {
            if let Some(mark) = marks.get_mut(*member as usize) {
                *mark = *member != 0;
            }
        }
    }
    marks
}

/// The cells that somebody can still come to. Besides those that are held, these are the ones
/// behind a member of a set. What is in other cells does not matter any more: `malloc` sets all
/// three fields.
pub(super) fn alive(kinds: &Kinds, layout: &Layout, words: &[Word], sets: &Sets) -> Vec<bool> {
    let mut marks = vec![false; layout.cells + 1];
    for slot in kinds.addr_slots(layout) {
        mark_chain(layout, words, words[slot], &mut marks);
    }
    for slot in kinds.addr_set_slots(layout) {
        for member in sets.members(words[slot]) {
            mark_chain(layout, words, *member, &mut marks);
        }
    }
    marks
}
