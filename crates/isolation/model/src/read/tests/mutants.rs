//! Texts that nobody would write: they are read, or something is said about them; never more.

use super::examples;
use crate::ast::StatementKind;
use crate::read::read;
use ser_base::Span;

/// Small, and the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// Reads a text, and looks at what comes out.
fn look(text: &str) {
    let read = read(text);
    let inside = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?} in {text}");
    for it in &read.diagnostics {
        inside(it.primary.span);
        it.secondary.iter().for_each(|it| inside(it.span));
        assert!(!it.message.is_empty());
    }
    for it in &read.program.transactions {
        inside(it.span);
        it.variables.iter().for_each(|it| inside(it.span));
        let mut blocks = vec![&it.body];
        while let Some(block) = blocks.pop() {
            for statement in block {
                inside(statement.span);
                match &statement.kind {
                    StatementKind::Sql(sql) => {
                        sql.filled(text, &mut |_| "NULL".into());
                    }
                    StatementKind::If(cases, otherwise) => {
                        blocks.extend(cases.iter().map(|it| &it.1));
                        blocks.push(otherwise);
                    }
                    StatementKind::Loop { body, .. } | StatementKind::ForRange { body, .. } => {
                        blocks.push(body)
                    }
                    StatementKind::ForRows { body, sql, .. } => {
                        sql.filled(text, &mut |_| "NULL".into());
                        blocks.push(body);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Words, so that a change is more than a misspelt word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        let last = words.last_mut().expect("one");
        let joins = |it: char| it.is_alphanumeric() || it == '_';
        if last.chars().next_back().is_none_or(|it| joins(it) && joins(c)) {
            last.push(c);
        } else {
            words.push(c.into());
        }
    }
    words
}

#[test]
fn changed_examples_are_read_or_refused() {
    let files: Vec<Vec<String>> = examples::all().iter().map(|(_, it)| words(it)).collect();
    let strange = [
        "(", ")", "'", "\"", "$$", "é", "\0", "--", "/*", ";", "::", "..", "", "SELECT", "END",
        ":x", "$9", "*",
    ];
    let mut random = Random(7);
    for _ in 0..1500 {
        let mut text = files[random.below(files.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len());
            match random.below(5) {
                0 => text[at] = strange[random.below(strange.len())].into(),
                1 => _ = text.remove(at),
                2 => {
                    let other = &files[random.below(files.len())];
                    text[at] = other[random.below(other.len())].clone();
                }
                3 => {
                    let other = random.below(text.len());
                    text.swap(at, other);
                }
                _ => text.truncate(at.max(1)),
            }
        }
        look(&text.concat());
    }
}

#[test]
fn deep_and_long_texts_are_refused() {
    let tables = super::trees::TABLES;
    let section = |it: &str| format!("{tables}-- name: it :exec\n{it}");
    let many = |it: &str, n: usize| it.repeat(n);
    let texts = [
        section(&format!("SELECT {}1{}", many("(", 100_000), many(")", 100_000))),
        section(&format!("SELECT {}1", many("- ", 100_000))),
        section(&format!("SELECT {}true", many("NOT ", 100_000))),
        section(&format!("SELECT 1{}", many(" + 1", 100_000))),
        section(&format!("SELECT {}1{}", many("(SELECT ", 50_000), many(")", 50_000))),
        section(&format!("SELECT {}", many("CASE WHEN ", 50_000))),
        section(&format!("SELECT 1{}", many("::int", 50_000))),
        section(&format!("SELECT id FROM account WHERE id IN (1{})", many(", 1", 50_000))),
        format!(
            "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {}",
            many("IF true THEN ", 50_000)
        ),
        format!(
            "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ {}",
            many("BEGIN ", 50_000) + "$$"
        ),
        format!(
            "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {} END $$",
            many("IF true THEN NULL; ELSIF (SELECT true) THEN NULL; ELSE ", 5_000)
        ),
        many("/*", 100_000),
        many(";", 100_000),
        many("-- name: a :exec\n", 10_000),
    ];
    for text in texts {
        let start: String = text.chars().skip(tables.len()).take(60).collect();
        let read = read(&text);
        assert!(start.starts_with(';') || text.starts_with(';') || !read.is_complete(), "{start}");
    }
    // Many are not deep.
    let rows = many("(1, 'x'), ", 20_000);
    let text = format!("{tables}INSERT INTO account (id, owner) VALUES {rows}(2, 'y');");
    assert_eq!(read(&text).diagnostics, []);
}
