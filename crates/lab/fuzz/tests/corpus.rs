//! The corpus of the fuzz targets, tried on every reader's properties without any fuzzing.

use ser_fuzz::readers::READERS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The inputs for a reader, with their names, in order.
fn corpus(reader: &str) -> Vec<(String, Vec<u8>)> {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus").join(reader);
    let mut inputs: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| {
            let path = entry.expect("a file").path();
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
            (name.unwrap_or_default(), std::fs::read(path).expect("readable"))
        })
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn every_input_of_the_corpus_keeps_the_properties_of_its_reader() {
    let mut broken = Vec::new();
    for (reader, property) in READERS {
        let inputs = corpus(reader);
        assert!(inputs.len() >= 5, "there is no corpus for {reader}");
        for (name, data) in inputs {
            if catch_unwind(AssertUnwindSafe(|| property(&data))).is_err() {
                broken.push(format!("{reader}/{name}"));
            }
        }
    }
    assert!(broken.is_empty(), "what was said above is about {broken:?}");
}

#[test]
fn every_input_of_every_corpus_is_harmless_for_every_reader() {
    for (reader, _) in READERS {
        for (_, data) in corpus(reader) {
            for (_, property) in READERS {
                property(&data);
            }
        }
    }
}

/// Certificates of every kind are among the inputs, or the checker is not tried at all.
#[test]
fn the_corpus_has_certificates_of_every_kind() {
    let kinds = [
        ("certificate", &["inclusion", "arithmetic", "rules", "counterexample", "part"][..]),
        ("derivation", &["sequentialized", "refuted", "loop", "fork", "unfold", "draws"]),
        ("invariance", &["proved", "refuted", "farkas", "uses", "reach_cut", "extreme", "safety"]),
    ];
    for (reader, kinds) in kinds {
        let inputs = corpus(reader);
        for kind in kinds {
            let quoted = format!("\"{kind}\"");
            let has = |data: &[u8]| String::from_utf8_lossy(data).contains(&quoted);
            assert!(inputs.iter().any(|(_, data)| has(data)), "no {kind} among those of {reader}");
        }
    }
}
