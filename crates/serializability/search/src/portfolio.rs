//! The portfolio for programs: who is asked first, and how much they may do.
//!
//! Cheap before expensive. Where no request can yield there is nothing to look for. A program with
//! independent parts, or with variables that nobody sees, is decided [slice by
//! slice](crate::slices), and everything else is about one slice, or about a program that is one.
//! Where variables take many values a proof is tried that does not need to know them. A program
//! whose requests have many arguments is too large to look at part by part, so a solver proposes
//! arguments first. Then the rules of the program: a proof on rules costs little, whatever the
//! number of global states. If the states are too many to list at once, small parts of the program
//! are searched, and then a proof is tried on steps without values, which may have no end. Only
//! then are all states listed, and [`decide`] takes over with a portfolio of its own for systems.

use crate::decide::WALKS_FOR_PAIR;
use crate::slices::{DecidedSlice, decide_slices, find_slices};
use crate::walk::refute_program_by_walks;
use crate::{
    Answer, LargeAnswer, LargeOptions, LargeUnknown, Methods, NoSymbolicProof, Options,
    PartRefutation, Progress, Refutation, RefuteOptions, RuleOptions, Sizes, StepAt, Strategy,
    SymbolicFound, decide, decide_large, decide_strictly, prove_symbolically, refute_suspects,
};
use ser_base::Limits;
use ser_model::{ExploreError, ProgramModel, RuleSystem, RunBound, coarse_rules, core_rules};
use ser_net::{Effects, RuleNet, find_effects};
use ser_serializability_checker::first_yield;
use ser_syntax::core::{Program, Request};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// With more choices of arguments than this, a solver is asked for them before parts are searched.
const MANY_ARGUMENTS: usize = 64;

/// The solver is asked about so many requests at most, for so long.
const SOLVER_REQUESTS: usize = 3;
const SOLVER_TIME: Duration = Duration::from_secs(2);

/// How long to look for a proof without values before states are listed.
const SYMBOLIC_TIME: Duration = Duration::from_secs(4);

/// The same where no other method gives proofs, before counterexamples are looked for.
const FIRST_SYMBOLIC_TIME: Duration = Duration::from_millis(1_500);

/// The most states that the search for counterexamples in parts of a program may visit.
const SEARCH_IN_PARTS: usize = 200_000;

/// The work of random walks through a program before its states are listed, at least and at most;
/// and if there are too many to be listed.
const WALKS_BEFORE_STATES: (usize, usize) = (100_000, 1_000_000);
const WALKS_WITHOUT_STATES: usize = 10_000_000;

/// A program to decide.
pub struct Subject<'a> {
    pub program: &'a Program,
    pub text: &'a str,
    /// All its states, if they are few.
    pub small: Option<ProgramModel>,
    /// Who may be to blame, as far as a solver can tell.
    pub suspects: Suspects<'a>,
}

/// Labels of so many requests of a program that may have an outcome that no serial run has.
pub type Suspects<'a> = &'a dyn Fn(&Program, usize, &Limits) -> Option<Vec<String>>;

/// An answer about a program, and what it was found on.
#[derive(Debug)]
pub enum Decided {
    /// All states of the program.
    Whole(Box<ProgramModel>, Answer, Sizes),
    /// No request can yield: nothing else matters.
    NoYield,
    /// A proof on its rules.
    Rules(Box<RuleSystem>, Box<Effects>),
    /// A counterexample in a part of it.
    Part(Box<PartRefutation>),
    /// A counterexample in a slice of it.
    Slice(Box<DecidedSlice>),
    /// Slices of it, without a counterexample: proofs of all, or of some.
    Slices(Vec<DecidedSlice>),
    /// A counterexample, and what the program does along it.
    Along(Box<ProgramModel>, Box<Refutation>),
    /// A proof on steps without values.
    Symbolic(Box<SymbolicFound>),
    /// Nothing: there are too many states to list. If a proof without values was looked for, the
    /// steps that do not commute.
    TooLarge(ExploreError, Option<Box<[StepAt; 2]>>),
}

/// What was found out on rules and parts of a program, without an answer.
pub type InParts = (Box<RuleSystem>, LargeUnknown);

/// Decides whether a program is serializable, within limits.
pub fn decide_program(
    subject: Subject<'_>,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> (Decided, Option<InParts>) {
    if options.rules.no_yield && first_yield(subject.program).is_none() {
        return (Decided::NoYield, None);
    }
    if options.rules.slices
        && !subject.program.is_open()
        && let Some(slices) = find_slices(subject.program, limits)
    {
        return (decide_slices(&subject, slices, options, limits, progress), None);
    }
    decide_slice(subject, options, limits, progress)
}

