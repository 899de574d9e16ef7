//! Readers among intermediate values: programs with a proof, each premise of the theorem with a
//! program that lacks it, and programs that are not serializable, for which no list of responses is
//! accepted.

use crate::common::rules::rules_of;
use ser_base::Limits;
use ser_model::{RuleSystem, opaque_rules};
use ser_serializability_checker::{
    Accepted, Certificate, PlaceName, Proof, Reader, RuleProof, RuleReduction, Source, Verdict,
    check_rules, read,
};
use std::collections::BTreeSet;

const A: &str = "request a { if (A < 2) { A := A + 1 } else { A := 0 }; 0 }\n";
const B: &str = "request b { if (B < 2) { B := B + 1 } else { B := 0 }; 0 }\n";
const SUM: &str = "request sum { s := A; yield; s := s + B; s }\n";
const LINE: [&str; 5] = ["0", "1", "2", "3", "4"];

fn reader(request: &str, responses: &[&str]) -> Reader {
    let responses = responses.iter().map(|it| (*it).to_owned()).collect();
    Reader { request: request.to_owned(), responses }
}

/// A proof with these readers.
fn proof(readers: &[Reader], falling: &[&str]) -> RuleProof {
    RuleProof {
        reductions: vec![RuleReduction::Facts(Vec::new())],
        readers: readers.to_vec(),
        falling: falling.iter().map(|it| (*it).to_owned()).collect(),
        ..RuleProof::default()
    }
}

fn judged(rules: &RuleSystem, proof: RuleProof) -> Result<Accepted, String> {
    let verdict = Verdict::Serializable(Proof::Rules(proof));
    let certificate = Certificate { source: Source::new("p.ser", b"p"), verdict };
    // What is accepted is accepted as a text, too.
    let again = read(&certificate.to_text()).expect("its own text");
    assert_eq!(again, certificate);
    let judged = check_rules(&certificate, b"p", rules, &Limits::default());
    judged.map_err(|rejection| rejection.to_string())
}

/// What the checker says about a program whose only reader is `sum`, with these responses.
fn said(text: &str, responses: &[&str], falling: &[&str]) -> String {
    match judged(&rules_of(text), proof(&[reader("sum", responses)], falling)) {
        Ok(accepted) => accepted.to_string(),
        Err(words) => words,
    }
}

const PROVED: &str = "serializable, by rules: 1 reader of intermediate values";

#[test]
fn a_sum_over_shards_is_right_at_some_moment() {
    let sum = [A, B, SUM].concat();
    assert_eq!(said(&sum, &LINE, &[]), PROVED);
    let accepted = judged(&rules_of(&sum), proof(&[reader("sum", &LINE)], &[])).unwrap();
    assert!(!accepted.is_strict());
    // Other functions that only rise: the larger one, whether there are three, the first of them.
    let other = |response: &str| [A, B, &SUM.replace("s := s + B; s", response)].concat();
    let larger = other("b := B; if (b > s) { b } else { s }");
    assert_eq!(said(&larger, &["0", "1", "2"], &[]), PROVED);
    assert_eq!(said(&other("s + B >= 3"), &["0", "1"], &[]), PROVED);
    // A reader may decide by what it has read whether it reads more.
    let some = other("if (s == 2) { 2 } else { b := B; yield; if (b > s) { b } else { s } }");
    assert_eq!(said(&some, &["0", "1", "2"], &[]), PROVED);
    // A response may be any, if the next one comes next.
    let twice = [A, B, &SUM.replace("; s }", "; 100 - 10 * s }")].concat();
    assert_eq!(said(&twice, &["100", "90", "80", "70", "60"], &[]), PROVED);
    // Where nothing else counts, a step of two is a step to the next.
    let jump = sum.replace("A + 1", "2");
    assert_eq!(said(&jump.replace("; s }", "; s >= 1 }"), &["0", "1"], &[]), PROVED);
}

#[test]
fn variables_may_fall() {
    let a = "A := 2 request a { if (A > 0) { A := A - 1 } else { A := 2 }; 0 }\n";
    let left = "request sum { s := 2 - A; yield; s := s + B; s }";
    assert_eq!(said(&[a, B, left].concat(), &LINE, &["A"]), PROVED);
    let high = "readers: `A` is 2 at first, and may be 0, on the wrong side of that";
    assert_eq!(said(&[a, B, left].concat(), &LINE, &[]), high);
    let sum = [a, B, SUM].concat();
    let turned = "readers: where a variable is higher, `sum/4` may become `sum/3`, which is listed before it";
    assert_eq!(said(&sum, &LINE, &["A"]), turned);
}

