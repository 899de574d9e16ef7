//! An invariant in numbers of requests in flight.
//!
//! For every place one integer before a step and one after it. Every triple becomes two
//! predicates: its numbers before a step and after it. Every transition becomes one: enough is
//! there to take, and what is there afterwards. The queries are those of an inductive invariant:
//! it holds at the start, every step keeps it, and it says at the end what it should.

use super::{Script, all, any, number, symbol, transition_words};
use ser_model::{GlobalId, NetworkSystem};
use ser_net::{Effect, Net, PlaceId, Transition};
use ser_serializability_search::{Explanation, Invariant, Triple};
use std::collections::BTreeSet;

/// Writes the queries of an invariant.
pub(super) fn write(script: &mut Script, system: &NetworkSystem, net: &Net, invariant: &Invariant) {
    let mut follows = invariant.follows(net);
    let names = Names { system, net };
    names.declare(script, invariant);
    let after = |triples: &[usize]| {
        let symbols: Vec<String> = triples.iter().map(|i| names.holds(*i, Time::After)).collect();
        any(&symbols)
    };

    script.comment("1. Before anything happens, a triple holds.");
    let candidates = follows.at_start();
    script.comment(&format!("Explanations of the empty run only: {}.", listed(&candidates)));
    script.scope(|script| {
        script.assert("|no request in flight after|");
        script.assert(&format!("(not {})", after(&candidates)));
        script.expect_unsat("at the start, with no request in flight, a triple holds");
    });
    script.blank();

    script.comment("2. Whatever happens where a triple holds, a triple holds afterwards.");
    script.comment(
        "Only triples count whose explanations all follow from those before. They are finite,",
    );
    script.comment("and which of them follow is checked by `ser verify`.");
    for (i, triple) in invariant.triples.iter().enumerate() {
        for (j, t) in
            net.transitions.iter().enumerate().filter(|(_, t)| t.before.0 == triple.global)
        {
            let Some(candidates) = follows.after(i, t) else {
                let step = names.transition(t);
                script.comment(&format!(
                    "From triple {i}, the step t{j}, {step}, cannot happen: what is promised where it comes from cannot be."
                ));
                continue;
            };
            script.comment(&format!("Explanations follow in: {}.", listed(&candidates)));
            script.scope(|script| {
                script.assert(&names.holds(i, Time::Before));
                script.assert(&names.fires(j));
                script.assert(&format!("(not {})", after(&candidates)));
                let step = names.transition(t);
                script.expect_unsat(&format!(
                    "from triple {i}, the step t{j}, {step}, leads into a triple"
                ));
            });
        }
    }
    script.blank();

    script
        .comment("3. Where every request may have responded, a serial run explains all responses.");
    for (i, triple) in invariant.triples.iter().enumerate() {
        if triple.serial.iter().any(Explanation::is_settled) {
            script.comment(&format!("Triple {i} has such an explanation."));
            continue;
        }
        script.scope(|script| {
            script.assert(&names.holds(i, Time::Before));
            script.assert("|no request in flight|");
            script.expect_unsat(&format!(
                "in triple {i}, whose responses are not explained yet, some request is in flight"
            ));
        });
    }
}

/// Triples by their numbers.
fn listed(triples: &[usize]) -> String {
    let list: Vec<String> = triples.iter().map(|i| format!("triple {i}")).collect();
    if list.is_empty() { "no triple".to_owned() } else { list.join(", ") }
}

/// Before a step, or after it.
#[derive(Clone, Copy)]
enum Time {
    Before,
    After,
}

const TIMES: [Time; 2] = [Time::Before, Time::After];

impl Time {
    /// What symbols end in.
    fn suffix(self) -> &'static str {
        match self {
            Time::Before => "",
            Time::After => " after",
        }
    }
}

struct Names<'a> {
    system: &'a NetworkSystem,
    net: &'a Net,
}

