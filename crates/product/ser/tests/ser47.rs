//! The 47 benchmarks of the SER paper, where the folder with them is at hand.

use crate::common::text;
use ser_base::Limits;
use ser_serializability_search::Options;
use ser_session::{Verdict, check_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Serializable, but there is no proof yet. An entry that has become proved must go.
const NOT_YET_PROVED: &[&str] = &[];

/// The benchmarks that are not serializable, with the fewest requests that show it.
const FEWEST_REQUESTS: &[(&str, usize)] = &[
    ("a2", 2),
    ("a6", 2),
    ("c1", 2),
    ("c5", 2),
    ("c6", 2),
    ("c7", 2),
    ("d2", 2),
    ("d5", 2),
    ("e2", 7),
    ("e3", 4),
    ("e4", 5),
    ("f2", 2),
    ("f3", 2),
    ("f6", 2),
    ("f7", 2),
    ("f8", 2),
    ("g1", 3),
    ("g3", 2),
    ("g4", 3),
    ("g6", 2),
];

/// The benchmarks in which nothing interleaves once waiting is left out. These must always be
/// proved: they may not appear in [`NOT_YET_PROVED`].
const ATOMIC: &[&str] =
    &["a1", "a3", "a5", "c2", "c3", "c4", "c8", "e5", "f1", "f5", "g2", "g5", "g7"];

/// The folder, if it is here.
pub fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/benchmarks/ser47");
    if !path.join("expected.csv").is_file() {
        eprintln!("note: {} is not here; nothing is tested", path.display());
        return None;
    }
    Some(path)
}

/// File name without extension -> (path, whether the paper calls it serializable).
fn benchmarks(folder: &Path) -> BTreeMap<String, (PathBuf, bool)> {
    let table = std::fs::read_to_string(folder.join("expected.csv")).expect("expected.csv");
    let rows = table.lines().skip(1).filter(|line| !line.trim().is_empty());
    rows.map(|line| {
        let mut cells = line.split(',');
        let (file, answer) = (cells.next().expect("a file"), cells.next().expect("an answer"));
        assert!(["yes", "no"].contains(&answer), "{line}");
        let stem = file.split('.').next().expect("a stem").to_owned();
        (stem, (folder.join(file), answer == "yes"))
    })
    .collect()
}

#[test]
fn the_lists_here_agree_with_the_paper() {
    let Some(folder) = folder() else { return };
    let all = benchmarks(&folder);
    assert_eq!(all.len(), 47);
    let broken: Vec<&str> =
        all.iter().filter(|(_, (_, yes))| !yes).map(|(stem, _)| stem.as_str()).collect();
    assert_eq!(broken, FEWEST_REQUESTS.iter().map(|(stem, _)| *stem).collect::<Vec<_>>());
    for stem in ATOMIC.iter().chain(NOT_YET_PROVED) {
        assert!(all[*stem].1, "{stem} is serializable");
    }
    for stem in NOT_YET_PROVED {
        assert!(!ATOMIC.contains(stem), "{stem} must be proved");
    }
}

#[test]
fn all_47_get_the_right_verdict_with_the_fewest_requests() {
    let Some(folder) = folder() else { return };
    let mut wrong = Vec::new();
    let mut unproved = Vec::new();
    for (stem, (path, serializable)) in benchmarks(&folder) {
        let limits = Limits::default();
        let report = check_file(&text(&path), &Options::default(), &limits, &|_| {});
        let fewest = FEWEST_REQUESTS.iter().find(|(s, _)| *s == stem).map(|(_, n)| *n);
        match (&report.verdict, fewest) {
            (Verdict::Serializable { .. }, None) => assert!(serializable, "{stem}"),
            (Verdict::Unknown(_), None) => unproved.push(stem),
            (Verdict::NotSerializable { refutation, steps, .. }, Some(requests)) => {
                assert!(!serializable, "{stem}");
                if (refutation.requests, refutation.fewest) != (requests, true) {
                    let (found, sure) = (refutation.requests, refutation.fewest);
                    wrong
                        .push(format!("{stem}: {found} requests (fewest: {sure}), not {requests}"));
                }
                let numbers = steps.iter().map(|step| step.number).max();
                assert_eq!(numbers, Some(requests as u32), "{stem}: requests in the trace");
            }
            (other, _) => wrong.push(format!("{stem}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(unproved, NOT_YET_PROVED, "(left: without a proof now; right: the list)");
}
