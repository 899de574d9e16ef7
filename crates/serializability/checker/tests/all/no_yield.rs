//! Programs whose requests never yield.

use ser_base::Limits;
use ser_model::{ProgramModel, program_rules};
use ser_serializability_checker::{
    Certificate, Proof, Scope, Source, Verdict, check, check_rules, check_text, read,
};

fn certificate(text: &str) -> Certificate {
    let verdict = Verdict::Serializable(Proof::NoYield);
    Certificate { source: Source::new("p.ser", text.as_bytes()), verdict }
}

fn shown(text: &str) -> String {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    match check_text(&certificate(text), text.as_bytes(), &parse.program, &Limits::default()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

#[test]
fn without_a_yield_in_reach_numbers_do_not_matter() {
    for text in [
        "request draw { mine := Next; Next := mine + 1; mine }",
        "request main { while (X) { X := X * 3 + 1 }; X := 7 }",
        "const LOUD = 2 - 2 request main { if (LOUD) { yield } else { X := X + 1 }; X }",
        "const LOUD = 0 request main { if (!LOUD) { X := 1 } else { yield }; X }",
        "const LOUD = 0 request main { if (X) { 1 } else if (LOUD) { yield }; X }",
        "const LOUD = 0 request main { while (LOUD) { yield }; X }",
        "const LOUD = 0 request main { while (!LOUD) { X := X + 1 }; X }",
    ] {
        let said = shown(text);
        let end = "1 handler without a `yield` in reach";
        assert_eq!(said, format!("serializable, by no_yield: {end}"), "{text}");
    }
}

#[test]
fn wherever_a_yield_may_be_reached_it_is_found() {
    for body in [
        "yield",
        "x := yield; x",
        "x := -yield; x",
        "1 + (2; yield)",
        "yield + 1",
        "X && yield",
        "return yield",
        "assume(yield == 0)",
        "if (yield) { 1 }",
        "if (X) { yield }",
        "if (X) { 1 } else { yield }",
        "if (X) { 1 } else if (yield) { 2 }",
        "if (X) { 1 } else if (X == 2) { 2 } else { yield }",
        "if (ON) { yield }",
        "if (OFF) { 1 } else { yield }",
        "while (X) { yield }",
        "while (yield) { 1 }",
        "while (ON) { yield }",
        "if (X - X) { yield }",
    ] {
        let text = format!("const ON = 1 const OFF = 0 request a {{ 1 }} request b {{ {body} }}");
        let at = text.find("yield").expect("there is one");
        let said = shown(&text);
        assert_eq!(said, format!("proof: the `yield` at byte {at} of the source is in reach"));
    }
}

#[test]
fn it_is_about_the_text_of_its_own_source() {
    let text = "request main { X := 1 - X }";
    let program = ser_syntax::parse(text).program;
    let genuine = certificate(text);
    assert_eq!(genuine.scope(), Scope::Text);
    let limits = Limits::default();
    let other = check_text(&genuine, b"request main { 1 }", &program, &limits);
    assert!(other.is_err_and(|e| e.to_string().starts_with("source:")));
    // It is no proof about states, and proofs about states are none about the text.
    let model = ProgramModel::new(&program, text, &limits).expect("few states");
    let rules = program_rules(&program, text, &limits).expect("few rules");
    assert!(check(&genuine, text.as_bytes(), model.system(), &limits).is_err());
    assert!(check_rules(&genuine, text.as_bytes(), &rules, &limits).is_err());
    let verdict = Verdict::NotSerializable(Default::default());
    let other = Certificate { verdict, ..genuine };
    assert!(check_text(&other, text.as_bytes(), &program, &limits).is_err());
}

#[test]
fn it_has_nothing_but_its_name() {
    let genuine = certificate("request main { 1 }");
    let text = genuine.to_text();
    assert_eq!(read(&text).as_ref(), Ok(&genuine));
    for more in ["\"reductions\": [\"idle\"]", "\"after\": []", "\"invariant\": []"] {
        let more = text.replace("\"no_yield\"", &format!("\"no_yield\", {more}"));
        assert!(read(&more).is_err(), "{more}");
    }
}
