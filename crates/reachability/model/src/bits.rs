//! Terms as circuits over bits.
//!
//! A number is a list of bits, lowest first, and a sign that goes on forever above them: constantly
//! false where the interval of the term has no negative numbers, the highest bit otherwise (two's
//! complement). How many bits there are comes from the interval. The circuits calculate modulo the
//! power of two of that width, which is exact because the true value lies in the interval.
//!
//! Nothing here calls itself: terms can be thousands of operators deep. A term stands behind its
//! operands in the arena, so going through the needed terms in the order of the arena is enough.

use crate::formula::{FALSE, Formula, TRUE};
use crate::ids::VariableId;
use crate::term::{Interval, Node, Term, Terms};
use rustc_hash::FxHashSet;
use ser_clausal::Lit;
use ser_syntax::core::{BinaryOp, UnaryOp};

/// A number as literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    bits: Vec<Lit>,
    sign: Lit,
}

impl Number {
    pub fn constant(value: i64) -> Number {
        let width = width(Interval::only(value));
        let bits = (0..width).map(|i| if value >> i & 1 == 1 { TRUE } else { FALSE }).collect();
        Number { bits, sign: if value < 0 { TRUE } else { FALSE } }
    }

    /// Bits for any number of an interval, and perhaps some more.
    pub fn fresh(formula: &mut Formula, interval: Interval) -> Number {
        if interval.is_single() {
            return Number::constant(interval.low);
        }
        let bits = (0..width(interval)).map(|_| formula.new_lit()).collect();
        Number::shaped(bits, interval)
    }

    /// Holds it to an interval.
    pub fn hold(&self, formula: &mut Formula, interval: Interval) {
        self.within(formula, TRUE, interval);
    }

    /// Holds it to an interval where `condition` is true.
    pub fn within(&self, formula: &mut Formula, condition: Lit, interval: Interval) {
        let (low, high) = (Number::constant(interval.low), Number::constant(interval.high));
        let below = less(formula, self, &low);
        let above = less(formula, &high, self);
        formula.implies(condition, !below);
        formula.implies(condition, !above);
    }

    /// Makes it equal to another where `condition` is true.
    pub fn equals(&self, formula: &mut Formula, condition: Lit, other: &Number) {
        for position in positions(self, other) {
            let (a, b) = (self.bit(position), other.bit(position));
            formula.clause(&[!condition, !a, b]);
            formula.clause(&[!condition, a, !b]);
        }
    }

    /// A truth value as a number.
    pub fn truth(lit: Lit) -> Number {
        Number { bits: vec![lit], sign: FALSE }
    }

    /// Bits of two's complement.
    fn wide(bits: Vec<Lit>) -> Number {
        let sign = bits.last().copied().unwrap_or(FALSE);
        Number { bits, sign }
    }

    /// The bits of a term whose values lie in `interval`.
    fn shaped(bits: Vec<Lit>, interval: Interval) -> Number {
        let sign = match (interval.low < 0, bits.last()) {
            (true, Some(highest)) => *highest,
            _ => FALSE,
        };
        Number { bits, sign }
    }

    /// The bit at a position, however high.
    pub fn bit(&self, position: usize) -> Lit {
        self.bits.get(position).copied().unwrap_or(self.sign)
    }

    /// How many bits differ from the sign at most.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// Its value, given the values of literals.
    pub fn value(&self, value: &dyn Fn(Lit) -> bool) -> i64 {
        let mut number = if value(self.sign) { -1i64 << self.bits.len().min(62) } else { 0 };
        for (i, bit) in self.bits.iter().enumerate() {
            number |= i64::from(value(*bit)) << i;
        }
        number
    }
}

/// How many bits the numbers of an interval need, with one for the sign if there are negative ones.
fn width(interval: Interval) -> usize {
    let unsigned = |value: i64| 64 - value.max(0).leading_zeros() as usize;
    match interval.low < 0 {
        false => unsigned(interval.high),
        true => unsigned(interval.high).max(unsigned(!interval.low)) + 1,
    }
}

