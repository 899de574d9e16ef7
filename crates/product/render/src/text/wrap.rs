//! Wrapping text into lines.

use std::fmt::Write as _;

/// Longer lines are hard to read, whatever the terminal has room for.
const WIDEST: usize = 96;

/// Writes `text` as lines, the first one behind `first`, the others behind `rest`.
pub fn wrapped(out: &mut String, first: &str, rest: &str, text: &str, width: usize) {
    for line in lines(first, rest, text, width) {
        let _ = writeln!(out, "{line}");
    }
}

/// The same as a list of lines.
pub(super) fn lines(first: &str, rest: &str, text: &str, width: usize) -> Vec<String> {
    let width = width.clamp(40, WIDEST);
    let options = textwrap::Options::new(width)
        .initial_indent(first)
        .subsequent_indent(rest)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    textwrap::wrap(&text, options).into_iter().map(|line| line.into_owned()).collect()
}
