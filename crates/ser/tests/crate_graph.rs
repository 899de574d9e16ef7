//! The rooms and doors of this house: which crate may know which.
//!
//! The one that matters: the checker knows nothing of the engine, of its nets and of its arithmetic.
//! A mistake in those can then never be accepted because the same mistake is made twice.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// For every crate of this workspace the others of them that it needs, directly or not, without
/// what only its tests and build scripts need.
///
/// Nothing from outside needs a crate of this workspace, so what is listed in their own manifests is
/// all there is (and no registry has to be at hand).
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();

    let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]) {
        // No kind is the usual kind; the others are `dev` and `build`. `name` is the name of the
        // package, whatever it may be called where it is used; `path` is what makes it ours.
        let usual = list(&package["dependencies"]).into_iter();
        let usual = usual.filter(|d| d["kind"].is_null() && d["path"].is_string());
        direct.insert(text(&package["name"]), usual.map(|d| text(&d["name"])).collect());
    }
    let reach = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(next) = open.pop() {
            let needed = direct.get(&next).unwrap_or_else(|| panic!("where is the crate {next}?"));
            open.extend(needed.iter().filter(|n| reached.insert((*n).clone())).cloned());
        }
        reached
    };
    direct.keys().map(|name| (name.clone(), reach(name))).collect()
}

/// The crates of this workspace that each of them may need. One that is not listed may need all.
const ALLOWED: [(&str, &[&str]); 18] = [
    ("ser-bench", &[]),
    ("ser-lang", &[]),
    ("ser-arith", &[]),
    ("ser-draw", &[]),
    ("ser-model", &["ser-lang"]),
    ("ser-oracle", &["ser-lang"]),
    ("ser-net", &["ser-lang", "ser-model"]),
    ("ser-petri", &["ser-lang", "ser-model"]),
    ("ser-cert", &["ser-lang", "ser-model"]),
    ("ser-sat", &["ser-lang", "ser-model"]),
    ("ser-events", &["ser-lang", "ser-model", "ser-sat"]),
    ("ser-premises", &["ser-cert", "ser-lang", "ser-model", "ser-sat"]),
    (
        "ser-invariant",
        &["ser-arith", "ser-cert", "ser-lang", "ser-model", "ser-premises", "ser-sat"],
    ),
    ("ser-kernel", &["ser-lang"]),
    ("ser-sequence", &["ser-kernel", "ser-lang"]),
    (
        "ser-check",
        &[
            "ser-arith",
            "ser-cert",
            "ser-engine",
            "ser-events",
            "ser-invariant",
            "ser-kernel",
            "ser-lang",
            "ser-model",
            "ser-net",
            "ser-premises",
            "ser-sat",
            "ser-sequence",
        ],
    ),
    (
        "ser-lsp",
        &[
            "ser-arith",
            "ser-cert",
            "ser-check",
            "ser-engine",
            "ser-events",
            "ser-invariant",
            "ser-kernel",
            "ser-lang",
            "ser-model",
            "ser-net",
            "ser-premises",
            "ser-sat",
            "ser-sequence",
        ],
    ),
    ("ser-engine", &["ser-arith", "ser-cert", "ser-lang", "ser-model", "ser-net"]),
];

#[test]
fn every_crate_knows_only_the_rooms_before_it() {
    let all = dependencies();
    for (name, allowed) in ALLOWED {
        let needed = all.get(name).unwrap_or_else(|| panic!("there is no crate {name}"));
        for other in needed {
            assert!(allowed.contains(&other.as_str()), "{name} must not depend on {other}");
        }
    }
}

#[test]
fn the_checker_shares_nothing_with_the_engine_but_the_front_end() {
    let needed = &dependencies()["ser-cert"];
    for other in ["ser-engine", "ser-events", "ser-net", "ser-arith", "ser-petri"] {
        assert!(!needed.contains(other), "ser-cert must not depend on {other}");
    }
    assert!(needed.contains("ser-model"), "ser-cert works on network systems");
}

#[test]
fn the_kernel_shares_nothing_with_the_search_but_the_language() {
    let all = dependencies();
    let (kernel, search) = (&all["ser-kernel"], &all["ser-sequence"]);
    let shared: Vec<_> = kernel.intersection(search).collect();
    assert_eq!(shared, ["ser-lang"]);
    assert!(!kernel.contains("ser-sequence"), "ser-kernel must not depend on ser-sequence");
}

#[test]
fn the_checker_of_premises_shares_nothing_with_the_search_for_invariants() {
    let all = dependencies();
    let (premises, search) = (&all["ser-premises"], &all["ser-invariant"]);
    for other in ["ser-invariant", "ser-arith", "ser-engine", "ser-net", "ser-kernel"] {
        assert!(!premises.contains(other), "ser-premises must not depend on {other}");
    }
    // The language; limits; the check of clausal proofs; a solver, whose proofs are checked.
    let shared: Vec<_> = premises.intersection(search).collect();
    for other in shared {
        let fine = ["ser-cert", "ser-lang", "ser-model", "ser-sat"].contains(&other.as_str());
        assert!(fine, "both depend on {other}");
    }
}

#[test]
fn only_the_tools_know_the_engine() {
    let tools = ["ser", "ser-check", "ser-fuzz", "ser-lsp"];
    for (name, needed) in dependencies() {
        let knows = needed.contains("ser-engine");
        assert!(!knows || tools.contains(&name.as_str()), "{name} must not depend on ser-engine");
    }
}

#[test]
fn only_what_answers_questions_knows_event_tracing() {
    let tools = ["ser", "ser-check", "ser-fuzz", "ser-lsp"];
    for (name, needed) in dependencies() {
        let knows = needed.contains("ser-events");
        assert!(!knows || tools.contains(&name.as_str()), "{name} must not depend on ser-events");
    }
}
