//! The semantics: what a program means, as a network system.
//!
//! `docs/language.md` tells it in words and in rules. Here it is executed: [`lower`] turns
//! handlers into code, [`machine`] runs big steps, [`explore`] collects all states.

mod along;
mod asking;
mod code;
mod counting;
mod covering;
mod explore;
mod follow;
mod growing;
mod listing;
mod liveness;
mod lower;
mod machine;
mod rules;
mod states;
mod stepping;
mod symbolic;
mod thread_modular;
mod trace;
mod trend;
mod value;

pub use along::{Outline, Target};
pub use asking::{Asked, Footsteps, Found, Place as RunPlace};
pub use code::{Code, Handler, Instr, Pc, Slot};
pub use counting::RunBound;
pub use explore::{ExploreError, Growing, Trend};
pub use follow::{FollowError, Followed, Move, Plan, Standing};
pub use listing::Listing;
pub use liveness::Liveness;
pub use states::ABORT;
pub use stepping::{Stepping, step_through};
pub use symbolic::{
    Linear, Literal, MOST_KEYS, NotSymbolic, SymbolicArray, SymbolicHandler, SymbolicNet,
    SymbolicPlace, SymbolicStep, SymbolicTarget, Var,
};
pub use trace::{Action, StepEvent};

use crate::{NetworkSystem, RequestId, RuleSystem};
use explore::Explored;
use machine::Continuation;
use ser_base::Limits;
use ser_base::{Diagnostic, LineIndex, Span};
use ser_syntax::core::Program;
use std::collections::BTreeSet;

/// A program together with the network system that it means.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
/// let text = "request main { X := 1; yield; y := X; X := 0; y }";
/// let parse = ser_syntax::parse(text);
/// let model = ProgramModel::new(&parse.program, text, &Limits::default()).unwrap();
/// assert_eq!(model.system().globals().len(), 2); // X=0 and X=1
/// assert_eq!(model.system().responses(), ["1", "0"]);
/// ```
#[derive(Clone, Debug)]
pub struct ProgramModel {
    system: NetworkSystem,
    code: Code,
    liveness: Liveness,
    continuations: Vec<Continuation>,
    yields_reached: Vec<bool>,
    names: Vec<(String, Span)>,
}

/// The rules of a program that has no errors. `text` is its source.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::program_rules;
/// let text = "request a { while (A == 1) { yield }; A := 1; yield; A := 0 }
///             request b { while (B == 1) { yield }; B := 1; yield; B := 0 }";
/// let rules = program_rules(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// // Each handler waits, takes its lock, and gives it back: three rules each.
/// assert_eq!(rules.rules().len(), 6);
/// ```
pub fn program_rules(
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    opaque_rules(program, text, &BTreeSet::new(), limits)
}

/// The rules of what the core of a program does. If clients may choose other arguments, too, they
/// lead to counterexamples and prove nothing.
pub fn core_rules(
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let (code, liveness) = lowered(program, limits)?;
    rules::explore_rules(&code, &liveness, &LineIndex::new(text), &BTreeSet::new(), limits)
}

/// The rules of a program in which some variables are opaque: global variables and parameters of
/// handlers by their names. So is every variable that takes a value computed from theirs.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::opaque_rules;
/// let text = "request draw { mine := Next; Next := mine + 1; yield; mine }";
/// let program = ser_syntax::parse(text).program;
/// let opaque = ["Next".to_owned()].into();
/// let rules = opaque_rules(&program, text, &opaque, &Limits::default()).unwrap();
/// // It draws a number, whatever that is, and responds with it.
/// assert_eq!(rules.rules().len(), 2);
/// assert_eq!(rules.frame().responses(), ["?"]);
/// ```
pub fn opaque_rules(
    program: &Program,
    text: &str,
    opaque: &BTreeSet<String>,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let (code, liveness) = lowered(closed(program)?, limits)?;
    rules::explore_rules(&code, &liveness, &LineIndex::new(text), opaque, limits)
}

/// The rules of a program in which everything that takes many values is opaque. They are those that
/// [`opaque_rules`] gives for the same opaque variables.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::coarse_rules;
/// let text = "request add(n in 1..1000) { Sum := Sum + n; yield; Odd := 1 - Odd }";
/// let program = ser_syntax::parse(text).program;
/// let rules = coarse_rules(&program, text, &Limits::default()).unwrap();
/// assert_eq!(Vec::from_iter(rules.opaque()), ["Sum", "add.n"]);
/// ```
pub fn coarse_rules(
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let (code, liveness) = lowered(closed(program)?, limits)?;
    rules::explore_coarse_rules(&code, &liveness, &LineIndex::new(text), limits)
}

/// The program, if its core is all of it: what holds of all states of the core, or of all its
/// rules, is meant to hold of the program. Parts of it may still be looked at, with the arguments
/// that it has: see [`Program::is_open`].
fn closed(program: &Program) -> Result<&Program, ExploreError> {
    let parameters = program.requests.iter().flat_map(|it| &it.parameters);
    match parameters.into_iter().find(|it| it.open) {
        Some(open) => Err(ExploreError::AnyArguments { span: open.span }),
        None => Ok(program),
    }
}

/// The code of a program, unless there is no time left to do anything with it: large programs take
/// a while to lower.
fn lowered(program: &Program, limits: &Limits) -> Result<(Code, Liveness), ExploreError> {
    let stopped = |stop| ExploreError::TooManyStates { stop, growing: None };
    limits.check_clock().map_err(stopped)?;
    let code = lower::lower(program);
    limits.check_clock().map_err(stopped)?;
    let liveness = Liveness::new(&code);
    Ok((code, liveness))
}

