//! Big steps, and the network system of a program: the end of appendix C, and section 2.4.

use crate::network::{Network, TooMuch};
use crate::rules::{Configuration, resume, small_steps};
use crate::term::{CoreProgram, Store, Term, core_program};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_syntax::core;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

/// The most small steps within one big step.
const MAX_SMALL_STEPS: usize = 20_000;

/// The network system of a program, as far as somebody has looked at it.
pub struct ProgramNetwork {
    labels: Vec<String>,
    req: Vec<(usize, usize)>,
    g0: usize,
    locals: Numbered<(Rc<Term>, Rc<Store>)>,
    globals: Numbered<Rc<Store>>,
    /// Responses are numbered by their values; nothing is that of a request that has aborted.
    values: Numbered<Option<i64>>,
    delta: FxHashMap<(usize, usize), Vec<(usize, usize)>>,
}

impl ProgramNetwork {
    /// The program of a core without errors; nothing if it has more than numbers.
    pub fn new(program: &core::Program) -> Option<ProgramNetwork> {
        core_program(program).map(|program| ProgramNetwork::from_core(&program))
    }

    /// The same for a program of terms. Parameters have few values.
    pub fn from_core(program: &CoreProgram) -> ProgramNetwork {
        let mut network = ProgramNetwork {
            labels: Vec::new(),
            req: Vec::new(),
            g0: 0,
            locals: Numbered::default(),
            globals: Numbered::default(),
            values: Numbered::default(),
            delta: FxHashMap::default(),
        };
        network.g0 = network.globals.number(Rc::new(program.initial.clone()));
        for request in &program.requests {
            // rho for each choice of parameters, with the values in their order.
            let mut stores: Vec<(Store, Vec<String>)> = vec![Default::default()];
            for (name, low, high) in &request.parameters {
                let choices = stores.iter().flat_map(|(rho, values)| {
                    (*low..=*high).map(move |v| {
                        let (mut rho, mut values) = (rho.clone(), values.clone());
                        rho.insert(name.clone(), v);
                        values.push(v.to_string());
                        (rho, values)
                    })
                });
                stores = choices.collect();
            }
            for (rho, values) in stores {
                let label = match values.as_slice() {
                    [] => request.name.clone(),
                    _ => format!("{}({})", request.name, values.join(",")),
                };
                let local = network.locals.number((request.body.clone(), Rc::new(rho)));
                network.req.push((network.labels.len(), local));
                network.labels.push(label);
            }
        }
        network
    }

    /// The values of the global variables in a global state.
    pub(crate) fn globals(&self, global: usize) -> BTreeMap<String, i64> {
        let store = self.globals.get(global).iter();
        store.map(|(name, value)| (name.to_string(), *value)).collect()
    }

    /// The response of a local state, if it is one.
    pub(crate) fn response_value(&self, local: usize) -> Option<i64> {
        match *self.locals.get(local).0 {
            Term::Value(value) => Some(value),
            _ => None,
        }
    }

    /// `<e, rho, g> ->* <e', rho', g'>` for every `<e', rho', g'>` where no small step leads on.
    ///
    /// An endless sequence of small steps ends nowhere; one that repeats itself is cut.
    fn small_step_ends(&self, start: Configuration) -> Result<Vec<Configuration>, TooMuch> {
        let mut seen = FxHashSet::default();
        let mut open = vec![start];
        let mut ends = Vec::new();
        while let Some(c) = open.pop() {
            if !seen.insert(c.clone()) {
                continue;
            }
            if seen.len() > MAX_SMALL_STEPS {
                return Err(TooMuch::States);
            }
            let mut next = small_steps(&c)?;
            if next.is_empty() {
                ends.push(c);
            }
            open.append(&mut next);
        }
        Ok(ends)
    }
}

/// YIELD.
fn yield_(end: &Configuration) -> Option<Configuration> {
    resume(&end.e).map(|e| end.with(e))
}

/// TERMINATE; a request also ends with `return v`, and with `abort`.
fn terminate(end: &Configuration) -> Option<Configuration> {
    match &*end.e {
        Term::Value(_) | Term::Abort => Some(end.clone()),
        Term::Return(v) => matches!(**v, Term::Value(_)).then(|| end.with(v.clone())),
        _ => None,
    }
}

impl Network for ProgramNetwork {
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
        let (e, rho) = self.locals.get(local).clone();
        let mut steps = Vec::new();
        // A value is a response and makes no step, and whoever has aborted makes none.
        if !matches!(*e, Term::Value(_) | Term::Abort) {
            let g = self.globals.get(global).clone();
            for end in self.small_step_ends(Configuration { e, rho, g })? {
                for Configuration { e, rho, g } in
                    [yield_(&end), terminate(&end)].into_iter().flatten()
                {
                    steps.push((self.locals.number((e, rho)), self.globals.number(g)));
                }
            }
            steps.sort_unstable();
            steps.dedup();
        }
        self.delta.insert((local, global), steps.clone());
        Ok(steps)
    }

    fn resp(&mut self, local: usize) -> Vec<usize> {
        match *self.locals.get(local).0 {
            Term::Value(v) => vec![self.values.number(Some(v))],
            Term::Abort => vec![self.values.number(None)],
            _ => Vec::new(),
        }
    }

    fn request_name(&self, label: usize) -> String {
        self.labels[label].clone()
    }

    fn counts(&self, response: usize) -> bool {
        self.values.get(response).is_some()
    }

    fn response_name(&self, response: usize) -> String {
        self.values.get(response).map_or("abort".to_owned(), |value| value.to_string())
    }
}

/// Things with numbers, in the order in which they turn up.
pub(crate) struct Numbered<T> {
    list: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { list: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub(crate) fn number(&mut self, thing: T) -> usize {
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            self.list.push(thing.clone());
            self.list.len() - 1
        })
    }

    pub(crate) fn get(&self, number: usize) -> &T {
        &self.list[number]
    }
}
