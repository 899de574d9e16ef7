//! The solver by default: BatSat, a MiniSat in Rust.
//!
//! Every clause that it learns is reported to us, among them the last one, which says that the
//! assumptions of the core cannot hold together. Clauses that it forgets are not taken out of the
//! proof: a checker that works backwards skips what was of no use anyway.

use super::{Answer, Lit, Solver};
use batsat::{Callbacks, SolverInterface, lbool};
use ser_base::{Limits, Stop};
use std::cell::{Cell, RefCell};

/// The solver asks before every decision whether to go on; so often is answered without a look at
/// the clock.
const ASKED_BETWEEN_LOOKS: u32 = 256;

struct Watch {
    limits: Limits,
    asked: Cell<u32>,
    stopped: RefCell<Option<Stop>>,
    learnt: Option<Vec<Vec<Lit>>>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        if self.stopped.borrow().is_some() {
            return true;
        }
        let asked = self.asked.get();
        if asked > 0 {
            self.asked.set(asked - 1);
            return false;
        }
        self.asked.set(ASKED_BETWEEN_LOOKS);
        let stop = self.limits.check_clock().err();
        let stops = stop.is_some();
        *self.stopped.borrow_mut() = stop;
        stops
    }

    fn on_new_clause(&mut self, clause: &[batsat::Lit], _: batsat::ClauseKind) {
        if let Some(learnt) = &mut self.learnt {
            learnt.push(clause.iter().map(|lit| ours(*lit)).collect());
        }
    }
}

fn ours(lit: batsat::Lit) -> Lit {
    let positive = Lit::positive(lit.var().idx() as usize);
    if lit.sign() { positive } else { !positive }
}

/// BatSat.
pub struct BatSat {
    solver: batsat::Solver<Watch>,
    variables: Vec<batsat::Var>,
    buffer: Vec<batsat::Lit>,
}

impl BatSat {
    /// Without clauses. Records what it learns if a proof is wanted.
    pub fn new(with_proof: bool) -> BatSat {
        let watch = Watch {
            limits: Limits::default(),
            asked: Cell::new(0),
            stopped: RefCell::new(None),
            learnt: with_proof.then(Vec::new),
        };
        let solver = batsat::Solver::new(batsat::SolverOpts::default(), watch);
        BatSat { solver, variables: Vec::new(), buffer: Vec::new() }
    }

    /// With so many variables and these clauses.
    pub fn solving(variables: usize, clauses: &[Vec<Lit>]) -> BatSat {
        let mut solver = BatSat::new(false);
        for _ in 0..variables {
            solver.new_variable();
        }
        clauses.iter().for_each(|clause| solver.add_clause(clause));
        solver
    }

    /// A variable that is false wherever the solver has the choice, also if it was true before.
    pub fn new_reluctant_variable(&mut self) -> Lit {
        self.variables.push(self.solver.new_var(lbool::FALSE, true));
        Lit::positive(self.variables.len() - 1)
    }

    fn theirs(&self, lit: Lit) -> batsat::Lit {
        batsat::Lit::new(self.variables[lit.variable()], lit.is_positive())
    }
}

impl Solver for BatSat {
    fn new_variable(&mut self) -> Lit {
        self.variables.push(self.solver.new_var_default());
        Lit::positive(self.variables.len() - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(clause.iter().map(|lit| self.theirs(*lit)));
        self.solver.add_clause_reuse(&mut buffer);
        self.buffer = buffer;
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        let assumptions: Vec<batsat::Lit> =
            assumptions.iter().map(|lit| self.theirs(*lit)).collect();
        let watch = self.solver.cb_mut();
        watch.limits = limits.clone();
        watch.asked.set(0);
        watch.stopped.replace(None);
        let answer = self.solver.solve_limited(&assumptions);
        if answer == lbool::TRUE {
            Answer::Sat
        } else if answer == lbool::FALSE {
            Answer::Unsat
        } else {
            let stopped = self.solver.cb().stopped.borrow().clone();
            Answer::Unknown(stopped.unwrap_or(Stop::Cancelled))
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(self.theirs(lit)) == lbool::TRUE
    }

    fn core(&self) -> Vec<Lit> {
        // It hands over the clause that it has learnt last: the opposites of the assumptions.
        let clause = self.solver.unsat_core().iter();
        let mut core: Vec<Lit> = clause.map(|lit| !ours(*lit)).collect();
        core.sort_unstable();
        core
    }

    fn learnt(&self) -> Option<&[Vec<Lit>]> {
        self.solver.cb().learnt.as_deref()
    }

    fn name(&self) -> &'static str {
        "batsat"
    }
}
