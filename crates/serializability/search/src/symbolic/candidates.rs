//! What could be true: bounds and differences of variables.

use ser_model::{Linear, Literal, SymbolicNet, SymbolicPlace, SymbolicStep, SymbolicTarget, Var};
use ser_serializability_checker::symbolic::{Fact, Facts, all_shared};
use std::collections::BTreeSet;

/// Numbers that variables are compared with, at most.
const MAX_NUMBERS: usize = 8;

/// More variables than this are not compared with each other.
const MAX_VARIABLES: usize = 14;

/// So many facts about what has been validated, for each place.
const MAX_VALIDATED: usize = 40;

/// All candidates.
pub(super) fn candidates(net: &SymbolicNet, given: bool) -> Facts {
    let numbers = numbers(net);
    // Of all keys, one.
    let globals = elements(net, &vec![1; net.types]);
    let used: BTreeSet<usize> = net.steps.iter().filter_map(SymbolicStep::put).collect();
    let mut general = about(&globals, &numbers);
    let guards = net.steps.iter().flat_map(|step| &step.guard);
    let is_general = |it: &&Literal| {
        let terms = &it.form().terms;
        let is_general = |var: &Var| match var {
            Var::Global(n) => net.array_of(*n).is_none(),
            _ => false,
        };
        terms.len() > 1 && terms.iter().all(|(var, _)| is_general(var))
    };
    for literal in guards.filter(is_general) {
        both_ways(literal.form(), &mut general);
    }
    let mut facts =
        Facts { general: general.into_iter().map(Fact::from).collect(), ..Facts::default() };
    for place in &used {
        let locals = net.places[*place].locals.iter().map(|local| Var::Local(0, *local));
        let own = elements(net, &net.handlers[net.places[*place].handler].keys);
        let all: Vec<Var> = own.into_iter().chain(locals).collect();
        let mut here = about(&all, &numbers);
        for step in net.steps.iter().filter(|step| step.from == Some(*place)) {
            let long = step.guard.iter().filter(|it| it.form().terms.len() > 2);
            let own = |var: &Var| !matches!(var, Var::Choice(..));
            let long = long.filter(|it| it.form().terms.iter().all(|(var, _)| own(var)));
            long.for_each(|it| both_ways(it.form(), &mut here));
        }
        let mut here: Vec<Fact> = here.into_iter().map(Fact::from).collect();
        if given {
            here.extend(validated(net, *place));
        }
        here.sort();
        here.dedup();
        facts.one.insert(*place, here);
    }
    let shared = asked_with_locals(net);
    for first in &used {
        for second in &used {
            let handlers = [*first, *second].map(|it| net.places[it].handler);
            let no_keys = handlers.iter().all(|it| net.handlers[*it].keys.iter().all(|n| *n == 0));
            let never = Literal::AtLeast(Linear::number(-1));
            let mut here = vec![Fact::from(never)];
            if no_keys {
                let compared = compared(net, [*first, *second], &shared);
                here.extend(compared.into_iter().map(Fact::from));
            }
            for keys in all_shared(net, handlers) {
                facts.two.insert((*first, *second, keys), here.clone());
            }
        }
    }
    facts.general.sort();
    facts.general.dedup();
    facts
}

/// What a request has read is still so, given that something else is what it has seen: a version, a
/// flag. Handlers that validate ask for it later on.
fn validated(net: &SymbolicNet, place: usize) -> Vec<Fact> {
    let SymbolicPlace { handler, locals, .. } = &net.places[place];
    let own = || net.steps.iter().filter(|step| step.handler == *handler);
    let mut given: BTreeSet<Literal> = BTreeSet::new();
    for literal in own().flat_map(|step| &step.guard) {
        let vars = || literal.form().terms.iter().map(|(var, _)| *var);
        let is_here = |var| match var {
            Var::Global(_) => true,
            Var::Local(_, local) => locals.contains(&local),
            Var::Choice(..) => false,
        };
        let is_mixed = vars().any(|it| matches!(it, Var::Global(_)))
            && vars().any(|it| matches!(it, Var::Local(..)));
        if matches!(literal, Literal::Zero(_)) && is_mixed && vars().all(is_here) {
            given.insert(literal.clone());
        }
    }
    let mut then: BTreeSet<Literal> = BTreeSet::new();
    for (local, value) in own().filter(|it| it.put().is_some()).flat_map(|it| &it.locals) {
        let reads = |(var, _): &(Var, i64)| matches!(var, Var::Global(_));
        if locals.contains(local) && !value.terms.is_empty() && value.terms.iter().all(reads) {
            let difference = value.minus(&Linear::var(Var::Local(0, *local)));
            then.extend(difference.and_then(|it| Literal::Zero(it).oriented()));
        }
    }
    let pairs = given.iter().flat_map(|given| then.iter().map(move |then| (given, then)));
    let pairs = pairs.filter(|(given, then)| given != then);
    let pairs = pairs.map(|(given, then)| Fact { given: vec![given.clone()], then: then.clone() });
    pairs.take(MAX_VALIDATED).collect()
}

