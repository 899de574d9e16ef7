//! From a plan to text: where lines end.
//!
//! A group goes on one line if that line, up to the first place after the group where it may end,
//! fits; then all groups in it do. Otherwise every soft end of line of the group is one, and its
//! inner groups are asked again. Widths are known before printing starts, so this takes one pass.

use super::MAX_WIDTH;
use super::margin::{Printed, Trailing};
use super::plan::Op;
use super::words::{Comment, Words};
use ser_base::Span;
use ser_syntax::MAX_SOURCE_BYTES;
use ser_syntax::lexer::TokenKind;

/// The width of what cannot be on one line.
const NEVER: u64 = 1 << 32;

/// The columns of one level of indentation.
const INDENTATION: usize = 4;

/// Prints a plan; `None` if the text becomes too large.
pub fn print(plan: &[Op], words: &Words<'_>) -> Option<Printed> {
    let tails = tails(plan, words);
    let mut printer = Printer {
        words,
        printed: Printed::default(),
        column: 0,
        level: 0,
        extra: 0,
        at_line_start: true,
        space: false,
        flat: Vec::new(),
        section: 0,
    };
    let mut widths = widths(plan, words, &tails).into_iter();
    for (op, tail) in plan.iter().zip(tails.iter().skip(1)) {
        let is_flat = printer.flat.last().copied().unwrap_or(false);
        match *op {
            Op::Token(span) => printer.token(span),
            Op::Comment(comment) => printer.comment(comment),
            Op::Space => printer.space = true,
            Op::Room(spaces) => printer.room(spaces as usize),
            Op::Soft { space } if is_flat => printer.space |= space,
            Op::Soft { .. } => printer.newline(false, false),
            Op::Fill if printer.column + 1 + tail > MAX_WIDTH => printer.newline(false, false),
            Op::Fill => printer.space = true,
            Op::Hard { blank, extra } => printer.newline(blank, extra),
            Op::Begin => {
                let width = widths.next().unwrap_or(NEVER);
                let start = (printer.column + usize::from(printer.space)) as u64;
                printer.flat.push(is_flat || start + width <= MAX_WIDTH as u64);
            }
            Op::End => drop(printer.flat.pop()),
            Op::Indent => printer.level += 1,
            Op::Dedent => printer.level = printer.level.saturating_sub(1),
            Op::Section => printer.section += 1,
        }
        if printer.printed.text.len() > MAX_SOURCE_BYTES {
            return None;
        }
    }
    let length = printer.printed.text.trim_end_matches('\n').len();
    printer.printed.text.truncate(length);
    printer.printed.text.push('\n');
    Some(printer.printed)
}

/// The width of a piece on one line.
fn width(op: &Op, words: &Words<'_>) -> u64 {
    match op {
        Op::Token(span) => u64::from(span.end - span.start),
        Op::Comment(comment) => {
            let text = words.written(comment.span, TokenKind::LineComment);
            if text.contains('\n') { NEVER } else { text.chars().count() as u64 }
        }
        Op::Space | Op::Fill => 1,
        Op::Room(spaces) => u64::from(*spaces),
        Op::Soft { space } => u64::from(*space),
        Op::Hard { .. } => NEVER,
        Op::Begin | Op::End | Op::Indent | Op::Dedent | Op::Section => 0,
    }
}

/// From each piece on, the width up to the first place where a line may end; and a 0 at the end. A
/// comment right before such a place does not count: code is not broken for it.
fn tails(plan: &[Op], words: &Words<'_>) -> Vec<usize> {
    let mut tails = vec![0; plan.len() + 1];
    let mut tail = 0;
    for (op, slot) in plan.iter().zip(&mut tails).rev() {
        tail = match op {
            Op::Soft { .. } | Op::Fill | Op::Hard { .. } => 0,
            Op::Comment(_) if tail == 0 => 0,
            Op::Comment(comment) if width(op, words) >= NEVER => {
                let text = words.written(comment.span, TokenKind::LineComment);
                text.lines().next().map_or(0, |line| line.chars().count())
            }
            _ => tail + width(op, words) as usize,
        };
        *slot = tail;
    }
    tails
}

/// For each group, in the order in which they begin, its width on one line and that of its tail.
fn widths(plan: &[Op], words: &Words<'_>, tails: &[usize]) -> Vec<u64> {
    let mut widths = Vec::new();
    let mut open: Vec<(usize, u64)> = Vec::new();
    let mut total = 0;
    for (op, tail) in plan.iter().zip(tails.iter().skip(1)) {
        total += width(op, words);
        match op {
            Op::Begin => {
                open.push((widths.len(), total));
                widths.push(NEVER);
            }
            Op::End => {
                if let Some((index, start)) = open.pop()
                    && let Some(slot) = widths.get_mut(index)
                {
                    *slot = total - start + *tail as u64;
                }
            }
            _ => {}
        }
    }
    widths
}

struct Printer<'w, 't> {
    words: &'w Words<'t>,
    printed: Printed,
    /// The column where the next character goes, without the space that may come before it.
    column: usize,
    /// The level of indentation.
    level: usize,
    /// More levels for this line.
    extra: usize,
    /// Whether nothing is on this line yet, not even blanks.
    at_line_start: bool,
    /// Whether a space comes before what comes next.
    space: bool,
    /// For each open group, whether it is on one line.
    flat: Vec<bool>,
    /// How many sections have begun.
    section: u32,
}

impl Printer<'_, '_> {
    fn newline(&mut self, blank: bool, extra: bool) {
        let text = &mut self.printed.text;
        if !text.is_empty() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            if blank && !text.ends_with("\n\n") {
                text.push('\n');
            }
        }
        self.space = false;
        self.at_line_start = true;
        self.extra = usize::from(extra);
        self.column = (self.level + self.extra) * INDENTATION;
    }

    /// So many spaces, between words of one line.
    fn room(&mut self, spaces: usize) {
        let more = spaces.saturating_sub(1);
        self.printed.text.extend(std::iter::repeat_n(' ', more));
        self.column += more;
        self.space = true;
    }

    /// Writes what comes before the next word.
    fn blanks(&mut self) {
        if self.at_line_start {
            self.column = (self.level + self.extra) * INDENTATION;
            self.printed.text.extend(std::iter::repeat_n(' ', self.column));
        } else if self.space {
            self.printed.text.push(' ');
            self.column += 1;
        }
        (self.at_line_start, self.space) = (false, false);
    }

    fn token(&mut self, span: Span) {
        self.blanks();
        let text = self.words.written(span, TokenKind::Name);
        self.printed.text.push_str(text);
        self.column += text.len();
    }

    fn comment(&mut self, comment: Comment) {
        let is_line =
            self.words.text.get(comment.span.range()).is_some_and(|text| text.starts_with("//"));
        let kind = if is_line { TokenKind::LineComment } else { TokenKind::BlockComment };
        let text = self.words.written(comment.span, kind);
        if comment.is_trailing() {
            let long = match self.printed.trailing.last() {
                Some(above) if comment.continues => above.long,
                _ => self.column >= MAX_WIDTH,
            };
            self.printed.trailing.push(Trailing {
                at: self.printed.text.len(),
                code: (!comment.continues).then_some(self.column),
                column: comment.column as usize,
                room: comment.room as usize,
                long,
                section: self.section,
            });
            (self.at_line_start, self.space) = (false, false);
        } else {
            self.blanks();
        }
        self.printed.text.push_str(text);
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + text.chars().count(),
        };
    }
}
