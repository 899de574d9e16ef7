//! A proof in words: why the program is serializable, on its own source lines.

mod symbolic;

pub use symbolic::explain_symbolic;

use super::words::unseen;
use crate::source::{Model, Source};
use ser_model::{LocalId, NetworkSystem, RequestId};
use ser_net::{Alike, Applied, Effect, Effects, PlaceId, Reduction, RuleReduction, Side};
use ser_report::text::and;
use ser_serializability_checker::Slice;
use ser_serializability_search::{Argument, Commit, Counting, Invariant, Proof};
use ser_syntax::Line;
use std::collections::{BTreeMap, BTreeSet};

/// Why a program is serializable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The name of the argument: `no_yield`, `atomic`, `inclusion`, `arithmetic`, `rules`,
    /// `symbolic` or `slices`.
    pub method: &'static str,
    /// The argument in one sentence.
    pub headline: String,
    /// What became of each yield point, and where requests commit.
    pub points: Vec<String>,
}

/// Puts a proof into words.
pub fn explain(source: &Source, model: &Model, proof: &Proof) -> Explanation {
    let words = Words { source, system: model.system() };
    let mut points = Vec::new();
    for applied in &proof.reductions {
        let sentence = match &applied.reduction {
            Reduction::Slice => NEVER.to_owned(),
            Reduction::Stuttering => WAITING.to_owned(),
            Reduction::Exclude => "mutual exclusion keeps every run from getting there".to_owned(),
            Reduction::Move { side, sharp: false, .. } => harmless(*side, DO),
            Reduction::Move { side, sharp: true, .. } => harmless(*side, CAN_DO_TOGETHER),
            Reduction::Defer { .. } => LOOKING.to_owned(),
            Reduction::Alike(alike) => {
                if alike.globals.iter().enumerate().any(|(i, first)| first.index() != i) {
                    points.push(UNSEEN.to_owned());
                }
                points.extend(words.same_requests(alike));
                continue;
            }
            // Places that behave alike, and places that are split: nothing to say.
            Reduction::Merge(_) | Reduction::Prophecy => continue,
        };
        words.add(&mut points, &applied.gone, &sentence);
    }
    let (method, headline) = match &proof.argument {
        Argument::Atomic => ("atomic", atomic_headline(proof)),
        Argument::Inclusion(invariant) => {
            points.extend(words.effects(proof, invariant));
            ("inclusion", inclusion_headline(invariant))
        }
        Argument::Arithmetic(counting) => {
            points.extend(words.schedules(counting));
            ("arithmetic", ARITHMETIC)
        }
    };
    Explanation { method, headline: headline.to_owned(), points }
}

/// Puts a proof about rules into words.
pub fn explain_rules(source: &Source, model: &Model, proof: &Effects) -> Explanation {
    let words = Words { source, system: model.system() };
    let mut points: Vec<String> = Vec::new();
    if let Model::Rules(rules) = model {
        points.extend(without_values(rules.opaque()));
    }
    let mut add = |places: &BTreeSet<PlaceId>, sentence: &str| {
        let places: Vec<_> = places.iter().map(|p| proof.net.places[p.index()]).collect();
        words.add(&mut points, &places, sentence);
    };
    for (reduction, gone) in &proof.applied {
        match reduction {
            RuleReduction::Stuttering => add(gone, WAITING),
            RuleReduction::Defer(_) => add(gone, LOOKING),
            RuleReduction::Facts(_) => add(gone, NEVER),
        }
    }
    let used = proof.net.transitions.iter().filter_map(|t| t.gives());
    let (of_readers, used): (BTreeSet<PlaceId>, BTreeSet<PlaceId>) =
        used.partition(|place| proof.is_of_reader(*place));
    add(&of_readers, READING);
    add(&used.difference(&proof.after).copied().collect(), &harmless(Side::Right, CAN_DO));
    add(&used.intersection(&proof.after).copied().collect(), &harmless(Side::Left, CAN_DO));
    let pauses = proof.applied.iter().any(|(_, gone)| !gone.is_empty());
    let headline = match (used.is_empty(), pauses) {
        _ if !of_readers.is_empty() => INTERMEDIATE,
        (true, false) => AT_ONCE,
        (true, true) => AT_ONCE_WITHOUT_WAITING,
        (false, _) => HARMLESS,
    };
    Explanation { method: "rules", headline: headline.to_owned(), points }
}

/// Puts into words whose values nobody kept track of.
fn without_values(opaque: &BTreeSet<String>) -> Option<String> {
    let of = |name: &String| match name.split_once('.') {
        Some((handler, parameter)) => format!("of `{parameter}` in `{handler}`"),
        None => format!("of `{name}`"),
    };
    let mut names: Vec<String> = opaque.iter().map(of).collect();
    let last = names.pop()?;
    let all = match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    };
    Some(format!("the values {all} do not matter for the argument"))
}

