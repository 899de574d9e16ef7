//! Layout of processes and unwindings: what it looks like, and that it changes nothing but layout.

use crate::shared::without_places;
use proptest::prelude::*;
use ser_editing::{MAX_WIDTH, format, format_unwinding};
use ser_syntax::{parse_processes, parse_unwinding};
use std::fs;

type Format = fn(&str) -> Result<String, Vec<ser_base::Diagnostic>>;

/// The layout of a text without errors; a second time, nothing changes.
fn formatted(format: Format, text: &str) -> String {
    let once = format(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    assert_eq!(format(&once).as_ref(), Ok(&once), "formatting twice\n{text}");
    once
}

fn processes(text: &str) -> String {
    let formatted = formatted(format, text);
    assert_eq!(meaning(&parse_processes(text)), meaning(&parse_processes(&formatted)), "{text}");
    formatted
}

fn unwinding(text: &str) -> String {
    let formatted = formatted(format_unwinding, text);
    assert_eq!(meaning(&parse_unwinding(text)), meaning(&parse_unwinding(&formatted)), "{text}");
    formatted
}

/// What it means, without places.
fn meaning(parse: &impl std::fmt::Debug) -> String {
    without_places(&format!("{parse:?}"))
}

#[test]
fn items_have_lines_of_their_own() {
    insta::assert_snapshot!(
        processes("const N=3 enum Who{a,b}var X: 0..N =1 var Turn: Who;var Q: queue[2]of 0..1000 var Big:bits 4\nprocess P{X:=2}reach X==2"),
        @r"
    const N = 3
    enum Who { a, b }
    var X: 0..N = 1
    var Turn: Who; var Q: queue[2] of 0..1000
    var Big: bits 4
    process P { X := 2 }
    reach X == 2
    "
    );
}

#[test]
fn all_statements() {
    insta::assert_snapshot!(
        processes("var A: 0..1 var Q:queue[2]of 0..9\nprocess P(i in 0..1,j in 0..2){
        await(A==0){A:=1};atomic{x:=x+1;A:=0}
        if(x==1){skip}else if(x==2){return}else{A:=-x+--1}
        while(len(Q)>0){y := recv Q}for _ in 1..2*3{send x*(y-1) to Q}
        choose{A:=1}or{A:=0}or{skip;}z:=choose(0..2);}
        reach done:done(P)&&A==1||!done"),
        @"
    var A: 0..1
    var Q: queue[2] of 0..9
    process P(i in 0..1, j in 0..2) {
        await(A == 0) { A := 1 };
        atomic { x := x + 1; A := 0 }
        if (x == 1) { skip } else if (x == 2) { return } else { A := -x + - -1 }
        while (len(Q) > 0) { y := recv Q }
        for _ in 1..2 * 3 { send x * (y - 1) to Q }
        choose { A := 1 } or { A := 0 } or { skip; }
        z := choose(0..2);
    }
    reach done: done(P) && A == 1 || !done
    "
    );
}

#[test]
fn comments_and_blank_lines_stay() {
    insta::assert_snapshot!(
        processes("// first\n\n\nvar A:0..1   // a flag\n/* between */ var B: 0..1\n\nprocess P{ // body\nA:=1 // set\n\n// then\n;B:=1}reach A"),
        @"
    // first

    var A: 0..1  // a flag
    /* between */ var B: 0..1

    process P { // body
        A := 1 // set
            // then
            ;
        B := 1
    }
    reach A
    "
    );
}

#[test]
fn unwindings() {
    insta::assert_snapshot!(
        unwinding("enum C{r,g}place a:0..10,C place b place c:bits 8;place d:unit
        transition meet{in a(x,k);test b;out c(x+1);when k==g&&z<x;var z:0..3}
        transition start{out a(1,r);out b}target meet,start"),
        @r"
    enum C { r, g }
    place a : 0..10, C
    place b
    place c : bits 8; place d : unit
    transition meet { in a(x, k); test b; out c(x + 1); when k == g && z < x; var z : 0..3 }
    transition start { out a(1, r); out b }
    target meet, start
    "
    );
}

#[test]
fn long_lines_are_broken() {
    let conditions: Vec<String> = (0..20).map(|i| format!("Flag == {i}")).collect();
    let text =
        format!("var Flag: 0..30\nprocess P {{ await({0}) }}\nreach {0}", conditions.join(" || "));
    let formatted = processes(&text);
    let reach = formatted.split("reach").nth(1).expect("a goal");
    assert!(reach.lines().count() > 10, "{formatted}");
    assert!(reach.lines().all(|line| line.chars().count() <= MAX_WIDTH), "{formatted}");
}

#[test]
fn our_examples_are_laid_out() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/");
    for (folder, least) in
        [("processes", 8), ("messages", 20), ("messages/broken", 18), ("threads", 20)]
    {
        let mut seen = 0;
        for entry in fs::read_dir(format!("{root}{folder}")).expect("the examples") {
            let path = entry.expect("a file").path();
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let laid_out = match path.extension().and_then(|it| it.to_str()) {
                Some("ser") => processes(&text),
                Some("unw") => unwinding(&text),
                _ => continue,
            };
            assert_eq!(laid_out, text, "{}", path.display());
            seen += 1;
        }
        assert!(seen >= least, "{folder}");
    }
}

#[test]
fn errors_have_no_layout() {
    assert!(format("process P { X := 1 }").is_err());
    assert!(format_unwinding("place").is_err());
}

/// A piece of a process, made of the bytes of a random list.
fn statement(bytes: &mut impl Iterator<Item = u8>, depth: u8) -> String {
    let mut next = || bytes.next().unwrap_or(0);
    let gap = ["", " ", "\n", " // note\n", "\n\n", " /* x */ "][usize::from(next() % 6)];
    let kind = if depth == 0 { next() % 5 } else { next() % 11 };
    let block = |bytes: &mut dyn Iterator<Item = u8>| {
        let count = bytes.next().unwrap_or(0) % 3;
        let mut bytes = bytes;
        let inside: Vec<String> = (0..count).map(|_| statement(&mut bytes, depth - 1)).collect();
        format!("{{{}{gap}}}", inside.join(";"))
    };
    let text = match kind {
        0 => "skip".to_owned(),
        1 => format!("A:={gap}1"),
        2 => "x:=x+ 1*(A-2)".to_owned(),
        3 => format!("await(A==0{gap}&&x<2)"),
        4 => "x:=choose(0..3)".to_owned(),
        5 => format!("if(A==1){}", block(bytes)),
        6 => format!("if(!(x==1)){}else{}", block(bytes), block(bytes)),
        7 => format!("while(A!=x){}", block(bytes)),
        8 => format!("for i in 1..2{}", block(bytes)),
        9 => format!("choose{}or{}", block(bytes), block(bytes)),
        _ => format!("if(A==1){}else if(x==2){}", block(bytes), block(bytes)),
    };
    format!("{gap}{text}{gap}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 400 } else { 4000 }))]

    #[test]
    fn random_processes_keep_their_meaning(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut bytes = bytes.into_iter();
        let count = 1 + bytes.next().unwrap_or(0) % 4;
        let body: Vec<String> = (0..count).map(|_| statement(&mut bytes, 2)).collect();
        let text = format!("var A: 0..9\nprocess P{{{}}}\nreach A==1", body.join(";"));
        if !parse_processes(&text).diagnostics.iter().any(ser_base::Diagnostic::is_error) {
            processes(&text);
        }
    }
}
