//! Programs with numbers that nobody needs to know, and what becomes of them with a mistake.

use ser_base::Limits;
use ser_serializability_checker::check_rules;
use ser_serializability_search::{
    Decided, Methods, Options, RuleOptions, Subject, certify_rules, decide_program,
};
use ser_syntax::core::Program;

/// What the portfolio says without looking for counterexamples, and with few states.
fn decided(text: &str, options: Options) -> Decided {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    let methods = Methods { refute: false, ..Methods::default() };
    let limits = Limits { max_states: 300, ..Limits::default() };
    let suspects = |_: &Program, _: usize, _: &Limits| None;
    let subject = Subject { program: &parse.program, text, small: None, suspects: &suspects };
    decide_program(subject, &Options { methods, ..options }, &limits, &|_| {}).0
}

/// The variables whose values the proof does without; the checker has accepted it.
fn opaque(text: &str) -> Option<Vec<String>> {
    // Variables that nobody sees stay.
    let rules = RuleOptions { slices: false, symbolic: false, ..RuleOptions::default() };
    match decided(text, Options { rules, ..Options::default() }) {
        Decided::Rules(rules, proof) => {
            let certificate = certify_rules(&proof, &rules, "p.ser", text.as_bytes());
            let limits = Limits::default();
            check_rules(&certificate, text.as_bytes(), &rules, &limits).expect("a proof");
            Some(rules.opaque().iter().cloned().collect())
        }
        _ => None,
    }
}

const LOCK: &str = "while (L) { yield }; L := 1;";

#[test]
fn numbers_that_nobody_needs_to_know() {
    for (text, values) in [
        (format!("request draw {{ {LOCK} n := N; yield; N := n + 1; L := 0; n }}"), &["N"][..]),
        (
            format!(
                "A := 1000 request pay(m in 1..500) {{ {LOCK} r := 0;
                     if (A >= m) {{ A := A - m; yield; B := B + m; r := m }}; L := 0; r }}
                 request audit {{ while (L) {{ yield }}; A + B }}"
            ),
            &["A", "B", "pay.m"],
        ),
        (
            "S := 10000
             request buy(n in 1..500) {
                 yield; ok := S >= n; if (ok) { S := S - n }; yield; if (ok) { n } else { 0 } }
             request restock(n in 1..500) { yield; S := S + n; 0 }"
                .to_owned(),
            &["S", "buy.n", "restock.n"],
        ),
        ("request next { yield; n := N; N := n + 1; yield; n }".to_owned(), &["N"]),
        // Two locks, in the order of their names.
        (
            "request move(n in 1..99) {
                 while (K) { yield }; K := 1; yield; while (L) { yield }; L := 1; yield;
                 X := X - n; yield; Y := Y + n; yield; K := 0; yield; L := 0; X }"
                .to_owned(),
            &["X", "Y", "move.n"],
        ),
        // Readers and a writer.
        (
            "request read {
                 assume(W == 0 && R < 2); R := R + 1; yield; x := X; yield;
                 assume(R > 0); R := R - 1; 0 }
             request write(n in 1..99) {
                 assume(W == 0 && R == 0); W := 1; yield; X := X + n; yield; W := 0; n }"
                .to_owned(),
            &["X", "write.n"],
        ),
        // Nothing takes many values.
        (format!("request flip {{ {LOCK} x := X; yield; X := 1 - x; L := 0; x }}"), &[]),
    ] {
        assert_eq!(opaque(&text), Some(values.iter().map(|v| (*v).to_owned()).collect()), "{text}");
    }
}

#[test]
fn a_mistake_and_there_is_no_proof() {
    for text in [
        // The lock is taken too late, given back too early, or not taken by everybody.
        "request draw { while (L) { yield }; yield; L := 1; n := N; yield; N := n + 1; L := 0; n }",
        "request draw { while (L) { yield }; L := 1; n := N; L := 0; yield; N := n + 1; n }",
        "request draw { while (L) { yield }; L := 1; n := N; yield; N := n + 1; L := 0; n }
         request skip { n := N; yield; N := n + 2; n }",
        "A := 1000
         request pay(m in 1..500) {
             while (L) { yield }; L := 1; r := 0;
             if (A >= m) { A := A - m; yield; B := B + m; r := m }; L := 0; r }
         request audit { A + B }",
        "S := 10000
         request buy(n in 1..500) {
             ok := S >= n; yield; if (ok) { S := S - n }; if (ok) { n } else { 0 } }",
        "request next { yield; n := N; yield; N := n + 1; n }",
        "request move(n in 1..99) {
             while (K) { yield }; K := 1; yield; X := X - n; K := 0; yield;
             while (L) { yield }; L := 1; yield; Y := Y + n; L := 0; X + Y }",
    ] {
        assert_eq!(opaque(text), None, "{text}");
    }
}

#[test]
fn without_the_switch_all_values_are_tracked() {
    let text = format!("request draw {{ {LOCK} n := N; yield; N := n + 1; L := 0; n }}");
    let rules = RuleOptions { opaque: false, symbolic: false, ..RuleOptions::default() };
    let answer = decided(&text, Options { rules, ..Options::default() });
    assert!(matches!(answer, Decided::TooLarge(..)), "{answer:?}");
}
