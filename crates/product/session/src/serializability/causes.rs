//! Why a run is not serial: which responses contradict each other, why no order of the requests
//! works, and which yield points are to blame.
//!
//! **Orders.** If a step reads a variable before another request changes it, then in a serial run
//! with the same accesses in the same order the reader comes first; and so on for all pairs of
//! accesses at least one of which writes. If these orders formed no cycle, the requests could be
//! sorted accordingly, and each would read the same values and respond the same: the run would be
//! serial. So there is always a cycle in the precedence graph, and the shortest one is the
//! explanation.
//!
//! **Blame.** A yield point counts if another request takes a step there. Without a `yield`,
//! requests alone do the same, and runs that never yielded there, or yielded there undisturbed,
//! remain; so to remove a `yield` from a program that breaks can help only if every counterexample
//! is disturbed at it, this one among them. Whether it does help is decided by checking the program
//! without it.

mod blame;
mod orders;

use crate::serializability::decision::{Decision, Verdict};
use crate::serializability::trials::Trials;
use crate::source::{Model, Source};
use crate::trace::TraceStep;
use ser_base::Limits;
use ser_model::VariableId;
use ser_net::Outcome;
use ser_serializability_search::{Options, SerialRuns, contradiction};
use ser_syntax::lexer::{TokenKind, lex};
use ser_syntax::{Line, Span};
use std::collections::BTreeMap;

pub(crate) use blame::disturbed;

/// Why a run is not serial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Causes {
    /// The smallest part of the outcome that no serial run of the same requests contains; nothing
    /// if that is not known or if no serial run completes these requests at all.
    pub contradiction: Vec<(Outcome, u32)>,
    /// Conflicts that no serial order keeps: each says that one request comes before another, and
    /// together they go in a cycle.
    pub orders: Vec<Order>,
    /// The yield points of the run that others disturbed, in the order of the source.
    pub pauses: Vec<PauseBlame>,
}

impl Causes {
    /// The yield point to blame: one without which the program is serializable, if that is known,
    /// and otherwise the first that others disturbed.
    pub fn to_blame(&self) -> Option<&PauseBlame> {
        let repairs = |pause: &&PauseBlame| pause.removal_repairs == Some(true);
        self.pauses.iter().find(repairs).or(self.pauses.first())
    }
}

/// One request comes before another, because of how they access a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The number of the request that comes first.
    pub first: u32,
    /// The number of the request that comes later.
    pub second: u32,
    pub variable: VariableId,
    /// What the first one does with it.
    pub earlier: OrderedAccess,
    /// What the second one does with it, later in the run.
    pub later: OrderedAccess,
}

/// An access in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderedAccess {
    /// The step, counted from 0.
    pub step: usize,
    /// Whether it writes; otherwise it reads.
    pub writes: bool,
    /// Where, if the source is a program.
    pub span: Option<Span>,
    /// The line, if the source is a program.
    pub line: Option<Line>,
}

/// A yield point that others disturbed, and what becomes of the program without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PauseBlame {
    /// The `yield`.
    pub span: Span,
    pub line: Line,
    /// Its column, if it is not the only `yield` of its line.
    pub column: Option<u32>,
    /// The handler that it stands in.
    pub handler: String,
    /// Whether the program without this `yield` alone is serializable, if that is known.
    pub removal_repairs: Option<bool>,
    /// Whether the program breaks with no other `yield` than this one (and those in loops that only
    /// wait), if that is known.
    pub enough_alone: Option<bool>,
    /// Whether there are such loops.
    pub others_wait: bool,
    /// What others do meanwhile that gets in the way.
    pub races: Vec<Race>,
}

/// What another request does at a yield point that gets in the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The expression.
    pub span: Span,
    pub line: Line,
    /// The handler that it stands in.
    pub handler: String,
    /// The variables that both touch.
    pub variables: Vec<String>,
}

/// Programs with more states than this are not checked again without this or that yield point.
const SMALL: usize = 100_000;

/// Finds out why the program of a report breaks; nothing for other verdicts.
///
/// What is checked again for the blame stays within `limits`; what they do not allow is left open.
pub fn find_causes(report: &Decision, options: &Options, limits: &Limits) -> Option<Causes> {
    let (source, model) = (report.source.as_ref()?, report.model.as_ref()?);
    let Verdict::NotSerializable { refutation, steps, serial, certificate, .. } = &report.verdict
    else {
        return None;
    };
    let system = model.system();
    // Where serial runs are too many, the model need not have them all.
    let contradiction = Some(serial)
        .filter(|serial| **serial != SerialRuns::TooMany)
        .and_then(|_| contradiction(system, &refutation.outcome, limits))
        .unwrap_or_default();
    let orders = orders::cycle(source, steps);
    let mut pauses = pauses(source, model, steps);
    let states = system.globals().len() + system.local_count() + refutation.states;
    let is_small = states <= SMALL && !certificate.is_about_a_part();
    if is_small && !pauses.is_empty() {
        blame::assign(&mut pauses, &mut Trials::new(source, *options, limits.clone()));
    }
    Some(Causes { contradiction, orders, pauses })
}

/// The column of a `yield`, if there are others on its line.
fn column_of_several(source: &Source, pause: Span) -> Option<u32> {
    let at = source.lines.position(pause.start);
    let yields = lex(&source.text).into_iter().filter(|token| token.kind == TokenKind::Yield);
    let here = yields.filter(|it| source.lines.line(it.span.start) == at.line);
    (here.count() > 1).then_some(at.column)
}

/// The disturbed yield points, each with what gets in the way.
fn pauses(source: &Source, model: &Model, steps: &[TraceStep]) -> Vec<PauseBlame> {
    let system = model.system();
    let mut found: BTreeMap<Span, PauseBlame> = BTreeMap::new();
    for pause in disturbed(steps) {
        let number = steps[pause.step].number;
        let entry = found.entry(pause.span).or_insert_with(|| PauseBlame {
            span: pause.span,
            line: source.lines.line(pause.span.start),
            column: column_of_several(source, pause.span),
            handler: system.handler_name(steps[pause.step].request).to_owned(),
            removal_repairs: None,
            enough_alone: None,
            others_wait: false,
            races: Vec::new(),
        });
        for step in steps[pause.meanwhile()].iter().filter(|s| s.number != number) {
            for access in &step.accesses {
                let Some(span) = access.span else { continue };
                let mine = steps.iter().filter(|s| s.number == number).flat_map(|s| &s.accesses);
                let conflicts = |a: &crate::trace::Access| {
                    a.variable == access.variable && (a.writes || access.writes)
                };
                if !mine.into_iter().any(conflicts) {
                    continue;
                }
                let line = source.lines.line(span.start);
                let handler = system.handler_name(step.request).to_owned();
                let name = system.variables()[access.variable.index()].name.clone();
                match entry.races.iter_mut().find(|r| r.line == line && r.handler == handler) {
                    Some(race) if race.variables.contains(&name) => {}
                    Some(race) => race.variables.push(name),
                    None => entry.races.push(Race { span, line, handler, variables: vec![name] }),
                }
            }
        }
        entry.races.sort_by_key(|r| r.span);
    }
    found.into_values().collect()
}
