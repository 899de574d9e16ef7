//! Steps with terms against steps with values: two ways to say what a program does.
//!
//! Random programs, states and choices. A path is executed with terms, and what it gives is
//! evaluated in the state; and it is walked with values. Both have to agree on whether the step is
//! taken, waits or is an error, and on every value afterwards.

use super::{Machine, Stopped, Walk};
use crate::control::Control;
use crate::environment::{Environment, Position, Scope, Value as TermValue};
use crate::evaluate::View;
use crate::logic::Logic;
use crate::run::{Cell, Elem, State, ThreadState, Value};
use crate::step::{Actor, Item, execute};
use crate::tests::model::{Cells, Model, random_value};
use crate::translate::Translator;
use fastrand::Rng;
use ser_base::LineIndex;
use ser_generators::Draw;
use ser_generators::threads::actions::{self, Context};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{LocId, ProcId};
use std::collections::BTreeMap;

const THREADS: u32 = 2;

/// A state in which `null` has the cell that it has in runs.
fn model(random: &mut Rng, system: &System, control: &Control<'_>) -> Model {
    let cells = random.below(4) as u32;
    let mut model = Model::random(random, system, THREADS, cells, &[]);
    let heap = &mut model.heaps[0];
    heap.endless = false;
    heap.data.insert(0, Elem::Between(0));
    for next in heap.next.values_mut() {
        *next = (*next).min(cells);
    }
    // Threads that do not exist are no values.
    let clear = |value: &mut Value| {
        if let Value::Tid(Some(thread)) = value
            && *thread >= THREADS
        {
            *value = Value::Tid(None);
        }
        if let Value::Set(elements) = value {
            elements.retain(|it| !matches!(it, Value::Tid(Some(thread)) if *thread >= THREADS));
        }
    };
    model.globals.iter_mut().for_each(clear);
    model.locals.iter_mut().flatten().for_each(clear);
    for procedure in 1..system.procedures.len() as u32 {
        let calls = control.calls_of(ProcId(procedure));
        for block in 0..THREADS {
            model.sites.insert((block, ProcId(procedure)), *random.pick(calls));
        }
    }
    model
}

fn state(model: &Model) -> State {
    let heap = &model.heaps[0];
    let cells = heap.next.keys().map(|address| {
        let (next, data, lockid) =
            (heap.next(*address), heap.data(*address), heap.lockid(*address));
        (*address, Cell { next, data, lockid })
    });
    let threads = (0..).zip(model.locals.iter().zip(&model.at));
    let threads = threads.map(|(block, (locals, at))| {
        let sites = model.sites.iter().filter(|((of, _), _)| *of == block);
        let sites = sites.map(|((_, procedure), site)| (*procedure, *site)).collect();
        ThreadState { location: *at, locals: locals.clone(), sites }
    });
    State { globals: model.globals.clone(), threads: threads.collect(), cells: cells.collect() }
}

#[derive(PartialEq, Eq, Debug)]
enum Ends {
    Moved,
    Waits,
    Error,
}

#[test]
fn steps_with_terms_and_steps_with_values_are_the_same() {
    let mut random = Rng::with_seed(7);
    let (mut counts, mut kinds) = ([0usize; 3], BTreeMap::new());
    for _ in 0..400 {
        let text = actions::program(&mut random);
        let parse = ser_syntax::inv::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
        let system = parse.system;
        let control = Control::new(&system).expect("a program");
        let lines = LineIndex::new(&text);
        for location in 0..system.locations.len() {
            for path in 0..control.paths[location].len() {
                for _ in 0..6 {
                    let ends = one(&mut random, &system, &control, &lines, location, path, &text);
                    counts[ends as usize] += 1;
                }
                *kinds.entry(control.paths[location][path].pieces.len()).or_insert(0) += 1;
            }
        }
    }
    assert!(counts.iter().all(|it| *it > 1000), "{counts:?}");
    assert!(kinds.len() > 4, "{kinds:?}");
}

