//! Families of programs with a parameter n, each in a serializable and a broken variant.
//!
//! A family shows how the cost of an answer grows. So the verdict must be known for every n, not
//! only where a tool happens to find it; each file says why its verdicts hold for every n of at
//! least [`MIN_N`]. Programs grow at most linearly with n.

mod bank;
mod chain;
mod counter;
mod flip;
mod look_again;
mod modular;
mod needle;
mod readers_writers;
mod ring;
mod snapshot;
mod spinlock;
mod stale;
mod two_phase_locking;
mod unseen;

use std::fmt::Write as _;
use thiserror::Error;

/// The smallest n: with one lock or one account, two of them are not distinct.
pub const MIN_N: usize = 2;

/// The largest n: beyond it, programs pass the limit on the size of a source file.
pub const MAX_N: usize = 2_000;

/// Which of the two programs of a family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variant {
    Serializable,
    /// The one that is not.
    Broken,
}

impl Variant {
    /// Both, in the order of tables.
    pub const ALL: [Variant; 2] = [Variant::Serializable, Variant::Broken];

    /// The name in tables and file names.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Serializable => "serializable",
            Variant::Broken => "broken",
        }
    }

    /// The verdict that `ser check` should give, as in `// expect:` comments.
    pub fn verdict(self) -> &'static str {
        match self {
            Variant::Serializable => "serializable",
            Variant::Broken => "not_serializable",
        }
    }

    fn is_broken(self) -> bool {
        self == Variant::Broken
    }
}

/// A family of programs.
///
/// ```
/// use ser_generators::families::{Family, Variant};
///
/// let counter = Family::named("counter")?;
/// let source = counter.program(3, Variant::Broken)?;
/// assert!(source.starts_with("// expect: not_serializable\n"));
/// assert!(source.contains("const LIMIT = 3"));
/// # Ok::<(), ser_generators::families::FamilyError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// What it models and what n is, in a line.
    pub summary: &'static str,
    write: Write,
}

/// Why there is no such program.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum FamilyError {
    /// No family has this name.
    #[error("there is no family `{0}`")]
    NoSuchFamily(String),
    /// The parameter is out of range.
    #[error("n = {0} is out of range: it can be {MIN_N} to {MAX_N}")]
    OutOfRange(usize),
}

/// All families, in the order of tables.
pub const ALL: [Family; 22] = [
    family("counter", "a counter from 0 to n, with waiting", counter::write),
    family("spinlock", "a spin lock with a critical section of n pauses", spinlock::write),
    family(
        "two_phase_locking",
        "n items with a lock each, in a ring; a request works on two neighbours",
        two_phase_locking::write,
    ),
    family(
        "bank",
        "n accounts with a lock each; transfers between neighbours, and checks of two",
        bank::write,
    ),
    family("ring", "packets hop around a ring of n switches while the rules change", ring::write),
    family("flip", "listing 1.8: a request waits for n flips of a flag and back", flip::write),
    family(
        "snapshot",
        "a monitor reads n nodes one by one while they are updated",
        snapshot::write,
    ),
    family("modular", "a counter modulo n with a stop", modular::write),
    family("chain", "a change is copied along a chain of n cells", chain::write),
    family(
        "readers_writers",
        "readers and writers of n cells, at most two readers at a time",
        readers_writers::write,
    ),
    family("needle", "requests with arguments up to 5n, of which few pairs matter", needle::write),
    family("auction", "bids from 1 to n, looked at twice", look_again::auction),
    family("consensus", "one of n values is decided on", look_again::consensus),
    family("stock", "n pieces are taken one by one", look_again::stock),
    family("cas", "a counter modulo n with compare and swap", look_again::cas),
    family("registers", "n counters modulo 2 with compare and swap", look_again::registers),
    family(
        "two_counters",
        "two counters modulo n with compare and swap, one after the other",
        look_again::two_counters,
    ),
    family(
        "blind_increments",
        "increments up to n that get lost, and readers",
        unseen::blind_increments,
    ),
    family("unseen", "a counter modulo n that nobody reads", unseen::unseen),
    family("stale", "a stale copy of a number modulo n", stale::refresh),
    family("follower", "a log of n entries is fetched late", stale::follower),
    family("cache", "a cache of one of n values", stale::cache),
];

type Write = fn(usize, Variant) -> String;

const fn family(name: &'static str, summary: &'static str, write: Write) -> Family {
    Family { name, summary, write }
}

impl Family {
    /// The family of this name.
    pub fn named(name: &str) -> Result<Family, FamilyError> {
        let found = ALL.into_iter().find(|family| family.name == name);
        found.ok_or_else(|| FamilyError::NoSuchFamily(name.to_owned()))
    }

    /// The source of a program.
    pub fn program(&self, n: usize, variant: Variant) -> Result<String, FamilyError> {
        if !(MIN_N..=MAX_N).contains(&n) {
            return Err(FamilyError::OutOfRange(n));
        }
        Ok((self.write)(n, variant))
    }

    /// A good name for a program's file.
    pub fn file_name(&self, n: usize, variant: Variant) -> String {
        format!("{}_{n}_{}.ser", self.name, variant.name())
    }
}

/// A program that is being written, line by line.
struct Program {
    text: String,
}

impl Program {
    /// A program that opens with its verdict and a comment.
    fn new(variant: Variant, comment: &str) -> Program {
        let mut text = format!("// expect: {}\n//\n", variant.verdict());
        for line in comment.lines() {
            let line = line.trim();
            let gap = if line.is_empty() { "" } else { " " };
            let _ = writeln!(text, "//{gap}{line}");
        }
        Program { text }
    }

    /// Constants and initial values, one a line, after an empty line.
    fn items(&mut self, items: &[String]) -> &mut Program {
        let _ = write!(self.text, "\n{}\n", items.join("\n"));
        self
    }

    /// A handler with these expressions, one a line, after an empty line.
    fn request(&mut self, signature: &str, body: &[String]) -> &mut Program {
        let body: Vec<String> = body.iter().map(|line| format!("    {line}")).collect();
        let _ = write!(self.text, "\nrequest {signature} {{\n{}\n}}\n", body.join(";\n"));
        self
    }

    fn finish(self) -> String {
        self.text
    }
}

/// Waits for a lock and takes it, in one step.
fn acquire(lock: &str) -> String {
    format!("while ({lock} == 1) {{ yield }};\n    {lock} := 1")
}

/// Gives a lock back.
fn release(lock: &str) -> String {
    format!("{lock} := 0")
}

/// A list of expressions.
macro_rules! body {
    ($($line:expr),* $(,)?) => {
        Vec::from([$($line.to_string()),*])
    };
}
use body;