/// Decides a program as one.
pub(crate) fn decide_slice(
    subject: Subject<'_>,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> (Decided, Option<InParts>) {
    let Subject { program, text, small, suspects } = subject;
    if options.rules.no_yield && first_yield(program).is_none() {
        return (Decided::NoYield, None);
    }
    let portfolio = Portfolio { program, text, options, limits, progress };
    let mut conflict = None;
    let mut symbolic = options.rules.symbolic;
    // Where arguments may be anything, no other method gives proofs.
    if symbolic && program.is_open() {
        match portfolio.by_symbolic_steps(FIRST_SYMBOLIC_TIME) {
            Ok(found) => return (Decided::Symbolic(Box::new(found)), None),
            Err(NoSymbolicProof::Conflict { first, second }) => {
                conflict = Some(Box::new([first, second]));
                symbolic = false;
            }
            Err(why) => symbolic = matches!(why, NoSymbolicProof::Stopped(_)),
        }
    }
    if program.is_open() && options.methods.refute {
        let narrow = narrow(program);
        let few = Portfolio { program: &narrow, ..portfolio };
        match few.by_rules(true) {
            Ok(decided) => return (decided, None),
            Err(in_parts) => {
                let seen = in_parts.as_ref().map_or(0, |(_, unknown)| unknown.requests);
                if let Some(decided) = few.by_walks(WALKS_BEFORE_STATES.1, seen) {
                    return (decided, in_parts);
                }
            }
        }
    }
    if options.rules.prove
        && options.rules.opaque
        && let Some(decided) = portfolio.by_coarse_rules()
    {
        return (decided, None);
    }
    let has_many_arguments =
        || options.rules.events && small.is_none() && argument_choices(program) > MANY_ARGUMENTS;
    if options.methods.refute
        && (options.strategy == Strategy::EventsFirst || has_many_arguments())
        && let Some(found) = portfolio.by_suspects(suspects)
    {
        return (Decided::Part(Box::new(found)), None);
    }
    let in_parts = match portfolio.by_rules(small.is_none()) {
        Ok(decided) => return (decided, None),
        Err(in_parts) => in_parts,
    };
    // Where there are few states, others are faster.
    let Methods { atomic, inclusion, arithmetic, .. } = options.methods;
    let others = atomic || inclusion || arithmetic || options.rules.prove;
    if symbolic && (small.is_none() || !others) {
        match portfolio.by_symbolic_steps(SYMBOLIC_TIME) {
            Ok(found) => return (Decided::Symbolic(Box::new(found)), in_parts),
            Err(NoSymbolicProof::Conflict { first, second }) => {
                conflict = Some(Box::new([first, second]));
            }
            Err(_) => {}
        }
    }
    let seen = in_parts.as_ref().map_or(0, |(_, unknown)| unknown.requests);
    let labels = in_parts.as_ref().map_or(1, |(rules, _)| rules.frame().requests().len());
    let (least, most) = WALKS_BEFORE_STATES;
    let walks = WALKS_FOR_PAIR.saturating_mul(labels.saturating_mul(labels)).clamp(least, most);
    let model = match small {
        Some(model) => Ok(model),
        None => {
            if options.strategy.takes_turns()
                && let Some(decided) = portfolio.by_walks(walks, seen)
            {
                return (decided, in_parts);
            }
            progress(Progress::Exploring);
            ProgramModel::new(program, text, limits)
        }
    };
    let decided = match model {
        Ok(model) => {
            let decide = if options.strict { decide_strictly } else { decide };
            let (answer, sizes) = decide(model.system(), options, limits, progress);
            Decided::Whole(Box::new(model), answer, sizes)
        }
        Err(error) => portfolio
            .by_walks(WALKS_WITHOUT_STATES, seen)
            .unwrap_or(Decided::TooLarge(error, conflict)),
    };
    (decided, in_parts)
}

struct Portfolio<'a> {
    program: &'a Program,
    text: &'a str,
    options: &'a Options,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
}

