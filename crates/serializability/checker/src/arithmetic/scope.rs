//! What is known on the way from the root of a tree to one of its nodes: variables and named
//! hypotheses.
//!
//! Every variable stands for an integer, some of them for one that is not negative. A hypothesis
//! says that a linear form is zero or that it is not negative. Names of variables and names of
//! hypotheses are each used once on the way: nothing that is known is ever replaced.

use super::linear::{Linear, Variable};
use super::rational::Rational;
use crate::Reason;
use crate::format::Terms;
use crate::meter::Meter;
use rustc_hash::FxHashMap;

/// What a hypothesis says of its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Zero,
    /// It is not negative.
    NonNegative,
}

/// A form, and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Hypothesis {
    pub(crate) relation: Relation,
    pub(crate) form: Linear,
}

/// The variables and hypotheses in the order in which they came.
#[derive(Default)]
pub(crate) struct Scope {
    numbers: FxHashMap<String, Variable>,
    /// The name of each variable, and whether it is known not to be negative.
    variables: Vec<(String, bool)>,
    hypotheses: FxHashMap<String, Hypothesis>,
    names: Vec<String>,
    /// How many table entries this takes.
    entries: usize,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    variables: usize,
    names: usize,
    entries: usize,
}

/// How many terms of a form a message shows.
const SHOWN: usize = 8;

impl Scope {
    /// A new variable.
    pub(crate) fn declare(
        &mut self,
        name: &str,
        nonnegative: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Variable, Reason> {
        self.grow(1, name, meter)?;
        let number = self.variables.len();
        // `1` stands for the constant of a form.
        if name == "1" || self.numbers.contains_key(name) {
            return Err(Reason::NameTaken { kind: "variable", name: name.to_owned() });
        }
        self.numbers.insert(name.to_owned(), number);
        self.variables.push((name.to_owned(), nonnegative));
        Ok(number)
    }

    /// A new hypothesis.
    pub(crate) fn suppose(
        &mut self,
        name: &str,
        relation: Relation,
        form: Linear,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        self.grow(1 + form.terms.len(), name, meter)?;
        if self.hypotheses.contains_key(name) {
            return Err(Reason::NameTaken { kind: "hypothesis", name: name.to_owned() });
        }
        self.hypotheses.insert(name.to_owned(), Hypothesis { relation, form });
        self.names.push(name.to_owned());
        Ok(())
    }

    fn grow(&mut self, count: usize, name: &str, meter: &mut Meter<'_>) -> Result<(), Reason> {
        let count = count.saturating_add(name.len() / 64);
        self.entries = self.entries.saturating_add(count);
        meter.entries(count)
    }

    pub(crate) fn mark(&self) -> Mark {
        let (variables, names) = (self.variables.len(), self.names.len());
        Mark { variables, names, entries: self.entries }
    }

    /// Forgets what has come since.
    pub(crate) fn forget(&mut self, mark: Mark, meter: &mut Meter<'_>) {
        meter.release(self.entries.saturating_sub(mark.entries));
        self.entries = mark.entries;
        while self.variables.len() > mark.variables {
            if let Some((name, _)) = self.variables.pop() {
                self.numbers.remove(&name);
            }
        }
        while self.names.len() > mark.names {
            if let Some(name) = self.names.pop() {
                self.hypotheses.remove(&name);
            }
        }
    }

    fn variable(&self, name: &str) -> Result<Variable, Reason> {
        let unknown = || Reason::Unknown { kind: "variable", name: name.to_owned() };
        self.numbers.get(name).copied().ok_or_else(unknown)
    }

    pub(crate) fn is_nonnegative(&self, variable: Variable) -> bool {
        self.variables.get(variable).is_some_and(|(_, nonnegative)| *nonnegative)
    }

    /// A form of the certificate: variables that are declared here, with integers.
    pub(crate) fn form(&self, terms: &Terms, meter: &mut Meter<'_>) -> Result<Linear, Reason> {
        let mut form = Linear::constant(0);
        for (name, text) in &terms.0 {
            meter.work(1 + name.len() + text.len())?;
            let number = Rational::parse(text)?;
            if !number.is_integer() {
                return Err(Reason::NotIntegral { number: text.clone() });
            }
            if name == "1" {
                form.constant = number;
            } else {
                form.add_term(self.variable(name)?, &number, meter)?;
            }
        }
        Ok(form)
    }

    /// `form` minus the hypotheses times their multipliers. If `allowed` is `Zero`, only
    /// equalities may be used; otherwise inequalities too, with multipliers that are not negative.
    pub(crate) fn reduce(
        &self,
        mut form: Linear,
        multipliers: &Terms,
        allowed: Relation,
        meter: &mut Meter<'_>,
    ) -> Result<Linear, Reason> {
        for (name, text) in &multipliers.0 {
            meter.work(1 + name.len() + text.len())?;
            let number = Rational::parse(text)?;
            let unknown = || Reason::Unknown { kind: "hypothesis", name: name.clone() };
            let hypothesis = self.hypotheses.get(name).ok_or_else(unknown)?;
            if hypothesis.relation == Relation::NonNegative {
                if allowed == Relation::Zero {
                    return Err(Reason::NotAnEquality { name: name.clone() });
                }
                if number.is_negative() {
                    return Err(Reason::NegativeMultiplier { name: name.clone() });
                }
            }
            form.add(&number.negated(), &hypothesis.form, meter)?;
        }
        Ok(form)
    }

    /// The form in words.
    pub(crate) fn show(&self, form: &Linear) -> String {
        let name = |v: &Variable| self.variables.get(*v).map_or("?", |(name, _)| name.as_str());
        let terms = form.terms.iter().map(|(v, number)| format!("{number} {}", name(v)));
        let constant = (!form.constant.is_zero()).then(|| form.constant.to_string());
        let mut parts: Vec<String> = terms.chain(constant).collect();
        if parts.is_empty() {
            parts.push("0".into());
        }
        if parts.len() > SHOWN {
            parts.truncate(SHOWN);
            parts.push("...".into());
        }
        let shown = parts.join(" + ").replace("+ -", "- ");
        if shown.len() > 1000 { "a long form".into() } else { shown }
    }
}

#[cfg(test)]
impl Scope {
    /// The value of a form.
    pub(crate) fn value(&self, form: &Linear, values: &impl Fn(&str) -> i64) -> Rational {
        let each = form.terms.iter().map(|(v, c)| (c, values(&self.variables[*v].0)));
        each.fold(form.constant.clone(), |sum, (c, n)| {
            sum.plus_product(c, &Rational::from(n)).expect("small")
        })
    }

    /// The first hypothesis or sign of a variable that is not true of these values.
    pub(crate) fn broken(&self, values: &impl Fn(&str) -> i64) -> Option<String> {
        let holds = |hypothesis: &Hypothesis| {
            let value = self.value(&hypothesis.form, values);
            match hypothesis.relation {
                Relation::Zero => value.is_zero(),
                Relation::NonNegative => !value.is_negative(),
            }
        };
        let negative = |(name, sign): &&(String, bool)| *sign && values(name) < 0;
        let sign = self.variables.iter().find(negative).map(|(name, _)| name.clone());
        sign.or_else(|| self.names.iter().find(|name| !holds(&self.hypotheses[*name])).cloned())
    }
}
