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

/// The crates of this workspace that each of them may need, besides `ser-base`. One that is not listed
/// may need all.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ser-base", &[]),
    ("ser-bench", &[]),
    ("ser-syntax", &[]),
    ("ser-editing", &["ser-syntax"]),
    ("ser-arith", &[]),
    ("ser-draw", &[]),
    ("ser-model", &["ser-syntax"]),
    ("ser-oracle", &["ser-syntax"]),
    ("ser-net", &["ser-syntax", "ser-model"]),
    ("ser-petri", &["ser-syntax", "ser-model"]),
    ("ser-serializability-checker", &["ser-syntax", "ser-model"]),
    ("ser-clausal", &["ser-syntax", "ser-model"]),
    ("ser-sat", &["ser-syntax", "ser-model"]),
    ("ser-reachability-search", &["ser-syntax", "ser-model", "ser-sat"]),
    ("ser-invariance-checker", &["ser-clausal", "ser-syntax", "ser-model", "ser-sat"]),
    (
        "ser-invariance-search",
        &[
            "ser-editing",
            "ser-arith",
            "ser-clausal",
            "ser-syntax",
            "ser-model",
            "ser-invariance-checker",
            "ser-sat",
        ],
    ),
    ("ser-sequentialization-checker", &["ser-syntax"]),
    ("ser-sequentialization-search", &["ser-sequentialization-checker", "ser-syntax"]),
    (
        "ser-session",
        &[
            "ser-editing",
            "ser-arith",
            "ser-clausal",
            "ser-serializability-checker",
            "ser-serializability-search",
            "ser-reachability-search",
            "ser-invariance-search",
            "ser-sequentialization-checker",
            "ser-syntax",
            "ser-model",
            "ser-net",
            "ser-petri",
            "ser-report",
            "ser-draw",
            "ser-invariance-checker",
            "ser-sat",
            "ser-sequentialization-search",
        ],
    ),
    (
        "ser-lsp",
        &[
            "ser-editing",
            "ser-arith",
            "ser-clausal",
            "ser-serializability-checker",
            "ser-session",
            "ser-serializability-search",
            "ser-reachability-search",
            "ser-invariance-search",
            "ser-sequentialization-checker",
            "ser-syntax",
            "ser-model",
            "ser-net",
            "ser-petri",
            "ser-report",
            "ser-draw",
            "ser-invariance-checker",
            "ser-sat",
            "ser-sequentialization-search",
        ],
    ),
    (
        "ser-serializability-search",
        &["ser-arith", "ser-serializability-checker", "ser-syntax", "ser-model", "ser-net"],
    ),
];

#[test]
fn every_crate_knows_only_the_rooms_before_it() {
    let all = dependencies();
    for (name, allowed) in ALLOWED.iter().copied() {
        let needed = all.get(name).unwrap_or_else(|| panic!("there is no crate {name}"));
        for other in needed.iter().filter(|other| *other != "ser-base") {
            assert!(allowed.contains(&other.as_str()), "{name} must not depend on {other}");
        }
    }
}

#[test]
fn the_checker_shares_nothing_with_the_engine_but_the_front_end() {
    let needed = &dependencies()["ser-serializability-checker"];
    for other in [
        "ser-serializability-search",
        "ser-reachability-search",
        "ser-net",
        "ser-arith",
        "ser-petri",
    ] {
        assert!(!needed.contains(other), "ser-serializability-checker must not depend on {other}");
    }
    assert!(needed.contains("ser-model"), "ser-serializability-checker works on network systems");
}

#[test]
fn the_kernel_shares_nothing_with_the_search_but_the_language() {
    let all = dependencies();
    let (kernel, search) =
        (&all["ser-sequentialization-checker"], &all["ser-sequentialization-search"]);
    let shared: Vec<_> = kernel.intersection(search).collect();
    assert_eq!(shared, ["ser-base", "ser-syntax"]);
    assert!(
        !kernel.contains("ser-sequentialization-search"),
        "ser-sequentialization-checker must not depend on ser-sequentialization-search"
    );
}

#[test]
fn the_checker_of_premises_shares_nothing_with_the_search_for_invariants() {
    let all = dependencies();
    let (premises, search) = (&all["ser-invariance-checker"], &all["ser-invariance-search"]);
    for other in [
        "ser-invariance-search",
        "ser-arith",
        "ser-serializability-search",
        "ser-net",
        "ser-sequentialization-checker",
    ] {
        assert!(!premises.contains(other), "ser-invariance-checker must not depend on {other}");
    }
    // The language; limits; the check of clausal proofs; a solver, whose proofs are checked.
    let shared: Vec<_> = premises.intersection(search).collect();
    for other in shared {
        let fine = ["ser-base", "ser-clausal", "ser-syntax", "ser-model", "ser-sat"]
            .contains(&other.as_str());
        assert!(fine, "both depend on {other}");
    }
}

#[test]
fn only_the_tools_know_the_engine() {
    let tools = ["ser", "ser-session", "ser-fuzz", "ser-lsp"];
    for (name, needed) in dependencies() {
        let knows = needed.contains("ser-serializability-search");
        assert!(
            !knows || tools.contains(&name.as_str()),
            "{name} must not depend on ser-serializability-search"
        );
    }
}

#[test]
fn only_what_answers_questions_knows_event_tracing() {
    let tools = ["ser", "ser-session", "ser-fuzz", "ser-lsp"];
    for (name, needed) in dependencies() {
        let knows = needed.contains("ser-reachability-search");
        assert!(
            !knows || tools.contains(&name.as_str()),
            "{name} must not depend on ser-reachability-search"
        );
    }
}
