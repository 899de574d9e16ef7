//! The rules of programs, and the places of requests in them.
//!
//! The crates `ser-serializability-checker` and `ser-fuzz` share this file.

use ser_base::Limits;
use ser_model::{RuleSystem, program_rules};
use ser_serializability_checker::PlaceName;
use std::collections::BTreeSet;

pub fn rules_of(text: &str) -> RuleSystem {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    program_rules(&parse.program, text, &Limits::default()).expect("few rules")
}

/// The places of requests in flight.
pub fn places_of(rules: &RuleSystem) -> Vec<PlaceName> {
    let frame = rules.frame();
    let mut found = BTreeSet::new();
    let mut open = frame.spawns().to_vec();
    while let Some((request, local)) = open.pop() {
        for rule in rules.rules_of(local) {
            if !rules.rules_of(rule.to).is_empty() && found.insert((request, rule.to)) {
                open.push((request, rule.to));
            }
        }
    }
    let name = |(request, local)| {
        let (request, local) = (frame.request_name(request), frame.local_name(local));
        PlaceName(request.to_owned(), local.to_owned())
    };
    found.into_iter().map(name).collect()
}
