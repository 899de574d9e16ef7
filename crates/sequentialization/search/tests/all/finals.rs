//! All final stores of a sequential program for given sizes.
//!
//! The program is run on a whole set of states at once, statement by statement. `for` over
//! processes takes its members in every order; `pick`, `any`, `if ?` and bags take every choice. A
//! path on which an assertion fails ends there. Ghosts and loop variables that nobody reads any
//! more are dropped, so that states that differ in them alone become one.

use rustc_hash::FxHashSet;
use ser_base::Limits;
use ser_sequentialization_checker::local::evaluate;
use ser_sequentialization_checker::run::{Actor, Value};
use ser_sequentialization_checker::sequential::{Ghost, Place, Sequential, Term};
use ser_sequentialization_checker::{Bag, Slot, Symbol};
use ser_sequentialization_search::explore::value::Domain;
use ser_sequentialization_search::explore::{Stop, Store};
use ser_syntax::icet::ast::{Expr, ExprKind, Protocol, SetId, SetKind, StmtId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What a state takes, in bytes: about.
const STATE: usize = 500;

/// What a sequential program can do.
#[derive(Clone, Debug, Default)]
pub struct Finals {
    /// The variables of all processes at the end, without ghosts and loop variables.
    pub stores: BTreeSet<Store>,
    /// Assertions that fail on some path.
    pub failing: BTreeSet<StmtId>,
    /// How many states there were at most at one time.
    pub states: usize,
}

/// Runs a sequential program with sets of these sizes in all possible ways.
///
/// # Errors
/// A limit was reached, or an expression has no value.
pub fn finals(
    protocol: &Protocol,
    program: &[Sequential],
    sizes: &[u32],
    limits: &Limits,
) -> Result<Finals, Stop> {
    let domain = Domain::new(protocol, sizes);
    let mut machine = Machine { protocol, domain, limits, finals: Finals::default() };
    let start = States::from_iter([State::default()]);
    let states = machine.block(program, start, &BTreeSet::new())?;
    for state in states {
        let kept = |(actor, variable): &(Actor, u32)| {
            let process = protocol.processes.get(actor.process as usize);
            let variable = process.and_then(|it| it.variables.get(*variable as usize));
            variable.is_some_and(|it| !it.of_loop)
        };
        let store = state.variables.into_iter().filter(|(it, _)| kept(it)).collect();
        machine.finals.stores.insert(store);
    }
    Ok(machine.finals)
}

/// One state of the program.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct State {
    symbols: BTreeMap<Symbol, Value>,
    variables: Store,
    ghosts: BTreeMap<(Actor, Ghost), Value>,
    /// Values of each bag, ascending.
    bags: BTreeMap<Bag, Vec<Value>>,
}

type States = FxHashSet<State>;

/// What may be read later, of those things that need not be kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    Ghost(Ghost),
    /// A variable of a process (of any member).
    Variable(VarId),
}

struct Machine<'p> {
    protocol: &'p Protocol,
    domain: Domain<'p>,
    limits: &'p Limits,
    finals: Finals,
}

