//! Formatting changes the layout and nothing else, and changes it once.

use crate::shared::{assert_faithful, assert_formats, formatted, spaced};
use proptest::prelude::*;
use ser_editing::{MAX_WIDTH, format, parse};
use ser_syntax::{MAX_DEPTH, MAX_SOURCE_BYTES};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn a_crowded_program_gets_room() {
    assert_formats(
        "const   N=3\nX:=N,Y:=-1\nrequest put(v in 0..N,w in 0 .. 1){\nif(X==0&&not Y){yield}else{X:=X-1};;\
         \nwhile X<N or !Y{yield;X:=choose( 0..N )};if?{abort};return-1\n}",
        "\
const N = 3
X := N, Y := -1
request put(v in 0..N, w in 0..1) {
    if (X == 0 && not Y) { yield } else { X := X - 1 };;
    while X < N or !Y { yield; X := choose(0..N) };
    if ? { abort };
    return -1
}
",
    );
}

#[test]
fn a_block_over_several_lines_stays_so_and_one_on_one_line_too() {
    let text = "\
request a { x := X; yield; X := x + 1 }

request b {
    if (X == 0) { yield };
    while (X) {
        yield
    };
    if (X) {
        1
    } else if (Y) {
        2
    } else {
        (yield; 3)
    }
}

request c { }
";
    assert_formats(text, text);
    assert_formats(
        "request a\n{\n\n\n x := 1; yield\n\n}\nrequest b{X;\nX}",
        "request a {\n    x := 1;\n    yield\n}\nrequest b {\n    X;\n    X\n}\n",
    );
}

#[test]
fn comments_stay_where_they_are() {
    let text = "\
// At the top.

/* Over
   two lines. */
const N = 1 // a number

// Before a request.
request a { // after a brace
    // on its own
    x := /* inside */ 1;

    // after a blank line
    yield; /* at the end */
    if (x) { /* nothing */ };
    if (x) {
        /* nothing here */
    } else {
        // nothing either
    };
    x // the response
    // and more
}
// At the bottom.
";
    assert_formats(text, text);
}

#[test]
fn comments_inside_expressions_survive() {
    assert_formats(
        "request a { assume(X // one\n && Y /* two */ && /* three */ Z); X := // four\n 1\n // five\n + 2 }",
        "\
request a {
    assume(
        X // one
        && Y /* two */
        && /* three */ Z
    );
    X := // four
        1
        // five
        + 2
}
",
    );
}

#[test]
fn aligned_comments_stay_aligned() {
    assert_formats(
        "request a {\n  x:=1;   // one\n  yield;  // two\n          // and a half\n  y:=x+x+1;  // three\n  x // four\n}",
        "\
request a {
    x := 1; // one
    yield;  // two
            // and a half
    y := x + x + 1; // three
    x // four
}
",
    );
    let text = "\
request a {
    x := 1;             // far away
    yield;

    y := x              // but aligned
}
";
    assert_formats(text, text);
}

#[test]
fn long_lines_are_broken_where_operators_bind_least() {
    assert_formats(
        "request a { assume(Alpha_is_a_long_name == 1 && Beta_is_a_long_name + 1 <= Gamma_is_long || Delta_is_longer_still == 3); 1 }",
        "\
request a {
    assume(
        Alpha_is_a_long_name == 1 && Beta_is_a_long_name + 1 <= Gamma_is_long
        || Delta_is_longer_still == 3
    );
    1
}
",
    );
    assert_formats(
        "request a {\nx := Alpha_is_a_long_name + Beta_is_a_long_name + Gamma_is_long + Delta_is_longer_still + Epsilon;\n\
         if Alpha_is_a_long_name == 1 && Beta_is_a_long_name == 1 && Gamma_is_long && Delta_is_longer_still { x } else { 0 }\n}",
        "\
request a {
    x := Alpha_is_a_long_name
        + Beta_is_a_long_name
        + Gamma_is_long
        + Delta_is_longer_still
        + Epsilon;
    if Alpha_is_a_long_name == 1
            && Beta_is_a_long_name == 1
            && Gamma_is_long
            && Delta_is_longer_still {
        x
    } else {
        0
    }
}
",
    );
}

#[test]
fn lines_end_as_the_first_one_does_and_a_byte_order_mark_goes() {
    let text = "\u{feff}// a\r\n\r\n\r\nrequest a { /* b\n c */\r\n1 } // d\r\n";
    let expected = "// a\r\n\r\nrequest a { /* b\r\n c */\r\n    1\r\n} // d\r\n";
    assert_eq!(formatted(text), expected);
    assert_eq!(formatted(expected), expected);
    let text = "// a\n\nrequest a { /* b\r\n c */\r\n1 } // d\r\n";
    assert_eq!(formatted(text), expected.replace("\r\n", "\n"));
    let text = "/* a\r\r\n */ request a { 1 } /* \r */ // \r\r";
    let once = formatted(text);
    assert_eq!(once, "/* a\r\n */ request a { 1 } /* \r */ //\r\n");
    assert_eq!(formatted(&once), once);
}

