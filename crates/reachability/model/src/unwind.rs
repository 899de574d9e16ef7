//! Unwindings of programs, based on their control flow (the better of the paper's two sketches,
//! Figure 1g).
//!
//! There is one place for each shared variable, and one for each process and location: a place in
//! the code after so many rounds of the loops around it. The token on a location carries the local
//! variables that still matter. Looking at a shared variable is a test arc; writing it is an input
//! and an output arc. What is known at a location (a loop counter, say) is inlined, so that loops
//! with a known end unroll by themselves.
//!
//! All places hold at most one token: a process stands at one location, a variable has one value,
//! and every transition that puts a token on a variable takes one from it. So all of them are
//! one-off safe.
//!
//! Loops whose end is not known go round so often as the bound says. What lies beyond is a
//! [`Growth`]: it starts where a step was cut, and may write whatever the process writes.
//! [`Unwinding::grow`] raises the bound of one process.

mod instantiate;
mod invariant;
mod location;
mod symbolic;
mod template;

use crate::ids::{PlaceId, TransitionId};
use crate::net::{ArcKind, Net, NewTransition};
use crate::term::{Interval, Term, Terms};
use instantiate::{GrowError, Instance};
use ser_base::{Limits, Stop};
use ser_base::{LineIndex, Span};
use ser_model::{Code, Liveness, Pc, VariableId};
use ser_syntax::core::{Expr, ExprKind, Program};
use std::collections::BTreeMap;

pub use location::{Location, Loops};
pub use symbolic::{Start, StepError, Stepper, Supply, Way, Ways};
pub(crate) use template::{Meaning, Template};

/// What to unwind.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    pub program: &'a Program,
    pub text: &'a str,
    /// The processes: requests by handler and arguments, each of which runs once.
    pub processes: Vec<Process>,
    /// The values of shared variables, by name. The others are found out.
    pub ranges: BTreeMap<String, Interval>,
    /// What to reach.
    pub goals: Vec<Goal>,
    /// Whether processes have any arguments, and all responses are kept: see
    /// [`Unwinding::arguments`] and [`Unwinding::ends`].
    pub is_open: bool,
}

impl Task<'_> {
    /// The processes whose responses goals are about.
    pub(crate) fn asked(&self) -> Vec<&Process> {
        let asks = |p: &&Process| {
            self.is_open || self.goals.iter().any(|g| mentions(&g.condition, &p.name))
        };
        self.processes.iter().filter(asks).collect()
    }
}

/// Whether a name stands in an expression.
pub(crate) fn mentions(expr: &Expr, name: &str) -> bool {
    if let ExprKind::Read(read) = &expr.kind {
        return read.text == name;
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found |= mentions(child, name));
    found
}

/// One run of a handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// For people, and in goals: `main[0]`, `F`.
    pub name: String,
    /// The label of the request: `main`, `put(3)`.
    pub label: String,
    pub handler: String,
    pub arguments: Vec<i64>,
}

/// Something to reach: a condition over shared variables and responses.
#[derive(Clone, Debug)]
pub struct Goal {
    /// For people.
    pub name: String,
    /// The condition. A name is a constant, a shared variable, `Done ` and a process (1 once it is
    /// complete), or a process: then it is the response of that process, and the condition holds
    /// only when there is one.
    pub condition: Expr,
}

/// The process that `Done process` is about.
pub(crate) fn flagged(name: &str, task: &Task<'_>) -> Option<usize> {
    let name = name.strip_prefix("Done ")?;
    task.processes.iter().position(|p| p.name == name)
}

/// Why there is no unwinding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnwindError {
    /// A limit.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// Values may become too large for arithmetic on bits.
    #[error("values may become too large here")]
    TooLarge { span: Span },
    /// A request does something that has no counterpart here.
    #[error("{what} cannot be followed")]
    Beyond { span: Span, what: &'static str },
    /// A shared variable has no end of values.
    #[error("`{variable}` may take very many values")]
    Unbounded { variable: String },
    /// A goal has a name that nobody knows, or is more than a condition.
    #[error("this cannot stand in a condition")]
    Goal { span: Span },
    /// There is no such handler.
    #[error("there is no handler `{0}`")]
    Handler(String),
}

/// What a transition of the unwinding is in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It puts the first values.
    Init,
    /// A step of a process.
    Step {
        process: usize,
        /// The shared variables that it writes.
        writes: Vec<VariableId>,
        /// The local variables of the process after it, over the transition's variables.
        locals: Vec<Term>,
        /// Where the process stands after it; nowhere if it is complete.
        to: Option<Pc>,
    },
    Goal(usize),
}

