//! Literals, numbered as in the DIMACS format.

/// A literal: a variable or its negation. Numbers as in the DIMACS format: never 0, negative if
/// negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(i32);

impl Lit {
    /// The first variable, where it is kept for the constant: true.
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    /// The literal of a variable, counted from 0.
    pub fn positive(variable: usize) -> Lit {
        Lit(i32::try_from(variable + 1).expect("memory ends before"))
    }

    /// From a number as in the DIMACS format.
    pub fn from_dimacs(number: i32) -> Option<Lit> {
        (number != 0 && number != i32::MIN).then_some(Lit(number))
    }

    /// The number as in the DIMACS format.
    pub fn dimacs(self) -> i32 {
        self.0
    }

    /// Its variable, counted from 0.
    pub fn variable(self) -> usize {
        self.0.unsigned_abs() as usize - 1
    }

    /// Whether it is not negated.
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}
