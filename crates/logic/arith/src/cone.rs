//! Is a vector a sum of given vectors, each used any number of times?
//!
//! All vectors are nonnegative, so this is a knapsack in several dimensions. A search with
//! propagation is enough in practice: a vector that does not fit any more is out; a coordinate
//! that only one vector can fill says how often it is used; a coordinate that is no multiple of
//! the common divisor of what can fill it fails. Only then guess. A budget bounds the guesses;
//! when it runs out, branch and bound over the exact simplex takes over.

use crate::integer::{IntegerMinimum, integer_minimize};
use crate::linear::{Linear, Var};
use crate::ratio::Ratio;
use crate::simplex::Simplex;

/// Neither a combination nor a proof that there is none was found within the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the search for a combination of periods gave up")]
pub struct GaveUp;

/// Guesses before the search hands over to branch and bound.
const GUESSES: usize = 20_000;
/// Nodes of branch and bound.
const NODES: usize = 5_000;
/// Guesses for a test that may as well fail: pruning.
const QUICK_GUESSES: usize = 500;

/// Nonnegative integers `lambda` with `sum(lambda_i * vectors_i) = target`, if there are any. Gives
/// up on vectors with negative entries or of another length than the target.
///
/// ```
/// use ser_arith::combination;
/// let coins = [vec![3], vec![5]];
/// assert_eq!(combination(&coins, &[11]), Ok(Some(vec![2, 1])));
/// assert_eq!(combination(&coins, &[7]), Ok(None));
/// ```
pub fn combination(vectors: &[Vec<i64>], target: &[i64]) -> Result<Option<Vec<i64>>, GaveUp> {
    if vectors.iter().any(|v| v.len() != target.len() || v.iter().any(|&a| a < 0)) {
        return Err(GaveUp);
    }
    match search(vectors, target, GUESSES) {
        Err(GaveUp) => branch_and_bound(vectors, target),
        found => found,
    }
}

/// Whether there is a combination; says no as soon as it becomes tedious.
pub(crate) fn quick_combination(vectors: &[Vec<i64>], target: &[i64]) -> bool {
    target.iter().all(|&t| t == 0)
        || vectors.iter().any(|v| v == target)
        || quick_lambda(vectors, target).is_some()
}

/// As [`combination`], but says no as soon as it becomes tedious.
pub(crate) fn quick_lambda(vectors: &[Vec<i64>], target: &[i64]) -> Option<Vec<i64>> {
    search(vectors, target, QUICK_GUESSES).ok().flatten()
}

fn search(
    vectors: &[Vec<i64>],
    target: &[i64],
    guesses: usize,
) -> Result<Option<Vec<i64>>, GaveUp> {
    if target.iter().any(|&t| t < 0) {
        return Ok(None);
    }
    let usable = |v: &Vec<i64>| v.iter().any(|&a| a > 0);
    let state = State {
        rest: target.to_vec(),
        active: (0..vectors.len()).filter(|&j| usable(&vectors[j])).collect(),
        lambda: vec![0; vectors.len()],
    };
    let mut guesses = guesses;
    state.solve(vectors, &mut guesses)
}

#[derive(Clone)]
struct State {
    /// What is left to fill.
    rest: Vec<i64>,
    /// The vectors whose number of uses is still open.
    active: Vec<usize>,
    lambda: Vec<i64>,
}

impl State {
    fn solve(
        mut self,
        vectors: &[Vec<i64>],
        guesses: &mut usize,
    ) -> Result<Option<Vec<i64>>, GaveUp> {
        let Some(guess) = self.propagate(vectors) else { return Ok(None) };
        let Some(guess) = guess else { return Ok(Some(self.lambda)) };
        for count in (0..=self.room(&vectors[guess])).rev() {
            if *guesses == 0 {
                return Err(GaveUp);
            }
            *guesses -= 1;
            let mut next = self.clone();
            next.take(vectors, guess, count);
            if let Some(lambda) = next.solve(vectors, guesses)? {
                return Ok(Some(lambda));
            }
        }
        Ok(None)
    }

    /// How often the vector still fits.
    fn room(&self, vector: &[i64]) -> i64 {
        let fits = vector.iter().zip(&self.rest).filter(|(v, _)| **v > 0).map(|(v, r)| r / v);
        fits.min().unwrap_or(0)
    }

    fn take(&mut self, vectors: &[Vec<i64>], j: usize, count: i64) {
        for (rest, v) in self.rest.iter_mut().zip(&vectors[j]) {
            *rest -= v * count;
        }
        self.lambda[j] += count;
        self.active.retain(|&other| other != j);
    }

    /// Everything that follows without guessing. `None` if there is no solution; otherwise the
    /// vector to guess, or none if nothing is left to fill.
    fn propagate(&mut self, vectors: &[Vec<i64>]) -> Option<Option<usize>> {
        'again: loop {
            let mut active = std::mem::take(&mut self.active);
            active.retain(|&j| self.room(&vectors[j]) > 0);
            self.active = active;
            let mut fewest: Option<(usize, usize)> = None;
            for (d, &rest) in self.rest.iter().enumerate() {
                if rest == 0 {
                    continue;
                }
                let mut divisor = 0;
                let mut count = 0;
                let mut first = None;
                for &j in &self.active {
                    if vectors[j][d] > 0 {
                        divisor = gcd(divisor, vectors[j][d]);
                        count += 1;
                        first.get_or_insert(j);
                    }
                }
                let first = first?;
                if rest % divisor != 0 {
                    return None;
                }
                if count == 1 {
                    let uses = rest / divisor;
                    if uses > self.room(&vectors[first]) {
                        return None;
                    }
                    self.take(vectors, first, uses);
                    continue 'again;
                }
                if fewest.is_none_or(|(least, _)| count < least) {
                    fewest = Some((count, first));
                }
            }
            return Some(fewest.map(|(_, j)| j));
        }
    }
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn branch_and_bound(vectors: &[Vec<i64>], target: &[i64]) -> Result<Option<Vec<i64>>, GaveUp> {
    let mut simplex = Simplex::new();
    let vars: Vec<Var> = (0u32..).map(Var).take(vectors.len()).collect();
    for &var in &vars {
        simplex.declare(var, true);
    }
    for (d, &t) in target.iter().enumerate() {
        let terms = vars.iter().zip(vectors).map(|(v, p)| (*v, Ratio::from(p[d])));
        simplex.assert_eq(d, &Linear::new(terms, -Ratio::from(t)));
    }
    // The number of uses is bounded, so this ends; the limit is about patience.
    let uses = Linear::new(vars.iter().map(|v| (*v, Ratio::ONE)), 0);
    match integer_minimize(&mut simplex, &vars, &uses, NODES) {
        IntegerMinimum::Found { point, .. } => {
            let lambda = vars.iter().map(|v| point.get(v).and_then(Ratio::to_i64));
            lambda.collect::<Option<Vec<i64>>>().map(Some).ok_or(GaveUp)
        }
        IntegerMinimum::Infeasible => Ok(None),
        IntegerMinimum::Unbounded | IntegerMinimum::Limit => Err(GaveUp),
    }
}
