//! Abstract states, and what can be done with the members of sets.

use super::live::Live;
use super::value::{Name, Store, Value, covers, covers_value, map_store};
use super::{Attempt, Stop};
use crate::derivation::{Bag, Cell, Slot, Symbol};
use crate::sequential::Place;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ProcessId, SetId, SetKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The part of a state that speaks of one thing at a time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Known {
    /// Single processes.
    pub singles: BTreeMap<u32, Store>,
    /// Members that have names, by the name that they got first. They are all different.
    pub members: BTreeMap<Symbol, Member>,
    /// All names of members, and the first one of the same member.
    pub names: BTreeMap<Symbol, Symbol>,
    /// Names of indices.
    pub indices: BTreeMap<Symbol, Value>,
    /// Sets that are known to have members, or to have none. (Sets of processes without members
    /// have no classes.)
    pub inhabited: BTreeMap<SetId, bool>,
    /// The number of the next unknown.
    next: u32,
}

/// A member with a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Member {
    pub set: SetId,
    pub marks: BTreeSet<Symbol>,
    pub store: Store,
}

/// Members of a set that have no names: any number of them, also none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Class {
    /// The loops that have visited them, of those that are running.
    pub marks: BTreeSet<Symbol>,
    pub store: Store,
}

/// The part of a state that says what there may be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Possible {
    /// Every member without a name is in one of these.
    classes: BTreeMap<SetId, Rc<BTreeSet<Class>>>,
    /// Every message in a bag is one of these.
    bags: BTreeMap<Bag, Rc<BTreeSet<Value>>>,
}

impl Possible {
    fn add_class(&mut self, set: SetId, class: Class) {
        let over = |l: &Class, r: &Class| l.marks == r.marks && covers(&l.store, &r.store);
        add(self.classes.entry(set).or_default(), class, over);
    }

    fn add_message(&mut self, bag: Bag, value: Value) {
        let over = |l: &Value, r: &Value| covers_value(l, r, &mut BTreeMap::new());
        add(self.bags.entry(bag).or_default(), value, over);
    }

    /// Changes those classes and messages for which there is something else.
    fn update(
        &mut self,
        class: impl Fn(SetId, &Class) -> Option<Class>,
        message: impl Fn(&Value) -> Option<Value>,
    ) {
        let sets: Vec<SetId> = self.classes.keys().copied().collect();
        for set in sets {
            let Some(old) = self.classes.get(&set).cloned() else { continue };
            let new: Vec<Option<Class>> = old.iter().map(|it| class(set, it)).collect();
            if new.iter().any(Option::is_some) {
                self.classes.remove(&set);
                for (old, new) in old.iter().zip(new) {
                    self.add_class(set, new.unwrap_or_else(|| old.clone()));
                }
            }
        }
        let bags: Vec<Bag> = self.bags.keys().copied().collect();
        for bag in bags {
            let Some(old) = self.bags.get(&bag).cloned() else { continue };
            let new: Vec<Option<Value>> = old.iter().map(&message).collect();
            if new.iter().any(Option::is_some) {
                self.bags.remove(&bag);
                for (old, new) in old.iter().zip(new) {
                    self.add_message(bag, new.unwrap_or_else(|| old.clone()));
                }
            }
        }
    }

    /// Adds everything that the other one allows.
    fn join(&mut self, other: &Possible) {
        for (set, classes) in &other.classes {
            if self.classes.get(set) != Some(classes) {
                classes.iter().for_each(|it| self.add_class(*set, it.clone()));
            }
        }
        for (bag, values) in &other.bags {
            if self.bags.get(bag) != Some(values) {
                values.iter().for_each(|it| self.add_message(*bag, it.clone()));
            }
        }
    }

    /// How many things it lists.
    pub(super) fn size(&self) -> usize {
        let classes: usize = self.classes.values().map(|it| it.len()).sum();
        classes + self.bags.values().map(|it| it.len()).sum::<usize>()
    }
}

/// Adds something to a set, unless it is covered, and drops what it covers.
fn add<T: Ord + Clone>(to: &mut Rc<BTreeSet<T>>, new: T, covers: impl Fn(&T, &T) -> bool) {
    if !to.iter().any(|it| covers(it, &new)) {
        let to = Rc::make_mut(to);
        to.retain(|it| !covers(&new, it));
        to.insert(new);
    }
}

