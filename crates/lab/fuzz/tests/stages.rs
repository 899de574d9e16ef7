//! The stages between a source and an answer, each against the oracle, from the text on.
//!
//! `tests/semantics.rs` compares network systems, rules and parts; `ser-net` compares the normal
//! form and each reduction (slicing, idle steps, the quotient, exclusion, movers); `ser-arith`
//! compares what it does by itself; `campaign` compares what the searches and provers say in the
//! end. Here is what lies between them: the paper's own net, the serial automaton, and the set of
//! its letter counts.

use ser_arith::OutcomeOptions;
use ser_base::Limits;
use ser_fuzz::{Random, border, expressions, locking, program};
use ser_model::{NetworkSystem, ProgramModel, RequestId, ResponseId};
use ser_net::{Outcome, PaperNet, PaperTransition, SerialAutomaton};
use ser_oracle::{Network, ProgramNetwork, Runs, TooMuch, explained};
use ser_serializability_search::serial_outcomes;
use std::collections::BTreeSet;

const MOST: usize = 3;

/// The paper's net, fired: the global state and the places of requests are its local states.
struct Fired<'a> {
    system: &'a NetworkSystem,
    net: PaperNet,
    req: Vec<(usize, usize)>,
}

impl<'a> Fired<'a> {
    fn new(system: &'a NetworkSystem) -> Fired<'a> {
        let net = PaperNet::new(system, &Limits::default()).expect("no limit");
        let place = |r, l| net.in_flight.binary_search(&(r, l)).expect("a place");
        let arrivals = net.transitions.iter().filter_map(|t| match t {
            PaperTransition::Arrive(r, l) => Some((r.index(), place(*r, *l))),
            _ => None,
        });
        let req = arrivals.collect();
        Fired { system, net, req }
    }
}

impl Network for Fired<'_> {
    fn req(&self) -> &[(usize, usize)] {
        &self.req
    }

    fn g0(&self) -> usize {
        self.system.initial_global().index()
    }

    fn delta(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        let (request, at) = self.net.in_flight[local];
        let mut all = Vec::new();
        for transition in &self.net.transitions {
            if let PaperTransition::Step(r, step) = transition
                && (*r, step.from, step.before.index()) == (request, at, global)
            {
                let to = self.net.in_flight.binary_search(&(request, step.to)).expect("a place");
                all.push((to, step.after.index()));
            }
        }
        Ok(all)
    }

    fn resp(&mut self, local: usize) -> Vec<usize> {
        let (request, at) = self.net.in_flight[local];
        let mut all = Vec::new();
        for transition in &self.net.transitions {
            if let PaperTransition::Respond(r, l, response) = transition
                && (*r, *l) == (request, at)
            {
                let sink = Outcome { request, response: *response };
                all.push(self.net.sinks.binary_search(&sink).expect("a sink"));
            }
        }
        all
    }

    fn request_name(&self, label: usize) -> String {
        self.system.requests()[label].clone()
    }

    fn counts(&self, sink: usize) -> bool {
        self.system.counts(self.net.sinks[sink].response)
    }

    fn response_name(&self, sink: usize) -> String {
        self.system.response_name(self.net.sinks[sink].response).to_owned()
    }
}

type Counted = BTreeSet<Vec<(String, String)>>;

/// Interleaved outcomes of 1 to [`MOST`] requests, and what serial runs explain.
fn outcomes(network: &mut impl Network, system: &NetworkSystem) -> Option<(Counted, Counted)> {
    let mut found = [Vec::new(), Vec::new()];
    for (found, room) in found.iter_mut().zip([usize::MAX, 1]) {
        let mut runs = Runs::new(network, room);
        found.push(runs.outcomes(network));
        for _ in 0..MOST {
            runs.one_more(network, 20_000).ok()?;
            found.push(runs.outcomes(network));
        }
    }
    let names = |(request, response): &(RequestId, ResponseId)| {
        (system.request_name(*request).to_owned(), system.response_name(*response).to_owned())
    };
    let [int, ser] = found;
    let ser = explained(&ser, &system.free().iter().map(names).collect());
    let all = |by_size: Vec<Counted>| by_size.into_iter().skip(1).flatten().collect();
    Some((all(int), all(ser)))
}

/// All vectors of counts that sum up to 1 ... [`MOST`].
fn vectors(dimension: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![0; dimension]];
    let mut layer = all.clone();
    for _ in 0..MOST {
        let mut next = BTreeSet::new();
        for vector in &layer {
            for at in 0..dimension {
                let mut more = vector.clone();
                more[at] += 1;
                next.insert(more);
            }
        }
        layer = next.into_iter().collect();
        all.extend(layer.iter().cloned());
    }
    all.remove(0);
    all
}

/// How much of a program could be compared: 0, the net and the automaton, or the set as well.
fn compare(text: &str) -> usize {
    let parse = ser_syntax::parse(text);
    let limits = Limits { max_states: 2_000, ..Limits::default() };
    let Ok(model) = ProgramModel::new(&parse.program, text, &limits) else { return 0 };
    let mut network = ProgramNetwork::new(&parse.program).expect("no errors");
    let system = model.system();
    let Some((int, ser)) = outcomes(&mut network, system) else { return 0 };

    let fired = outcomes(&mut Fired::new(system), system).expect("not more states than the oracle");
    assert!(fired == (int, ser.clone()), "the paper's net:\n{text}");

    // The serial automaton, by its words.
    let automaton = SerialAutomaton::new(system, &Limits::default()).expect("no limit");
    let name = |o: Outcome| {
        (system.request_name(o.request).to_owned(), system.response_name(o.response).to_owned())
    };
    let mut words = Counted::new();
    let mut layer = BTreeSet::from([(automaton.initial, Vec::new())]);
    for _ in 0..MOST {
        let mut next = BTreeSet::new();
        for (global, word) in &layer {
            for edge in automaton.edges_from(*global) {
                let mut word: Vec<(String, String)> = word.clone();
                word.push(name(edge.outcome));
                word.sort();
                next.insert((edge.after, word));
            }
        }
        words.extend(next.iter().map(|(_, word)| word.clone()));
        layer = next;
    }
    assert_eq!(words, ser, "the serial automaton:\n{text}");

    // The set of its letter counts.
    let letters: BTreeSet<Outcome> = automaton.edges.iter().map(|e| e.outcome).collect();
    let letters: Vec<Outcome> = letters.into_iter().collect();
    let limits = ser_arith::Limits::default();
    let Ok(set) = serial_outcomes(&automaton, &letters, OutcomeOptions::default(), &limits) else {
        return 1;
    };
    for vector in vectors(letters.len()) {
        let pairs = letters.iter().zip(&vector);
        let mut outcome: Vec<(String, String)> =
            pairs.flat_map(|(o, n)| std::iter::repeat_n(name(*o), *n as usize)).collect();
        outcome.sort();
        let inside = set.contains(&vector).expect("small numbers").is_some();
        assert_eq!(inside, ser.contains(&outcome), "{outcome:?}:\n{text}");
    }
    2
}

#[test]
fn the_papers_net_the_serial_automaton_and_its_counts_are_those_of_the_rules() {
    type Generator = fn(&mut Random) -> String;
    let generators: [Generator; 4] = [program, locking, expressions, border];
    let mut compared = [0; 3];
    for seed in 0..60 {
        for generator in generators {
            compared[compare(&generator(&mut Random::new(seed ^ 0x57a6e5)))] += 1;
        }
    }
    assert!(compared[2] >= 190, "not compared, without sets, with sets: {compared:?}");
}
