//! Random processes over shared variables and a queue, with goals.

use crate::Random;
use std::fmt::Write as _;

const SHARED: [(&str, i64, i64); 3] = [("X", 0, 3), ("Y", -2, 2), ("B", 0, 1)];
const LOCALS: [&str; 2] = ["a", "b"];

/// The source of random processes.
///
/// ```
/// let text = ser_fuzz::processes(&mut ser_fuzz::Random::new(1));
/// let parse = ser_syntax::parse_processes(&text);
/// assert!(!parse.has_errors(), "{text}\n{:#?}", parse.diagnostics);
/// ```
pub fn processes(random: &mut Random) -> String {
    let mut out = String::new();
    for (name, low, high) in SHARED {
        let first = low + random.below((high - low + 1) as usize) as i64;
        let _ = writeln!(out, "var {name}: {low}..{high} = {first}");
    }
    let _ = writeln!(out, "var Q: queue[{}] of 0..2", random.between(1, 2));
    let count = random.between(1, 3);
    let loops = random.chance(40);
    for process in 0..count {
        let statements = random.between(1, if count == 3 { 3 } else { 4 });
        let mut writer = Writer { random: random.clone(), depth: 0, loops, in_atomic: false };
        let body = writer.block(statements);
        *random = writer.random;
        let _ = writeln!(out, "process P{process} {body}");
    }
    for _ in 0..3 {
        let _ = writeln!(out, "reach {}", goal(random, count));
    }
    out
}

/// A condition over shared variables, the queue, and who is done.
fn goal(random: &mut Random, processes: usize) -> String {
    let mut parts = Vec::new();
    for _ in 0..random.between(1, 3) {
        let part = match random.below(6) {
            0 => format!("done(P{})", random.below(processes)),
            1 => format!("!done(P{})", random.below(processes)),
            2 => "done".to_owned(),
            3 => format!("len(Q) == {}", random.below(3)),
            _ => {
                let (name, low, high) = *random.pick(&SHARED);
                let value = low + random.below((high - low + 1) as usize) as i64;
                let op = *random.pick(&["==", "==", "==", "!=", "<", ">="]);
                format!("{name} {op} {value}")
            }
        };
        parts.push(part);
    }
    let op = if random.chance(80) { " && " } else { " || " };
    parts.join(op)
}

struct Writer {
    random: Random,
    depth: usize,
    /// Whether there are loops whose end is not known.
    loops: bool,
    in_atomic: bool,
}

impl Writer {
    fn block(&mut self, count: usize) -> String {
        let statements: Vec<String> = (0..count).map(|_| self.statement()).collect();
        format!("{{ {} }}", statements.join("; "))
    }

    fn inner(&mut self) -> String {
        self.depth += 1;
        let count = self.random.between(1, 2);
        let block = self.block(count);
        self.depth -= 1;
        block
    }

    fn statement(&mut self) -> String {
        let kinds = if self.depth >= 2 { 7 } else { 13 };
        match self.random.below(kinds) {
            0 | 1 => format!("{} := {}", self.shared(), self.value()),
            2 | 3 => format!("{} := {}", self.random.pick(&LOCALS), self.value()),
            4 => format!("await({})", self.condition()),
            5 => format!("send {} to Q", self.random.below(3)),
            6 => {
                let shared = self.random.chance(50);
                let to = if shared { self.shared() } else { *self.random.pick(&LOCALS) };
                format!("{to} := recv Q")
            }
            7 => format!("if ({}) {} else {}", self.condition(), self.inner(), self.inner()),
            8 => format!("if ({}) {}", self.condition(), self.inner()),
            9 if !self.in_atomic => {
                self.in_atomic = true;
                let block = self.inner();
                self.in_atomic = false;
                format!("atomic {block}")
            }
            10 if self.loops => match self.random.chance(50) {
                true => format!("while ({}) {}", self.condition(), self.inner()),
                // A counter that comes to its end by itself, though nobody sees it from outside.
                false => {
                    let most = self.random.between(2, 9);
                    let inner = self.inner();
                    format!(
                        "while (1) {{ if (b == {most}) {{ return }}; b := b + 1; if (X == 9) {inner} }}"
                    )
                }
            },
            11 => format!("choose {} or {}", self.inner(), self.inner()),
            _ => {
                let count = self.random.between(1, 2);
                let depth = self.depth;
                format!("for i{depth} in 1..{count} {}", self.inner())
            }
        }
    }

    fn shared(&mut self) -> &'static str {
        self.random.pick(&SHARED).0
    }

    fn atom(&mut self) -> String {
        match self.random.below(5) {
            0 => self.random.below(3).to_string(),
            1 => "(-1)".to_owned(),
            2 => self.random.pick(&LOCALS).to_string(),
            _ => self.shared().to_owned(),
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(8) {
            0 => "?".to_owned(),
            1 => format!("choose(0..{})", self.random.between(1, 2)),
            2 | 3 => self.atom(),
            _ => {
                let op = *self.random.pick(&["+", "-", "*", "+"]);
                format!("{} {op} {}", self.atom(), self.atom())
            }
        }
    }

    fn condition(&mut self) -> String {
        let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        format!("{} {op} {}", self.atom(), self.atom())
    }
}

/// A random program with some of its requests and goals in its first lines.
///
/// ```
/// let text = ser_fuzz::requests(&mut ser_fuzz::Random::new(1));
/// assert!(text.starts_with("// requests: "));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn requests(random: &mut Random) -> String {
    // Requests that may abort are not followed.
    let program = super::program(random).replace("abort", "return 9");
    let handlers = program.matches("request r").count().max(1);
    let mut counts = vec![0; handlers];
    for _ in 0..random.between(1, 3) {
        counts[random.below(handlers)] += 1;
    }
    let run: Vec<(usize, usize)> =
        counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    let list: Vec<String> = run.iter().map(|(r, count)| format!("r{r}*{count}")).collect();
    let globals: Vec<&str> =
        ["X", "Y", "Z", "L"].into_iter().filter(|g| program.contains(&format!("{g} "))).collect();
    let mut out = format!("// requests: {}\n", list.join(","));
    for _ in 0..3 {
        let mut parts = Vec::new();
        for _ in 0..random.between(1, 3) {
            let (request, count) = *random.pick(&run);
            let instance = format!("r{request}[{}]", random.below(count));
            parts.push(match random.below(6) {
                0 => format!("done({instance})"),
                1 => format!("!done({instance})"),
                2 => "done".to_owned(),
                3 => format!("{instance} == {}", random.below(3)),
                _ if globals.is_empty() => "done".to_owned(),
                _ => format!("{} == {}", random.pick(&globals), random.below(3)),
            });
        }
        let _ = writeln!(out, "// reach: {}", parts.join(" && "));
    }
    out + &program
}