impl ProgramModel {
    /// Explores all states of a program that has no errors. `text` is its source.
    pub fn new(
        program: &Program,
        text: &str,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        let (code, liveness) = lowered(closed(program)?, limits)?;
        let lines = LineIndex::new(text);
        let explored = explore::explore(&code, &liveness, &lines, limits)?;
        Ok(ProgramModel::from(program, code, liveness, explored))
    }

    /// Explores the states that runs really reach. What [`ProgramModel::new`] gives may have more,
    /// and is mostly found faster.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::ProgramModel;
    /// let text = "request main { assume(X < 1); X := X + 1; yield; X := X - 1 }";
    /// let program = ser_syntax::parse(text).program;
    /// let model = ProgramModel::exact(&program, text, &Limits::default()).unwrap();
    /// assert_eq!(model.system().globals().len(), 2); // nobody leaves without having entered
    /// ```
    pub fn exact(
        program: &Program,
        text: &str,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        let (code, liveness) = lowered(closed(program)?, limits)?;
        let lines = LineIndex::new(text);
        let explored = explore::explore_exact(&code, &liveness, &lines, limits)?;
        Ok(ProgramModel::from(program, code, liveness, explored))
    }

    /// A part of a program: what it does in runs within the bound, with these labels only. Every
    /// run of the part is one of the program; and every run of the program with these labels and
    /// within the bound is one of the part, in particular every serial run.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{ProgramModel, RunBound};
    /// let text = "request up(n in 1..2) { X := n } request look { X }";
    /// let program = ser_syntax::parse(text).program;
    /// let bound = RunBound { requests: 2, preemptions: None };
    /// let only = ["up(1)".to_owned(), "look".to_owned()].into();
    /// let model = ProgramModel::part(&program, text, &only, bound, &Limits::default()).unwrap();
    /// assert_eq!(model.system().requests(), ["up(1)", "look"]);
    /// assert_eq!(model.system().globals().len(), 2); // X is never 2
    /// ```
    pub fn part(
        program: &Program,
        text: &str,
        labels: &BTreeSet<String>,
        bound: RunBound,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        let (code, liveness) = lowered(program, limits)?;
        let lines = LineIndex::new(text);
        let explored = explore::explore_part(&code, &liveness, &lines, labels, bound, limits)?;
        Ok(ProgramModel::from(program, code, liveness, explored))
    }

    /// The model of a program that has few states; nothing if it has more.
    pub fn small(program: &Program, text: &str, limits: &Limits) -> Option<ProgramModel> {
        let (code, liveness) = lowered(closed(program).ok()?, limits).ok()?;
        let lines = LineIndex::new(text);
        let explored = explore::explore_small(&code, &liveness, &lines, limits)?;
        Some(ProgramModel::from(program, code, liveness, explored))
    }

    fn from(program: &Program, code: Code, liveness: Liveness, explored: Explored) -> ProgramModel {
        let names = program.requests.iter().map(|r| (r.name.text.clone(), r.name.span)).collect();
        ProgramModel {
            system: explored.builder.finish(),
            code,
            liveness,
            continuations: explored.continuations,
            yields_reached: explored.yields_reached,
            names,
        }
    }

    /// The network system.
    pub fn system(&self) -> &NetworkSystem {
        &self.system
    }

    /// What only the semantics can see: a `yield` that is never reached, a request that can
    /// never complete. Both are exact in this sense: no run whatsoever does it.
    /// `text` is the source.
    pub fn warnings(&self, text: &str) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for (pc, instr) in self.code.instrs.iter().enumerate() {
            // Those that wait for a lock are not written down.
            let is_written = text.get(self.code.spans[pc].range()) == Some("yield");
            if *instr == Instr::Yield && !self.yields_reached[pc] && is_written {
                let message = "this `yield` can never be reached";
                warnings.push(Diagnostic::warning("unreached-yield", message, self.code.spans[pc]));
            }
        }
        for (name, span) in &self.names {
            let labels: Vec<RequestId> = (0..self.system.requests().len())
                .map(RequestId::from_index)
                .filter(|r| {
                    let label = self.system.request_name(*r);
                    label == name || label.split('(').next() == Some(name)
                })
                .collect();
            if !labels.is_empty() && labels.iter().all(|label| !self.can_complete(*label)) {
                let message = format!("the request `{name}` can never complete");
                let warning = Diagnostic::warning("never-completes", message, *span)
                    .with_label("no run of this handler reaches a response")
                    .with_help("requests that never complete do not count; only what they do to other requests does");
                warnings.push(warning);
            }
        }
        warnings.sort_by_key(|w| w.primary.span);
        warnings
    }

    fn can_complete(&self, request: RequestId) -> bool {
        let mut seen = vec![false; self.system.local_count()];
        let mut open: Vec<_> =
            self.system.spawns().iter().filter(|(r, _)| *r == request).map(|(_, l)| *l).collect();
        while let Some(local) = open.pop() {
            if std::mem::replace(&mut seen[local.index()], true) {
                continue;
            }
            if self.system.replies_of(local).next().is_some() {
                return true;
            }
            open.extend(self.system.steps_of(local).iter().map(|s| s.to));
        }
        false
    }
}
