//! Random programs that protect what they share: locks, semaphores, readers and writers, a flag
//! that freezes everybody else. Mostly as it should be done, now and then with a mistake.
//!
//! Their requests pause in critical sections, so that the arguments about rules have something to
//! say: some of these programs are serializable because of their locks and some are not because of
//! the one that was forgotten.

use crate::Random;
use std::fmt::Write as _;

/// The source of a random program with locks.
///
/// ```
/// let text = ser_fuzz::locking(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn locking(random: &mut Random) -> String {
    let mut guards = Vec::new();
    for i in 0..random.between(1, 2) {
        let kinds = [Kind::Lock, Kind::Lock, Kind::Semaphore, Kind::Seats, Kind::Shared];
        guards.push(Guard { kind: *random.pick(&kinds), number: i, room: random.between(1, 2) });
    }
    let mut out = String::new();
    for guard in &guards {
        if guard.kind == Kind::Seats {
            let _ = writeln!(out, "S{} := {}", guard.number, guard.room);
        }
    }
    let freezes = random.chance(20);
    let mistakes = random.chance(50);
    let requests = random.between(1, 3);
    for request in 0..requests {
        let monitor = freezes && request == 0;
        let mut writer = Writer { random: random.clone(), guards: &guards, freezes, mistakes, out };
        let _ = writeln!(writer.out, "request r{request} {{");
        if monitor {
            writer.monitor()
        } else {
            writer.handler()
        }
        writer.out.push_str("}\n");
        (*random, out) = (writer.random, writer.out);
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `L`: taken or free.
    Lock,
    /// `S`: how many are inside, at most `room`.
    Semaphore,
    /// `S`: how many seats are free.
    Seats,
    /// `R` readers or one writer `W`.
    Shared,
}

#[derive(Clone, Copy)]
struct Guard {
    kind: Kind,
    number: usize,
    room: usize,
}

impl Guard {
    /// How to get in: a condition, and what to write then.
    fn enter(self, writes: bool) -> (String, String) {
        let Guard { number: i, room, .. } = self;
        match self.kind {
            Kind::Lock => (format!("L{i} == 0"), format!("L{i} := 1")),
            Kind::Semaphore => (format!("S{i} < {room}"), format!("S{i} := S{i} + 1")),
            Kind::Seats => (format!("S{i} > 0"), format!("S{i} := S{i} - 1")),
            Kind::Shared if writes => (format!("W{i} == 0 && R{i} == 0"), format!("W{i} := 1")),
            Kind::Shared => (format!("W{i} == 0 && R{i} < 2"), format!("R{i} := R{i} + 1")),
        }
    }

    /// How to get out. Counting down without looking has no end for those who do not see that
    /// everybody who leaves has entered; so most of these look.
    fn leave(self, writes: bool, random: &mut Random) -> String {
        let Guard { number: i, room, .. } = self;
        let (count, room) = match self.kind {
            Kind::Lock => return format!("L{i} := 0"),
            Kind::Shared if writes => return format!("W{i} := 0"),
            Kind::Shared => (format!("R{i}"), 2),
            Kind::Semaphore | Kind::Seats => (format!("S{i}"), room),
        };
        let (worst, step) = if self.kind == Kind::Seats { (room, "+") } else { (0, "-") };
        match random.below(8) {
            0 => format!("{count} := {count} {step} 1"),
            1 | 2 => format!("assume({count} != {worst});\n  {count} := {count} {step} 1"),
            3 if self.kind != Kind::Seats => {
                format!("if ({count} == 2) {{ {count} := 1 }} else {{ {count} := 0 }}")
            }
            _ => format!("if ({count} != {worst}) {{ {count} := {count} {step} 1 }}"),
        }
    }
}

struct Writer<'a> {
    random: Random,
    guards: &'a [Guard],
    freezes: bool,
    /// Whether this program may have mistakes.
    mistakes: bool,
    out: String,
}

impl Writer<'_> {
    /// Freezes everybody, looks at everything, and lets them go on.
    fn monitor(&mut self) {
        self.out.push_str("  while (F == 1) { yield };\n  F := 1;\n  yield;\n  a := X0;\n");
        if self.random.chance(50) {
            self.out.push_str("  yield;\n");
        }
        self.out.push_str("  a := a + 2 * X1;\n");
        if !self.slips() {
            self.out.push_str("  F := 0;\n");
        }
        self.out.push_str("  a\n");
    }

    fn handler(&mut self) {
        let writes = self.random.chance(60);
        // Which guards, in which order.
        let mut guards: Vec<Guard> = self.guards.to_vec();
        if guards.len() == 2 && self.random.chance(25) {
            guards.reverse();
        }
        if guards.len() == 2 && self.random.chance(40) {
            guards.truncate(1);
        }
        let early = self.random.chance(20);
        for (i, guard) in guards.iter().enumerate() {
            if !self.slips() {
                self.enter(*guard, writes);
            }
            self.pause(60);
            if early || i + 1 == guards.len() {
                self.accesses(*guard, writes);
            }
        }
        if self.random.chance(30) {
            guards.reverse();
        }
        for guard in guards {
            if !self.slips() {
                let leave = guard.leave(writes, &mut self.random);
                let _ = writeln!(self.out, "  {leave};");
            }
            self.pause(35);
            if self.slips() {
                self.accesses(guard, writes);
            }
        }
        let response = *self.random.pick(&["a", "a", "0", "1"]);
        let _ = writeln!(self.out, "  {response}");
    }

    /// Whether there is a mistake here.
    fn slips(&mut self) -> bool {
        self.mistakes && self.random.chance(12)
    }

    fn pause(&mut self, percent: usize) {
        if self.random.chance(percent) {
            self.out.push_str("  yield;\n");
        }
    }

    fn enter(&mut self, guard: Guard, writes: bool) {
        let (condition, write) = guard.enter(writes);
        let line = match self.random.below(4) {
            0 => format!("  while (!({condition})) {{ yield }};\n  {write};\n"),
            1 => {
                let end = if self.random.chance(50) { "return 9" } else { "abort" };
                format!("  if (!({condition})) {{ {end} }};\n  {write};\n")
            }
            // Looks first, and takes it later.
            2 if self.slips() => format!("  assume({condition});\n  yield;\n  {write};\n"),
            _ => format!("  assume({condition});\n  {write};\n"),
        };
        self.out.push_str(&line);
    }

    /// A few accesses to what the guard protects.
    fn accesses(&mut self, guard: Guard, writes: bool) {
        let x = if self.slips() { 1 - guard.number } else { guard.number };
        for i in 0..self.random.between(1, 3) {
            if i > 0 {
                self.pause(60);
            }
            if self.freezes && !self.slips() {
                self.out.push_str("  assume(F == 0);\n");
            }
            let line = match self.random.below(if writes { 6 } else { 2 }) {
                0 => format!("a := X{x}"),
                1 => format!("a := a + X{x}"),
                2 => format!("X{x} := 1 - X{x}"),
                3 => format!("X{x} := 1"),
                4 => format!("b := X{x};\n  yield;\n  X{x} := 1 - b"),
                _ => format!("if (X{x} == 1) {{ X{x} := 0; a := 1 }}"),
            };
            let _ = writeln!(self.out, "  {line};");
        }
    }
}
