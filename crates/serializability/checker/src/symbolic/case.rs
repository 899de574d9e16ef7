//! Whether linear conditions contradict each other, over the integers.
//!
//! A [`Case`] is a list of conditions that hold together. It is *impossible* if 0 >= 1 follows by
//! these steps, each of which keeps all integer solutions: two conditions `f >= 0` and `g >= 0`
//! give `a * f + b * g >= 0` for positive a and b (chosen so that a variable is eliminated, after
//! Fourier and Motzkin); the coefficients may be divided by their greatest common divisor, and then
//! the constant is rounded down; a variable with coefficient 1 or -1 in an equation may be replaced
//! by what it is equal to; where `f != 0`, `f >= 1` or `f <= -1`, and what is impossible in both
//! cases is impossible. Most conditions say that a variable is larger than another one, or than a
//! number, by so much at least; these are added up along chains, and nothing else is done unless
//! there are others. Where one condition is only given others, it is added once they follow.
//! Whatever is too large is left out, and whoever gives up says "possible": so "impossible" is
//! always true, and "possible" says nothing.

use crate::Reason;
use crate::meter::Meter;
use rustc_hash::FxHashMap;
use ser_model::{Linear, Literal, Var};
use std::rc::Rc;

/// More conditions than this are not looked at in one elimination.
const MAX_CONDITIONS: usize = 600;

/// How many conditions `f != 0` are divided into cases, one at a time, if they are not differences.
const MAX_DIVIDED: usize = 6;

/// Conditions that hold together.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// These are at least 0.
    at_least: Vec<Linear>,
    /// These are other than 0.
    not_zero: Vec<Linear>,
    /// Where all of the first hold, so does the second.
    conditional: Vec<Rc<(Vec<Literal>, Literal)>>,
    /// What those that compare two variables, or one with a number, say together.
    bounds: Bounds,
    /// Whether there are others.
    has_others: bool,
    /// Two of them contradict each other already.
    is_impossible: bool,
}

impl Case {
    /// The condition holds, too. One that is too large (`None`) is left out.
    pub fn assume(&mut self, literal: Option<Literal>) {
        let Some(literal) = literal else { return };
        if let Some(known) = literal.known() {
            self.is_impossible |= !known;
            return;
        }
        match literal {
            Literal::AtLeast(form) => self.at_least(form),
            Literal::NotZero(form) => self.not_zero.push(form),
            Literal::Zero(form) => {
                if let Some(opposite) = form.times(-1) {
                    self.at_least(opposite);
                }
                self.at_least(form);
            }
        }
    }

    /// Where all that is given holds, so does the other condition.
    pub fn assume_if(&mut self, given: Vec<Literal>, then: Literal) {
        match given.is_empty() {
            true => self.assume(Some(then)),
            false => self.conditional.push(Rc::new((given, then))),
        }
    }

    /// What follows from conditions that are given holds, too.
    fn unfold(&mut self, meter: &mut Meter<'_>) -> Result<(), Reason> {
        let mut open = std::mem::take(&mut self.conditional);
        loop {
            let mut left = Vec::new();
            let before = open.len();
            for conditional in open {
                let (given, then) = &*conditional;
                match self.implies_all(given, meter)? {
                    true => self.assume(Some(then.clone())),
                    false => left.push(conditional),
                }
            }
            open = left;
            if open.len() == before || open.is_empty() {
                return Ok(());
            }
        }
    }

