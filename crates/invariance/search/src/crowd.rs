//! Questions about any number of threads, decided by counting those that stand at the same place.
//!
//! [`decide`] answers whether invariants hold and whether a step can be an error, [`deadlock`]
//! whether a thread can wait forever, of programs whose data is finite
//! ([`ser_invariance_checker::crowd`] says what does not fit). No help is needed: what `ser prove`
//! asks for, invariants that support each other, is what these searches find by themselves.
//!
//! **It is a decision procedure** (*expand, enlarge and check*; Geeraerts, Raskin and Van Begin,
//! 2006). For growing caps, the sets that no step leaves are computed with numbers up to the cap
//! and *any number* beyond; and all runs with a growing number of threads are gone through. States
//! with a core and a crowd are well-quasi-ordered, and a step that a few threads can take, more
//! can. So if something never happens, the set of all states below a reachable one is a finite
//! union of boxes; once the cap is their largest number, the first search finds boxes that exclude
//! it. And if it happens, it does so with some number of threads: the second finds a run with the
//! fewest. Only the limits stand in between, and numbers without an end.
//!
//! That somebody waits forever is no question of this kind: it speaks of all that can still come.
//! [`deadlock`] looks for the evidence that [`ser_invariance_checker::waiting`] asks for, and for
//! runs.

mod boxes;
mod engine;
mod runs;
mod waiting;

pub use waiting::{Deadlock, deadlock};

use crate::answer::Refutation;
use boxes::{Closed, close};
use engine::Engine;
use runs::{Goal, Hit, Search};
use ser_base::{Limits, LineIndex, Stop};
use ser_invariance_checker::control::Control;
use ser_invariance_checker::crowd::Space;
use ser_invariance_checker::{Certificate, Claim, Covers, Reason};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::time::Duration;

/// What is known of the invariants, and of errors.
#[derive(Debug)]
pub struct Decided {
    /// Invariants that hold.
    pub proved: Vec<InvId>,
    /// Whether no step is an error.
    pub safe: bool,
    /// For what does not hold, a run each, with the fewest threads.
    pub refuted: Vec<Refutation>,
    /// The proof of what holds, if something does.
    pub proof: Option<Certificate>,
    /// The first of the runs.
    pub run: Option<Certificate>,
    pub counted: Counted,
}

/// How much was listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    pub cores: usize,
    pub standings: usize,
    pub boxes: usize,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undecided {
    /// Threads cannot be counted here.
    Unsuited(String),
    /// It would take more than it may.
    Stopped(Stop),
    /// Numbers that are too large, or something of the kind.
    Other(String),
}

impl From<Reason> for Undecided {
    fn from(reason: Reason) -> Undecided {
        match reason {
            Reason::Unsuited { what } => Undecided::Unsuited(what),
            Reason::Stopped(stop) => Undecided::Stopped(stop),
            reason => Undecided::Other(reason.to_string()),
        }
    }
}

impl From<Stop> for Undecided {
    fn from(stop: Stop) -> Undecided {
        Undecided::Stopped(stop)
    }
}

/// How far it goes at most: with this cap, and so many threads.
const MOST: u32 = 12;

/// Decides the invariants of a program.
///
/// ```
/// use ser_invariance_search::crowd::decide;
/// let text = "
///     set Threads
///     var busy: bool = false
///     process thread for self in Threads {
///         loop { enter: await !busy { busy := true }; crit: skip; busy := false }
///     }
///     invariant mutex(i, j): at(i, crit) && at(j, crit) -> i == j
/// ";
/// let system = ser_syntax::inv::parse(text).system;
/// let decided = decide(text, &system, &Default::default()).unwrap();
/// assert_eq!((decided.proved.len(), decided.refuted.len()), (1, 0));
/// let certificate = decided.proof.unwrap();
/// assert!(ser_invariance_checker::check(&certificate, &Default::default()).is_ok());
/// ```
pub fn decide(text: &str, system: &System, limits: &Limits) -> Result<Decided, Undecided> {
    let control = Control::new(system)?;
    let lines = LineIndex::new(text);
    let space = Space::new(system, &control, &lines)?;
    let mut engine = Engine::new(&space, limits)?;
    let all: Vec<InvId> = (0..system.invariants.len() as u32).map(InvId).collect();
    let mut open: Vec<Goal> = all.iter().map(|it| Goal::Violated(*it)).collect();
    open.push(Goal::Error);
    let mut refuted: Vec<Hit> = Vec::new();
    let mut instances = Instances::of(system);
    for cap in 0..=MOST {
        // Numbers grow only where a range may be left, which the cap may have made up.
        let bounded = !refuted.iter().any(|it| is_range(system, it.goal));
        let closed = match close(&mut engine, (cap, bounded), limits) {
            Ok(closed) => closed,
            // Runs may still be found, and are worth a little more time.
            Err(stop) => {
                instances.states = FEW_STATES;
                let found = instances.look(&mut engine, &mut open, &mut refuted, cap + 2, limits);
                return match (found, refuted.is_empty()) {
                    (Ok(()), false) => told(text, &engine, None, refuted),
                    _ => Err(stop),
                };
            }
        };
        if !closed.cut {
            open = doubts(&mut engine, &closed, &open, limits)?;
        }
        instances.look(&mut engine, &mut open, &mut refuted, cap + 2, limits)?;
        if open.is_empty() {
            // What a smaller cap has excluded, this one does, too.
            return told(text, &engine, Some(&closed), refuted);
        }
    }
    let what = format!("it needs more than {MOST} threads, or numbers beyond {MOST}");
    Err(Undecided::Other(what))
}

