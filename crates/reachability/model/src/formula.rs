//! A formula as it is built: literals with constants, gates, clauses, and counters.
//!
//! Variable 0 is true. Gates fold constants and equal or opposite operands, and a gate that was
//! made before is not made again, so that what remains for the solver is what is really undecided.
//! Every gate is defined in both directions (Tseitin): its literal can be used with either sign.

use rustc_hash::FxHashMap;
use ser_clausal::Lit;

/// What a variable or clause is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Values: variables, terms, guards, equal values at both ends of a link.
    Data,
    /// Who occurs, and whose tokens are read.
    Links,
    /// A token is consumed once, and not read afterwards.
    Consumption,
    /// Symbols and triangles of the order.
    Order,
    /// Tokens of copies that are not there yet.
    Growth,
}

/// All parts.
pub const PARTS: [Part; 5] =
    [Part::Data, Part::Links, Part::Consumption, Part::Order, Part::Growth];

/// How large a formula is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    pub variables: usize,
    pub clauses: usize,
    /// Literals in clauses.
    pub literals: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Xor3(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
    Choice(Lit, Lit, Lit),
}

/// A formula that is built clause by clause.
#[derive(Clone, Debug)]
pub struct Formula {
    variables: usize,
    gates: FxHashMap<Gate, Lit>,
    /// Conjunctions of more than two, sorted.
    wide: FxHashMap<Vec<Lit>, Lit>,
    part: Part,
    counts: [Count; PARTS.len()],
    clauses: Vec<Vec<Lit>>,
    buffer: Vec<Lit>,
}

/// Always true.
pub const TRUE: Lit = Lit::TRUE;

/// Always false.
pub const FALSE: Lit = Lit::FALSE;

impl Default for Formula {
    fn default() -> Formula {
        let mut formula = Formula {
            variables: 0,
            gates: FxHashMap::default(),
            wide: FxHashMap::default(),
            part: Part::Data,
            counts: [Count::default(); PARTS.len()],
            clauses: Vec::new(),
            buffer: Vec::new(),
        };
        let first = formula.new_lit();
        debug_assert_eq!(first, TRUE);
        formula.push(&[first]);
        formula
    }
}

impl Formula {
    /// What the next variables and clauses are for.
    pub fn set_part(&mut self, part: Part) -> Part {
        std::mem::replace(&mut self.part, part)
    }

    /// How much there is for one purpose.
    pub fn count(&self, part: Part) -> Count {
        self.counts[part as usize]
    }

    pub fn variables(&self) -> usize {
        self.variables
    }

    pub fn clauses(&self) -> &[Vec<Lit>] {
        &self.clauses
    }

    /// A new variable.
    pub fn new_lit(&mut self) -> Lit {
        self.variables += 1;
        self.counts[self.part as usize].variables += 1;
        Lit::positive(self.variables - 1)
    }

