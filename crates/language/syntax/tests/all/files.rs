//! Programs in several files.

use ser_base::{add_file, add_same_file};
use ser_syntax::{parse, read, use_of};

fn together(files: &[(&str, &str)]) -> String {
    let mut text = files[0].1.to_owned();
    files[1..].iter().for_each(|(name, file)| add_file(&mut text, name, Ok(file)));
    text
}

fn names(text: &str) -> Vec<String> {
    let tree = parse(text).tree;
    tree.constants.iter().map(|it| it.name.text.clone()).collect()
}

#[test]
fn what_a_file_uses_comes_before_it() {
    let text = together(&[
        ("", "const A = B  use \"lib/b.ser\"  use \"d.ser\"  request main { A }"),
        ("lib/b.ser", "const B = C + D  use \"c.ser\"  use \"../d.ser\""),
        ("d.ser", "const D = 1"),
        ("lib/c.ser", "use \"../d.ser\"  const C = D"),
    ]);
    assert_eq!(names(&text), ["D", "C", "B", "A"]);
    assert!(!parse(&text).has_errors(), "{:?}", parse(&text).diagnostics);
    let at = |what: &str| text.find(what).expect("there") as u32;
    let through = |what: &str| use_of(&text, at(what)).map(|span| &text[span.range()]);
    assert_eq!(through("const C"), Some("use \"lib/b.ser\""));
    assert_eq!(through("const D"), Some("use \"lib/b.ser\""), "the first way to it");
}

#[test]
fn what_a_used_file_asks_is_left_out() {
    let text = together(&[
        ("", "use \"b.ser\"  invariant own: X == 0  request main { X }"),
        ("b.ser", "var X: int  invariant other: X == Unknown  request more { X }  deadlock"),
    ]);
    let parse = parse(&text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    assert_eq!((parse.tree.claims.len(), parse.tree.requests.len()), (1, 2));
}

#[test]
fn a_file_that_nobody_has_read_is_an_error() {
    for (text, message) in [
        ("use \"a.ser\"  request main { 0 }".to_owned(), "`a.ser` has not been read"),
        (
            together(&[("", "use \"x/a.ser\"  request main { 0 }"), ("a.ser", "const N = 1")]),
            "`x/a.ser` has not been read",
        ),
    ] {
        let error = &parse(&text).diagnostics[0];
        assert_eq!((error.code, error.message.as_str()), ("unusable-file", message));
    }
}

#[test]
fn circles_are_told_with_all_names() {
    let mut text = "use \"b.ser\"  request main { 0 }".to_owned();
    add_file(&mut text, "b.ser", Ok("use \"own.ser\"  use \"b.ser\""));
    add_same_file(&mut text, "own.ser", 0);
    let errors = parse(&text).diagnostics;
    let messages: Vec<&str> = errors.iter().map(|it| it.message.as_str()).collect();
    let circle = "files use each other in a circle: `own.ser` uses `b.ser`, which uses `own.ser`";
    assert_eq!(messages, [circle, "this file uses itself"]);
}

#[test]
fn files_together_say_what_they_are_a_model_of() {
    let text = together(&[
        ("", "use \"b.ser\"  process P { X := 1 }  reach X == 1"),
        ("b.ser", "var X: 0..1 = 0  process Q { await X == 1 }"),
    ]);
    let file = read(&text);
    assert!(!file.has_errors(), "{:?}", file.diagnostics());
    assert_eq!(file.tree().processes.len(), 2);
}

#[test]
fn any_text_with_marks_is_read() {
    let pieces = ["use \"b.ser\"", "\n\u{1c}b.ser\n", "\n\u{1c}", "\u{1d}=0", "/*", "{", "\n", "x"];
    for number in 0..pieces.len().pow(5) {
        let piece = |digit: u32| pieces[number / pieces.len().pow(digit) % pieces.len()];
        let text: String = (0..5).map(piece).collect();
        let parse = parse(&text);
        assert!(parse.has_errors(), "{text:?}");
        for diagnostic in &parse.diagnostics {
            assert!(text.get(diagnostic.primary.span.range()).is_some(), "{text:?}");
        }
    }
}
