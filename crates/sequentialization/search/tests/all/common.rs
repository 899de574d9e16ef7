//! What several tests need.

use ser_syntax::icet::ast::Protocol;
use std::path::{Path, PathBuf};

fn folder(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/messages").join(of)
}

/// The examples in a folder, with their names.
pub fn examples(of: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder(of)).expect("a folder of examples");
    let mut paths: Vec<PathBuf> = files.map(|it| it.expect("a file").path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "ser"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    paths.iter().map(read).collect()
}

pub fn example(name: &str) -> String {
    std::fs::read_to_string(folder(name)).expect("an example")
}

#[track_caller]
pub fn parse(text: &str) -> Protocol {
    let parsed = ser_syntax::icet::parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.protocol
}

/// Sizes for all sets, each on its own.
pub fn instances(protocol: &Protocol, most: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for set in &protocol.sets {
        let longer = |start: &Vec<u32>| {
            let start = start.clone();
            (set.at_least..=most.max(set.at_least))
                .map(move |size| [start.clone(), vec![size]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The same size for all sets, if they may have it.
pub fn sizes(protocol: &Protocol, most: u32) -> Vec<u32> {
    protocol.sets.iter().map(|set| set.at_least.max(most)).collect()
}
