//! Expressions that are shown can be read again, and mean the same.

use crate::shared::without_places;
use proptest::prelude::*;
use ser_editing::inv::{parse, show_action, show_with};
use ser_syntax::inv::ast::{ActionKind, Step, StmtKind};

const DECLARATIONS: &str = "var x: int; var y: int; var c: bool; var d: bool; var chosen: Threads; var t: Threads; var a: addr; var b: addr; var e: elem;
    var s: set of int; var u: set of int; var v: set of addr; var w: set of elem; var o: set of Threads;
    set Threads  process thread for self in Threads { var k: int; var f: bool; start: k := p(1, null); q(2); }
    fn p(n: int, m: addr): int { work: return n; } fn q(n: int) { rest: skip; }";

/// Makes an expression of the bytes of a random list.
struct Author<'b> {
    bytes: std::slice::Iter<'b, u8>,
    out: String,
}

impl Author<'_> {
    fn choose(&mut self, n: u8) -> u8 {
        self.bytes.next().map_or(0, |byte| byte % n)
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn pick(&mut self, from: &[&str]) {
        let place = usize::from(self.choose(from.len() as u8));
        self.put(from[place]);
    }

    /// Two parts with something between them, in parentheses or not.
    fn between(
        &mut self,
        left: fn(&mut Self, u8),
        sign: &str,
        right: fn(&mut Self, u8),
        depth: u8,
    ) {
        let brackets = self.choose(2) == 0;
        self.put(if brackets { "(" } else { "" });
        left(self, depth);
        self.put(sign);
        right(self, depth);
        self.put(if brackets { ")" } else { "" });
    }

    fn number(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 1 } else { 6 }) {
            0 => self.pick(&["x", "y", "0", "7", "-3", "k[i]", "p.n[j]", "-9223372036854775808"]),
            1 => {
                self.put("(-(");
                self.number(depth - 1);
                self.put("))");
            }
            2 => {
                self.pick(&["min", "max"]);
                self.put("(");
                self.numbers(depth - 1);
                self.put(")");
            }
            3 => {
                self.put("(-2)*(");
                self.number(depth - 1);
                self.put(")");
            }
            4 => self.between(Self::number, " + ", Self::number, depth - 1),
            _ => self.between(Self::number, " - ", Self::number, depth - 1),
        }
    }

    fn numbers(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 2 } else { 5 }) {
            0 => self.pick(&["s", "u"]),
            1 => {
                self.put("{");
                self.number(depth.saturating_sub(1));
                self.put(", 1}");
            }
            2 => self.between(Self::numbers, " + ", Self::numbers, depth - 1),
            3 => self.between(Self::numbers, "-", Self::numbers, depth - 1),
            _ => self.between(Self::numbers, "*", Self::numbers, depth - 1),
        }
    }

    fn address(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 1 } else { 2 }) {
            0 => self.pick(&["a", "b", "null", "m[i]"]),
            _ => {
                self.put("(");
                self.address(depth - 1);
                self.put(").next");
            }
        }
    }

    fn element(&mut self, depth: u8) {
        match self.choose(2) {
            0 => self.pick(&["e", "lowest", "highest"]),
            _ => {
                self.address(depth);
                self.put(".data");
            }
        }
    }

    fn formula(&mut self, depth: u8) {
        // What binds less tightly stands in parentheses, or the text would mean something else;
        // which of them are needed is up to what shows it.
        if depth == 0 {
            return self.pick(&[
                "c",
                "d",
                "true",
                "f[i]",
                "at(j, start)",
                "at(i, p)",
                "i != j",
                "chosen == i",
                "a.lockid == nobody",
                "t in {i, chosen}",
                "at(chosen, thread.start, q)",
            ]);
        }
        match self.choose(12) {
            0 => self.between(Self::number, " < ", Self::number, depth - 1),
            1 => self.between(Self::number, " >= ", Self::number, depth - 1),
            2 => self.between(Self::number, " in ", Self::numbers, depth - 1),
            3 => self.between(Self::numbers, " subset ", Self::numbers, depth - 1),
            4 => self.between(Self::element, " != ", Self::element, depth - 1),
            5 => {
                self.put("reach(");
                self.address(depth - 1);
                self.put(", ");
                self.address(depth - 1);
                self.put(") && v == addr2set(a) + {} || w == set2elem(v) && ordered(a, b)");
            }
            6 => {
                self.put("!(");
                self.formula(depth - 1);
                self.put(")");
            }
            n => {
                let sign = ["&&", "||", "->", "<->", "=="][usize::from(n - 7)];
                self.put("(");
                self.formula(depth - 1);
                self.put(") ");
                self.put(sign);
                self.put(" (");
                self.formula(depth - 1);
                self.put(")");
            }
        }
    }
}

/// The formula, and how it is shown.
fn read(formula: &str) -> Option<(String, String)> {
    let parse = parse(&format!("{DECLARATIONS} invariant r(i, j): {formula};"));
    if parse.has_errors() {
        return None;
    }
    let invariant = &parse.system.invariants[0];
    let formula = &invariant.conjuncts[0].formula;
    Some((
        without_places(&format!("{formula:?}")),
        show_with(&parse.system, formula, &invariant.parameters),
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_is_shown_means_what_it_is(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut author = Author { bytes: bytes.iter(), out: String::new() };
        author.formula(4);
        let formula = author.out;
        // Chains of comparisons and the like are nobody's business here.
        if let Some((tree, shown)) = read(&formula) {
            let again = read(&shown);
            prop_assert_eq!(again.as_ref().map(|(tree, _)| tree), Some(&tree), "{} of {}", shown, formula);
            prop_assert_eq!(again.map(|(_, shown)| shown), Some(shown));
        }
    }
}

#[test]
fn most_formulas_of_this_test_are_right() {
    let mut right = 0;
    for seed in 0..200u32 {
        let bytes: Vec<u8> = (0..60).map(|i| (seed * 31 + i * i * 7 + i * seed) as u8).collect();
        let mut author = Author { bytes: bytes.iter(), out: String::new() };
        author.formula(4);
        right += usize::from(read(&author.out).is_some());
    }
    assert!(right > 150, "{right} of 200");
}

#[test]
fn actions_are_shown_as_they_are_written() {
    for action in [
        "x := y + 1",
        "a.next.data := e",
        "k := choose(int)",
        "k := choose(int) where k != 0 && c",
        "a := malloc(e, a.next)",
        "lock a.next",
        "unlock a",
        "await x < y",
        "assert !(x == 1)",
        "if c { x := 1; if d { y := 2; } } else { y := 3; }",
    ] {
        let text = DECLARATIONS.replace("q(2);", &format!("q(2); atomic {{ {action}; }}"));
        let text = text.replace("}; }", "} }") + " invariant r: true;";
        let parse = parse(&text);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        let StmtKind::Step(Step::Atomic(actions)) = &parse.system.procedures[0].body[2].kind else {
            panic!("one step");
        };
        assert_eq!(show_action(&parse.system, &actions[0]), action);
        assert!(!matches!(actions[0].kind, ActionKind::If { .. }) || action.starts_with("if"));
    }
}
