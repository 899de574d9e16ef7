//! Joins: what is known if one of several values, or one of several states, is the true one.

use crate::derivation::{Slot, Symbol};
use crate::kernel::Kernel;
use crate::rejection::Reason;
use crate::sequential::{Ghost, Place, Sequential, Term};
use crate::state::{Actor, Message, State, Store};
use crate::value::{Case, LARGEST_VALUE, Number, Numbers, Rewrite, Value};
use ser_syntax::icet::ast::SetId;
use std::collections::{BTreeMap, BTreeSet};

/// How many constructors a choice may have.
const CASES: usize = 16;

/// Joins values: equal ones stay, messages become choices, everything else is anything.
pub(crate) struct Join<'n> {
    numbers: &'n mut Numbers,
    /// Whether the value speaks of several members or messages.
    many: bool,
}

impl<'n> Join<'n> {
    /// For the cell of a slot.
    pub(crate) fn one(numbers: &'n mut Numbers) -> Join<'n> {
        Join { numbers, many: false }
    }

    /// For the cell of a set, or a bag.
    pub(crate) fn many(numbers: &'n mut Numbers) -> Join<'n> {
        Join { numbers, many: true }
    }

    fn anything(&mut self) -> Value {
        if self.many { Value::Top } else { self.numbers.unknown() }
    }

    /// Either may be missing: a variable without a value.
    pub(crate) fn optional(
        &mut self,
        left: Option<&Value>,
        right: Option<&Value>,
    ) -> Option<Value> {
        match (left, right) {
            (None, None) => None,
            (Some(left), Some(right)) => Some(self.values(left, right)),
            _ => Some(self.anything()),
        }
    }

    /// What is known of a value that is one of two.
    pub(crate) fn values(&mut self, left: &Value, right: &Value) -> Value {
        if left == right {
            return left.clone();
        }
        match (left, right) {
            (Value::Message(l, left), Value::Message(r, right)) if l == r => {
                let joined = Value::Message(*l, self.fields(left, right));
                self.bounded(joined)
            }
            (Value::Message(..) | Value::Choice(..), Value::Message(..) | Value::Choice(..)) => {
                let mut cases: BTreeMap<_, Vec<Value>> = cases(left).into_iter().collect();
                for (constructor, right) in self::cases(right) {
                    let joined = match cases.get(&constructor) {
                        Some(left) => self.fields(left, &right),
                        None => right,
                    };
                    cases.insert(constructor, joined);
                }
                if cases.len() > CASES {
                    return self.anything();
                }
                let joined = Value::Choice(self.numbers.fresh(), cases.into_iter().collect());
                self.bounded(joined)
            }
            _ => self.anything(),
        }
    }

    fn bounded(&mut self, value: Value) -> Value {
        if value.size() > LARGEST_VALUE { self.anything() } else { value }
    }

    fn fields(&mut self, left: &[Value], right: &[Value]) -> Vec<Value> {
        left.iter().zip(right).map(|(left, right)| self.values(left, right)).collect()
    }

    fn stores(&mut self, left: &Store, right: &Store) -> Store {
        let names: BTreeSet<_> = left.variables.keys().chain(right.variables.keys()).collect();
        let variables = names.into_iter().filter_map(|it| {
            let joined = self.optional(left.variables.get(it), right.variables.get(it));
            joined.map(|value| (*it, value))
        });
        let variables = variables.collect();
        let names: BTreeSet<_> = left.ghosts.keys().chain(right.ghosts.keys()).collect();
        let ghosts = names.into_iter().filter_map(|it| {
            let joined = self.optional(left.ghosts.get(it), right.ghosts.get(it));
            joined.map(|value| (*it, value))
        });
        Store { variables, ghosts: ghosts.collect() }
    }
}

fn cases(value: &Value) -> Vec<Case> {
    match value {
        Value::Message(constructor, fields) => vec![(*constructor, fields.clone())],
        Value::Choice(_, cases) => cases.clone(),
        _ => Vec::new(),
    }
}

/// Forgets symbols that are not there any more.
struct Scrub<'n> {
    numbers: &'n mut Numbers,
    symbols: &'n BTreeMap<Symbol, SetId>,
    many: bool,
}

impl Rewrite for Scrub<'_> {
    fn leaf(&mut self, value: &Value) -> Value {
        match value {
            Value::Member(symbol) if !self.symbols.contains_key(symbol) => {
                if self.many {
                    Value::Top
                } else {
                    self.numbers.unknown()
                }
            }
            _ => value.clone(),
        }
    }