impl Portfolio<'_> {
    fn part(
        &self,
        labels: &BTreeSet<String>,
        bound: RunBound,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        ProgramModel::part(self.program, self.text, labels, bound, limits)
    }

    /// Looks for a counterexample with the requests that a solver suspects.
    fn by_suspects(&self, suspects: Suspects<'_>) -> Option<PartRefutation> {
        let left = self.limits.deadline.map(|(at, _)| at.saturating_duration_since(Instant::now()));
        let budget = left.map_or(SOLVER_TIME, |left| SOLVER_TIME.min(left / 4));
        let limits = self.limits.at_most(budget);
        let part = |labels: &_, bound, limits: &_| self.part(labels, bound, limits);
        (2..=SOLVER_REQUESTS.min(self.options.refute.max_requests)).find_map(|requests| {
            let suspects = suspects(self.program, requests, &limits)?;
            refute_suspects(&suspects, &part, self.options.refute, self.limits).ok()?
        })
    }

    /// Looks for a proof that does not need the values of variables that have many; nothing if
    /// there are no such variables.
    fn by_coarse_rules(&self) -> Option<Decided> {
        let rules = coarse_rules(self.program, self.text, self.limits).ok()?;
        if rules.opaque().is_empty() {
            return None;
        }
        let net = RuleNet::new(&rules, self.limits).ok()?;
        let effects = find_effects(&net, self.options.rules.arguments(), self.limits).ok()?;
        effects.is_proof().then(|| Decided::Rules(Box::new(rules), Box::new(effects)))
    }

    /// Looks for a proof that does not need any values.
    fn by_symbolic_steps(&self, time: Duration) -> Result<SymbolicFound, NoSymbolicProof> {
        let left = self.limits.deadline.map(|(at, _)| at.saturating_duration_since(Instant::now()));
        let budget = left.map_or(time, |left| time.min(left / 3));
        prove_symbolically(self.program, self.text, &self.limits.at_most(budget))
    }

    /// Walks through the program, whose states need not be listed. All runs with so many requests
    /// have been `seen`.
    fn by_walks(&self, budget: usize, seen: usize) -> Option<Decided> {
        let Portfolio { program, text, options, limits, .. } = *self;
        if !options.methods.refute || !options.refute.walks() {
            return None;
        }
        let most = options.refute.max_requests;
        // Where there are too many states for this, there are other methods.
        let found = refute_program_by_walks(program, text, budget, most, limits).ok()??;
        let (model, mut refutation) = found;
        refutation.fewest = refutation.requests <= seen + 1;
        Some(Decided::Along(Box::new(model), Box::new(refutation)))
    }

    /// Decides on rules, and on parts of the program if it is large.
    fn by_rules(&self, is_large: bool) -> Result<Decided, Option<InParts>> {
        let Options { methods, rules, refute, strict, .. } = *self.options;
        let max_states = refute.max_states.min(SEARCH_IN_PARTS);
        let options = LargeOptions {
            prove: Some(RuleOptions { readers: rules.readers && !strict, ..rules })
                .filter(|rules| rules.prove && !self.program.is_open()),
            refute: (methods.refute && is_large && rules.parts)
                .then_some(RefuteOptions { max_states, ..refute }),
        };
        if options.prove.is_none() && options.refute.is_none() {
            return Err(None);
        }
        let rules = core_rules(self.program, self.text, self.limits).map_err(|_| None)?;
        let part = |labels: &_, bound, limits: &_| self.part(labels, bound, limits);
        match decide_large(&rules, &part, options, self.limits, self.progress) {
            LargeAnswer::Serializable(proof) => Ok(Decided::Rules(Box::new(rules), proof)),
            LargeAnswer::NotSerializable(found) => Ok(Decided::Part(found)),
            LargeAnswer::Unknown(unknown) => Err(Some((Box::new(rules), unknown))),
        }
    }
}

/// The program with few of the arguments that may be anything. Its runs are those of the program
/// with these arguments.
fn narrow(program: &Program) -> Program {
    let mut narrow = program.clone();
    for parameter in narrow.requests.iter_mut().flat_map(|it| &mut it.parameters) {
        if parameter.open {
            (parameter.low, parameter.high) = if parameter.is_key() { (0, 1) } else { (1, 2) };
        }
    }
    narrow
}

/// How many request labels a program has beyond one for each handler. Handlers alone are no reason
/// to ask a solver: it would look at each of them as everybody else does.
fn argument_choices(program: &Program) -> usize {
    let labels = |request: &Request| {
        let sizes = request.parameters.iter().map(|p| {
            let size = p.high.saturating_sub(p.low).saturating_add(1);
            usize::try_from(size).unwrap_or(1)
        });
        sizes.fold(1usize, usize::saturating_mul)
    };
    let more = |request| labels(request).saturating_sub(1);
    program.requests.iter().map(more).fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::argument_choices;

    #[test]
    fn handlers_without_arguments_are_no_choice_of_arguments() {
        let choices = |text: &str| argument_choices(&ser_syntax::parse(text).program);
        let many: String = (0..100).map(|i| format!("request r{i} {{ {i} }}\n")).collect();
        assert_eq!(choices(&many), 0);
        assert_eq!(choices("request r(a in 0..9, b in 1..9) { a + b }\nrequest s { 1 }"), 89);
    }
}
