//! Serial runs: one request after the other, computed from the raw network system.
//!
//! In a serial run every request runs alone from its arrival to its response; and a request may
//! have a response that does not count without having taken a step, provided that steps lead from
//! an arrival of it to that response, in whatever global states. So an outcome of requests some of
//! which have given up is explained by the others alone, and by whatever those that gave up leave
//! behind when they run alone, if that is needed.
//!
//! *Theorem.* [`alone`] lists exactly the pairs (letter, global state after) of one request in a
//! serial run: a search of the finite graph of (local state, global state) finds those that run,
//! and [`NetworkSystem::free`] lists those that do nothing. A serial run is a path of these edges
//! from the initial global state, so [`SerialAutomaton`] accepts exactly the serial runs, and
//! [`find_run`], which tries every letter that remains of an outcome in every global state it can
//! be in, finds a serial run with this outcome if and only if there is one. ∎
//!
//! A letter is *insertable* at a state if it is a self-loop of the state, or *possible for good*:
//! all states that can be reached from there, itself among them, have an edge with this letter.
//!
//! *Theorem.* Take a serial run and, any number of times, letters each of which is insertable at
//! some state that the run passes. Some serial run has the letters of both. *Proof.* Repeat the
//! self-loops where the run passes them. What is possible for good at a state that the run passes
//! is possible for good where the run ends, and after each letter that is appended there; so append
//! those in any order. ∎

use crate::Reason;
use crate::meter::Meter;
use crate::names::Letter;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::{GlobalId, NetworkSystem};
use std::collections::hash_map::Entry;

/// An edge of the serial automaton: a letter and the global state after.
pub(crate) type Edge = (Letter, GlobalId);

/// What one request alone can do from `global`. Sorted, each once.
pub(crate) fn alone(
    system: &NetworkSystem,
    global: GlobalId,
    meter: &mut Meter<'_>,
) -> Result<Vec<Edge>, Reason> {
    let mut edges = Vec::new();
    let mut seen = FxHashSet::default();
    for &(request, start) in system.spawns() {
        seen.clear();
        seen.insert((start, global));
        let mut todo = vec![(start, global)];
        while let Some((local, now)) = todo.pop() {
            meter.work(1)?;
            for response in system.replies_of(local) {
                edges.push((Letter { request, response }, now));
            }
            for step in system.steps_at(local, now) {
                if seen.insert((step.to, step.after)) {
                    todo.push((step.to, step.after));
                }
            }
        }
    }
    let letter = |(request, response): &_| Letter { request: *request, response: *response };
    edges.extend(system.free().iter().map(|free| (letter(free), global)));
    edges.sort_unstable();
    edges.dedup();
    meter.entries(edges.len())?;
    Ok(edges)
}

/// All serial runs.
pub(crate) struct SerialAutomaton {
    edges: FxHashMap<GlobalId, Vec<Edge>>,
    insertable: FxHashMap<GlobalId, Vec<Letter>>,
}

impl SerialAutomaton {
    pub(crate) fn new(
        system: &NetworkSystem,
        meter: &mut Meter<'_>,
    ) -> Result<SerialAutomaton, Reason> {
        let mut edges: FxHashMap<GlobalId, Vec<Edge>> = FxHashMap::default();
        let mut todo = vec![system.initial_global()];
        while let Some(global) = todo.pop() {
            if edges.contains_key(&global) {
                continue;
            }
            let list = alone(system, global, meter)?;
            todo.extend(list.iter().map(|(_, after)| *after));
            edges.insert(global, list);
        }
        let mut insertable = possible_for_good(&edges, meter)?;
        for (state, list) in &edges {
            let here = insertable.entry(*state).or_default();
            here.extend(list.iter().filter(|(_, to)| to == state).map(|(letter, _)| *letter));
            here.sort_unstable();
            here.dedup();
            meter.entries(here.len())?;
        }
        Ok(SerialAutomaton { edges, insertable })
    }

    /// How many global states serial runs reach.
    pub(crate) fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// Whether a serial run in `from` can go on with `letter` to `to`.
    pub(crate) fn has_edge(&self, from: GlobalId, letter: Letter, to: GlobalId) -> bool {
        let edges = self.edges.get(&from);
        edges.is_some_and(|list| list.binary_search(&(letter, to)).is_ok())
    }

    /// What a serial run in `from` can do next: letters and states. Sorted.
    pub(crate) fn edges(&self, from: GlobalId) -> &[Edge] {
        self.edges.get(&from).map_or(&[], Vec::as_slice)
    }

