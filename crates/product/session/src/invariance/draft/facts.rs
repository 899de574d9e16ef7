//! The facts of a state, as formulas of the language.

use crate::invariance::Checked;
use crate::invariance::breach::relevant;
use crate::invariance::words::Words;
use ser_invariance_checker::run::Value;
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::explore::{Changed, changes};
use ser_invariance_search::paths::Control;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, Field, GlobalId, LocId, LocalId, Place, ProcId, Scalar,
    Step, StmtKind, Type,
};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// So many facts are enough.
const MOST: usize = 60;

/// Something that holds in the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fact {
    /// As a formula.
    pub holds: String,
    /// Its opposite.
    pub fails: String,
    /// The threads that it speaks of.
    pub threads: BTreeSet<usize>,
    /// Whether it says where a thread stands.
    pub is_place: bool,
    /// How far it is from the failure.
    rank: u32,
}

/// A value with a name.
#[derive(Clone)]
struct Term {
    text: String,
    value: Value,
    ty: Type,
    /// What its numbers are called.
    enumeration: Option<u32>,
    threads: BTreeSet<usize>,
    /// Whether it matters less than other variables: a field of a cell, or what the step overwrites
    /// without a look at it.
    is_far: bool,
}

/// Makes facts about the state before the step.
pub(super) struct Facts<'a> {
    pub checked: &'a Checked,
    pub model: &'a CounterModel,
    /// What threads are called.
    pub letters: &'a [String],
    /// Names of places that have none in the file.
    pub names: &'a BTreeMap<LocId, String>,
}

