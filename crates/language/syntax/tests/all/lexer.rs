//! Tokens.

use ser_syntax::lexer::TokenKind::{self, *};
use ser_syntax::lexer::lex;

fn kinds(text: &str) -> Vec<TokenKind> {
    lex(text).iter().map(|t| t.kind).filter(|k| !k.is_trivia()).collect()
}

#[test]
fn a_range_is_not_a_decimal_number() {
    assert_eq!(kinds("0..2"), [Number, DotDot, Number]);
    assert_eq!(kinds("1.5"), [Number, Dot, Number]);
}

#[test]
fn the_longest_operator_wins() {
    assert_eq!(kinds("a:=b==c"), [Name, Assign, Name, EqualEqual, Name]);
    assert_eq!(kinds("<=<>=>!=!"), [LessEqual, Less, GreaterEqual, Greater, NotEqual, Bang]);
    assert_eq!(kinds("&&& |||"), [AndAnd, Unknown, OrOr, Bar]);
}

#[test]
fn keywords_are_whole_words() {
    assert_eq!(kinds("if iffy not_ exit _"), [If, Name, Name, Exit, Name]);
}

#[test]
fn comments_end_where_they_should() {
    assert_eq!(kinds("a // b ; c\nd /* e\n f */ g"), [Name, Name, Name]);
    assert_eq!(kinds("a /* b"), [Name]);
    assert_eq!(lex("/*/").first().map(|t| t.kind), Some(UnterminatedComment));
    assert_eq!(lex("/**/ ").first().map(|t| t.kind), Some(BlockComment));
}

#[test]
fn letters_that_are_not_ascii_make_no_names() {
    assert_eq!(kinds("größe"), [Unknown]);
    assert_eq!(kinds("X Х"), [Name, Unknown]);
}

#[test]
fn a_byte_order_mark_counts_only_at_the_start() {
    assert_eq!(kinds("\u{feff}X"), [Name]);
    assert_eq!(kinds("X\u{feff}"), [Name, Unknown]);
}

#[test]
fn quotes_close_on_the_same_line() {
    assert_eq!(kinds("\"a b\" c"), [Quoted, Name]);
    assert_eq!(kinds("\"\""), [Quoted]);
    assert_eq!(kinds("\"a\nb\""), [Unknown, Name, Name, Unknown]);
    assert_eq!(kinds("Q[2]"), [Name, LeftBracket, Number, RightBracket]);
}

#[test]
fn nothing_reaches_from_one_file_into_the_next() {
    let text = "a /* b\n\u{1c}c.ser\n\u{feff}c \"d\n\u{1c}e.ser\n\n\u{1c}f.ser";
    let expected = [Name, File, Name, Unknown, Name, File, File];
    assert_eq!(kinds(text), expected);
    assert_eq!(lex(text).iter().map(|it| it.text(text)).collect::<String>(), text);
}

#[test]
fn strange_characters_in_a_row_are_one_token() {
    assert_eq!(kinds("a $@# b"), [Name, Unknown, Name]);
}
