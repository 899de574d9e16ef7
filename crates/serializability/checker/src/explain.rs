//! Serial elements: what has been read, explained by a serial run and letters to insert into it.
//!
//! An [`Element`] (q, V, D, B) is *justified* by a word w if there is a path of the serial
//! automaton from the initial global state to q and a multiset F of letters such that the
//! letters of w are those of the path, F and B together; every letter of V is insertable at some
//! state on the path (see `serial`); and every letter of F is, too, or in D. B is one letter that
//! waits for an edge of its own, or nothing.
//!
//! *Theorem.* If (q, V, D, B) is justified by w and [`step`] says that (q', V', D', B') follows
//! when `a` is read, then (q', V', D', B') is justified by w a (by w if nothing is read). *Proof.*
//! The path goes on from q to q' by edges with the letters that are *delivered*: some of B and
//! `a`, each at most once. Let W be V and what is insertable at the states that this adds to the
//! path. V' is within W, so its letters are insertable on the path. What becomes of `a`:
//! - nothing is read, or `a` is delivered: the same F;
//! - `a` is inserted, that is, in W or in D': F + a;
//! - `a` waits: B' = a, the same F. B was nothing or is delivered.
//!
//! If B is not delivered and `a` does not take its place, B' = B; if it is delivered, B' is
//! nothing or `a`. So the letters of w a are those of the longer path, of F and of B'. A letter of
//! F that is in D and not in D' is in W, so it is insertable on the path. ∎
//!
//! If D is empty and nothing waits, insert the letters of F: a serial run has the letters of w.
//! This is what an outcome needs, which has no order.

use crate::names::Letter;
use crate::serial::SerialAutomaton;
use ser_model::GlobalId;

/// (q, V, D, B): a state, letters that are insertable on the way to it, debts, and a letter that
/// waits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Element {
    pub(crate) state: GlobalId,
    /// Sorted.
    pub(crate) loops: Vec<Letter>,
    /// Sorted.
    pub(crate) debts: Vec<Letter>,
    pub(crate) waiting: Option<Letter>,
}

impl Element {
    /// The element that the empty word justifies: the empty path.
    pub(crate) fn initial(state: GlobalId, automaton: &SerialAutomaton) -> Element {
        let loops = automaton.insertable(state).to_vec();
        Element { state, loops, debts: Vec::new(), waiting: None }
    }

    /// Whether it is a path alone: nothing can be inserted into it, and nothing is to come.
    pub(crate) fn is_in_order(&self) -> bool {
        self.loops.is_empty() && self.debts.is_empty() && self.waiting.is_none()
    }

    /// The path alone, if that has all that was read.
    pub(crate) fn in_order(&self) -> Option<Element> {
        let settled = self.debts.is_empty() && self.waiting.is_none();
        settled.then(|| Element { loops: Vec::new(), ..self.clone() })
    }
}

/// Whether `to` follows from `from` when `letter` is read.
pub(crate) fn step(
    automaton: &SerialAutomaton,
    from: &Element,
    letter: Option<Letter>,
    to: &Element,
) -> bool {
    let (b, b2) = (from.waiting, to.waiting);
    let one = |delivered: Letter, inserted: Option<Letter>| {
        automaton.has_edge(from.state, delivered, to.state)
            && weaker(from, &[automaton.insertable(to.state)], inserted, to)
    };
    let two = |first: Letter, second: Letter| {
        automaton.targets(from.state, first).any(|between| {
            let new = [automaton.insertable(between), automaton.insertable(to.state)];
            automaton.has_edge(between, second, to.state) && weaker(from, &new, None, to)
        })
    };
    let stay = |inserted| from.state == to.state && weaker(from, &[], inserted, to);
    match (letter, b) {
        (None, None) => b2.is_none() && stay(None),
        (None, Some(b)) => (b2 == Some(b) && stay(None)) || (b2.is_none() && one(b, None)),
        (Some(a), None) => {
            (b2.is_none() && (stay(Some(a)) || one(a, None))) || (b2 == Some(a) && stay(None))
        }
        (Some(a), Some(b)) => {
            (b2 == Some(b) && (stay(Some(a)) || one(a, None)))
                || (b2 == Some(a) && one(b, None))
                || (b2.is_none() && (one(b, Some(a)) || two(b, a) || two(a, b)))
        }
    }
}