    /// Where a serial run in `from` can get to with `letter`.
    pub(crate) fn targets(
        &self,
        from: GlobalId,
        letter: Letter,
    ) -> impl Iterator<Item = GlobalId> + '_ {
        let edges = self.edges(from);
        let first = edges.partition_point(|(l, _)| *l < letter);
        let rest = edges.get(first..).unwrap_or_default();
        rest.iter().take_while(move |(l, _)| *l == letter).map(|(_, to)| *to)
    }

    /// For each state, what is insertable at the states from which it can be reached, and at
    /// itself.
    pub(crate) fn passed(
        &self,
        meter: &mut Meter<'_>,
    ) -> Result<FxHashMap<GlobalId, FxHashSet<Letter>>, Reason> {
        let own =
            self.insertable.iter().map(|(state, list)| (*state, list.iter().copied().collect()));
        let mut passed: FxHashMap<GlobalId, FxHashSet<Letter>> = own.collect();
        let mut todo: Vec<GlobalId> = passed.keys().copied().collect();
        while let Some(state) = todo.pop() {
            let here: Vec<Letter> = passed.get(&state).into_iter().flatten().copied().collect();
            for (_, to) in self.edges.get(&state).into_iter().flatten() {
                meter.work(1 + here.len())?;
                let there = passed.entry(*to).or_default();
                let before = there.len();
                there.extend(&here);
                if there.len() > before {
                    todo.push(*to);
                }
            }
        }
        meter.entries(passed.values().map(FxHashSet::len).sum())?;
        Ok(passed)
    }

    /// The letters that can be inserted any number of times into a serial run that passes `state`.
    /// Sorted.
    pub(crate) fn insertable(&self, state: GlobalId) -> &[Letter] {
        self.insertable.get(&state).map_or(&[], Vec::as_slice)
    }
}

/// For each state, the letters that all states have which can be reached from it: the greatest
/// family of sets within what the states have that only grow along edges. Sorted.
fn possible_for_good(
    edges: &FxHashMap<GlobalId, Vec<Edge>>,
    meter: &mut Meter<'_>,
) -> Result<FxHashMap<GlobalId, Vec<Letter>>, Reason> {
    let mut possible: FxHashMap<GlobalId, Vec<Letter>> = FxHashMap::default();
    let mut before: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
    for (state, list) in edges {
        meter.work(list.len())?;
        let mut letters: Vec<Letter> = list.iter().map(|(letter, _)| *letter).collect();
        letters.dedup();
        possible.insert(*state, letters);
        let mut after: Vec<GlobalId> = list.iter().map(|(_, to)| *to).collect();
        after.sort_unstable();
        after.dedup();
        after.iter().for_each(|to| before.entry(*to).or_default().push(*state));
    }
    let mut todo: Vec<GlobalId> = edges.keys().copied().collect();
    while let Some(state) = todo.pop() {
        let here = possible.get(&state).cloned().unwrap_or_default();
        for earlier in before.get(&state).into_iter().flatten() {
            let Some(letters) = possible.get_mut(earlier) else { continue };
            meter.work(1 + letters.len())?;
            let most = letters.len();
            letters.retain(|letter| here.binary_search(letter).is_ok());
            if letters.len() < most {
                todo.push(*earlier);
            }
        }
    }
    Ok(possible)
}

/// What a search for a serial run came to.
pub(crate) struct Search {
    /// The serial run, if there is one.
    pub(crate) run: Option<Vec<Letter>>,
    /// How many pairs of a global state and a rest of the outcome were visited.
    pub(crate) states: usize,
}

