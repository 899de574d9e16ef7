//! Frames: the body of a loop or of a turn, looked at once for all its repetitions.
//!
//! Inside, nothing is known about variables that an earlier repetition may have changed (*havoc*), messages that were under
//! way before are not touched, and nobody is known to have heard of anybody. At the end everybody but the processes that the rule is about must be
//! where he was.
//!
//! Messages of the member that moved on, to processes that are not concerned, are *postponed* (R-Send-Resid): they are put
//! in front of what the member has still to do, in their order. That is exact: a message under way and a send that comes next
//! are one step apart, and that step is always possible. Messages of others are left in a bag: see [`nondet`](super::nondet).

use super::unfold::renumber;
use crate::code::{Code, Item};
use crate::failure::{Stuck, Why};
use crate::state::{Channel, Context, Key, Letter, Member, Origin, State, cell_of};
use crate::value::{MAX_CASES, Value};
use ser_sequentialization_checker::{Cell, Slot, Symbol};
use ser_syntax::icet::ast::{SetId, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// What a frame started with.
#[derive(Clone)]
pub struct Entry<'p> {
    /// The codes of the single processes.
    pub singles: BTreeMap<u32, Code<'p>>,
    /// The codes of members that were unfolded before.
    pub members: BTreeMap<Symbol, Code<'p>>,
    /// The values.
    pub cells: BTreeMap<Cell, BTreeMap<Key, Value>>,
    /// Numbers from here on are new.
    pub mark: u32,
}

/// Starts a frame with these variables unknown.
pub fn enter<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    havoc: &BTreeSet<(Cell, Key)>,
) -> (State<'p>, Entry<'p>) {
    let mut inner = state.clone();
    let mark = context.fresh();
    inner.depth += 1;
    inner.script = Vec::new();
    inner.assigned.clear();
    inner.outdated.clear();
    inner.knows.clear();
    inner.moving = None;
    inner.draws.clear();
    inner.frozen.extend(
        state.queues.iter().filter(|(_, queue)| !queue.is_empty()).map(|(channel, _)| *channel),
    );
    for letter in inner.queues.values_mut().flatten() {
        letter.knows.clear();
    }
    for member in state.members.values() {
        inner.whole.remove(&member.set);
    }
    forget(&mut inner, context, havoc);
    let entry = Entry {
        singles: inner.singles.clone(),
        members: inner.members.iter().map(|(symbol, it)| (*symbol, it.code.clone())).collect(),
        cells: inner.cells.clone(),
        mark,
    };
    (inner, entry)
}

/// Forgets the values of variables.
pub fn forget<'p>(state: &mut State<'p>, context: &Context<'p>, which: &BTreeSet<(Cell, Key)>) {
    for (cell, key) in which {
        let value = match cell {
            Cell::Set(_) => Value::Top,
            _ => Value::Unknown(context.fresh()),
        };
        state.cells.entry(*cell).or_default().insert(*key, value);
    }
}

/// The variables that a repetition changes and that are not forgotten yet.
pub fn changed<'p>(inner: &State<'p>, entry: &Entry<'p>) -> BTreeSet<(Cell, Key)> {
    let mut changed = BTreeSet::new();
    for (cell, key) in &inner.assigned {
        if matches!(key, Key::Ghost(_)) || !entry.cells.contains_key(cell) {
            continue;
        }
        let before = entry.cells.get(cell).and_then(|cell| cell.get(key));
        let after = inner.get(*cell, *key);
        if before != after || after.is_none() {
            changed.insert((*cell, *key));
        }
    }
    changed
}

/// The messages that the frame leaves under way, by channel.
pub fn leftovers(inner: &State<'_>) -> Vec<(Channel, Vec<Letter>)> {
    let open = inner
        .queues
        .iter()
        .filter(|(channel, queue)| !queue.is_empty() && !inner.frozen.contains(channel));
    open.map(|(channel, queue)| (*channel, queue.iter().cloned().collect())).collect()
}

/// The complaint about a message that nobody receives.
pub fn superfluous<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    (from, to, message): Channel,
    letter: &Letter,
) -> Stuck {
    let from = context.process_of(cell_of(from), state);
    let to = context.process_of(cell_of(to), state);
    Stuck::at(Why::Superfluous { send: letter.tag, message, from, to }, from, letter.tag)
}

/// A set all of whose members moved on: its new code and values.
pub struct Moved<'p> {
    pub code: Code<'p>,
    pub values: BTreeMap<Key, Value>,
}

