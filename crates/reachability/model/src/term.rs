//! Expressions on arcs and in guards: terms over the variables of a transition.
//!
//! Terms live in an arena in which equal terms are one, so that what is shared in the model is
//! shared in the formula. They are simplified as they are made: constants are folded, and every
//! term knows an interval that its value lies in, which decides many comparisons and says how many
//! bits it needs. Numbers are booleans too: 0 is false, comparisons give 0 or 1. What the operators
//! do is told by [`ser_syntax::core`], in one place for all of `ser`.

use crate::ids::VariableId;
use rustc_hash::FxHashMap;
use ser_syntax::core::{BinaryOp, UnaryOp};
use std::collections::BTreeMap;

/// A term: its place in an arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

impl Term {
    /// As an index into a table of terms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Number(i64),
    /// A variable of the transition.
    Variable(VariableId),
    /// An operator with one operand.
    Unary(UnaryOp, Term),
    /// An operator with two operands. `And` and `Or` evaluate both sides here: terms have no
    /// effects.
    Binary(BinaryOp, Term, Term),
    /// If the first is not 0 then the second, otherwise the third.
    Choice(Term, Term, Term),
}

/// Numbers from `low` to `high`, both included. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Interval {
    /// The smallest.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

impl Interval {
    /// From `low` to `high`; the ends are swapped if they stand the wrong way round.
    pub fn new(low: i64, high: i64) -> Interval {
        Interval { low: low.min(high), high: low.max(high) }
    }

    /// Just one number.
    pub fn only(value: i64) -> Interval {
        Interval { low: value, high: value }
    }

    /// 0 and 1.
    pub const BOOLEAN: Interval = Interval { low: 0, high: 1 };

    /// Whether it is just one number.
    pub fn is_single(self) -> bool {
        self.low == self.high
    }

    /// Whether `value` lies inside.
    pub fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of `other` lies inside.
    pub fn covers(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The smallest interval around both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both have in common, if anything.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }
}

/// Larger numbers than this do not occur in terms: see [`Terms::too_large`].
const LARGEST: i64 = 1 << 48;

/// Where terms live.
///
/// ```
/// use ser_reachability_model::{Interval, Terms, VariableId};
/// use ser_syntax::core::BinaryOp;
/// let mut terms = Terms::default();
/// let x = terms.variable(VariableId(0), Interval::new(0, 9));
/// let one = terms.number(1);
/// let next = terms.binary(BinaryOp::Add, x, one);
/// assert_eq!(terms.interval(next), Interval::new(1, 10));
/// let ten = terms.number(10);
/// let small = terms.binary(BinaryOp::Less, x, ten);
/// assert_eq!(terms.constant(small), Some(1)); // decided by the intervals
/// assert_eq!(terms.evaluate(next, &|_| 4), Some(5));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    intervals: Vec<Interval>,
    index: FxHashMap<Node, Term>,
    too_large: bool,
}

