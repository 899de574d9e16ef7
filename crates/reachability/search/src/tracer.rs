//! A net, its formula and a solver: asks, and asks again after the net has grown.

use crate::search::Refutation;
use ser_base::{Limits, Stop};
use ser_clausal::Lit;
use ser_reachability_checker::{Evidence, FormulaSize, Stage};
use ser_reachability_model::{
    EncodeError, Encoder, Encoding, Formula, Net, OrderMethod, Sizes, TokenTrace, TransitionId,
    find_cycles,
};
use ser_sat::{Answer, Solver, SolverKind};

/// How to encode and solve.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub encoding: Encoding,
    pub solver: SolverKind,
}

impl From<Encoding> for Options {
    fn from(encoding: Encoding) -> Options {
        Options { encoding, ..Options::default() }
    }
}

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A token trace with one of the targets.
    Sat(TokenTrace),
    /// There is none.
    Unsat {
        /// The growths (by their place in the net) that had to be left out for this answer. If
        /// there is none, it holds however far one unrolls.
        needed: Vec<usize>,
    },
    Unknown(Stop),
}

/// A formula in a solver. New variables and clauses are handed over before each question.
pub(crate) struct Solving {
    pub solver: Box<dyn Solver>,
    variables: usize,
    clauses: usize,
}

impl Solving {
    pub fn new(options: &Options) -> Solving {
        Solving { solver: options.solver.start(), variables: 0, clauses: 0 }
    }

    pub fn solve(&mut self, formula: &Formula, assumptions: &[Lit], limits: &Limits) -> Answer {
        for _ in self.variables..formula.variables() {
            self.solver.new_variable();
        }
        for clause in &formula.clauses()[self.clauses..] {
            self.solver.add_clause(clause);
        }
        (self.variables, self.clauses) = (formula.variables(), formula.clauses().len());
        self.solver.solve(assumptions, limits)
    }
}

/// Encodes a net and its later versions, and solves.
///
/// ```
/// use ser_reachability_model::{ArcKind, Interval, Net, NewTransition};
/// use ser_reachability_search::{Options, Outcome, Tracer};
/// let mut net = Net::default();
/// let p = net.add_place("p", vec![Interval::new(0, 9)], true);
/// let (two, yes) = (net.terms.number(2), net.terms.number(1));
/// let arcs = vec![(ArcKind::Output, p, vec![two])];
/// net.add_transition(NewTransition { name: "init".into(), guard: yes, arcs });
/// let x = net.add_variable("x", Interval::new(0, 9));
/// let arcs = vec![(ArcKind::Test, p, vec![x])];
/// let look = net.add_transition(NewTransition { name: "look".into(), guard: x, arcs });
/// let mut tracer = Tracer::new(Options::default());
/// tracer.extend(&net, &Default::default())?;
/// let Outcome::Sat(trace) = tracer.solve_for(&net, &[look], &Default::default()) else { panic!() };
/// assert_eq!(trace.events.len(), 2);
/// assert!(trace.binding.values().eq(&[2]));
/// # Ok::<(), ser_reachability_model::EncodeError>(())
/// ```
pub struct Tracer {
    order: OrderMethod,
    encoder: Encoder,
    solving: Solving,
    assumptions: Vec<Lit>,
    /// The cycles that were forbidden since the net has grown last.
    cycles: Vec<Vec<TransitionId>>,
}

impl Tracer {
    pub fn new(options: impl Into<Options>) -> Tracer {
        let options: Options = options.into();
        Tracer {
            order: options.encoding.order,
            solving: Solving::new(&options),
            encoder: Encoder::new(options.encoding),
            assumptions: Vec::new(),
            cycles: Vec::new(),
        }
    }

    pub fn formula(&self) -> &Formula {
        self.encoder.formula()
    }

    pub fn solver(&self) -> &dyn Solver {
        &*self.solving.solver
    }