/// Looks at the member that moved on, whose messages under way are `letters`.
pub fn moved<'p>(
    inner: &State<'p>,
    context: &Context<'p>,
    entry: &Entry<'p>,
    symbol: Symbol,
    letters: &[(Channel, Vec<Letter>)],
) -> Result<Moved<'p>, Stuck> {
    let process = context.process_of(Cell::Member(symbol), inner);
    let Some(member) = inner.members.get(&symbol) else {
        return Err(Stuck::new(Why::NoProgress));
    };
    let mut code = member.code.clone();
    let mut kept = BTreeSet::new();
    for ((_, to, message), queue) in letters.iter().rev() {
        let Slot::Process(to) = *to else { return Err(Stuck::new(Why::NoRule)) };
        for letter in queue.iter().rev() {
            kept.insert(Key::Ghost(letter.ghost));
            code.push(Item::Postponed {
                tag: letter.tag,
                message: *message,
                to: ser_syntax::icet::ast::ProcessId(to),
                ghost: letter.ghost,
            });
        }
    }
    let before = inner.sets.get(&member.set).map_or(0, Code::size);
    if code.size() >= before {
        return Err(Stuck::new(Why::NoProgress));
    }
    if let Some(tag) = pivot(member)
        && code.sends(tag)
    {
        return Err(Stuck::at(Why::OutOfTurn { set: member.set }, process, tag));
    }
    for item in code.items() {
        if let Item::Postponed { ghost, .. } = item {
            kept.insert(Key::Ghost(ghost));
        }
    }
    let values = inner.cells.get(&Cell::Member(symbol)).cloned().unwrap_or_default();
    let values = values
        .into_iter()
        .filter(|(key, _)| matches!(key, Key::Variable(_)) || kept.contains(key))
        .map(|(key, value)| {
            let new = |number: u32| number >= entry.mark;
            (key, generalise(&value, symbol, &new, &|other| other.0 >= entry.mark))
        })
        .collect();
    Ok(Moved { code, values })
}

/// The statement whose message was received in the turn of this member.
pub fn pivot(member: &Member<'_>) -> Option<StmtId> {
    match member.origin {
        Origin::Named => None,
        Origin::Turn { pivot } | Origin::Sender { pivot, .. } => pivot,
    }
}

/// The value of one member as that of all: `symbol` becomes the member itself, what is new becomes anything.
pub fn generalise(
    value: &Value,
    symbol: Symbol,
    new: &dyn Fn(u32) -> bool,
    new_symbol: &dyn Fn(Symbol) -> bool,
) -> Value {
    value.map(&mut |inner| match inner {
        Value::Member(other) if *other == symbol => Some(Value::Itself),
        Value::Member(other) if new_symbol(*other) => Some(Value::Top),
        Value::Unknown(number) if new(*number) => Some(Value::Top),
        _ => None,
    })
}

/// What covers both, in the variables of a set.
pub fn join_general(context: &Context<'_>, left: &Value, right: &Value) -> Value {
    if left == right { left.clone() } else { cover(context, left, right, &|| Value::Top) }
}

/// What covers both; `anything` where they have nothing in common.
pub fn cover(
    context: &Context<'_>,
    left: &Value,
    right: &Value,
    anything: &dyn Fn() -> Value,
) -> Value {
    if left == right {
        return left.clone();
    }
    let cases = |value: &Value| match value {
        Value::Message(constructor, fields) => Some(vec![(*constructor, fields.clone())]),
        Value::Choice(_, cases) => Some(cases.clone()),
        _ => None,
    };
    let (Some(mut all), Some(others)) = (cases(left), cases(right)) else { return anything() };
    for (constructor, fields) in others {
        match all.iter_mut().find(|(known, _)| *known == constructor) {
            Some((_, known)) => {
                for (one, two) in known.iter_mut().zip(&fields) {
                    *one = cover(context, one, two, anything);
                }
            }
            None => all.push((constructor, fields)),
        }
    }
    all.sort_by_key(|(constructor, _)| *constructor);
    if all.len() > MAX_CASES {
        return anything();
    }
    match all.as_slice() {
        [(constructor, fields)] => Value::Message(*constructor, fields.clone()),
        _ => renumber(context, &Value::Choice(0, all)),
    }
}

/// What happened in a frame and matters outside: whom nobody knows of any more, and which messages came unasked.
pub fn leave<'p>(outer: &mut State<'p>, inner: &State<'p>) {
    outer.told.extend(inner.told.iter().copied());
    outer.replies.extend(inner.replies.iter().copied());
    outer.outdated.extend(inner.outdated.iter().copied());
    for known in outer.knows.values_mut() {
        known.retain(|slot| !inner.outdated.contains(slot));
    }
    for letter in outer.queues.values_mut().flatten() {
        letter.knows.retain(|slot| !inner.outdated.contains(slot));
    }
    for (cell, key) in &inner.assigned {
        if outer.cells.contains_key(cell) {
            outer.assigned.insert((*cell, *key));
        }
    }
}

/// The havoc set as derivations write it.
pub fn written(havoc: &BTreeSet<(Cell, Key)>) -> Vec<(Cell, u32)> {
    let variables = havoc.iter().filter_map(|(cell, key)| match key {
        Key::Variable(variable) => Some((*cell, variable.0)),
        Key::Ghost(_) => None,
    });
    variables.collect()
}

/// Gives the set its new code and values.
pub fn move_on<'p>(outer: &mut State<'p>, set: SetId, moved: Moved<'p>) {
    outer.sets.insert(set, moved.code);
    let keys: Vec<Key> = moved.values.keys().copied().collect();
    outer.cells.insert(Cell::Set(set.0), moved.values);
    outer.assigned.extend(keys.into_iter().map(|key| (Cell::Set(set.0), key)));
}