/// Puts into words that no request can yield.
pub fn explain_no_yield() -> Explanation {
    Explanation { method: "no_yield", headline: NO_YIELD.to_owned(), points: Vec::new() }
}

/// Puts into words that each slice has a proof: this one.
pub fn explain_slices(slices: &[(&Slice, &Explanation)]) -> Explanation {
    let left_out = unseen(slices.iter().map(|(slice, _)| *slice));
    let mut points = Vec::new();
    let headline = match slices {
        [(_, proof)] => {
            points.extend_from_slice(&proof.points);
            match &left_out {
                Some(left_out) => format!("{left_out}, and without that, {}", proof.headline),
                None => proof.headline.clone(),
            }
        }
        _ => {
            points.extend(left_out);
            // What is said of several parts is said once.
            let mut said: Vec<(&str, Vec<String>)> = Vec::new();
            for (slice, proof) in slices {
                let names = slice.requests.iter().map(|request| format!("`{request}`"));
                match said.iter_mut().find(|(headline, _)| *headline == proof.headline) {
                    Some((_, known)) => known.extend(names),
                    None => said.push((&proof.headline, names.collect())),
                }
            }
            points.extend(said.iter().map(|(headline, who)| format!("{}: {headline}", and(who))));
            points.extend(slices.iter().flat_map(|(_, proof)| proof.points.iter().cloned()));
            format!(
                "there are {} independent parts, none of which assigns a variable of another one, and \
                 each is serializable by itself",
                slices.len()
            )
        }
    };
    Explanation { method: "slices", headline, points }
}

const NO_YIELD: &str = "nothing can interleave: no request can yield, so each runs from its arrival to its response in a single step, whatever its numbers";
const NEVER: &str = "no run in which every request completes yields there";
const UNSEEN: &str = "states of the shared variables that lead to the same responses, whatever comes next, are not told apart";
const LOOKING: &str =
    "yielding there is only looking and waiting, which is the same as being scheduled later";
const WAITING: &str = "yielding there is only waiting, which is the same as being scheduled later";
const DO: &str = "do in between";
const CAN_DO: &str = "can do in between";
const CAN_DO_TOGETHER: &str =
    "can do in between, given which requests can be in flight at the same time";

/// Why a place is harmless: what one of its steps commutes with.
fn harmless(side: Side, others: &str) -> String {
    let step = match side {
        Side::Right => "before it can be put off",
        Side::Left => "after it can be brought forward",
    };
    format!("harmless, because the step {step} past everything that other requests {others}")
}

const AT_ONCE: &str =
    "nothing can interleave: every request runs from its arrival to its response in a single step";
const AT_ONCE_WITHOUT_WAITING: &str = "nothing can interleave: once waiting that is the same as being scheduled later is left out, every request runs from its arrival to its response in a single step";
const READING: &str = "harmless, because the response is right at some moment of that order";
const INTERMEDIATE: &str = "requests that only read may find what was never there at one time, but what they respond is right at some moment of another order: there, one variable after the other goes as far from its first value as it ever does, and no response is skipped on the way";
const HARMLESS: &str = "every yield point is harmless: each request may as well run from its arrival to its response in a single step";

fn atomic_headline(proof: &Proof) -> &'static str {
    let moved = |a: &Applied| {
        use Reduction::{Alike, Defer, Move};
        matches!(a.reduction, Alike(_) | Defer { .. } | Move { .. })
    };
    match (proof.reductions.is_empty(), proof.reductions.iter().any(moved)) {
        (true, _) => AT_ONCE,
        (false, false) => AT_ONCE_WITHOUT_WAITING,
        (false, true) => HARMLESS,
    }
}

fn inclusion_headline(invariant: &Invariant) -> &'static str {
    match invariant.attempt.commit {
        Commit::End => {
            "each request commits with its last step: however requests interleave, some serial run gives the same responses, perhaps in another order"
        }
        Commit::Determined => {
            "each request commits as soon as its response is determined: however requests interleave, some serial run gives the same responses, perhaps in another order"
        }
        Commit::Foreseen => {
            "each request commits to the response that it will give with the step in which it has its effect, or with its last step: however requests interleave, some serial run gives the same responses, perhaps in another order"
        }
    }
}

const ARITHMETIC: &str = "however often each step is taken, the responses are those of a serial schedule: every combination of counts falls into one of finitely many regions, and each region has its schedule";

/// Where requests yield, in words, each line once.
pub fn pauses(
    source: &Source,
    system: &NetworkSystem,
    places: &[(RequestId, LocalId)],
) -> Vec<String> {
    Words { source, system }.places(places)
}

struct Words<'a> {
    source: &'a Source,
    system: &'a NetworkSystem,
}

