//! A state of a serial run may stand in for another one that can do less.
//!
//! For states q, q' of the serial automaton and a set V of letters, q *stands in* for q' given V
//! if (q, q', V) is in the greatest relation such that, with I(q) what is insertable at q (see
//! `serial`) and U = V and I(q),
//! 1. I(q') is in U;
//! 2. for each edge q' --a--> r', either `a` is in U and q stands in for r' given U, or there is an
//!    edge q --a--> r such that r stands in for r' given U and I(r).
//!
//! *Lemma.* (a) q stands in for q given anything. (b) What stands in given V stands in given more.
//! (c) If q stands in for q' given V, and q' for q'' given V, then q stands in for q'' given V.
//! *Proof.* Each time a relation that satisfies 1 and 2 has what is claimed. (a) Equality: take the
//! same edge. (b) All (q, q', W) with (q, q', V) in the relation for some V in W: U grows. (c) All
//! (q, q'', V) for which there is a q'. 1: I(q'') is in V and I(q'), which is in U. 2: q' answers
//! an edge q'' --a--> r'' by staying or by q' --a--> r'. If it stays, `a` is in V or I(q'), so it
//! is in U, and q stays. If q' goes to r', q goes to some r or stays, and what it is in then stands
//! in for r' given what 2 says, which has I(r') in it, by 1. So all that r' needs to stand in for
//! r'' is there. ∎
//!
//! [`StandIns::new`] accepts a list of triples (q, q', V) if each satisfies 1 and 2 where "stands
//! in given W" is read as: equal, or listed with letters that are all in W. By (a) and (b) the list
//! is in a relation that satisfies 1 and 2, so what it says is true.
//!
//! A word w *supports* an element (q', V', D', B') if there is a path from the initial state to
//! some q, with L all that is insertable at its states, and a multiset F of letters such that the
//! letters of w are those of the path, F and B' together; every letter of F is in L or D'; V' is in
//! L; and q stands in for q' given L. What is justified (see `explain`) is supported, with q = q'.
//!
//! *Theorem.* (1) If w supports (q', V', D', B') and [`explain::step`](crate::explain::step) says
//! that an element follows from it when `a` is read, then w a supports that one (w, if nothing is
//! read). (2) If w supports (q, V and W, D, B) and q stands in for q' given W, then w supports
//! (q', V, D, B). (3) If w supports an element without debts, and nothing waits, a serial run has
//! the letters of w.
//!
//! *Proof.* (1) The element goes on from q' by edges with the letters that are delivered. Answer
//! each of them as in 2: go on by an edge with the same letter, which makes the path longer, or
//! stay, and put the letter into F, which may be done because it is in U, and U is in L. All that
//! is insertable at the states that q' passes is in L, by 1. So what the new element claims to be
//! insertable is in L, and so is a letter of F that it drops from its debts. What is inserted or
//! waits is treated as in `explain`. (2) By (b) and (c), because W is in L. (3) Every letter of F
//! is insertable at a state on the path: see `serial`. ∎
//!
//! The path that supports an element need not end in its state. So it does not follow from the
//! letters of an element alone that no word supports it, and it says nothing about the order in
//! which letters were read.

use crate::Reason;
use crate::Rejection;
use crate::format;
use crate::meter::Meter;
use crate::names::{Letter, Names};
use crate::reject::At;
use crate::serial::SerialAutomaton;
use rustc_hash::FxHashMap;
use ser_model::GlobalId;

/// A list of triples (q, q', V) that are all true.
#[derive(Default)]
pub(crate) struct StandIns {
    /// What a state needs to stand in for another one. Sorted.
    needs: FxHashMap<(GlobalId, GlobalId), Vec<Letter>>,
    /// The states that stand in for a state.
    instead_of: FxHashMap<GlobalId, Vec<GlobalId>>,
}

