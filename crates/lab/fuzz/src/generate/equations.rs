//! Random systems of linear equations and inequalities.

use crate::Random;

/// Rows over a few variables that are not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equations {
    pub variables: usize,
    /// Coefficients, a constant, and whether the sum must be 0; otherwise it must not be negative.
    pub rows: Vec<(Vec<i64>, i64, bool)>,
    /// What is to be as small as possible.
    pub objective: Vec<i64>,
}

/// A random system; now and then with coefficients near the limits of machine integers.
pub fn equations(random: &mut Random) -> Equations {
    let variables = random.between(1, 3);
    let large = random.chance(10);
    let mut number = |most: i64| {
        let small = random.below(2 * most as usize + 1) as i64 - most;
        match random.below(8) {
            0 if large => i64::MAX - random.below(3) as i64,
            1 if large => i64::MIN + random.below(3) as i64,
            2 if large => small.saturating_mul(1 << 61),
            _ => small,
        }
    };
    let count = 1 + number(2).rem_euclid(4) as usize;
    let mut rows = Vec::new();
    for _ in 0..count {
        let coefficients = (0..variables).map(|_| number(3)).collect();
        rows.push((coefficients, number(6), number(2) > 0));
    }
    let objective = (0..variables).map(|_| number(2)).collect();
    Equations { variables, rows, objective }
}