/// An unwinding, and what it has to do with the program.
///
/// ```
/// use ser_reachability_model::{Goal, Process, Task, Unwinding};
/// use ser_base::Limits;
/// let text = "X := 5 request main { x := X; yield; X := x + 1 }";
/// let program = ser_syntax::parse(text).program;
/// let process = |i: u32| Process {
///     name: format!("main[{i}]"), label: "main".into(), handler: "main".into(), arguments: Vec::new(),
/// };
/// let processes = vec![process(0), process(1)];
/// let (ranges, goals) = (Default::default(), Vec::new());
/// let task = Task { program: &program, text, processes, ranges, goals, is_open: false };
/// let unwinding = Unwinding::new(&task, 1, &Limits::default()).unwrap();
/// // X, and three locations for each process; init, and two steps for each.
/// assert_eq!(unwinding.net.places.len(), 7);
/// assert_eq!(unwinding.net.transitions.len(), 5);
/// assert!(unwinding.is_complete());
/// ```
#[derive(Clone, Debug)]
pub struct Unwinding {
    pub net: Net,
    /// What each transition is.
    pub origins: Vec<Origin>,
    /// The transition of each goal.
    pub targets: Vec<TransitionId>,
    /// How often open loops of each process go round.
    pub rounds: Vec<u32>,
    /// Whether the values of all shared variables are known for sure, however often loops go round.
    pub ranges_are_given: bool,
    /// The names of the shared variables.
    pub shared: Vec<String>,
    /// Their values.
    pub ranges: Vec<Interval>,
    /// The values of local variables, and then of half-evaluated expressions, of each process at
    /// each place in the code.
    pub(crate) locals: BTreeMap<(usize, Pc), Vec<Interval>>,
    /// Where each process ends, with its response if somebody asks for it.
    pub ends: Vec<PlaceId>,
    /// Where the arguments of each process are, if they may be any.
    pub arguments: Vec<PlaceId>,
    instances: Vec<Instance>,
    places: Vec<PlaceId>,
    flags: Vec<Option<PlaceId>>,
}

/// At most so many transitions.
const MAX_TRANSITIONS: usize = 50_000;

/// The values of shared variables are followed so often.
const MAX_PASSES: usize = 80;

/// What became of an unwinding that was to grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grown {
    /// There is more of it, and what was there is as it was.
    Extended,
    /// It was made anew: something that was there had to change.
    Rebuilt,
}

impl Unwinding {
    /// Unwinds a program; loops whose end is not known go round `rounds` times.
    pub fn new(task: &Task<'_>, rounds: u32, limits: &Limits) -> Result<Unwinding, UnwindError> {
        Unwinding::with_rounds(task, vec![rounds; task.processes.len()], limits)
    }

    /// The same with a bound for each process.
    pub fn with_rounds(
        task: &Task<'_>,
        rounds: Vec<u32>,
        limits: &Limits,
    ) -> Result<Unwinding, UnwindError> {
        let program = Lowered::new(task);
        let frame = program.frame(task, limits);
        let code = &program.code;
        let mut given: Vec<Option<Interval>> =
            code.globals.iter().map(|name| task.ranges.get(name).copied()).collect();
        let mut responses = vec![None; task.processes.len()];
        let mut ranges_are_given = given.iter().all(Option::is_some);
        if (!ranges_are_given || !task.asked().is_empty())
            && let Some(invariant) = frame.invariant(&given)?
        {
            given = invariant.shared.into_iter().map(Some).collect();
            responses = invariant.responses;
            ranges_are_given = true;
        } else if !task.asked().is_empty() {
            // A response could be anything if loops go round more often.
            ranges_are_given = false;
        }
        let mut ranges: Vec<Interval> = (given.iter().zip(&code.initial))
            .map(|(given, value)| given.unwrap_or(Interval::only(*value)))
            .collect();
        // A transition occurs once, so no variable is written more often than there are transitions
        // that write it: after as many passes everything is known, whether it still grows or not.
        for pass in 1..=MAX_PASSES {
            let (unwound, instances) = frame.unwind(&ranges, &responses, &rounds)?;
            let mut wider = ranges.clone();
            for (index, written) in &unwound.written {
                if given[index.index()].is_none() {
                    wider[index.index()] = wider[index.index()].join(*written);
                }
            }
            if wider == ranges || pass > unwound.writers {
                return frame.finish(unwound, instances, rounds, ranges_are_given);
            }
            ranges = wider;
        }
        let wider =
            (0..ranges.len()).max_by_key(|i| ranges[*i].high.saturating_sub(ranges[*i].low));
        let variable = wider.map_or(String::new(), |i| code.globals[i].clone());
        Err(UnwindError::Unbounded { variable })
    }

