//! Following a plan: is this what the program does?
//!
//! Whoever has found a run in some other way (by solving a formula, say) has it replayed here, by
//! the same machine that explores programs. A plan says which request moves next and what the
//! global variables are afterwards. Between two moves a request may pass `yield`s without having
//! touched anything shared: then one move is several steps. Every state that is kept here was
//! reached by steps of the program, so whatever the plan says, what comes out is a run.

use super::code::Pc;
use super::machine::{Runner, StepError};
use super::states::States;
use super::{ProgramModel, lowered};
use crate::{ExploreError, GlobalId, LocalId, Step, VariableId};
use rustc_hash::FxHashSet;
use ser_base::LineIndex;
use ser_base::{Limits, Stop};
use ser_syntax::core::Program;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// A run as somebody imagines it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The labels of the requests that take part; each arrives right before its first step.
    pub requests: Vec<String>,
    /// Who moves, in order.
    pub moves: Vec<Move>,
}

/// One request moves on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Which one: an index into the plan's requests.
    pub request: usize,
    /// Global variables by name, with their values after the move. Those that are not listed stay
    /// as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<(String, i64)>,
    /// Local variables of the request by name, with their values after the move, as far as they are
    /// known. They tell which of many choices is meant; where the program does otherwise, they are
    /// not heard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<(String, i64)>,
    /// Where the request stands after the move, if that is known. Not heard either where the
    /// program does otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_at: Option<Standing>,
}

/// Where a request stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Before an instruction.
    At(Pc),
    /// Nowhere: it is complete.
    Complete,
}

impl From<Option<Pc>> for Standing {
    fn from(pc: Option<Pc>) -> Standing {
        pc.map_or(Standing::Complete, Standing::At)
    }
}

/// A run that follows a plan.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The program, with the states on the way and perhaps some more.
    pub model: ProgramModel,
    /// The steps, each with the request that takes it.
    pub steps: Vec<(usize, Step)>,
    /// For each step, which move of the plan it belongs to, from 0.
    pub moves: Vec<usize>,
    /// The responses of the requests that are complete in the end.
    pub responses: Vec<Option<i64>>,
    /// The global state in the end.
    pub last: GlobalId,
}

/// Why there is no run that follows a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FollowError {
    /// The program has no such request, or no such variable.
    #[error("the program has no `{0}`")]
    Unknown(String),
    /// The program does something else.
    #[error("move {number} of the plan is not one of the program")]
    Impossible {
        /// Which one, from 1; one more than there are if the run does not end as it should.
        number: usize,
    },
    /// The program cannot be run.
    #[error(transparent)]
    Explore(#[from] ExploreError),
}

/// Whether a state is one that somebody looks for, by the values of the globals (by index of the
/// variable) and the responses so far.
pub(super) type Accept<'a> = &'a dyn Fn(&[i64], &[Option<i64>]) -> bool;

/// At most so many states are kept for one move.
const MAX_STATES: usize = 10_000;

/// A state on the way: what the globals are, where the requests stand, and how it came here.
struct Visited {
    global: GlobalId,
    locals: Vec<LocalId>,
    /// The state before, and which move of the plan led here.
    from: Option<(usize, usize)>,
}

impl ProgramModel {
    /// Replays a plan. `accept` is asked whether the run ends as it should: it is given the values
    /// of the globals (by index of the variable) and the responses so far.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Move, Plan, ProgramModel};
    /// let text = "request main { x := X; yield; X := x + 1 }";
    /// let program = ser_syntax::parse(text).program;
    /// let write = |request, value| Move {
    ///     request, writes: vec![("X".to_owned(), value)], locals: Vec::new(), stands_at: None,
    /// };
    /// let read = |request| Move { request, writes: Vec::new(), locals: Vec::new(), stands_at: None };
    /// let requests = vec!["main".to_owned(), "main".to_owned()];
    /// let plan = Plan { requests, moves: vec![read(0), read(1), write(0, 1), write(1, 1)] };
    /// let limits = Limits::default();
    /// let run = ProgramModel::follow(&program, text, &plan, &limits, |_, _| true).unwrap();
    /// assert_eq!(run.steps.len(), 4);
    /// assert_eq!(run.model.system().valuation(run.last), [1]);
    /// let wrong = Plan { moves: vec![write(0, 2)], ..plan };
    /// assert!(ProgramModel::follow(&program, text, &wrong, &limits, |_, _| true).is_err());
    /// ```
    pub fn follow(
        program: &Program,
        text: &str,
        plan: &Plan,
        limits: &Limits,
        accept: impl Fn(&[i64], &[Option<i64>]) -> bool,
    ) -> Result<Followed, FollowError> {
        let (code, liveness) = lowered(program, limits)?;
        let lines = LineIndex::new(text);
        let labels: BTreeSet<String> = plan.requests.iter().cloned().collect();
        let states = States::new(Runner::new(&code, &liveness, limits), &lines, Some(&labels));
        let mut following = Following { states, visited: Vec::new(), limits, hears: true };
        let end = match following.run(plan, &accept) {
            // Perhaps the plan is wrong about what it need not tell.
            Err(FollowError::Impossible { .. }) => {
                following.hears = false;
                following.visited.clear();
                following.run(plan, &accept)?
            }
            found => found?,
        };
        let (steps, moves): (Vec<_>, Vec<usize>) = following.steps(plan, end).into_iter().unzip();
        let responses = following.responses(&following.visited[end].locals);
        let last = following.visited[end].global;
        let explored = following.states.into();
        let model = ProgramModel::from(program, code.clone(), liveness.clone(), explored);
        let find = |(request, from, before, to, after): Passed| {
            let candidates = model.system.steps_at(from, before).iter();
            let step = candidates.copied().find(|s| s.to == to && s.after == after);
            step.map(|step| (request, step))
        };
        let steps: Option<Vec<(usize, Step)>> = steps.into_iter().map(find).collect();
        let steps = steps.ok_or(FollowError::Impossible { number: plan.moves.len() + 1 })?;
        Ok(Followed { model, steps, moves, responses, last })
    }
}

