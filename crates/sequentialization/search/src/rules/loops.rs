//! R-Loop-Upd, R-Loop-Repeat, R-Iter-Single, R-For-Pair, R-For-Alone: `for` loops, iteration by iteration.
//!
//! ```text
//! one iteration A[x*] runs to its end, everybody else is back where he was, but for one member u of Q,
//! which has moved on from B; C to C
//! ---------------------------------------------------------------------------------------------------
//! [for x in Q { A }; E]_p || prod q:Q.[B; C]_q  -->  for u in Q { ... };  [E]_p || prod q:Q.[C]_q
//! ```
//!
//! Five rules of one shape; which one it is depends on who takes part ([`Shape`]):
//!
//! - *Loop-Upd*: one member of the loop's own set moves on in each iteration; each exactly once, since there are as many iterations
//!   as members. Either it is the one that the loop variable names, or the one whose message is received: then the loop variable is
//!   some other member, and nothing is known about which.
//! - *Loop-Repeat*: members of some set take part and are back at the end, so any of them can be next.
//! - *Iter-Single*: only single processes take part, and are back at the end.
//! - *For-Pair*: loops of several processes over the same set go together. Over indices they are in the same
//!   iteration; over processes each visits the members in an order of its own.
//! - *For-Alone*: nobody else takes part.

use super::frame::{self, Moved};
use crate::code::{Code, Item};
use crate::failure::{Stuck, Why};
use crate::search::{Goal, complete};
use crate::state::{Channel, Context, Key, Letter, Mover, Sack, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Advance, Bag, Cell, Leave, Loop, Slot, Step, Symbol};
use ser_syntax::icet::ast::{ProcessId, SetId, SetKind, Stmt, StmtKind, VarId};
use std::collections::BTreeSet;

/// Who takes part in an iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Whose loops.
    pub slots: Vec<Slot>,
    /// Who moves on.
    pub moves: Moves,
    /// Bags that are emptied.
    pub draws: BTreeSet<Bag>,
}

/// Which member of the loop's set moves on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moves {
    /// None.
    Nobody,
    /// The one that the loop names.
    Named,
    /// The one whose message is received.
    Sender,
}

/// The loop that a slot begins with.
pub fn heads<'p>(state: &State<'p>, slot: Slot) -> Option<(&'p Stmt, VarId, SetId, &'p [Stmt])> {
    match state.head(slot) {
        Some(Item::Statement(stmt)) => match &stmt.kind {
            StmtKind::For { variable, set, body } => Some((stmt, *variable, *set, body)),
            _ => None,
        },
        _ => None,
    }
}

