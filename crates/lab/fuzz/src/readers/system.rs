//! Network systems as JSON.

use super::text;
use ser_model::{NetworkSystem, read_json, write_json};
use std::collections::BTreeSet;

/// Reads a network system. What is written of it reads as the same system.
pub fn system(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(system) = read_json(text) else { return };
    assert!(!system.requests().is_empty(), "a system without requests");
    let written = write_json(&system).to_string();
    let again = read_json(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(content(&system), content(&again));
}

/// A list of rows of names.
type Rows = BTreeSet<Vec<String>>;

/// Everything that a file says, by name.
fn content(system: &NetworkSystem) -> (String, Rows, Rows, Rows) {
    let local = |l| system.local_name(l).to_owned();
    let requests =
        system.spawns().iter().map(|(r, l)| vec![system.request_name(*r).to_owned(), local(*l)]);
    let responses =
        system.replies().iter().map(|(l, r)| vec![local(*l), system.response_name(*r).to_owned()]);
    let steps = system.steps().iter().map(|s| {
        vec![local(s.from), system.global_name(s.before), local(s.to), system.global_name(s.after)]
    });
    let initial = system.global_name(system.initial_global());
    (initial, requests.collect(), responses.collect(), steps.collect())
}
