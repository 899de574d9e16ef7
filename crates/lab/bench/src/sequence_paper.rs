//! What the paper on canonical sequentialization publishes about its benchmarks: Table 1 of Bakst, v. Gleissenthall,
//! Kici and Jhala, *Verifying Distributed Programs via Canonical Sequentialization* (OOPSLA 2017).
//!
//! Its machine was a 2.8 GHz Xeon; its times are rounded to 10 ms. Its Promela models were written by hand.

/// A row of Table 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Published {
    /// The name of our file for it, without its extension.
    pub stem: &'static str,
    /// The name in the paper.
    pub name: &'static str,
    /// How many sets of processes or of other things there are.
    pub parameters: u32,
    /// The smallest size at which Spin needed more than 60 s or 8 GB; nothing if the program is not parametric, or that is above 100.
    pub spin: Option<u32>,
    /// The size of the term.
    pub terms: u32,
    /// The time in milliseconds.
    pub milliseconds: u32,
}

const fn row(
    stem: &'static str,
    name: &'static str,
    parameters: u32,
    spin: u32,
    terms: u32,
    milliseconds: u32,
) -> Published {
    let spin = if spin == 0 { None } else { Some(spin) };
    Published { stem, name, parameters, spin, terms, milliseconds }
}

/// Table 1, in the order of the paper.
pub const TABLE_1: [Published; 17] = [
    row("ex2", "EX2", 1, 0, 69, 20),
    row("ex3", "EX3", 1, 11, 57, 20),
    row("ping-det", "PingDet", 1, 13, 83, 20),
    row("ping-iter", "PingIter", 1, 11, 63, 20),
    row("ping-sym", "PingSym", 1, 10, 44, 30),
    row("ping-sym2", "PingSym2", 1, 7, 140, 30),
    row("conc-db", "ConcDB", 1, 6, 265, 20),
    row("dist-db", "DistDB", 2, 2, 218, 20),
    row("firewall", "Firewall", 1, 9, 201, 30),
    row("lock-server", "LockServer", 1, 12, 109, 30),
    row("map-reduce", "MapReduce", 2, 4, 205, 30),
    row("parikh", "Parikh", 0, 0, 173, 20),
    row("registry", "Registry", 1, 10, 171, 30),
    row("two-buyers", "TwoBuyers", 0, 0, 332, 20),
    row("two-phase-commit", "2PCommit", 1, 6, 281, 50),
    row("work-steal", "WorkSteal", 2, 5, 141, 40),
    row("theque", "Theque", 3, 3, 1443, 100),
];

/// The row of one of our files, by its name without extension.
pub fn published(stem: &str) -> Option<&'static Published> {
    TABLE_1.iter().find(|row| row.stem == stem)
}
