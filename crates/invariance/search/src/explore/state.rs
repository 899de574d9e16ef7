//! States that can be made and looked at from outside.

use super::memory::{FIELDS, HIGHEST, LOWEST, Layout, Word, tid};
use super::sets::Sets;
use super::step::Machine;
use ser_invariance_checker::run::{Cell, Elem, State, ThreadState, Value};
use ser_syntax::inv::ast::{Field, GlobalId, LocId, LocalId, ProcId, Scalar, System, Type};
use std::collections::BTreeSet;

/// Why something is no state of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAState {
    /// There are more or fewer values than variables.
    Count,
    /// A value has another type than its variable.
    Type,
    /// An element that is out of the range of machine words.
    Elem,
    /// `null` has a cell.
    NullCell,
    /// There is no such location, or no such call.
    Location,
    /// Too many threads.
    Threads,
}

/// How many threads an instance may have here.
pub const MAX_THREADS: usize = 1000;

/// A state in words, with addresses renumbered from 1 without gaps.
pub(super) struct Frame {
    pub layout: Layout,
    pub words: Vec<Word>,
    /// The addresses that the numbers stand for; that of `null` first.
    addresses: Vec<u32>,
}

impl Frame {
    /// A state in words. The values in `more` can be put into words, too.
    pub fn new(
        machine: &mut Machine<'_>,
        state: &State,
        more: &[Value],
    ) -> Result<Frame, NotAState> {
        let system = machine.system;
        if state.threads.len() > MAX_THREADS {
            return Err(NotAState::Threads);
        }
        if state.cells.contains_key(&0) {
            return Err(NotAState::NullCell);
        }
        let mut addresses = BTreeSet::from([0]);
        addresses.extend(state.cells.keys());
        addresses.extend(state.cells.values().map(|cell| cell.next));
        let locals = state.threads.iter().flat_map(|thread| &thread.locals);
        for value in state.globals.iter().chain(locals).chain(more) {
            addresses_of(value, &mut addresses);
        }
        let addresses: Vec<u32> = addresses.into_iter().collect();
        let layout = machine.layout(state.threads.len(), addresses.len() - 1);
        let words = vec![0; layout.words()];
        let mut frame = Frame { layout, words, addresses };

        let count = |found: usize, wanted: usize| match found == wanted {
            true => Ok(()),
            false => Err(NotAState::Count),
        };
        count(state.globals.len(), system.globals.len())?;
        for (place, (value, global)) in state.globals.iter().zip(&system.globals).enumerate() {
            frame.words[place] = frame.word(&mut machine.sets, value, global.ty)?;
        }
        for (number, thread) in state.threads.iter().enumerate() {
            if machine.flow.node(thread.location).is_none() {
                return Err(NotAState::Location);
            }
            let slot = frame.layout.location(number);
            frame.words[slot] = Word::from(thread.location.0);
            for (place, procedure) in machine.flow.with_site().iter().enumerate() {
                let calls = machine.flow.calls(*procedure);
                let mut locations = calls.iter().map(|call| call.location);
                let site = match thread.sites.get(procedure) {
                    None => locations.next().unwrap_or(LocId(0)),
                    Some(site) if locations.any(|location| location == *site) => *site,
                    Some(_) => return Err(NotAState::Location),
                };
                let slot = frame.layout.site(number, place);
                frame.words[slot] = Word::from(site.0);
            }
            count(thread.locals.len(), system.locals.len())?;
            for (place, (value, local)) in thread.locals.iter().zip(&system.locals).enumerate() {
                let slot = frame.layout.local(number, LocalId(place as u32));
                frame.words[slot] = frame.word(&mut machine.sets, value, local.ty)?;
            }
        }
        for (address, cell) in &state.cells {
            let address = frame.number(*address);
            let words = [
                frame.number(cell.next),
                elem_word(cell.data)?,
                cell.lockid.map_or(0, |thread| tid(thread as usize)),
            ];
            for (field, word) in FIELDS.into_iter().zip(words) {
                let slot = frame.layout.field(address, field);
                frame.words[slot] = word;
            }
        }
        Ok(frame)
    }

    /// The number that an address has here.
    fn number(&self, address: u32) -> Word {
        self.addresses.binary_search(&address).unwrap_or(0) as Word
    }

    /// A value in words, if it has this type.
    fn word(&self, sets: &mut Sets, value: &Value, ty: Type) -> Result<Word, NotAState> {
        let (has, word) = self.typed_word(sets, value)?;
        let fits = match has {
            Some(has) => has == ty,
            None => matches!(ty, Type::Set(_)),
        };
        if fits { Ok(word) } else { Err(NotAState::Type) }
    }

