//! What is asked of a SAT solver, and nothing more.
//!
//! A formula is a growing list of clauses. It is solved under *assumptions*: literals that hold for one call
//! only. If there is no solution, the solver names assumptions that were enough for that (its *core*),
//! and can hand over the clauses that it has learnt on the way: each follows from those before it by unit
//! propagation, the last one contradicts the assumptions. That list is a proof, which somebody else
//! can check.
//!
//! Solvers are deterministic here: the same calls give the same answers and the same models.

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;
mod dimacs;

pub use self::batsat::BatSat;
#[cfg(feature = "cadical")]
pub use self::cadical::CaDiCaL;
pub use self::dimacs::{write_dimacs, write_drat};

use ser_base::{Limits, Stop};

/// A literal: a variable or its negation. Numbers as in the DIMACS format: never 0, negative if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(i32);

impl Lit {
    /// The first variable, where it is kept for the constant: true.
    pub const TRUE: Lit = Lit(1);
    /// And this is false.
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

/// What a solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a solution: see [`Solver::value`].
    Sat,
    /// There is none: see [`Solver::core`].
    Unsat,
    /// It was stopped.
    Unknown(Stop),
}

/// A SAT solver.
///
/// ```
/// use ser_sat::{Answer, BatSat, Solver};
/// let mut solver = BatSat::new(false);
/// let (a, b) = (solver.new_variable(), solver.new_variable());
/// solver.add_clause(&[a, b]);
/// assert_eq!(solver.solve(&[!a], &Default::default()), Answer::Sat);
/// assert!(solver.value(b));
/// solver.add_clause(&[!b]);
/// assert_eq!(solver.solve(&[b, !a], &Default::default()), Answer::Unsat);
/// assert_eq!(solver.core(), [b]); // without it, there would be a solution
/// ```
pub trait Solver {
    /// A new variable, as its positive literal. Variables are numbered from 0 in the order of these calls.
    fn new_variable(&mut self) -> Lit;

    /// One more clause.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Looks for a solution in which all assumptions hold.
    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer;

    /// The value of a literal in the solution, after [`Answer::Sat`].
    fn value(&self, lit: Lit) -> bool;

    /// Assumptions that have no solution together, after [`Answer::Unsat`]; sorted.
    fn core(&self) -> Vec<Lit>;

    /// All clauses learnt since the beginning, if they were recorded.
    fn learnt(&self) -> Option<&[Vec<Lit>]>;

    /// For people.
    fn name(&self) -> &'static str;
}

/// Which solver to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverKind {
    /// BatSat: in Rust, with proofs.
    #[default]
    BatSat,
    /// CaDiCaL: in C++, without proofs.
    #[cfg(feature = "cadical")]
    CaDiCaL,
}

impl SolverKind {
    /// A new solver of this kind; it records what it learns if that is wanted and it can.
    pub fn start(self, with_proof: bool) -> Box<dyn Solver> {
        match self {
            SolverKind::BatSat => Box::new(BatSat::new(with_proof)),
            #[cfg(feature = "cadical")]
            SolverKind::CaDiCaL => Box::new(CaDiCaL::new()),
        }
    }
}

#[cfg(test)]
mod tests;