    /// What the last question assumed.
    pub fn assumptions(&self) -> &[Lit] {
        &self.assumptions
    }

    pub fn sizes(&self) -> Sizes {
        self.encoder.sizes()
    }

    /// Encodes what the net has more than at the last call.
    pub fn extend(&mut self, net: &Net, limits: &Limits) -> Result<(), EncodeError> {
        self.cycles.clear();
        self.encoder.extend(net, limits)
    }

    /// One of these transitions has to occur, from now on.
    pub fn require(&mut self, targets: &[TransitionId]) {
        self.encoder.require(targets);
    }

    /// What was added to the formula since the net has grown last: the encoding of these rounds,
    /// and the cycles that were forbidden.
    pub(crate) fn stage(&self, rounds: &[u32]) -> Stage {
        let number = |cycle: &Vec<TransitionId>| cycle.iter().map(|t| t.0).collect();
        Stage { rounds: rounds.to_vec(), cycles: self.cycles.iter().map(number).collect() }
    }

    /// Why the last question has no solution, and what the checker needs to see it, if there is a
    /// proof. Without stages, the net has not grown.
    pub fn refutation(
        &self,
        options: &Options,
        mut stages: Vec<Stage>,
        complete: bool,
    ) -> Option<(Refutation, Evidence)> {
        if stages.is_empty() {
            stages.push(self.stage(&[]));
        }
        // The core, not all assumptions: that no growth was needed is part of the claim.
        let core = self.solver().core();
        let refutation = Refutation::of_formula(self.formula(), &core, self.solver())?;
        let evidence = Evidence::Events {
            encoding: options.encoding.clone(),
            stages,
            complete,
            formula: FormulaSize::of(self.formula()),
            learnt: refutation.learnt.clone(),
        };
        Some((refutation, evidence))
    }

    /// Looks for a token trace of the net as it was at the last [`Tracer::extend`], with what was
    /// required.
    pub fn solve(&mut self, net: &Net, limits: &Limits) -> Outcome {
        self.ask(net, Vec::new(), limits)
    }

    /// Looks for a token trace in which one of these transitions occurs, in this call only.
    pub fn solve_for(&mut self, net: &Net, targets: &[TransitionId], limits: &Limits) -> Outcome {
        match self.encoder.any_occurs(targets) {
            Lit::FALSE => Outcome::Unsat { needed: Vec::new() },
            goal => self.ask(net, vec![goal], limits),
        }
    }

    fn ask(&mut self, net: &Net, goal: Vec<Lit>, limits: &Limits) -> Outcome {
        let not_begun = self.encoder.not_begun();
        self.assumptions = goal;
        self.assumptions.extend(&not_begun);
        loop {
            match self.solving.solve(self.encoder.formula(), &self.assumptions, limits) {
                Answer::Unknown(stop) => return Outcome::Unknown(stop),
                Answer::Unsat => {
                    let core = self.solver().core();
                    let needed = (0..not_begun.len()).filter(|g| core.contains(&not_begun[*g]));
                    return Outcome::Unsat { needed: needed.collect() };
                }
                Answer::Sat => {
                    let solver = &self.solving.solver;
                    let trace = self.encoder.trace(net, &|lit| solver.value(lit));
                    if self.order == OrderMethod::Eliminate || !self.forbid_cycles(net, &trace) {
                        return Outcome::Sat(trace);
                    }
                }
            }
        }
    }

    /// Forbids the cycles among the inequalities that a solution uses; whether there were any.
    ///
    /// It uses those that the trace asks for: makers before readers, testers before takers. Others
    /// may form cycles; nobody needs them.
    fn forbid_cycles(&mut self, net: &Net, trace: &TokenTrace) -> bool {
        let cycles = find_cycles(&trace.precedences(net));
        for cycle in &cycles {
            self.encoder.forbid_cycle(cycle);
        }
        self.cycles.extend(cycles.iter().cloned());
        !cycles.is_empty()
    }
}
