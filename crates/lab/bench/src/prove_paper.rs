//! What the paper on parametrized invariance publishes about its examples: Figure 7 of A. Sanchez and C. Sanchez, *Parametrized
//! Invariance for Infinite State Processes* (Acta Informatica 52, 2015).
//!
//! Its machine had a processor of 2.8 GHz and 8 GB; it gave up after 30 minutes.

/// A row of Figure 7.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Published {
    /// The name in the paper.
    pub name: &'static str,
    /// Our file, in `examples/invariants`.
    pub file: &'static str,
    /// The name of the invariant there.
    pub invariant: &'static str,
    /// How many threads the formula speaks of, as printed.
    pub index: u32,
    /// How many conditions there are.
    pub conditions: u32,
    /// How many of them locations alone prove.
    pub positions: u32,
    /// How many need another decision procedure.
    pub procedures: u32,
    /// Seconds with all invariants as support; nothing after 30 minutes.
    pub full: Option<f64>,
    /// Seconds with the support that is needed.
    pub support: Option<f64>,
    /// Seconds with support at offending transitions only.
    pub offending: Option<f64>,
    /// Seconds with all tactics.
    pub tactics: f64,
}

type Counts = [u32; 4];

const fn row(
    (name, file, invariant): (&'static str, &'static str, &'static str),
    [index, conditions, positions, procedures]: Counts,
    [full, support, offending]: [Option<f64>; 3],
    tactics: f64,
) -> Published {
    Published {
        name,
        file,
        invariant,
        index,
        conditions,
        positions,
        procedures,
        full,
        support,
        offending,
        tactics,
    }
}

const LIST: &str = "lock_coupling_list.inv";
const FUNCTIONAL: &str = "list_functional.inv";
const LOCK: &str = "ticket_lock.inv";
const SET: &str = "ticket_set.inv";
/// Given up.
const TO: Option<f64> = None;

/// Figure 7, in the order of the paper.
pub const FIGURE_7: [Published; 20] = [
    row(("list", LIST, "preserve"), [0, 61, 38, 23], [TO, TO, TO], 12.85),
    row(("order", LIST, "order"), [1, 121, 62, 59], [Some(998.35), Some(7.56), Some(2.69)], 1.20),
    row(("lock", LIST, "locks"), [1, 121, 76, 45], [Some(778.15), Some(4.82), Some(1.44)], 0.50),
    row(("next", LIST, "nexts"), [1, 121, 60, 61], [TO, TO, Some(26.58)], 1.76),
    row(("region", LIST, "region"), [1, 121, 95, 26], [TO, TO, Some(85.27)], 25.67),
    row(("disj", LIST, "disjoint"), [2, 181, 177, 4], [Some(121.74), Some(1.29), Some(1.29)], 0.22),
    row(
        ("funSearch", "list_search.inv", "funSearch"),
        [1, 208, 198, 10],
        [TO, TO, Some(6.14)],
        4.55,
    ),
    row(
        ("funInsert", "list_insert.inv", "funInsert"),
        [1, 208, 200, 8],
        [TO, TO, Some(2.04)],
        0.51,
    ),
    row(
        ("funRemove", "list_remove.inv", "funRemove"),
        [1, 208, 200, 8],
        [TO, TO, Some(2.73)],
        1.56,
    ),
    row(
        ("funSchLinear", FUNCTIONAL, "funSchLinear"),
        [1, 121, 97, 24],
        [TO, TO, Some(82.13)],
        4.63,
    ),
    row(
        ("funSchInsert", FUNCTIONAL, "funSchInsert"),
        [1, 121, 93, 28],
        [TO, TO, Some(80.20)],
        5.00,
    ),
    row(
        ("funSchRemove", FUNCTIONAL, "funSchRemove"),
        [1, 121, 93, 28],
        [TO, TO, Some(110.84)],
        5.49,
    ),
    row(("mutex", LOCK, "mutex"), [2, 28, 26, 2], [Some(0.32), Some(0.23), Some(0.10)], 0.01),
    row(
        ("minticket", LOCK, "minticket"),
        [1, 19, 18, 1],
        [Some(0.04), Some(0.04), Some(0.01)],
        0.01,
    ),
    row(("notsame", LOCK, "notsame"), [2, 28, 26, 2], [Some(0.13), Some(0.13), Some(0.10)], 0.02),
    row(
        ("activelow", LOCK, "activelow"),
        [1, 19, 17, 2],
        [Some(0.01), Some(0.01), Some(0.01)],
        0.01,
    ),
    row(("mutexS", SET, "mutex"), [2, 28, 26, 2], [Some(0.44), Some(0.38), Some(0.14)], 0.04),
    row(
        ("minticketS", SET, "minticket"),
        [1, 19, 18, 1],
        [Some(0.31), Some(0.18), Some(0.08)],
        0.01,
    ),
    row(("notsameS", SET, "notsame"), [2, 28, 26, 2], [Some(0.14), Some(0.13), Some(0.10)], 0.02),
    row(
        ("activelowS", SET, "activelow"),
        [1, 19, 17, 2],
        [Some(0.02), Some(0.02), Some(0.02)],
        0.01,
    ),
];

/// A row by its name in the paper.
///
/// ```
/// let row = ser_bench::prove_paper::published("mutex").unwrap();
/// assert_eq!(row.positions + row.procedures, row.conditions);
/// ```
pub fn published(name: &str) -> Option<&'static Published> {
    FIGURE_7.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_add_up_and_have_names_of_their_own() {
        for row in &FIGURE_7 {
            assert_eq!(row.positions + row.procedures, row.conditions, "{}", row.name);
            assert_eq!(FIGURE_7.iter().filter(|it| it.name == row.name).count(), 1, "{}", row.name);
            let slower = [row.full, row.support, row.offending];
            assert!(slower.into_iter().flatten().all(|time| time >= row.tactics), "{}", row.name);
        }
    }
}