/// Whether `to` claims no loops but those of `from` and `new`, and drops no debts but such loops,
/// where the letter that is `inserted` counts as a debt.
fn weaker(from: &Element, new: &[&[Letter]], inserted: Option<Letter>, to: &Element) -> bool {
    let looped =
        |letter: &Letter| has(&from.loops, letter) || new.iter().any(|loops| has(loops, letter));
    to.loops.iter().all(looped)
        && from.debts.iter().chain(&inserted).all(|d| looped(d) || has(&to.debts, d))
}

fn has(sorted: &[Letter], letter: &Letter) -> bool {
    sorted.binary_search(letter).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Meter;
    use ser_base::Limits;
    use ser_model::read_json;

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
        // State, loops, debts, and after a comma what waits.
        let element = |(state, loops, debts): (&str, &str, &str)| {
            let (debts, waiting) = debts.split_once(',').unwrap_or((debts, ""));
            Element {
                state: names.global(state).expect("a state"),
                loops: letters(loops),
                debts: letters(debts),
                waiting: letters(waiting).first().copied(),
            }
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
            // A letter waits, if none does; it stays, or is delivered by an edge.
            (("A", "l", ""), "b", ("A", "l", ",b"), true),
            (("A", "l", ""), "b", ("A", "", "m,b"), true),
            (("A", "l", ""), "b", ("B", "l", ",b"), false),
            (("A", "l", ""), "b", ("A", "l", ",a"), false),
            (("A", "l", ""), "", ("A", "l", ",a"), false),
            (("A", "l", ",b"), "", ("A", "l", ",b"), true),
            (("A", "l", ",b"), "", ("A", "l", ""), false),
            (("A", "l", ",a"), "", ("B", "lm", ""), true),
            (("A", "l", "m,a"), "", ("B", "lm", ""), true),
            (("A", "l", "b,a"), "", ("B", "lm", ""), false),
            (("A", "l", ",b"), "", ("B", "lm", ""), false),
            (("A", "l", ",a"), "", ("B", "lm", ",a"), false),
            // With one waiting, another is read: inserted, by an edge, or waiting in its place.
            (("A", "l", ",b"), "l", ("A", "l", ",b"), true),
            (("A", "l", ",b"), "n", ("A", "l", "n,b"), true),
            (("A", "l", ",b"), "n", ("A", "l", ",b"), true),
            (("A", "l", ",b"), "m", ("A", "l", ",b"), false),
            (("A", "l", ",b"), "m", ("A", "l", ",m"), false),
            (("A", "l", ",b"), "b", ("A", "l", ",b"), false),
            (("A", "l", ",b"), "a", ("B", "lm", ",b"), true),
            (("A", "l", ",a"), "b", ("B", "lm", ",b"), true),
            (("A", "l", ",a"), "b", ("B", "lm", ",a"), false),
            (("A", "l", ",a"), "m", ("B", "lm", ""), true),
            (("A", "l", ",a"), "b", ("B", "lm", ""), false),
            (("A", "l", ",a"), "b", ("B", "lm", "b"), true),
            (("A", "", ",a"), "n", ("B", "lmn", ""), true),
            // Both are delivered, in either order, by way of B.
            (("A", "", ",a"), "b", ("A", "lmn", ""), true),
            (("A", "", ",b"), "a", ("A", "lmn", ""), true),
            (("A", "", "mn,b"), "a", ("A", "lmn", ""), true),
            (("A", "", "ab,b"), "a", ("A", "lmn", ""), false),
            (("A", "", ",b"), "a", ("B", "", ""), false),
            (("A", "", ",a"), "a", ("A", "", ""), false),
            (("A", "", ",a"), "a", ("B", "m", ",a"), true),
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