impl Terms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether some term could have a value beyond ±2^48. Its interval is then a lie, and nothing
    /// may be concluded from any of the terms.
    pub fn too_large(&self) -> bool {
        self.too_large
    }

    /// What a term is.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// Numbers among which the value of a term is.
    pub fn interval(&self, term: Term) -> Interval {
        self.intervals[term.index()]
    }

    /// The value of a term that has only one.
    pub fn constant(&self, term: Term) -> Option<i64> {
        let interval = self.interval(term);
        interval.is_single().then_some(interval.low)
    }

    fn make(&mut self, node: Node, interval: Interval) -> Term {
        if interval.low < -LARGEST || interval.high > LARGEST {
            self.too_large = true;
        }
        let node = if interval.is_single() { Node::Number(interval.low) } else { node };
        if let Some(term) = self.index.get(&node) {
            return *term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("memory ends before"));
        self.nodes.push(node);
        self.intervals.push(interval);
        self.index.insert(node, term);
        term
    }

    pub fn number(&mut self, value: i64) -> Term {
        self.make(Node::Number(value), Interval::only(value))
    }

    /// A variable with the numbers among which its values are. A variable has one interval.
    pub fn variable(&mut self, variable: VariableId, interval: Interval) -> Term {
        self.make(Node::Variable(variable), interval)
    }

    /// `op operand`.
    pub fn unary(&mut self, op: UnaryOp, operand: Term) -> Term {
        let i = self.interval(operand);
        let interval = match op {
            UnaryOp::Negate => Interval::new(i.high.saturating_neg(), i.low.saturating_neg()),
            UnaryOp::Not if !i.contains(0) => Interval::only(0),
            UnaryOp::Not if i.is_single() => Interval::only(1),
            UnaryOp::Not => Interval::BOOLEAN,
        };
        if op == UnaryOp::Not
            && let Node::Unary(UnaryOp::Not, inside) = self.node(operand)
        {
            return self.truth(inside);
        }
        self.make(Node::Unary(op, operand), interval)
    }

    /// 1 if the term is not 0, otherwise 0.
    pub fn truth(&mut self, term: Term) -> Term {
        if Interval::BOOLEAN.covers(self.interval(term)) {
            return term;
        }
        let zero = self.number(0);
        self.binary(BinaryOp::NotEqual, term, zero)
    }

    /// Neither, one, or both.
    pub fn and(&mut self, left: Term, right: Term) -> Term {
        self.binary(BinaryOp::And, left, right)
    }

    /// The opposite.
    pub fn not(&mut self, term: Term) -> Term {
        self.unary(UnaryOp::Not, term)
    }

    /// Whether the value of a term lies in an interval, as a term.
    pub fn within(&mut self, term: Term, interval: Interval) -> Term {
        let (low, high) = (self.number(interval.low), self.number(interval.high));
        let above = self.binary(BinaryOp::LessEqual, low, term);
        let below = self.binary(BinaryOp::LessEqual, term, high);
        self.and(above, below)
    }

    /// `left op right`.
    pub fn binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Term {
        let (a, b) = (self.interval(left), self.interval(right));
        if let Some(known) = self.simplified(op, left, right) {
            return known;
        }
        let interval = match op {
            BinaryOp::Add => {
                Interval { low: a.low.saturating_add(b.low), high: a.high.saturating_add(b.high) }
            }
            BinaryOp::Subtract => {
                Interval { low: a.low.saturating_sub(b.high), high: a.high.saturating_sub(b.low) }
            }
            BinaryOp::Multiply => {
                let ends = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let products = ends.map(|(x, y)| x.saturating_mul(y));
                products.iter().fold(Interval::only(products[0]), |i, p| i.join(Interval::only(*p)))
            }
            BinaryOp::Divide => quotients(a, b),
            BinaryOp::Remainder => remainders(a, b),
            _ => match decided(op, a, b) {
                Some(value) => Interval::only(i64::from(value)),
                None => Interval::BOOLEAN,
            },
        };
        // One order for both: equal terms are to be one.
        let commutes = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Multiply
                | BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::And
                | BinaryOp::Or
        );
        let (left, right) = if commutes && right < left { (right, left) } else { (left, right) };
        self.make(Node::Binary(op, left, right), interval)
    }

    /// What needs no operator.
    fn simplified(&mut self, op: BinaryOp, left: Term, right: Term) -> Option<Term> {
        let (x, y) = (self.constant(left), self.constant(right));
        match (op, x, y) {
            (BinaryOp::Add, Some(0), _) | (BinaryOp::Multiply, Some(1), _) => Some(right),
            (BinaryOp::Add | BinaryOp::Subtract, _, Some(0)) | (BinaryOp::Multiply, _, Some(1)) => {
                Some(left)
            }
            (BinaryOp::Add | BinaryOp::Subtract, None, Some(c)) => {
                // (t + a) + c and (t - a) + c: one addition is enough.
                let Node::Binary(BinaryOp::Add, inside, number) = self.node(left) else {
                    return None;
                };
                let (inside, a) = match (self.constant(inside), self.constant(number)) {
                    (_, Some(a)) => (inside, a),
                    (Some(a), _) => (number, a),
                    _ => return None,
                };
                let sum = if op == BinaryOp::Add { a.checked_add(c)? } else { a.checked_sub(c)? };
                let sum = self.number(sum);
                Some(self.binary(BinaryOp::Add, inside, sum))
            }
            (BinaryOp::Divide, _, Some(1)) => Some(left),
            (BinaryOp::Divide | BinaryOp::Remainder, Some(x), Some(y)) => {
                let value = op.apply(x, y).unwrap_or(0);
                Some(self.number(value))
            }
            (BinaryOp::Remainder, None, Some(y))
                if y > 0 && Interval::new(0, y - 1).covers(self.interval(left)) =>
            {
                Some(left)
            }
            (BinaryOp::And, Some(value), _) if value != 0 => Some(self.truth(right)),
            (BinaryOp::And, _, Some(value)) if value != 0 => Some(self.truth(left)),
            (BinaryOp::Or, Some(0), _) => Some(self.truth(right)),
            (BinaryOp::Or, _, Some(0)) => Some(self.truth(left)),
            (BinaryOp::And | BinaryOp::Or, None, None) if left == right => Some(self.truth(left)),
            (BinaryOp::Subtract, None, None) if left == right => Some(self.number(0)),
            (BinaryOp::Equal | BinaryOp::LessEqual | BinaryOp::GreaterEqual, _, _)
                if left == right =>
            {
                Some(self.number(1))
            }
            (BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::Greater, _, _) if left == right => {
                Some(self.number(0))
            }
            _ => None,
        }
    }

    /// If `condition` then `yes`, otherwise `no`.
    pub fn choice(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        if yes == no {
            return yes;
        }
        let known = self.interval(condition);
        if !known.contains(0) {
            return yes;
        }
        if known.is_single() {
            return no;
        }
        if self.constant(yes) == Some(1) && self.constant(no) == Some(0) {
            return self.truth(condition);
        }
        let interval = self.interval(yes).join(self.interval(no));
        self.make(Node::Choice(condition, yes, no), interval)
    }

    /// The value of a term; nothing if something in it does not fit into 64 bits.
    pub fn evaluate(&self, term: Term, value: &dyn Fn(VariableId) -> i64) -> Option<i64> {
        self.evaluate_partly(term, &|variable| Some(value(variable)))
    }

    /// The value of a term; nothing if a variable in it has none, or something does not fit into 64
    /// bits.
    pub fn evaluate_in(&self, term: Term, binding: &BTreeMap<VariableId, i64>) -> Option<i64> {
        self.evaluate_partly(term, &|variable| binding.get(&variable).copied())
    }

    /// Does not call itself: terms can be thousands of operators deep.
    fn evaluate_partly(
        &self,
        term: Term,
        value: &dyn Fn(VariableId) -> Option<i64>,
    ) -> Option<i64> {
        // Most terms are no larger than that.
        match self.node(term) {
            Node::Number(number) => return Some(number),
            Node::Variable(variable) => return value(variable),
            _ => {}
        }
        let mut known: FxHashMap<Term, i64> = FxHashMap::default();
        let mut open = vec![term];
        while let Some(&top) = open.last() {
            let missing = |operand: &Term| !known.contains_key(operand);
            let mut wanted: [Option<Term>; 2] = [None, None];
            let result = match self.node(top) {
                Node::Number(number) => Some(number),
                Node::Variable(variable) => Some(value(variable)?),
                Node::Unary(op, operand) => match known.get(&operand) {
                    Some(operand) => Some(op.apply(*operand)?),
                    None => {
                        wanted[0] = Some(operand);
                        None
                    }
                },
                Node::Binary(op, left, right) => match (known.get(&left), known.get(&right)) {
                    (Some(_), Some(0)) if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) => {
                        Some(0)
                    }
                    (Some(left), Some(right)) => Some(op.apply(*left, *right)?),
                    _ => {
                        wanted = [Some(left).filter(missing), Some(right).filter(missing)];
                        None
                    }
                },
                Node::Choice(condition, yes, no) => {
                    // Only the side that counts: the other one may not even have a value.
                    let next = match known.get(&condition) {
                        Some(0) => no,
                        Some(_) => yes,
                        None => condition,
                    };
                    // If the condition is missing, it is `next`, and not known.
                    let value = known.get(&next).copied();
                    wanted[0] = Some(next);
                    value
                }
            };
            match result {
                Some(result) => {
                    known.insert(top, result);
                    open.pop();
                }
                None => open.extend(wanted.into_iter().flatten()),
            }
        }
        known.get(&term).copied()
    }

    /// Hands over the variables of a term, each once.
    pub fn variables(&self, term: Term, each: &mut dyn FnMut(VariableId)) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                Node::Number(_) => {}
                Node::Variable(variable) => each(variable),
                Node::Unary(_, operand) => open.push(operand),
                Node::Binary(_, left, right) => open.extend([left, right]),
                Node::Choice(condition, yes, no) => open.extend([condition, yes, no]),
            }
        }
    }
}