    fn implies_all(&self, literals: &[Literal], meter: &mut Meter<'_>) -> Result<bool, Reason> {
        for literal in literals {
            let follows = match (literal, difference(literal.form())) {
                // What is known of differences says most, and costs little.
                (Literal::Zero(form), Some(_)) => self.bounds.range(form) == (Some(0), Some(0)),
                _ => self.implies(Some(literal.clone()), meter)?,
            };
            if !follows {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_least(&mut self, form: Linear) {
        let Some(form) = divided(&form) else { return };
        if form.terms.is_empty() {
            self.is_impossible |= form.constant < 0;
            return;
        }
        match difference(&form) {
            Some((a, b, least)) => self.bounds.add(a, b, least),
            None => self.has_others = true,
        }
        self.at_least.push(form);
    }

    /// Whether the conditions contradict each other, for sure.
    pub fn is_impossible(&self, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        if self.is_impossible || self.bounds.contradict {
            return Ok(true);
        }
        meter.work(1 + self.at_least.len())?;
        let mut case = self.clone();
        case.unfold(meter)?;
        // What is at least 0, and other than 0, is at least 1.
        loop {
            let mut changed = false;
            for form in std::mem::take(&mut case.not_zero) {
                meter.work(1 + case.bounds.vars.len())?;
                let (least, most) = case.bounds.range(&form);
                let one = Linear::number(1);
                let strict = match (least, most) {
                    (Some(0), _) => form.minus(&one),
                    (_, Some(0)) => form.times(-1).and_then(|it| it.minus(&one)),
                    // It is other than 0 anyway.
                    (Some(1..), _) | (_, Some(..=-1)) => continue,
                    _ => None,
                };
                match strict {
                    Some(strict) => {
                        case.at_least(strict);
                        changed = true;
                    }
                    None => case.not_zero.push(form),
                }
            }
            if case.is_impossible || case.bounds.contradict {
                return Ok(true);
            }
            if !changed {
                break;
            }
        }
        if !case.has_others {
            // Differences that do not contradict each other have a solution, and so do most with a
            // few numbers left out.
            return Ok(false);
        }
        contradiction(&case.at_least, &case.not_zero, meter)
    }

    /// Whether the condition follows, for sure. One that is too large never does.
    pub fn implies(&self, literal: Option<Literal>, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let Some(literal) = literal else { return Ok(false) };
        match literal.known() {
            Some(true) => return Ok(true),
            Some(false) => return self.is_impossible(meter),
            None => {}
        }
        let cases = match &literal {
            Literal::Zero(form) => {
                let one = Linear::number(1);
                let above = form.minus(&one);
                let below = form.times(-1).and_then(|it| it.minus(&one));
                vec![above.map(Literal::AtLeast), below.map(Literal::AtLeast)]
            }
            _ => vec![literal.negated()],
        };
        for negated in cases {
            let Some(negated) = negated else { return Ok(false) };
            let mut case = self.clone();
            case.assume(Some(negated));
            if !case.is_impossible(meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The same condition, with coefficients that have no common divisor; `None` if it is too large.
fn divided(form: &Linear) -> Option<Linear> {
    let divisor = form.terms.iter().fold(0, |d, (_, c)| gcd(d, c.unsigned_abs()));
    let divisor = i64::try_from(divisor).ok()?;
    if divisor <= 1 {
        return Some(form.clone());
    }
    let terms = form.terms.iter().map(|(v, c)| (*v, c / divisor)).collect();
    Some(Linear { constant: form.constant.div_euclid(divisor), terms })
}

/// A form `a - b - least`, where one of the variables may be missing.
fn difference(form: &Linear) -> Option<(Option<Var>, Option<Var>, i64)> {
    let least = form.constant.checked_neg()?;
    match form.terms.as_slice() {
        [(a, 1)] => Some((Some(*a), None, least)),
        [(b, -1)] => Some((None, Some(*b), least)),
        [(a, 1), (b, -1)] | [(b, -1), (a, 1)] => Some((Some(*a), Some(*b), least)),
        _ => None,
    }
}

/// By how much variables are larger than each other at least: all that follows from what was added.
#[derive(Clone, Debug, Default)]
struct Bounds {
    /// Nothing stands for the number 0.
    vars: Vec<Option<Var>>,
    /// For two variables a and b, by number: `a - b` is at least this.
    least: Vec<Vec<Option<i64>>>,
    contradict: bool,
}

impl Bounds {
    fn number(&mut self, var: Option<Var>) -> usize {
        if let Some(found) = self.find(var) {
            return found;
        }
        self.vars.push(var);
        self.least.iter_mut().for_each(|row| row.push(None));
        self.least.push(vec![None; self.vars.len()]);
        let last = self.vars.len() - 1;
        self.least[last][last] = Some(0);
        last
    }

    fn find(&self, var: Option<Var>) -> Option<usize> {
        self.vars.iter().position(|it| *it == var)
    }

    /// `a - b` is at least this.
    fn add(&mut self, a: Option<Var>, b: Option<Var>, least: i64) {
        let (a, b) = (self.number(a), self.number(b));
        if self.least[a][b].is_some_and(|known| known >= least) {
            return;
        }
        // x - y = (x - a) + (a - b) + (b - y). Sums that are too large are left out.
        let to_first: Vec<Option<i64>> = self.least.iter().map(|row| row[a]).collect();
        let from_second = self.least[b].clone();
        for (x, first) in to_first.into_iter().enumerate() {
            let Some(first) = first.and_then(|it| it.checked_add(least)) else { continue };
            for (y, second) in from_second.iter().enumerate() {
                let Some(sum) = second.and_then(|it| it.checked_add(first)) else { continue };
                let known = &mut self.least[x][y];
                if known.is_none_or(|it| it < sum) {
                    *known = Some(sum);
                    self.contradict |= x == y && sum > 0;
                }
            }
        }
    }

    /// What a difference is at least and at most, as far as known.
    fn range(&self, form: &Linear) -> (Option<i64>, Option<i64>) {
        let Some((a, b, least)) = difference(form) else { return (None, None) };
        let (Some(a), Some(b)) = (self.find(a), self.find(b)) else { return (None, None) };
        // The form is a - b - least.
        let low = self.least[a][b].and_then(|it| it.checked_sub(least));
        let high = self.least[b][a].and_then(|it| it.checked_neg()?.checked_sub(least));
        (low, high)
    }
}

/// Whether forms cannot all be at least 0, where others are not 0.
fn contradiction(
    at_least: &[Linear],
    not_zero: &[Linear],
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    if no_solution(at_least, meter)? {
        return Ok(true);
    }
    let one = Linear::number(1);
    for form in not_zero.iter().take(MAX_DIVIDED) {
        let sides = [form.minus(&one), form.times(-1).and_then(|it| it.minus(&one))];
        let [Some(above), Some(below)] = sides else { continue };
        let mut both = true;
        for side in [above, below] {
            let mut all = at_least.to_vec();
            all.push(side);
            both = both && no_solution(&all, meter)?;
        }
        if both {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Forms that are at least 0: by their terms, with the least constant.
#[derive(Default)]
struct Conditions {
    forms: FxHashMap<Vec<(Var, i64)>, i64>,
    impossible: bool,
}

impl Conditions {
    fn add(&mut self, form: &Linear) {
        let Some(Linear { constant, terms }) = divided(form) else { return };
        if terms.is_empty() {
            self.impossible |= constant < 0;
            return;
        }
        let negated = terms.iter().map(|(v, c)| Some((*v, c.checked_neg()?))).collect();
        let negated: Option<Vec<(Var, i64)>> = negated;
        if let Some(other) = negated.and_then(|it| self.forms.get(&it)) {
            // The sum of both is a constant.
            self.impossible |= i128::from(*other) + i128::from(constant) < 0;
        }
        let least = self.forms.entry(terms).or_insert(constant);
        *least = (*least).min(constant);
    }

    /// In an order that does not depend on the table.
    fn sorted(&self) -> Vec<Linear> {
        let forms = self.forms.iter();
        let forms = forms.map(|(terms, c)| Linear { constant: *c, terms: terms.clone() });
        let mut all: Vec<Linear> = forms.collect();
        all.sort_unstable();
        all
    }

    /// An equation with a variable that has the coefficient 1 or -1, and the value of the variable.
    fn equation(&self, all: &[Linear]) -> Option<(Var, Linear)> {
        for form in all {
            let Some((var, c)) = form.terms.iter().rev().find(|(_, c)| c.unsigned_abs() == 1)
            else {
                continue;
            };
            let Some(opposite) = form.times(-1) else { continue };
            if self.forms.get(&opposite.terms) != Some(&opposite.constant) {
                continue;
            }
            // c * var + rest = 0, so var = -c * rest.
            let rest = form.plus(-c, &Linear::var(*var));
            if let Some(value) = rest.and_then(|rest| rest.times(-c)) {
                return Some((*var, value));
            }
        }
        None
    }
}

/// Whether forms cannot all be at least 0.
fn no_solution(forms: &[Linear], meter: &mut Meter<'_>) -> Result<bool, Reason> {
    let mut conditions = Conditions::default();
    forms.iter().for_each(|form| conditions.add(form));
    loop {
        if conditions.impossible {
            return Ok(true);
        }
        let all = conditions.sorted();
        meter.work(all.len() + 1)?;
        if all.is_empty() || all.len() > MAX_CONDITIONS {
            return Ok(false);
        }
        let mut next = Conditions::default();
        if let Some((var, value)) = conditions.equation(&all) {
            let by = |v: Var| Some(if v == var { value.clone() } else { Linear::var(v) });
            for form in &all {
                if let Some(form) = form.replaced(&by) {
                    next.add(&form);
                }
            }
            conditions = next;
            continue;
        }
        let Some(var) = cheapest(&all) else { return Ok(false) };
        let coefficient =
            |form: &Linear| form.terms.iter().find(|(v, _)| *v == var).map_or(0, |(_, c)| *c);
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for form in &all {
            match coefficient(form) {
                0 => next.add(form),
                c if c > 0 => above.push((form, c)),
                c => below.push((form, c)),
            }
        }
        meter.work(above.len() * below.len())?;
        for (f, a) in &above {
            for (g, b) in &below {
                // -b * f + a * g, both multipliers positive; too large ones are left out.
                let divisor = i64::try_from(gcd(a.unsigned_abs(), b.unsigned_abs()));
                let Ok(divisor) = divisor else { continue };
                let Some(times) = (b / divisor).checked_neg() else { continue };
                if let Some(sum) = f.times(times).and_then(|it| it.plus(a / divisor, g)) {
                    next.add(&sum);
                }
            }
        }
        conditions = next;
    }
}

/// The variable whose elimination makes the fewest conditions.
fn cheapest(all: &[Linear]) -> Option<Var> {
    let mut signs: FxHashMap<Var, (usize, usize)> = FxHashMap::default();
    for (var, c) in all.iter().flat_map(|form| &form.terms) {
        let entry = signs.entry(*var).or_default();
        match *c > 0 {
            true => entry.0 += 1,
            false => entry.1 += 1,
        }
    }
    let cost = |(above, below): (usize, usize)| (above * below) as i64 - (above + below) as i64;
    signs.into_iter().map(|(var, both)| (cost(both), var)).min().map(|(_, var)| var)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Limits;

    fn form(constant: i64, terms: &[(u32, i64)]) -> Linear {
        Linear { constant, terms: terms.iter().map(|(v, c)| (Var::Global(*v), *c)).collect() }
    }

    fn case(literals: &[Literal]) -> Case {
        let mut case = Case::default();
        literals.iter().for_each(|it| case.assume(Some(it.clone())));
        case
    }

    fn impossible(literals: &[Literal]) -> bool {
        let limits = Limits::default();
        case(literals).is_impossible(&mut Meter::new(&limits)).expect("no limit")
    }

    #[test]
    fn contradictions_are_found() {
        use Literal::{AtLeast, NotZero, Zero};
        // x < y, y < z, z <= x.
        assert!(impossible(&[
            AtLeast(form(-1, &[(0, -1), (1, 1)])),
            AtLeast(form(-1, &[(1, -1), (2, 1)])),
            AtLeast(form(0, &[(0, 1), (2, -1)])),
        ]));
        // 2x = 2y + 1 has no integer solution.
        assert!(impossible(&[Zero(form(1, &[(0, -2), (1, 2)]))]));
        // x is 0 or 1, and neither.
        let bounds = [AtLeast(form(0, &[(0, 1)])), AtLeast(form(1, &[(0, -1)]))];
        let neither = [NotZero(form(0, &[(0, 1)])), NotZero(form(-1, &[(0, 1)]))];
        assert!(impossible(&[bounds.as_slice(), &neither].concat()));
        assert!(!impossible(&[&bounds[..], &neither[..1]].concat()));
        // x <= y <= z <= x, and x != z.
        let chain = [(0, 1), (1, 2), (2, 0)].map(|(a, b)| form(0, &[(a, -1), (b, 1)]));
        let mut all: Vec<Literal> = chain.map(AtLeast).to_vec();
        all.push(NotZero(form(0, &[(0, 1), (2, -1)])));
        assert!(impossible(&all));
    }

    /// All solutions within a small box, against what is said to be impossible or to follow.
    #[test]
    fn what_is_impossible_has_no_solution() {
        let mut seed = 1u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        let (mut found, mut missed) = (0, 0);
        for _ in 0..3_000 {
            let mut literals = Vec::new();
            for v in 0..3 {
                literals.push(Literal::AtLeast(form(2, &[(v, 1)])));
                literals.push(Literal::AtLeast(form(2, &[(v, -1)])));
            }
            for _ in 0..2 + next(4) {
                let terms: Vec<(u32, i64)> =
                    (0..3).map(|v| (v, next(5) as i64 - 2)).filter(|(_, c)| *c != 0).collect();
                let form = form(next(7) as i64 - 3, &terms);
                literals.push(match next(3) {
                    0 => Literal::AtLeast(form),
                    1 => Literal::Zero(form),
                    _ => Literal::NotZero(form),
                });
            }
            let solved = (-2..=2).any(|x| {
                (-2..=2).any(|y| {
                    (-2..=2).any(|z| {
                        let value = |var| match var {
                            Var::Global(n) => [x, y, z][n as usize],
                            _ => 0,
                        };
                        literals.iter().all(|it| it.holds(it.form().value(&value).unwrap()))
                    })
                })
            });
            let impossible = impossible(&literals);
            assert!(!(impossible && solved), "{literals:?}");
            found += usize::from(impossible);
            missed += usize::from(!impossible && !solved);
        }
        assert!(found > 500 && missed < found / 2, "{found} found, {missed} missed");
    }
}