/// Whether this is about the range of a variable: these are the first invariants of a file.
fn is_range(system: &System, goal: Goal) -> bool {
    let Goal::Violated(id) = goal else { return false };
    let parameters = system.procedures.iter().flat_map(|it| &it.parameters);
    let parameters: Vec<_> = parameters.map(|it| &system.locals[it.index()]).collect();
    let own = system.locals.iter().filter(|it| !parameters.iter().any(|of| std::ptr::eq(*of, *it)));
    let spans = system.globals.iter().filter(|it| it.range.is_some()).map(|it| it.name.span);
    let mut spans = spans.chain(own.filter(|it| it.range.is_some()).map(|it| it.name.span));
    let declared = &system.invariants[id.index()];
    spans.any(|span| span == declared.name.span)
}

/// What is not excluded by boxes.
fn doubts(
    engine: &mut Engine<'_, '_>,
    closed: &Closed,
    open: &[Goal],
    limits: &Limits,
) -> Result<Vec<Goal>, Undecided> {
    let mut doubtful = Vec::new();
    for goal in open {
        let excluded = match goal {
            Goal::Error => !closed.fails,
            Goal::Violated(invariant) => {
                let mut excluded = true;
                for (core, crowd) in &closed.boxes {
                    limits.check_clock()?;
                    if engine.violated(*core, crowd, *invariant)?.is_some() {
                        excluded = false;
                        break;
                    }
                }
                excluded
            }
        };
        if !excluded {
            doubtful.push(*goal);
        }
    }
    Ok(doubtful)
}

/// States of one instance when runs are looked for.
const STATES: usize = 200_000;

/// And when listing states has failed, so that there is little hope.
const FEW_STATES: usize = 20_000;

/// How long one instance is looked at.
const LOOK: Duration = Duration::from_secs(10);

/// Instances with growing numbers of threads.
struct Instances {
    /// The next one to look at, and the largest one.
    next: u32,
    most: u32,
    states: usize,
}

impl Instances {
    fn of(system: &System) -> Instances {
        let next = system.threads.unwrap_or(1);
        Instances { next, most: system.threads.unwrap_or(u32::MAX), states: STATES }
    }

    /// Looks for runs with up to so many threads.
    fn look(
        &mut self,
        engine: &mut Engine<'_, '_>,
        open: &mut Vec<Goal>,
        refuted: &mut Vec<Hit>,
        threads: u32,
        limits: &Limits,
    ) -> Result<(), Undecided> {
        let last = if self.most == u32::MAX { threads } else { self.most };
        while self.next <= last && !open.is_empty() {
            let search = Search::new(engine, self.next, self.states);
            let (found, all) = match search.run(open, &limits.at_most(LOOK)) {
                Err(Undecided::Stopped(_)) => {
                    limits.check_clock()?;
                    (Vec::new(), false)
                }
                found => found?,
            };
            open.retain(|goal| !found.iter().any(|hit| hit.goal == *goal));
            refuted.extend(found);
            // Behind an instance that is too large there is nothing to find.
            self.next = if all { self.next + 1 } else { u32::MAX };
        }
        Ok(())
    }
}

/// The answer with its evidence.
fn told(
    text: &str,
    engine: &Engine<'_, '_>,
    closed: Option<&Closed>,
    mut refuted: Vec<Hit>,
) -> Result<Decided, Undecided> {
    refuted.sort_by_key(|it| it.goal);
    let system = engine.space.system;
    let violated = |id: &InvId| refuted.iter().any(|it| it.goal == Goal::Violated(*id));
    let safe = closed.is_some() && !refuted.iter().any(|it| it.goal == Goal::Error);
    let ids = (0..system.invariants.len() as u32).map(InvId);
    let proved: Vec<InvId> = ids.filter(|it| closed.is_some() && !violated(it)).collect();
    let name = |id: &InvId| system.invariants[id.index()].name.text.clone();
    let proof = closed.filter(|_| safe || !proved.is_empty()).map(|closed| {
        let invariants = proved.iter().map(name).collect();
        let shows = Covers::Always { invariants, safe };
        Certificate::new(text, Claim::Covered { boxes: engine.written(&closed.boxes), shows })
    });
    let run = refuted.first().map(|it| Certificate::new(text, Claim::Refuted(it.run.clone())));
    let counted = Counted {
        cores: engine.cores.len(),
        standings: engine.standings.len(),
        boxes: closed.map_or(0, |it| it.boxes.len()),
    };
    let refuted = refuted.into_iter().map(|hit| Refutation { run: hit.run, what: hit.what });
    Ok(Decided { proved, safe, refuted: refuted.collect(), proof, run, counted })
}