impl Names<'_> {
    fn place(&self, place: PlaceId) -> String {
        let (request, local) = self.net.places[place.index()].name();
        format!("{}@{}", self.system.request_name(request), self.system.local_name(local))
    }

    fn transition(&self, t: &Transition) -> String {
        let global = |g: GlobalId| self.system.global_name(g);
        let taken = t.takes.map(|p| self.place(p));
        let given = match t.effect {
            Effect::InFlight(p) => self.place(p),
            Effect::Respond(outcome) => outcome.name(self.system),
        };
        transition_words(&global(t.before), taken.as_deref(), &global(t.after), &given)
    }

    /// The places by their numbers.
    fn places(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.net.places.len() as u32).map(PlaceId)
    }

    /// How many requests are in a place.
    fn count(&self, place: PlaceId, time: Time) -> String {
        symbol(&format!("p{} {}{}", place.0, self.place(place), time.suffix()))
    }

    /// The remainder of that number.
    fn rest(&self, place: PlaceId, period: u32, time: Time) -> String {
        symbol(&format!("rest of p{} by {period}{}", place.0, time.suffix()))
    }

    /// The numbers of a triple.
    fn holds(&self, triple: usize, time: Time) -> String {
        symbol(&format!("triple {triple}{}", time.suffix()))
    }

    /// The step of a transition.
    fn fires(&self, transition: usize) -> String {
        symbol(&format!("t{transition}"))
    }

    fn declare(&self, script: &mut Script, invariant: &Invariant) {
        script
            .comment("How many requests are in flight in each place, before a step and after it.");
        for time in TIMES {
            for place in self.places() {
                let count = self.count(place, time);
                script.declare(&count);
                script.assert(&format!("(>= {count} 0)"));
            }
        }
        let counts = invariant.triples.iter().flat_map(|t| &t.in_flight);
        let rests: BTreeSet<(PlaceId, u32)> = counts
            .filter(|(_, _, period)| *period > 1)
            .map(|(p, _, period)| (*p, *period))
            .collect();
        if !rests.is_empty() {
            script.comment("Every number has a remainder.");
        }
        for (place, period) in rests {
            for time in TIMES {
                let (count, rest) = (self.count(place, time), self.rest(place, period, time));
                let quotient = symbol(&format!("p{} by {period}{}", place.0, time.suffix()));
                script.declare(&quotient);
                script.declare(&rest);
                script.assert(&format!("(= {count} (+ (* {period} {quotient}) {rest}))"));
                script.assert(&format!("(and (<= 0 {rest}) (< {rest} {period}))"));
            }
        }
        for time in TIMES {
            let empty: Vec<String> =
                self.places().map(|p| format!("(= {} 0)", self.count(p, time))).collect();
            let name = symbol(&format!("no request in flight{}", time.suffix()));
            script.command(&format!("(define-fun {name} () Bool {})", all(&empty)));
        }
        script.blank();
        script
            .comment("The transitions: what is taken is there, and what is in flight afterwards.");
        for (i, t) in self.net.transitions.iter().enumerate() {
            script.comment(&format!("t{i}: {}", self.transition(t)));
            let name = self.fires(i);
            script.command(&format!("(define-fun {name} () Bool {})", self.step(t)));
        }
        script.blank();
        script.comment("The invariant: in a global state, so many requests in flight, and serial");
        script.comment("explanations of the responses so far.");
        for (i, triple) in invariant.triples.iter().enumerate() {
            self.triple(script, i, triple);
        }
        script.blank();
    }

    fn step(&self, t: &Transition) -> String {
        let enough = t.takes.map(|p| format!("(>= {} 1)", self.count(p, Time::Before)));
        let moved = self.places().map(|p| {
            let before = self.count(p, Time::Before);
            let change = i64::from(t.gives() == Some(p)) - i64::from(t.takes == Some(p));
            let value = match change {
                0 => before,
                change => format!("(+ {before} {})", number(&change.to_string())),
            };
            format!("(= {} {value})", self.count(p, Time::After))
        });
        all(&enough.into_iter().chain(moved).collect::<Vec<_>>())
    }

    fn triple(&self, script: &mut Script, number: usize, triple: &Triple) {
        script.comment(&format!(
            "triple {number}: in {}",
            self.system.global_name(GlobalId(triple.global))
        ));
        for explanation in &triple.serial {
            script.comment(&format!("  explained by {}", self.explanation(explanation)));
        }
        for time in TIMES {
            let counts: Vec<String> =
                self.places().flat_map(|p| self.allowed(triple, p, time)).collect();
            let name = self.holds(number, time);
            script.command(&format!("(define-fun {name} () Bool {})", all(&counts)));
        }
    }

    /// What a triple says of the number of requests in a place.
    fn allowed(&self, triple: &Triple, place: PlaceId, time: Time) -> Vec<String> {
        let count = self.count(place, time);
        let listed = triple.in_flight.iter().find(|(p, _, _)| *p == place);
        match listed.map_or((0, 0), |(_, least, period)| (*least, *period)) {
            (least, 0) => vec![format!("(= {count} {least})")],
            (0, 1) => Vec::new(),
            (least, 1) => vec![format!("(>= {count} {least})")],
            // least, least + period, ...
            (least, period) => {
                let rest = self.rest(place, period, time);
                vec![format!("(>= {count} {least})"), format!("(= {rest} {})", least % period)]
            }
        }
    }

    fn explanation(&self, explanation: &Explanation) -> String {
        let letters = |list: &[ser_net::Outcome]| {
            let names: Vec<String> = list.iter().map(|o| o.name(self.system)).collect();
            names.join(", ")
        };
        let mut words =
            format!("a serial run to {}", self.system.global_name(GlobalId(explanation.global)));
        if !explanation.loops.is_empty() {
            words += &format!(", any number of {}", letters(&explanation.loops));
        }
        if !explanation.debts.is_empty() {
            words += &format!(", still to insert {}", letters(&explanation.debts));
        }
        if let Some(waiting) = explanation.waiting {
            words += &format!(", still to come {}", waiting.name(self.system));
        }
        words
    }
}
