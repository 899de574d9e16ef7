//! The network system of a program of the whole language, read from its syntax tree.
//!
//! | module | what is in it |
//! | --- | --- |
//! | `value` | values, and how they are written |
//! | `tables` | what declarations say |
//! | `infer` | types where none are written |
//! | `evaluate` | a handler, evaluated again with all that it has seen so far |
//!
//! There are no small steps, no terms and no slots here: a recursive evaluator over the tree, with
//! values that have parts. A request in flight is the log of what it has seen, and requests that
//! will do the same from here on are taken for one.

mod evaluate;
mod infer;
mod tables;
mod value;

pub use value::Value;

use crate::network::{Network, TooMuch};
use crate::program::Numbered;
use evaluate::{Evaluation, Event, Seen, Signal, Standing, Store};
use rustc_hash::FxHashMap;
use ser_syntax::ast;
use std::rc::Rc;
use tables::{Kind, Tables};

/// The most evaluations within one step, one for each way to choose.
const MAX_WAYS: usize = 5_000;

/// The network system of a program, as far as somebody has looked at it.
///
/// ```
/// use ser_oracle::{Findings, WholeNetwork, compare};
///
/// let parse = ser_syntax::parse(
///     "enum Seat { free, held } var Plan: [0..1] of Seat
///      request take(i in 0..1) { s := Plan[i]; yield; Plan[i] := held; s }",
/// );
/// let mut network = WholeNetwork::new(&parse.tree).unwrap();
/// // Two requests find the same seat free.
/// assert!(matches!(compare(&mut network, 2, 1000), Ok(Findings::Broken { requests: 2, .. })));
/// ```
pub struct WholeNetwork {
    tables: Tables,
    labels: Vec<String>,
    req: Vec<(usize, usize)>,
    g0: usize,
    locals: Numbered<Local>,
    /// For each local state, which request it is of, and one way to reach it.
    logs: Vec<(Start, Vec<Event>)>,
    globals: Numbered<Rc<Store>>,
    /// Responses as they are written; nothing is that of a request that has aborted.
    responses: Numbered<Option<String>>,
    delta: FxHashMap<(usize, usize), Vec<(usize, usize)>>,
}

