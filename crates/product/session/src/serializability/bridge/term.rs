//! Values without effects, as models of threads have them: numbers and truth values are different
//! things there.

use ser_syntax::core::BinaryOp;

/// A variable of the generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Variable {
    /// Its name there.
    pub name: String,
    /// Whether all threads have it in common.
    pub shared: bool,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Number(i64),
    /// `true`, `false`.
    Truth(bool),
    /// A variable that is a number.
    Read(Variable),
    /// A local variable that is a truth value.
    Flag(String),
    /// `-e`.
    Negate(Box<Term>),
    /// `!e`.
    Not(Box<Term>),
    /// `l op r`: of numbers, or of truth values for `&&` and `||`.
    Binary(BinaryOp, Box<Term>, Box<Term>),
}

impl Term {
    /// `l op r`.
    pub fn binary(op: BinaryOp, left: Term, right: Term) -> Term {
        Term::Binary(op, Box::new(left), Box::new(right))
    }

    /// Whether this is true or false, and no number.
    pub fn is_truth(&self) -> bool {
        match self {
            Term::Truth(_) | Term::Flag(_) | Term::Not(_) => true,
            Term::Number(_) | Term::Read(_) | Term::Negate(_) => false,
            Term::Binary(op, ..) => {
                !matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply)
            }
        }
    }

    /// As a condition: 0 is false.
    pub fn truth(self) -> Term {
        match self {
            Term::Number(n) => Term::Truth(n != 0),
            term if term.is_truth() => term,
            term => Term::binary(BinaryOp::NotEqual, term, Term::Number(0)),
        }
    }

    /// The opposite of a truth value.
    pub fn not(self) -> Term {
        let flipped = |op| match op {
            BinaryOp::Equal => Some(BinaryOp::NotEqual),
            BinaryOp::NotEqual => Some(BinaryOp::Equal),
            BinaryOp::Less => Some(BinaryOp::GreaterEqual),
            BinaryOp::LessEqual => Some(BinaryOp::Greater),
            BinaryOp::Greater => Some(BinaryOp::LessEqual),
            BinaryOp::GreaterEqual => Some(BinaryOp::Less),
            _ => None,
        };
        match self {
            Term::Truth(b) => Term::Truth(!b),
            Term::Not(inner) => *inner,
            Term::Binary(op, left, right) => match flipped(op) {
                Some(op) => Term::Binary(op, left, right),
                None => Term::Not(Box::new(Term::Binary(op, left, right))),
            },
            term => Term::Not(Box::new(term)),
        }
    }

    /// Whether the value can change while the thread does nothing.
    pub fn is_shared(&self) -> bool {
        match self {
            Term::Number(_) | Term::Truth(_) | Term::Flag(_) => false,
            Term::Read(variable) => variable.shared,
            Term::Negate(inner) | Term::Not(inner) => inner.is_shared(),
            Term::Binary(_, left, right) => left.is_shared() || right.is_shared(),
        }
    }

    /// Hands over the variables that are numbers, by name.
    pub fn for_each_read(&self, each: &mut dyn FnMut(&str)) {
        match self {
            Term::Number(_) | Term::Truth(_) | Term::Flag(_) => {}
            Term::Read(variable) => each(&variable.name),
            Term::Negate(inner) | Term::Not(inner) => inner.for_each_read(each),
            Term::Binary(_, left, right) => {
                left.for_each_read(each);
                right.for_each_read(each);
            }
        }
    }

    /// How tight it binds.
    fn level(&self) -> u8 {
        match self {
            Term::Binary(op, ..) => match op {
                BinaryOp::Or => 1,
                BinaryOp::And => 2,
                BinaryOp::Add | BinaryOp::Subtract => 4,
                BinaryOp::Multiply => 5,
                _ => 3,
            },
            Term::Negate(_) => 6,
            Term::Number(n) if *n < 0 => 6,
            _ => 7,
        }
    }

    /// The text, in parentheses if it binds less tight than that.
    fn within(&self, level: u8) -> String {
        match self.level() < level {
            true => format!("({})", self.show()),
            false => self.show(),
        }
    }

    /// The text.
    pub fn show(&self) -> String {
        match self {
            Term::Number(n) => n.to_string(),
            Term::Truth(b) => b.to_string(),
            Term::Read(Variable { name, .. }) | Term::Flag(name) => name.clone(),
            Term::Negate(inner) => format!("-{}", inner.within(7)),
            Term::Not(inner) => format!("!{}", inner.within(7)),
            Term::Binary(op, left, right) => {
                let level = self.level();
                // Comparisons are not chained; sums and products associate to the left.
                let here = if level == 3 { 4 } else { level };
                format!("{} {} {}", left.within(here), op.symbol(), right.within(level + 1))
            }
        }
    }
}
