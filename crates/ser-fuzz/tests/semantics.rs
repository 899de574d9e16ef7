//! The semantics against its own definition.
//!
//! Engine and checker share the front end, so nobody would notice if both were told the wrong thing
//! about a program. This test would. It executes sections 6.1 to 6.5 of `docs/language.md` as they
//! stand: expressions are rewritten one small step at a time, nothing is compiled, shared, forgotten or
//! memoised by what it reads. Then the outcomes of few requests, interleaved and serial, are compared
//! with those of the network system that `ser-model` makes of the same text; and with those of its
//! rules and of its parts, which is what there is to look at if there are too many global states.
//!
//! The random programs have what the generator of `ser-fuzz` leaves out: `yield` in operands and
//! conditions, nested loops, loops that never end, `return` anywhere, short-circuit operators with
//! effects, parameters, constants, initial values. Their printer writes only the parentheses that the
//! grammar needs, and the parser must give back the tree that was printed.

#![allow(clippy::print_stderr)]

#[path = "semantics/large.rs"]
mod large;

use large::{Large, LargeTally};
use ser_fuzz::{Oracle, Random, brute_force};
use ser_lang::ast::{self, BinaryOp, ExprKind, UnaryOp};
use ser_model::{ExploreError, GlobalId, Limits, LocalId, NetworkSystem, ProgramModel};
use std::collections::{BTreeMap, BTreeSet, HashMap};

// ---------------------------------------------------------------------------------------------------
// 6.1 Core expressions

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Core {
    Value(i64),
    Choose(i64, i64),
    Local(String),
    Global(String),
    SetLocal(String, Box<Core>),
    SetGlobal(String, Box<Core>),
    Unary(Unary, Box<Core>),
    Binary(Binary, Box<Core>, Box<Core>),
    And(Box<Core>, Box<Core>),
    Or(Box<Core>, Box<Core>),
    Sequence(Box<Core>, Box<Core>),
    If(Box<Core>, Box<Core>, Box<Core>),
    While(Box<Core>, Box<Core>),
    Yield,
    Return(Box<Core>),
    Assume(Box<Core>),
}

