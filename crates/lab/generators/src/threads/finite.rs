//! Random models of threads with finite data, in any number: for what counts threads.

use fastrand::Rng;
use std::fmt::Write as _;

/// A small program with flags, numbers of small ranges, an owner and a lock, and some invariants.
///
/// ```
/// let text = ser_generators::threads::finite::system(7);
/// assert!(!ser_syntax::inv::parse(&text).has_errors(), "{text}");
/// ```
pub fn system(seed: u64) -> String {
    let mut world = Finite { rng: Rng::with_seed(seed ^ 0xf1417e), labels: 0, text: String::new() };
    world.text.push_str(match world.rng.u8(..8) {
        0 => "set Threads == 2\n",
        1 => "set Threads == 3\n",
        _ => "set Threads\n",
    });
    world.text.push_str("lock L\n");
    world
        .text
        .push_str("var f: bool = false\nvar g: bool\nvar n: 0..2 = 0\nvar o: Threads = nobody\n");
    if world.rng.u8(..4) == 0 {
        world.text.push_str("var boss: Threads\n");
    }
    world.text.push_str("process thread for self in Threads {\n");
    world.text.push_str("    var b: bool = false;\n    var m: 0..2 = 0;\n");
    let is_loop = world.rng.bool();
    let depth = if is_loop { 2 } else { 1 };
    if is_loop {
        world.text.push_str("    loop {\n");
    }
    let count = world.rng.usize(2..6);
    world.block(count, depth, 2, false);
    world.text.push_str(if is_loop { "    }\n}\n" } else { "    end: skip\n}\n" });
    world.invariants();
    world.text
}

struct Finite {
    rng: Rng,
    labels: usize,
    text: String,
}

impl Finite {
    fn one_of(&mut self, all: &[&str]) -> String {
        all[self.rng.usize(..all.len())].to_owned()
    }

    fn condition(&mut self) -> String {
        let all = [
            "f",
            "!f",
            "g",
            "!g",
            "b",
            "!b",
            "n == 0",
            "n > 0",
            "n < 2",
            "n == m",
            "o == nobody",
            "o == self",
            "o != self",
            "m > 0",
            "f && !b",
            "g || n == 0",
        ];
        self.one_of(&all)
    }

    fn action(&mut self) -> String {
        let all = [
            "f := true",
            "f := false",
            "g := !g",
            "g := b",
            "n := 0",
            "n := 1",
            "n := m",
            "o := self",
            "o := nobody",
            "b := true",
            "b := false",
            "b := f",
            "m := n",
            "m := 0",
            "b := choose(bool)",
            "m := choose(0..2)",
            "f := g && b",
        ];
        match self.rng.u8(..24) {
            0 => "o := choose(Threads)".to_owned(),
            1 => "o := choose(Threads) where o != nobody".to_owned(),
            2 => "n := n + 1".to_owned(),
            3 | 4 => "if n < 2 { n := n + 1 }".to_owned(),
            5 => "if n > 0 { n := n - 1 }".to_owned(),
            6 => "if o == nobody { o := self }".to_owned(),
            7 => "if o == self { o := nobody }".to_owned(),
            8 => "assert n < 2 || b".to_owned(),
            _ => self.one_of(&all),
        }
    }

    fn block(&mut self, count: usize, depth: usize, nested: usize, locked: bool) {
        for _ in 0..count {
            self.statement(depth, nested, locked);
        }
    }

    fn statement(&mut self, depth: usize, nested: usize, locked: bool) {
        let indent = "    ".repeat(depth);
        let label = self.labels;
        self.labels += 1;
        let inner = self.rng.usize(1..3);
        let kind = self.rng.u8(..if nested == 0 { 8 } else { 12 });
        match kind {
            0..=2 => {
                let mut action = self.action();
                if action.starts_with("if ") {
                    action = format!("atomic {{ {action} }}");
                }
                let _ = writeln!(self.text, "{indent}l{label}: {action};");
            }
            3 | 4 => {
                let (condition, action) = (self.condition(), self.action());
                let _ = writeln!(self.text, "{indent}l{label}: await {condition} {{ {action} }};");
            }
            5 | 6 => {
                let (condition, one, two) = (self.condition(), self.action(), self.action());
                let _ = writeln!(
                    self.text,
                    "{indent}l{label}: atomic {{ {one}; await {condition}; {two} }};"
                );
            }
            7 => {
                let _ = writeln!(self.text, "{indent}l{label}: skip;");
            }
            8 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "{indent}l{label}: if {condition} {{");
                self.block(inner, depth + 1, nested - 1, locked);
                let _ = writeln!(self.text, "{indent}}};");
            }
            9 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "{indent}l{label}: while {condition} {{");
                self.block(inner, depth + 1, nested - 1, locked);
                let _ = writeln!(self.text, "{indent}}};");
            }
            10 if !locked => {
                let _ = writeln!(self.text, "{indent}l{label}: with L {{");
                self.block(inner, depth + 1, nested - 1, true);
                let _ = writeln!(self.text, "{indent}}};");
            }
            _ => {
                let _ = writeln!(self.text, "{indent}l{label}: choose {{");
                self.block(1, depth + 1, nested - 1, locked);
                let _ = writeln!(self.text, "{indent}}} or {{");
                self.block(1, depth + 1, nested - 1, locked);
                let _ = writeln!(self.text, "{indent}}};");
            }
        }
    }

    fn invariants(&mut self) {
        let labels = self.labels;
        for number in 0..self.rng.usize(1..4) {
            let (one, other) = (self.rng.usize(..labels), self.rng.usize(..labels));
            let (threads, claim) = match self.rng.u8(..7) {
                0 | 1 => ("(i, j)", format!("i != j -> !(at(i, l{one}) && at(j, l{other}))")),
                2 => ("(i)", format!("at(i, l{one}) -> o == i")),
                3 => ("(i)", format!("at(i, l{one}) -> f || n > 0 || b[i]")),
                4 => ("(i, j)", "b[i] && b[j] -> i == j || m[i] == m[j]".to_owned()),
                5 => ("(i)", format!("at(i, l{one}) -> L != i || n < 2")),
                _ => ("", "f -> n > 0 || o != nobody".to_owned()),
            };
            let _ = writeln!(self.text, "invariant claim{number}{threads}: {claim}");
        }
    }
}