/// The circuits made so far.
#[derive(Default)]
pub struct Bits {
    terms: Vec<Option<Number>>,
    variables: Vec<Option<Number>>,
}

impl Bits {
    /// Makes a variable, if it is not there yet. It is held to its interval if `bounded`; otherwise
    /// somebody else has to see to that.
    pub fn variable(
        &mut self,
        formula: &mut Formula,
        variable: VariableId,
        interval: Interval,
        bounded: bool,
    ) {
        if self.variables.len() <= variable.index() {
            self.variables.resize(variable.index() + 1, None);
        }
        if self.variables[variable.index()].is_some() {
            return;
        }
        let number = Number::fresh(formula, interval);
        if bounded {
            number.hold(formula, interval);
        }
        self.variables[variable.index()] = Some(number);
    }

    /// Lets a variable be a number that is there already.
    pub fn bind(&mut self, variable: VariableId, number: Number) {
        if self.variables.len() <= variable.index() {
            self.variables.resize(variable.index() + 1, None);
        }
        self.variables[variable.index()] = Some(number);
    }

    /// The value that a solution gives to a variable that was made.
    pub fn value(&self, variable: VariableId, value: &dyn Fn(Lit) -> bool) -> Option<i64> {
        self.variables.get(variable.index())?.as_ref().map(|number| number.value(value))
    }

    /// The circuit of a term. Its variables have to be there.
    pub fn number(&mut self, formula: &mut Formula, terms: &Terms, term: Term) -> Number {
        if self.terms.len() < terms.len() {
            self.terms.resize(terms.len(), None);
        }
        // Operands are shared: whoever came to a term on every way would come exponentially often.
        let mut needed = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if self.terms[term.index()].is_some() || !needed.insert(term) {
                continue;
            }
            match terms.node(term) {
                Node::Number(_) | Node::Variable(_) => {}
                Node::Unary(_, operand) => open.push(operand),
                Node::Binary(_, left, right) => open.extend([left, right]),
                Node::Choice(condition, yes, no) => open.extend([condition, yes, no]),
            }
        }
        let mut needed: Vec<Term> = needed.into_iter().collect();
        needed.sort_unstable();
        for term in needed {
            let number = self.make(formula, terms, term);
            self.terms[term.index()] = Some(number);
        }
        self.made(term)
    }

    /// Whether a term is not 0, as a literal.
    pub fn truth(&mut self, formula: &mut Formula, terms: &Terms, term: Term) -> Lit {
        let number = self.number(formula, terms, term);
        truth(formula, &number)
    }

    /// Whether a term is not 0 where `condition` holds, as clauses. Conjunctions come apart.
    pub fn require(&mut self, formula: &mut Formula, terms: &Terms, condition: Lit, term: Term) {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::Binary(BinaryOp::And, left, right) = terms.node(term) {
                open.extend([right, left]);
            } else {
                let holds = self.truth(formula, terms, term);
                formula.implies(condition, holds);
            }
        }
    }

    fn made(&self, term: Term) -> Number {
        self.terms[term.index()].clone().expect("operands stand before their operators")
    }

    fn make(&self, formula: &mut Formula, terms: &Terms, term: Term) -> Number {
        let interval = terms.interval(term);
        let width = width(interval);
        match terms.node(term) {
            Node::Number(value) => Number::constant(value),
            Node::Variable(variable) => {
                self.variables[variable.index()].clone().expect("variables are made first")
            }
            Node::Unary(UnaryOp::Not, operand) => {
                let holds = truth(formula, &self.made(operand));
                Number::truth(!holds)
            }
            Node::Unary(UnaryOp::Negate, operand) => {
                let bits = add(formula, &Number::constant(0), &self.made(operand), true, width);
                Number::shaped(bits, interval)
            }
            Node::Binary(op, left, right) => {
                let (a, b) = (self.made(left), self.made(right));
                match op {
                    BinaryOp::Add => Number::shaped(add(formula, &a, &b, false, width), interval),
                    BinaryOp::Subtract => {
                        Number::shaped(add(formula, &a, &b, true, width), interval)
                    }
                    BinaryOp::Multiply => {
                        let bits = match (terms.constant(left), terms.constant(right)) {
                            (Some(factor), _) => scale(formula, &b, factor, width),
                            (_, Some(factor)) => scale(formula, &a, factor, width),
                            _ => multiply(formula, &a, &b, width),
                        };
                        Number::shaped(bits, interval)
                    }
                    BinaryOp::Divide | BinaryOp::Remainder => {
                        let ends = (terms.interval(left), terms.interval(right));
                        divide(formula, op, &a, &b, ends, terms.constant(right))
                    }
                    BinaryOp::Equal => Number::truth(equal(formula, &a, &b)),
                    BinaryOp::NotEqual => Number::truth(!equal(formula, &a, &b)),
                    BinaryOp::Less => Number::truth(less(formula, &a, &b)),
                    BinaryOp::GreaterEqual => Number::truth(!less(formula, &a, &b)),
                    BinaryOp::Greater => Number::truth(less(formula, &b, &a)),
                    BinaryOp::LessEqual => Number::truth(!less(formula, &b, &a)),
                    BinaryOp::And | BinaryOp::Or => {
                        let (a, b) = (truth(formula, &a), truth(formula, &b));
                        let both = op == BinaryOp::And;
                        Number::truth(if both { formula.and(a, b) } else { formula.or(a, b) })
                    }
                }
            }
            Node::Choice(condition, yes, no) => {
                let condition = truth(formula, &self.made(condition));
                let (yes, no) = (self.made(yes), self.made(no));
                let bits =
                    (0..width).map(|i| formula.choice(condition, yes.bit(i), no.bit(i))).collect();
                Number::shaped(bits, interval)
            }
        }
    }
}

