//! The rooms and doors of this house: which crate may know which.
//!
//! The one that matters: a checker knows nothing of a search. A mistake in a search can then never
//! be accepted because the same mistake is made twice.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What cargo knows of the crates of this workspace.
///
/// Nothing from outside needs a crate of this workspace, so what is listed in their own manifests
/// is all there is (and no registry has to be at hand).
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// For every crate of this workspace, by its room (`serializability/checker`), the rooms of those
/// that it needs, directly or not, without what only its tests need.
fn doors() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let room = |path: &str| {
        let path = path.trim_end_matches("/Cargo.toml");
        path.rsplit_once("/crates/").expect("a crate of this house").1.to_owned()
    };

    let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in list(&metadata["packages"]) {
        // No kind is the usual kind; the others are `dev` and `build`. A path makes it ours.
        let usual = list(&package["dependencies"]).into_iter();
        let usual = usual.filter(|d| d["kind"].is_null() && d["path"].is_string());
        let needs = usual.map(|d| room(&text(&d["path"]))).collect();
        direct.insert(room(&text(&package["manifest_path"])), needs);
    }
    let reach = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(next) = open.pop() {
            let needed = direct.get(&next).unwrap_or_else(|| panic!("where is the room {next}?"));
            open.extend(needed.iter().filter(|n| reached.insert((*n).clone())).cloned());
        }
        reached
    };
    direct.keys().map(|name| (name.clone(), reach(name))).collect()
}

/// What a room may know. A name that ends in `/` is a whole floor.
const ALLOWED: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("language/syntax", &["base"]),
    ("language/editing", &["base", "language/syntax"]),
    ("logic/arith", &["base"]),
    ("logic/clausal", &["base"]),
    ("logic/sat", &["base", "logic/clausal"]),
    ("serializability/model", &["base", "language/syntax"]),
    ("serializability/net", &["base", "language/syntax", "serializability/model"]),
    ("serializability/checker", &["base", "language/syntax", "serializability/model"]),
    ("serializability/search", &["base", "language/syntax", "logic/", "serializability/"]),
    ("reachability/model", &["base", "language/syntax", "logic/clausal", "serializability/model"]),
    (
        "reachability/checker",
        &[
            "base",
            "language/syntax",
            "logic/clausal",
            "reachability/model",
            "serializability/model",
        ],
    ),
    (
        "reachability/search",
        &["base", "language/syntax", "logic/", "reachability/", "serializability/model"],
    ),
    ("reachability/petri", &["base", "language/syntax", "serializability/model"]),
    ("sequentialization/checker", &["base", "language/syntax"]),
    ("sequentialization/search", &["base", "language/syntax", "sequentialization/checker"]),
    ("invariance/checker", &["base", "language/syntax", "logic/clausal", "logic/sat"]),
    ("invariance/search", &["base", "language/", "logic/", "invariance/checker"]),
    ("isolation/model", &["base"]),
    ("isolation/checker", &["base", "isolation/model"]),
    ("isolation/search", &["base", "isolation/model", "isolation/checker"]),
    ("isolation/server", &["base", "isolation/model"]),
    ("product/draw", &["base"]),
    ("product/report", &["base", "language/", "product/draw"]),
    ("product/render", &["base", "language/", "product/draw", "product/report"]),
    ("lab/oracle", &["base", "language/syntax"]),
    ("lab/generators", &["base", "language/syntax"]),
];

#[test]
fn every_room_knows_only_what_it_may() {
    for (room, knows) in doors() {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == room) else { continue };
        for other in knows {
            let fits = |it: &str| other == *it || it.ends_with('/') && other.starts_with(it);
            assert!(allowed.iter().any(|it| fits(it)), "{room} must not know {other}");
        }
    }
}

#[test]
fn every_room_below_the_product_is_guarded() {
    let rooms = doors();
    let open = ["product/session", "product/lsp", "product/ser", "lab/fuzz", "lab/bench"];
    for room in rooms.keys().filter(|room| !open.contains(&room.as_str())) {
        assert!(ALLOWED.iter().any(|(name, _)| name == room), "who may {room} know?");
    }
}

#[test]
fn no_checker_knows_a_search() {
    let rooms = doors();
    let checkers: Vec<_> = rooms.iter().filter(|(room, _)| room.ends_with("/checker")).collect();
    assert!(checkers.len() >= 3);
    for (checker, knows) in checkers {
        let search = knows.iter().find(|it| it.ends_with("/search") || it.ends_with("/net"));
        assert_eq!(search, None, "{checker}");
    }
}

#[test]
fn nobody_knows_the_lab_and_nobody_below_knows_the_product() {
    for (room, knows) in doors() {
        let is_lab = room.starts_with("lab/");
        let is_product = room.starts_with("product/");
        for other in knows {
            assert!(is_lab || !other.starts_with("lab/"), "{room} must not know {other}");
            let fine = is_lab || is_product || !other.starts_with("product/");
            assert!(fine, "{room} must not know {other}");
        }
    }
}

/// The second opinion shares the tree of the syntax with the first, and nothing else.
#[test]
fn the_oracle_is_independent() {
    let rooms = doors();
    let oracle = &rooms["lab/oracle"];
    assert!(
        oracle.iter().all(|it| ["base", "language/syntax"].contains(&it.as_str())),
        "{oracle:?}"
    );
}

/// Whether there is a test in a folder of sources.
fn has_tests(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => has_tests(&path),
            false => std::fs::read_to_string(path).is_ok_and(|text| text.contains("#[cfg(test)]")),
        }
    })
}

#[test]
fn no_test_is_left_out_by_a_manifest() {
    let packages = metadata()["packages"].as_array().expect("a list").clone();
    for target in packages.iter().flat_map(|it| it["targets"].as_array().expect("a list")) {
        if target["kind"] == serde_json::json!(["lib"]) {
            let lib = Path::new(target["src_path"].as_str().expect("a path"));
            let found = has_tests(lib.parent().expect("a folder"));
            assert_eq!(target["test"], found, "`test` of {} in its manifest", target["name"]);
        }
    }
}
