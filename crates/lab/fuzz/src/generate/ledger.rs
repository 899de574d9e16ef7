//! Random programs that compute with data: under a lock, in a single step, or without any care.
//!
//! Requests have amounts in hand while they wait, look at data before they have their lock, change
//! what they have in hand while they wait, and branch on what they have read. So a proof that does
//! not keep track of some of these values has every chance to go wrong.

use crate::Random;
use std::fmt::Write as _;

/// The source of a random program with data in it.
///
/// ```
/// let text = ser_fuzz::ledger(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn ledger(random: &mut Random) -> String {
    let mut out = String::new();
    if random.chance(50) {
        out.push_str("X := 1\n");
    }
    let care = *random.pick(&[0, 60, 90, 100, 100]);
    for request in 0..random.between(1, 2) {
        let parameter = ["", "", "(n in 0..1)", "(n in 1..2)"];
        let parameter = *random.pick(&parameter);
        let _ = writeln!(out, "request r{request}{parameter} {{");
        let amount = if parameter.is_empty() { "1" } else { "n" };
        Writer { random, out: &mut out, amount, care }.handler();
        out.push_str("}\n");
    }
    out
}

struct Writer<'a> {
    random: &'a mut Random,
    out: &'a mut String,
    /// What stands for a number in hand.
    amount: &'static str,
    /// How many of a hundred requests take their lock and give it back.
    care: usize,
}

impl Writer<'_> {
    fn handler(&mut self) {
        if self.random.chance(40) {
            self.line(&format!("a := {}", self.amount));
        }
        self.pause(25);
        let locks = self.random.chance(self.care);
        if locks {
            let lines = [
                "while (L) { yield }",
                "while (L) { yield }",
                "while (L) { yield }",
                "if (L) { return a }",
                "assume(L == 0)",
                "while (L) { yield; a := Y }",
                "while (L) { a := 1 - a; yield }",
                "while (L) { a := X; yield }",
                "while (?) { yield }; assume(L == 0)",
                "while (L) { if (X == 1) { yield } else { yield; yield } }",
                "if (L) { yield; assume(L == 0); a := X } else { a := 1 - X }",
            ];
            let line = *self.random.pick(&lines);
            self.line(line);
            let take = self.random.chance(self.care.max(60));
            if take {
                self.line("L := 1");
            }
        }
        let many = if locks { self.random.between(1, 3) } else { 1 };
        for i in 0..many {
            if i > 0 || !locks {
                self.pause(if locks { 60 } else { 40 });
            }
            self.access();
        }
        self.pause(20);
        if locks {
            let give = self.random.chance(self.care.max(60));
            if give {
                self.line("L := 0");
            }
        }
        self.pause(25);
        if self.random.chance(100 - self.care) {
            self.access();
        }
        let responses = ["a", "a", "0", "a == 1"];
        let response = *self.random.pick(&responses);
        let _ = writeln!(self.out, "  {response}");
    }

    /// Something with data.
    fn access(&mut self) {
        let n = self.amount;
        let (x, y) = if self.random.chance(70) { ("X", "Y") } else { ("Y", "X") };
        let line = match self.random.below(11) {
            0 => format!("a := {x}"),
            1 => format!("{x} := 1 - {x}"),
            2 => format!("{x} := {n}"),
            3 => format!("{x} := a"),
            4 => format!("if ({x} == {n}) {{ {x} := 0; a := 1 }}"),
            5 => format!("if ({x} == 0) {{ yield; {x} := {n} }}"),
            6 => format!("b := {x}; yield; {x} := 1 - b"),
            7 => format!("{y} := {x}"),
            8 => format!("a := {x} + {y}"),
            9 => format!("if (a == 1) {{ {x} := {n} }} else {{ yield }}"),
            _ => format!("a := {x}; {x} := ({n} == a)"),
        };
        self.line(&line);
    }

    fn pause(&mut self, percent: usize) {
        if self.random.chance(percent) {
            self.line("yield");
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "  {line};");
    }
}