#[test]
fn writers_may_take_several_steps() {
    let locked = "request a { while (L == 1) { yield }; L := 1; yield; \
                  if (A < 2) { A := A + 1 } else { A := 0 }; yield; L := 0; 0 }\n";
    let rules = rules_of(&[locked, B, SUM].concat());
    let frame = rules.frame();
    let mut places = BTreeSet::new();
    for rule in rules.rules() {
        let (from, to) = (frame.local_name(rule.from), frame.local_name(rule.to));
        places.extend([from, to].into_iter().filter(|it| it.starts_with("a@")));
    }
    let places = Vec::from_iter(places);
    assert!(places.len() <= 6, "{places:?}");
    let mut accepted = 0;
    for chosen in 0..1 << places.len() {
        let inside = places.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
        let after = inside.map(|(_, place)| PlaceName("a".to_owned(), (*place).to_owned()));
        let reductions = vec![RuleReduction::Stuttering, RuleReduction::Facts(Vec::new())];
        let after = after.collect();
        let proof = RuleProof { after, reductions, ..proof(&[reader("sum", &LINE)], &[]) };
        accepted += usize::from(judged(&rules, proof).is_ok());
    }
    assert!(accepted > 0);
}

#[test]
fn every_premise_is_looked_at() {
    let sum = [A, B, SUM].concat();
    let with = |from: &str, to: &str| {
        let text = sum.replace(from, to);
        assert_ne!(text, sum);
        said(&text, &LINE, &[])
    };
    insta::assert_snapshot!(
        [
            with("s := s + B; s", "s := s + B; P := 1; s"),
            with("s := s + B; s", "s := s + B; s + ?"),
            with("yield; s", "yield; assume(B > 0); s"),
            with("s := s + B", "s := s + A"),
            with("A := 0 }", "A := 0; B := 0 }"),
            with("request a", "A := 1 request a"),
            with("s + B", "s + 2 - B"),
            with("A + 1", "A + 2"),
            with("if (A < 2) { A := A + 1 } else { A := 0 }", "A := 2"),
            with("request a { if", "request a { x := A; yield; A := x; if"),
            said(&sum, &LINE[..4], &[]),
            said(&sum, &["0", "1", "2", "4", "3"], &[]),
            said(&sum, &["4", "3", "2", "1", "0"], &[]),
            said(&sum, &["0", "0"], &[]),
            said(&sum, &LINE, &["C"]),
        ]
        .join("\n")
    );
    let rules = rules_of(&sum);
    let two = proof(&[reader("sum", &LINE), reader("sum", &LINE)], &[]);
    assert_eq!(judged(&rules, two).unwrap_err(), "readers: `sum` is listed twice");
    // Where values are opaque, nobody knows what rises.
    let more = [&sum, "request c { P := 1 - P; 0 }"].concat();
    let program = ser_syntax::parse(&more).program;
    let opaque = BTreeSet::from(["P".to_owned()]);
    let rules = opaque_rules(&program, &more, &opaque, &Limits::default()).unwrap();
    let listed = RuleProof { opaque: vec!["P".to_owned()], ..proof(&[reader("sum", &LINE)], &[]) };
    let words = judged(&rules, listed).unwrap_err();
    assert_eq!(words, "readers: there are no readers where variables are opaque");
}

/// Two steps that what is seen rises in, although no reader sees the difference between them.
#[test]
fn a_writer_raises_once() {
    let twice = "request a { if (A == 0) { A := 1; yield; A := 2; 1 } else { A := 0; 0 } }\n";
    let seen = SUM.replace("s := A", "s := A >= 1");
    let text = [twice, B, &seen].concat();
    let words = said(&text, &["0", "1", "2", "3"], &[]);
    assert!(words.starts_with("effects: ") || words.contains("may do so again"), "{words}");
}

/// All orders of some responses.
fn orders<'a>(all: &[&'a str]) -> Vec<Vec<&'a str>> {
    let Some((first, rest)) = all.split_first() else { return vec![Vec::new()] };
    let mut found = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut more = order.clone();
            more.insert(at, *first);
            found.push(more);
        }
    }
    found
}

#[test]
fn what_is_not_serializable_has_no_list_of_responses() {
    let small = |text: &str| text.replace("< 2", "< 1");
    let (a, b) = (&small(A), &small(B));
    let jump = &A.replace("A + 1", "2");
    let both = "request ab { A := 1 - A; B := 1 - B; 0 }\n";
    let torn = "request a { x := A; yield; A := 1 - x; x }\n";
    let sum = |response: &str| format!("request sum {{ s := A; yield; {response} }}\n");
    let broken: [(String, &[&str]); 6] = [
        ([a, b, &*sum("s - B")].concat(), &["-1", "0", "1"]),
        ([a, b, &*sum("s + 2 * B")].concat(), &["0", "1", "2", "3"]),
        ([jump, b, &*sum("s + B")].concat(), &["0", "1", "2", "3"]),
        ([both, &*sum("s + B")].concat(), &["0", "1", "2"]),
        ([a, &*sum("s + A")].concat(), &["0", "1", "2"]),
        ([torn, b, &*sum("s + B")].concat(), &["0", "1", "2"]),
    ];
    for (text, responses) in broken {
        let rules = rules_of(&text);
        for line in orders(responses) {
            for falling in [&[][..], &["A"], &["B"], &["A", "B"]] {
                if !text.contains('B') && falling.contains(&"B") {
                    continue;
                }
                let judged = judged(&rules, proof(&[reader("sum", &line)], falling));
                assert!(judged.is_err(), "{text}{line:?} {falling:?}");
            }
        }
    }
}