    /// A value in words, with its type; the empty set has none.
    pub fn typed_word(
        &self,
        sets: &mut Sets,
        value: &Value,
    ) -> Result<(Option<Type>, Word), NotAState> {
        Ok(match value {
            Value::Bool(value) => (Some(Type::Bool), Word::from(*value)),
            Value::Int(value) => (Some(Type::Scalar(Scalar::Int)), *value),
            Value::Tid(thread) => {
                let word = thread.map_or(0, |thread| tid(thread as usize));
                (Some(Type::Scalar(Scalar::Tid)), word)
            }
            Value::Addr(address) => (Some(Type::Scalar(Scalar::Addr)), self.number(*address)),
            Value::Elem(elem) => (Some(Type::Scalar(Scalar::Elem)), elem_word(*elem)?),
            Value::Set(members) => {
                let mut scalar = None;
                let mut words = Vec::with_capacity(members.len());
                for member in members {
                    // Members are no sets: this goes no deeper.
                    let (Some(Type::Scalar(has)), word) = (match member {
                        Value::Set(_) | Value::Bool(_) => return Err(NotAState::Type),
                        _ => self.typed_word(sets, member)?,
                    }) else {
                        return Err(NotAState::Type);
                    };
                    if scalar.is_some_and(|scalar| scalar != has) {
                        return Err(NotAState::Type);
                    }
                    scalar = Some(has);
                    words.push(word);
                }
                (scalar.map(Type::Set), sets.number(words))
            }
        })
    }

    /// What a word of this type means.
    pub fn value(&self, sets: &Sets, ty: Type, word: Word) -> Value {
        value_of(sets, ty, word, &|address| {
            self.addresses.get(address as usize).copied().unwrap_or(0)
        })
    }

    /// The state that the words mean.
    pub fn state(&self, machine: &Machine<'_>) -> State {
        let address = |word: Word| self.addresses.get(word as usize).copied().unwrap_or(0);
        state_of(machine, &self.layout, &self.words, &address)
    }
}

fn addresses_of(value: &Value, found: &mut BTreeSet<u32>) {
    match value {
        Value::Addr(address) => {
            found.insert(*address);
        }
        Value::Set(members) => {
            for member in members {
                if let Value::Addr(address) = member {
                    found.insert(*address);
                }
            }
        }
        _ => {}
    }
}

fn elem_word(elem: Elem) -> Result<Word, NotAState> {
    match elem {
        Elem::Lowest => Ok(LOWEST),
        Elem::Highest => Ok(HIGHEST),
        Elem::Between(LOWEST | HIGHEST) => Err(NotAState::Elem),
        Elem::Between(value) => Ok(value),
    }
}

/// What a word of this type means, if addresses mean what `address` says.
pub(super) fn value_of(sets: &Sets, ty: Type, word: Word, address: &dyn Fn(Word) -> u32) -> Value {
    let scalar = |scalar: Scalar, word: Word| match scalar {
        Scalar::Int => Value::Int(word),
        Scalar::Tid => Value::Tid(thread_of(word)),
        Scalar::Addr => Value::Addr(address(word)),
        Scalar::Elem => Value::Elem(elem_of(word)),
    };
    match ty {
        Type::Bool => Value::Bool(word != 0),
        Type::Scalar(kind) => scalar(kind, word),
        Type::Set(kind) => {
            Value::Set(sets.members(word).iter().map(|member| scalar(kind, *member)).collect())
        }
    }
}

fn thread_of(word: Word) -> Option<u32> {
    word.checked_sub(1).and_then(|thread| u32::try_from(thread).ok())
}

fn elem_of(word: Word) -> Elem {
    match word {
        LOWEST => Elem::Lowest,
        HIGHEST => Elem::Highest,
        value => Elem::Between(value),
    }
}

/// The state that words mean. Cells that are like [`Cell::default`] are left out.
pub(super) fn state_of(
    machine: &Machine<'_>,
    layout: &Layout,
    words: &[Word],
    address: &dyn Fn(Word) -> u32,
) -> State {
    let system: &System = machine.system;
    let value = |ty: Type, word: Word| value_of(&machine.sets, ty, word, address);
    let globals = (0..).map(GlobalId).zip(&system.globals);
    let globals = globals.map(|(id, global)| value(global.ty, words[layout.global(id)]));
    let threads = (0..layout.threads).map(|thread| {
        let locals = (0..).map(LocalId).zip(&system.locals);
        let locals = locals.map(|(id, local)| value(local.ty, words[layout.local(thread, id)]));
        let sites = machine.flow.with_site().iter().enumerate();
        let sites = sites.filter_map(|(place, procedure)| {
            let word = words[layout.site(thread, place)];
            let calls = machine.flow.calls(*procedure);
            // A site that does not matter may have been forgotten.
            let call = calls.iter().find(|call| Word::from(call.location.0) == word);
            call.or(calls.first()).map(|call| (*procedure, call.location))
        });
        ThreadState {
            location: LocId(words[layout.location(thread)] as u32),
            locals: locals.collect(),
            sites: sites.collect(),
        }
    });
    let cells = (1..=layout.cells as Word).filter_map(|cell| {
        let word = |field: Field| words[layout.field(cell, field)];
        let content = Cell {
            next: address(word(Field::Next)),
            data: elem_of(word(Field::Data)),
            lockid: thread_of(word(Field::Lockid)),
        };
        (content != Cell::default()).then(|| (address(cell), content))
    });
    State { globals: globals.collect(), threads: threads.collect(), cells: cells.collect() }
}

/// The first words of a thread that starts: its location, and its sites.
pub(super) fn place_thread(
    machine: &Machine<'_>,
    layout: &Layout,
    words: &mut [Word],
    thread: usize,
) {
    words[layout.location(thread)] = Word::from(machine.flow.entry(ProcId(0)).0);
    for (place, procedure) in machine.flow.with_site().iter().enumerate() {
        let first = machine.flow.calls(*procedure).first();
        words[layout.site(thread, place)] = first.map_or(0, |call| Word::from(call.location.0));
    }
}
