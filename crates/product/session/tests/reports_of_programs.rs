//! What reports on programs say besides the verdict.

use ser_base::Limits;
use ser_report::Answer;
use ser_serializability_search::Options;
use ser_session::{Decision, Verdict, check_source, serializability::told};
use std::fmt::Write as _;

fn decision(text: &str, strict: bool, max_states: usize) -> Decision {
    let source =
        ser_session::source::from_bytes("test.ser", text.as_bytes().to_vec()).expect("a program");
    let limits = Limits { max_states, ..Limits::default() };
    let options = Options { strict, ..Options::default() };
    Decision { strict, ..check_source(source, &options, &limits, &|_| {}) }
}

#[test]
fn parts_are_searched_with_no_eye_on_real_time_order() {
    // Who has seen `X` responds before somebody looks at `Y`: three requests, out of order. Nobody
    // lists the states of so many variables.
    let mut text = String::new();
    for i in 0..22 {
        let _ = writeln!(text, "request flip{i} {{ A{i} := 1 - A{i}; 0 }}");
    }
    let all: Vec<String> = (0..22).map(|i| format!("A{i} == 1")).collect();
    let all = all.join(" && ");
    let _ = writeln!(
        text,
        "request write {{ X := 1; yield; Y := 1; 0 }} request first {{ X }} request second {{ Y }}
         request all {{ if ({all}) {{ yield; X := 1; Y := 1; 4 }} else {{ 9 }} }}"
    );
    for (strict, aside) in [(false, ""), (true, ", real-time order aside")] {
        let report = told(&decision(&text, strict, 2_000));
        let Answer::Unknown(unknown) = &report.answer else { panic!("{:?}", report.answer) };
        let searched = unknown.tried.iter().find(|line| line.starts_with("search"));
        let searched = searched.expect("a search");
        let (words, rest) = searched.split_once(" or fewer").expect("a number of requests");
        assert!(words.contains("no counterexample with"), "{searched}");
        assert_eq!(rest, aside);
    }
}

#[test]
fn who_gives_up_does_not_count_in_one_of_several_parts_either() {
    let part = "request take { L := 1; yield; if (M == 1) { abort }; L := 0; 1 }
                request peek { if (L == 1) { M := 1; abort }; 5 }";
    let said = |text: &str| {
        let decision = decision(text, false, 10_000);
        assert!(matches!(decision.verdict, Verdict::Serializable { .. }), "{decision:?}");
        format!("{:?}", told(&decision).sections)
            .matches("Requests that abort do not count")
            .count()
    };
    assert_eq!(said(part), 1);
    assert_eq!(said(&format!("{part} request other {{ Z := 1 - Z; Z }}")), 1);
    // Nobody has to be excused for running alone.
    assert_eq!(said("request r { if (X) { abort }; X := 1; 0 }"), 0);
}

#[test]
fn a_run_out_of_order_may_need_fewer_requests() {
    // A lost update shows only once there are some. Nobody has looked at all runs with fewer
    // requests for one that is out of order.
    let text =
        "request add { n := N; yield; if (n < 4) { N := n + 1 }; if (n == 3) { 1 } else { 0 } }";
    for strict in [false, true] {
        let decision = decision(text, strict, 10_000);
        let Verdict::NotSerializable { refutation, .. } = &decision.verdict else {
            panic!("{:?}", decision.verdict)
        };
        assert!(!refutation.strict && refutation.requests > 2, "{refutation:?}");
        assert_eq!(refutation.fewest, !strict);
    }
}
