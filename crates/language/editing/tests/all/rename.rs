//! Everything that has a name in the examples can have another one.

use ser_base::Span;
use ser_editing::rename;
use ser_syntax::lexer::{TokenKind, lex};
use std::path::{Path, PathBuf};

fn examples(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            examples(&path, out);
        } else if path.extension().is_some_and(|it| it == "ser") {
            out.push(path);
        }
    }
}

fn replaced(text: &str, places: &[Span], name: &str) -> String {
    let mut out = text.to_owned();
    for place in places.iter().rev() {
        out.replace_range(place.range(), name);
    }
    out
}

#[test]
fn every_name_of_the_examples_can_be_another_and_back() {
    let mut files = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples"), &mut files);
    let mut count = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("an example");
        // The long ones are alike, and what uses other files stays as it is.
        if text.len() > 3_000 || text.contains("\nuse \"") {
            continue;
        }
        let mut done: Vec<Span> = Vec::new();
        for token in lex(&text).iter().filter(|it| it.kind == TokenKind::Name) {
            let old = token.text(&text);
            let upper = old.starts_with(char::is_uppercase);
            let name = if upper { "Zz9" } else { "zz9" };
            if done.contains(&token.span) {
                continue;
            }
            // Words are no names, and `_` is everything.
            let Ok(places) = rename(&text, token.span.start, name) else {
                let error = rename(&text, token.span.start, name).expect_err("just seen");
                let said = error.to_string();
                assert!(said == "there is no name here" || old == "_", "{file:?} {old}: {said}");
                continue;
            };
            let there = replaced(&text, &places, name);
            let first = places.first().expect("a place").start;
            let back = rename(&there, first, old).expect("the way back");
            assert_eq!(replaced(&there, &back, old), text, "{file:?}: {old}");
            done.extend(places);
            count += 1;
        }
    }
    assert!(count > 500, "{count} names in {} files", files.len());
}