    /// At least one of these.
    pub fn clause(&mut self, lits: &[Lit]) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend_from_slice(lits);
        buffer.sort_unstable_by_key(|lit| (lit.variable(), lit.is_positive()));
        buffer.dedup();
        buffer.retain(|lit| *lit != FALSE);
        let holds = buffer.contains(&TRUE) || buffer.windows(2).any(|pair| pair[0] == !pair[1]);
        if !holds {
            self.push(&buffer);
        }
        self.buffer = buffer;
    }

    fn push(&mut self, clause: &[Lit]) {
        let count = &mut self.counts[self.part as usize];
        count.clauses += 1;
        count.literals += clause.len();
        self.clauses.push(clause.to_vec());
    }

    /// At most one of these, in linear size (section 4 of the paper).
    pub fn at_most_one(&mut self, lits: &[Lit]) {
        let mut before = FALSE;
        for lit in lits.iter().copied().filter(|lit| *lit != FALSE) {
            self.clause(&[!before, !lit]);
            let some = if before == FALSE { lit } else { self.new_lit() };
            self.implies(before, some);
            self.implies(lit, some);
            before = some;
        }
    }

    /// How many variables and clauses there are.
    pub fn size(&self) -> (usize, usize) {
        (self.variables, self.counts.iter().map(|count| count.clauses).sum())
    }

    /// If the first then the second.
    pub fn implies(&mut self, a: Lit, b: Lit) {
        self.clause(&[!a, b]);
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(lit) = self.gates.get(&gate) {
            return *lit;
        }
        let out = self.new_lit();
        match gate {
            Gate::And(a, b) => {
                self.push(&[!out, a]);
                self.push(&[!out, b]);
                self.push(&[out, !a, !b]);
            }
            Gate::Xor(a, b) => {
                self.push(&[!out, a, b]);
                self.push(&[!out, !a, !b]);
                self.push(&[out, !a, b]);
                self.push(&[out, a, !b]);
            }
            Gate::Xor3(a, b, c) => {
                for (a, b) in [(a, b), (!a, !b)] {
                    self.push(&[!out, a, b, c]);
                    self.push(&[!out, a, !b, !c]);
                    self.push(&[out, !a, b, c]);
                    self.push(&[out, !a, !b, !c]);
                }
            }
            Gate::Majority(a, b, c) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.push(&[out, !x, !y]);
                    self.push(&[!out, x, y]);
                }
            }
            Gate::Choice(condition, yes, no) => {
                self.push(&[!out, !condition, yes]);
                self.push(&[out, !condition, !yes]);
                self.push(&[!out, condition, no]);
                self.push(&[out, condition, !no]);
                // Not needed, but they propagate when the condition is open.
                self.push(&[!out, yes, no]);
                self.push(&[out, !yes, !no]);
            }
        }
        self.gates.insert(gate, out);
        out
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (FALSE, _) | (_, FALSE) => FALSE,
            (TRUE, x) | (x, TRUE) => x,
            _ if a == b => a,
            _ if a == !b => FALSE,
            _ => self.gate(Gate::And(a.min(b), a.max(b))),
        }
    }

    /// At least one.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exactly one.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (FALSE, x) | (x, FALSE) => x,
            (TRUE, x) | (x, TRUE) => !x,
            _ if a == b => FALSE,
            _ if a == !b => TRUE,
            _ => {
                // Signs go outside, so that there is one gate for all four.
                let flips = a.is_positive() != b.is_positive();
                let (a, b) = (positive(a), positive(b));
                let out = self.gate(Gate::Xor(a.min(b), a.max(b)));
                if flips { !out } else { out }
            }
        }
    }

    /// An odd number of them.
    pub fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut sorted = [a, b, c];
        sorted.sort_unstable_by_key(|lit| (lit.variable(), lit.is_positive()));
        let [a, b, c] = sorted;
        if a.variable() == b.variable() || a.variable() == TRUE.variable() {
            let two = self.xor(a, b);
            return self.xor(two, c);
        }
        if b.variable() == c.variable() {
            let two = self.xor(b, c);
            return self.xor(two, a);
        }
        let odd = [a, b, c].iter().filter(|lit| !lit.is_positive()).count() % 2 == 1;
        let out = self.gate(Gate::Xor3(positive(a), positive(b), positive(c)));
        if odd { !out } else { out }
    }

    /// At least two of them.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut sorted = [a, b, c];
        sorted.sort_unstable_by_key(|lit| (lit.variable(), lit.is_positive()));
        let [a, b, c] = sorted;
        match a {
            TRUE => return self.or(b, c),
            FALSE => return self.and(b, c),
            _ => {}
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        self.gate(Gate::Majority(a, b, c))
    }

    /// If the first then the second, otherwise the third.
    pub fn choice(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        match condition {
            TRUE => return yes,
            FALSE => return no,
            _ => {}
        }
        if yes == no {
            return yes;
        }
        if yes == !no {
            return !self.xor(condition, yes);
        }
        if yes == TRUE || yes == condition {
            return self.or(condition, no);
        }
        if yes == FALSE || yes == !condition {
            return self.and(!condition, no);
        }
        if no == TRUE || no == !condition {
            return self.or(!condition, yes);
        }
        if no == FALSE || no == condition {
            return self.and(condition, yes);
        }
        if !condition.is_positive() {
            return self.choice(!condition, no, yes);
        }
        self.gate(Gate::Choice(condition, yes, no))
    }

    /// All of them.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != TRUE).collect();
        lits.sort_unstable_by_key(|lit| (lit.variable(), lit.is_positive()));
        lits.dedup();
        if lits.contains(&FALSE) || lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return FALSE;
        }
        match lits.as_slice() {
            [] => TRUE,
            [one] => *one,
            [a, b] => self.and(*a, *b),
            _ => {
                if let Some(out) = self.wide.get(&lits) {
                    return *out;
                }
                let out = self.new_lit();
                let mut long = vec![out];
                for lit in &lits {
                    self.push(&[!out, *lit]);
                    long.push(!*lit);
                }
                self.push(&long);
                self.wide.insert(lits, out);
                out
            }
        }
    }

    /// At least one of them.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
        !self.all(&negated)
    }
}

