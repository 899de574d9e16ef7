//! Which cells of the heap are in use.

use super::memory::{Layout, Word};
use super::sets::Sets;
use ser_syntax::inv::ast::{Field, GlobalId, LocalId, Scalar, System, Type};
use std::collections::BTreeMap;

pub(super) const ADDR: Type = Type::Scalar(Scalar::Addr);
pub(super) const ADDRS: Type = Type::Set(Scalar::Addr);
pub(super) const TID: Type = Type::Scalar(Scalar::Tid);
pub(super) const TIDS: Type = Type::Set(Scalar::Tid);

/// The variables of each type.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    globals: BTreeMap<Type, Vec<GlobalId>>,
    locals: BTreeMap<Type, Vec<LocalId>>,
}

impl Kinds {
    pub fn new(system: &System) -> Kinds {
        let mut kinds = Kinds::default();
        for (id, global) in (0..).map(GlobalId).zip(&system.globals) {
            kinds.globals.entry(global.ty).or_default().push(id);
        }
        for (id, local) in (0..).map(LocalId).zip(&system.locals) {
            kinds.locals.entry(local.ty).or_default().push(id);
        }
        kinds
    }

    pub fn globals(&self, ty: Type) -> &[GlobalId] {
        self.globals.get(&ty).map_or(&[], Vec::as_slice)
    }

    pub fn locals(&self, ty: Type) -> &[LocalId] {
        self.locals.get(&ty).map_or(&[], Vec::as_slice)
    }

    fn has(&self, ty: Type) -> bool {
        self.globals.contains_key(&ty) || self.locals.contains_key(&ty)
    }

    /// Whether a state can speak of addresses at all.
    pub fn has_heap(&self) -> bool {
        self.has(ADDR) || self.has(ADDRS)
    }

    /// Whether a state can speak of threads at all.
    pub fn has_tids(&self) -> bool {
        self.has(TID) || self.has(TIDS) || self.has_heap()
    }

    /// The slots of all variables of a type.
    pub fn slots<'a>(&'a self, layout: &'a Layout, ty: Type) -> impl Iterator<Item = usize> + 'a {
        let locals = self.locals(ty);
        let of_threads = (0..layout.threads)
            .flat_map(move |thread| locals.iter().map(move |local| layout.local(thread, *local)));
        self.globals(ty).iter().map(|global| layout.global(*global)).chain(of_threads)
    }
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

/// The cells that some variable of type `addr` has or leads to.
fn chained(kinds: &Kinds, layout: &Layout, words: &[Word]) -> Vec<bool> {
    let mut marks = vec![false; layout.cells + 1];
    for slot in kinds.slots(layout, ADDR) {
        mark_chain(layout, words, words[slot], &mut marks);
    }
    marks
}

/// The cells that `malloc` must not give: those that some variable of type `addr` has or leads to,
/// and the members of variables of type `set of addr`.
pub(super) fn held(kinds: &Kinds, layout: &Layout, words: &[Word], sets: &Sets) -> Vec<bool> {
    let mut marks = chained(kinds, layout, words);
    for slot in kinds.slots(layout, ADDRS) {
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
    let mut marks = chained(kinds, layout, words);
    for slot in kinds.slots(layout, ADDRS) {
        for member in sets.members(words[slot]) {
            mark_chain(layout, words, *member, &mut marks);
        }
    }
    marks
}
