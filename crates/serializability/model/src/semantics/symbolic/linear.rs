//! Linear forms over the variables of a program and of a few requests, and conditions on them.
//!
//! Coefficients have 64 bits. What does not fit is no form at all (`None`): nothing is rounded, and
//! nothing wraps around. Values of variables are integers without bounds.

use std::collections::BTreeMap;

/// Something that has a value. The first number of a local variable or of a choice says whose it
/// is, where several requests are spoken of; it is 0 otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Var {
    /// A global variable, by its number.
    Global(u32),
    /// A local variable; see [`SymbolicNet::local_name`](super::SymbolicNet::local_name).
    Local(u8, u32),
    /// What a step picks; arguments are the first of these in the first step of a request.
    Choice(u8, u32),
}

/// `constant + c1 * v1 + ...`, sorted by variable, no coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    pub constant: i64,
    pub terms: Vec<(Var, i64)>,
}

impl Linear {
    pub fn number(constant: i64) -> Linear {
        Linear { constant, terms: Vec::new() }
    }

    pub fn var(var: Var) -> Linear {
        Linear { constant: 0, terms: vec![(var, 1)] }
    }

    /// Its value, if that does not depend on anything.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let mut terms: BTreeMap<Var, i64> = self.terms.iter().copied().collect();
        for (var, c) in &other.terms {
            let entry = terms.entry(*var).or_insert(0);
            *entry = entry.checked_add(c.checked_mul(factor)?)?;
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        let terms = terms.into_iter().filter(|(_, c)| *c != 0).collect();
        Some(Linear { constant, terms })
    }

    /// `self - other`.
    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus(-1, other)
    }

    /// `factor * self`.
    pub fn times(&self, factor: i64) -> Option<Linear> {
        Linear::default().plus(factor, self)
    }

    /// The form with every variable replaced.
    pub fn replaced(&self, by: &dyn Fn(Var) -> Option<Linear>) -> Option<Linear> {
        let mut sum = Linear::number(self.constant);
        for (var, c) in &self.terms {
            sum = sum.plus(*c, &by(*var)?)?;
        }
        Some(sum)
    }

    /// Its value, given those of the variables; `None` if it has more than 64 bits.
    pub fn value(&self, of: &dyn Fn(Var) -> i64) -> Option<i64> {
        let mut sum = i128::from(self.constant);
        for (var, c) in &self.terms {
            sum = sum.checked_add(i128::from(*c) * i128::from(of(*var)))?;
        }
        i64::try_from(sum).ok()
    }

    /// The text, with these names.
    pub fn show(&self, name: &dyn Fn(Var) -> String) -> String {
        let mut text = String::new();
        for (var, c) in &self.terms {
            let sign = match (*c < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.push_str(sign);
            if c.unsigned_abs() != 1 {
                text.push_str(&format!("{} * ", c.unsigned_abs()));
            }
            text.push_str(&name(*var));
        }
        match (self.constant, text.is_empty()) {
            (n, true) => text = n.to_string(),
            (0, false) => {}
            (n, false) => {
                let sign = if n < 0 { "-" } else { "+" };
                text.push_str(&format!(" {sign} {}", n.unsigned_abs()));
            }
        }
        text
    }
}

/// A condition on a linear form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Literal {
    /// It is at least 0.
    AtLeast(Linear),
    Zero(Linear),
    NotZero(Linear),
}

impl Literal {
    pub fn form(&self) -> &Linear {
        match self {
            Literal::AtLeast(form) | Literal::Zero(form) | Literal::NotZero(form) => form,
        }
    }

    /// The same of another form.
    pub fn of(&self, form: Linear) -> Literal {
        match self {
            Literal::AtLeast(_) => Literal::AtLeast(form),
            Literal::Zero(_) => Literal::Zero(form),
            Literal::NotZero(_) => Literal::NotZero(form),
        }
    }

    /// Whether it holds, if its form is a number.
    pub fn known(&self) -> Option<bool> {
        Some(self.holds(self.form().as_number()?))
    }

    /// Whether it holds where the form has this value.
    pub fn holds(&self, value: i64) -> bool {
        match self {
            Literal::AtLeast(_) => value >= 0,
            Literal::Zero(_) => value == 0,
            Literal::NotZero(_) => value != 0,
        }
    }

    /// What holds where this does not.
    pub fn negated(&self) -> Option<Literal> {
        Some(match self {
            Literal::AtLeast(form) => Literal::AtLeast(Linear::number(-1).minus(form)?),
            Literal::Zero(form) => Literal::NotZero(form.clone()),
            Literal::NotZero(form) => Literal::Zero(form.clone()),
        })
    }

    /// With the first coefficient positive, if that makes no difference.
    pub fn oriented(self) -> Option<Literal> {
        let turn = match &self {
            Literal::AtLeast(_) => false,
            Literal::Zero(form) | Literal::NotZero(form) => {
                form.terms.first().is_some_and(|(_, c)| *c < 0)
            }
        };
        if !turn {
            return Some(self);
        }
        let form = self.form().times(-1)?;
        Some(self.of(form))
    }

    pub fn replaced(&self, by: &dyn Fn(Var) -> Option<Linear>) -> Option<Literal> {
        Some(self.of(self.form().replaced(by)?))
    }

    /// The text, with these names.
    pub fn show(&self, name: &dyn Fn(Var) -> String) -> String {
        let form = self.form();
        // What is negative goes to the other side.
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (var, c) in &form.terms {
            match *c > 0 {
                true => left.terms.push((*var, *c)),
                false => right.terms.push((*var, c.saturating_neg())),
            }
        }
        let op = match self {
            Literal::AtLeast(_) => ">=",
            Literal::Zero(_) => "==",
            Literal::NotZero(_) => "!=",
        };
        let (mut op, mut constant) = (op, form.constant.saturating_neg());
        if left.terms.is_empty() {
            (left, right) = (right, left);
            constant = constant.saturating_neg();
            op = if op == ">=" { "<=" } else { op };
        }
        if (op, constant) == (">=", 1) && !right.terms.is_empty() {
            (op, constant) = (">", 0);
        }
        right.constant = constant;
        format!("{} {op} {}", left.show(name), right.show(name))
    }
}