/// Applies the rule to the loops that the slots begin with.
pub fn loops<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    shape: &Shape,
) -> Result<State<'p>, Stuck> {
    let heads: Option<Vec<_>> = shape.slots.iter().map(|slot| heads(state, *slot)).collect();
    let heads = heads.ok_or_else(|| Stuck::new(Why::NoRule))?;
    let Some((_, _, set, _)) = heads.first().copied() else { return Err(Stuck::new(Why::NoRule)) };
    let processes = context.protocol.set(set).kind == SetKind::Processes;
    let fits = heads.iter().all(|(_, _, other, _)| *other == set);
    let moves = shape.moves != Moves::Nobody;
    if !fits
        || moves && (!processes || !state.whole.contains(&set) || state.unfolded(set).is_some())
    {
        return Err(Stuck::new(Why::NoRule));
    }
    let mut havoc = BTreeSet::new();
    loop {
        let (mut inner, mut entry) = frame::enter(state, context, &havoc);
        let first = Symbol(context.fresh());
        let mut symbols = vec![first];
        symbols.resize_with(
            heads.len(),
            || {
                if processes { Symbol(context.fresh()) } else { first }
            },
        );
        let index = Value::Unknown(context.fresh());
        for ((slot, symbol), (_, variable, _, body)) in shape.slots.iter().zip(&symbols).zip(&heads)
        {
            let value = if processes {
                inner.symbols.insert(*symbol, set);
                Value::Member(*symbol)
            } else {
                index.clone()
            };
            let cell = inner.cells.entry(cell_of(*slot)).or_default();
            cell.insert(Key::Variable(*variable), value);
            if let Some(code) = inner.code_mut(*slot) {
                *code = Code::default();
                code.push(Item::Stop);
                code.prepend(body);
            }
        }
        entry.cells = inner.cells.clone();
        inner.inhabited.insert(set);
        inner.draws = shape.draws.clone();
        let (advance, mover) = match shape.moves {
            Moves::Nobody => (Advance::Nobody, None),
            Moves::Named => {
                inner.moving = Some((set, Mover::Named(first)));
                (Advance::Named, Some(first))
            }
            Moves::Sender => {
                let symbol = Symbol(context.fresh());
                inner.moving = Some((set, Mover::Sender(symbol)));
                (Advance::Sender(symbol), Some(symbol))
            }
        };
        if mover.is_some() {
            inner.whole.remove(&set);
        }
        let goal = Goal::Iteration { slots: &shape.slots, mover, entry: &entry };
        complete(&mut inner, context, &goal)?;
        if !inner.draws.is_empty() {
            return Err(Stuck::new(Why::NoRule));
        }
        let guests: Vec<Symbol> = inner
            .members
            .keys()
            .filter(|symbol| Some(**symbol) != mover && !entry.members.contains_key(symbol))
            .copied()
            .collect();
        for symbol in guests {
            // It is like the others again, but for messages that it leaves behind.
            super::unfold::settle_values(&mut inner, context, symbol);
        }
        let mut changed = frame::changed(&inner, &entry);
        for (slot, (_, variable, _, _)) in shape.slots.iter().zip(&heads) {
            changed.remove(&(cell_of(*slot), Key::Variable(*variable)));
        }
        if !changed.is_subset(&havoc) {
            havoc.extend(changed);
            continue;
        }
        let all = frame::leftovers(&inner);
        let of_mover = |(channel, _): &(Channel, Vec<Letter>)| {
            mover.is_some_and(|mover| channel.0 == Slot::Member(mover))
                && matches!(channel.1, Slot::Process(_))
        };
        let (postponed, left): (Vec<_>, Vec<_>) = all.into_iter().partition(of_mover);
        let moved = match mover {
            Some(mover) => Some(frame::moved(&inner, context, &entry, mover, &postponed)?),
            None => None,
        };
        let mut outer = state.clone();
        frame::leave(&mut outer, &inner);
        let leaves = leave_behind(&mut outer, &inner, context, set, entry.mark, &left)?;
        frame::forget(&mut outer, context, &havoc);
        if let Some(moved) = moved {
            let moved: Moved<'p> = moved;
            frame::move_on(&mut outer, set, moved);
        }
        for bag in &shape.draws {
            outer.bags.remove(bag);
        }
        for (slot, (_, variable, _, _)) in shape.slots.iter().zip(&heads) {
            if let Some(cell) = outer.cells.get_mut(&cell_of(*slot)) {
                cell.remove(&Key::Variable(*variable));
            }
            if let Some(code) = outer.code_mut(*slot) {
                code.pop();
            }
        }
        outer.script.push(Step::Loop(Loop {
            slots: shape.slots.clone(),
            symbols,
            advance,
            havoc: frame::written(&havoc),
            draws: shape.draws.iter().copied().collect(),
            leaves,
            steps: inner.script,
        }));
        return Ok(outer);
    }
}

/// Puts the messages that an iteration leaves behind into bags.
fn leave_behind<'p>(
    outer: &mut State<'p>,
    inner: &State<'p>,
    context: &Context<'p>,
    set: SetId,
    mark: u32,
    left: &[(Channel, Vec<Letter>)],
) -> Result<Vec<Leave>, Stuck> {
    let mut leaves = Vec::new();
    for (channel, letters) in left {
        let (from, to, message) = *channel;
        let Some(letter) = letters.first() else { continue };
        let complaint = || frame::superfluous(inner, context, *channel, letter);
        let (Slot::Process(to), 1, 0) = (to, letters.len(), outer.depth) else {
            return Err(complaint());
        };
        let sender = match from {
            Slot::Process(id) => Cell::Process(id),
            Slot::Member(symbol) => Cell::Set(inner.set_of(symbol).0),
        };
        let to_process = ProcessId(to);
        let taken = outer
            .bags
            .values()
            .any(|bag| bag.from == sender && bag.to == to_process && bag.message == message);
        if taken {
            return Err(complaint());
        }
        let value = letter.value.map(&mut |value| match value {
            Value::Member(symbol) if symbol.0 >= mark => Some(Value::Top),
            Value::Unknown(number) if *number >= mark => Some(Value::Top),
            _ => None,
        });
        let bag = Bag(context.fresh());
        let sack =
            Sack { tag: letter.tag, from: sender, to: to_process, message, count: set, value };
        outer.bags.insert(bag, sack);
        leaves.push(Leave { bag, from, to, message: message.0 });
    }
    Ok(leaves)
}
