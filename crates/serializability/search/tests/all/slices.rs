//! Programs slice by slice: which slices there are, and what is decided about them.

use ser_base::Limits;
use ser_serializability_checker::{Certificate, Proof, Slice, SliceProof, Verdict, check_text};
use ser_serializability_search::{
    Answer, Decided, Options, Subject, certify, certify_no_yield, certify_part, certify_rules,
    certify_slices, decide_program, find_slices, in_slice,
};
use ser_syntax::core::Program;
use std::time::Duration;

fn program(text: &str) -> Program {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    parse.program
}

/// The slices as `a b - X a.x | c`: handlers, and what is left out.
fn shown(text: &str) -> String {
    let slices = find_slices(&program(text), &Limits::default()).unwrap_or_default();
    let show = |slice: &Slice| match slice.dropped.as_slice() {
        [] => slice.requests.join(" "),
        dropped => format!("{} - {}", slice.requests.join(" "), dropped.join(" ")),
    };
    slices.iter().map(show).collect::<Vec<_>>().join(" | ")
}

fn decided(text: &str, limits: &Limits) -> Decided {
    let program = program(text);
    let nobody = |_: &Program, _: usize, _: &Limits| None;
    let subject = Subject { program: &program, text, small: None, suspects: &nobody };
    decide_program(subject, &Options::default(), limits, &|_| {}).0
}

fn limits() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(60))
}

/// The certificate of an answer, if it is one about slices.
fn certificate(text: &str) -> Certificate {
    let source = text.as_bytes();
    let plain = |decided: &Decided| match decided {
        Decided::NoYield => certify_no_yield("p.ser", source),
        Decided::Rules(rules, proof) => certify_rules(proof, rules, "p.ser", source),
        Decided::Part(found) => certify_part(found, "p.ser", source),
        Decided::Whole(model, answer, _) => {
            certify(answer, model.system(), "p.ser", source).expect("an answer")
        }
        other => panic!("{other:?}"),
    };
    match decided(text, &limits()) {
        Decided::Slice(found) => in_slice(plain(&found.decided), &found.slice),
        Decided::Slices(all) => {
            let proof = |decided: &Decided| match plain(decided).verdict {
                Verdict::Serializable(proof) => proof,
                Verdict::NotSerializable(run) => panic!("{run:?}"),
            };
            let proofs = all.iter().map(|it| (it.slice.clone(), proof(&it.decided))).collect();
            certify_slices(proofs, "p.ser", source)
        }
        other => panic!("{other:?}"),
    }
}

fn said(certificate: &Certificate, text: &str) -> String {
    match check_text(certificate, text.as_bytes(), &program(text), &limits()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

#[test]
fn what_nobody_sees_is_left_out() {
    for (text, slices) in [
        // Most programs are one slice.
        ("request a { x := X; yield; X := 1 - x; x }", ""),
        ("request a { X := 1; 0 } request b { X }", ""),
        ("request a { N := N + 1; yield; N := N - 1; 0 }", "a - N"),
        ("request hit(v in 1..6) { x := X; yield; X := 1 - x; v }", "hit - X hit.x"),
        // Through other variables, local ones too.
        ("request a { y := N; Y := y; 0 } request b { z := Y; z }", ""),
        ("request a { N := M; M := N; 0 } request b { X := 1 - X }", "a - M N | b"),
        // One whom a condition keeps is kept with all that it depends on.
        ("request a { N := M; if (N) { yield }; 0 } request b { M := 1; K := M; 0 }", "a b - K"),
        ("request a { assume(N < 3); N := N + 1; yield; 0 }", ""),
        ("request a { while (N) { N := N - 1 }; M := N; 0 }", "a - M"),
        // Variables of its own are no reason to do anything, nor are those that nobody changes.
        ("request a { x := 1; yield; 0 }", ""),
        ("request a { x := X; yield; 0 }", ""),
    ] {
        assert_eq!(shown(text), slices, "{text}");
    }
}

#[test]
fn handlers_are_together_if_they_share_what_one_of_them_assigns() {
    for (text, slices) in [
        ("request a { X := 1 - X } request b { Y := 1 - Y }", "a | b"),
        ("request a { X := K } request b { Y := K } request c { K }", "a - X | b - Y | c"),
        ("request a { X := K } request b { Y := K } request c { K := 1; X }", "a b c - Y"),
        ("request a { X } request b { Y } request c { Y := X; X := 1 }", ""),
        ("request a { X } request b { Y } request c { X := 1 } request d { Y := 2 }", "a c | b d"),
        // Only what is seen connects.
        ("request a { N := 1; X := 1 - X } request b { N := 2; Y := 1 - Y }", "a - N | b - N"),
        ("const X = 1 request a { Y := X; Y } request b { Z := X; Z }", "a | b"),
        // Locals of the same name are different variables.
        ("request a { x := X; X := x + 1 } request b { x := Y; Y := 1 - x }", "a | b"),
    ] {
        assert_eq!(shown(text), slices, "{text}");
    }
}

#[test]
fn long_chains_of_variables_are_followed() {
    let chain: String = (0..200).map(|i| format!("X{i} := X{}; ", i + 1)).collect();
    let seen = format!("request a {{ {chain} N := X0; X0 }}");
    assert_eq!(shown(&seen), "a - N");
    let unseen = format!("request a {{ {chain} 0 }}");
    assert!(shown(&unseen).starts_with("a - X0 X1 X10 "), "{}", shown(&unseen));
}

/// A lock, and counting that nobody sees.
const TWO: &str = "request hit(v in 1..3) { x := X; N := N + 1; yield; X := 1 - x; v }
request lock { while (L) { yield }; L := 1; yield; C := 1 - C; c := C; L := 0; c }";

/// A lost update beside them.
const TORN: &str =
    "request lock { while (L) { yield }; L := 1; yield; C := 1 - C; c := C; L := 0; c }
request torn { x := X; N := N + 1; yield; X := 1 - x; x }";

#[test]
fn each_slice_is_decided_by_itself() {
    let proved = certificate(TWO);
    let shown = "serializable, by slices: 2 parts, 2 variables left out, by rules, rules";
    assert_eq!(said(&proved, TWO), shown);
    let refuted = certificate(TORN);
    assert_eq!(refuted.slice().map(|it| it.requests.as_slice()), Some(&["torn".to_owned()][..]));
    let words = said(&refuted, TORN);
    assert!(words.starts_with("not serializable: 2 requests in 8 events"), "{words}");
}

/// One violation that takes four requests, and one that takes two.
#[test]
fn the_fewest_requests_of_all_slices_count() {
    let many = "request put { if (N < 3) { n := N; yield; N := n + 1; 0 } else { 1 } }
        request get { N == 3 }";
    let few = "request torn { x := X; yield; X := 1 - x; x }";
    for text in [format!("{many} {few}"), format!("{few} {many}")] {
        let Decided::Slice(found) = decided(&text, &limits()) else { panic!("{text}") };
        let requests = match &found.decided {
            Decided::Whole(_, Answer::NotSerializable(run), _) => (run.requests, run.fewest),
            Decided::Part(part) => (part.refutation.requests, part.refutation.fewest),
            other => panic!("{other:?}"),
        };
        assert_eq!(requests, (2, true), "{text}");
    }
}

#[test]
fn a_slice_that_takes_long_does_not_keep_the_others_from_an_answer() {
    // Too many states for anybody.
    let hard: String = (0..6)
        .map(|i| {
            format!(
                "request h{i}(v in 0..9) {{ a := A{i}; yield; B := a + v + A{}; yield;
                 A{i} := (B - a) * v; yield; B * A{i} }}\n",
                (i + 1) % 6
            )
        })
        .collect();
    let text = format!("{hard} request torn {{ x := X; yield; X := 1 - x; x }}");
    let decided = decided(&text, &Limits::default().with_timeout(Duration::from_secs(20)));
    assert!(matches!(decided, Decided::Slice(_)), "{decided:?}");
}

