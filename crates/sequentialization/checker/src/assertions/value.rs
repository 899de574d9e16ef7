//! Abstract values and stores.

use crate::derivation::Symbol;
use crate::sequential::Ghost;
use ser_syntax::icet::ast::{ConstructorId, ProcessId, VarId};
use std::collections::BTreeMap;

/// What is known about a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    Int(i64),
    Bool(bool),
    Enum(u32),
    /// The address of a single process.
    Process(ProcessId),
    /// The address of a named member.
    Member(Symbol),
    /// The address of the member itself: only in classes.
    Itself,
    Message(ConstructorId, Vec<Value>),
    /// Some value: the same number is the same value everywhere in a state.
    Unknown(u32),
    /// Some value, another one for every member or message: only in classes and bags. The same
    /// number is the same value within the store of one member, or within one message.
    Own(u32),
}

/// How many nodes a value may have; what is larger is unknown.
pub(super) const LARGEST: usize = 200;

/// A variable or a ghost of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Name {
    Variable(VarId),
    Ghost(Ghost),
}

/// What is known about the variables of one process. What is not there may have any value.
pub(super) type Store = BTreeMap<Name, Value>;

impl Value {
    /// The same value with other leaves.
    pub(super) fn map(&self, leaf: &mut dyn FnMut(&Value) -> Value) -> Value {
        match self {
            Value::Message(constructor, fields) => {
                Value::Message(*constructor, fields.iter().map(|it| it.map(leaf)).collect())
            }
            other => leaf(other),
        }
    }

    /// How many nodes it has.
    pub(super) fn size(&self) -> usize {
        match self {
            Value::Message(_, fields) => 1 + fields.iter().map(Value::size).sum::<usize>(),
            _ => 1,
        }
    }

    /// Whether some leaf is like this.
    pub(super) fn any(&self, leaf: &dyn Fn(&Value) -> bool) -> bool {
        match self {
            Value::Message(_, fields) => fields.iter().any(|it| it.any(leaf)),
            other => leaf(other),
        }
    }

    /// Puts another value in the place of a leaf.
    pub(super) fn replace(&mut self, leaf: &Value, by: &Value) {
        match self {
            Value::Message(_, fields) => fields.iter_mut().for_each(|it| it.replace(leaf, by)),
            other if other == leaf => other.clone_from(by),
            _ => {}
        }
    }
}

/// The same store with other leaves.
pub(super) fn map_store(store: &Store, leaf: &mut dyn FnMut(&Value) -> Value) -> Store {
    store.iter().map(|(slot, value)| (*slot, value.map(leaf))).collect()
}

/// Whether two values are equal, if that is decided. Different names are different members.
pub(super) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Unknown(l), Value::Unknown(r)) => (l == r).then_some(true),
        (Value::Unknown(_) | Value::Own(_) | Value::Itself, _)
        | (_, Value::Unknown(_) | Value::Own(_) | Value::Itself) => None,
        (Value::Message(l, left), Value::Message(r, right)) => {
            if l != r || left.len() != right.len() {
                return Some(false);
            }
            let mut all = Some(true);
            for (left, right) in left.iter().zip(right) {
                match equal(left, right) {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    None => all = None,
                }
            }
            all
        }
        _ => Some(left == right),
    }
}

/// Whether everything that `special` stands for is something that `general` stands for, too.
pub(super) fn covers(general: &Store, special: &Store) -> bool {
    let mut chosen = BTreeMap::new();
    general.iter().all(|(slot, value)| {
        special.get(slot).is_some_and(|it| covers_value(value, it, &mut chosen))
    })
}

/// The same for values; `chosen` says what the own unknowns of `general` stand for.
pub(super) fn covers_value(
    general: &Value,
    special: &Value,
    chosen: &mut BTreeMap<u32, Value>,
) -> bool {
    match (general, special) {
        (Value::Own(number), _) => {
            chosen.entry(*number).or_insert_with(|| special.clone()) == special
        }
        (Value::Message(l, left), Value::Message(r, right)) => {
            l == r
                && left.len() == right.len()
                && left.iter().zip(right).all(|(l, r)| covers_value(l, r, chosen))
        }
        _ => general == special,
    }
}