/// Looks for a serial run with this outcome.
pub(crate) fn find_run(
    system: &NetworkSystem,
    outcome: &[(Letter, u64)],
    meter: &mut Meter<'_>,
) -> Result<Search, Reason> {
    let mut edges: FxHashMap<GlobalId, Vec<Edge>> = FxHashMap::default();
    let start: (GlobalId, Vec<u64>) =
        (system.initial_global(), outcome.iter().map(|(_, count)| *count).collect());
    // How each node was reached: the node before, and the letter.
    let mut nodes: Vec<Option<(usize, Letter)>> = vec![None];
    let mut seen = FxHashSet::default();
    seen.insert(start.clone());
    let mut todo = vec![(0, start)];
    while let Some((node, (global, rest))) = todo.pop() {
        if rest.iter().all(|count| *count == 0) {
            let back = std::iter::successors(nodes.get(node).copied().flatten(), |(before, _)| {
                nodes.get(*before).copied().flatten()
            });
            let mut run: Vec<Letter> = back.map(|(_, letter)| letter).collect();
            run.reverse();
            let states = nodes.len();
            return Ok(Search { run: Some(run), states });
        }
        let from_here = match edges.entry(global) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(alone(system, global, meter)?),
        };
        for &(letter, after) in from_here.iter() {
            meter.work(outcome.len())?;
            let wanted = outcome.iter().position(|(l, _)| *l == letter);
            let mut less = rest.clone();
            let Some(count) = wanted.and_then(|i| less.get_mut(i)).filter(|n| **n > 0) else {
                continue;
            };
            *count -= 1;
            if seen.insert((after, less.clone())) {
                meter.row(outcome.len())?;
                todo.push((nodes.len(), (after, less)));
                nodes.push(Some((node, letter)));
            }
        }
    }
    let states = nodes.len();
    Ok(Search { run: None, states })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;
    use ser_base::Limits;
    use ser_model::read_json;

    /// `inc` adds one modulo 3 in two steps and says what it saw; `try` says `zero` in 0 only.
    const SYSTEM: &str = r#"{"initial_global": "0",
        "requests": [["inc", "s"], ["try", "t"]],
        "responses": [["d0", "0"], ["d1", "1"], ["d2", "2"], ["z", "zero"]],
        "transitions": [["s", "0", "m", "0"], ["s", "1", "m", "1"], ["s", "2", "m", "2"],
            ["m", "0", "d0", "1"], ["m", "1", "d1", "2"], ["m", "2", "d2", "0"],
            ["t", "0", "z", "0"], ["t", "1", "t", "1"]]}"#;

    #[test]
    fn one_request_alone_runs_to_its_end() {
        let system = read_json(SYSTEM).expect("a system");
        let names = Names::new(&system);
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let automaton = SerialAutomaton::new(&system, &mut meter).expect("small");
        assert_eq!(automaton.state_count(), 3);
        let g = |name| names.global(name).expect("a global state");
        let l = |q, r| names.letter(q, r).expect("a letter");
        let table = [
            ("0", "inc", "0", "1", true),
            ("1", "inc", "1", "2", true),
            ("2", "inc", "2", "0", true),
            ("0", "inc", "1", "1", false),
            ("0", "inc", "0", "0", false),
            ("0", "try", "zero", "0", true),
            ("1", "try", "zero", "1", false),
            ("1", "try", "zero", "0", false),
        ];
        for (from, request, response, to, expected) in table {
            let found = automaton.has_edge(g(from), l(request, response), g(to));
            assert_eq!(found, expected, "{from} {request}/{response} {to}");
        }
        assert_eq!(automaton.insertable(g("0")), [l("try", "zero")]);
        assert_eq!(automaton.insertable(g("1")), []);
    }

    #[test]
    fn what_is_possible_for_good_can_come_last() {
        // From 1 `up` leads to 2 and 3, where there is no `b`; `a` is possible everywhere.
        let text = r#"{"initial_global": "0",
            "requests": [["q", "s"]],
            "responses": [["a", "a"], ["b", "b"], ["u", "up"], ["t", "top"]],
            "transitions": [["s", "0", "a", "1"], ["s", "1", "a", "0"], ["s", "2", "a", "3"],
                ["s", "3", "a", "2"], ["s", "0", "b", "1"], ["s", "1", "b", "0"],
                ["s", "1", "u", "2"], ["s", "2", "t", "3"], ["s", "3", "t", "3"]]}"#;
        let system = read_json(text).expect("a system");
        let names = Names::new(&system);
        let limits = Limits::default();
        let automaton = SerialAutomaton::new(&system, &mut Meter::new(&limits)).expect("small");
        let at = |global| {
            let list = automaton.insertable(names.global(global).expect("a global state"));
            list.iter().map(|l| system.response_name(l.response)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(["0", "1", "2", "3"].map(at), ["a", "a", "a top", "a top"]);
    }

    #[test]
    fn outcomes_of_serial_runs_are_found_and_no_others() {
        let system = read_json(SYSTEM).expect("a system");
        let names = Names::new(&system);
        let limits = Limits::default();
        let l = |q, r| names.letter(q, r).expect("a letter");
        let (i0, i1, i2, z) = (l("inc", "0"), l("inc", "1"), l("inc", "2"), l("try", "zero"));
        let table: [(&[(Letter, u64)], bool); 8] = [
            (&[], true),
            (&[(i0, 1)], true),
            (&[(i1, 1)], false),
            (&[(i0, 1), (i1, 1), (z, 5)], true),
            (&[(i0, 2), (i1, 1), (i2, 1)], true),
            (&[(i0, 2), (i1, 1)], false),
            (&[(i0, 2), (i1, 2), (i2, 1), (z, 2)], true),
            (&[(i0, 1), (i2, 1), (z, 2)], false),
        ];
        for (outcome, expected) in table {
            let search = find_run(&system, outcome, &mut Meter::new(&limits)).expect("small");
            assert_eq!(search.run.is_some(), expected, "{outcome:?}");
            if let Some(run) = search.run {
                for (letter, count) in outcome {
                    let found = run.iter().filter(|l| *l == letter).count() as u64;
                    assert_eq!(found, *count);
                }
            }
        }
    }

    #[test]
    fn the_search_respects_its_limits() {
        let system = read_json(SYSTEM).expect("a system");
        let names = Names::new(&system);
        let z = names.letter("try", "zero").expect("a letter");
        let limits = Limits { max_states: 1, ..Limits::default() };
        let stopped = find_run(&system, &[(z, 1000)], &mut Meter::new(&limits)).err();
        assert_eq!(stopped, Some(Reason::TooManyEntries { limit: 100 }));
    }
}
