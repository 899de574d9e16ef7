//! Serial elements: what has been read, explained by a serial run and letters to insert into it.
//!
//! An [`Element`] (q, V, D) is *justified* by a word w if there is a path of the serial
//! automaton from the initial global state to q and a multiset F of letters such that the
//! letters of w are those of the path and F together; every letter of V is a self-loop of some
//! state on the path; and every letter of F is such a self-loop or in D.
//!
//! *Theorem.* If (q, V, D) is justified by w and [`step`] says that (q', V', D') follows when
//! `a` is read, then (q', V', D') is justified by w a (by w if nothing is read). *Proof.* By the
//! case that held, always with V' and D' as required there:
//! - nothing is read: q' = q, the same path and F. A letter of F that is in D and not in D' is
//!   in V, so it is a self-loop on the path.
//! - `a` in V: q' = q, the same path, F + a. `a` is a self-loop on the path.
//! - `a` in D': q' = q, the same path, F + a.
//! - an edge from q to q' with letter `a`: the path with this edge, the same F. Self-loops of q'
//!   are now on the path: they may be in V', and letters of D among them need not be in D'. ∎
//!
//! If D is empty, insert each letter of F at the state on the path that has it as a self-loop:
//! a serial run with the letters of w. This is what an outcome needs, which has no order.

use crate::names::Letter;
use crate::serial::SerialAutomaton;
use ser_model::GlobalId;

/// (q, V, D): a state, letters that are self-loops on the way to it, and debts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Element {
    pub(crate) state: GlobalId,
    /// Sorted.
    pub(crate) loops: Vec<Letter>,
    /// Sorted.
    pub(crate) debts: Vec<Letter>,
}

impl Element {
    /// The element that the empty word justifies: the empty path.
    pub(crate) fn initial(state: GlobalId, automaton: &SerialAutomaton) -> Element {
        Element { state, loops: automaton.loops(state).to_vec(), debts: Vec::new() }
    }
}

/// Whether `to` follows from `from` when `letter` is read.
pub(crate) fn step(
    automaton: &SerialAutomaton,
    from: &Element,
    letter: Option<Letter>,
    to: &Element,
) -> bool {
    let stay = from.state == to.state && weaker(from, &[], to);
    let Some(a) = letter else {
        return stay;
    };
    let inserted = has(&from.loops, &a) || has(&to.debts, &a);
    (stay && inserted)
        || (automaton.has_edge(from.state, a, to.state)
            && weaker(from, automaton.loops(to.state), to))
}

/// Whether `to` claims no loops but those of `from` and `new`, and drops no debts but such loops.
fn weaker(from: &Element, new: &[Letter], to: &Element) -> bool {
    let looped = |letter: &Letter| has(&from.loops, letter) || has(new, letter);
    to.loops.iter().all(looped) && from.debts.iter().all(|d| looped(d) || has(&to.debts, d))
}

fn has(sorted: &[Letter], letter: &Letter) -> bool {
    sorted.binary_search(letter).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Meter;
    use ser_model::{Limits, read_json};

    /// Edges: A --a--> B, A --l--> A, B --m--> B, B --b--> A, A --n--> A.
    const SYSTEM: &str = r#"{"initial_global": "A",
        "requests": [["q", "s"]],
        "responses": [["a", "a"], ["b", "b"], ["l", "l"], ["m", "m"], ["n", "n"]],
        "transitions": [["s", "A", "a", "B"], ["s", "A", "l", "A"], ["s", "B", "m", "B"],
            ["s", "B", "b", "A"], ["s", "A", "n", "A"]]}"#;

    #[test]
    fn elements_follow_by_each_rule_and_no_other_way() {
        let system = read_json(SYSTEM).expect("a system");
        let names = crate::names::Names::new(&system);
        let limits = Limits::default();
        let automaton = SerialAutomaton::new(&system, &mut Meter::new(&limits)).expect("small");
        let letters = |text: &str| {
            let each = text.chars().map(|c| names.letter("q", &c.to_string()));
            let mut list: Vec<Letter> = each.collect::<Result<_, _>>().expect("letters");
            list.sort();
            list
        };
        let element = |(state, loops, debts): (&str, &str, &str)| Element {
            state: names.global(state).expect("a state"),
            loops: letters(loops),
            debts: letters(debts),
        };
        let table = [
            // Nothing is read.
            (("A", "l", ""), "", ("A", "l", ""), true),
            (("A", "l", ""), "", ("A", "", "m"), true),
            (("A", "", "m"), "", ("A", "", ""), false),
            (("A", "l", "l"), "", ("A", "l", ""), true),
            (("A", "", ""), "", ("A", "l", ""), false),
            (("A", "", ""), "", ("B", "", ""), false),
            // A self-loop on the way.
            (("B", "l", ""), "l", ("B", "l", ""), true),
            (("B", "l", ""), "l", ("A", "l", ""), false),
            (("B", "m", ""), "l", ("B", "m", ""), false),
            // A debt.
            (("B", "m", ""), "l", ("B", "m", "l"), true),
            (("B", "m", "a"), "l", ("B", "m", "al"), true),
            (("B", "m", "a"), "l", ("B", "m", "l"), false),
            (("B", "m", ""), "l", ("B", "ml", "l"), false),
            // An edge.
            (("A", "l", ""), "a", ("B", "l", ""), true),
            (("A", "l", ""), "a", ("B", "lm", ""), true),
            (("A", "l", ""), "a", ("B", "ln", ""), false),
            (("A", "l", "m"), "a", ("B", "l", ""), true),
            (("A", "l", "b"), "a", ("B", "lm", ""), false),
            (("A", "l", "b"), "a", ("B", "lm", "b"), true),
            (("A", "l", ""), "b", ("B", "l", ""), false),
            (("B", "", "ln"), "b", ("A", "ln", ""), true),
            // A self-loop as an edge pays debts for self-loops of its state.
            (("A", "", "n"), "l", ("A", "ln", ""), true),
        ];
        for (from, letter, to, expected) in table {
            let read = letters(letter).first().copied();
            let found = step(&automaton, &element(from), read, &element(to));
            assert_eq!(found, expected, "{from:?} --{letter}--> {to:?}");
        }
        let initial = Element::initial(system.initial_global(), &automaton);
        assert_eq!(initial, element(("A", "ln", "")));
    }
}