    fn choice(&mut self, number: Number) -> Number {
        number
    }
}

/// Joins the states at the ends of the arms of a fork. `before` is the state at the fork.
///
/// Everybody has the same code in all of them, the same members are unfolded as before, and the
/// same messages are in flight; so whoever goes on from here goes on from each of them.
pub(crate) fn join_arms<'p>(
    kernel: &mut Kernel<'p>,
    before: &State<'p>,
    arms: &mut [State<'p>],
) -> Result<State<'p>, Reason> {
    for arm in arms.iter_mut() {
        scrub(kernel, before, arm);
    }
    let Some((first, others)) = arms.split_first() else { return Ok(before.clone()) };
    for arm in std::iter::once(first).chain(others) {
        comparable(kernel, before, first, arm)?;
    }
    common_ghosts(kernel, arms)?;
    let Some((first, others)) = arms.split_first() else { return Ok(before.clone()) };
    let mut joined = first.clone();
    for arm in others {
        kernel.spend(arm.weight())?;
        join_states(kernel, &mut joined, arm);
    }
    joined.symbols = before.symbols.clone();
    joined.block = before.block;
    Ok(joined)
}

fn scrub<'p>(kernel: &mut Kernel<'p>, before: &State<'p>, arm: &mut State<'p>) {
    let symbols = &before.symbols;
    let mut one = Scrub { numbers: &mut kernel.numbers, symbols, many: false };
    for actor in arm.actors.values_mut() {
        actor.store = actor.store.rewrite(&mut one);
    }
    for message in arm.queues.values_mut().flatten() {
        message.value = message.value.rewrite(&mut one);
    }
    let mut many = Scrub { numbers: &mut kernel.numbers, symbols, many: true };
    for members in arm.sets.values_mut() {
        members.store = members.store.rewrite(&mut many);
    }
    for bag in arm.bags.values_mut() {
        bag.value = bag.value.rewrite(&mut many);
    }
}

fn comparable<'p>(
    kernel: &Kernel<'p>,
    before: &State<'p>,
    first: &State<'p>,
    arm: &State<'p>,
) -> Result<(), Reason> {
    // A member that was unfolded in the arms was so in all of them, by a name that was there
    // before.
    let named = |slot: &Slot| match slot {
        Slot::Member(symbol) => before.symbols.contains_key(symbol),
        Slot::Process(_) => true,
    };
    if !first.actors.keys().eq(arm.actors.keys()) || !arm.actors.keys().all(named) {
        return Err(Reason::ArmsMembers);
    }
    for ((slot, left), right) in first.actors.iter().zip(arm.actors.values()) {
        if left.code != right.code {
            return Err(Reason::ArmsCode { who: kernel.name(first, *slot) });
        }
        // One arm may have folded the member and unfolded it once more: then it is another choice.
        let chosen = |it: &Actor<'p>| it.member.as_ref().map(|it| (it.sender_to, it.sent));
        if chosen(left) != chosen(right) {
            return Err(Reason::ArmsMessages);
        }
    }
    for ((set, left), right) in first.sets.iter().zip(arm.sets.values()) {
        if left.code != right.code {
            return Err(Reason::ArmsCode { who: kernel.set_name(*set) });
        }
    }
    let tags = |state: &State<'p>| -> Vec<_> {
        let tags = |queue: &Vec<Message>| queue.iter().map(|it| it.tag).collect::<Vec<_>>();
        state.queues.iter().map(|(channel, queue)| (*channel, tags(queue))).collect()
    };
    let bags = |state: &State<'p>| -> Vec<_> {
        let parts = state.bags.iter();
        parts
            .map(|(bag, it)| (*bag, it.tag, it.sender, it.receiver, it.message, it.count))
            .collect()
    };
    let same = tags(first) == tags(arm) && bags(first) == bags(arm) && first.drawn == arm.drawn;
    if same { Ok(()) } else { Err(Reason::ArmsMessages) }
}

