//! Requests that may break serializability: their arguments are found by the solver, not listed.
//!
//! A few requests with *any* arguments run concurrently; besides, their handlers are run one after
//! the other, in every order, on the same arguments. Asked for is a run of all of them whose
//! responses are those of no order. Handlers without choices are functions of what they find, so
//! the serial responses are terms over the arguments, and all of this is one formula. Loops go
//! round only so often, and a serial run that takes longer counts as impossible: what comes out is
//! a suspicion, which somebody else has to confirm.

use crate::search::SearchError;
use crate::tracer::{Options, Outcome, Tracer};
use ser_base::Limits;
use ser_model::{Code, Instr, Liveness, VariableId};
use ser_reachability_model::{
    ArcKind, EncodeError, Interval, Location, Loops, NewTransition, Process, Start, StepError,
    Stepper, Supply, Task, Term, Terms, TransitionId, UnwindError, Unwinding,
};
use ser_syntax::core::{BinaryOp, Program};
use std::collections::BTreeMap;

/// Loops go round so often.
const ROUNDS: u32 = 2;

/// The labels of requests that together may have responses which no serial run has; nothing if none
/// of so many requests were found. Handlers that make choices are left out.
///
/// ```
/// use ser_base::Limits;
/// let text = "
///     request put(n in 0..9999) { x := X; yield; X := x + n; if (n == 4321) { x } else { 0 } }
/// ";
/// let program = ser_syntax::parse(text).program;
/// let found = ser_reachability_search::suspects(&program, text, 2, &Limits::default()).unwrap().unwrap();
/// assert!(found.contains(&"put(4321)".to_owned()));
/// ```
pub fn suspects(
    program: &Program,
    text: &str,
    requests: usize,
    limits: &Limits,
) -> Result<Option<Vec<String>>, SearchError> {
    let code = Code::new(program);
    let (liveness, loops) = (Liveness::new(&code), Loops::new(&code));
    let stopping = Stepper::new(&code, &loops, &liveness, limits, ROUNDS);
    let stepper = Stepper { runs_on: true, ..stopping };
    let usable: Vec<usize> = (0..code.handlers.len()).filter(|h| is_usable(&code, *h)).collect();
    for group in groups(&usable, requests) {
        if !group.iter().any(|handler| yields(&code, *handler)) {
            continue;
        }
        limits.check_clock().map_err(UnwindError::from)?;
        match suspect(program, text, &stepper, &group) {
            Ok(None) => {}
            Ok(found) => return Ok(found),
            // What is too large here says nothing about the others.
            Err(SearchError::Unwind(UnwindError::Stop(stop))) => {
                return Err(UnwindError::Stop(stop).into());
            }
            Err(SearchError::Encode(EncodeError::Stopped(stop))) => {
                return Err(UnwindError::Stop(stop).into());
            }
            Err(_) => {}
        }
    }
    Ok(None)
}

/// The instructions of a handler.
fn instructions(code: &Code, handler: usize) -> &[Instr] {
    let from = code.handlers[handler].entry as usize;
    let to = code.handlers.get(handler + 1).map_or(code.instrs.len(), |h| h.entry as usize);
    &code.instrs[from..to]
}

/// Whether a handler always responds, and with a function of what it finds.
fn is_usable(code: &Code, handler: usize) -> bool {
    let mut instructions = instructions(code, handler).iter();
    !instructions.any(|instr| matches!(instr, Instr::Choose(..) | Instr::Abort | Instr::Fail(_)))
}

fn yields(code: &Code, handler: usize) -> bool {
    instructions(code, handler).contains(&Instr::Yield)
}

/// All multisets of so many handlers, in order.
fn groups(handlers: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let mut longer = Vec::new();
        for group in &groups {
            let from = group.last().copied().unwrap_or(0);
            for handler in handlers.iter().filter(|h| **h >= from) {
                longer.push(group.iter().copied().chain([*handler]).collect());
            }
        }
        groups = longer;
    }
    groups
}

/// Asks for a run of these handlers that is not serial.
fn suspect(
    program: &Program,
    text: &str,
    stepper: &Stepper<'_>,
    group: &[usize],
) -> Result<Option<Vec<String>>, SearchError> {
    let process = |(number, handler): (usize, &usize)| {
        let handler = stepper.code.handlers[*handler].name.clone();
        let name = format!("{handler}[{number}]");
        Process { name, label: handler.clone(), handler, arguments: Vec::new() }
    };
    let processes = group.iter().enumerate().map(process).collect();
    let (ranges, goals) = (BTreeMap::new(), Vec::new());
    let task = Task { program, text, processes, ranges, goals, is_open: true };
    let mut unwinding = Unwinding::new(&task, ROUNDS, stepper.limits)?;
    unwinding.net.growths.clear();
    let target = add_target(&mut unwinding, stepper, group)?;
    let mut tracer = Tracer::new(Options::default());
    tracer.extend(&unwinding.net, stepper.limits)?;
    tracer.require(&[target]);
    let trace = match tracer.solve(&unwinding.net, stepper.limits) {
        Outcome::Sat(trace) => trace,
        Outcome::Unsat { .. } => return Ok(None),
        Outcome::Unknown(stop) => return Err(UnwindError::Stop(stop).into()),
    };
    let execution = trace.to_execution(&unwinding.net, &|_| 0)?;
    let init = execution.steps.first();
    let mut labels = Vec::new();
    for (index, handler) in group.iter().enumerate() {
        let handler = &stepper.code.handlers[*handler];
        let place = unwinding.arguments[index];
        let arc = unwinding.net.place(place).outputs.first().map(|arc| unwinding.net.arc(*arc));
        let token = init.zip(arc).and_then(|(init, arc)| init.token(&unwinding.net, arc));
        let mut any = token.unwrap_or_default().into_iter();
        let value = |(low, high): &(i64, i64)| match low == high {
            true => *low,
            false => any.next().unwrap_or(*low),
        };
        let values: Vec<String> =
            handler.parameters.iter().map(value).map(|v| v.to_string()).collect();
        labels.push(match values.is_empty() {
            true => handler.name.clone(),
            false => format!("{}({})", handler.name, values.join(",")),
        });
    }
    Ok(Some(labels))
}

