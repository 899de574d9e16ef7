//! Random programs near the border between serializable and not.
//!
//! One to three handlers over one to three globals with two or three values, locals, loops that
//! wait, locks, choices, and `yield`s between reads and writes. All values stay small, so the state
//! space is finite.

use crate::Random;
use std::fmt::Write as _;

/// The source of a random program.
///
/// ```
/// let text = ser_fuzz::program(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn program(random: &mut Random) -> String {
    let mut writer = Writer {
        globals: random.between(1, 3),
        values: random.between(2, 3),
        lock: random.chance(35),
        aborts: random.chance(35),
        out: String::new(),
        random: random.clone(),
    };
    let requests = writer.random.between(1, 3);
    for request in 0..requests {
        let _ = writeln!(writer.out, "request r{request} {{");
        writer.handler();
        writer.out.push_str("}\n");
    }
    *random = writer.random;
    writer.out
}

const GLOBALS: [&str; 3] = ["X", "Y", "Z"];
const LOCALS: [&str; 2] = ["a", "b"];

struct Writer {
    globals: usize,
    values: usize,
    /// Whether handlers may use a lock.
    lock: bool,
    /// Whether handlers may give up.
    aborts: bool,
    random: Random,
    out: String,
}

impl Writer {
    fn handler(&mut self) {
        let locked = self.lock && self.random.chance(80);
        if locked {
            self.out.push_str("  while (L == 1) { yield };\n  L := 1;\n");
        }
        let statements = self.random.between(1, 4);
        for i in 0..statements {
            if i > 0 && self.random.chance(40) {
                self.out.push_str("  yield;\n");
            }
            self.statement(1);
            self.out.push_str(";\n");
        }
        // A lock that is forgotten now and then.
        if locked && self.random.chance(92) {
            self.out.push_str("  L := 0;\n");
        }
        let response = match self.random.below(6) {
            0 => "0".to_owned(),
            1 => self.global().to_owned(),
            2 => format!("{} + {}", self.local(), self.global()),
            _ => self.local().to_owned(),
        };
        let _ = writeln!(self.out, "  {response}");
    }

    fn statement(&mut self, depth: usize) {
        let indent = "  ".repeat(depth);
        self.out.push_str(&indent);
        let text = match self.random.below(if depth > 2 { 8 } else { 12 }) {
            0 if self.aborts && self.random.chance(50) => "abort".to_owned(),
            0 => "yield".to_owned(),
            1..=3 => format!("{} := {}", self.local(), self.global()),
            4 | 5 => format!("{} := {}", self.global(), self.value()),
            6 => format!("{} := {}", self.global(), self.local()),
            7 => format!("{} := ?", self.local()),
            8 => format!("while ({} == {}) {{ yield }}", self.global(), self.value()),
            9 => {
                let (global, last) = (self.global(), self.values - 1);
                format!(
                    "if ({global} == {last}) {{ {global} := 0 }} else {{ {global} := {global} + 1 }}"
                )
            }
            10 => format!("assume({} == {})", self.global(), self.value()),
            _ => return self.branch(depth),
        };
        self.out.push_str(&text);
    }

    fn branch(&mut self, depth: usize) {
        let indent = "  ".repeat(depth);
        let condition = match self.random.below(4) {
            0 => "?".to_owned(),
            1 => format!("{} == {}", self.local(), self.value()),
            _ => format!("{} == {}", self.global(), self.value()),
        };
        let _ = writeln!(self.out, "if ({condition}) {{");
        self.statement(depth + 1);
        let _ = write!(self.out, "\n{indent}}}");
        if self.random.chance(50) {
            self.out.push_str(" else {\n");
            self.statement(depth + 1);
            let _ = write!(self.out, "\n{indent}}}");
        }
    }

    fn global(&mut self) -> &'static str {
        GLOBALS[self.random.below(self.globals)]
    }

    fn local(&mut self) -> &'static str {
        LOCALS[self.random.below(2)]
    }

    fn value(&mut self) -> usize {
        self.random.below(self.values)
    }
}
