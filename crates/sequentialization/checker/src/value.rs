//! Abstract values: what is known about the value of a variable.

use crate::derivation::Symbol;
use ser_syntax::icet::ast::{ConstructorId, EnumId, ProcessId};
use std::collections::BTreeMap;

/// The number of an unknown or of a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(pub u64);

/// One constructor of a choice, with its fields.
pub type Case = (ConstructorId, Vec<Value>);

/// What is known about a value. The same value is the same concrete value: [`Value::Top`] alone
/// stands for several, and occurs only where one cell speaks of several members or messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Int(i64),
    Bool(bool),
    Enum(EnumId, u32),
    /// The address of a single process.
    Process(ProcessId),
    /// A member of a set of processes, or an index.
    Member(Symbol),
    /// The address of the member whose cell this is: only in cells of sets.
    Itself,
    Message(ConstructorId, Vec<Value>),
    /// A message with one of these constructors, ascending.
    Choice(Number, Vec<Case>),
    Unknown(Number),
    /// Anything, and another one for every member or message.
    Top,
}

/// How many nodes a value may have; so recursion on values is shallow, too.
pub const LARGEST_VALUE: usize = 500;

impl Value {
    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let of = |fields: &[Value]| fields.iter().map(Value::size).sum::<usize>();
        match self {
            Value::Message(_, fields) => 1 + of(fields),
            Value::Choice(_, cases) => 1 + cases.iter().map(|(_, it)| 1 + of(it)).sum::<usize>(),
            _ => 1,
        }
    }

    /// The same value, with `leaf` applied to what has no parts and new numbers for choices.
    pub fn rewrite(&self, by: &mut dyn Rewrite) -> Value {
        fn all(fields: &[Value], by: &mut dyn Rewrite) -> Vec<Value> {
            fields.iter().map(|field| field.rewrite(by)).collect()
        }
        match self {
            Value::Message(constructor, fields) => Value::Message(*constructor, all(fields, by)),
            Value::Choice(number, cases) => {
                let number = by.choice(*number);
                Value::Choice(number, cases.iter().map(|(c, it)| (*c, all(it, by))).collect())
            }
            leaf => by.leaf(leaf),
        }
    }

    /// The same value with `by` instead of the unknown or choice `number`.
    pub fn substitute(&mut self, number: Number, by: &Value) {
        match self {
            Value::Unknown(it) if *it == number => *self = by.clone(),
            Value::Choice(it, _) if *it == number => *self = by.clone(),
            Value::Message(_, fields) => {
                fields.iter_mut().for_each(|field| field.substitute(number, by));
            }
            Value::Choice(_, cases) => {
                let fields = cases.iter_mut().flat_map(|(_, fields)| fields);
                fields.for_each(|field| field.substitute(number, by));
            }
            _ => {}
        }
    }
}

/// How [`Value::rewrite`] changes a value.
pub trait Rewrite {
    fn leaf(&mut self, value: &Value) -> Value;
    fn choice(&mut self, number: Number) -> Number;
}

/// Where new numbers come from.
#[derive(Debug, Default)]
pub struct Numbers(u64);

impl Numbers {
    /// A number that was never used.
    pub fn fresh(&mut self) -> Number {
        // Nobody counts to 2^64.
        self.0 = self.0.saturating_add(1);
        Number(self.0)
    }

    /// A new unknown.
    pub fn unknown(&mut self) -> Value {
        Value::Unknown(self.fresh())
    }

    /// A number that comes after all others.
    pub fn end(&self) -> Number {
        Number(u64::MAX)
    }

    /// The number before all that are still to come.
    pub fn now(&self) -> Number {
        Number(self.0)
    }
}

/// From what all members (or messages) have to what one of them has.
pub struct ToOne<'n> {
    numbers: &'n mut Numbers,
    itself: Option<Symbol>,
    choices: BTreeMap<Number, Number>,
}

impl<'n> ToOne<'n> {
    /// `itself` is the name of the one.
    pub fn new(numbers: &'n mut Numbers, itself: Option<Symbol>) -> ToOne<'n> {
        ToOne { numbers, itself, choices: BTreeMap::new() }
    }
}

impl Rewrite for ToOne<'_> {
    fn leaf(&mut self, value: &Value) -> Value {
        match (value, self.itself) {
            (Value::Itself, Some(symbol)) => Value::Member(symbol),
            (Value::Top | Value::Itself, _) => self.numbers.unknown(),
            _ => value.clone(),
        }
    }

    fn choice(&mut self, number: Number) -> Number {
        *self.choices.entry(number).or_insert_with(|| self.numbers.fresh())
    }
}

/// From what one has at the end of a frame to what all of them have: everything that is new in the
/// frame may be different for each.
pub struct ToMany<'n> {
    numbers: &'n mut Numbers,
    itself: Option<Symbol>,
    /// Unknowns after this one are new in the frame.
    since: Number,
    /// Symbols that were there before.
    known: &'n dyn Fn(Symbol) -> bool,
    choices: BTreeMap<Number, Number>,
}

impl<'n> ToMany<'n> {
    /// `itself` is the name of the one; unknowns after `since` and symbols that are not `known` are
    /// new.
    pub fn new(
        numbers: &'n mut Numbers,
        itself: Option<Symbol>,
        since: Number,
        known: &'n dyn Fn(Symbol) -> bool,
    ) -> ToMany<'n> {
        ToMany { numbers, itself, since, known, choices: BTreeMap::new() }
    }
}

impl Rewrite for ToMany<'_> {
    fn leaf(&mut self, value: &Value) -> Value {
        match value {
            Value::Member(symbol) if Some(*symbol) == self.itself => Value::Itself,
            Value::Member(symbol) if !(self.known)(*symbol) => Value::Top,
            Value::Unknown(number) if *number > self.since => Value::Top,
            _ => value.clone(),
        }
    }

    fn choice(&mut self, number: Number) -> Number {
        *self.choices.entry(number).or_insert_with(|| self.numbers.fresh())
    }
}
