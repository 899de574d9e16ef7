//! CaDiCaL, behind the feature `cadical`: faster on hard formulas, and a second opinion.
//!
//! Its clauses can be learnt in ways that unit propagation does not follow (it eliminates
//! variables, for example), and its crate does not hand over its proofs, so there are none from
//! here.

use super::{Answer, Lit, Solver};
use ser_base::{Limits, Stop};

struct Watch {
    limits: Limits,
    stopped: Option<Stop>,
}

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.limits.check_clock().err();
        }
        self.stopped.is_some()
    }
}

/// CaDiCaL.
pub struct CaDiCaL {
    solver: cadical::Solver<Watch>,
    variables: usize,
    core: Vec<Lit>,
}

impl CaDiCaL {
    /// Without clauses.
    #[allow(clippy::new_without_default, reason = "a solver is started on purpose")]
    pub fn new() -> CaDiCaL {
        CaDiCaL { solver: cadical::Solver::new(), variables: 0, core: Vec::new() }
    }
}

impl Solver for CaDiCaL {
    fn new_variable(&mut self) -> Lit {
        self.variables += 1;
        Lit::positive(self.variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause.iter().map(|lit| lit.dimacs()));
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        if let Err(stop) = limits.check_clock() {
            return Answer::Unknown(stop);
        }
        self.solver.set_callbacks(Some(Watch { limits: limits.clone(), stopped: None }));
        match self.solver.solve_with(assumptions.iter().map(|lit| lit.dimacs())) {
            Some(true) => Answer::Sat,
            Some(false) => {
                let failed = assumptions.iter().filter(|lit| self.solver.failed(lit.dimacs()));
                self.core = failed.copied().collect();
                self.core.sort_unstable();
                Answer::Unsat
            }
            None => {
                let stopped = self.solver.get_callbacks().and_then(|watch| watch.stopped.clone());
                Answer::Unknown(stopped.unwrap_or(Stop::Cancelled))
            }
        }
    }

    fn value(&self, lit: Lit) -> bool {
        // A variable that no clause mentions is unknown to it.
        lit.variable() < usize::try_from(self.solver.max_variable()).unwrap_or(0)
            && self.solver.value(lit.dimacs()) == Some(true)
    }

    fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }

    fn learnt(&self) -> Option<&[Vec<Lit>]> {
        None
    }

    fn name(&self) -> &'static str {
        "cadical"
    }
}