#[test]
fn without_a_deadline_there_is_an_end() {
    // Each slice has one turn.
    let text =
        "request a { N := N + 1; n := N; yield; n } request b { Y := 1 - Y; yield; M := Y; 0 }";
    let Decided::Slices(all) = decided(text, &Limits::default()) else { panic!("no slices") };
    let open = |decided: &Decided| matches!(decided, Decided::TooLarge(..));
    assert_eq!(all.iter().map(|it| open(&it.decided)).collect::<Vec<_>>(), [false, false]);
}

fn slices(certificate: &mut Certificate) -> &mut Vec<SliceProof> {
    let Verdict::Serializable(Proof::Slices(slices)) = &mut certificate.verdict else {
        panic!("there are no slices any more; find another source")
    };
    slices
}

#[test]
fn tampering_with_slices_is_noticed() {
    type Tampering = (&'static str, &'static str, fn(&mut Vec<SliceProof>));
    let table: [Tampering; 14] = [
        ("a slice less", "slices", |all| drop(all.pop())),
        ("no slices", "slices", |all| all.clear()),
        ("a slice twice", "slices[2].requests", |all| all.push(all[0].clone())),
        ("another handler", "slices[1]", |all| all[1].slice.requests = vec!["pop".into()]),
        ("the handler of another slice", "slices[0]", |all| {
            all[0].slice.requests = vec!["lock".into()];
        }),
        ("all handlers in one", "slices[1].requests", |all| {
            all[0].slice.requests.push("lock".into());
        }),
        ("a handler twice", "slices[0]", |all| all[0].slice.requests.push("hit".into())),
        ("a variable that is read", "slices[1]", |all| all[1].slice.dropped.push("C".into())),
        ("the lock", "slices[1]", |all| all[1].slice.dropped.push("L".into())),
        ("a local that is the response", "slices[1]", |all| {
            all[1].slice.dropped.push("lock.c".into());
        }),
        ("the parameter", "slices[0]", |all| all[0].slice.dropped.push("hit.v".into())),
        ("nothing left out", "slices[0].", |all| all[0].slice.dropped.clear()),
        ("proofs of each other", "slices[0].", |all| {
            let first = all[0].proof.clone();
            all[0].proof = std::mem::replace(&mut all[1].proof, first);
        }),
        ("no proof", "slices[1].proof", |all| all[1].proof = Proof::NoYield),
    ];
    let genuine = certificate(TWO);
    for (name, place, tamper) in table {
        let mut tampered = genuine.clone();
        tamper(slices(&mut tampered));
        let said = said(&tampered, TWO);
        assert!(said.starts_with(place), "{name}: {said}");
    }
    // A slice without the counter is no proof about a program in which somebody reads it.
    for (old, new) in [("L := 0; c }", "L := N; c }"), ("; v }", "; v + N }"), ("0; c }", "X; c }")]
    {
        let other = TWO.replace(old, new);
        assert_ne!(other, TWO);
        let mut moved = genuine.clone();
        moved.source = ser_serializability_checker::Source::new("p.ser", other.as_bytes());
        let said = said(&moved, &other);
        assert!(said.starts_with("slices["), "{new}: {said}");
    }
}