fn positive(lit: Lit) -> Lit {
    if lit.is_positive() { lit } else { !lit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Limits;
    use ser_sat::{Answer, BatSat, Solver};

    /// Every gate on every combination of two variables, their negations and the constants.
    #[test]
    fn gates_compute_what_they_are_called() {
        let mut formula = Formula::default();
        let (x, y, z) = (formula.new_lit(), formula.new_lit(), formula.new_lit());
        let operands = [TRUE, FALSE, x, !x, y, !y, z, !z];
        type Function = fn(bool, bool, bool) -> bool;
        let mut gates: Vec<(Lit, [Lit; 3], Function)> = Vec::new();
        for a in operands {
            for b in operands {
                for c in operands {
                    let o = [a, b, c];
                    gates.push((formula.and(a, b), o, |a, b, _| a && b));
                    gates.push((formula.or(a, b), o, |a, b, _| a || b));
                    gates.push((formula.xor(a, b), o, |a, b, _| a != b));
                    gates.push((formula.xor3(a, b, c), o, |a, b, c| a ^ b ^ c));
                    gates.push((formula.majority(a, b, c), o, |a, b, c| a && b || c && (a || b)));
                    gates.push((formula.choice(a, b, c), o, |a, b, c| if a { b } else { c }));
                    gates.push((formula.all(&o), o, |a, b, c| a && b && c));
                    gates.push((formula.any(&o), o, |a, b, c| a || b || c));
                }
            }
        }
        let mut solver = BatSat::solving(formula.variables(), formula.clauses());
        for inputs in 0..8 {
            let assumptions: Vec<Lit> = [x, y, z]
                .into_iter()
                .enumerate()
                .map(|(i, lit)| if inputs >> i & 1 == 1 { lit } else { !lit })
                .collect();
            let answer = solver.solve(&assumptions, &Limits::default());
            assert_eq!(answer, Answer::Sat);
            let value = |lit: Lit| solver.value(lit);
            for (out, [a, b, c], function) in &gates {
                let expected = function(value(*a), value(*b), value(*c));
                assert_eq!(value(*out), expected, "{a:?} {b:?} {c:?}");
            }
        }
    }

    #[test]
    fn equal_gates_are_made_once() {
        let mut formula = Formula::default();
        let (x, y, z) = (formula.new_lit(), formula.new_lit(), formula.new_lit());
        let and = formula.and(x, y);
        let (xor, all) = (formula.xor(!x, y), formula.all(&[x, y, z]));
        let before = formula.variables();
        assert_eq!(formula.and(y, x), and);
        assert_eq!(formula.xor(y, x), !xor);
        assert_eq!(formula.all(&[z, y, x, x]), all);
        assert_eq!(formula.variables(), before);
    }

    #[test]
    fn clauses_that_hold_are_not_added() {
        let mut formula = Formula::default();
        let x = formula.new_lit();
        let before = formula.clauses().len();
        formula.clause(&[x, !x]);
        formula.clause(&[TRUE, x]);
        assert_eq!(formula.clauses().len(), before);
        formula.clause(&[x, FALSE, x]);
        assert_eq!(formula.clauses().last(), Some(&vec![x]));
    }
}