struct Following<'a> {
    states: States<'a>,
    visited: Vec<Visited>,
    limits: &'a Limits,
    /// Whether to listen to what the plan says about local variables.
    hears: bool,
}

impl Following<'_> {
    /// The last state of a run that follows the plan.
    fn run(&mut self, plan: &Plan, accept: Accept<'_>) -> Result<usize, FollowError> {
        let start = self.start(plan)?;
        self.visited.push(start);
        let mut front = vec![0];
        for (number, next) in plan.moves.iter().enumerate() {
            if next.request >= plan.requests.len() {
                return Err(FollowError::Impossible { number: number + 1 });
            }
            let mut writes = Vec::new();
            for (name, value) in &next.writes {
                let index = self.states.code.globals.iter().position(|g| g == name);
                let index = index.ok_or_else(|| FollowError::Unknown(name.clone()))?;
                writes.push((VariableId::from_index(index), *value));
            }
            front = match self.advance(&front, (number, next), &writes) {
                Ok(front) => front,
                Err(trouble) => return Err(self.states.explain(trouble).into()),
            };
            if front.is_empty() {
                return Err(FollowError::Impossible { number: number + 1 });
            }
        }
        let good = |state: &&usize| {
            let Visited { global, locals, .. } = &self.visited[**state];
            accept(self.states.builder.valuation(*global), &self.responses(locals))
        };
        let number = plan.moves.len() + 1;
        front.iter().find(good).copied().ok_or(FollowError::Impossible { number })
    }

    fn start(&mut self, plan: &Plan) -> Result<Visited, FollowError> {
        let mut locals = Vec::new();
        for label in &plan.requests {
            let local = self.states.spawned(label);
            locals.push(local.ok_or_else(|| FollowError::Unknown(label.clone()))?);
        }
        Ok(Visited { global: GlobalId(0), locals, from: None })
    }

    /// The states after a move of one request from each of these.
    fn advance(
        &mut self,
        front: &[usize],
        (number, next_move): (usize, &Move),
        writes: &[(VariableId, i64)],
    ) -> Result<Vec<usize>, StepError> {
        let request = next_move.request;
        let mut next = Vec::new();
        let mut seen: FxHashSet<(GlobalId, Vec<LocalId>)> = FxHashSet::default();
        for start in front {
            let before = self.visited[*start].global;
            let mut wanted = self.states.builder.valuation(before).to_vec();
            for (variable, value) in writes {
                wanted[variable.index()] = *value;
            }
            let mut open = VecDeque::from([*start]);
            'found: while let Some(state) = open.pop_front() {
                let Visited { global, locals, .. } = &self.visited[state];
                let (global, locals) = (*global, locals.clone());
                for (to, after) in self.states.fire(global, locals[request], true)? {
                    let mut locals = locals.clone();
                    locals[request] = to;
                    if !seen.insert((after, locals.clone())) {
                        continue;
                    }
                    self.limits.check_clock().map_err(StepError::Stop)?;
                    if seen.len() > MAX_STATES {
                        return Err(StepError::Stop(Stop::States { limit: MAX_STATES }));
                    }
                    let id = self.visited.len();
                    self.visited.push(Visited {
                        global: after,
                        locals,
                        from: Some((state, number)),
                    });
                    let as_said = !self.hears || self.states.agrees(to, next_move);
                    if self.states.builder.valuation(after) == wanted && as_said {
                        next.push(id);
                        if self.hears && next_move.stands_at.is_some() {
                            // This is what is meant, as far as the plan tells.
                            break 'found;
                        }
                    }
                    if after == before {
                        // It may only have passed a `yield` on its way to what is meant.
                        open.push_back(id);
                    }
                }
            }
        }
        Ok(next)
    }

    fn responses(&self, locals: &[LocalId]) -> Vec<Option<i64>> {
        let response = |local: &LocalId| self.states.number(*local);
        locals.iter().map(response).collect()
    }

    /// The way to a state: who moved, from where to where, and in which move of the plan.
    fn steps(&self, plan: &Plan, end: usize) -> Vec<(Passed, usize)> {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((before, number)) = self.visited[at].from {
            let (old, new) = (&self.visited[before], &self.visited[at]);
            let request = plan.moves[number].request;
            let (from, to) = (old.locals[request], new.locals[request]);
            steps.push(((request, from, old.global, to, new.global), number));
            at = before;
        }
        steps.reverse();
        steps
    }
}

/// A request passes from a local and a global state to others.
type Passed = (usize, LocalId, GlobalId, LocalId, GlobalId);
