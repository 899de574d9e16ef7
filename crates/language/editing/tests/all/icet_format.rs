//! Formatting files with messages changes the layout and nothing else, and changes it once.

use crate::shared::{assert_faithful, assert_formats, formatted, spaced, words};
use proptest::prelude::*;
use ser_editing::icet::parse;
use ser_editing::{MAX_WIDTH, format};
use ser_generators::protocols::random_protocol;
use ser_syntax::MAX_DEPTH;
use ser_syntax::icet::term_size;

#[test]
fn a_crowded_file_gets_room() {
    assert_formats(
        "set Q>=1;index I;enum Colour{Red,Green}msg M=A(Q,int)|B;msg N=N;\
         server process p{A(q,_):=recv M;x:=-1;if x<-1&&!(x==2)||not(x>3){send N to q;}else if?{x:= - -x;}else{skip;}\
         for i in I{x:=x+i*2-(1);}while x>=3{x:=choose(int);}}\
         process w for q in Q{send A(q,1)to p;n:=recv N from p;m:=B;match m{A(a,b)=>{assert false}B=>{}}}",
        "\
set Q >= 1; index I; enum Colour { Red, Green }
msg M = A(Q, int) | B; msg N = N;
server process p {
    A(q, _) := recv M;
    x := -1;
    if x < -1 && !(x == 2) || not (x > 3) { send N to q; } else if ? { x := - -x; } else { skip; }
    for i in I { x := x + i * 2 - (1); }
    while x >= 3 { x := choose(int); }
}
process w for q in Q {
    send A(q, 1) to p;
    n := recv N from p;
    m := B;
    match m { A(a, b) => { assert false } B => { } }
}
",
    );
}

#[test]
fn comments_and_blank_lines_stay_where_they_are() {
    let text = "\
// At the top.

msg Ping = Ping; // a message
msg Pong = Pong /* inside */ | Other;

// Before a process.
process p { // after a brace
    // on its own
    send Ping to q;

    w := recv Pong;     // aligned
    x := 1;             // aligned
    match w {
        Pong => { skip; } // fine
        // not fine
        _ => {
            assert false;
        }
    }
    if ? { /* nothing */ }
    // the last word
}

process q { v := recv Ping; send Pong to p; }
// At the end.
";
    assert_formats(text, text);
}

#[test]
fn long_lines_are_broken_where_operators_bind_least() {
    let long = ["first_number == second_number"; 5].join(" && ");
    let text =
        format!("msg M = N; process p {{ first_number := 1; second_number := 2; assert {long}; }}");
    let once = formatted(&text);
    assert!(once.lines().all(|line| line.len() <= MAX_WIDTH), "{once}");
    assert_faithful(&text);
    let constructors: Vec<String> = (0..20).map(|i| format!("Constructor{i}(int)")).collect();
    let text = format!("msg M = {}; process p {{ skip; }}", constructors.join("|"));
    let once = formatted(&text);
    assert!(once.lines().all(|line| line.len() <= MAX_WIDTH), "{once}");
    assert_faithful(&text);
}

#[test]
fn lines_end_as_the_first_one_does() {
    assert_eq!(
        formatted("msg M = N\r\nprocess p {\r\nskip;\r\n}"),
        "msg M = N\r\nprocess p {\r\n    skip;\r\n}\r\n"
    );
}

#[test]
fn a_text_with_errors_gives_its_messages() {
    let errors = format("msg M = N  process p { skip skip }").expect_err("a `;` is missing");
    assert_eq!(errors[0].code, "missing-semicolon");
}

#[test]
fn the_deepest_files_are_formatted() {
    let deep = MAX_DEPTH - 8;
    assert_faithful(&format!(
        "msg M = N  process p {{ {}skip;{} }}",
        "loop { ".repeat(deep),
        " }".repeat(deep)
    ));
    assert_faithful(&format!(
        "msg M = N  process p {{ x := {}1{}; }}",
        "(".repeat(deep),
        ")".repeat(deep)
    ));
}

#[test]
fn our_examples_are_laid_out() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/messages");
    for (folder, least) in [("", 20), ("broken", 18)] {
        let mut seen = 0;
        for entry in std::fs::read_dir(format!("{root}/{folder}")).expect("the examples") {
            let path = entry.expect("a file").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            assert_eq!(formatted(&text), text, "{}", path.display());
            seen += 1;
        }
        assert!(seen >= least, "{folder}");
    }
}

#[test]
fn the_size_of_a_term_counts_what_it_says() {
    let size = |text: &str| term_size(&parse(text).protocol);
    assert_eq!(size("process p { skip; }"), 2);
    assert_eq!(size("process p { x := 1 + 2; }"), 1 + 2 + 3);
    assert_eq!(size("set Q; process p for q in Q { if ? { skip; } else { skip; } }"), 2 + 2 + 2);
    let text = "msg M = A(int) | B; process p { m := recv M; match m { A(x) => { assert false; } _ => { } } } process q { send A(1) to p; }";
    assert_eq!(size(text), (1 + 4 + 2 + 2 + 1 + 1) + (1 + 2 + 2 + 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_file_keeps_its_words_and_its_meaning(
        seed in any::<u64>(),
        trivia in prop::collection::vec(any::<u8>(), 1..100),
        dense in prop::bool::weighted(0.3),
    ) {
        // Some have no messages, and are processes over variables without this one.
        let text = format!("msg Any = Any\n{}", random_protocol(seed).text);
        assert_faithful(&spaced(&words(&text), &trivia, dense));
    }
}
