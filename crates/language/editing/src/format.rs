//! Layout: the same program, written the way this repository writes programs.
//!
//! The tokens never change, nor do the texts and the order of the comments; only what stands
//! between them does. The way: `words` separates what counts from what lies between, `layout` walks
//! the syntax tree and says where a line may or must end (`seam`), `printer` decides where it does
//! end, and `margin` puts trailing comments where they were aligned. For `.unw` files,
//! `unwindings` takes the place of `layout`; `plan` is what they have in common.
//!
//! Why formatting twice changes nothing more: all decisions depend on the tokens, on whether there
//! is an end of line (or a blank line) at certain places of the input, and on the columns of
//! trailing comments. A line that is broken for want of room has an end of line at such a place in
//! the output, and would have been broken with it as well; a trailing comment never moves to the
//! left of the column where it would have to be. `tests/format.rs` tries it on random programs.
//!
//! Everything is linear in the size of the text and of the result. Recursion follows the syntax
//! tree, whose height is at most [`MAX_DEPTH`](ser_syntax::MAX_DEPTH).

mod layout;
mod margin;
mod plan;
mod printer;
mod seam;
mod unwindings;
mod words;

use ser_base::{Diagnostic, Span, first_file};
use ser_syntax::lexer::{Token, TokenKind, lex};
use ser_syntax::{MAX_SOURCE_BYTES, read};
use std::borrow::Cow;

/// How many columns a line of code may have. (Comments may be longer.)
pub const MAX_WIDTH: usize = 100;

/// Lays out a program anew, whatever it is a model of ([`world`](ser_syntax::world())).
///
/// Blocks have four spaces of indentation; a block stays on one line if it was on one line and
/// there is room for it. Blank lines between statements and items are kept, one at a time. Comments
/// keep their text and their place: on a line of their own, or at the end of a line of code, where
/// they also keep the column in which they were aligned. Lines end with `\r\n` if the first one
/// does, and with `\n` otherwise.
///
/// Of a text of several files the first is laid out, and the others stay as they are.
///
/// A text with errors has no layout: the result is what [`read`] says about it. The same goes for
/// a program that would become too large to be read again ([`MAX_SOURCE_BYTES`]).
///
/// ```
/// let formatted = ser_editing::format("request main{\nx:=X;yield;  // others run here\nX:=x+1}")?;
/// assert_eq!(formatted, "\
/// request main {
///     x := X;
///     yield;   // others run here
///     X := x + 1
/// }
/// ");
/// assert_eq!(ser_editing::format(&formatted)?, formatted);
/// let formatted = ser_editing::format("msg Go=Go;process p{send Go to q;}\nprocess q{recv Go; // waits\n}")?;
/// assert_eq!(formatted, "\
/// msg Go = Go;
/// process p { send Go to q; }
/// process q {
///     recv Go; // waits
/// }
/// ");
/// # Ok::<(), Vec<ser_base::Diagnostic>>(())
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut file = read(text);
    if file.error().is_some() {
        return Err(file.diagnostics().to_vec());
    }
    let unix = unix_lines(text);
    if matches!(unix, Cow::Owned(_)) {
        file = read(&unix);
    }
    let own = first_file(text);
    let formatted = lay_out(own, first_file(&unix), |words| layout::plan(file.tree(), words))?;
    Ok(formatted + &text[own.len()..])
}

/// Lays out an `.unw` file anew, as [`format()`] does with programs.
///
/// ```
/// let text = "place p:0..3,bool place q transition t{out p(1,x);var x:bool}target t";
/// let formatted = ser_editing::format_unwinding(text)?;
/// assert_eq!(formatted, "\
/// place p : 0..3, bool
/// place q
/// transition t { out p(1, x); var x : bool }
/// target t
/// ");
/// assert_eq!(ser_editing::format_unwinding(&formatted)?, formatted);
/// # Ok::<(), Vec<ser_base::Diagnostic>>(())
/// ```
pub fn format_unwinding(text: &str) -> Result<String, Vec<Diagnostic>> {
    let diagnostics = ser_syntax::parse_unwinding(text).diagnostics;
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(diagnostics),
        false => lay_out(text, &unix_lines(text), unwindings::plan),
    }
}

/// Prints what the plan says about a text, and `unix`, the same with other ends of lines.
fn lay_out(
    text: &str,
    unix: &str,
    plan: impl FnOnce(&words::Words<'_>) -> Vec<plan::Op>,
) -> Result<String, Vec<Diagnostic>> {
    let words = words::Words::new(unix);
    let plan = plan(&words);
    let printed = printer::print(&plan, &words).ok_or_else(|| vec![too_large()])?;
    let formatted = margin::align(printed);
    if formatted.len() > MAX_SOURCE_BYTES {
        return Err(vec![too_large()]);
    }
    if !same_words(unix, &formatted) {
        return Err(vec![not_the_same()]);
    }
    let windows = text.find('\n').is_some_and(|end| text[..end].ends_with('\r'));
    match windows {
        true if formatted.len() + formatted.matches('\n').count() > MAX_SOURCE_BYTES => {
            Err(vec![too_large()])
        }
        true => Ok(formatted.replace('\n', "\r\n")),
        false => Ok(formatted),
    }
}

/// The text with lines that end with `\n` alone.
fn unix_lines(text: &str) -> Cow<'_, str> {
    if !text.contains("\r\n") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line.trim_end_matches('\r'));
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

fn too_large() -> Diagnostic {
    let message = format!(
        "this program would be too large after formatting: more than {MAX_SOURCE_BYTES} bytes"
    );
    Diagnostic::error("formatted-too-large", message, Span::default())
        .with_help("leave it as it is, or split it: spaces and indentation take room, too")
}

fn not_the_same() -> Diagnostic {
    let message = "formatting would have changed the program, so it was left as it is";
    Diagnostic::error("internal-error", message, Span::default())
        .with_help("this is a bug in ser: please report it, with the program")
}

/// Whether two texts have the same tokens and the same comments.
fn same_words(before: &str, after: &str) -> bool {
    let (before_tokens, after_tokens) = (lex(before), lex(after));
    let mut left = before_tokens.iter().filter_map(|token| word(before, *token));
    let mut right = after_tokens.iter().filter_map(|token| word(after, *token));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (left, right) if left != right => return false,
            _ => {}
        }
    }
}

fn word(text: &str, token: Token) -> Option<(TokenKind, &str)> {
    (token.kind != TokenKind::Whitespace).then(|| (token.kind, word_text(text, token)))
}

/// What is written for a token: blanks at the end of a line are nobody's text.
fn word_text(text: &str, token: Token) -> &str {
    match token.kind {
        TokenKind::LineComment => token.text(text).trim_end(),
        _ => token.text(text),
    }
}