fn truth(formula: &mut Formula, number: &Number) -> Lit {
    formula.any(&number.bits)
}

/// `a + b`, or `a - b`, modulo 2^width. A subtraction is an addition of what is left to -1, and one
/// more.
fn add(formula: &mut Formula, a: &Number, b: &Number, subtracts: bool, width: usize) -> Vec<Lit> {
    let mut carry = if subtracts { TRUE } else { FALSE };
    let mut bits = Vec::with_capacity(width);
    for i in 0..width {
        let x = a.bit(i);
        let y = if subtracts { !b.bit(i) } else { b.bit(i) };
        bits.push(formula.xor3(x, y, carry));
        if i + 1 < width {
            carry = formula.majority(x, y, carry);
        }
    }
    bits
}

/// `number * factor` modulo 2^width: one addition or subtraction for each digit of the factor that
/// is not 0, where digits are -1, 0 and 1 such that no two neighbours differ from 0.
fn scale(formula: &mut Formula, number: &Number, factor: i64, width: usize) -> Vec<Lit> {
    let mut sum = Number::constant(0);
    let mut rest = i128::from(factor);
    for shift in 0..width {
        if rest == 0 {
            break;
        }
        if rest & 1 == 1 {
            let negative = rest & 3 == 3;
            let shifted = shift_left(number, shift, width);
            let bits = add(formula, &sum, &shifted, negative, width);
            sum = Number { bits, sign: FALSE };
            rest += if negative { 1 } else { -1 };
        }
        rest >>= 1;
    }
    (0..width).map(|i| sum.bit(i)).collect()
}

/// `a * b` modulo 2^width.
fn multiply(formula: &mut Formula, a: &Number, b: &Number, width: usize) -> Vec<Lit> {
    // What b's digits are worth, the last one (two's complement) being negative.
    let mut sum = Number { bits: vec![FALSE; width], sign: FALSE };
    for shift in 0..b.width().min(width) {
        let digit = b.bit(shift);
        let negative = shift + 1 == b.width() && b.sign != FALSE;
        let mut shifted = shift_left(a, shift, width);
        for bit in &mut shifted.bits {
            *bit = formula.and(*bit, digit);
        }
        let bits = add(formula, &sum, &shifted, negative, width);
        sum = Number { bits, sign: FALSE };
    }
    sum.bits
}