impl Machine<'_> {
    /// Runs a block; symbols that are bound in it are gone afterwards.
    fn block(
        &mut self,
        stmts: &[Sequential],
        mut states: States,
        live: &BTreeSet<Read>,
    ) -> Result<States, Stop> {
        let mut bound = Vec::new();
        for (place, stmt) in stmts.iter().enumerate() {
            let mut later = live.clone();
            reads_of(stmts.get(place + 1..).unwrap_or_default(), &mut later);
            if let Sequential::Pick { symbol, .. } = stmt {
                bound.push(*symbol);
            }
            states = self.stmt(stmt, states, &later)?;
            states = states.into_iter().map(|it| self.tidy(it, &later)).collect();
            self.finals.states = self.finals.states.max(states.len());
            self.limits.check(states.len(), states.len() * STATE)?;
        }
        if bound.is_empty() {
            return Ok(states);
        }
        let without = |mut state: State| {
            bound.iter().for_each(|symbol| {
                state.symbols.remove(symbol);
            });
            state
        };
        Ok(states.into_iter().map(without).collect())
    }

    /// Drops what is not read any more.
    fn tidy(&self, mut state: State, live: &BTreeSet<Read>) -> State {
        state.ghosts.retain(|(_, ghost), _| live.contains(&Read::Ghost(*ghost)));
        state.variables.retain(|(actor, variable), _| {
            let process = self.protocol.processes.get(actor.process as usize);
            let variables = process.map(|it| it.variables.as_slice()).unwrap_or_default();
            let of_loop = variables.get(*variable as usize).is_some_and(|it| it.of_loop);
            !of_loop || live.contains(&Read::Variable(VarId(*variable)))
        });
        state
    }

    fn stmt(
        &mut self,
        stmt: &Sequential,
        states: States,
        live: &BTreeSet<Read>,
    ) -> Result<States, Stop> {
        match stmt {
            Sequential::If { who, condition, then, otherwise, .. } => {
                let (mut holds, mut fails) = (States::default(), States::default());
                for state in states {
                    match condition {
                        None => {
                            holds.insert(state.clone());
                            fails.insert(state);
                        }
                        Some(condition) => {
                            let actor = actor_of(&state, *who)?;
                            if is_true(condition, &state, actor)? {
                                holds.insert(state);
                            } else {
                                fails.insert(state);
                            }
                        }
                    }
                }
                let mut after = self.block(then, holds, live)?;
                after.extend(self.block(otherwise, fails, live)?);
                Ok(after)
            }
            Sequential::Match { who, variable, cases, .. } => {
                let mut after = States::default();
                for (constructor, body) in cases {
                    let mut fitting = States::default();
                    for state in &states {
                        let actor = actor_of(state, *who)?;
                        let value = state.variables.get(&(actor, variable.0));
                        match value {
                            Some(Value::Message(it, _)) if *it == constructor.0 => {
                                fitting.insert(state.clone());
                            }
                            Some(_) => {}
                            None => return Err(Stop::Overflow),
                        }
                    }
                    after.extend(self.block(body, fitting, live)?);
                }
                Ok(after)
            }
            Sequential::For { symbol, set, body } => {
                let mut live = live.clone();
                reads_of(body, &mut live);
                self.repeat(*symbol, *set, body, states, &live)
            }
            _ => {
                let mut after = States::default();
                for state in states {
                    self.simple(stmt, state, &mut after)?;
                }
                Ok(after)
            }
        }
    }

    /// Rounds of a loop: states with the members that were visited.
    fn repeat(
        &mut self,
        symbol: Symbol,
        set: SetId,
        body: &[Sequential],
        states: States,
        live: &BTreeSet<Read>,
    ) -> Result<States, Stop> {
        let size = self.domain.instance.size(set);
        let ascending = self.protocol.set(set).kind == SetKind::Indices;
        let mut rounds: BTreeMap<u32, States> = BTreeMap::from([(0, states)]);
        for round in 0..size {
            let mut next: BTreeMap<u32, States> = BTreeMap::new();
            for (visited, states) in rounds {
                for member in 0..size {
                    if visited & (1 << member) != 0 || (ascending && member != round) {
                        continue;
                    }
                    let value = self.domain.instance.member(set, member);
                    let with = |mut state: State| {
                        state.symbols.insert(symbol, value.clone());
                        state
                    };
                    let starts = states.iter().cloned().map(with).collect();
                    let ends = self.block(body, starts, live)?;
                    next.entry(visited | (1 << member)).or_default().extend(ends.into_iter().map(
                        |mut state| {
                            state.symbols.remove(&symbol);
                            state
                        },
                    ));
                }
            }
            rounds = next;
        }
        Ok(rounds.into_values().flatten().collect())
    }

    fn simple(
        &mut self,
        stmt: &Sequential,
        mut state: State,
        after: &mut States,
    ) -> Result<(), Stop> {
        match stmt {
            Sequential::Assign { place, value, .. } => {
                let value = term(value, &state)?;
                assign(&mut state, *place, value)?;
                after.insert(state);
            }
            Sequential::Any { who, variable, .. } => {
                let actor = actor_of(&state, *who)?;
                let process = self.protocol.processes.get(actor.process as usize);
                let declared = process.and_then(|it| it.variables.get(variable.0 as usize));
                for value in self.domain.values(declared.ok_or(Stop::Overflow)?.ty) {
                    let mut state = state.clone();
                    state.variables.insert((actor, variable.0), value);
                    after.insert(state);
                }
            }
            Sequential::Pick { symbol, set } => {
                for member in 0..self.domain.instance.size(*set) {
                    let mut state = state.clone();
                    state.symbols.insert(*symbol, self.domain.instance.member(*set, member));
                    after.insert(state);
                }
            }
            Sequential::Assert { who, condition, from, .. } => {
                let holds = match condition {
                    None => false,
                    Some(condition) => {
                        let actor = actor_of(&state, *who)?;
                        is_true(condition, &state, actor)?
                    }
                };
                if holds {
                    after.insert(state);
                } else {
                    self.finals.failing.insert(*from);
                }
            }
            Sequential::Put { bag, value } => {
                let value = term(value, &state)?;
                let values = state.bags.entry(*bag).or_default();
                let place = values.partition_point(|it| *it <= value);
                values.insert(place, value);
                after.insert(state);
            }
            Sequential::Take { bag, place } => {
                let values = state.bags.get(bag).cloned().unwrap_or_default();
                for (number, value) in values.iter().enumerate() {
                    if number > 0 && values.get(number - 1) == Some(value) {
                        continue;
                    }
                    let mut state = state.clone();
                    let mut rest = values.clone();
                    rest.remove(number);
                    if rest.is_empty() {
                        state.bags.remove(bag);
                    } else {
                        state.bags.insert(*bag, rest);
                    }
                    assign(&mut state, *place, value.clone())?;
                    after.insert(state);
                }
            }
            Sequential::If { .. } | Sequential::Match { .. } | Sequential::For { .. } => {}
        }
        Ok(())
    }
}