impl Words<'_> {
    /// Says this of each of these places, unless it has been said.
    fn add(&self, points: &mut Vec<String>, places: &[(RequestId, LocalId)], sentence: &str) {
        for place in self.places(places) {
            let point = format!("{place}: {sentence}");
            if !points.contains(&point) {
                points.push(point);
            }
        }
    }

    /// Places in words, several on one line of the source as one.
    fn places(&self, places: &[(RequestId, LocalId)]) -> Vec<String> {
        let all: BTreeSet<(Line, String)> = places.iter().map(|p| self.place(*p)).collect();
        all.into_iter().map(|(_, words)| words).collect()
    }

    fn place(&self, (request, local): (RequestId, LocalId)) -> (Line, String) {
        let name = self.system.request_name(request);
        match self.system.local(local).span {
            Some(span) => {
                let line = self.source.lines.line(span.start);
                let handler = self.system.handler_name(request);
                let words = format!("the yield point of `{handler}` before line {line}");
                (line, words)
            }
            None => {
                let state = self.system.local_name(local);
                (
                    Line::default(),
                    format!("the yield point of `{name}` in the local state `{state}`"),
                )
            }
        }
    }

    /// The serial schedule of each region of outcomes.
    fn schedules(&self, counting: &Counting) -> Vec<String> {
        let mut used = BTreeSet::new();
        for (_, tree) in &counting.cases {
            tree.for_each_component(&mut |component| {
                used.insert(component);
            });
        }
        let letter = |o: ser_net::Outcome| o.name(self.system);
        // A merged component has no words of its own, only counts.
        let counts = |vector: &[i64]| {
            let parts = counting.letters.iter().zip(vector).filter(|(_, n)| **n > 0);
            let words: Vec<String> = parts
                .map(
                    |(o, n)| if *n == 1 { letter(*o) } else { format!("{n} times {}", letter(*o)) },
                )
                .collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(" and ") }
        };
        used.into_iter()
            .map(|component| {
                let set = &counting.components[component];
                let periods: Vec<String> = set.periods.iter().map(|p| counts(p)).collect();
                match periods.is_empty() {
                    true => format!("a region with the serial schedule: {}", counts(&set.base)),
                    false => format!(
                        "a region with serial schedules made of {}, and any number of times: {}",
                        counts(&set.base),
                        periods.join("; ")
                    ),
                }
            })
            .collect()
    }

    /// Requests that differ by a name.
    fn same_requests(&self, alike: &Alike) -> Vec<String> {
        let mut groups: BTreeMap<RequestId, Vec<String>> = BTreeMap::new();
        for (i, first) in alike.requests.iter().enumerate() {
            let name = self.system.request_name(RequestId::from_index(i));
            groups.entry(*first).or_default().push(format!("`{name}`"));
        }
        let groups = groups.into_values().filter(|group| group.len() > 1);
        let words = |group: Vec<String>| match group.as_slice() {
            [a, b] => format!("{a} and {b}"),
            [a, b, c] => format!("{a}, {b} and {c}"),
            [a, b, rest @ ..] => format!("{a}, {b} and {} others", rest.len()),
            few => few.join(""),
        };
        groups
            .map(|group| format!("{} do the same, and are not told apart", words(group)))
            .collect()
    }

    /// The commit point of each request.
    fn effects(&self, proof: &Proof, invariant: &Invariant) -> Vec<String> {
        let label = |p: ser_net::PlaceId| invariant.labels.iter().any(|(q, _)| *q == p);
        let mut from: BTreeMap<RequestId, BTreeSet<(u32, String)>> = BTreeMap::new();
        for t in &proof.net.transitions {
            let commits = match t.effect {
                // Whoever aborts has nothing to commit.
                Effect::Respond(outcome) => self.system.counts(outcome.response),
                Effect::InFlight(p) => label(p),
            };
            if !commits || t.takes.is_some_and(label) {
                continue;
            }
            let request = match t.effect {
                Effect::Respond(outcome) => outcome.request,
                Effect::InFlight(p) => proof.net.places[p.index()].request,
            };
            let start = match t.takes {
                None => (0, "when it arrives".to_owned()),
                Some(p) => {
                    let local = proof.net.places[p.index()].members[0];
                    match self.system.local(local).span {
                        Some(span) => {
                            let line = self.source.lines.line(span.start);
                            (line.row, format!("when it goes on at line {line}"))
                        }
                        None => {
                            let state = self.system.local_name(local);
                            (0, format!("when it goes on from `{state}`"))
                        }
                    }
                }
            };
            from.entry(request).or_default().insert(start);
        }
        from.into_iter()
            .map(|(request, starts)| {
                let words: Vec<String> = starts.into_iter().map(|(_, w)| w).collect();
                let name = self.system.request_name(request);
                format!("`{name}` commits in the step that begins {}", words.join(", or "))
            })
            .collect()
    }
}