/// An abstract state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    pub known: Known,
    pub possible: Possible,
}

impl State {
    /// The start: nobody has assigned anything.
    pub(super) fn start(protocol: &Protocol) -> State {
        let mut state = State::default();
        for (number, set) in protocol.sets.iter().enumerate() {
            if set.kind == SetKind::Processes {
                state.possible.add_class(SetId(number as u32), Class::default());
            }
        }
        state
    }

    /// A new unknown.
    pub(super) fn unknown(&mut self) -> Value {
        let number = self.known.next;
        self.known.next = number.saturating_add(1);
        Value::Unknown(number)
    }

    /// The first name of the member with this name.
    fn first_name(&self, symbol: Symbol) -> Result<Symbol, Stop> {
        self.known.names.get(&symbol).copied().ok_or(Stop::Shape)
    }

    /// The set of a named member.
    pub(super) fn set_of(&self, symbol: Symbol) -> Option<SetId> {
        let name = self.known.names.get(&symbol)?;
        self.known.members.get(name).map(|it| it.set)
    }

    /// The variables of a process, if it has any.
    pub(super) fn store(&self, who: Slot) -> Result<Option<&Store>, Stop> {
        match who {
            Slot::Process(process) => Ok(self.known.singles.get(&process)),
            Slot::Member(symbol) => {
                let name = self.first_name(symbol)?;
                Ok(self.known.members.get(&name).map(|it| &it.store))
            }
        }
    }

    /// Assigns a value.
    pub(super) fn assign(&mut self, place: Place, value: Value) -> Result<(), Stop> {
        let (who, slot) = parts(place);
        let store = match who {
            Slot::Process(process) => self.known.singles.entry(process).or_default(),
            Slot::Member(symbol) => {
                let name = self.first_name(symbol)?;
                &mut self.known.members.get_mut(&name).ok_or(Stop::Shape)?.store
            }
        };
        store.insert(slot, value);
        Ok(())
    }

    /// The value of a place; a new unknown if nothing is known about it.
    pub(super) fn read(&mut self, place: Place) -> Result<Value, Stop> {
        let (who, slot) = parts(place);
        let value = self.store(who)?.and_then(|store| store.get(&slot)).cloned();
        Ok(value.unwrap_or_else(|| self.unknown()))
    }

    /// The member or index of this name.
    pub(super) fn symbol(&self, symbol: Symbol) -> Result<Value, Stop> {
        match self.known.indices.get(&symbol) {
            Some(value) => Ok(value.clone()),
            None => self.first_name(symbol).map(Value::Member),
        }
    }

    /// The address of a process.
    pub(super) fn address(&self, who: Slot) -> Result<Value, Stop> {
        match who {
            Slot::Process(process) => Ok(Value::Process(ProcessId(process))),
            Slot::Member(symbol) => self.first_name(symbol).map(Value::Member),
        }
    }

    /// All values that are about one thing, in a fixed order.
    fn values(&mut self) -> impl Iterator<Item = &mut Value> {
        let singles = self.known.singles.values_mut();
        let members = self.known.members.values_mut().map(|it| &mut it.store);
        let stores = singles.chain(members).flat_map(|store| store.values_mut());
        stores.chain(self.known.indices.values_mut())
    }

    /// Puts another value in the place of a leaf, everywhere: of an unknown or of the address of a
    /// member.
    pub(super) fn replace(&mut self, leaf: &Value, by: &Value) {
        self.values().for_each(|value| value.replace(leaf, by));
        let affected = |value: &Value| value.any(&|it| it == leaf);
        let class = |_: SetId, class: &Class| {
            class.store.values().any(affected).then(|| {
                let mut class = class.clone();
                class.store.values_mut().for_each(|value| value.replace(leaf, by));
                class
            })
        };
        let message = |value: &Value| {
            affected(value).then(|| {
                let mut value = value.clone();
                value.replace(leaf, by);
                value
            })
        };
        self.possible.update(class, message);
    }

