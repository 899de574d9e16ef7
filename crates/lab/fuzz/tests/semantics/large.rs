//! Rules and parts of programs, as networks that the same comparison can look at.

use super::outcomes;
use ser_base::Limits;
use ser_fuzz::Random;
use ser_model::{
    ExploreError, LocalId, ProgramModel, RequestId, ResponseId, RuleSystem, RunBound,
    program_rules, write_json,
};
use ser_oracle::{Network, Outcome, ProgramNetwork, SystemNetwork, TooMuch};
use ser_syntax::core;
use std::collections::{BTreeSet, HashMap};

/// A system of rules, executed: a rule applies wherever the valuation agrees with what it reads.
pub(super) struct Ruled<'a> {
    rules: &'a RuleSystem,
    req: Vec<(usize, usize)>,
    g0: usize,
    globals: Vec<Vec<i64>>,
    ids: HashMap<Vec<i64>, usize>,
}

impl<'a> Ruled<'a> {
    pub(super) fn new(rules: &'a RuleSystem) -> Ruled<'a> {
        let frame = rules.frame();
        let req = frame.spawns().iter().map(|(r, l)| (r.index(), l.index())).collect();
        let mut ruled = Ruled { rules, req, g0: 0, globals: Vec::new(), ids: HashMap::new() };
        ruled.g0 = ruled.global(frame.valuation(frame.initial_global()).to_vec());
        ruled
    }

    fn global(&mut self, valuation: Vec<i64>) -> usize {
        // The sets of values promise to have everything that ever occurs.
        for (value, all) in valuation.iter().zip(self.rules.values()) {
            assert!(all.contains(value), "{value} is not among {all:?}");
        }
        let next = self.globals.len();
        *self.ids.entry(valuation.clone()).or_insert_with(|| {
            self.globals.push(valuation);
            next
        })
    }
}

impl Network for Ruled<'_> {
    fn req(&self) -> &[(usize, usize)] {
        &self.req
    }

    fn g0(&self) -> usize {
        self.g0
    }

    fn delta(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        let before = self.globals[global].clone();
        let mut steps = Vec::new();
        for rule in self.rules.rules_of(LocalId::from_index(local)) {
            let footprint = &rule.footprint;
            if footprint.reads.iter().all(|(v, x)| before[v.index()] == *x) {
                let mut after = before.clone();
                for (v, x) in &footprint.writes {
                    after[v.index()] = *x;
                }
                steps.push((rule.to.index(), self.global(after)));
            }
        }
        Ok(steps)
    }

    fn resp(&mut self, local: usize) -> Vec<usize> {
        self.rules.frame().replies_of(LocalId::from_index(local)).map(|r| r.index()).collect()
    }

    fn request_name(&self, label: usize) -> String {
        self.rules.frame().request_name(RequestId::from_index(label)).to_owned()
    }

    fn counts(&self, response: usize) -> bool {
        self.rules.frame().counts(ResponseId::from_index(response))
    }

    fn response_name(&self, response: usize) -> String {
        self.rules.frame().response_name(ResponseId::from_index(response)).to_owned()
    }
}

/// How much could be compared.
#[derive(Default, Debug)]
pub(super) struct LargeTally {
    pub(super) rules: usize,
    pub(super) parts: usize,
}

/// A program, to compare what the front end makes of it.
pub(super) struct Large<'a> {
    text: &'a str,
    program: &'a core::Program,
    rules: Option<RuleSystem>,
    labels: Vec<String>,
}

impl<'a> Large<'a> {
    pub(super) fn new(text: &'a str, program: &'a core::Program) -> Large<'a> {
        let rules = program_rules(program, text, &Limits::default()).ok();
        let network = ProgramNetwork::new(program).expect("no errors");
        let labels = network.req().iter().map(|(label, _)| network.request_name(*label)).collect();
        Large { text, program, rules, labels }
    }

    /// `all` and `serial` are what so many requests do; or nothing, if a value leaves 64 bits.
    pub(super) fn compare(
        &self,
        requests: usize,
        expected: Option<[&BTreeSet<Outcome>; 2]>,
        max_states: usize,
        tally: &mut LargeTally,
    ) {
        let text = self.text;
        let Some(expected) = expected else {
            assert!(self.rules.is_none(), "a value leaves 64 bits, but there are rules:\n{text}");
            return;
        };
        let rooms = [usize::MAX, 1];
        if let Some(rules) = &self.rules {
            for (room, expected) in rooms.into_iter().zip(expected) {
                let Ok(found) = outcomes(&mut Ruled::new(rules), requests, room, max_states) else {
                    continue;
                };
                assert_eq!(found, *expected, "rules, {requests} requests, {room} room:\n{text}");
                tally.rules += 1;
            }
        }
        // All labels, or some of them; exactly so many requests, or one more than we look at.
        let mut random = Random::new(text.len() as u64);
        for more in 0..2 {
            let chosen = |_: &&String| more == 0 || random.chance(60);
            let labels: BTreeSet<String> = self.labels.iter().filter(chosen).cloned().collect();
            if labels.is_empty() {
                continue;
            }
            let most = (requests + more) as u32;
            for preemptions in [None, Some(0), Some(1)] {
                let bound = RunBound { requests: most, preemptions };
                self.compare_part(&labels, requests, bound, expected, max_states, tally);
            }
        }
    }

    fn compare_part(
        &self,
        labels: &BTreeSet<String>,
        requests: usize,
        bound: RunBound,
        expected: [&BTreeSet<Outcome>; 2],
        max_states: usize,
        tally: &mut LargeTally,
    ) {
        let text = self.text;
        let limits = Limits { max_states: 3_000, ..Limits::default() };
        let model = match ProgramModel::part(self.program, text, labels, bound, &limits) {
            Ok(model) => model,
            Err(ExploreError::Overflow { .. }) if bound.requests as usize == requests => {
                panic!("no run of {requests} requests leaves 64 bits, but the part does:\n{text}")
            }
            Err(_) => return,
        };
        let json = write_json(model.system()).to_string();
        let inside = |o: &&Outcome| o.iter().all(|(label, _)| labels.contains(label));
        for (room, expected) in [usize::MAX, 1].into_iter().zip(expected) {
            let mut part = SystemNetwork::read(&json).unwrap();
            let Ok(found) = outcomes(&mut part, requests, room, max_states) else { continue };
            let expected: BTreeSet<Outcome> = expected.iter().filter(inside).cloned().collect();
            // With few preemptions some runs are missing, but no serial one.
            let some_missing = bound.preemptions.is_some() && room > 1;
            let right = found == expected || some_missing && found.is_subset(&expected);
            let words = format!("part {labels:?}, {bound:?}, {requests} requests, room {room}");
            assert!(right, "{words}: {found:?} instead of {expected:?}\n{text}");
            tally.parts += 1;
        }
    }
}
