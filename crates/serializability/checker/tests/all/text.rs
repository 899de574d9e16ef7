//! Certificates as text: what they look like, that reading undoes writing, and what is unreadable.

use proptest::prelude::*;
use ser_base::Limits;
use ser_model::read_json;
use ser_serializability_checker::{
    Certificate, Counterexample, Event, InFlight, Inclusion, Label, LetterName, Move, OutcomeEntry,
    PlaceName, Promise, Proof, Reduction, SerialElement, Side, Source, StandIn, Triple, Verdict,
    check, digest, read,
};

const SYSTEM: &str = r#"{"initial_global": "X=0", "requests": [["main", "l0"]],
    "responses": [["l3", "1"]],
    "transitions": [["l0", "X=0", "l1", "X=1"], ["l1", "X=1", "l3", "X=0"]]}"#;

fn source() -> Source {
    Source::new("examples/lost_update.ser", SYSTEM.as_bytes())
}

fn counterexample() -> Certificate {
    let (number, text) = (1, str::to_owned);
    let run = vec![
        Event::Start { number, request: text("main"), local: text("l0") },
        Event::Step { number, local: text("l1"), global: text("X=1") },
        Event::Step { number, local: text("l3"), global: text("X=0") },
        Event::Respond { number, response: text("1") },
    ];
    let outcome = vec![OutcomeEntry { request: text("main"), response: text("1"), count: 1 }];
    Certificate {
        source: source(),
        verdict: Verdict::NotSerializable(Counterexample {
            along: false,
            outcome,
            run,
            strict: false,
            part: None,
            slice: None,
        }),
    }
}

fn proof() -> Certificate {
    let text = str::to_owned;
    let place = |local: &str| PlaceName(text("main"), text(local));
    let letter = || LetterName(text("main"), text("1"));
    let element = |loops: &[LetterName], debts: &[LetterName]| SerialElement {
        global: text("X=0"),
        loops: loops.to_vec(),
        debts: debts.to_vec(),
        waiting: debts.first().cloned(),
    };
    Certificate {
        source: source(),
        verdict: Verdict::Serializable(Proof::Inclusion(Inclusion {
            reductions: vec![
                Reduction::Slice,
                Reduction::Stuttering,
                Reduction::Merge(vec![vec![place("l1"), place("l2")]]),
                Reduction::Exclude,
                Reduction::Move(Move { place: place("l1"), side: Side::Right, sharp: false }),
                Reduction::Move(Move { place: place("l2"), side: Side::Left, sharp: true }),
            ],
            labels: vec![Label { request: text("main"), local: text("l1"), response: text("1") }],
            promises: vec![Promise {
                request: text("main"),
                local: text("l1"),
                loops: vec![letter()],
            }],
            stand_ins: vec![StandIn {
                global: text("X=1"),
                instead_of: text("X=0"),
                loops: vec![letter()],
            }],
            invariant: vec![
                Triple {
                    global: text("X=0"),
                    in_flight: vec![],
                    serial: vec![element(&[letter()], &[])],
                },
                Triple {
                    global: text("X=1"),
                    in_flight: vec![InFlight {
                        request: text("main"),
                        local: text("l1"),
                        count: 1,
                        period: 0,
                    }],
                    serial: vec![element(&[letter()], &[letter()]), element(&[], &[])],
                },
            ],
        })),
    }
}

fn arithmetic() -> Certificate {
    let text = format!(
        r#"{{"format": "ser-certificate", "version": 1, "source": {{"file": "examples/lost_update.ser", "sha256": "{}"}},
        "verdict": "serializable", "proof": {{"method": "arithmetic", "reductions": ["slice"],
        "transitions": [{{"before": "X=0", "after": "X=1", "gives": ["main", "l1"]}},
            {{"before": "X=1", "takes": ["main", "l1"], "after": "X=0", "responds": ["main", "1"]}}],
        "components": [{{"word": []}}, {{"word": [[["main", "1"], "X=0"]], "cycles": [{{"at": 1, "word": [[["main", "1"], "X=0"]]}}]}},
            {{"merge": [0, 1], "period": 0}}],
        "cases": [
            {{"final": "X=0", "tree": {{"split": {{"t1": "1"}}, "at": 7, "name": "a",
                "le": {{"member": {{"component": 2, "lambda": [{{"t1": "1"}}], "nonneg": [{{}}], "equal": [{{}}]}}}},
                "gt": {{"mod": {{"t1": "1", "1": "-1"}}, "q": 1, "name": "b", "variable": "y0", "cases": [
                    {{"member": {{"component": 1, "lambda": [{{"y0": "1"}}], "nonneg": [{{"a": "1", "b": "-1"}}], "equal": [{{"b": "1"}}]}}}}]}}}}}},
            {{"final": "X=1", "tree": {{"last": 1, "name": "p",
                "never": {{"farkas": {{"global X=0": "-1", "place main l1": "-1"}}}},
                "some": {{"cut": [{{"global": "X=1"}}, {{"request": "main", "local": "l1"}}], "side": "start", "phase": "p", "part": "first", "name": "c",
                    "none": {{"farkas": {{"global X=0": "-1", "place main l1": "-1"}}}},
                    "some": {{"lattice": {{"global X=0": "1/2", "place main l1": "1/2"}}}}}}}}}}]}}}}"#,
        digest(SYSTEM.as_bytes())
    );
    read(&text).expect("readable")
}

