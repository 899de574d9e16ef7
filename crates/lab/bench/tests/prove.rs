//! `ser-bench prove`: our conditions and times beside the paper's.

use crate::common::{Output, folder, ser_in, text};
use crate::json;
use ser_bench::papers;
use std::path::Path;

fn bench(arguments: &[&str]) -> Output {
    let all: Vec<&str> = ["prove"].into_iter().chain(arguments.iter().copied()).collect();
    ser_in(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../..")), &all, b"", &[])
}

#[test]
fn the_ticket_locks_have_the_papers_conditions() {
    let rows = [
        "mutex",
        "minticket",
        "notsame",
        "activelow",
        "mutexS",
        "minticketS",
        "notsameS",
        "activelowS",
    ];
    let options = ["--repeat", "1", "--no-date", "--format", "json"];
    let arguments: Vec<&str> = rows.into_iter().chain(options).collect();
    let output = bench(&arguments);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    let found = report["conditions"].as_array().expect("rows");
    assert_eq!(found.len(), rows.len());
    for (row, paper) in found.iter().zip(papers::figure_7().iter().skip(12)) {
        assert_eq!(row["row"], paper.name, "{row:#}");
        assert_eq!(row["conditions"], paper.conditions, "{row:#}");
        assert_eq!(row["threads"], paper.index, "{row:#}");
        let by = row.as_object().expect("a row").iter().filter(|(name, _)| name.starts_with("by_"));
        let sum: u64 = by.filter_map(|(_, count)| count.as_u64()).sum();
        assert_eq!(Some(sum), row["conditions"].as_u64(), "{row:#}");
    }
    let measured = report["rows"].as_array().expect("measurements");
    assert_eq!(measured.len(), 8 * rows.len());
    // Every setting proves it.
    assert!(measured.iter().all(|it| it["seconds"].is_number()), "{report:#}");
}

#[test]
fn what_is_not_there_is_told() {
    let row = bench(&["mutx"]);
    assert_eq!(row.code, Some(2), "{row:?}");
    assert!(row.stderr.contains("the rows are list, order"), "{row:?}");
    let missing = bench(&["mutex", "--folder", &text(&folder("bench_prove_nothing"))]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(
        missing.stderr.contains("ticket_lock.ser") && missing.stderr.contains("--folder"),
        "{missing:?}"
    );
}

#[test]
fn a_row_that_takes_too_long_is_no_verdict() {
    let output = bench(&["list", "--timeout", "0.001", "--no-date"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("TO"), "{output:?}");
}