impl Facts<'_> {
    /// Facts about what the step, or what it breaks, speaks of; the nearest first.
    pub fn near(&self) -> Vec<Fact> {
        let control = Control::new(&self.checked.system);
        let statement = self.model.step.map(|(location, _)| control.at(location).statement);
        let (mut wanted, _) = relevant(self.checked, self.model, statement);
        if let Some(after) = &self.model.after {
            wanted.extend(changes(&self.model.before, after).iter().map(|it| it.what));
        }
        self.about(wanted)
    }

    /// Facts about all variables.
    pub fn all(&self) -> Vec<Fact> {
        let system = &self.checked.system;
        let globals = (0..system.globals.len() as u32).map(|it| Changed::Global(GlobalId(it)));
        let mut wanted: BTreeSet<Changed> = globals.collect();
        for (thread, standing) in (0..).zip(&self.model.before.threads) {
            let location = system.locations.get(standing.location.0 as usize);
            let own = location.map(|it| it.procedure);
            for (number, local) in (0..).zip(&system.locals) {
                if local.procedure == ProcId(0) || Some(local.procedure) == own {
                    wanted.insert(Changed::Local(thread, LocalId(number)));
                }
            }
        }
        self.about(wanted)
    }

    fn about(&self, wanted: BTreeSet<Changed>) -> Vec<Fact> {
        let mut facts = self.places();
        let mut terms: Vec<Term> = wanted.into_iter().filter_map(|it| self.term(it)).collect();
        let fields: Vec<Term> = terms.iter().flat_map(|it| self.fields(it)).collect();
        let plain = terms.len();
        terms.extend(fields);
        for (place, term) in terms.iter().enumerate() {
            self.alone(term, &mut facts);
            for other in terms.iter().skip(place + 1) {
                // How fields of two cells compare is rarely the reason.
                if place < plain {
                    together(term, other, &mut facts);
                }
            }
        }
        facts.sort_by_key(|it| it.rank);
        facts.truncate(MOST);
        facts
    }

    /// What the step assigns and does not read: its value before is no reason for anything.
    fn overwritten(&self) -> BTreeSet<Changed> {
        let control = Control::new(&self.checked.system);
        let (Some((location, _)), Some(mover)) = (self.model.step, self.model.mover) else {
            return BTreeSet::new();
        };
        let statement = control.at(location).statement;
        let actions = match &statement.kind {
            StmtKind::Step(Step::Action(action)) => std::slice::from_ref(action),
            StmtKind::Step(Step::Atomic(actions)) => actions.as_slice(),
            _ => &[],
        };
        let target = |action: &Action| match &action.kind {
            ActionKind::Assign { target, .. }
            | ActionKind::Havoc { target, .. }
            | ActionKind::Malloc { target, .. } => match target {
                Place::Global(id) => Some(Changed::Global(*id)),
                Place::Local(id) => Some(Changed::Local(mover, *id)),
                Place::Field(..) => None,
            },
            _ => None,
        };
        let mut found: BTreeSet<Changed> = actions.iter().filter_map(target).collect();
        statement.walk(&mut |expr: &Expr| match expr.kind {
            ExprKind::Global(id) => {
                found.remove(&Changed::Global(id));
            }
            ExprKind::Local(id, _) => {
                found.remove(&Changed::Local(mover, id));
            }
            _ => {}
        });
        found
    }

    /// The numbers that the formula or the statement speaks of: to compare values with others would
    /// only say what this very state is.
    fn numbers(&self) -> BTreeSet<i64> {
        let mut found = BTreeSet::new();
        let mut visit = |expr: &Expr| {
            if let ExprKind::Int(number) = expr.kind {
                found.insert(number);
            }
        };
        let declared = self.model.invariant.map(|it| it.0 as usize);
        let declared = declared.and_then(|it| self.checked.system.invariants.get(it));
        let broken =
            self.model.broken.iter().filter_map(|it| {
                declared.and_then(|declared| declared.conjuncts.get(*it as usize))
            });
        broken.for_each(|it| it.formula.walk(&mut visit));
        let control = Control::new(&self.checked.system);
        if let Some((location, _)) = self.model.step {
            match &control.at(location).statement.kind {
                StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => {
                    condition.walk(&mut visit);
                }
                StmtKind::Step(_) => {
                    let statement = control.at(location).statement;
                    statement.walk(&mut visit);
                }
                _ => {}
            }
        }
        found
    }

    /// Where the threads stand: the mover first.
    fn places(&self) -> Vec<Fact> {
        let words = Words::of(self.checked);
        let mut facts = Vec::new();
        for (thread, standing) in self.model.before.threads.iter().enumerate() {
            let name = match self.names.get(&standing.location) {
                Some(name) => Some(name.clone()),
                None => words.place(standing.location).name,
            };
            let (Some(name), Some(letter)) = (name, self.letters.get(thread)) else { continue };
            let is_mover = self.model.mover == Some(thread as u32);
            facts.push(Fact {
                holds: format!("at({letter}, {name})"),
                fails: format!("!at({letter}, {name})"),
                threads: BTreeSet::from([thread]),
                is_place: true,
                rank: if is_mover { 0 } else { 1 },
            });
        }
        facts
    }

    fn term(&self, what: Changed) -> Option<Term> {
        let (words, system) = (Words::of(self.checked), &self.checked.system);
        let value = words.value_in(&self.model.before, what)?;
        match what {
            Changed::Global(id) => {
                let declared = system.globals.get(id.0 as usize)?;
                let (ty, enumeration) = (declared.ty, declared.enumeration);
                let text = words.global(id).to_owned();
                Some(Term {
                    text,
                    value,
                    ty,
                    enumeration,
                    threads: BTreeSet::new(),
                    is_far: self.overwritten().contains(&what),
                })
            }
            Changed::Local(thread, id) => {
                let declared = system.locals.get(id.0 as usize)?;
                let (ty, enumeration) = (declared.ty, declared.enumeration);
                let letter = self.letters.get(thread as usize)?;
                let text = format!("{}[{letter}]", words.local(id));
                let threads = BTreeSet::from([thread as usize]);
                let is_far = self.overwritten().contains(&what);
                Some(Term { text, value, ty, enumeration, threads, is_far })
            }
            Changed::Field(..) => None,
        }
    }

    /// The fields of the cell that a variable leads to.
    fn fields(&self, term: &Term) -> Vec<Term> {
        let Value::Addr(address) = term.value else { return Vec::new() };
        if address == 0 {
            return Vec::new();
        }
        let words = Words::of(self.checked);
        let one = |(field, name, scalar): (Field, &str, Scalar)| {
            let value = words.value_in(&self.model.before, Changed::Field(address, field))?;
            let (text, ty) = (format!("{}.{name}", term.text), Type::Scalar(scalar));
            let (enumeration, threads) = (None, term.threads.clone());
            Some(Term { text, value, ty, enumeration, threads, is_far: true })
        };
        let all = [
            (Field::Lockid, "lockid", Scalar::Tid),
            (Field::Next, "next", Scalar::Addr),
            (Field::Data, "data", Scalar::Elem),
        ];
        all.into_iter().filter_map(one).collect()
    }

    /// Facts about a single value.
    fn alone(&self, term: &Term, facts: &mut Vec<Fact>) {
        let Term { text, value, .. } = term;
        let mut add = |holds: String, fails: String, more: Option<usize>, rank: u32| {
            let threads = term.threads.iter().copied().chain(more).collect();
            let rank = rank + 2 * u32::from(term.is_far);
            facts.push(Fact { holds, fails, threads, is_place: false, rank });
        };
        match value {
            Value::Bool(true) => add(text.clone(), format!("!{text}"), None, 2),
            Value::Bool(false) => add(format!("!{text}"), text.clone(), None, 2),
            Value::Int(it) => {
                for number in self.numbers() {
                    let (holds, fails) = signs(it.cmp(&number));
                    let rank = if *it == number { 2 } else { 6 };
                    let number = self.checked.system.called(term.enumeration, number);
                    add(
                        format!("{text} {holds} {number}"),
                        format!("{text} {fails} {number}"),
                        None,
                        rank,
                    );
                }
            }
            Value::Tid(None) => {
                add(format!("{text} == nobody"), format!("{text} != nobody"), None, 3);
            }
            Value::Tid(Some(owner)) => {
                for (thread, letter) in self.letters.iter().enumerate() {
                    match *owner as usize == thread {
                        true => add(
                            format!("{text} == {letter}"),
                            format!("{text} != {letter}"),
                            Some(thread),
                            3,
                        ),
                        false => add(
                            format!("{text} != {letter}"),
                            format!("{text} == {letter}"),
                            Some(thread),
                            7,
                        ),
                    }
                }
            }
            Value::Addr(0) => add(format!("{text} == null"), format!("{text} != null"), None, 3),
            Value::Addr(_) => add(format!("{text} != null"), format!("{text} == null"), None, 8),
            Value::Set(members) => {
                if members.is_empty() {
                    add(format!("{text} == {{}}"), format!("{text} != {{}}"), None, 5);
                }
                if term.ty == Type::Set(Scalar::Tid) {
                    for (thread, letter) in self.letters.iter().enumerate() {
                        let member = Value::Tid(Some(thread as u32));
                        let (holds, fails) = membership(letter, text, members.contains(&member));
                        add(holds, fails, Some(thread), 4);
                    }
                }
            }
            Value::Elem(_) => {}
        }
    }
}

