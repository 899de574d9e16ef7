//! What the examples of SQL need, and the runs that show it.

use ser_base::Limits;
use ser_isolation_model::ast::Level;
use ser_isolation_search::anomaly::{Effort, Searched, find};
use std::path::Path;

#[test]
fn cycles_of_examples_are_seen_in_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/sql");
    let mut names: Vec<_> =
        std::fs::read_dir(folder).expect("examples").flatten().map(|it| it.path()).collect();
    names.sort();
    let mut lines = Vec::new();
    for path in names {
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = ser_isolation_model::read::read(&text).program;
        for level in [Level::ReadCommitted, Level::RepeatableRead, Level::Serializable] {
            let start = std::time::Instant::now();
            let levels = vec![level; program.transactions.len()];
            let answer = ser_isolation_search::decide(&program, &levels, &Limits::default());
            let (robust, cycle) = match &answer {
                Ok(ser_isolation_search::Answer::Robust(_)) => ("robust", None),
                Ok(ser_isolation_search::Answer::Cycle(it)) => ("cycle", Some(&**it)),
                _ => ("outside", None),
            };
            let proof = start.elapsed();
            let start = std::time::Instant::now();
            let found = find(&program, &levels, cycle, Effort::default(), &Limits::default());
            let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
            let found = match found {
                Searched::Anomaly(it) => {
                    let calls = it
                        .calls
                        .iter()
                        .map(|it| program.transactions[it.transaction].name.text.as_str());
                    format!("anomaly of {}", calls.collect::<Vec<_>>().join(", "))
                }
                Searched::Nothing { runs, beyond } => format!("nothing {runs} {beyond:?}"),
            };
            lines.push(format!(
                "{name} {level}: {robust} ({proof:?}), {found} ({:?})",
                start.elapsed()
            ));
        }
    }
    println!("{}", lines.join("\n"));
}