/// Global variables, with the elements of arrays for the first keys: so many of each type.
fn elements(net: &SymbolicNet, keys: &[usize]) -> Vec<Var> {
    let is_there = |n: &u32| match net.array_of(*n) {
        Some((array, key)) => keys.get(net.arrays[array].of).is_some_and(|of| key < *of),
        None => true,
    };
    (0..net.globals.len() as u32).filter(is_there).map(Var::Global).collect()
}

/// Variables of two requests, and global ones.
fn compared(net: &SymbolicNet, places: [usize; 2], shared: &BTreeSet<Var>) -> Vec<Literal> {
    let [first, second] = places;
    let mut here = Vec::new();
    for a in &net.places[first].locals {
        for b in &net.places[second].locals {
            compare(Var::Local(0, *a), Var::Local(1, *b), &mut here);
        }
    }
    for (role, place) in [(0, first), (1, second)] {
        for local in &net.places[place].locals {
            for global in shared {
                compare(*global, Var::Local(role, *local), &mut here);
            }
        }
    }
    here
}

/// Global variables that some condition compares with local ones.
fn asked_with_locals(net: &SymbolicNet) -> BTreeSet<Var> {
    let guards = net.steps.iter().flat_map(|step| &step.guard);
    let vars = |it: &Literal| it.form().terms.iter().map(|(var, _)| *var).collect::<Vec<Var>>();
    let is_local = |var: &Var| matches!(var, Var::Local(..));
    let is_global = |var: &Var| matches!(var, Var::Global(n) if net.array_of(*n).is_none());
    let mixed = guards.map(vars).filter(|it| it.iter().any(is_local));
    mixed.flatten().filter(is_global).collect()
}

/// Numbers that the program mentions, small ones first.
fn numbers(net: &SymbolicNet) -> Vec<i64> {
    let mut found: BTreeSet<i64> = BTreeSet::from([0, 1]);
    found.extend(&net.initial);
    for step in &net.steps {
        for literal in &step.guard {
            if let [(_, 1 | -1)] = literal.form().terms.as_slice() {
                let constant = literal.form().constant;
                found.extend([constant.checked_neg(), Some(constant)].into_iter().flatten());
            }
        }
        let values: &[Linear] = match &step.to {
            SymbolicTarget::Response { values, .. } => values,
            _ => &[],
        };
        let values = step.globals.values().chain(step.locals.values()).chain(values);
        found.extend(values.filter_map(Linear::as_number));
    }
    let mut found: Vec<i64> = found.into_iter().collect();
    found.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    found.truncate(MAX_NUMBERS);
    found
}

/// Bounds of variables, and their differences.
fn about(all: &[Var], numbers: &[i64]) -> Vec<Literal> {
    let mut found = Vec::new();
    for (n, var) in all.iter().enumerate() {
        let form = Linear::var(*var);
        for number in numbers {
            let number = Linear::number(*number);
            found.extend(form.minus(&number).map(Literal::AtLeast));
            found.extend(number.minus(&form).map(Literal::AtLeast));
        }
        found.push(Literal::NotZero(form));
        if all.len() <= MAX_VARIABLES {
            for other in &all[n + 1..] {
                compare(*var, *other, &mut found);
            }
        }
    }
    found
}

fn compare(a: Var, b: Var, found: &mut Vec<Literal>) {
    let Some(difference) = Linear::var(a).minus(&Linear::var(b)) else { return };
    both_ways(&difference, found);
    let one = Linear::number(1);
    found.extend(difference.minus(&one).map(Literal::AtLeast));
    found.extend(Linear::number(-1).minus(&difference).map(Literal::AtLeast));
    found.extend(Literal::NotZero(difference).oriented());
}

/// The form is at least 0, or at most.
fn both_ways(form: &Linear, found: &mut Vec<Literal>) {
    found.push(Literal::AtLeast(form.clone()));
    found.extend(form.times(-1).map(Literal::AtLeast));
}