    /// All states in which the symbol is some member of the set: one that has a name already, or
    /// one of a class. With `in_loop`, a member that this loop has not visited, and now it has.
    pub(super) fn choose(
        &self,
        symbol: Symbol,
        set: SetId,
        in_loop: bool,
    ) -> Result<Vec<State>, Stop> {
        if self.known.names.contains_key(&symbol) || self.known.indices.contains_key(&symbol) {
            return Err(Stop::Shape);
        }
        let free = |marks: &BTreeSet<Symbol>| !(in_loop && marks.contains(&symbol));
        let mut states = Vec::new();
        let mut chosen = self.clone();
        chosen.known.inhabited.insert(set, true);
        for (name, member) in &self.known.members {
            if member.set == set && free(&member.marks) {
                let mut state = chosen.clone();
                state.known.names.insert(symbol, *name);
                state.mark(*name, in_loop.then_some(symbol));
                states.push(state);
            }
        }
        for class in self.possible.classes.get(&set).into_iter().flat_map(|it| it.iter()) {
            if free(&class.marks) {
                let mut state = chosen.clone();
                let mut own = BTreeMap::new();
                let store = map_store(&class.store, &mut |leaf| match leaf {
                    Value::Itself => Value::Member(symbol),
                    Value::Own(number) => {
                        own.entry(*number).or_insert_with(|| state.unknown()).clone()
                    }
                    other => other.clone(),
                });
                let member = Member { set, marks: class.marks.clone(), store };
                state.known.members.insert(symbol, member);
                state.known.names.insert(symbol, symbol);
                state.mark(symbol, in_loop.then_some(symbol));
                states.push(state);
            }
        }
        Ok(states)
    }

    fn mark(&mut self, name: Symbol, by: Option<Symbol>) {
        if let Some(member) = self.known.members.get_mut(&name) {
            member.marks.extend(by);
        }
    }

    /// The symbol goes out of scope; a member without names goes back to its set.
    pub(super) fn forget(&mut self, symbol: Symbol) -> Result<(), Stop> {
        if self.known.indices.remove(&symbol).is_some() {
            return Ok(());
        }
        if self.known.names.remove(&symbol) != Some(symbol) {
            return Ok(());
        }
        // Names go out of scope in the opposite order in which they come into it: the first one
        // goes last.
        if self.known.names.values().any(|it| *it == symbol) {
            return Err(Stop::Shape);
        }
        let Some(member) = self.known.members.remove(&symbol) else { return Err(Stop::Shape) };
        let address = Value::Member(symbol);
        let mut store = member.store;
        store.values_mut().for_each(|value| value.replace(&address, &Value::Itself));
        let somebody = self.unknown();
        self.replace(&address, &somebody);
        self.possible.add_class(member.set, Class { marks: member.marks, store });
        Ok(())
    }

    /// The loop over the set ends here, if it can: it has visited all members.
    pub(super) fn finish(mut self, symbol: Symbol, set: SetId, at_least: u32) -> Option<State> {
        let mut some = false;
        for member in self.known.members.values_mut().filter(|it| it.set == set) {
            some = true;
            if !member.marks.remove(&symbol) {
                return None;
            }
        }
        for class in self.possible.classes.remove(&set).unwrap_or_default().iter() {
            let mut class = class.clone();
            if class.marks.remove(&symbol) {
                some = true;
                self.possible.add_class(set, class);
            }
        }
        let empty = at_least == 0 && self.known.inhabited.get(&set) != Some(&true);
        (some || empty).then_some(self)
    }

    /// The message is put into the bag.
    pub(super) fn put(&mut self, bag: Bag, value: Value) {
        self.possible.add_message(bag, value);
    }

    /// All states in which a message of the bag was taken, with the message.
    pub(super) fn take(&self, bag: Bag) -> Vec<(State, Value)> {
        let values = self.possible.bags.get(&bag).into_iter().flat_map(|it| it.iter());
        let one = |value: &Value| {
            let mut state = self.clone();
            let mut own = BTreeMap::new();
            let value = value.map(&mut |leaf| match leaf {
                Value::Own(number) => own.entry(*number).or_insert_with(|| state.unknown()).clone(),
                other => other.clone(),
            });
            (state, value)
        };
        values.map(one).collect()
    }

