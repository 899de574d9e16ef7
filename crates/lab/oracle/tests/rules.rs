//! The transcription itself: one rule at a time, and examples whose outcomes can be found by hand.

use ser_oracle::{
    Configuration, Findings, Network, Outcome, ProgramNetwork, RULES, Runs, SystemNetwork, Term,
    TooMuch, compare, core_program, small_steps,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The body of the only handler.
fn term(body: &str) -> Rc<Term> {
    let parse = ser_syntax::parse(&format!("request r {{ {body} }}"));
    assert!(!parse.has_errors(), "{body}: {:?}", parse.diagnostics);
    core_program(&parse.program).unwrap().requests[0].body.clone()
}

/// The names of the rules that apply, and what they lead to, without variables.
fn apply(body: &str) -> Vec<(&'static str, Rc<Term>)> {
    let c = Configuration::new(term(body));
    let each = |(name, rule): (&'static str, ser_oracle::Rule)| {
        rule(&c).unwrap().into_iter().map(move |c| (name, c.e))
    };
    RULES.into_iter().flat_map(each).collect()
}

/// Every rule, on the smallest term that it applies to, and what that becomes.
#[test]
fn every_rule_does_what_it_says() {
    let table = [
        ("ND-0", "?", "0"),
        ("ND-1", "?", "1"),
        ("LOCAL-READ", "x", "0"),
        ("GLOBAL-READ", "X", "0"),
        ("LOCAL-WRITE-STEP", "x := y", "x := 0"),
        ("LOCAL-WRITE-DONE", "x := 5", "5"),
        ("GLOBAL-WRITE-STEP", "X := y", "X := 0"),
        ("GLOBAL-WRITE-DONE", "X := 5", "5"),
        ("EQ-L", "x == y", "0 == y"),
        ("EQ-R", "1 == y", "1 == 0"),
        ("EQ-T", "2 == 2", "1"),
        ("EQ-F", "2 == 3", "0"),
        ("SEQ-STEP", "x; yield", "0; yield"),
        ("SEQ-DONE", "7; yield", "yield"),
        ("IF-GUARD", "if (x) { yield }", "if (0) { yield }"),
        ("IF-T", "if (1) { yield } else { 3 }", "yield"),
        ("IF-F", "if (0) { yield } else { 3 }", "3"),
        ("WHILE-UNFOLD", "while (x) { yield }", "if (x) { yield; while (x) { yield } } else { 0 }"),
        ("IF-OTHER", "if (2) { yield } else { 3 }", "yield"),
        ("CHOOSE", "choose(4..4)", "4"),
        ("UNARY-STEP", "-x", "-0"),
        ("NEGATE", "-0", "0"),
        ("NOT", "!3", "0"),
        ("BINARY-L", "x + y", "0 + y"),
        ("BINARY-R", "3 * y", "3 * 0"),
        ("BINARY-DONE", "3 * 4", "12"),
        ("AND-L", "x && y", "0 && y"),
        ("AND-FALSE", "0 && y", "0"),
        ("AND-TRUE", "2 && y", "y != 0"),
        ("OR-L", "x || y", "0 || y"),
        ("OR-FALSE", "0 || y", "y != 0"),
        ("OR-TRUE", "2 || y", "1"),
        ("RETURN-STEP", "return x", "return 0"),
        ("RETURN-OUT", "x := return 1", "return 1"),
        ("ABORT-OUT", "x := abort", "abort"),
        ("ASSUME-STEP", "assume(x)", "assume(0)"),
        ("ASSUME-TRUE", "assume(2)", "0"),
    ];
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (rule, before, after) in table {
        let steps = apply(before);
        assert!(steps.contains(&(rule, term(after))), "{rule} on {before}: {steps:?}");
        // No two rules compete, but for the two sides of the coin.
        assert_eq!(steps.len(), if before == "?" { 2 } else { 1 }, "{before}: {steps:?}");
        *found.entry(rule).or_default() += 1;
    }
    for (name, _) in RULES {
        assert_eq!(found.get(name), Some(&1), "{name}");
    }
}

#[test]
fn nothing_else_makes_a_small_step() {
    for stuck in
        ["5", "yield", "yield; 1", "assume(0)", "return 3", "x := (yield; 1)", "1 + (yield)"]
    {
        assert_eq!(apply(stuck), [], "{stuck}");
    }
}

#[test]
fn writes_change_their_own_store() {
    let local = small_steps(&Configuration::new(term("x := 5"))).unwrap().remove(0);
    assert_eq!((local.rho.get("x"), local.g.get("x")), (Some(&5), None));
    let global = small_steps(&Configuration::new(term("X := 5"))).unwrap().remove(0);
    assert_eq!((global.rho.get("X"), global.g.get("X")), (None, Some(&5)));
    // What is 0 is as if it had never been written.
    let back = Configuration { e: term("X := 0"), ..global };
    assert!(small_steps(&back).unwrap().remove(0).g.is_empty());
}

#[test]
fn values_outside_of_64_bits_are_errors() {
    let largest = "9223372036854775807";
    for body in [format!("{largest} + 1"), format!("-2 - {largest}"), format!("{largest} * 2")] {
        let mut network = program(&format!("request r {{ {body} }}"));
        assert_eq!(compare(&mut network, 1, 10), Err(TooMuch::Overflow), "{body}");
    }
}

fn program(text: &str) -> ProgramNetwork {
    ProgramNetwork::new(&ser_syntax::parse(text).program).unwrap()
}

fn outcomes(network: &mut impl Network, requests: usize, in_flight: usize) -> BTreeSet<Outcome> {
    let mut runs = Runs::new(network, in_flight);
    for _ in 0..requests {
        runs.one_more(network, 100_000).unwrap();
    }
    runs.outcomes(network)
}

fn responses(list: &[&[&str]]) -> BTreeSet<Outcome> {
    let pair = |response: &&str| ("main".to_owned(), (*response).to_owned());
    list.iter().map(|outcome| outcome.iter().map(pair).collect()).collect()
}

/// Listings 1.1 to 1.3 of the paper: without a pause, with one, and with a lock around it.
#[test]
fn the_listings_of_the_paper() {
    let mut atomic = program("request main { X := 1; y := X; X := 0; y }");
    let mut broken = program("request main { X := 1; yield; y := X; X := 0; y }");
    let mut locked = program(
        "request main { while (L == 1) { yield }; L := 1; X := 1; yield; y := X; X := 0; L := 0; y }",
    );
    for network in [&mut atomic, &mut broken, &mut locked] {
        assert_eq!(outcomes(network, 2, 1), responses(&[&["1", "1"]]));
    }
    assert_eq!(outcomes(&mut atomic, 2, 2), responses(&[&["1", "1"]]));
    assert_eq!(outcomes(&mut broken, 2, 2), responses(&[&["0", "1"], &["1", "1"]]));
    assert_eq!(outcomes(&mut locked, 2, 2), responses(&[&["1", "1"]]));
    assert!(matches!(compare(&mut locked, 3, 10_000), Ok(Findings::Unbroken { requests: 3 })));
    // Too few states for two requests, but enough for one.
    assert!(matches!(compare(&mut locked, 3, 5), Ok(Findings::Unbroken { requests: 1 })));
}

#[test]
fn parameters_are_labels_and_initial_values_count() {
    let mut network = program("X := 3 request r(p in 0..1, q in 2..2) { X + p * q }");
    let names: Vec<String> = network.req().iter().map(|(l, _)| network.request_name(*l)).collect();
    assert_eq!(names, ["r(0,2)", "r(1,2)"]);
    let expected = [("r(0,2)", "3"), ("r(1,2)", "5")];
    let expected = expected.map(|(a, b)| vec![(a.to_owned(), b.to_owned())]);
    assert_eq!(outcomes(&mut network, 1, 1), BTreeSet::from(expected));
}

/// A system may respond and go on, start in several places, and share local states.
#[test]
fn systems_are_read_as_they_stand() {
    let text = r#"{ "initial_global": "G", "requests": [["a", "L"], ["a", "M"], ["b", "M"]],
        "responses": [["L", "0"], ["M", "1"]], "transitions": [["L", "G", "M", "H"]] }"#;
    let mut system = SystemNetwork::read(text).unwrap();
    let one = |r: &str, v: &str| vec![(r.to_owned(), v.to_owned())];
    let expected = BTreeSet::from([one("a", "0"), one("a", "1"), one("b", "1")]);
    assert_eq!(outcomes(&mut system, 1, 1), expected);
    for wrong in
        ["", "[]", r#"{"initial_global": 1}"#, r#"{"initial_global": "G", "requests": [[1]]}"#]
    {
        assert!(SystemNetwork::read(wrong).is_err(), "{wrong}");
    }
}

/// Two that look before they write: whoever comes too late responds 1, or says `abort`.
#[test]
fn who_gives_up_needs_no_explanation() {
    let optimistic = |late: &str| {
        format!("request main {{ x := X; yield; if (X != x) {{ {late} }}; X := x + 1; 0 }}")
    };
    let mut counted = program(&optimistic("return 1"));
    assert!(matches!(compare(&mut counted, 3, 10_000), Ok(Findings::Broken { requests: 2, .. })));
    let mut uncounted = program(&optimistic("abort"));
    assert_eq!(compare(&mut uncounted, 3, 10_000), Ok(Findings::Unbroken { requests: 3 }));
    // What was written before is not taken back, and nobody else can have written it.
    let mut dirty = program(
        "request main { X := 1; yield; if (L) { abort }; L := 1; X := 0; L := 0; 0 }
         request wait { L := 1; yield; L := 0; X }",
    );
    assert_eq!(outcomes(&mut dirty, 1, 1).len(), 2);
    assert!(matches!(compare(&mut dirty, 3, 10_000), Ok(Findings::Broken { .. })));
}

#[test]
fn responses_of_systems_may_not_count() {
    let text = |uncounted: &str| {
        format!(
            r#"{{ "initial_global": "G", "requests": [["a", "L"]], "responses": [["M", "late"]],
            "transitions": [["L", "G", "K", "H"], ["K", "H", "K", "H"], ["L", "H", "M", "H"]]
            {uncounted} }}"#
        )
    };
    // `late` needs another one that never ends.
    let mut counted = SystemNetwork::read(&text("")).unwrap();
    assert_eq!(compare(&mut counted, 3, 1000), Ok(Findings::Unbroken { requests: 3 }));
    let names = |network: &SystemNetwork| network.counts(0);
    assert!(names(&counted));
    let uncounted = SystemNetwork::read(&text(r#", "uncounted": ["late"]"#)).unwrap();
    assert!(!names(&uncounted));
}
