//! Formatting files with messages changes the layout and nothing else, and changes it once.

use proptest::prelude::*;
use ser_editing::icet::parse;
use ser_editing::{MAX_WIDTH, format};
use ser_syntax::MAX_DEPTH;
use ser_syntax::icet::term_size;
use ser_syntax::lexer::{TokenKind, lex};

/// A text that must have a layout.
fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"))
}

/// Tokens and comments, without white space.
fn words(text: &str) -> Vec<(TokenKind, String)> {
    let tokens = lex(text).into_iter().filter(|token| token.kind != TokenKind::Whitespace);
    tokens.map(|token| (token.kind, token.text(text).trim_end().replace('\r', ""))).collect()
}

/// The meaning without places.
fn meaning(text: &str) -> String {
    let meaning = format!("{:?}", parse(text).protocol);
    let mut out = String::new();
    let mut rest = meaning.as_str();
    while let Some((before, after)) = rest.split_once("Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Everything that must hold for any file.
fn assert_faithful(text: &str) {
    let once = formatted(text);
    assert_eq!(words(text), words(&once), "words of\n{text}\n--- became\n{once}");
    assert_eq!(meaning(text), meaning(&once), "meaning of\n{text}\n--- became\n{once}");
    assert_eq!(formatted(&once), once, "twice is not once for\n{text}\n---\n{once}");
    assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.starts_with('\n'));
    assert!(!once.contains("\n\n\n"), "two blank lines in\n{once}");
}

fn assert_formats(text: &str, expected: &str) {
    let once = formatted(text);
    assert_eq!(once, expected, "\n{once}\n--- instead of\n{expected}");
    assert_faithful(text);
}

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

/// Makes a file of the bytes of a random list.
struct Author<'b> {
    bytes: std::slice::Iter<'b, u8>,
    out: Vec<&'static str>,
}

impl Author<'_> {
    fn choose(&mut self, n: u8) -> u8 {
        self.bytes.next().map_or(0, |byte| byte % n)
    }

    fn put(&mut self, words: &[&'static str]) {
        self.out.extend(words);
    }

    fn file(&mut self) {
        self.put(&[
            "set", "Q", ";", "index", "I", ">=", "2", ";", "enum", "E", "{", "Red", ",", "Green",
            "}",
        ]);
        self.put(&[
            "msg", "M", "=", "A", "(", "int", ",", "Q", ")", "|", "B", ";", "msg", "N", "=", "N",
            ";",
        ]);
        self.put(&[
            "process", "p", "{", "x", ":=", "1", ";", "c", ":=", "true", ";", "r", ":=", "choose",
            "(", "Q", ")", ";", "m", ":=", "B", ";",
        ]);
        self.statements(3);
        self.put(&["}", "server", "process", "w", "for", "me", "in", "Q", "{"]);
        self.put(&[
            "x", ":=", "2", ";", "c", ":=", "false", ";", "r", ":=", "me", ";", "m", ":=", "B", ";",
        ]);
        self.statements(3);
        self.put(&["}"]);
    }

    fn statements(&mut self, depth: u8) {
        for _ in 0..self.choose(4) {
            self.statement(depth);
        }
    }

    fn block(&mut self, depth: u8) {
        self.put(&["{"]);
        self.statements(depth.saturating_sub(1));
        self.put(&["}"]);
    }

    fn statement(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 8 } else { 14 }) {
            0 => self.put(&["skip", ";"]),
            1 => {
                self.put(&["x", ":="]);
                self.number(2);
                self.put(&[";"]);
            }
            2 => {
                self.put(&["assert"]);
                self.condition(2);
                self.put(&[";"]);
            }
            3 => {
                self.put(&["send", "A", "("]);
                self.number(1);
                self.put(&[",", "r", ")", "to", "r", ";"]);
            }
            4 => self.put(&["m", ":=", "recv", "M", "from", "Q", ";"]),
            5 => self.put(&["A", "(", "x", ",", "_", ")", ":=", "recv", "M", ";"]),
            6 => self.put(&["recv", "N", ";", "_", ":=", "recv", "N", "from", "r", ";"]),
            7 => self.put(&[
                "x", ":=", "choose", "(", "int", ")", ";", "r", ":=", "choose", "(", "Q", ")", ";",
            ]),
            8 => {
                self.put(&["if"]);
                match self.choose(2) {
                    0 => self.put(&["?"]),
                    _ => self.condition(2),
                }
                self.block(depth);
                if self.choose(2) == 0 {
                    self.put(&["else", "if"]);
                    self.condition(1);
                    self.block(depth);
                }
                if self.choose(2) == 0 {
                    self.put(&["else"]);
                    self.block(depth);
                }
            }
            9 => {
                self.put(&["while"]);
                self.condition(2);
                self.block(depth);
            }
            10 => {
                self.put(&["loop", "{"]);
                self.statements(depth - 1);
                self.put(&["if", "?", "{", "break", ";", "}", "}"]);
            }
            11 => {
                self.put(&["match", "m", "{", "A", "(", "x", ",", "r", ")", "=>"]);
                self.block(depth);
                self.put(&["_", "=>"]);
                self.block(depth);
                self.put(&["}"]);
            }
            _ => {
                let name = ["i3", "i2", "i1", "i0"][usize::from(depth.min(3))];
                self.put(&["for", name, "in", "I"]);
                self.block(depth);
            }
        }
    }

    fn number(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 2 } else { 6 }) {
            0 => self.put(&["x"]),
            1 => self.put(&["42"]),
            2 => {
                self.put(&["-"]);
                self.number(0);
            }
            3 => {
                self.put(&["("]);
                self.number(depth - 1);
                self.put(&[")"]);
            }
            n => {
                self.number(depth - 1);
                self.put(&[if n == 4 { "+" } else { "*" }]);
                self.number(depth - 1);
            }
        }
    }

    fn condition(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 2 } else { 6 }) {
            0 => self.put(&["c"]),
            1 => {
                self.number(1);
                self.put(&["<"]);
                self.number(1);
            }
            2 => {
                self.put(&["!", "("]);
                self.condition(depth - 1);
                self.put(&[")"]);
            }
            3 => self.put(&["r", "!=", "self"]),
            n => {
                self.condition(depth - 1);
                self.put(&[if n == 4 { "&&" } else { "||" }]);
                self.condition(depth - 1);
            }
        }
    }
}

/// Words with white space and comments between them.
fn spaced(words: &[&str], trivia: &[u8]) -> String {
    const TRIVIA: [&str; 10] = [
        " ",
        " ",
        " ",
        "\n",
        "\n\n\n",
        " // note\n",
        " /* note */ ",
        "\t",
        "\n    // alone\n",
        " /* a\n b */\n",
    ];
    let mut text = String::new();
    let mut trivia = trivia.iter().cycle();
    for word in words {
        text.push_str(word);
        let pick = trivia.next().copied().unwrap_or(0);
        // Mostly blanks: otherwise every line has just one word.
        let pick = if pick >= 64 { 0 } else { usize::from(pick) % TRIVIA.len() };
        text.push_str(TRIVIA[pick]);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_file_keeps_its_words_and_its_meaning(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        trivia in prop::collection::vec(any::<u8>(), 1..100),
    ) {
        let mut author = Author { bytes: bytes.iter(), out: Vec::new() };
        author.file();
        assert_faithful(&spaced(&author.out, &trivia));
    }
}