#[test]
fn a_text_with_errors_gives_its_messages() {
    let text = "request a { x = 1 }";
    let errors = format(text).expect_err("no layout");
    assert_eq!(errors, parse(text).diagnostics);
}

#[test]
fn the_examples_and_the_programs_of_the_book_are_formatted_already() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut programs = Vec::new();
    for (folder, extension) in [("examples", "ser"), ("docs", "md"), (".", "md")] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|e| e != extension) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            if extension == "ser" {
                programs.push((path, text));
                continue;
            }
            for block in text.split("\n```ser").skip(1) {
                let (options, program) = block.split_once('\n').expect("a line");
                let program = program.split("\n```").next().expect("an end").to_owned() + "\n";
                let is_crowded = options.contains("file=crowded.ser");
                if !options.contains("error") && !is_crowded && !parse(&program).has_errors() {
                    programs.push((path.clone(), program));
                }
            }
        }
    }
    assert!(programs.len() > 60, "only {} programs", programs.len());
    for (path, text) in programs {
        assert_faithful(&text);
        let once = formatted(&text);
        assert_eq!(text, once, "{}", path.display());
    }
}

#[test]
fn the_deepest_programs_are_formatted() {
    let depth = MAX_DEPTH - 10;
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("if (X) { ", "1", " }"),
        ("if X { 1 } else ", "{ 2 }", ""),
        ("-", "1", ""),
    ] {
        let text = format!("request a {{ {}{inside}{} }}", open.repeat(depth), close.repeat(depth));
        assert_faithful(&text);
    }
    let chain = vec!["1"; MAX_DEPTH - 2].join("+");
    assert_faithful(&format!("request a {{ {chain} }}"));
}