    /// Lets open loops of each process go round as often as is said here, which is at least as
    /// often as before.
    pub fn grow(
        &mut self,
        task: &Task<'_>,
        rounds: Vec<u32>,
        limits: &Limits,
    ) -> Result<Grown, UnwindError> {
        if !self.ranges_are_given {
            *self = Unwinding::with_rounds(task, rounds, limits)?;
            return Ok(Grown::Rebuilt);
        }
        let program = Lowered::new(task);
        let frame = program.frame(task, limits);
        let mut unwound = Unwound {
            net: std::mem::take(&mut self.net),
            origins: std::mem::take(&mut self.origins),
            shared: self.places.clone(),
            ends: self.ends.clone(),
            arguments: self.arguments.clone(),
            flags: self.flags.clone(),
            ranges: self.ranges.clone(),
            written: Vec::new(),
            writers: 0,
            locals: std::mem::take(&mut self.locals),
        };
        for (index, instance) in self.instances.iter_mut().enumerate() {
            if rounds[index] == self.rounds[index] {
                continue;
            }
            match instance.grow(&frame, rounds[index], &mut unwound) {
                Ok(()) => {}
                Err(GrowError::Unwind(error)) => return Err(error),
                Err(GrowError::Rebuild) => {
                    *self = Unwinding::with_rounds(task, rounds, limits)?;
                    return Ok(Grown::Rebuilt);
                }
            }
        }
        let growths = self.instances.iter().filter_map(|i| i.growth(&frame, &unwound)).collect();
        unwound.net.growths = growths;
        self.net = unwound.net;
        self.origins = unwound.origins;
        self.locals = unwound.locals;
        self.rounds = rounds;
        Ok(Grown::Extended)
    }

    /// Whether no loop was cut.
    pub fn is_complete(&self) -> bool {
        self.net.growths.is_empty()
    }

    /// The processes with loops that were cut, and how often those go round.
    pub fn open_rounds(&self, task: &Task<'_>) -> Vec<(String, u32)> {
        let growths = 0..self.net.growths.len();
        let processes = growths.filter_map(|g| self.process_of(task, g));
        processes.map(|p| (task.processes[p].name.clone(), self.rounds[p])).collect()
    }

    /// The process whose loops go on after a [`Growth`](crate::Growth), by its index.
    pub fn process_of(&self, task: &Task<'_>, growth: usize) -> Option<usize> {
        let name = &self.net.growths.get(growth)?.name;
        task.processes.iter().position(|p| p.name == *name)
    }
}

/// A program as code.
struct Lowered {
    code: Code,
    liveness: Liveness,
    loops: Loops,
    lines: LineIndex,
}

impl Lowered {
    fn new(task: &Task<'_>) -> Lowered {
        let code = Code::new(task.program);
        let (liveness, loops) = (Liveness::new(&code), Loops::new(&code));
        Lowered { code, liveness, loops, lines: LineIndex::new(task.text) }
    }

    fn frame<'a>(&'a self, task: &'a Task<'a>, limits: &'a Limits) -> Frame<'a> {
        let Lowered { code, liveness, loops, lines } = self;
        Frame { task, code, liveness, loops, lines, limits }
    }
}

/// What stays the same while the values of variables are found out.
struct Frame<'a> {
    task: &'a Task<'a>,
    code: &'a Code,
    liveness: &'a Liveness,
    loops: &'a Loops,
    lines: &'a LineIndex,
    limits: &'a Limits,
}

/// A net on its way.
struct Unwound {
    net: Net,
    origins: Vec<Origin>,
    shared: Vec<PlaceId>,
    ends: Vec<PlaceId>,
    arguments: Vec<PlaceId>,
    /// For each process, a place that tells whether it is complete, if somebody asks.
    flags: Vec<Option<PlaceId>>,
    ranges: Vec<Interval>,
    written: Vec<(VariableId, Interval)>,
    /// How many transitions write.
    writers: usize,
    /// The values of local variables of each process at each place in the code.
    locals: BTreeMap<(usize, Pc), Vec<Interval>>,
}