use Core::*;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Unary {
    Negate,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Binary {
    Add,
    Subtract,
    Multiply,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

fn bx(e: Core) -> Box<Core> {
    Box::new(e)
}

/// `e1; e2; ...; en`, associated to the right; 0 if there is none.
fn sequence(mut list: Vec<Core>) -> Core {
    let Some(last) = list.pop() else { return Value(0) };
    list.into_iter().rev().fold(last, |rest, e| Sequence(bx(e), bx(rest)))
}

/// A name, parameters with their ranges, and a body.
type Request = (String, Vec<(String, i64, i64)>, Core);

struct Program {
    requests: Vec<Request>,
    initial: BTreeMap<String, i64>,
}

/// Rewrites a syntax tree into the core.
fn core_of(program: &ast::Program) -> Program {
    let mut constants = BTreeMap::new();
    for constant in &program.constants {
        let value = constant_value(&constant.value, &constants);
        constants.insert(constant.name.text.clone(), value);
    }
    let initial = program
        .initial_values
        .iter()
        .map(|i| (i.name.text.clone(), constant_value(&i.value, &constants)))
        .collect();
    let requests = program
        .requests
        .iter()
        .map(|r| {
            let parameters = r.parameters.iter().map(|p| {
                let (low, high) = (&p.low, &p.high);
                let ends = (constant_value(low, &constants), constant_value(high, &constants));
                (p.name.text.clone(), ends.0, ends.1)
            });
            (r.name.text.clone(), parameters.collect(), block(&r.body, &constants))
        })
        .collect();
    Program { requests, initial }
}

fn constant_value(expr: &ast::Expr, constants: &BTreeMap<String, i64>) -> i64 {
    // A constant expression is an expression: evaluate it like one.
    let mut e = expression(expr, constants);
    loop {
        let no_locals = BTreeMap::new();
        match small_step(&e, &no_locals, &no_locals) {
            Small::Value(v) => return v,
            Small::Becomes(mut next) if next.len() == 1 => e = next.remove(0).0,
            other => panic!("not constant: {other:?}"),
        }
    }
}

fn block(block: &ast::Block, constants: &BTreeMap<String, i64>) -> Core {
    sequence(block.exprs.iter().map(|e| expression(e, constants)).collect())
}

fn expression(expr: &ast::Expr, constants: &BTreeMap<String, i64>) -> Core {
    let sub = |e: &ast::Expr| bx(expression(e, constants));
    let number = |e: &ast::Expr| constant_value(e, constants);
    match &expr.kind {
        ExprKind::Number(v) => Value(*v),
        ExprKind::Coin => Choose(0, 1),
        ExprKind::Choose(low, high) => Choose(number(low), number(high)),
        ExprKind::Read(name) => match constants.get(&name.text) {
            Some(value) => Value(*value),
            None if is_global(&name.text) => Global(name.text.clone()),
            None => Local(name.text.clone()),
        },
        ExprKind::Assign(name, value) if is_global(&name.text) => {
            SetGlobal(name.text.clone(), sub(value))
        }
        ExprKind::Assign(name, value) => SetLocal(name.text.clone(), sub(value)),
        ExprKind::Unary(op, e) => {
            let op = match op {
                UnaryOp::Negate => Unary::Negate,
                UnaryOp::Not => Unary::Not,
            };
            Unary(op, sub(e))
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (sub(a), sub(b));
            let op = match op {
                BinaryOp::And => return And(a, b),
                BinaryOp::Or => return Or(a, b),
                BinaryOp::Add => Binary::Add,
                BinaryOp::Subtract => Binary::Subtract,
                BinaryOp::Multiply => Binary::Multiply,
                BinaryOp::Equal => Binary::Equal,
                BinaryOp::NotEqual => Binary::NotEqual,
                BinaryOp::Less => Binary::Less,
                BinaryOp::LessEqual => Binary::LessEqual,
                BinaryOp::Greater => Binary::Greater,
                BinaryOp::GreaterEqual => Binary::GreaterEqual,
            };
            Binary(op, a, b)
        }
        ExprKind::If(condition, then, otherwise) => {
            let otherwise = match otherwise {
                None => Value(0),
                Some(ast::Else::Block(b)) => block(b, constants),
                Some(ast::Else::If(e)) => expression(e, constants),
            };
            If(sub(condition), bx(block(then, constants)), bx(otherwise))
        }
        ExprKind::While(condition, body) => While(sub(condition), bx(block(body, constants))),
        ExprKind::Yield => Yield,
        ExprKind::Return(value) => Return(value.as_ref().map_or(bx(Value(0)), |e| sub(e))),
        ExprKind::Assume(e) => Assume(sub(e)),
        ExprKind::Group(b) => block(b, constants),
        ExprKind::Error => panic!("a hole in a program without errors"),
    }
}

fn is_global(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

// ---------------------------------------------------------------------------------------------------
// 6.2 Small steps

type Store = BTreeMap<String, i64>;

#[derive(Debug)]
enum Small {
    /// The expression is a value.
    Value(i64),
    /// One small step; several possibilities for choices, none if stuck.
    Becomes(Vec<(Core, Store, Store)>),
    /// `E[yield]`: the continuation `E[0]`.
    Yield(Core),
    /// `E[return v]`.
    Return(i64),
    /// A result outside of 64 bits.
    Overflow,
}

fn small_step(e: &Core, rho: &Store, g: &Store) -> Small {
    let becomes = |e: Core| Small::Becomes(vec![(e, rho.clone(), g.clone())]);
    // Steps inside: the context is put around what comes out.
    let inside = |e: &Core, context: &dyn Fn(Box<Core>) -> Core| match small_step(e, rho, g) {
        Small::Value(_) => unreachable!("a value has no step"),
        Small::Becomes(all) => {
            Small::Becomes(all.into_iter().map(|(e, r, g)| (context(bx(e)), r, g)).collect())
        }
        Small::Yield(e) => Small::Yield(context(bx(e))),
        other => other,
    };
    let get = |store: &Store, name: &str| store.get(name).copied().unwrap_or(0);
    let set = |store: &Store, name: &str, value: i64| {
        let mut store = store.clone();
        store.insert(name.to_owned(), value);
        store
    };
    match e {
        Value(v) => Small::Value(*v),
        Choose(a, b) => {
            Small::Becomes((*a..=*b).map(|v| (Value(v), rho.clone(), g.clone())).collect())
        }
        Local(x) => becomes(Value(get(rho, x))),
        Global(x) => becomes(Value(get(g, x))),
        SetLocal(x, a) => match **a {
            Value(v) => Small::Becomes(vec![(Value(v), set(rho, x, v), g.clone())]),
            _ => inside(a, &|a| SetLocal(x.clone(), a)),
        },
        SetGlobal(x, a) => match **a {
            Value(v) => Small::Becomes(vec![(Value(v), rho.clone(), set(g, x, v))]),
            _ => inside(a, &|a| SetGlobal(x.clone(), a)),
        },
        Unary(op, a) => match **a {
            Value(v) => match op {
                Unary::Negate if v == i64::MIN => Small::Overflow,
                Unary::Negate => becomes(Value(-v)),
                Unary::Not => becomes(Value(i64::from(v == 0))),
            },
            _ => inside(a, &|a| Unary(*op, a)),
        },
        Binary(op, a, b) => match (&**a, &**b) {
            (Value(v), Value(w)) => {
                let (v, w) = (i128::from(*v), i128::from(*w));
                let result = match op {
                    Binary::Add => v + w,
                    Binary::Subtract => v - w,
                    Binary::Multiply => v * w,
                    Binary::Equal => i128::from(v == w),
                    Binary::NotEqual => i128::from(v != w),
                    Binary::Less => i128::from(v < w),
                    Binary::LessEqual => i128::from(v <= w),
                    Binary::Greater => i128::from(v > w),
                    Binary::GreaterEqual => i128::from(v >= w),
                };
                i64::try_from(result).map_or(Small::Overflow, |v| becomes(Value(v)))
            }
            (Value(_), _) => inside(b, &|b| Binary(*op, a.clone(), b)),
            _ => inside(a, &|a| Binary(*op, a, b.clone())),
        },
        And(a, b) => match **a {
            Value(0) => becomes(Value(0)),
            Value(_) => becomes(Binary(Binary::NotEqual, b.clone(), bx(Value(0)))),
            _ => inside(a, &|a| And(a, b.clone())),
        },
        Or(a, b) => match **a {
            Value(0) => becomes(Binary(Binary::NotEqual, b.clone(), bx(Value(0)))),
            Value(_) => becomes(Value(1)),
            _ => inside(a, &|a| Or(a, b.clone())),
        },
        Sequence(a, b) => match **a {
            Value(_) => becomes((**b).clone()),
            _ => inside(a, &|a| Sequence(a, b.clone())),
        },
        If(c, a, b) => match **c {
            Value(0) => becomes((**b).clone()),
            Value(_) => becomes((**a).clone()),
            _ => inside(c, &|c| If(c, a.clone(), b.clone())),
        },
        While(c, a) => {
            let again = Sequence(a.clone(), bx(e.clone()));
            becomes(If(c.clone(), bx(again), bx(Value(0))))
        }
        Yield => Small::Yield(Value(0)),
        Return(a) => match **a {
            Value(v) => Small::Return(v),
            _ => inside(a, &|a| Return(a)),
        },
        Assume(a) => match **a {
            Value(0) => Small::Becomes(Vec::new()),
            Value(_) => becomes(Value(0)),
            _ => inside(a, &|a| Assume(a)),
        },
    }
}

// ---------------------------------------------------------------------------------------------------
// 6.3 Big steps and 6.4 the network system, with states numbered as they turn up

/// Why a program is too much for this interpreter.
#[derive(Debug, PartialEq)]
enum TooMuch {
    Overflow,
    States,
}

#[derive(Default)]
struct Interpreter {
    locals: Vec<(Core, Store)>,
    local_ids: HashMap<(Core, Store), usize>,
    globals: Vec<Store>,
    global_ids: HashMap<Store, usize>,
    steps: HashMap<(usize, usize), Vec<(usize, usize)>>,
    small_steps: usize,
}

impl Interpreter {
    fn local(&mut self, state: (Core, Store)) -> usize {
        let next = self.locals.len();
        *self.local_ids.entry(state.clone()).or_insert_with(|| {
            self.locals.push(state);
            next
        })
    }

    fn global(&mut self, state: Store) -> usize {
        let next = self.globals.len();
        *self.global_ids.entry(state.clone()).or_insert_with(|| {
            self.globals.push(state);
            next
        })
    }

    /// All big steps of a local state at a global state.
    fn big_steps(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        if let Some(known) = self.steps.get(&(local, global)) {
            return Ok(known.clone());
        }
        let (e, rho) = self.locals[local].clone();
        let mut targets = BTreeSet::new();
        // A value makes no step.
        if !matches!(e, Value(_)) {
            let mut seen = BTreeSet::new();
            let mut open = vec![(e, rho, self.globals[global].clone())];
            while let Some(configuration) = open.pop() {
                // An endless sequence of small steps ends nowhere; one that repeats itself is cut.
                if !seen.insert(configuration.clone()) {
                    continue;
                }
                self.small_steps += 1;
                if seen.len() > 20_000 {
                    return Err(TooMuch::States);
                }
                let (e, rho, g) = configuration;
                let (end, rho, g) = match small_step(&e, &rho, &g) {
                    Small::Becomes(next) => {
                        open.extend(next);
                        continue;
                    }
                    Small::Value(v) | Small::Return(v) => (Value(v), rho, g),
                    Small::Yield(continuation) => (continuation, rho, g),
                    Small::Overflow => return Err(TooMuch::Overflow),
                };
                let to = self.local((end, rho));
                targets.insert((to, self.global(g)));
            }
        }
        let targets: Vec<(usize, usize)> = targets.into_iter().collect();
        self.steps.insert((local, global), targets.clone());
        Ok(targets)
    }
}

// ---------------------------------------------------------------------------------------------------
// 6.5 Runs and outcomes, for anything that has requests, steps and responses

type Outcome = Vec<(String, String)>;

trait Network {
    /// Request labels with the local states they start in.
    fn requests(&mut self) -> Vec<(String, usize)>;
    fn first_global(&mut self) -> usize;
    fn steps(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch>;
    fn responses(&mut self, local: usize) -> Vec<String>;
}

struct Interpreted<'a> {
    program: &'a Program,
    interpreter: Interpreter,
}

impl Network for Interpreted<'_> {
    fn requests(&mut self) -> Vec<(String, usize)> {
        let mut all = Vec::new();
        for (name, parameters, body) in &self.program.requests {
            let mut stores: Vec<(Store, Vec<String>)> = vec![Default::default()];
            for (parameter, low, high) in parameters {
                let mut more = Vec::new();
                for (store, values) in &stores {
                    for value in *low..=*high {
                        let (mut store, mut values) = (store.clone(), values.clone());
                        store.insert(parameter.clone(), value);
                        values.push(value.to_string());
                        more.push((store, values));
                    }
                }
                stores = more;
            }
            for (store, values) in stores {
                let label = match values.as_slice() {
                    [] => name.clone(),
                    _ => format!("{name}({})", values.join(",")),
                };
                all.push((label, self.interpreter.local((body.clone(), store))));
            }
        }
        all
    }

    fn first_global(&mut self) -> usize {
        self.interpreter.global(self.program.initial.clone())
    }

    fn steps(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        self.interpreter.big_steps(local, global)
    }

    fn responses(&mut self, local: usize) -> Vec<String> {
        match self.interpreter.locals[local].0 {
            Value(v) => vec![v.to_string()],
            _ => Vec::new(),
        }
    }
}

impl Network for &NetworkSystem {
    fn requests(&mut self) -> Vec<(String, usize)> {
        let spawns = self.spawns().iter();
        spawns.map(|(r, l)| (self.request_name(*r).to_owned(), l.index())).collect()
    }

    fn first_global(&mut self) -> usize {
        self.initial_global().index()
    }

    fn steps(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        let steps = self.steps_at(LocalId::from_index(local), GlobalId::from_index(global));
        Ok(steps.iter().map(|s| (s.to.index(), s.after.index())).collect())
    }

    fn responses(&mut self, local: usize) -> Vec<String> {
        let responses = self.replies_of(LocalId::from_index(local));
        responses.map(|r| self.response_name(r).to_owned()).collect()
    }
}

/// The outcomes of `requests` requests with at most `room` in flight.
fn outcomes(
    network: &mut impl Network,
    requests: usize,
    room: usize,
    max_states: usize,
) -> Result<BTreeSet<Outcome>, TooMuch> {
    // The global state, who is in flight, who has responded, and how many may still arrive.
    type State = (usize, Vec<(usize, usize)>, Vec<(usize, String)>, usize);
    let labels = network.requests();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut open: Vec<State> = vec![(network.first_global(), Vec::new(), Vec::new(), requests)];
    let mut found = BTreeSet::new();
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > max_states {
            return Err(TooMuch::States);
        }
        let (global, flying, done, coming) = state;
        if flying.is_empty() && coming == 0 {
            let named = done.iter().map(|(label, v)| (labels[*label].0.clone(), v.clone()));
            let mut outcome: Outcome = named.collect();
            outcome.sort();
            found.insert(outcome);
        }
        if coming > 0 && flying.len() < room {
            for (label, (_, local)) in labels.iter().enumerate() {
                let mut flying = flying.clone();
                flying.push((label, *local));
                flying.sort_unstable();
                open.push((global, flying, done.clone(), coming - 1));
            }
        }
        for (i, (label, local)) in flying.iter().enumerate() {
            let mut others = flying.clone();
            others.remove(i);
            for response in network.responses(*local) {
                let mut done = done.clone();
                done.push((*label, response));
                done.sort();
                open.push((global, others.clone(), done, coming));
            }
            for (to, after) in network.steps(*local, global)? {
                let mut flying = others.clone();
                flying.push((*label, to));
                flying.sort_unstable();
                open.push((after, flying, done.clone(), coming));
            }
        }
    }
    Ok(found)
}

// ---------------------------------------------------------------------------------------------------
// The comparison

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    broken: usize,
    too_large: usize,
    no_system: usize,
    large: LargeTally,
}

