//! One linear system against enumeration.

use super::trial::{Finding, Trial};
use crate::Equations;
use ser_arith::{
    Check, IntegerMinimum, Linear, Point, Ratio, Simplex, Var, integer_minimize, integer_solution,
};
use std::time::Instant;

/// Variables are at most this large, so that all points can be listed.
const HIGH: i64 = 5;

/// Looks for a rational point, for the least integer point, and, for the equations alone, for any
/// integer point; and compares with all integer points of a box.
///
/// Proofs that there is none are checked by multiplying them out.
pub fn try_equations(equations: &Equations) -> Result<Trial, Finding> {
    let started = Instant::now();
    let variables: Vec<Var> = (0..equations.variables as u32).map(Var).collect();
    let form = |coefficients: &[i64], constant: i64| {
        let terms = variables.iter().zip(coefficients);
        terms.fold(Linear::constant(constant), |sum, (v, c)| sum + Linear::term(*c, *v))
    };
    // All rows, those of the box included.
    let mut rows: Vec<(Linear, bool)> =
        equations.rows.iter().map(|(c, k, equality)| (form(c, *k), *equality)).collect();
    rows.extend(variables.iter().map(|v| (Linear::constant(HIGH) - Linear::var(*v), false)));
    let loaded = || {
        let mut simplex = Simplex::new();
        variables.iter().for_each(|v| simplex.declare(*v, true));
        for (id, (form, equality)) in rows.iter().enumerate() {
            if *equality { simplex.assert_eq(id, form) } else { simplex.assert_ge(id, form) }
        }
        simplex
    };
    let holds = |point: &Point| {
        rows.iter().all(|(form, equality)| {
            let value = form.evaluate(point);
            if *equality { value.is_zero() } else { !value.is_negative() }
        })
    };
    let objective = form(&equations.objective, 0);
    let points = box_points(&variables);
    let least = points.iter().filter(|p| holds(p)).map(|p| objective.evaluate(p)).min();

    let rational = match loaded().check() {
        Check::Feasible(point) if !holds(&point) => return Err(wrong("a point", "none", &point)),
        Check::Feasible(_) => true,
        Check::Infeasible(multipliers) => {
            // The sum of multiples must be negative whatever the variables are.
            let mut sum = Linear::zero();
            for (id, multiplier) in &multipliers {
                let (form, equality) = &rows[*id];
                if !equality && multiplier.is_negative() {
                    return Err(wrong("a proof", "none: a multiplier is negative", &least));
                }
                sum = sum.plus_scaled(multiplier, form);
            }
            let never =
                sum.constant_term().is_negative() && sum.terms().all(|(_, c)| !c.is_positive());
            if !never {
                return Err(wrong("a proof", "none: it does not add up", &sum));
            }
            false
        }
        Check::Limit => return Ok(Trial { decided_by: "unknown", ..Trial::default() }),
    };
    if least.is_some() && !rational {
        return Err(wrong("infeasible", "feasible", &least));
    }
    match integer_minimize(&mut loaded(), &variables, &objective, 20_000) {
        IntegerMinimum::Found { value, point } => {
            let integral = point.values().all(Ratio::is_integer);
            if Some(&value) != least.as_ref() || !integral || !holds(&point) {
                return Err(wrong(&format!("{value:?} at {point:?}"), "least", &least));
            }
        }
        IntegerMinimum::Infeasible if least.is_some() => {
            return Err(wrong("no integer point", "least", &least));
        }
        IntegerMinimum::Infeasible => {}
        IntegerMinimum::Unbounded => return Err(wrong("unbounded", "in a box", &least)),
        IntegerMinimum::Limit => return Ok(Trial { decided_by: "unknown", ..Trial::default() }),
    }
    let equalities: Vec<(usize, &Linear)> =
        rows.iter().enumerate().filter(|(_, r)| r.1).map(|(id, r)| (id, &r.0)).collect();
    match integer_solution(&equalities) {
        Some(point) => {
            let solves = |form: &Linear| form.evaluate(&point).is_zero();
            if !equalities.iter().all(|(_, form)| solves(form)) {
                return Err(wrong("an integer solution", "none", &point));
            }
        }
        None if least.is_some() => return Err(wrong("no integer solution", "least", &least)),
        None => {}
    }
    let engine = started.elapsed();
    Ok(Trial { decided_by: "equations", engine, confirmed: true, ..Trial::default() })
}

fn wrong(engine: &str, oracle: &str, what: &impl std::fmt::Debug) -> Finding {
    Finding::Wrong { engine: engine.to_owned(), oracle: format!("{oracle}: {what:?}") }
}

fn box_points(variables: &[Var]) -> Vec<Point> {
    let mut all = vec![Point::new()];
    for v in variables {
        let more = all.iter().flat_map(|point| {
            (0..=HIGH).map(|n| {
                let mut point = point.clone();
                point.insert(*v, Ratio::from(n));
                point
            })
        });
        all = more.collect();
    }
    all
}
