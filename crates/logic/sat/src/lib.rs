//! What is asked of a SAT solver, and nothing more.
//!
//! A formula is a growing list of clauses. It is solved under *assumptions*: literals that hold for
//! one call only. If there is no solution, the solver names assumptions that were enough for that
//! (its *core*), and can hand over the clauses that it has learnt on the way: each follows from
//! those before it by unit propagation, the last one contradicts the assumptions. That list is a
//! proof, which somebody else can check.
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
pub use ser_clausal::Lit;

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
    /// A new variable, as its positive literal. Variables are numbered from 0 in the order of these
    /// calls.
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
    /// A new solver of this kind; it records what it learns if it can.
    pub fn start(self) -> Box<dyn Solver> {
        match self {
            SolverKind::BatSat => Box::new(BatSat::new(true)),
            #[cfg(feature = "cadical")]
            SolverKind::CaDiCaL => Box::new(CaDiCaL::new()),
        }
    }
}

#[cfg(test)]
mod tests;