/// Compares the outcomes of 1 to `most` requests.
fn compare(text: &str, most: usize, tally: &mut Tally) {
    let parse = ser_lang::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    let program = core_of(&parse.program);
    let limits = Limits { max_states: 3_000, ..Limits::default() };
    let model = match ProgramModel::new(&parse.program, text, &limits) {
        Ok(model) => Some(model),
        Err(ExploreError::Overflow { .. } | ExploreError::EndlessStep { .. }) => None,
        Err(ExploreError::TooManyStates { .. }) => {
            tally.no_system += 1;
            return;
        }
    };
    let mut interpreted = Interpreted { program: &program, interpreter: Interpreter::default() };
    let large = Large::new(text, &parse.program);
    let mut reached = 0;
    let mut first_broken = None;
    for requests in 1..=most {
        let max_states = 30_000;
        let (all, serial) = match (
            outcomes(&mut interpreted, requests, usize::MAX, max_states),
            outcomes(&mut interpreted, requests, 1, max_states),
        ) {
            (Ok(all), Ok(serial)) => (all, serial),
            (Err(TooMuch::Overflow), _) => {
                assert!(model.is_none(), "a value leaves 64 bits, but there is a system:\n{text}");
                large.compare(requests, None, max_states, &mut tally.large);
                tally.no_system += 1;
                return;
            }
            _ => break,
        };
        large.compare(requests, Some([&all, &serial]), 10 * max_states, &mut tally.large);
        // Trouble that more requests would meet, or that no run meets, is not our business here.
        let Some(model) = &model else { continue };
        let mut system = model.system();
        let max_states = usize::MAX;
        let other = outcomes(&mut system, requests, usize::MAX, max_states).unwrap();
        assert_eq!(all, other, "interleaved outcomes of {requests} requests differ:\n{text}");
        let other = outcomes(&mut system, requests, 1, max_states).unwrap();
        assert_eq!(serial, other, "serial outcomes of {requests} requests differ:\n{text}");
        assert!(serial.is_subset(&all));
        if all != serial && first_broken.is_none() {
            first_broken = Some(requests);
        }
        reached = requests;
    }
    let Some(model) = model else {
        tally.no_system += 1;
        return;
    };
    if reached == 0 {
        tally.too_large += 1;
        return;
    }
    // The oracle of the other tests sees the same.
    match (first_broken, brute_force(model.system(), reached, 200_000)) {
        (Some(n), Oracle::Broken { requests, .. }) => assert_eq!(n, requests, "{text}"),
        (None, Oracle::Unbroken { .. }) => {}
        (ours, oracle) => panic!("{ours:?} is not {oracle:?}:\n{text}"),
    }
    tally.compared += 1;
    tally.broken += usize::from(first_broken.is_some());
}

