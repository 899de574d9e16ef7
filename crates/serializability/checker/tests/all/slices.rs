//! What nobody sees, and parts that share nothing.

use ser_base::Limits;
use ser_model::{Code, LocalId, ProgramModel};
use ser_serializability_checker::{
    Certificate, Counterexample, Event, InFlight, Inclusion, LetterName, Mentioned, OutcomeEntry,
    Proof, RunPart, Scope, SerialElement, Slice, SliceProof, Source, Triple, Verdict, check_text,
    read, sliced, without,
};
use ser_syntax::core::Program;
use std::collections::BTreeSet;

fn program(text: &str) -> Program {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    parse.program
}

fn slice(requests: &[&str], dropped: &[&str]) -> Slice {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Slice { requests: owned(requests), dropped: owned(dropped) }
}

fn check(verdict: Verdict, text: &str) -> String {
    let certificate = Certificate { source: Source::new("p.ser", text.as_bytes()), verdict };
    assert_eq!(certificate.scope(), Scope::Text);
    assert_eq!(read(&certificate.to_text()).as_ref(), Ok(&certificate));
    match check_text(&certificate, text.as_bytes(), &program(text), &Limits::default()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

fn proved(slices: &[(Slice, Proof)], text: &str) -> String {
    let slices = slices
        .iter()
        .map(|(slice, proof)| SliceProof { slice: slice.clone(), proof: proof.clone() });
    check(Verdict::Serializable(Proof::Slices(slices.collect())), text)
}

#[test]
fn without_a_variable_only_what_else_is_done_is_left() {
    // `N` and `n` are left out; what is left means the same as the other handler.
    for (body, left) in [
        ("N := 1; 0", "0"),
        ("N := N + 1; yield; N := N - 1; X", "yield; X"),
        ("n := X; yield; N := n; 1", "yield; 1"),
        // The value of an assignment may matter where its variable does not.
        ("N := X", "X"),
        ("x := (N := X + 1); x", "x := X + 1; x"),
        ("X + (N := (yield; 2))", "X + (yield; 2)"),
        // Whatever is computed on the way stays, in its order.
        ("N := (X := 2) + (yield; 3); 0", "X := 2; yield; 0"),
        ("N := -(X := 1); 0", "X := 1; 0"),
        ("N := choose(1..3) + ?; 0", "0"),
        ("N := (return 3); 0", "return 3; 0"),
        ("N := (if (X) { abort }); 0", "if (X) { abort }; 0"),
        ("if (X) { N := 1; abort }; 0", "if (X) { abort }; 0"),
        ("while (X) { abort }; N := 1; 0", "while (X) { abort }; 0"),
        ("N := assume(X); 0", "assume(X); 0"),
        // Conditions stay if something depends on them.
        ("if (X) { N := 1 } else { N := 2 }; 0", "0"),
        ("if (X := 1) { N := 1 }; 0", "X := 1; 0"),
        ("if (X) { N := 1; yield } else { N := 2 }; 0", "if (X) { yield }; 0"),
        ("if (X) { N := 1 } else { Y := 2 }; 0", "if (X) { } else { Y := 2 }; 0"),
        (
            "if (X) { 1 } else if (Y) { N := 2 } else { Y := 1 }; 0",
            "if (X) { } else { if (Y) { } else { Y := 1 } }; 0",
        ),
        ("if (X) { N := 1 } else { N := 2 }", "if (X) { 1 } else { 2 }"),
        ("X && (N := 1); 0", "0"),
        ("X && (N := (yield; 1)); 0", "X && (yield); 0"),
        ("X || (Y := 1); 0", "X || (Y := 1); 0"),
        // So do all loops: whether one ends is seen.
        ("while (X) { N := N + 1 }; 0", "while (X) { }; 0"),
        ("while (X) { N := N + 1; yield }; 0", "while (X) { yield }; 0"),
        ("(N := 1; X)", "(X)"),
    ] {
        let before = program(&format!("request r {{ {body} }}")).requests.remove(0);
        let dropped: BTreeSet<String> = ["N".to_owned(), "r.n".to_owned()].into();
        let after = Program { requests: vec![without(&before, &dropped)], ..Program::default() };
        let expected = program(&format!("request r {{ {left} }}"));
        assert_eq!(Code::new(&after).instrs, Code::new(&expected).instrs, "{body}");
    }
}

#[test]
fn what_a_response_a_condition_or_another_variable_needs_is_still_seen() {
    for body in [
        "N",
        "N := 1; yield; N",
        "return N",
        "if (N) { yield }; 0",
        "if (N) { X := 1 }; X",
        "while (N) { yield }; 0",
        "assume(N); 0",
        "X := N; yield; X",
        "N && (yield); 0",
        "N || (X := 1); X",
        "if (N) { 1 } else { 2 }",
        "X := (N := X) + N; X",
    ] {
        let text = format!("request r {{ {body} }}");
        let rejected = sliced(&program(&text), &slice(&["r"], &["N"])).err();
        let words = "`N` cannot be left out: a response, a condition or another variable needs it";
        assert_eq!(rejected.map(|reason| reason.to_string()).as_deref(), Some(words), "{body}");
    }
}

#[test]
fn constants_are_no_variables() {
    let program = program("const N = 3 request r(p in 0..N) { x := N + p; X := x; x }");
    let found = Mentioned::of(&program.requests[0]);
    assert_eq!(found.reads, ["r.p".to_owned(), "r.x".to_owned()].into());
    assert_eq!(found.writes, ["X".to_owned(), "r.x".to_owned()].into());
}

#[test]
fn numbers_that_nobody_sees_may_grow() {
    // Its states have no end, and there are two global states without `N`: none of them moves.
    let text = "request work { N := N + 1; yield; N := N - 1; 0 }";
    let element = |global: &str| SerialElement {
        global: global.into(),
        loops: Vec::new(),
        debts: Vec::new(),
        waiting: None,
    };
    let flying =
        InFlight { request: "work".into(), local: "work@1:47[0]".into(), count: 0, period: 1 };
    let triple =
        Triple { global: "()".into(), in_flight: vec![flying], serial: vec![element("()")] };
    let proof = Proof::Inclusion(Inclusion { invariant: vec![triple], ..Inclusion::default() });
    let said = proved(&[(slice(&["work"], &["N"]), proof.clone())], text);
    assert_eq!(said, "serializable, by slices: 1 part, 1 variable left out, by inclusion");
    let whole = proved(&[(slice(&["work"], &[]), proof)], text);
    assert!(whole.starts_with("slices[0].proof: checking stopped: more than"), "{whole}");
}

#[test]
fn slices_that_share_what_one_of_them_assigns_are_not_independent() {
    let ok = Proof::NoYield;
    let text = "const C = 1 K := 2
        request a { X := K + C; 0 } request b { Y := K; 0 } request c { Y } request d { Z }";
    let said = |groups: &[(&[&str], &[&str])]| {
        let slices: Vec<(Slice, Proof)> =
            groups.iter().map(|(r, d)| (slice(r, d), ok.clone())).collect();
        proved(&slices, text)
    };
    // What nobody assigns connects nothing.
    assert_eq!(
        said(&[(&["a"], &[]), (&["b", "c"], &[]), (&["d"], &[])]),
        "serializable, by slices: 3 parts, by no_yield, no_yield, no_yield"
    );
    assert_eq!(
        said(&[(&["a"], &["X"]), (&["b", "c"], &[]), (&["d"], &[])]),
        "serializable, by slices: 3 parts, 1 variable left out, by no_yield, no_yield, no_yield"
    );
    for (groups, words) in [
        // The reader and the writer of `Y` are torn apart, in both orders.
        (&[(&["a", "b"][..], &[][..]), (&["c", "d"], &[])][..], "slices[1]: `Y` is assigned"),
        (
            &[(&["a", "c", "d"], &[]), (&["b"], &[])],
            "slices[0]: `Y` is assigned or left out in another",
        ),
        // `Y` is left out where it is written, but not where it is read.
        (&[(&["a", "b", "c", "d"], &["Y"])], "slices[0]: `Y` cannot be left out"),
        (&[(&["a", "b", "c"], &[])], "slices: there is no entry for `d`"),
        (&[], "slices: there is no entry for `a`"),
        (&[(&["a", "b", "c", "d"], &[]), (&["d"], &[])], "slices[1].requests: `d` is listed twice"),
        (&[(&["a", "a", "b", "c", "d"], &[])], "slices[0]: `a` is listed twice"),
        (&[(&["a", "b", "c", "d"], &["X", "X"])], "slices[0]: `X` is listed twice"),
        (&[(&["a", "b", "c", "d", "e"], &[])], "slices[0]: there is no handler `e`"),
        (&[(&["a", "b", "c", "d"], &["W"])], "slices[0]: there is no variable of these handlers"),
        (&[(&["a", "b", "c", "d"], &["C"])], "slices[0]: there is no variable of these handlers"),
        (&[(&["a"], &["Z"]), (&["b", "c", "d"], &[])], "slices[0]: there is no variable of these"),
    ] {
        let said = said(groups);
        assert!(said.starts_with(words), "{groups:?}: {said}");
    }
    // If `Y` is left out of its writer, its reader sees its first value only.
    for groups in [
        [(&["a"][..], &[][..]), (&["b"], &["Y"]), (&["c", "d"], &[])],
        [(&["c", "d"], &[]), (&["b"], &["Y"]), (&["a"], &[])],
    ] {
        let said = said(&groups);
        assert!(said.contains("`Y` is assigned or left out in another slice"), "{said}");
    }
}

#[test]
fn each_slice_needs_a_proof_of_its_own() {
    let text = "request a { X := 1; yield; X := 0; 0 } request b { Y := 1; yield; Y := 0; 0 }";
    let both = |first: Proof, second: Proof| {
        proved(&[(slice(&["a"], &["X"]), first), (slice(&["b"], &[]), second)], text)
    };
    assert!(both(Proof::NoYield, Proof::NoYield).starts_with("slices[0].proof: the `yield` at"));
    let nothing = Proof::Inclusion(Inclusion::default());
    assert!(both(nothing.clone(), nothing.clone()).starts_with("slices[0].invariant: no triple"));
    let nested = Proof::Slices(Vec::new());
    let certificate = Certificate {
        source: Source::new("p.ser", text.as_bytes()),
        verdict: Verdict::Serializable(Proof::Slices(vec![SliceProof {
            slice: slice(&["a", "b"], &[]),
            proof: nested,
        }])),
    };
    let error = read(&certificate.to_text()).map_err(|error| error.to_string());
    let words = "proof.slices.proof.method: a slice has no slices";
    assert_eq!(error.err().as_deref(), Some(words));
    assert!(check_text(&certificate, text.as_bytes(), &program(text), &Limits::default()).is_err());
}

/// Lost updates of `X`, while `N` grows.
const TORN: &str = "request inc { x := X; N := N + 1; yield; X := 1 - x; x }
request other { Y := 1 - Y; Y }";

fn torn() -> Counterexample {
    let start = |number| Event::Start { number, request: "inc".into(), local: "inc@1:20".into() };
    let step = |number, local: &str, global: &str| Event::Step {
        number,
        local: local.into(),
        global: global.into(),
    };
    let respond = |number| Event::Respond { number, response: "0".into() };
    Counterexample {
        outcome: vec![OutcomeEntry { request: "inc".into(), response: "0".into(), count: 2 }],
        run: vec![
            start(1),
            step(1, "inc@1:51[x=0,1]", "X=0"),
            start(2),
            step(2, "inc@1:51[x=0,1]", "X=0"),
            step(2, "done(0)", "X=1"),
            respond(2),
            step(1, "done(0)", "X=1"),
            respond(1),
        ],
        strict: false,
        part: None,
        slice: Some(slice(&["inc"], &["N"])),
        along: false,
    }
}

#[test]
fn a_run_of_a_slice_is_one_of_the_program() {
    let said = check(Verdict::NotSerializable(torn()), TORN);
    assert!(said.starts_with("not serializable: 2 requests in 8 events"), "{said}");
    let part = RunPart { labels: vec!["inc".into()], requests: 2, preemptions: None };
    let bounded = Counterexample { part: Some(part), ..torn() };
    let said = check(Verdict::NotSerializable(bounded), TORN);
    assert!(said.starts_with("not serializable: 2 requests in 8 events"), "{said}");
}

#[test]
fn runs_of_slices_are_checked_like_others() {
    type Tampering = (&'static str, fn(&mut Counterexample, &mut Slice));
    let table: [Tampering; 8] = [
        ("slice: `X` cannot be left out", |_, slice| slice.dropped.push("X".into())),
        ("slice: `inc.x` cannot be left out", |_, slice| slice.dropped.push("inc.x".into())),
        ("slice: there is no variable of these handlers `Y`", |_, slice| {
            slice.dropped.push("Y".into());
        }),
        ("slice: there is no handler `dec`", |_, slice| slice.requests.push("dec".into())),
        ("slice: `inc` is listed twice", |_, slice| slice.requests.push("inc".into())),
        ("step 1: there is no request `inc`", |_, slice| {
            *slice = Slice { requests: vec!["other".into()], dropped: Vec::new() };
        }),
        ("end of run: request 1 never responds", |run, _| drop(run.run.pop())),
        ("outcome", |run, _| run.outcome[0].count = 1),
    ];
    for (words, tamper) in table {
        let mut run = torn();
        let mut slice = run.slice.take().unwrap_or_default();
        tamper(&mut run, &mut slice);
        run.slice = Some(slice);
        let said = check(Verdict::NotSerializable(run), TORN);
        assert!(said.starts_with(words), "{words}: {said}");
    }
    // A serial run is none, in a slice as elsewhere.
    let text = "request inc { x := X; N := N + 1; X := 1 - x; yield; x } request other { 0 }";
    let mut serial = torn();
    serial.run.truncate(0);
    let said = check(Verdict::NotSerializable(serial), text);
    assert!(!said.starts_with("not serializable"), "{said}");
}

#[test]
fn slices_keep_real_time_order_if_all_of_them_do() {
    // Who has seen `X` is explained later, when `Y` is set as well.
    let bits =
        "request write { X := 1; yield; Y := 1; 0 } request first { X } request second { Y }";
    let text = format!("{bits} request other {{ Z := 1 - Z; Z }}");
    let first = slice(&["write", "first", "second"], &[]);
    let part = sliced(&program(&text), &first).expect("a slice");
    let model = ProgramModel::new(&part, &text, &Limits::default()).expect("few states");
    let system = model.system();
    let starts = |local| system.spawns().iter().any(|(_, start)| *start == local);
    let locals = (0..system.local_count()).map(LocalId::from_index);
    let mut flying = locals.filter(|local| !starts(*local) && !system.steps_of(*local).is_empty());
    let local = system.local_name(flying.next().expect("a place")).to_owned();
    let flying =
        |count| InFlight { request: "write".into(), local: local.clone(), count, period: 1 };
    let triple = |global: &str, in_flight: Vec<InFlight>, serial: &str, debts: &[(&str, &str)]| {
        let debts = debts.iter().map(|(q, r)| LetterName((*q).into(), (*r).into())).collect();
        let (global, state) = (global.to_owned(), serial.to_owned());
        let element = SerialElement { global: state, loops: Vec::new(), debts, waiting: None };
        Triple { global, in_flight, serial: vec![element] }
    };
    let invariant = vec![
        triple("X=0,Y=0", vec![], "X=0,Y=0", &[]),
        triple("X=1,Y=0", vec![flying(1)], "X=0,Y=0", &[("first", "1")]),
        triple("X=1,Y=1", vec![flying(0)], "X=1,Y=1", &[]),
    ];
    let proof = Proof::Inclusion(Inclusion { invariant, ..Inclusion::default() });
    let rest = SliceProof { slice: slice(&["other"], &[]), proof: Proof::NoYield };
    let slices = vec![SliceProof { slice: first, proof }, rest.clone()];
    let in_order = |slices, text: &str| {
        let source = Source::new("p.ser", text.as_bytes());
        let certificate =
            Certificate { source, verdict: Verdict::Serializable(Proof::Slices(slices)) };
        let accepted =
            check_text(&certificate, text.as_bytes(), &program(text), &Limits::default());
        accepted.unwrap_or_else(|rejection| panic!("{rejection}")).is_strict()
    };
    assert!(!in_order(slices.clone(), &text));
    assert!(!in_order(slices.into_iter().rev().collect(), &text));
    assert!(in_order(vec![rest], "request other { Z := 1 - Z; Z }"));
}
