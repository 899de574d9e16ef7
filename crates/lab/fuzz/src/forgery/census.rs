//! Which kinds of statements a certificate makes, so that nothing is silently missed.

use serde_json::Value;
use std::collections::BTreeSet;

/// Every kind that there is.
pub const KINDS: &[&str] = &[
    "counterexample: whole",
    "counterexample: along",
    "counterexample: part",
    "counterexample: part, preemptions",
    "counterexample: strict",
    "reduction: alike",
    "reduction: slice",
    "reduction: stuttering",
    "reduction: merge",
    "reduction: exclude",
    "reduction: prophecy",
    "reduction: defer",
    "reduction: move right",
    "reduction: move left",
    "reduction: move, sharp",
    "inclusion: labels",
    "inclusion: promises",
    "inclusion: stand-ins",
    "inclusion: in flight",
    "inclusion: period",
    "inclusion: loops",
    "inclusion: debts",
    "inclusion: waiting",
    "arithmetic: words",
    "arithmetic: cycles",
    "arithmetic: merge",
    "arithmetic: split",
    "arithmetic: sign",
    "arithmetic: mod",
    "arithmetic: cut",
    "arithmetic: cut of a part",
    "arithmetic: last",
    "arithmetic: farkas",
    "arithmetic: lattice",
    "arithmetic: member",
    "rules: stuttering",
    "rules: facts",
    "rules: counts",
    "rules: defer",
    "rules: opaque",
    "rules: after",
    "no_yield",
    "slices: several",
    "slices: dropped",
    "counterexample: slice",
];

/// The kinds of statements in a certificate.
pub fn kinds(cert: &Value) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    if let Some(run) = cert.get("counterexample") {
        found.insert(match run.get("part") {
            None if run.get("along").is_some() => "counterexample: along",
            None => "counterexample: whole",
            Some(part) if part.get("preemptions").is_some() => "counterexample: part, preemptions",
            Some(_) => "counterexample: part",
        });
    }
    if cert["counterexample"].get("slice").is_some() {
        found.insert("counterexample: slice");
    }
    if cert["counterexample"].get("strict").is_some() {
        found.insert("counterexample: strict");
    }
    let Some(proof) = cert.get("proof") else { return found };
    let method = proof.get("method").and_then(Value::as_str);
    let slices = list(proof, "slices");
    if slices.len() > 1 {
        found.insert("slices: several");
    }
    for slice in slices {
        if !list(slice, "dropped").is_empty() {
            found.insert("slices: dropped");
        }
        found.extend(kinds(slice));
    }
    if method == Some("no_yield") {
        found.insert("no_yield");
    }
    let rules = method == Some("rules");
    for reduction in list(proof, "reductions") {
        found.insert(match reduction.as_str() {
            Some("slice") => "reduction: slice",
            Some("idle") if rules => "rules: stuttering",
            Some("idle") => "reduction: stuttering",
            Some("exclude") => "reduction: exclude",
            Some("prophecy") => "reduction: prophecy",
            _ if reduction.get("alike").is_some() => "reduction: alike",
            _ if reduction.get("merge").is_some() => "reduction: merge",
            _ if reduction.get("facts").is_some() => "rules: facts",
            _ if reduction.get("defer").is_some() && rules => "rules: defer",
            _ if reduction.get("defer").is_some() => "reduction: defer",
            _ if reduction["move"]["side"] == "left" => "reduction: move left",
            _ => "reduction: move right",
        });
        if reduction["move"].get("sharp").is_some() {
            found.insert("reduction: move, sharp");
        }
        if !list(reduction, "facts").is_empty() {
            found.insert("rules: counts");
        }
    }
    if !list(proof, "labels").is_empty() {
        found.insert("inclusion: labels");
    }
    if !list(proof, "promises").is_empty() {
        found.insert("inclusion: promises");
    }
    if !list(proof, "stand_ins").is_empty() {
        found.insert("inclusion: stand-ins");
    }
    if !list(proof, "after").is_empty() {
        found.insert("rules: after");
    }
    if !list(proof, "opaque").is_empty() {
        found.insert("rules: opaque");
    }
    for triple in list(proof, "invariant") {
        for entry in list(triple, "in_flight") {
            found.insert("inclusion: in flight");
            if entry["period"] != 0 {
                found.insert("inclusion: period");
            }
        }
        for element in list(triple, "serial") {
            let fields = [
                ("loops", "inclusion: loops"),
                ("debts", "inclusion: debts"),
                ("waiting", "inclusion: waiting"),
            ];
            found.extend(fields.iter().filter(|(f, _)| element.get(f).is_some()).map(|(_, k)| *k));
        }
    }
    for component in list(proof, "components") {
        found.insert(match component.get("merge") {
            Some(_) => "arithmetic: merge",
            None => "arithmetic: words",
        });
        if !list(component, "cycles").is_empty() {
            found.insert("arithmetic: cycles");
        }
    }
    list(proof, "cases").iter().for_each(|case| nodes(&case["tree"], &mut found));
    found
}

fn nodes(node: &Value, found: &mut BTreeSet<&'static str>) {
    let kinds = [
        ("split", "arithmetic: split"),
        ("sign", "arithmetic: sign"),
        ("mod", "arithmetic: mod"),
        ("cut", "arithmetic: cut"),
        ("phase", "arithmetic: cut of a part"),
        ("last", "arithmetic: last"),
        ("farkas", "arithmetic: farkas"),
        ("lattice", "arithmetic: lattice"),
        ("member", "arithmetic: member"),
    ];
    found.extend(kinds.iter().filter(|(field, _)| node.get(field).is_some()).map(|(_, k)| *k));
    for child in ["le", "gt", "negative", "zero", "positive", "none", "some", "never"] {
        if let Some(child) = node.get(child) {
            nodes(child, found);
        }
    }
    list(node, "cases").iter().for_each(|child| nodes(child, found));
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