// ---------------------------------------------------------------------------------------------------
// Random programs

const GLOBALS: [&str; 2] = ["X", "Y"];
const LOCALS: [&str; 2] = ["a", "b"];

struct Writer {
    random: Random,
    parameter: bool,
    /// How many more expressions the handler may have.
    fuel: usize,
}

impl Writer {
    fn one_of<'a>(&mut self, names: &[&'a str]) -> &'a str {
        names[self.random.below(names.len())]
    }

    /// An expression whose value is between -2 and 2, so that variables stay small.
    fn small(&mut self, depth: usize) -> Core {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.random.below(22) {
            0..=5 => self.leaf(),
            6 => Yield,
            7 => Sequence(bx(Yield), bx(self.small(depth))),
            8 => {
                let op = if self.random.chance(50) { Unary::Negate } else { Unary::Not };
                Unary(op, bx(self.small(depth)))
            }
            9..=11 => {
                let comparisons = [
                    Binary::Equal,
                    Binary::NotEqual,
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::GreaterEqual,
                ];
                let op = *self.random.pick(&comparisons);
                Binary(op, bx(self.any(depth)), bx(self.any(depth)))
            }
            12 => And(bx(self.any(depth)), bx(self.any(depth))),
            13 => Or(bx(self.any(depth)), bx(self.any(depth))),
            14 | 15 => self.assignment(depth),
            16 => If(bx(self.any(depth)), bx(self.small(depth)), bx(self.small(depth))),
            17 => self.looping(depth),
            18 => Sequence(bx(self.any(depth)), bx(self.small(depth))),
            19 if self.random.chance(50) => Return(bx(self.any(depth))),
            20 if self.random.chance(40) => Assume(bx(self.any(depth))),
            19 | 20 => Global(self.one_of(&GLOBALS).to_owned()),
            _ => Choose(-1, 1),
        }
    }

    /// An expression with any value.
    fn any(&mut self, depth: usize) -> Core {
        if depth > 0 && self.fuel > 0 && self.random.chance(25) {
            self.fuel -= 1;
            let op = *self.random.pick(&[Binary::Add, Binary::Subtract, Binary::Multiply]);
            return Binary(op, bx(self.any(depth - 1)), bx(self.any(depth - 1)));
        }
        self.small(depth)
    }

    fn leaf(&mut self) -> Core {
        match self.random.below(8) {
            0 => Value(self.random.below(3) as i64),
            1 => Choose(0, 1),
            2 => Value(-1),
            3 | 4 => Local(if self.parameter && self.random.chance(30) {
                "p".to_owned()
            } else {
                self.one_of(&LOCALS).to_owned()
            }),
            _ => Global(self.one_of(&GLOBALS).to_owned()),
        }
    }

    fn assignment(&mut self, depth: usize) -> Core {
        let value = bx(self.small(depth));
        if self.random.chance(60) {
            SetGlobal(self.one_of(&GLOBALS).to_owned(), value)
        } else {
            SetLocal(self.one_of(&LOCALS).to_owned(), value)
        }
    }

    fn looping(&mut self, depth: usize) -> Core {
        let condition = self.any(depth);
        // Mostly loops that pause or change something; now and then one that spins for ever.
        let mut body = vec![self.any(depth)];
        match self.random.below(5) {
            0 | 1 => body.push(Yield),
            2 => body.insert(0, Yield),
            3 => body.push(self.assignment(depth)),
            _ => {}
        }
        While(bx(condition), bx(sequence(body)))
    }

    fn handler(&mut self) -> Core {
        self.fuel = self.random.between(8, 40);
        let count = self.random.between(2, 4);
        let mut body = Vec::new();
        for _ in 0..count {
            let e = match self.random.below(8) {
                0 => self.any(3),
                1 => self.looping(2),
                2 => {
                    // Waiting, which is what most loops are for.
                    let global = bx(Global(self.one_of(&GLOBALS).to_owned()));
                    let value = bx(Value(self.random.below(3) as i64));
                    While(bx(Binary(Binary::Equal, global, value)), bx(Yield))
                }
                3 => {
                    let global = self.one_of(&GLOBALS).to_owned();
                    SetLocal(self.one_of(&LOCALS).to_owned(), bx(Global(global)))
                }
                _ => self.assignment(3),
            };
            body.push(e);
            if self.random.chance(40) {
                body.push(Yield);
            }
        }
        let read =
            |name: &str| if is_global(name) { Global(name.into()) } else { Local(name.into()) };
        body.push(match self.random.below(4) {
            0 => self.any(2),
            1 => read(self.one_of(&GLOBALS)),
            2 => read(self.one_of(&LOCALS)),
            _ => {
                let (a, x) = (read(self.one_of(&LOCALS)), read(self.one_of(&GLOBALS)));
                Binary(Binary::Add, bx(a), bx(x))
            }
        });
        sequence(body)
    }
}