#[test]
fn an_argument_by_arithmetic_reads_well() {
    let certificate = arithmetic();
    let system = read_json(SYSTEM).expect("a system");
    let accepted = check(&certificate, SYSTEM.as_bytes(), &system, &Limits::default());
    let expected = "serializable, by arithmetic: 3 components, 5 cases in trees of 9 nodes";
    assert_eq!(accepted.map(|a| a.to_string()), Ok(expected.to_owned()));
    insta::assert_snapshot!(certificate.to_text(), @r#"
    {
      "format": "ser-certificate",
      "version": 1,
      "source": {"file": "examples/lost_update.ser", "sha256": "38b4b0e1a9da1ba14ecc0ad9fde40c3f98904c163bfb432809f5112a673c7c72"},
      "verdict": "serializable",
      "proof": {
        "method": "arithmetic",
        "reductions": [
          "slice"
        ],
        "transitions": [
          {"before": "X=0", "after": "X=1", "gives": ["main", "l1"]},
          {"before": "X=1", "takes": ["main", "l1"], "after": "X=0", "responds": ["main", "1"]}
        ],
        "components": [
          {"word": [], "cycles": []},
          {"word": [[["main", "1"], "X=0"]], "cycles": [{"at": 1, "word": [[["main", "1"], "X=0"]]}]},
          {"merge": [0, 1], "period": 0}
        ],
        "cases": [
          {"final": "X=0", "tree": {"split": {"t1": "1"}, "at": 7, "name": "a", "le": {"member": {"component": 2, "lambda": [{"t1": "1"}], "nonneg": [{}], "equal": [{}]}}, "gt": {"mod": {"1": "-1", "t1": "1"}, "q": 1, "name": "b", "variable": "y0", "cases": [{"member": {"component": 1, "lambda": [{"y0": "1"}], "nonneg": [{"a": "1", "b": "-1"}], "equal": [{"b": "1"}]}}]}}},
          {"final": "X=1", "tree": {"last": 1, "name": "p", "never": {"farkas": {"global X=0": "-1", "place main l1": "-1"}}, "some": {"cut": [{"global": "X=1"}, {"request": "main", "local": "l1"}], "side": "start", "phase": "p", "part": "first", "name": "c", "none": {"farkas": {"global X=0": "-1", "place main l1": "-1"}}, "some": {"lattice": {"global X=0": "1/2", "place main l1": "1/2"}}}}}
        ]
      }
    }
    "#);
}

#[test]
fn a_counterexample_reads_well() {
    insta::assert_snapshot!(counterexample().to_text(), @r#"
    {
      "format": "ser-certificate",
      "version": 1,
      "source": {"file": "examples/lost_update.ser", "sha256": "38b4b0e1a9da1ba14ecc0ad9fde40c3f98904c163bfb432809f5112a673c7c72"},
      "verdict": "not_serializable",
      "counterexample": {
        "outcome": [
          {"request": "main", "response": "1", "count": 1}
        ],
        "run": [
          {"request": 1, "start": "main", "local": "l0"},
          {"request": 1, "step": {"local": "l1", "global": "X=1"}},
          {"request": 1, "step": {"local": "l3", "global": "X=0"}},
          {"request": 1, "respond": "1"}
        ]
      }
    }
    "#);
}

#[test]
fn a_proof_reads_well() {
    insta::assert_snapshot!(proof().to_text(), @r#"
    {
      "format": "ser-certificate",
      "version": 1,
      "source": {"file": "examples/lost_update.ser", "sha256": "38b4b0e1a9da1ba14ecc0ad9fde40c3f98904c163bfb432809f5112a673c7c72"},
      "verdict": "serializable",
      "proof": {
        "method": "inclusion",
        "reductions": [
          "slice",
          "idle",
          {"merge": [[["main", "l1"], ["main", "l2"]]]},
          "exclude",
          {"move": {"place": ["main", "l1"], "side": "right"}},
          {"move": {"place": ["main", "l2"], "side": "left", "sharp": true}}
        ],
        "labels": [
          {"request": "main", "local": "l1", "response": "1"}
        ],
        "promises": [
          {"request": "main", "local": "l1", "loops": [["main", "1"]]}
        ],
        "stand_ins": [
          {"global": "X=1", "instead_of": "X=0", "loops": [["main", "1"]]}
        ],
        "invariant": [
          {"global": "X=0", "serial": [{"global": "X=0", "loops": [["main", "1"]]}]},
          {"global": "X=1", "in_flight": [{"request": "main", "local": "l1", "count": 1, "period": 0}], "serial": [{"global": "X=0", "loops": [["main", "1"]], "debts": [["main", "1"]], "waiting": ["main", "1"]}, {"global": "X=0"}]}
        ]
      }
    }
    "#);
}

#[test]
fn reading_undoes_writing() {
    for certificate in [counterexample(), proof(), arithmetic()] {
        let text = certificate.to_text();
        assert_eq!(read(&text), Ok(certificate));
    }
}

#[test]
fn unreadable_texts_name_the_place() {
    let (run, proof) = (counterexample().to_text(), proof().to_text());
    // (text, what is replaced, by what, the message)
    let table = [
        (&run, "{\n  \"format\"", "[\n  \"format\"", "line 2, column 11: expected `,` or `]`"),
        (
            &run,
            "ser-certificate",
            "ser-certifikat",
            "format: expected \"ser-certificate\", found \"ser-certifikat\"",
        ),
        (&run, "\"format\": \"ser-certificate\",", "", "format: this field is missing"),
        (
            &run,
            "\"version\": 1",
            "\"version\": 2",
            "version: this is version 2 of the format; version 1 is read here",
        ),
        (
            &run,
            "\"version\": 1",
            "\"version\": \"1\"",
            "version: this is version \"1\" of the format; version 1 is read here",
        ),
        (&run, "  \"version\": 1,\n", "", "version: this field is missing"),
        (
            &run,
            "\"version\": 1,",
            "\"version\": 1, \"version\": 1,",
            "line 3, column 25: duplicate field `version`",
        ),
        (
            &run,
            "\"version\": 1,",
            "\"version\": 1, \"author\": \"me\",",
            "line 3, column 24: unknown field `author`, expected one of `format`, `version`, `source`, `verdict`, `counterexample`, `proof`",
        ),
        (
            &run,
            "\"not_serializable\"",
            "\"serializable\"",
            "verdict: `serializable` needs a `proof` and no `counterexample`",
        ),
        (
            &run,
            "\"not_serializable\"",
            "\"maybe\"",
            "verdict: `maybe` is neither `serializable` nor `not_serializable`",
        ),
        (
            &run,
            "\"counterexample\"",
            "\"proof\"",
            "line 7, column 13: unknown field `outcome`, expected one of `method`, `reductions`, `labels`, `promises`, `stand_ins`, `invariant`, `transitions`, `components`, `cases`, `opaque`, `after`, `readers`, `falling`, `waiting_counts`, `waiting`, `defer`, `begin`, `counts`, `facts`, `slices`",
        ),
        (
            &proof,
            "\"serializable\"",
            "\"not_serializable\"",
            "verdict: `not_serializable` needs a `counterexample` and no `proof`",
        ),
        (
            &run,
            "\"start\": \"main\", ",
            "",
            "line 11, column 35: an event has either `start` and `local`, or `step`, or `respond`",
        ),
        (
            &run,
            "\"respond\": \"1\"",
            "\"respond\": \"1\", \"start\": \"main\"",
            "line 14, column 53: an event has either `start` and `local`, or `step`, or `respond`",
        ),
        (
            &run,
            "\"respond\": \"1\"",
            "\"answer\": \"1\"",
            "line 14, column 29: unknown field `answer`, expected one of `request`, `start`, `local`, `step`, `respond`",
        ),
        (
            &run,
            "\"respond\": \"1\"",
            "\"respond\": 1",
            "line 14, column 33: invalid type: integer `1`, expected a string",
        ),
        (
            &run,
            "{\"request\": 1, \"respond\"",
            "{\"request\": -1, \"respond\"",
            "line 14, column 20: invalid value: integer `-1`, expected u64",
        ),
        (
            &run,
            "\"count\": 1",
            "\"count\": 1.0",
            "line 8, column 55: invalid type: floating point `1.0`, expected u64",
        ),
        (&proof, "\"inclusion\"", "\"magic\"", "proof.method: there is no method `magic`"),
        (
            &proof,
            "\"idle\"",
            "\"lazy\"",
            "line 10, column 12: unknown variant `lazy`, expected one of `slice`, `idle`, `merge`, `exclude`, `prophecy`, `facts`, `move`, `defer`, `alike`",
        ),
        (
            &proof,
            "\"side\": \"right\"",
            "\"side\": \"up\"",
            "line 13, column 53: unknown variant `up`, expected `right` or `left`",
        ),
        (
            &proof,
            "\"sharp\": true",
            "\"blunt\": true",
            "line 14, column 64: unknown field `blunt`, expected one of `place`, `side`, `sharp`",
        ),
        (&proof, "\"count\": 1, ", "", "line 27, column 85: missing field `count`"),
        (
            &proof,
            "\"debts\": [[\"main\", \"1\"]]",
            "\"debts\": [[\"main\"]]",
            "line 27, column 173: invalid length 1, expected tuple struct LetterName with 2 elements",
        ),
    ];
    for (text, old, new, expected) in table {
        assert!(text.contains(old), "{old}");
        let message = match read(&text.replacen(old, new, 1)) {
            Ok(_) => "readable".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(message, expected, "`{old}` -> `{new}`");
    }
    assert!(read("").is_err());
    assert!(read(&format!("{run}{run}")).is_err());
    assert!(read(&"[".repeat(100_000)).is_err());
    let huge = " ".repeat(ser_serializability_checker::MAX_TEXT_BYTES + 1);
    let message = read(&huge).map_err(|e| e.to_string());
    let expected = "the certificate has 67108865 bytes; the limit is 67108864";
    assert_eq!(message, Err(expected.to_owned()));
}

/// Any text at all in the places where names are.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,3}", any::<String>()]
}

fn event() -> impl Strategy<Value = Event> {
    (0..3, any::<u64>(), name(), name()).prop_map(|(kind, number, a, b)| match kind {
        0 => Event::Start { number, request: a, local: b },
        1 => Event::Step { number, local: a, global: b },
        _ => Event::Respond { number, response: a },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_run_can_be_written_and_read(run in proptest::collection::vec(event(), 0..5), file in name()) {
        let certificate = Certificate {
            source: Source { file, sha256: String::new(), query: None },
            verdict: Verdict::NotSerializable(Counterexample { outcome: vec![], run, strict: false, part: None, slice: None, along: false }),
        };
        prop_assert_eq!(read(&certificate.to_text()), Ok(certificate));
    }

    /// Reading and checking a certificate that something has happened to never panics.
    #[test]
    fn damaged_certificates_do_no_harm(
        which in 0..3,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..6), 1..4),
    ) {
        let mut text = [counterexample(), proof(), arithmetic()][which as usize].to_text();
        for (at, from, kind) in edits {
            // All of it is ASCII, and stays so.
            let (at, from) = (at.index(text.len()), from.index(text.len()));
            match kind {
                0 => text.truncate(at + 1),
                1 => text.insert(at, char::from(text.as_bytes()[from])),
                2 => text.insert_str(at, "9999999999999999999"),
                3 => { text.remove(at); text.push(' '); }
                4 => {
                    let piece: String = text.chars().skip(from).take(12).collect();
                    text.insert_str(at, &piece);
                }
                _ => {
                    let name = ["main", "l1", "X=1", "slice", "[]", "0", "t1", "1/2"][from % 8];
                    let digits = |c: char| c.is_ascii_digit();
                    if let Some(found) = text[at..].find(digits) {
                        text.replace_range(at + found..=at + found, name);
                    }
                }
            }
        }
        if let Ok(certificate) = read(&text) {
            prop_assert_eq!(read(&certificate.to_text()), Ok(certificate.clone()));
            let system = read_json(SYSTEM).expect("a system");
            let mut certificate = certificate;
            certificate.source = source();
            let _ = check(&certificate, SYSTEM.as_bytes(), &system, &Limits::default());
        }
    }
}

#[test]
fn texts_up_to_the_limit_are_read() {
    let blank = " ".repeat(ser_serializability_checker::MAX_TEXT_BYTES);
    assert!(matches!(read(&blank), Err(ser_serializability_checker::ReadError::Syntax { .. })));
    let bytes = blank.len() + 1;
    let more = format!("{blank} ");
    assert_eq!(read(&more), Err(ser_serializability_checker::ReadError::TooLarge { bytes }));
}