/// `a / b` or `a % b`, rounded down; both are 0 if `b` is.
///
/// Modulo a power of two, the remainder is the lowest bits (two's complement). Otherwise there are
/// numbers q and r with a = q * b + r, where r lies between 0 and b and has the sign of b: exactly
/// one pair, so that nothing is lost and nothing is added.
fn divide(
    formula: &mut Formula,
    op: BinaryOp,
    a: &Number,
    b: &Number,
    (of, by): (Interval, Interval),
    divisor: Option<i64>,
) -> Number {
    if let Some(divisor) = divisor
        && divisor > 0
        && divisor & (divisor - 1) == 0
    {
        let shift = divisor.trailing_zeros() as usize;
        return match op {
            BinaryOp::Remainder => {
                Number { bits: (0..shift).map(|i| a.bit(i)).collect(), sign: FALSE }
            }
            _ => Number { bits: a.bits.iter().skip(shift).copied().collect(), sign: a.sign },
        };
    }
    let most = of.low.saturating_abs().max(of.high.saturating_abs());
    let quotient = match by.low > 0 && of.low >= 0 {
        true => Interval::new(0, most),
        false => Interval::new(-most, most),
    };
    let rest = Interval { low: (by.low + 1).min(0), high: (by.high - 1).max(0) };
    let (q, r) = (Number::fresh(formula, quotient), Number::fresh(formula, rest));
    let zero = Number::constant(0);
    let is_zero = equal(formula, b, &zero);
    // Wide enough for every product and sum of these bits.
    let width = q.width() + b.width() + r.width().max(a.width()) + 2;
    let product = Number::wide(multiply(formula, &q, b, width));
    let sum = Number::wide(add(formula, &product, &r, false, width));
    sum.equals(formula, !is_zero, a);
    // 0 <= r < b or b < r <= 0.
    let negative = less(formula, b, &zero);
    let below = less(formula, &r, &zero);
    let above = less(formula, &zero, &r);
    let (short, long) = (less(formula, &r, b), less(formula, b, &r));
    formula.clause(&[is_zero, negative, !below]);
    formula.clause(&[is_zero, negative, short]);
    formula.clause(&[is_zero, !negative, !above]);
    formula.clause(&[is_zero, !negative, long]);
    for number in [&q, &r] {
        number.equals(formula, is_zero, &zero);
    }
    if op == BinaryOp::Divide { q } else { r }
}

fn shift_left(number: &Number, shift: usize, width: usize) -> Number {
    let bits = (0..width).map(|i| if i < shift { FALSE } else { number.bit(i - shift) }).collect();
    Number { bits, sign: FALSE }
}

/// Whether both are the same number.
fn equal(formula: &mut Formula, a: &Number, b: &Number) -> Lit {
    let same: Vec<Lit> = positions(a, b).map(|i| !formula.xor(a.bit(i), b.bit(i))).collect();
    formula.all(&same)
}

/// Whether the first is smaller: from the lowest bit on, the highest place at which they differ
/// decides.
fn less(formula: &mut Formula, a: &Number, b: &Number) -> Lit {
    let mut less = FALSE;
    for i in 0..a.width().max(b.width()) {
        less = formula.majority(!a.bit(i), b.bit(i), less);
    }
    // At the sign it is the other way round.
    formula.majority(a.sign, !b.sign, less)
}

/// The positions at which two numbers can differ.
pub fn positions(a: &Number, b: &Number) -> std::ops::Range<usize> {
    0..a.width().max(b.width()) + usize::from(a.sign != b.sign)
}

#[cfg(test)]
mod tests;