/// A transition that occurs when all are complete and no order explains their responses.
fn add_target(
    unwinding: &mut Unwinding,
    stepper: &Stepper<'_>,
    group: &[usize],
) -> Result<TransitionId, SearchError> {
    let mut arcs = Vec::new();
    let mut responses = Vec::new();
    let mut arguments = Vec::new();
    for (index, handler) in group.iter().enumerate() {
        for place in [unwinding.ends[index], unwinding.arguments[index]] {
            let colours = unwinding.net.place(place).colours.clone();
            let values: Vec<Term> =
                colours.into_iter().map(|c| unwinding.net.add_variable("seen", c)).collect();
            arcs.push((ArcKind::Test, place, values.clone()));
            match place == unwinding.ends[index] {
                true => responses.push(values.first().copied()),
                false => arguments.push(values),
            }
        }
        let mut any = std::mem::take(&mut arguments[index]).into_iter();
        for (low, high) in &stepper.code.handlers[*handler].parameters {
            let number = unwinding.net.terms.number(*low);
            let term = if low == high { Some(number) } else { any.next() };
            arguments[index].push(term.unwrap_or(number));
        }
    }
    let terms = &mut unwinding.net.terms;
    let mut guard = terms.number(1);
    for order in orders(group.len()) {
        let mut globals: Vec<Term> =
            stepper.code.initial.iter().map(|value| terms.number(*value)).collect();
        let mut explained = terms.number(1);
        for index in order {
            let handler = &stepper.code.handlers[group[index]];
            let mut locals = arguments[index].clone();
            let zero = terms.number(0);
            locals.resize(handler.slots.len(), zero);
            let nowhere = Location { rounds: Vec::new(), pc: Some(handler.entry) };
            let location = stepper.loops.at(handler.entry, &nowhere, false);
            let start = Start { location, locals, stack: Vec::new() };
            let mut serial = Serial { terms: &mut *terms, globals: &globals };
            let ways = stepper.step(start, &mut serial).map_err(|trouble| match trouble {
                StepError::Stop(stop) => UnwindError::Stop(stop),
                StepError::TooLarge(pc) => {
                    UnwindError::TooLarge { span: stepper.code.spans[pc as usize] }
                }
                StepError::Beyond(pc, what) => {
                    UnwindError::Beyond { span: stepper.code.spans[pc as usize], what }
                }
            })?;
            let mut possible = terms.number(0);
            let mut response = zero;
            let mut after = globals.clone();
            for way in &ways.ways {
                possible = terms.binary(BinaryOp::Or, possible, way.condition);
                let value = way.stack.first().copied().unwrap_or(zero);
                response = terms.choice(way.condition, value, response);
                for (variable, value) in &way.writes {
                    let old = after[variable.index()];
                    after[variable.index()] = terms.choice(way.condition, *value, old);
                }
            }
            // A way that does not write a variable leaves it as it was, whatever the others do.
            for way in &ways.ways {
                for (index, value) in after.iter_mut().enumerate() {
                    if !way.writes.contains_key(&VariableId::from_index(index)) {
                        *value = terms.choice(way.condition, globals[index], *value);
                    }
                }
            }
            globals = after;
            explained = terms.and(explained, possible);
            if let Some(seen) = responses[index] {
                let same = terms.binary(BinaryOp::Equal, seen, response);
                explained = terms.and(explained, same);
            }
        }
        let not = terms.not(explained);
        guard = terms.and(guard, not);
    }
    let name = "not serial".to_owned();
    Ok(unwinding.net.add_transition(NewTransition { name, guard, arcs }))
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            let rest = (0..count).filter(|i| !order.contains(i));
            rest.map(|i| order.iter().copied().chain([i]).collect()).collect::<Vec<Vec<usize>>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// The state that a serial run has come to.
struct Serial<'a> {
    terms: &'a mut Terms,
    globals: &'a [Term],
}

impl Supply for Serial<'_> {
    fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    fn global(&mut self, variable: VariableId) -> Term {
        self.globals[variable.index()]
    }

    fn choice(&mut self, _: &Location, interval: Interval) -> Term {
        // Handlers with choices are left out.
        self.terms.number(interval.low)
    }
}