/// Where quotients are. Rounding down does not lead further from 0 than the dividend is, and that
/// of a division by 0, which no run makes, is 0.
fn quotients(a: Interval, b: Interval) -> Interval {
    if b.low > 0 {
        let ends = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
        let quotients = ends.map(|(x, y)| x.div_euclid(y));
        let all = quotients.map(Interval::only);
        return all.into_iter().fold(all[0], Interval::join);
    }
    let most = a.low.saturating_abs().max(a.high.saturating_abs());
    Interval::new(most.saturating_neg(), most)
}

/// Where remainders are: between 0 and the divisor, whose sign they have. That of a division by 0,
/// which no run makes, is 0.
fn remainders(_: Interval, b: Interval) -> Interval {
    Interval { low: b.low.saturating_add(1).min(0), high: b.high.saturating_sub(1).max(0) }
}

/// Whether a comparison or connective is decided by the intervals of its sides.
fn decided(op: BinaryOp, a: Interval, b: Interval) -> Option<bool> {
    let never_zero = |i: Interval| !i.contains(0);
    let zero = |i: Interval| i == Interval::only(0);
    match op {
        BinaryOp::Equal if a.meet(b).is_none() => Some(false),
        BinaryOp::Equal if a.is_single() && a == b => Some(true),
        BinaryOp::NotEqual => decided(BinaryOp::Equal, a, b).map(|equal| !equal),
        BinaryOp::Less if a.high < b.low => Some(true),
        BinaryOp::Less if a.low >= b.high => Some(false),
        BinaryOp::LessEqual => decided(BinaryOp::Less, b, a).map(|less| !less),
        BinaryOp::Greater => decided(BinaryOp::Less, b, a),
        BinaryOp::GreaterEqual => decided(BinaryOp::Less, a, b).map(|less| !less),
        BinaryOp::And if zero(a) || zero(b) => Some(false),
        BinaryOp::And if never_zero(a) && never_zero(b) => Some(true),
        BinaryOp::Or if never_zero(a) || never_zero(b) => Some(true),
        BinaryOp::Or if zero(a) && zero(b) => Some(false),
        _ => None,
    }
}