/// A random program: its core, and its text.
fn random_program(seed: u64) -> (Program, String) {
    let mut random = Random::new(seed ^ 0x5eed_0000);
    let mut program = Program { requests: Vec::new(), initial: BTreeMap::new() };
    let mut text = String::from("const MINUS = -1 const TWO = 4 + 2 * MINUS\n");
    if random.chance(30) {
        program.initial.insert("X".into(), 2);
        text.push_str("X := TWO\n");
    }
    for i in 0..random.between(1, 2) {
        let parameter = random.chance(25);
        let mut writer = Writer { random: random.clone(), parameter, fuel: 0 };
        let body = writer.handler();
        random = writer.random;
        let mut printer = Printer { random: random.clone(), text: String::new() };
        printer.block(&body);
        random = printer.random;
        let name = format!("r{i}");
        let parameters = if parameter { "(p in MINUS..MINUS + 1)" } else { "" };
        text.push_str(&format!("request {name}{parameters} {}\n", printer.text));
        let parameters = if parameter { vec![("p".to_owned(), -1, 0)] } else { Vec::new() };
        program.requests.push((name, parameters, body));
    }
    (program, text)
}

/// Writes expressions with as few parentheses as the grammar allows, and some more by chance.
struct Printer {
    random: Random,
    text: String,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One of two ways to write the same.
    fn either(&mut self, one: &str, other: &str) {
        let text = if self.random.chance(50) { one } else { other };
        self.text.push_str(text);
    }

