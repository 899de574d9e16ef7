//! Slices of a program: independent parts, without variables that nobody sees.
//!
//! What a slice is, and why it is enough to look at slices, is told by the checker, which believes
//! nothing of what is found here. This is how to find them: leave out as many variables as possible
//! (all, then put back what is still read, until nothing is), and divide the handlers that are left
//! into the finest groups that share no variable that one of them assigns.
//!
//! Slices take turns, with time that grows from turn to turn, so that one that takes long does not
//! keep the others from an answer: each turn of a slice does what the one before did, and goes on
//! from there.

use crate::portfolio::decide_slice;
use crate::{
    Answer, Decided, InParts, Methods, Options, Progress, RefuteOptions, RuleOptions, SearchStop,
    Searched, Strategy, Subject,
};
use ser_base::{Limits, Stop};
use ser_model::{ExploreError, ProgramModel};
use ser_serializability_checker::{Mentioned, Slice, sliced, without};
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long a slice may take in its first turn, and how many times as long in each later one.
const FIRST_TURN: Duration = Duration::from_millis(300);
const GROWTH: u32 = 3;

/// The most variables to look at, again and again, to find those that nobody sees.
const MAX_LOOKS: usize = 1_000_000;

/// A slice of a program, and what was found out about it.
#[derive(Debug)]
pub struct DecidedSlice {
    pub slice: Slice,
    /// The program that the slice is.
    pub program: Program,
    pub decided: Decided,
    pub in_parts: Option<InParts>,
}

/// The slices of a program; nothing if it is a single one with all its variables.
///
/// ```
/// use ser_base::Limits;
/// use ser_serializability_search::find_slices;
/// let slices = |text: &str| find_slices(&ser_syntax::parse(text).program, &Limits::default());
/// let found = slices("request a { X := 1; N := N + 1; X } request b { Y := 1 - Y }").unwrap();
/// assert_eq!((found.len(), found[0].dropped.as_slice()), (2, ["N".to_owned()].as_slice()));
/// assert!(slices("request a { X := 1; X } request b { X }").is_none());
/// ```
pub fn find_slices(program: &Program, limits: &Limits) -> Option<Vec<Slice>> {
    let all = program.requests.iter().map(Mentioned::of);
    let all: Vec<Mentioned> = all.collect();
    let dropped = find_unseen(program, &all, limits)?;
    let handlers: Vec<Mentioned> = match dropped.is_empty() {
        true => all.clone(),
        false => {
            let left = program.requests.iter().map(|request| without(request, &dropped));
            left.map(|request| Mentioned::of(&request)).collect()
        }
    };
    let groups = groups(&handlers);
    if groups.len() < 2 && dropped.is_empty() {
        return None;
    }
    let slice = |group: Vec<usize>| {
        let here: BTreeSet<&String> = group.iter().flat_map(|at| all[*at].all()).collect();
        Slice {
            requests: group.iter().map(|at| program.requests[*at].name.text.clone()).collect(),
            dropped: here.into_iter().filter(|name| dropped.contains(*name)).cloned().collect(),
        }
    };
    Some(groups.into_iter().map(slice).collect())
}

/// The largest set of variables that a program can do without; none if all of them are local, or
/// never change. `all` are those that its handlers mention.
fn find_unseen(program: &Program, all: &[Mentioned], limits: &Limits) -> Option<BTreeSet<String>> {
    let mut dropped: BTreeSet<String> = all.iter().flat_map(Mentioned::all).cloned().collect();
    for request in &program.requests {
        for parameter in &request.parameters {
            dropped.remove(&format!("{}.{}", request.name.text, parameter.name.text));
        }
    }
    let number = dropped.len();
    for round in 1.. {
        limits.check_clock().ok()?;
        let mut seen = BTreeSet::new();
        for request in &program.requests {
            let left = Mentioned::of(&without(request, &dropped));
            seen.extend(left.all().filter(|name| dropped.contains(*name)).cloned());
        }
        if seen.is_empty() || number * round > MAX_LOOKS {
            dropped.retain(|_| seen.is_empty());
            break;
        }
        dropped.retain(|name| !seen.contains(name));
    }
    let changes =
        |name: &String| !name.contains('.') && all.iter().any(|m| m.writes.contains(name));
    let worthwhile = dropped.iter().any(changes);
    Some(if worthwhile { dropped } else { BTreeSet::new() })
}