    /// Drops what is not read later, and gives unknowns their final numbers: by the order in which
    /// they occur; and own ones where they occur in one class or message only, or in several but
    /// nowhere else.
    pub(super) fn settle(&mut self, live: Option<&Live>) {
        if let Some(live) = live {
            self.known.prune(live);
        }
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut number = |leaf: &Value| match leaf {
            Value::Unknown(old) => {
                let new = numbers.len() as u32;
                Value::Unknown(*numbers.entry(*old).or_insert(new))
            }
            other => other.clone(),
        };
        self.values().for_each(|value| *value = value.map(&mut number));
        self.known.next = numbers.len() as u32;
        // Own unknowns of what has no others, and loses nothing, are numbered already.
        let unknown = |value: &Value| value.any(&|leaf| matches!(leaf, Value::Unknown(_)));
        let class = |set: SetId, Class { marks, store }: &Class| {
            let dead =
                |slot: &Name| live.is_some_and(|live| !live.contains(&(Cell::Set(set.0), *slot)));
            store.iter().any(|(slot, value)| dead(slot) || unknown(value)).then(|| {
                let mut store = store.clone();
                store.retain(|slot, _| !dead(slot));
                let store = map_store(&store, &mut own_numbers(&numbers));
                Class { marks: marks.clone(), store }
            })
        };
        let message = |value: &Value| unknown(value).then(|| value.map(&mut own_numbers(&numbers)));
        self.possible.update(class, message);
    }
}

impl Known {
    /// Drops what is not read later.
    fn prune(&mut self, live: &Live) {
        let Known { singles, members, names, .. } = self;
        for (process, store) in singles.iter_mut() {
            store.retain(|slot, _| live.contains(&(Cell::Process(*process), *slot)));
        }
        singles.retain(|_, store| !store.is_empty());
        for (name, member) in members.iter_mut() {
            member.store.retain(|slot, _| {
                let mut same = names.iter().filter(|(_, it)| *it == name);
                same.any(|(symbol, _)| live.contains(&(Cell::Member(*symbol), *slot)))
            });
        }
    }
}

/// New numbers within one class or message: unknowns that occur elsewhere get the number that they
/// have there.
fn own_numbers(numbers: &BTreeMap<u32, u32>) -> impl FnMut(&Value) -> Value {
    let mut own: BTreeMap<Value, u32> = BTreeMap::new();
    move |leaf| match leaf {
        Value::Unknown(old) if numbers.contains_key(old) => {
            Value::Unknown(numbers.get(old).copied().unwrap_or_default())
        }
        Value::Unknown(_) | Value::Own(_) => {
            let new = own.len() as u32;
            Value::Own(*own.entry(leaf.clone()).or_insert(new))
        }
        other => other.clone(),
    }
}

/// Whose place it is, and which.
pub(super) fn parts(place: Place) -> (Slot, Name) {
    match place {
        Place::Variable(who, variable) => (who, Name::Variable(variable)),
        Place::Ghost(who, ghost) => (who, Name::Ghost(ghost)),
    }
}

/// A set of states.
#[derive(Clone, Debug, Default)]
pub(super) struct States(BTreeMap<Known, Vec<Possible>>);

impl States {
    /// Adds a state. If it was not covered, what it has become.
    pub(super) fn insert(&mut self, state: State, attempt: Attempt) -> Option<State> {
        let State { known, possible } = state;
        let there = self.0.entry(known.clone()).or_default();
        let joined = |one: &Possible| {
            let mut all = one.clone();
            all.join(&possible);
            all
        };
        if attempt.join {
            let all = match there.first() {
                None => possible,
                Some(old) => {
                    let all = joined(old);
                    if all == *old {
                        return None;
                    }
                    all
                }
            };
            *there = vec![all.clone()];
            return Some(State { known, possible: all });
        }
        if there.iter().any(|old| joined(old) == *old) {
            return None;
        }
        there.push(possible.clone());
        Some(State { known, possible })
    }

    /// All of them.
    pub(super) fn each(&self) -> impl Iterator<Item = State> {
        let with = |known: &Known, possible: &Possible| State {
            known: known.clone(),
            possible: possible.clone(),
        };
        self.0.iter().flat_map(move |(known, all)| all.iter().map(move |it| with(known, it)))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
