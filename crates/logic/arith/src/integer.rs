//! Integer minimisation by branch and bound, for small problems.
//!
//! Minimise over the rationals; if a variable that must be an integer is not, split on it
//! (`x <= floor | x >= floor + 1`) and go on, never below what the best integer point already
//! gives. The equalities are checked for integer solutions first: without any, branching would
//! never end on an unbounded region. A limit on nodes ends everything else.
//!
//! Deterministic: the first fractional variable, the lower half first.

use crate::lattice::integer_infeasible;
use crate::linear::{Linear, Point, Var};
use crate::ratio::Ratio;
use crate::simplex::{Minimum, Simplex};

/// The answer to "how small can this form be, at integers?"
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IntegerMinimum {
    /// This small, and here.
    Found {
        /// The least value.
        value: Ratio,
        /// Where it is attained: the first such point in the order of the search.
        point: Point,
    },
    /// No integer point satisfies the hypotheses.
    Infeasible,
    /// There are integer points, and the form has no minimum on them.
    Unbounded,
    /// Too many nodes, or too many pivots in one of them.
    Limit,
}

/// Minimises a form over the points at which `integer_vars` are integers, visiting at most `limit`
/// nodes. The hypotheses are the same afterwards.
///
/// ```
/// use ser_arith::{IntegerMinimum, Linear, Ratio, Simplex, Var, integer_minimize};
/// let (x, y) = (Var(0), Var(1));
/// let mut simplex = Simplex::new();
/// simplex.declare(x, true);
/// simplex.declare(y, true);
/// // 2x + 3y >= 7, minimise x + y: 2 + 1/3 over the rationals, 3 at integers.
/// simplex.assert_ge(0, &(Linear::term(2, x) + Linear::term(3, y) - Linear::constant(7)));
/// let sum = Linear::var(x) + Linear::var(y);
/// match integer_minimize(&mut simplex, &[x, y], &sum, 100) {
///     IntegerMinimum::Found { value, point } => {
///         assert_eq!(value, Ratio::from(3));
///         assert!(point[&x].is_integer() && point[&y].is_integer());
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
pub fn integer_minimize(
    simplex: &mut Simplex,
    integer_vars: &[Var],
    objective: &Linear,
    limit: usize,
) -> IntegerMinimum {
    let mut nodes = limit;
    match search(simplex, integer_vars, objective, &mut nodes, false) {
        // Unbounded over the rationals: over the integers too, if there is any point at all.
        // (The recession cone is rational, so it has integer directions.)
        IntegerMinimum::Unbounded => {
            match search(simplex, integer_vars, &Linear::zero(), &mut nodes, true) {
                IntegerMinimum::Found { .. } => IntegerMinimum::Unbounded,
                other => other,
            }
        }
        other => other,
    }
}

/// Whether the part of the equalities that speaks about integers only has an integer solution.
fn has_lattice_point(simplex: &Simplex, integer_vars: &[Var]) -> bool {
    let equalities: Vec<(usize, &Linear)> = simplex
        .equalities()
        .filter(|(_, form)| form.vars().all(|v| integer_vars.contains(&v)))
        .collect();
    integer_infeasible(&equalities).is_none()
}

fn search(
    simplex: &mut Simplex,
    integer_vars: &[Var],
    objective: &Linear,
    nodes: &mut usize,
    any: bool,
) -> IntegerMinimum {
    // Where every value of the objective is an integer, a better one is better by 1.
    let whole = objective.is_integral() && objective.vars().all(|v| integer_vars.contains(&v));
    let mut best: Option<(Ratio, Point)> = None;
    let mut lattice_known = false;
    // One entry per open frame: the second half of its split, if it is still to be visited.
    let mut open: Vec<Option<Linear>> = Vec::new();
    let stop = loop {
        if *nodes == 0 {
            break Some(IntegerMinimum::Limit);
        }
        *nodes -= 1;
        let split = match simplex.minimize(objective) {
            Minimum::Limit => break Some(IntegerMinimum::Limit),
            Minimum::Unbounded => break Some(IntegerMinimum::Unbounded),
            Minimum::Infeasible(_) => None,
            Minimum::Optimal { value, point, .. } => {
                let hopeless = best.as_ref().is_some_and(|(least, _)| {
                    if whole { Ratio::from(value.ceil()) >= *least } else { value >= *least }
                });
                let fraction =
                    integer_vars.iter().find(|v| point.get(v).is_some_and(|r| !r.is_integer()));
                match fraction {
                    _ if hopeless => None,
                    None => {
                        best = Some((value, point));
                        if any {
                            break None;
                        }
                        None
                    }
                    Some(_) if !lattice_known && !has_lattice_point(simplex, integer_vars) => {
                        break Some(IntegerMinimum::Infeasible);
                    }
                    Some(var) => {
                        lattice_known = true;
                        let floor = Ratio::from(point[var].floor());
                        let form = Linear::var(*var).with_constant(-&floor);
                        Some((-&form, form.with_constant(-&floor - Ratio::ONE)))
                    }
                }
            }
        };
        let next = match split {
            Some((low, high)) => {
                open.push(Some(high));
                Some(low)
            }
            None => loop {
                // Back to the last split with a half to visit.
                let Some(half) = open.last_mut() else { break None };
                simplex.pop();
                match half.take() {
                    Some(high) => break Some(high),
                    None => {
                        open.pop();
                    }
                }
            },
        };
        let Some(next) = next else { break None };
        simplex.push();
        // No certificate leaves this function, so the number is free to choose.
        simplex.assert_ge(usize::MAX, &next);
    };
    for _ in 0..open.len() {
        simplex.pop();
    }
    match (stop, best) {
        (Some(stop), _) => stop,
        (None, Some((value, point))) => IntegerMinimum::Found { value, point },
        (None, None) => IntegerMinimum::Infeasible,
    }
}