fn value(expr: &Expr, state: &State, actor: Actor) -> Result<Value, Stop> {
    let variable = |variable: VarId| state.variables.get(&(actor, variable.0));
    evaluate(expr, actor, &variable).map_err(|_| Stop::Overflow)
}

fn is_true(condition: &Expr, state: &State, actor: Actor) -> Result<bool, Stop> {
    Ok(value(condition, state, actor)? == Value::Bool(true))
}

fn actor_of(state: &State, who: Slot) -> Result<Actor, Stop> {
    match who {
        Slot::Process(process) => Ok(Actor { process, member: None }),
        Slot::Member(symbol) => match state.symbols.get(&symbol) {
            Some(Value::Pid(actor)) => Ok(*actor),
            _ => Err(Stop::Overflow),
        },
    }
}

fn assign(state: &mut State, place: Place, value: Value) -> Result<(), Stop> {
    match place {
        Place::Variable(who, variable) => {
            let actor = actor_of(state, who)?;
            state.variables.insert((actor, variable.0), value);
        }
        Place::Ghost(who, ghost) => {
            let actor = actor_of(state, who)?;
            state.ghosts.insert((actor, ghost), value);
        }
    }
    Ok(())
}

fn term(term_: &Term, state: &State) -> Result<Value, Stop> {
    match term_ {
        Term::Expr(who, expr) => value(expr, state, actor_of(state, *who)?),
        Term::Place(Place::Variable(who, variable)) => {
            let actor = actor_of(state, *who)?;
            state.variables.get(&(actor, variable.0)).cloned().ok_or(Stop::Overflow)
        }
        Term::Place(Place::Ghost(who, ghost)) => {
            let actor = actor_of(state, *who)?;
            state.ghosts.get(&(actor, *ghost)).cloned().ok_or(Stop::Overflow)
        }
        Term::Symbol(symbol) => state.symbols.get(symbol).cloned().ok_or(Stop::Overflow),
        Term::Field(inner, constructor, field) => match term(inner, state)? {
            Value::Message(it, values) if it == constructor.0 => {
                values.get(*field as usize).cloned().ok_or(Stop::Overflow)
            }
            _ => Err(Stop::Overflow),
        },
    }
}

/// Ghosts and variables that the statements read.
fn reads_of(stmts: &[Sequential], reads: &mut BTreeSet<Read>) {
    for stmt in stmts {
        match stmt {
            Sequential::Assign { value, .. } | Sequential::Put { value, .. } => {
                reads_of_term(value, reads);
            }
            Sequential::If { condition, then, otherwise, .. } => {
                condition.iter().for_each(|it| reads_of_expr(it, reads));
                reads_of(then, reads);
                reads_of(otherwise, reads);
            }
            Sequential::Match { variable, cases, .. } => {
                reads.insert(Read::Variable(*variable));
                cases.iter().for_each(|(_, body)| reads_of(body, reads));
            }
            Sequential::For { body, .. } => reads_of(body, reads),
            Sequential::Assert { condition, .. } => {
                condition.iter().for_each(|it| reads_of_expr(it, reads));
            }
            Sequential::Any { .. } | Sequential::Pick { .. } | Sequential::Take { .. } => {}
        }
    }
}

fn reads_of_term(term: &Term, reads: &mut BTreeSet<Read>) {
    match term {
        Term::Expr(_, expr) => reads_of_expr(expr, reads),
        Term::Place(Place::Ghost(_, ghost)) => {
            reads.insert(Read::Ghost(*ghost));
        }
        Term::Place(Place::Variable(_, variable)) => {
            reads.insert(Read::Variable(*variable));
        }
        Term::Symbol(_) => {}
        Term::Field(inner, _, _) => reads_of_term(inner, reads),
    }
}

fn reads_of_expr(expr: &Expr, reads: &mut BTreeSet<Read>) {
    match &expr.kind {
        ExprKind::Variable(variable) => {
            reads.insert(Read::Variable(*variable));
        }
        ExprKind::Message(_, _, fields) => fields.iter().for_each(|it| reads_of_expr(it, reads)),
        ExprKind::Not(inner) | ExprKind::Negate(inner) => reads_of_expr(inner, reads),
        ExprKind::Binary(_, left, right) => {
            reads_of_expr(left, reads);
            reads_of_expr(right, reads);
        }
        _ => {}
    }
}