impl Frame<'_> {
    /// The net for given values of shared variables.
    fn unwind(
        &self,
        ranges: &[Interval],
        responses: &[Option<Interval>],
        rounds: &[u32],
    ) -> Result<(Unwound, Vec<Instance>), UnwindError> {
        let mut net = Net::default();
        let shared: Vec<PlaceId> = (self.code.globals.iter().zip(ranges))
            .map(|(name, range)| net.add_place(name.clone(), vec![*range], true))
            .collect();
        let mut unwound = Unwound {
            net,
            origins: Vec::new(),
            shared,
            ends: Vec::new(),
            arguments: Vec::new(),
            flags: Vec::new(),
            ranges: ranges.to_vec(),
            written: Vec::new(),
            writers: 0,
            locals: BTreeMap::new(),
        };
        let mut instances = Vec::new();
        for (index, response) in responses.iter().enumerate() {
            instances.push(Instance::new(self, index, *response, &mut unwound)?);
        }
        unwound.init(self.code, &instances);
        for (instance, rounds) in instances.iter_mut().zip(rounds) {
            instance.unwind(self, *rounds, &mut unwound)?;
        }
        let growths = instances.iter().filter_map(|i| i.growth(self, &unwound)).collect();
        unwound.net.growths = growths;
        Ok((unwound, instances))
    }

    /// Adds the goals.
    fn finish(
        &self,
        mut unwound: Unwound,
        instances: Vec<Instance>,
        rounds: Vec<u32>,
        ranges_are_given: bool,
    ) -> Result<Unwinding, UnwindError> {
        let constants = &self.task.program.constants;
        let mut targets = Vec::new();
        for (index, goal) in self.task.goals.iter().enumerate() {
            let mut arcs: BTreeMap<PlaceId, Vec<Term>> = BTreeMap::new();
            let guard = condition(&goal.condition, &mut |part| match part {
                Part::Name(name) => {
                    if let Some(value) = constants.get(name) {
                        return Some(unwound.net.terms.number(*value));
                    }
                    let global = self.code.globals.iter().position(|g| g == name);
                    let process = || self.task.processes.iter().position(|p| p.name == name);
                    let place = match (global, flagged(name, self.task)) {
                        (Some(global), _) => unwound.shared[global],
                        (None, Some(process)) => unwound.flags[process]?,
                        (None, None) => unwound.ends[process()?],
                    };
                    unwound.look_at(place, &mut arcs).first().copied()
                }
                Part::Term(make) => Some(make(&mut unwound.net.terms)),
            })?;
            let arcs = arcs.into_iter().map(|(p, values)| (ArcKind::Test, p, values)).collect();
            let name = format!("reach {}", goal.name);
            targets.push(unwound.net.add_transition(NewTransition { name, guard, arcs }));
            unwound.origins.push(Origin::Goal(index));
        }
        if unwound.net.terms.too_large() {
            let span = self.task.goals.first().map_or(Span::default(), |g| g.condition.span);
            return Err(UnwindError::TooLarge { span });
        }
        Ok(Unwinding {
            net: unwound.net,
            origins: unwound.origins,
            targets,
            rounds,
            ranges_are_given,
            shared: self.code.globals.clone(),
            ranges: unwound.ranges,
            locals: unwound.locals,
            instances,
            places: unwound.shared,
            ends: unwound.ends,
            arguments: unwound.arguments,
            flags: unwound.flags,
        })
    }
}

/// What a condition is made of.
pub(crate) enum Part<'a> {
    /// A name: of a constant, a shared variable, or a process.
    Name(&'a str),
    /// Something made of terms.
    Term(&'a dyn Fn(&mut Terms) -> Term),
}

/// A condition of a goal as a term; `make` knows the names and has the terms.
pub(crate) fn condition(
    expr: &Expr,
    make: &mut dyn FnMut(Part<'_>) -> Option<Term>,
) -> Result<Term, UnwindError> {
    let term = match &expr.kind {
        ExprKind::Number(value) => make(Part::Term(&|terms| terms.number(*value))),
        ExprKind::Read(name) => make(Part::Name(&name.text)),
        ExprKind::Unary(op, operand) => {
            let operand = condition(operand, make)?;
            make(Part::Term(&|terms| terms.unary(*op, operand)))
        }
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (condition(left, make)?, condition(right, make)?);
            make(Part::Term(&|terms| terms.binary(*op, left, right)))
        }
        ExprKind::Group(block) => match block.exprs.as_slice() {
            [inside] => return condition(inside, make),
            _ => None,
        },
        _ => None,
    };
    term.ok_or(UnwindError::Goal { span: expr.span })
}

impl Unwound {
    /// A test arc of a goal: the components of the token.
    fn look_at(&mut self, place: PlaceId, arcs: &mut BTreeMap<PlaceId, Vec<Term>>) -> Vec<Term> {
        if let Some(values) = arcs.get(&place) {
            return values.clone();
        }
        let colours = self.net.place(place).colours.clone();
        let name = self.net.place(place).name.clone();
        let variable = |colour| self.net.add_variable(name.clone(), colour);
        let values: Vec<Term> = colours.into_iter().map(variable).collect();
        arcs.insert(place, values.clone());
        values
    }
}