fn one(
    random: &mut Rng,
    system: &System,
    control: &Control<'_>,
    lines: &LineIndex,
    location: usize,
    path: usize,
    text: &str,
) -> Ends {
    let me = random.below(THREADS as usize) as u32;
    let mut model = model(random, system, control);
    model.at[me as usize] = LocId(location as u32);
    let path = &control.paths[location][path];

    let mut logic = Logic::new();
    let actor = Actor { me, blocks: THREADS, location: LocId(location as u32), obligations: true };
    let has_site = |procedure| control.has_site(procedure);
    let done = execute(system, &[], &mut logic, path, actor, has_site).expect("a path");
    model.chosen = done.chosen.iter().map(|ty| random_value(random, *ty, 6, 0)).collect();
    for write in done.after.heap.writes() {
        model.write(&logic, write);
    }
    let mut wanted = Ends::Moved;
    for item in &done.items {
        let (formula, end) = match item {
            Item::Fact(formula) => (formula, Ends::Waits),
            Item::Obligation(formula) => (formula, Ends::Error),
        };
        if !model.holds(&logic, *formula) {
            wanted = end;
            break;
        }
    }

    let before = state(&model);
    let mut machine = Machine { system, control, lines, state: before.clone() };
    let mut chosen = model.chosen.iter();
    let mut walk = Walk { machine: &mut machine, me, chosen: &mut chosen, lacks: false };
    let found = match walk.path(path) {
        Ok(()) => Ends::Moved,
        Err(Stopped::Error(_)) => Ends::Error,
        Err(Stopped::Wrong(_)) => Ends::Waits,
    };
    let story = || format!("{text}\n{path:?}\nthread {me}, {before:?}, {:?}", model.chosen);
    assert_eq!(found, wanted, "{}", story());
    if found != Ends::Moved {
        return found;
    }

    let after = &done.after;
    let scope = Scope { me: Some(me), parameters: &[], anchors: &[] };
    let mut values = Vec::new();
    let mut translator = Translator::new(system, &mut logic, after, scope);
    for (number, value) in machine.state.globals.iter().enumerate() {
        values.push((translator.global(number as u32).expect("known"), value));
    }
    for (block, thread) in machine.state.threads.iter().enumerate() {
        for (number, value) in thread.locals.iter().enumerate() {
            values.push((translator.local(number as u32, block as u32).expect("known"), value));
        }
    }
    for (place, (term, value)) in values.into_iter().enumerate() {
        let term = match term {
            TermValue::Term(term) => model.value(&logic, term),
            TermValue::Formula(formula) => Value::Bool(model.holds(&logic, formula)),
        };
        assert_eq!(term, *value, "variable {place} after {}", story());
    }
    let last: &Cells = model.heaps.last().expect("version 0");
    for address in 0..8 {
        let cell = machine.state.cell(address);
        let wanted = (last.next(address), last.data(address), last.lockid(address));
        assert_eq!((cell.next, cell.data, cell.lockid), wanted, "cell {address} {}", story());
    }
    let at = machine.state.threads[me as usize].location;
    assert_eq!(after.position, Position::One(me, at));
    for (block, thread) in (0..).zip(&machine.state.threads) {
        for (procedure, site) in thread.sites.iter().filter(|(it, _)| control.has_site(**it)) {
            let before = model.sites[&(block, *procedure)];
            assert_eq!(after.site(block, *procedure).unwrap_or(before), *site);
        }
    }
    found
}

#[test]
fn formulas_with_terms_and_formulas_with_values_are_the_same() {
    let mut random = Rng::with_seed(11);
    let (mut held, mut count) = (0, 0);
    for _ in 0..600 {
        let context = Context {
            parameters: Some(&["i", "j"]),
            labels: &["first", "second", "both"],
            heap: true,
        };
        let formulas: Vec<String> = (0..4).map(|_| context.expr(&mut random, "bool", 3)).collect();
        let mut text = format!(
            "{}set Threads  process thread for self in Threads {{ {} both: {{ first: skip; second: skip; }} }}\n",
            actions::globals(),
            actions::locals()
        );
        for (number, formula) in formulas.iter().enumerate() {
            text += &format!("invariant phi{number}(i, j) : {formula};\n");
        }
        let parse = ser_syntax::inv::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
        let system = parse.system;
        let control = Control::new(&system).expect("a program");
        for _ in 0..12 {
            let model = model(&mut random, &system, &control);
            let state = state(&model);
            let tuple = [random.below(2) as u32, random.below(2) as u32];
            let view = View { state: &state, me: None, parameters: &tuple };
            // What is known of the locations must not matter.
            let position = match random.below(3) {
                0 => Position::Unknown,
                1 => Position::One(0, model.at[0]),
                _ => Position::One(1, model.at[1]),
            };
            let environment = Environment::before(position);
            for (invariant, formula) in system.invariants.iter().zip(&formulas) {
                let mut logic = Logic::new();
                let scope = Scope { me: None, parameters: &tuple, anchors: &[] };
                let mut translator = Translator::new(&system, &mut logic, &environment, scope);
                let expr = &invariant.conjuncts[0].formula;
                let translated = translator.formula(expr).expect("a formula");
                let (with_terms, with_values) =
                    (model.holds(&logic, translated), view.holds(expr).expect("a value"));
                assert_eq!(with_terms, with_values, "{formula} for {tuple:?} in {state:?}");
                held += usize::from(with_terms);
                count += 1;
            }
        }
    }
    assert!(held > count / 5 && held < count * 4 / 5, "{held} of {count}");
}
