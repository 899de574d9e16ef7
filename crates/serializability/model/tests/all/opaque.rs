//! Rules where some values are opaque: nobody keeps track of them.

use ser_base::Limits;
use ser_model::{ExploreError, Precision, RuleSystem, coarse_rules, opaque_rules, program_rules};
use std::collections::BTreeSet;

fn rules(text: &str, opaque: &[&str]) -> Result<RuleSystem, ExploreError> {
    let program = ser_syntax::parse(text).program;
    let opaque = opaque.iter().map(|name| (*name).to_owned()).collect();
    opaque_rules(&program, text, &opaque, &Limits::default())
}

/// `from X=1 -> to Y:=2, precision`, sorted.
fn shown(rules: &RuleSystem) -> Vec<String> {
    let frame = rules.frame();
    let mut lines = Vec::new();
    for rule in rules.rules() {
        let mut line = frame.local_name(rule.from).to_owned();
        for (v, x) in &rule.footprint.reads {
            line += &format!(" {}={}", frame.variables()[v.index()].name, frame.value_name(*v, *x));
        }
        line += &format!(" -> {}", frame.local_name(rule.to));
        for (v, x) in &rule.footprint.writes {
            line +=
                &format!(" {}:={}", frame.variables()[v.index()].name, frame.value_name(*v, *x));
        }
        lines.push(format!("{line}, {:?}", rule.precision));
    }
    lines.sort();
    lines
}

#[test]
fn what_is_computed_from_an_opaque_value_is_opaque() {
    let text = "request add(n in 1..9) { X := X + n; L := 1; yield; n }";
    assert_eq!(
        shown(&rules(text, &["X", "add.n"]).unwrap()),
        [
            "add@1:31[n=?] X=? -> add@1:53[n=?] X:=? L:=1, Opaque",
            "add@1:53[n=?] -> done(?), Opaque"
        ]
    );
}

#[test]
fn a_branch_on_an_opaque_value_goes_both_ways() {
    let text = "request r { if (X > 2) { 1 } else { 0 } }";
    let both = ["r@1:17 X=? -> done(0), Opaque", "r@1:17 X=? -> done(1), Opaque"];
    assert_eq!(shown(&rules(text, &["X"]).unwrap()), both);
    // Nobody needs to know what X is.
    assert_eq!(shown(&rules(text, &[]).unwrap()), ["r@1:17 X=0 -> done(0), Exact"]);
    // An assumption may hold.
    let text = "request r { assume(X > 2); 1 }";
    assert_eq!(shown(&rules(text, &["X"]).unwrap()), ["r@1:20 X=? -> done(1), Opaque"]);
}

#[test]
fn a_request_that_waits_keeps_what_it_has_in_hand() {
    let text = "request r(n in 1..9) { while (L) { yield }; L := 1; n }";
    assert_eq!(
        shown(&rules(text, &["r.n"]).unwrap()),
        ["r@1:31[n=?] L=0 -> done(?) L:=1, Opaque", "r@1:31[n=?] L=1 -> r@1:31[n=?], Waits",]
    );
    // In the same place, with another value.
    let text = "request r(n in 1..9) { k := n; while (L) { k := k + 1; yield }; L := 1; k }";
    let lines = shown(&rules(text, &["r.n"]).unwrap());
    assert!(lines.iter().all(|line| !line.ends_with("Waits")), "{lines:?}");
    // Two values that change places.
    let text = "request r(m in 1..9, n in 1..9) {
        k := m; l := n; yield; while (L) { h := k; k := l; l := h; yield }; L := 1; k - l }";
    let lines = shown(&rules(text, &["r.m", "r.n"]).unwrap());
    assert!(lines.iter().all(|line| !line.ends_with("Waits")), "{lines:?}");
}

#[test]
fn whatever_takes_an_opaque_value_is_opaque() {
    let text = "request r { Y := X; yield; Z := Y; W := 1 }";
    let found = rules(text, &["X"]).unwrap();
    assert_eq!(Vec::from_iter(found.opaque()), ["X", "Y", "Z"]);
    assert!(found.rules().iter().all(|rule| rule.precision == Precision::Opaque));
}

#[test]
fn an_opaque_variable_that_is_written_back_is_written() {
    let text = "request flip { X := 1 - X; 0 }";
    assert_eq!(shown(&rules(text, &["X"]).unwrap()), ["flip@1:25[1] X=? -> done(0) X:=?, Opaque"]);
}

#[test]
fn names_of_nothing_are_not_opaque() {
    let text = "request r(n in 0..1) { X := n; n }";
    for names in [&["Y"][..], &["n"], &["r.k"], &["r"], &["s.n"], &["", "."]] {
        let found = rules(text, names).unwrap();
        assert!(found.opaque().is_empty(), "{names:?}");
        let program = ser_syntax::parse(text).program;
        assert_eq!(found, program_rules(&program, text, &Limits::default()).unwrap());
    }
}

#[test]
fn a_loop_that_nobody_sees_the_end_of_is_an_error() {
    let text = "request r { i := 0; while (i < X) { i := i + 1 }; i }";
    assert!(matches!(rules(text, &["X"]), Err(ExploreError::EndlessStep { .. })));
    // Overflow is one only where numbers are known.
    let text = "request r { X := X * X; yield; X := X * 9223372036854775807 }";
    assert!(rules(text, &["X"]).is_ok());
}

#[test]
fn coarse_rules_leave_out_what_takes_many_values() {
    for (text, opaque) in [
        ("request r { X := 1 - X; yield; X }", &[][..]),
        ("request r { X := X + 1; yield; Y := 1 }", &["X"]),
        ("request r(n in 1..7) { X := n; yield; Y := 1 }", &[]),
        ("request r(n in 1..9) { X := n; yield; Y := 1 }", &["X", "r.n"]),
        ("request r(m in 0..1, n in 1..99) { if (m) { X := n }; yield; Y := m }", &["X", "r.n"]),
    ] {
        let program = ser_syntax::parse(text).program;
        let coarse = coarse_rules(&program, text, &Limits::default()).unwrap();
        assert_eq!(Vec::from_iter(coarse.opaque()), opaque, "{text}");
        let names: BTreeSet<String> = coarse.opaque().clone();
        let again = opaque_rules(&program, text, &names, &Limits::default()).unwrap();
        assert_eq!(coarse, again, "{text}");
    }
}