/// The finest groups of handlers such that what one assigns is mentioned in its own group only,
/// each in the order of the text.
fn groups(handlers: &[Mentioned]) -> Vec<Vec<usize>> {
    let mut mentions: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
    for (at, handler) in handlers.iter().enumerate() {
        handler.all().for_each(|name| mentions.entry(name).or_default().push(at));
    }
    // The first handler of each group stands for it.
    let mut first: Vec<usize> = (0..handlers.len()).collect();
    fn find(first: &mut [usize], mut at: usize) -> usize {
        while first[at] != at {
            first[at] = first[first[at]];
            at = first[at];
        }
        at
    }
    for (name, group) in mentions {
        if !group.iter().any(|at| handlers[*at].writes.contains(name)) {
            continue;
        }
        for pair in group.windows(2) {
            let (a, b) = (find(&mut first, pair[0]), find(&mut first, pair[1]));
            first[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..handlers.len() {
        groups.entry(find(&mut first, at)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Decides the slices of a program. Those of one that is not serializable need not be decided all.
pub(crate) fn decide_slices(
    subject: &Subject<'_>,
    slices: Vec<Slice>,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Decided {
    let task = Task { subject, options, limits, progress };
    let mut all: Vec<DecidedSlice> = Vec::new();
    for slice in slices {
        // What cannot be made is no slice; it would be a defect here.
        let Ok(program) = sliced(subject.program, &slice) else { continue };
        let stop = Stop::Time { limit: Duration::ZERO };
        let decided = Decided::TooLarge(ExploreError::TooManyStates { stop, growing: None }, None);
        all.push(DecidedSlice { slice, program, decided, in_parts: None });
    }
    let mut turn = FIRST_TURN;
    let mut open: Vec<usize> = (0..all.len()).collect();
    while !open.is_empty() {
        let mut again = Vec::new();
        for (done, at) in open.iter().enumerate() {
            let budget = task.budget(turn, open.len() - done);
            let slice = &mut all[*at];
            (slice.decided, slice.in_parts) = task.decide(slice, task.options, &budget);
            if refuted_with(&slice.decided).is_some() {
                let found = all.swap_remove(*at);
                return Decided::Slice(Box::new(task.fewest(found, all)));
            }
            if wants_more(&slice.decided) {
                again.push(*at);
            }
        }
        if task.is_over() {
            break;
        }
        open = again;
        turn = turn.saturating_mul(GROWTH);
    }
    // A turn that ended is no limit of the user's.
    if let Some((_, limit)) = limits.deadline {
        all.iter_mut().for_each(|slice| name_limit(&mut slice.decided, limit));
    }
    Decided::Slices(all)
}

struct Task<'a> {
    subject: &'a Subject<'a>,
    options: &'a Options,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
}

impl Task<'_> {
    fn is_over(&self) -> bool {
        self.limits.deadline.is_none() || self.limits.check_clock().is_err()
    }

    /// What the next of so many slices may take. Without a deadline, everybody ends by himself.
    fn budget(&self, turn: Duration, waiting: usize) -> Limits {
        let Some((end, _)) = self.limits.deadline else { return self.limits.clone() };
        let left = end.saturating_duration_since(Instant::now());
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        match waiting {
            1 if left <= turn => self.limits.clone(),
            _ => self.limits.at_most(turn.min(left / waiting.max(1))),
        }
    }

    fn decide(
        &self,
        slice: &DecidedSlice,
        options: &Options,
        limits: &Limits,
    ) -> (Decided, Option<InParts>) {
        let Subject { text, suspects, .. } = *self.subject;
        let program = &slice.program;
        let small = ProgramModel::small(program, text, limits);
        let subject = Subject { program, text, small, suspects };
        decide_slice(subject, options, limits, self.progress)
    }

    /// Looks for counterexamples with fewer requests in other slices.
    fn fewest(&self, mut found: DecidedSlice, others: Vec<DecidedSlice>) -> DecidedSlice {
        for mut other in others {
            let fewer = refuted_with(&found.decided).map_or(0, |requests| requests - 1);
            // One request alone is always serial.
            if fewer < 2 || is_proof(&other.decided) {
                continue;
            }
            let options = Options {
                methods: Methods { refute: true, atomic: true, ..Methods::NONE },
                strategy: Strategy::RefuteFirst,
                refute: RefuteOptions { max_requests: fewer, ..self.options.refute },
                rules: RuleOptions { parts: true, ..RuleOptions::NONE },
                ..*self.options
            };
            (other.decided, other.in_parts) =
                self.decide(&other, &options, &self.limits.at_most(FIRST_TURN));
            if refuted_with(&other.decided).is_some() {
                found = other;
            } else if self.options.strict || !has_none(&other, fewer) {
                forget_fewest(&mut found.decided);
            }
        }
        found
    }
}

/// The requests of a counterexample, if there is one.
fn refuted_with(decided: &Decided) -> Option<usize> {
    match decided {
        Decided::Whole(_, Answer::NotSerializable(found), _) => Some(found.requests),
        Decided::Part(found) => Some(found.refutation.requests),
        Decided::Along(_, found) => Some(found.requests),
        _ => None,
    }
}

fn forget_fewest(decided: &mut Decided) {
    match decided {
        Decided::Whole(_, Answer::NotSerializable(found), _) => found.fewest = false,
        Decided::Part(found) => found.refutation.fewest = false,
        Decided::Along(_, found) => found.fewest = false,
        _ => {}
    }
}

fn is_proof(decided: &Decided) -> bool {
    match decided {
        Decided::NoYield | Decided::Rules(..) | Decided::Symbolic(_) => true,
        Decided::Whole(_, answer, _) => matches!(answer, Answer::Serializable(_)),
        _ => false,
    }
}

/// Whether a slice is known to have no counterexample with so many requests or fewer.
fn has_none(slice: &DecidedSlice, requests: usize) -> bool {
    let all = |searched: &Searched| {
        let deep = searched.layers.last().is_some_and(|most| *most >= requests);
        let wide = searched.any_in_flight || searched.layers.len() >= requests;
        deep && wide || searched.stopped == SearchStop::Exhausted
    };
    match &slice.decided {
        Decided::Whole(_, Answer::Unknown(unknown), _) => {
            unknown.searched.as_ref().is_some_and(all)
        }
        decided => is_proof(decided),
    }
}

/// Whether a slice might have had an answer with more time.
fn wants_more(decided: &Decided) -> bool {
    let is_time = |stop: &Stop| matches!(stop, Stop::Time { .. });
    match decided {
        Decided::Whole(_, Answer::Unknown(unknown), _) => {
            unknown.stop.as_ref().is_some_and(is_time)
        }
        Decided::TooLarge(ExploreError::TooManyStates { stop, .. }, _) => is_time(stop),
        _ => false,
    }
}

/// Names the limit of the whole in place of that of a turn.
fn name_limit(decided: &mut Decided, whole: Duration) {
    let name = |stop: &mut Stop| {
        if let Stop::Time { limit } = stop {
            *limit = whole;
        }
    };
    match decided {
        Decided::Whole(_, Answer::Unknown(unknown), _) => {
            unknown.stop.iter_mut().for_each(name);
            if let Some(Searched { stopped: SearchStop::Limit(stop), .. }) = &mut unknown.searched {
                name(stop);
            }
        }
        Decided::TooLarge(ExploreError::TooManyStates { stop, .. }, _) => name(stop),
        _ => {}
    }
}
