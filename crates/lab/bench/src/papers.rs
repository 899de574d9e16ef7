//! What papers publish about the examples that we measure, too. Their machines were others.

/// A row of Figure 7 of A. Sánchez and C. Sánchez, *Parametrized Invariance for Infinite State
/// Processes* (Acta Informatica 52, 2015).
///
/// Its machine had a processor of 2.8 GHz and 8 GB; it gave up after 30 minutes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure7 {
    /// The name in the paper.
    pub name: &'static str,
    /// Our file, in `examples/threads`.
    pub file: &'static str,
    /// The name of the invariant there.
    pub invariant: &'static str,
    /// How many threads the formula speaks of, as printed.
    pub index: u32,
    pub conditions: u32,
    /// How many of them locations alone prove.
    pub positions: u32,
    /// How many need another decision procedure.
    pub procedures: u32,
    /// Seconds with all tactics, with support at offending transitions only, with the support that
    /// is needed, and with all invariants as support; nothing after 30 minutes.
    pub seconds: [Option<f64>; 4],
}

/// Name, file, invariant; index, conditions, positions, procedures; full support, support,
/// offending, tactics.
const FIGURE_7: &str = "
list         lock_coupling_list preserve      0  61  38 23      TO     TO     TO  12.85
order        lock_coupling_list order         1 121  62 59  998.35   7.56   2.69   1.20
lock         lock_coupling_list locks         1 121  76 45  778.15   4.82   1.44   0.50
next         lock_coupling_list nexts         1 121  60 61      TO     TO  26.58   1.76
region       lock_coupling_list region        1 121  95 26      TO     TO  85.27  25.67
disj         lock_coupling_list disjoint      2 181 177  4  121.74   1.29   1.29   0.22
funSearch    list_search        funSearch     1 208 198 10      TO     TO   6.14   4.55
funInsert    list_insert        funInsert     1 208 200  8      TO     TO   2.04   0.51
funRemove    list_remove        funRemove     1 208 200  8      TO     TO   2.73   1.56
funSchLinear list_functional    funSchLinear  1 121  97 24      TO     TO  82.13   4.63
funSchInsert list_functional    funSchInsert  1 121  93 28      TO     TO  80.20   5.00
funSchRemove list_functional    funSchRemove  1 121  93 28      TO     TO 110.84   5.49
mutex        ticket_lock        mutex         2  28  26  2    0.32   0.23   0.10   0.01
minticket    ticket_lock        minticket     1  19  18  1    0.04   0.04   0.01   0.01
notsame      ticket_lock        notsame       2  28  26  2    0.13   0.13   0.10   0.02
activelow    ticket_lock        activelow     1  19  17  2    0.01   0.01   0.01   0.01
mutexS       ticket_set         mutex         2  28  26  2    0.44   0.38   0.14   0.04
minticketS   ticket_set         minticket     1  19  18  1    0.31   0.18   0.08   0.01
notsameS     ticket_set         notsame       2  28  26  2    0.14   0.13   0.10   0.02
activelowS   ticket_set         activelow     1  19  17  2    0.02   0.02   0.02   0.01
";

/// Figure 7, in the order of the paper.
///
/// ```
/// let rows = ser_bench::papers::figure_7();
/// assert_eq!((rows.len(), rows[0].name, rows[0].seconds[0]), (20, "list", Some(12.85)));
/// ```
pub fn figure_7() -> Vec<Figure7> {
    let row = |line: &'static str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, file, invariant, counts @ ..] = words.as_slice() else { return None };
        let [index, conditions, positions, procedures, seconds @ ..] = counts else { return None };
        let [full, support, offending, tactics] = seconds else { return None };
        Some(Figure7 {
            name,
            file,
            invariant,
            index: index.parse().ok()?,
            conditions: conditions.parse().ok()?,
            positions: positions.parse().ok()?,
            procedures: procedures.parse().ok()?,
            seconds: [tactics, offending, support, full].map(|time| time.parse().ok()),
        })
    };
    FIGURE_7.lines().filter_map(row).collect()
}

