//! Whatever the text, reading it gives an answer: no panic, no hang, no flood of messages.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use ser_editing::parse;
use ser_syntax::core::{Block, Expr, ExprKind};
use ser_syntax::{MAX_SOURCE_BYTES, Parse, lexer};

/// Pieces that make texts look like programs.
const PIECES: &[&str] = &[
    "request",
    "main",
    "const",
    "if",
    "else",
    "while",
    "yield",
    "return",
    "abort",
    "assume",
    "choose",
    "in",
    "and",
    "or",
    "not",
    "exit",
    "elif",
    "true",
    "break",
    "continue",
    "for",
    "loop",
    "match",
    "with",
    "assert",
    "var",
    "lock",
    "enum",
    "record",
    "type",
    "fn",
    "of",
    "_",
    "=>",
    "[",
    "]",
    ".",
    "/",
    "|",
    "X",
    "y",
    "N",
    "0",
    "1",
    "9223372036854775808",
    "12ab",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "?",
    "..",
    ":=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "!",
    "&&",
    "||",
    "=",
    ":",
    "%",
    "/",
    "&",
    "|",
    "$",
    "é",
    "“",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "\t",
    "request a { X := 1; yield; X }",
    "request b(p in 0..2) { p }",
    "if (X == 1) {",
    "} else {",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    let separated = prop::collection::vec((piece, prop::bool::weighted(0.7)), 0..80);
    separated.prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| format!("{piece}{}", if blank { " " } else { "" }))
            .collect()
    })
}

fn has_hole(block: &Block) -> bool {
    fn expr(e: &Expr) -> bool {
        let mut found = e.kind == ExprKind::Error;
        e.for_each_child(&mut |child| found = found || expr(child));
        found
    }
    block.exprs.iter().any(expr)
}

/// What must hold for any text.
fn check(text: &str) -> Result<Parse, TestCaseError> {
    let tokens = lexer::lex(text);
    let together: String = tokens.iter().map(|token| token.text(text)).collect();
    prop_assert_eq!(&together, text, "lexing is lossless");
    prop_assert!(tokens.iter().all(|token| token.span.start < token.span.end), "no empty tokens");

    let parse = parse(text);
    let diagnostics = &parse.diagnostics;
    prop_assert!(diagnostics.is_sorted_by_key(|d| d.primary.span.start));
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    prop_assert!(errors <= 21, "at most 20 errors and a count of the rest");
    for d in diagnostics {
        let labels = d.secondary.iter().chain([&d.primary]).map(|label| label.span);
        let edits = d.help.iter().filter_map(|help| help.edit.as_ref()).map(|edit| edit.span);
        for span in labels.chain(edits) {
            prop_assert!(text.get(span.range()).is_some(), "{} points outside: {span:?}", d.code);
        }
        prop_assert!(!d.message.ends_with('.'), "{}", d.message);
    }
    if !parse.has_errors() {
        prop_assert!(!parse.program.requests.is_empty());
        prop_assert!(!parse.program.requests.iter().any(|r| has_hole(&r.body)), "a silent hole");
        let constants = ser_syntax::constants(&parse.tree);
        prop_assert_eq!(&constants, &parse.program.constants);
        prop_assert!(parse.tree.constants.iter().all(|c| constants.contains_key(&c.name.text)));
    }
    Ok(parse)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_soup_of_tokens_is_survived(text in soup()) {
        check(&text)?;
    }

    #[test]
    fn any_soup_inside_a_request_is_survived(text in soup()) {
        check(&format!("request main {{ {text} }}"))?;
    }

    #[test]
    fn a_request_after_a_soup_is_found(text in soup()) {
        // Without stars, because a comment that is not closed would swallow it.
        let text = text.replace('*', "");
        let parse = check(&format!("request first {{ {text}\nrequest last {{ 42 }}"))?;
        let last = parse.tree.requests.last();
        prop_assert_eq!(last.map(|request| &*request.name.text), Some("last"));
    }

    #[test]
    fn a_program_with_a_piece_missing_is_survived(start in 0usize..400, length in 0usize..20) {
        let text = include_str!("robustness.rs");
        let sample = "const N = 2\nA := N\nrequest put(v in 0..N) {\n    while (L == 1) { yield };\n    \
            L := 1; if (A == v) { A := choose(0..N) } else if (?) { return -1 } else { A := v };\n    \
            yield; L := 0; assume(A >= 0 && A <= N); A + 1\n}\nrequest get { A }\n";
        for text in [sample, text] {
            let (before, rest) = text.split_at(start.min(text.len()));
            let rest: String = rest.chars().skip(length).collect();
            check(&format!("{before}{rest}"))?;
        }
    }
}

/// Long texts of one repeated piece, at top level and inside a request.
#[test]
fn long_texts_are_read_in_linear_time() {
    const LENGTH: usize = 1 << 20;
    let pieces = [
        "(",
        ")",
        "{",
        "}",
        ";",
        "$ ",
        "é",
        "\"",
        "a b ",
        "1+",
        "-",
        "x := ",
        "if (x) {",
        "else ",
        "if x { } else ",
        "while (",
        "a == ",
        "a % ",
        "a<b<c;",
        "x++;",
        "(}",
        "{)",
        "({",
        "/*",
        "/* */",
        "request m {",
        "request a(",
        "const A = B ",
        "A := 1 ",
        "return; ",
        "choose(",
        "a:=b:=",
    ];
    let start = Instant::now();
    for piece in pieces {
        let many = piece.repeat(LENGTH / piece.len());
        for text in [format!("request m {{ {many} }}"), many] {
            let parse = parse(&text);
            assert!(parse.diagnostics.len() <= 122, "{piece}");
        }
    }
    // A quadratic pass over one of them alone would take minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_text_that_is_too_large_gives_one_error() {
    let largest = " ".repeat(MAX_SOURCE_BYTES - 18) + "request main { 0 }";
    assert_eq!(parse(&largest).diagnostics, []);
    let too_large = largest + " ";
    let codes: Vec<_> = parse(&too_large).diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["source-too-large"]);
}

#[test]
fn many_errors_are_counted_but_not_all_shown() {
    let text = format!("request main {{ {} }}", "x = 1; ".repeat(50));
    let diagnostics = parse(&text).diagnostics;
    assert_eq!(diagnostics.len(), 21);
    assert_eq!(diagnostics[20].message, "30 more errors were left out");
}