/// Messages that are in flight in all arms get the same ghosts in all of them.
fn common_ghosts<'p>(kernel: &mut Kernel<'p>, arms: &mut [State<'p>]) -> Result<(), Reason> {
    let Some(first) = arms.first() else { return Ok(()) };
    let places: Vec<_> =
        first.queues.iter().flat_map(|(it, queue)| (0..queue.len()).map(|n| (*it, n))).collect();
    for (channel, place) in places {
        kernel.spend(arms.len())?;
        let ghost_in = |arm: &State<'p>| {
            let message = arm.queues.get(&channel).and_then(|queue| queue.get(place));
            message.map(|it| (it.ghost, it.tag))
        };
        let ghosts: Vec<(Ghost, _)> = arms.iter().filter_map(ghost_in).collect();
        let Some((first, tag)) = ghosts.first().copied() else { continue };
        if ghosts.iter().all(|(ghost, _)| *ghost == first) {
            continue;
        }
        let slot = channel.0;
        let of_slot = |arm: &State<'p>| -> Vec<Ghost> {
            let queues = arm.queues.iter().filter(|((from, _, _), _)| *from == slot);
            queues.flat_map(|(_, queue)| queue).map(|it| it.ghost).collect()
        };
        let used: BTreeSet<Ghost> = arms.iter().flat_map(of_slot).collect();
        let owner = arms.first().ok_or(Reason::NoSlot)?.actor(slot)?.process;
        let common = kernel.ghost(owner, tag, &|ghost| !used.contains(&ghost));
        for arm in arms.iter_mut() {
            rename(arm, slot, channel, place, common);
        }
    }
    Ok(())
}

fn rename(
    arm: &mut State<'_>,
    slot: Slot,
    channel: crate::state::Channel,
    place: usize,
    common: Ghost,
) {
    let message = arm.queues.get_mut(&channel).and_then(|queue| queue.get_mut(place));
    let Some(message) = message else { return };
    let value = Term::Place(Place::Ghost(slot, message.ghost));
    message.ghost = common;
    let (place, from) = (Place::Ghost(slot, common), message.tag);
    arm.program.push(Sequential::Assign { place, value, from });
}

fn join_states<'p>(kernel: &mut Kernel<'p>, joined: &mut State<'p>, arm: &State<'p>) {
    for (slot, actor) in &mut joined.actors {
        let Some(other) = arm.actors.get(slot) else { continue };
        actor.store = Join::one(&mut kernel.numbers).stores(&actor.store, &other.store);
        actor.knows.retain(|it| other.knows.contains(it));
        if let (Some(member), Some(other)) = (&mut actor.member, &other.member) {
            member.pivots.extend(other.pivots.iter().copied());
            member.sent |= other.sent;
        }
    }
    for (set, members) in &mut joined.sets {
        let Some(other) = arm.sets.get(set) else { continue };
        members.store = Join::many(&mut kernel.numbers).stores(&members.store, &other.store);
    }
    for (channel, queue) in &mut joined.queues {
        let Some(other) = arm.queues.get(channel) else { continue };
        for (message, other) in queue.iter_mut().zip(other) {
            message.value = Join::one(&mut kernel.numbers).values(&message.value, &other.value);
            message.knows.retain(|it| other.knows.contains(it));
        }
    }
    for (bag, it) in &mut joined.bags {
        let Some(other) = arm.bags.get(bag) else { continue };
        it.value = Join::many(&mut kernel.numbers).values(&it.value, &other.value);
    }
    joined.used_symbols.extend(&arm.used_symbols);
    joined.used_bags.extend(&arm.used_bags);
    joined.assigned.extend(&arm.assigned);
    joined.received.extend(&arm.received);
    joined.forgotten.extend(&arm.forgotten);
    joined.history.extend(&arm.history);
}