/// A row of Table 1 of Bakst, v. Gleissenthall, Kici and Jhala, *Verifying Distributed Programs via
/// Canonical Sequentialization* (OOPSLA 2017).
///
/// Its machine was a 2.8 GHz Xeon; its times are rounded to 10 ms. Its Promela models were written
/// by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table1 {
    /// The name of our file for it, without its extension.
    pub stem: &'static str,
    /// The name in the paper.
    pub name: &'static str,
    /// How many sets of processes or of other things there are.
    pub parameters: u32,
    /// The smallest size at which Spin needed more than 60 s or 8 GB; nothing if the program is not
    /// parametric, or that is above 100.
    pub spin: Option<u32>,
    /// The size of the term.
    pub terms: u32,
    pub milliseconds: u32,
}

const fn row(
    stem: &'static str,
    name: &'static str,
    [parameters, spin, terms, milliseconds]: [u32; 4],
) -> Table1 {
    let spin = if spin == 0 { None } else { Some(spin) };
    Table1 { stem, name, parameters, spin, terms, milliseconds }
}

/// Table 1, in the order of the paper.
pub const TABLE_1: [Table1; 17] = [
    row("ex2", "EX2", [1, 0, 69, 20]),
    row("ex3", "EX3", [1, 11, 57, 20]),
    row("ping-det", "PingDet", [1, 13, 83, 20]),
    row("ping-iter", "PingIter", [1, 11, 63, 20]),
    row("ping-sym", "PingSym", [1, 10, 44, 30]),
    row("ping-sym2", "PingSym2", [1, 7, 140, 30]),
    row("conc-db", "ConcDB", [1, 6, 265, 20]),
    row("dist-db", "DistDB", [2, 2, 218, 20]),
    row("firewall", "Firewall", [1, 9, 201, 30]),
    row("lock-server", "LockServer", [1, 12, 109, 30]),
    row("map-reduce", "MapReduce", [2, 4, 205, 30]),
    row("parikh", "Parikh", [0, 0, 173, 20]),
    row("registry", "Registry", [1, 10, 171, 30]),
    row("two-buyers", "TwoBuyers", [0, 0, 332, 20]),
    row("two-phase-commit", "2PCommit", [1, 6, 281, 50]),
    row("work-steal", "WorkSteal", [2, 5, 141, 40]),
    row("theque", "Theque", [3, 3, 1443, 100]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_figure_7_add_up_and_have_names_of_their_own() {
        let rows = figure_7();
        assert_eq!(rows.len(), 20);
        for row in &rows {
            assert_eq!(row.positions + row.procedures, row.conditions, "{}", row.name);
            assert_eq!(rows.iter().filter(|it| it.name == row.name).count(), 1, "{}", row.name);
            let [tactics, slower @ ..] = row.seconds;
            assert!(slower.into_iter().flatten().all(|time| Some(time) >= tactics), "{}", row.name);
        }
        // Each column as a whole, against slips of the pen.
        let sum = |at: usize| rows.iter().filter_map(|row| row.seconds[at]).sum::<f64>();
        let sums = [0, 1, 2, 3].map(|at| (sum(at) * 100.0).round() as u32);
        assert_eq!(sums, [6407, 40191, 1479, 189965]);
        let conditions: u32 = rows.iter().map(|row| row.conditions).sum();
        assert_eq!((conditions, rows.iter().map(|row| row.index).sum::<u32>()), (1901, 24));
    }

    #[test]
    fn table_1_has_the_seventeen_benchmarks_of_the_paper() {
        assert_eq!(TABLE_1.len(), 17);
        let parametric = TABLE_1.iter().filter(|row| row.parameters > 0).count();
        let spins: u32 = TABLE_1.iter().filter_map(|row| row.spin).sum();
        let terms: u32 = TABLE_1.iter().map(|row| row.terms).sum();
        assert_eq!((parametric, spins, terms), (15, 109, 3995));
    }
}