impl StandIns {
    /// The triples of a certificate: each pair once, and all of them true.
    pub(crate) fn new(
        list: &[format::StandIn],
        automaton: &SerialAutomaton,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<StandIns, Rejection> {
        let mut stand_ins = StandIns::default();
        for (i, entry) in list.iter().enumerate() {
            let at = || format!("stand_ins[{i}]");
            meter.row(entry.loops.len()).at(at)?;
            let state = names.global(&entry.global).at(at)?;
            let other = names.global(&entry.instead_of).at(at)?;
            let loops = names.letters(&entry.loops, &format!("{}.loops", at()))?;
            if stand_ins.needs.insert((state, other), loops).is_some() {
                let what = format!("{} instead of {}", entry.global, entry.instead_of);
                return Err(Reason::Repeated { what }.at(at()));
            }
            stand_ins.instead_of.entry(other).or_default().push(state);
        }
        for (i, entry) in list.iter().enumerate() {
            let at = || format!("stand_ins[{i}]");
            let pair =
                (names.global(&entry.global).at(at)?, names.global(&entry.instead_of).at(at)?);
            if let Some(letter) = stand_ins.unanswered(pair, automaton, meter).at(at)? {
                let letter = names.show_letter(letter);
                return Err(Reason::NoStandIn { letter }.at(at()));
            }
        }
        Ok(stand_ins)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// The states that stand in for a state, itself among them, with the letters that this needs.
    pub(crate) fn instead_of(
        &self,
        other: GlobalId,
    ) -> impl Iterator<Item = (GlobalId, &[Letter])> {
        let listed = self.instead_of.get(&other).into_iter().flatten();
        let listed = listed
            .filter_map(move |state| Some((*state, self.needs.get(&(*state, other))?.as_slice())));
        std::iter::once((other, &[][..])).chain(listed)
    }

    /// A letter of the second state to which the first has no answer.
    fn unanswered(
        &self,
        (state, other): (GlobalId, GlobalId),
        automaton: &SerialAutomaton,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Letter>, Reason> {
        let needs = self.needs.get(&(state, other)).map_or(&[][..], Vec::as_slice);
        let own = automaton.insertable(state);
        let free = |letter: &Letter| has(needs, letter) || has(own, letter);
        if let Some(letter) = automaton.insertable(other).iter().find(|letter| !free(letter)) {
            return Ok(Some(*letter));
        }
        for (letter, to) in automaton.edges(other) {
            let mut answered = free(letter) && self.holds((state, *to), &[needs, own], meter)?;
            for next in automaton.targets(state, *letter) {
                let given = [needs, own, automaton.insertable(next)];
                answered = answered || self.holds((next, *to), &given, meter)?;
            }
            if !answered {
                return Ok(Some(*letter));
            }
        }
        Ok(None)
    }

    /// Whether it is listed that a state stands in for another one, given these letters.
    fn holds(
        &self,
        pair: (GlobalId, GlobalId),
        given: &[&[Letter]],
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let needs = self.needs.get(&pair).map(Vec::as_slice);
        meter.work(1 + needs.map_or(0, <[Letter]>::len))?;
        let given = |letter: &Letter| given.iter().any(|letters| has(letters, letter));
        Ok(pair.0 == pair.1 || needs.is_some_and(|needs| needs.iter().all(given)))
    }
}

fn has(sorted: &[Letter], letter: &Letter) -> bool {
    sorted.binary_search(letter).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Limits;
    use ser_model::read_json;

    /// `up` counts to 2 and stays there; `look` sees the number. Only 2 says `top`, and that is the
    /// end.
    const SYSTEM: &str = r#"{"initial_global": "0",
        "requests": [["up", "u"], ["look", "l"], ["top", "t"]],
        "responses": [["ok", "ok"], ["s0", "0"], ["s1", "1"], ["s2", "2"]],
        "transitions": [["u", "0", "ok", "1"], ["u", "1", "ok", "2"], ["u", "2", "ok", "2"],
            ["l", "0", "s0", "0"], ["l", "1", "s1", "1"], ["l", "2", "s2", "2"],
            ["t", "2", "ok", "3"], ["l", "3", "s2", "3"]]}"#;

    #[test]
    fn a_state_stands_in_for_what_can_do_less() {
        let system = read_json(SYSTEM).expect("a system");
        let names = Names::new(&system);
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let automaton = SerialAutomaton::new(&system, &mut meter).expect("small");
        let entry = |text: &str| {
            let mut words = text.split(' ');
            let mut next = || words.next().expect("a state").to_owned();
            let (global, instead_of) = (next(), next());
            let loops = words.map(|w| format::LetterName("look".into(), w.into())).collect();
            format::StandIn { global, instead_of, loops }
        };
        let mut check = |list: &[&str]| {
            let list: Vec<_> = list.iter().map(|text| entry(text)).collect();
            match StandIns::new(&list, &automaton, &names, &mut meter) {
                Ok(_) => "ok".to_owned(),
                Err(rejection) => rejection.to_string(),
            }
        };
        let table: [(&[&str], &str); 12] = [
            (&[], "ok"),
            // One more `up`, given what has been seen before. At the top there is no more.
            (&["1 0 0", "2 1 1"], "ok"),
            (&["1 0 0"], "stand_ins[0]: the stand-in has no answer to `up/ok`"),
            (&["2 1 1"], "ok"),
            (&["2 1"], "stand_ins[0]: the stand-in has no answer to `look/1`"),
            (&["2 1 0"], "stand_ins[0]: the stand-in has no answer to `look/1`"),
            // What the other state could insert on the way is not there for its stand-in.
            (&["2 0 0", "2 1 1"], "stand_ins[0]: the stand-in has no answer to `up/ok`"),
            (&["2 0 0 1", "2 1 1"], "ok"),
            // The second one needs what nobody has; then it is of no use to the first.
            (&["1 0 0", "2 1 1 ok"], "stand_ins[0]: the stand-in has no answer to `up/ok`"),
            // Whoever can do more has no stand-in.
            (&["1 2 2"], "stand_ins[0]: the stand-in has no answer to `up/ok`"),
            (&["2 1 1", "2 1 0 1"], "stand_ins[1]: `2 instead of 1` is listed twice"),
            (&["2 1 7"], "stand_ins[0].loops[0]: there is no response `7`"),
        ];
        for (list, expected) in table {
            assert_eq!(check(list), expected, "{list:?}");
        }
    }
}