#[test]
fn large_programs_take_little_time() {
    let mut flat = String::from("request a {\n");
    while flat.len() < MAX_SOURCE_BYTES - 100 {
        flat.push_str("X:=X+1; // one\nif(X==1){yield};\n");
    }
    flat.truncate(MAX_SOURCE_BYTES / 2);
    let end = flat.rfind('\n').expect("a line");
    flat.truncate(end);
    flat.push_str("\n1}");
    let open = "if X { ".repeat(200);
    let statements = "1;".repeat(1_000_000);
    let deep = format!("request a {{ {open}{statements}{} }}", "}".repeat(200));
    let long_name = "x".repeat(1 << 20);
    let wide = format!("request a {{ {long_name}; // b\n{} 1 }}", "1; // b\n".repeat(100_000));
    let comments = format!("request a {{ 1 {} }}", "/* */".repeat(500_000));
    for (text, fits) in [(flat, true), (deep, false), (wide, true), (comments, true)] {
        let started = Instant::now();
        match format(&text) {
            Ok(once) => {
                assert!(fits);
                assert!(once == formatted(&once));
            }
            Err(errors) => {
                assert!(!fits, "{errors:?}");
                assert_eq!(errors[0].code, "formatted-too-large");
            }
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

/// Makes programs out of a list of choices, as words.
struct Writer<'c> {
    choices: std::slice::Iter<'c, u8>,
    words: Vec<&'static str>,
}

impl Writer<'_> {
    fn choose(&mut self, n: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % n)
    }

    fn put(&mut self, words: &[&'static str]) {
        self.words.extend(words);
    }

    fn program(&mut self) {
        for _ in 0..self.choose(3) {
            match self.choose(3) {
                0 => self.put(&["A", ":=", "-", "1"]),
                1 => self.put(&[
                    "Name_of_a_global_variable",
                    ":=",
                    "2",
                    "*",
                    "(",
                    "1",
                    "+",
                    "1",
                    ")",
                ]),
                _ => {}
            }
            match self.choose(3) {
                0 => self.put(&[","]),
                1 => self.put(&[";", ";"]),
                _ => {}
            }
        }
        self.put(&["const", "N", "=", "3"]);
        for name in ["first", "second_request"].iter().take(1 + usize::from(self.choose(2))) {
            self.put(&["request", name]);
            match self.choose(4) {
                0 => self.put(&["(", ")"]),
                1 => self.put(&[
                    "(", "p", "in", "0", "..", "N", ",", "q", "in", "-", "1", "..", "1", ",", ")",
                ]),
                _ => {}
            }
            self.put(&["{"]);
            self.sequence(4);
            self.put(&["}"]);
        }
    }

    fn sequence(&mut self, depth: u8) {
        for _ in 0..self.choose(4) {
            self.expression(depth);
            self.put(&[";"]);
            if self.choose(8) == 0 {
                self.put(&[";"]);
            }
        }
        self.expression(depth);
        if self.choose(4) == 0 {
            self.put(&[";"]);
        }
    }

    fn block(&mut self, depth: u8) {
        self.put(&["{"]);
        if self.choose(6) != 0 {
            self.sequence(depth);
        }
        self.put(&["}"]);
    }

    fn expression(&mut self, depth: u8) {
        if depth == 0 {
            return self.operand(0);
        }
        match self.choose(10) {
            0 => {
                self.put(&["X", ":="]);
                self.expression(depth - 1);
            }
            1 => {
                self.put(&["a_local_variable", ":="]);
                self.expression(depth - 1);
            }
            2 => {
                self.put(&["assume", "("]);
                self.expression(depth - 1);
                self.put(&[")"]);
            }
            3..6 => {
                let operators = [["+", "-"], ["&&", "and"], ["||", "or"], ["*", "*"]];
                let operators = operators[usize::from(self.choose(4))];
                self.operand(depth - 1);
                for _ in 0..=self.choose(5) {
                    let operator = operators[usize::from(self.choose(2))];
                    self.put(&[operator]);
                    self.operand(depth - 1);
                }
            }
            6 => {
                self.operand(depth - 1);
                self.put(&["<="]);
                self.operand(depth - 1);
            }
            7 => self.put(&["yield"]),
            _ => self.operand(depth),
        }
    }

    fn operand(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 5 } else { 12 }) {
            0 => self.put(&["X"]),
            1 => self.put(&["42"]),
            2 => self.put(&["a_local_variable"]),
            3 => self.put(&["?"]),
            4 => self.put(&["Name_of_a_global_variable"]),
            5 => {
                self.put(&["-"]);
                self.operand(depth - 1);
            }
            6 => {
                self.put(&["not"]);
                self.operand(depth - 1);
            }
            7 => {
                self.put(&["!"]);
                self.operand(depth - 1);
            }
            8 => {
                self.put(&["("]);
                self.sequence(depth - 1);
                self.put(&[")"]);
            }
            9 => {
                self.put(&["if"]);
                self.condition(depth - 1);
                self.block(depth - 1);
                while self.choose(3) == 0 && !self.choices.as_slice().is_empty() {
                    self.put(&["else", "if"]);
                    self.condition(depth - 1);
                    self.block(depth - 1);
                }
                if self.choose(2) == 0 {
                    self.put(&["else"]);
                    self.block(depth - 1);
                }
            }
            10 => {
                self.put(&["while"]);
                self.condition(depth - 1);
                self.block(depth - 1);
            }
            _ => self.put(&["choose", "(", "0", "..", "N", ")"]),
        }
    }

    fn condition(&mut self, depth: u8) {
        if self.choose(3) == 0 {
            self.put(&["X", "==", "1", "or", "Name_of_a_global_variable"]);
        } else {
            self.put(&["("]);
            self.expression(depth);
            self.put(&[")"]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_program_keeps_its_tokens_its_comments_and_its_tree(
        choices in prop::collection::vec(any::<u8>(), 0..200),
        trivia in prop::collection::vec(any::<u8>(), 1..80),
        dense in prop::bool::weighted(0.3),
    ) {
        let mut writer = Writer { choices: choices.iter(), words: Vec::new() };
        writer.program();
        let text = spaced(&writer.words, &trivia, dense);
        let parsed = parse(&text);
        prop_assume!(!parsed.has_errors());
        assert_faithful(&text);
    }

    #[test]
    fn code_is_not_wider_than_a_line_unless_a_word_is(
        choices in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut writer = Writer { choices: choices.iter(), words: Vec::new() };
        writer.program();
        let text = writer.words.join(" ");
        prop_assume!(!parse(&text).has_errors());
        let once = formatted(&text);
        // A name, an operator before it, brackets and `;` after it cannot be separated.
        prop_assert!(once.lines().all(|line| line.len() <= MAX_WIDTH + 40), "{once}");
    }
}

/// Its sign belongs to it, and yet it is a token: everything after it was once laid out one token
/// late, and with comments in between not at all.
#[test]
fn the_smallest_number_is_laid_out_like_others() {
    let text =
        "request t{if(T){return-9223372036854775808// why\n}}request b{while(not T){}// so\n}";
    let formatted = ser_editing::format(text).expect("no errors");
    assert!(formatted.contains("return -9223372036854775808"), "{formatted}");
    let other = ser_editing::format(&text.replace("9223372036854775808", "5")).expect("no errors");
    assert_eq!(formatted.replace("9223372036854775808", "5"), other);
}

/// A few strange characters in a comment are text, however many blanks there are around them.
#[test]
fn what_is_text_before_is_text_afterwards() {
    let blanks = " ".repeat(1000);
    for strange in 0..40 {
        let text = format!("request r {{{blanks}1 }} // {}", "\u{f}".repeat(strange));
        if let Ok(formatted) = ser_editing::format(&text) {
            assert!(!ser_syntax::parse(&formatted).has_errors(), "{strange} strange characters");
        }
    }
}
