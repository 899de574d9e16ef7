//! What is known on the way down a tree of cases: the state equation, and one hypothesis more for
//! every branch taken.

use super::tree::Phase;
use ser_arith::{Linear, Ratio, Simplex, Var};
use ser_net::Net;

/// What is known on the way down one tree.
pub(super) struct Scope {
    pub simplex: Simplex,
    /// The global state in which the runs of this case end, if it is known.
    pub end: Option<u32>,
    /// All variables; they are integers.
    pub vars: Vec<Var>,
    /// How many of them, the first ones, count something.
    pub counts: usize,
    pub next_hypothesis: usize,
    pub next_var: u32,
    /// Divisions of the run: hypothesis, transition, and what belongs to it.
    pub phases: Vec<(usize, usize, Phase)>,
}

impl Scope {
    /// Runs that end in one global state, or anywhere: then there is no less than nothing left of
    /// each.
    pub fn new(net: &Net, end: Option<u32>, pivots: usize) -> Scope {
        let mut scope = Scope::free(net.transitions.len(), pivots);
        let rows = net.global_count + net.places.len();
        let mut forms: Vec<Linear> = vec![Linear::zero(); rows];
        let mut add = |row: usize, factor: i64, form: Linear| {
            forms[row] = forms[row].plus_scaled(&Ratio::from(factor), &form);
        };
        for (i, t) in net.transitions.iter().enumerate() {
            let x = || Linear::var(Var(i as u32));
            add(t.before.index(), -1, x());
            add(t.after.index(), 1, x());
            if let Some(p) = t.takes {
                add(net.global_count + p.index(), -1, x());
            }
            if let Some(p) = t.gives() {
                add(net.global_count + p.index(), 1, x());
            }
        }
        add(net.initial.index(), 1, Linear::constant(1));
        if let Some(end) = end {
            add(end as usize, -1, Linear::constant(1));
        }
        for (row, form) in forms.iter().enumerate() {
            match form.is_zero() {
                true => {}
                false if end.is_none() && row < net.global_count => {
                    scope.simplex.assert_ge(row, form);
                }
                false => scope.simplex.assert_eq(row, form),
            }
        }
        (scope.end, scope.next_hypothesis) = (end, rows);
        scope
    }

    /// Counts that nothing is known about.
    pub fn free(counts: usize, pivots: usize) -> Scope {
        let mut simplex = Simplex::with_limit(pivots);
        let vars: Vec<Var> = (0..counts as u32).map(Var).collect();
        for var in &vars {
            simplex.declare(*var, true);
        }
        let next_var = counts as u32;
        let (next_hypothesis, phases) = (0, Vec::new());
        Scope { simplex, end: None, vars, counts, next_hypothesis, next_var, phases }
    }

    pub fn equalities(&self) -> Vec<(usize, Linear)> {
        self.simplex.equalities().map(|(id, form)| (id, form.clone())).collect()
    }

    /// Something that holds in one branch only.
    pub fn branch<T>(
        &mut self,
        assume: impl FnOnce(&mut Simplex),
        body: impl FnOnce(&mut Scope) -> T,
    ) -> T {
        self.simplex.push();
        assume(&mut self.simplex);
        let result = body(self);
        self.simplex.pop();
        result
    }

    /// How often transition `i` fires in the first part of a phase.
    pub fn first(&self, transition: usize, phase: Phase, i: usize) -> Linear {
        let all = Linear::var(Var(i as u32));
        if i == transition {
            return all - Linear::constant(1);
        }
        all - self.second(transition, phase, i)
    }

    /// How often transition `i` fires in the second part of a phase.
    pub fn second(&self, transition: usize, phase: Phase, i: usize) -> Linear {
        if i == transition { Linear::zero() } else { Linear::var(Var(phase.first_var + i as u32)) }
    }

    /// Supposes that a transition fires, and divides the run at its last occurrence.
    pub fn divide(&mut self, net: &Net, transition: usize, phase: Phase) {
        let count = net.transitions.len();
        for i in (0..count).filter(|i| *i != transition) {
            self.simplex.declare(Var(phase.first_var + i as u32), true);
        }
        let mut marking: Vec<Linear> = vec![Linear::zero(); net.global_count + net.places.len()];
        let mut add = |row: usize, factor: i64, form: &Linear| {
            marking[row] = marking[row].plus_scaled(&Ratio::from(factor), form);
        };
        for (i, t) in net.transitions.iter().enumerate() {
            let fires = self.first(transition, phase, i);
            self.simplex.assert_ge(phase.first_hypothesis + i, &fires);
            add(t.before.index(), -1, &fires);
            add(t.after.index(), 1, &fires);
            if let Some(p) = t.takes {
                add(net.global_count + p.index(), -1, &fires);
            }
            if let Some(p) = t.gives() {
                add(net.global_count + p.index(), 1, &fires);
            }
        }
        let last = &net.transitions[transition];
        add(net.initial.index(), 1, &Linear::constant(1));
        add(last.before.index(), -1, &Linear::constant(1));
        if let Some(p) = last.takes {
            add(net.global_count + p.index(), -1, &Linear::constant(1));
        }
        for (row, form) in marking.iter().enumerate() {
            let id = phase.first_hypothesis + count + row;
            match form.is_zero() {
                true => {}
                false if row < net.global_count => self.simplex.assert_eq(id, form),
                false => self.simplex.assert_ge(id, form),
            }
        }
    }
}
