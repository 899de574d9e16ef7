//! Every example is read without a word.

use super::{show, snapshot};
use crate::read::read;
use std::path::Path;

pub(super) fn all() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/sql");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|it| it.expect("a file").path())
        .filter(|it| it.extension().is_some_and(|it| it == "sql"))
        .map(|it| {
            let name = it.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(it).expect("text"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_example_is_understood() {
    let files = all();
    assert!(!files.is_empty());
    for (name, text) in files {
        let read = read(&text);
        assert_eq!(read.diagnostics, [], "{name}");
        assert!(!read.program.transactions.is_empty(), "{name}");
        snapshot(&name, &show::program(&read.program));
    }
}