/// Facts about two values.
fn together(one: &Term, other: &Term, facts: &mut Vec<Fact>) {
    let threads: BTreeSet<usize> = one.threads.union(&other.threads).copied().collect();
    let mut add = |holds: String, fails: String, rank: u32| {
        let rank = rank + 2 * u32::from(one.is_far || other.is_far);
        facts.push(Fact { holds, fails, threads: threads.clone(), is_place: false, rank });
    };
    let mut compare = |(holds, fails): (&str, &str), rank: u32| {
        let (a, b) = (&one.text, &other.text);
        add(format!("{a} {holds} {b}"), format!("{a} {fails} {b}"), rank);
    };
    match (&one.value, &other.value) {
        (Value::Int(a), Value::Int(b)) => compare(signs(a.cmp(b)), if a == b { 2 } else { 4 }),
        (Value::Elem(a), Value::Elem(b)) => compare(signs(a.cmp(b)), 6),
        (Value::Addr(a), Value::Addr(b)) if *a != 0 || *b != 0 => match a == b {
            true => compare(("==", "!="), 4),
            false => compare(("!=", "=="), 8),
        },
        (Value::Tid(a), Value::Tid(b)) if a == b && a.is_some() => compare(("==", "!="), 5),
        (Value::Set(members), member) if one.ty == set_of(other.ty) => {
            let (holds, fails) = membership(&other.text, &one.text, members.contains(member));
            add(holds, fails, 4);
        }
        (member, Value::Set(members)) if other.ty == set_of(one.ty) => {
            let (holds, fails) = membership(&one.text, &other.text, members.contains(member));
            add(holds, fails, 4);
        }
        _ => {}
    }
}

fn set_of(ty: Type) -> Type {
    match ty {
        Type::Scalar(scalar) => Type::Set(scalar),
        other => other,
    }
}

/// The sign of a comparison, and its opposite.
fn signs(order: Ordering) -> (&'static str, &'static str) {
    match order {
        Ordering::Less => ("<", ">="),
        Ordering::Equal => ("==", "!="),
        Ordering::Greater => (">", "<="),
    }
}

fn membership(member: &str, set: &str, holds: bool) -> (String, String) {
    let (yes, no) = (format!("{member} in {set}"), format!("!({member} in {set})"));
    if holds { (yes, no) } else { (no, yes) }
}
