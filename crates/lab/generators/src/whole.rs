//! Random programs of the whole language: types, arrays, records, enumerations, tuples, functions,
//! locks, loops that are left early, `match`, `assert`.
//!
//! They are well typed by construction and have few states, and apart from that everything stands
//! everywhere: `yield` in operands, indices and arguments, `return` and `abort` in functions and
//! under locks, values that leave their ranges, indices that do not exist, division by 0. Numbers
//! without a range are only assigned what cannot grow.
//!
//! ```
//! use ser_generators::whole;
//! let text = whole::program(7);
//! assert_eq!(text, whole::program(7));
//! assert!(!ser_syntax::parse(&text).has_errors());
//! ```

mod expressions;
mod statements;
mod world;

use fastrand::Rng;
use std::fmt::Write as _;
use world::World;

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x0077_686f_6c65);
    let world = World::random(&mut rng);
    let mut text = world.declarations();
    let mut writer = Writer {
        rng,
        world,
        fuel: 0,
        locals: Vec::new(),
        around: Vec::new(),
        named: 0,
        named_function: 0,
        held: Vec::new(),
        locks: Vec::new(),
        with_truths: false,
    };
    for at in 0..writer.world.functions.len() {
        let function = writer.function(at);
        text.push_str(&function);
    }
    for at in 0..writer.rng.usize(1..=3) {
        let request = writer.request(at);
        let _ = writeln!(text, "{request}");
    }
    text
}

/// What a value may be.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// Any number.
    Int,
    /// A number of a range.
    Range(i64, i64),
    Bool,
    /// What comparisons give: a number or a `bool`, whichever is needed.
    Truth,
    Enum(usize),
    Record(usize),
    /// Elements, and what they are counted by.
    Array(Box<Kind>, Box<Kind>),
    Tuple(Vec<Kind>),
}

impl Kind {
    fn is_number(&self) -> bool {
        matches!(self, Kind::Int | Kind::Range(..))
    }

    /// Whether what has this kind may stand where that is wanted.
    fn fits(&self, wanted: &Kind) -> bool {
        match (self, wanted) {
            (Kind::Array(k, a), Kind::Array(l, b)) => k == l && a.fits(b),
            (Kind::Tuple(a), Kind::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.fits(b))
            }
            _ => self == wanted || self.is_number() && wanted.is_number(),
        }
    }
}

/// What is around the place that is being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Around {
    Loop,
    /// A loop cannot be left from inside a function's argument, but `return` means another thing.
    Function,
}

/// A local variable that may be read here, and whether it may be assigned.
#[derive(Clone, Debug)]
struct Local {
    name: String,
    kind: Kind,
    is_fixed: bool,
}

/// Writes handlers and functions.
struct Writer {
    rng: Rng,
    world: World,
    /// How much more may be written in this handler.
    fuel: usize,
    locals: Vec<Local>,
    around: Vec<Around>,
    /// How many names were made up.
    named: usize,
    /// Which function is being written, if it is one.
    named_function: usize,
    /// Locks that are held here.
    held: Vec<&'static str>,
    /// Locks that the function takes.
    locks: Vec<&'static str>,
    with_truths: bool,
}

impl Writer {
    fn chance(&mut self, percent: u32) -> bool {
        crate::chance(&mut self.rng, percent)
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(..list.len())].clone()
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.named += 1;
        format!("{letter}{}", self.named)
    }
}