/// A handler with the values of its parameters.
type Start = (usize, Rc<[Value]>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Local {
    New(Start),
    Paused(Standing),
    Done(Option<String>),
}

impl WholeNetwork {
    /// The program of a syntax tree without errors; nothing if there is something in it that means
    /// nothing.
    pub fn new(program: &ast::Program) -> Option<WholeNetwork> {
        let tables = Tables::new(Rc::new(program.clone()))?;
        let mut network = WholeNetwork {
            labels: Vec::new(),
            req: Vec::new(),
            g0: 0,
            locals: Numbered::default(),
            logs: Vec::new(),
            globals: Numbered::default(),
            responses: Numbered::default(),
            delta: FxHashMap::default(),
            tables,
        };
        network.g0 = network.globals.number(Rc::new(network.tables.initial.clone()));
        let tree = Rc::clone(&network.tables.tree);
        for (at, request) in tree.requests.iter().enumerate() {
            let mut all = vec![Vec::new()];
            for parameter in &request.parameters {
                let values = match network.tables.kind(&parameter.values)? {
                    // Of all numbers, these few.
                    Kind::Int => (-1..=2).map(Value::Number).collect(),
                    kind => network.tables.values(&kind)?,
                };
                let more = |before: Vec<Value>| {
                    let with = |value: &Value| [&before[..], std::slice::from_ref(value)].concat();
                    values.iter().map(with).collect::<Vec<_>>()
                };
                all = all.into_iter().flat_map(more).collect();
            }
            for values in all {
                let written: Vec<String> = values.iter().map(Value::to_string).collect();
                network.req.push((network.labels.len(), network.logs.len()));
                network.labels.push(match &written[..] {
                    [] => request.name.text.clone(),
                    _ => format!("{}({})", request.name.text, written.join(",")),
                });
                let start: Start = (at, values.into());
                network.local(Local::New(start.clone()), start, Vec::new());
            }
        }
        Some(network)
    }

    fn local(&mut self, local: Local, start: Start, log: Vec<Event>) -> usize {
        let number = self.locals.number(local);
        if number == self.logs.len() {
            self.logs.push((start, log));
        }
        number
    }

    /// Whether all that the claim of this number says is true of a global state; nothing if it has
    /// no value there.
    ///
    /// ```
    /// let parse = ser_syntax::parse("request a { X := 1; yield; X := 0 }  reach X == 1");
    /// let mut network = ser_oracle::WholeNetwork::new(&parse.tree).unwrap();
    /// let mut runs = ser_oracle::Runs::new(&network, 1);
    /// runs.one_more(&mut network, 100).unwrap();
    /// let globals: Vec<usize> = runs.globals().collect();
    /// assert!(globals.into_iter().any(|it| network.is_so(0, it) == Some(true)));
    /// ```
    pub fn is_so(&self, claim: usize, global: usize) -> Option<bool> {
        let tree = Rc::clone(&self.tables.tree);
        let mut so = true;
        for conjunct in &tree.claims.get(claim)?.conjuncts {
            let mut seen = Seen::default();
            let globals = Rc::clone(self.globals.get(global));
            let mut evaluation = Evaluation::new(&self.tables, &[], &[], &mut seen);
            so &= evaluation.condition(&conjunct.condition, globals)?;
        }
        Some(so)
    }

    /// Every way in which a step may go.
    fn steps(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        let (start, mut log) = self.logs[local].clone();
        log.push(Event::Resume(Rc::clone(self.globals.get(global))));
        let mut steps = Vec::new();
        let mut seen = Seen::default();
        let mut script = Vec::new();
        for _ in 0..MAX_WAYS {
            let mut evaluation = Evaluation::new(&self.tables, &log, &script, &mut seen);
            let ended = match evaluation.request(start.0, &start.1) {
                Ok(value) => Some(Local::Done(Some(value.to_string()))),
                Err(Signal::Yield) => Some(Local::Paused(evaluation.standing())),
                Err(Signal::Abort) => Some(Local::Done(None)),
                Err(Signal::TooMuch(why)) => return Err(why),
                // Nobody can leave a handler by `break`.
                Err(_) => None,
            };
            let (choices, globals) = (evaluation.choices, evaluation.globals);
            if let Some(ended) = ended {
                let chosen = choices.iter().map(|(choice, _)| Event::Choice(*choice));
                let log = log.iter().cloned().chain(chosen).collect();
                let local = self.local(ended, start.clone(), log);
                steps.push((local, self.globals.number(globals)));
            }
            // The last choice that has something left.
            let Some(last) = choices.iter().rposition(|(choice, among)| choice + 1 < *among) else {
                steps.sort_unstable();
                steps.dedup();
                return Ok(steps);
            };
            script = choices[..=last].iter().map(|(choice, _)| *choice).collect();
            script[last] += 1;
        }
        Err(TooMuch::States)
    }
}

impl Network for WholeNetwork {
    fn req(&self) -> &[(usize, usize)] {
        &self.req
    }

    fn g0(&self) -> usize {
        self.g0
    }

    fn delta(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        if let Some(known) = self.delta.get(&(local, global)) {
            return Ok(known.clone());
        }
        let steps = match self.locals.get(local) {
            Local::Done(_) => Vec::new(),
            _ => self.steps(local, global)?,
        };
        self.delta.insert((local, global), steps.clone());
        Ok(steps)
    }

    fn resp(&mut self, local: usize) -> Vec<usize> {
        match self.locals.get(local) {
            Local::Done(response) => vec![self.responses.number(response.clone())],
            _ => Vec::new(),
        }
    }

    fn request_name(&self, label: usize) -> String {
        self.labels[label].clone()
    }

    fn counts(&self, response: usize) -> bool {
        self.responses.get(response).is_some()
    }

    fn response_name(&self, response: usize) -> String {
        self.responses.get(response).clone().unwrap_or_else(|| "abort".to_owned())
    }
}