    fn block(&mut self, e: &Core) {
        self.push("{ ");
        if *e != Value(0) || self.random.chance(50) {
            self.sequence(e);
        }
        self.either(" }", "; }");
    }

    fn sequence(&mut self, e: &Core) {
        let mut rest = e;
        while let Sequence(a, b) = rest {
            self.expression(a, 0);
            self.push("; ");
            rest = b;
        }
        self.expression(rest, 0);
    }

    /// Levels as in the grammar: 0 assignment, 1 or, 2 and, 3 comparison, 4 sum, 5 product,
    /// 6 prefix, 7 atom.
    fn expression(&mut self, e: &Core, level: usize) {
        let own = match e {
            SetLocal(..) | SetGlobal(..) | Return(_) => 0,
            Or(..) => 1,
            And(..) => 2,
            Binary(Binary::Add | Binary::Subtract, ..) => 4,
            Binary(Binary::Multiply, ..) => 5,
            Binary(..) => 3,
            Unary(..) => 6,
            _ => 7,
        };
        if own < level || matches!(e, Sequence(..)) || self.random.chance(5) {
            self.push("(");
            self.sequence(e);
            self.push(")");
            return;
        }
        match e {
            Value(2) => self.either("2", "TWO"),
            Value(-1) => self.push("MINUS"),
            Value(v) => self.push(&v.to_string()),
            Choose(0, 1) => self.either("?", "choose(0..1)"),
            Choose(a, b) => self.push(&format!("choose({a}..{b})")),
            Local(x) | Global(x) => self.push(x),
            SetLocal(x, a) | SetGlobal(x, a) => {
                self.push(&format!("{x} := "));
                self.expression(a, 0);
            }
            Unary(op, a) => {
                match op {
                    Unary::Negate => self.push("-"),
                    Unary::Not => self.either("!", "not "),
                }
                self.expression(a, 6);
            }
            Binary(op, a, b) => {
                let symbol = match op {
                    Binary::Add => "+",
                    Binary::Subtract => "-",
                    Binary::Multiply => "*",
                    Binary::Equal => "==",
                    Binary::NotEqual => "!=",
                    Binary::Less => "<",
                    Binary::LessEqual => "<=",
                    Binary::Greater => ">",
                    Binary::GreaterEqual => ">=",
                };
                // Comparisons do not chain; the others associate to the left.
                let left = if own == 3 { 4 } else { own };
                self.expression(a, left);
                self.push(&format!(" {symbol} "));
                self.expression(b, own + 1);
            }
            And(a, b) => {
                self.expression(a, 2);
                self.either(" && ", " and ");
                self.expression(b, 3);
            }
            Or(a, b) => {
                self.expression(a, 1);
                self.either(" || ", " or ");
                self.expression(b, 2);
            }
            If(c, a, b) => {
                self.push("if ");
                self.expression(c, 0);
                self.push(" ");
                self.block(a);
                match &**b {
                    Value(0) if self.random.chance(50) => {}
                    If(..) if self.random.chance(50) => {
                        // The chance for parentheses must not come between `else` and `if`.
                        self.push(" else ");
                        let mark = self.text.len();
                        self.expression(b, 7);
                        if self.text[mark..].starts_with('(') {
                            self.text.insert_str(mark, "{ ");
                            self.push(" }");
                        }
                    }
                    _ => {
                        self.push(" else ");
                        self.block(b);
                    }
                }
            }
            While(c, a) => {
                self.push("while ");
                self.expression(c, 0);
                self.push(" ");
                self.block(a);
            }
            Yield => self.push("yield"),
            Return(a) if **a == Value(0) && self.random.chance(50) => self.push("return"),
            Return(a) => {
                self.push("return ");
                self.expression(a, 0);
            }
            Assume(a) => {
                self.push("assume(");
                self.expression(a, 0);
                self.push(")");
            }
            Sequence(..) => unreachable!("written with parentheses"),
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Tests

#[test]
fn random_programs_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..programs(600) {
        let (program, text) = random_program(seed);
        let parse = ser_lang::parse(&text);
        assert!(!parse.has_errors(), "seed {seed}: {:?}\n{text}", parse.diagnostics);
        let read = core_of(&parse.program);
        assert_eq!(read.initial, program.initial, "seed {seed}\n{text}");
        assert_eq!(read.requests, program.requests, "seed {seed}: the parser differs\n{text}");
        compare(&text, 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 580, "{tally:?}");
    assert!(tally.large.rules >= 1_500 && tally.large.parts >= 3_000, "{tally:?}");
    assert!(tally.broken >= 40, "{tally:?}");
}

#[test]
fn programs_of_the_other_generator_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..programs(150) {
        compare(&ser_fuzz::program(&mut Random::new(seed ^ 0xface)), 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 140, "{tally:?}");
    assert!(tally.broken >= 15, "{tally:?}");
}

#[test]
fn programs_with_locks_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..programs(100) {
        compare(&ser_fuzz::locking(&mut Random::new(seed ^ 0x10c5)), 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 80, "{tally:?}");
    assert!(tally.large.rules >= 240 && tally.large.parts >= 480, "{tally:?}");
}

/// Pairs of global and local states alone would let a request leave that never entered, and count
/// down for ever: these are explored by counting, with the caps 2, 3 and 5.
#[test]
fn programs_that_count_requests_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..programs(40) {
        let text = counting_program(&mut Random::new(seed ^ 0xc0de));
        compare(&text, 4, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 30, "{tally:?}");
    assert!(tally.broken >= 5, "{tally:?}");
}

/// From its cap on, a counter stands for that many or more: three may wait where the cap is 2, and go
/// on one after the other when nobody can come after them.
#[test]
fn more_requests_than_the_cap_are_counted() {
    let text = "
        request r { assume(P == 0); yield; assume(P == 1 && T < 4); T := T + 1; T }
        request close { P := 1 }
        request room { assume(N < 1); N := N + 1; yield; N := N - 1; 0 }";
    let mut tally = Tally::default();
    compare(text, 4, &mut tally);
    assert_eq!(tally.compared, 1, "{tally:?}");
    // Pairs alone would count N down for ever; and T reaches 4 if and only if four have waited.
    let parse = ser_lang::parse(text);
    let model = ProgramModel::new(&parse.program, text, &Limits::default()).unwrap();
    let system = model.system();
    let value = |g: GlobalId, name: &str| {
        let at = system.variables().iter().position(|v| v.name == name).unwrap();
        system.valuation(g)[at]
    };
    assert!(system.globals().all(|g| (0..=1).contains(&value(g, "N"))));
    assert_eq!(system.globals().map(|g| value(g, "T")).max(), Some(4));
}

/// Requests that enter a room with a few seats and leave it, in several steps.
fn counting_program(random: &mut Random) -> String {
    let mut text = String::new();
    let seats = random.between(1, 3);
    for i in 0..random.between(1, 2) {
        let weight = random.between(1, 2).min(seats);
        let enter = match random.below(3) {
            0 => format!("assume(N + {weight} <= {seats});"),
            1 => format!("while (N + {weight} > {seats}) {{ yield }};"),
            _ => format!("if (N + {weight} > {seats}) {{ return 9 }};"),
        };
        // Leaving at once or one by one; where the request started, or on the way.
        let leave = match random.below(3) {
            0 => format!("N := N - {weight};"),
            1 => format!("k := {weight}; while (k > 0) {{ N := N - 1; k := k - 1; yield }};"),
            _ => format!("yield; N := -{weight} + N;"),
        };
        let middle = match random.below(4) {
            0 => "a := N; yield;",
            1 => "yield; a := N;",
            2 => "X := 1 - X; yield; a := X;",
            _ => "yield; a := N; yield;",
        };
        let before = if random.chance(30) { "while (?) { yield };" } else { "" };
        text.push_str(&format!(
            "request r{i} {{ {before} {enter} N := N + {weight}; {middle} {leave} a }}\n"
        ));
    }
    text
}

/// How many programs; more where somebody asks for it.
fn programs(usual: u64) -> u64 {
    let factor = std::env::var("SER_FUZZ_FACTOR").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}

#[test]
fn corners_of_the_language_mean_what_the_rules_say() {
    let corners = [
        // Operands are read when their turn comes, before or after a `yield`.
        "request r { X := X + (yield; 1); if (X > 3) { X := 0 }; X }",
        "request r { X := (X := 1) + (yield; X) - 1 }",
        "request r { a := X + (X := 1 - X; yield; X); a }",
        "request r { (yield) + (yield) + (X := !X) * 2 + (yield; X) }",
        // Dead and live variables around loops: `a` is dead at one `yield` and live at the other.
        "request r { a := X; yield; a := 1 - X; X := a; yield; b := a; a := 0; yield; b + X }",
        "request r { while (?) { a := X; yield; X := !a; a := 5; yield }; a }",
        "request r { a := X; while (a) { yield; a := X; b := a }; X := !X; b }",
        "request r { if (X) { a := 1 }; X := !X; yield; if (?) { a := 2 }; a }",
        // A local that is written only after it was read is 0 at first.
        "request r { b := a; a := X; X := 1 - X; yield; a + b }",
        // Conditions with effects.
        "request r { (X := !X) && (yield; Y := !Y) || (yield; X); X + 2 * Y }",
        "request r { while ((X := !X) && (yield; Y)) { Y := !Y; yield }; Y }",
        "request r { if ((yield; X) || (X := 1; 0)) { X := 0; 1 } else { 2 } }",
        "request r { !(X := !X) && (yield; 1) || 7 }",
        // Leaving loops and operands by `return`.
        "request r { while (1) { X := !X; yield; if (X) { return 1 + (return 2) } } }",
        "request r { 5 * (if (X) { X := 0; return 3 } else { X := 1; yield; 4 }) + X }",
        "request r { return (yield; return X := 1 - X) }",
        // Steps that run for ever without a `yield` do not happen.
        "request r { while (X) { }; X := 1; yield; X := 0; X }",
        "request r { X := ?; yield; while (X) { if (?) { X := 0 } }; X }",
        "request r { while (a < 3) { a := a + 1; while (X) { yield } }; X := ?; a }",
        "request r { while (1) { 0 } } request s { X := !X; yield; X }",
        "request r { a := ?; while (a) { a := a }; X := !X; yield; X }",
        // A false `assume` takes back the whole step, choices and writes included.
        "request r { X := ?; assume(X); yield; X } request s { X := 0; yield; X }",
        "request r { a := choose(0..2); Y := a; assume(Y != X); yield; X := a; Y }",
        "request r { yield; X := 1; assume((X := 0) || Y); X } request s { Y := 1 - Y }",
        "request r { assume(0) } request s { X := 1 - X; yield; X }",
        // Parameters and initial values.
        "X := 2 request r(p in -1..1, q in 0..1) { a := X; yield; X := p * q; a + X }",
        "request r(p in 0..2) { while (X != p) { yield }; X := (X + 1) * (X < 2); p }",
        "const N = 2 X := N - 1 request r { a := choose(-N..N - 1) ; X := a * a; yield; X - N }",
        // Handlers that start where they wait, or end where they yield.
        "request r { while (X) { yield }; X := 1; yield }",
        "request r { yield; yield; X := 1 - X } request s { X; yield }",
        "request r { } request s { yield } request t { 3 }",
        "request r { while (1) { X := !X; yield; if (X) { return 1 } else { return 0 } } }",
        "request r { while (X < 2) { yield; X := (X + 1) * (X < 2); yield }; X := 0; 1 }",
        // Two handlers with the same body, and with the same continuation.
        "request r { X := 1; yield; X := 0; X } request s { X := 1; yield; X := 0; X }",
        "request r { a := X; yield; X := a; a } request s { a := 1; X := 0; yield; X := a; a }",
        // Several ways to the same step with different footprints.
        "request r { if (?) { Y } else { X }; X := 0; yield; X + Y } request s { X := 1; Y := 1 }",
        "request r { if (?) { X := 0 } else { X := X }; yield; X } request s { X := 1; yield; X }",
        "request r { if (X) { if (Y) { Z := 1 } } else { Z := Y }; yield; Z := 0; X + 2 * Y }
         request s { X := !X } request t { Y := !Y; yield; Z }",
        // Values at the edge of the range, in and out.
        "const M = 9223372036854775807 request r { a := M - X; X := 1; yield; a - X == M - 1 }",
        "const M = 9223372036854775807 request r { a := M - 1 + X; X := 1; yield; a + X; X := 0 }",
    ];
    let mut tally = Tally::default();
    for text in corners {
        compare(text, 3, &mut tally);
    }
    eprintln!("{tally:?}");
    // Only the last one leaves the range.
    assert_eq!((tally.no_system, tally.too_large), (1, 0), "{tally:?}");
    assert_eq!(tally.compared, corners.len() - 1);
}
