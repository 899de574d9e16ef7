//! The family that the benchmark measures: e2 of the SER paper with any number of rounds.

use ser_base::Limits;
use ser_model::ProgramModel;
use ser_serializability_search::{Answer, Options, RefuteOptions, certify, decide};

fn decide_e2(rounds: usize, options: &Options) -> Answer {
    let text = format!(
        "request flip {{ X := 1 - X }}
         request main {{
             i := {rounds};
             while (i > 0) {{
                 while (X == 0) {{ yield }};
                 while (X == 1) {{ yield }};
                 i := i - 1
             }};
             1
         }}"
    );
    let parse = ser_syntax::parse(&text);
    let model = ProgramModel::new(&parse.program, &text, &Limits::default()).unwrap();
    let (answer, _) = decide(model.system(), options, &Limits::default(), &|_| {});
    if let Some(certificate) = certify(&answer, model.system(), "e2", text.as_bytes()) {
        let system = model.system();
        ser_serializability_checker::check(
            &certificate,
            text.as_bytes(),
            system,
            &Limits::default(),
        )
        .unwrap();
    }
    answer
}

#[test]
fn e2_needs_two_flips_a_round_and_is_found_with_any_number_of_rounds() {
    for rounds in [1, 2, 3, 10, 20, 50] {
        let answer = decide_e2(rounds, &Options::default());
        let Answer::NotSerializable(found) = answer else { panic!("{rounds}: {answer:?}") };
        assert_eq!(found.requests, 2 * rounds + 1);
    }
}

#[test]
fn with_one_request_fewer_there_is_no_counterexample() {
    let refute = RefuteOptions { max_requests: 6, ..RefuteOptions::default() };
    let answer = decide_e2(3, &Options { refute, ..Options::default() });
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}

#[test]
fn one_request_in_flight_is_enough() {
    let refute = RefuteOptions { max_in_flight: 1, ..RefuteOptions::default() };
    let answer = decide_e2(20, &Options { refute, ..Options::default() });
    let Answer::NotSerializable(found) = answer else { panic!("{answer:?}") };
    assert_eq!(found.requests, 41);
    assert!(found.states < 10_000, "{} states", found.states);
}
