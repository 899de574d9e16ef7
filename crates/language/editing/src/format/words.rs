//! What counts (tokens), and what lies between (comments and ends of lines).

use super::word_text;
use ser_base::Span;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::ops::Range;

/// Where a tab takes the reader: to the next multiple of this.
const TAB: usize = 4;

/// A comment and how it stood in the input.
#[derive(Clone, Copy, Debug)]
pub struct Comment {
    pub span: Span,
    /// How many ends of lines come right before it; at the start of the file at least one.
    pub newlines: u8,
    pub column: u32,
    /// How many columns are free before it.
    pub room: u32,
    /// Whether the line ends with it.
    pub ends_line: bool,
    /// Whether it goes on with the trailing comment of the line above: it stands right below it.
    pub continues: bool,
}

impl Comment {
    /// Whether it stands at the end of a line of code, or goes on with one that does.
    pub fn is_trailing(self) -> bool {
        self.continues || self.newlines == 0 && self.ends_line
    }
}

/// What lies before a token.
#[derive(Clone, Debug, Default)]
pub struct Gap {
    /// The comments, as indices.
    comments: Range<u32>,
    /// How many ends of lines come right before the token (and after the comments); two stand for
    /// any larger number.
    pub newlines: u8,
    /// Whether there is an end of line anywhere.
    pub is_broken: bool,
}

/// A text, taken apart.
#[derive(Debug)]
pub struct Words<'t> {
    pub text: &'t str,
    tokens: Vec<Token>,
    /// One for each token, and one for the end of the file.
    gaps: Vec<Gap>,
    comments: Vec<Comment>,
}

impl<'t> Words<'t> {
    pub fn new(text: &'t str) -> Words<'t> {
        let mut words = Words { text, tokens: Vec::new(), gaps: Vec::new(), comments: Vec::new() };
        let mut gap = Gap { newlines: 1, ..Gap::default() };
        let (mut column, mut word_end) = (0, 0);
        for token in lex(text) {
            let start = column;
            column = column_after(column, token.text(text));
            match token.kind {
                TokenKind::Whitespace => {
                    let newlines = token.text(text).bytes().filter(|b| *b == b'\n').count();
                    gap.newlines = (usize::from(gap.newlines) + newlines).min(2) as u8;
                    gap.is_broken |= newlines > 0;
                    continue;
                }
                _ if token.kind.is_trivia() => words.comment(token, &mut gap, start, word_end),
                _ => {
                    words.close(&mut gap);
                    words.tokens.push(token);
                }
            }
            word_end = column;
        }
        words.close(&mut gap);
        words
    }

    fn comment(&mut self, token: Token, gap: &mut Gap, start: usize, word_end: usize) {
        let above = gap.comments.clone().next_back().and_then(|i| self.comments.get(i as usize));
        let continues = gap.newlines == 1
            && token.kind == TokenKind::LineComment
            && above.is_some_and(|above| {
                (above.continues || above.newlines == 0) && above.column as usize == start
            });
        if let Some(last) = self.last_of(gap) {
            last.ends_line |= gap.newlines > 0;
        }
        let is_line = token.kind == TokenKind::LineComment;
        self.comments.push(Comment {
            span: token.span,
            newlines: gap.newlines,
            column: start as u32,
            room: start.saturating_sub(word_end) as u32,
            ends_line: is_line,
            continues,
        });
        gap.is_broken |= is_line;
        gap.newlines = 0;
        gap.comments = if gap.comments.is_empty() {
            self.comments.len() as u32 - 1..self.comments.len() as u32
        } else {
            gap.comments.start..self.comments.len() as u32
        };
    }

    fn last_of(&mut self, gap: &Gap) -> Option<&mut Comment> {
        let last = gap.comments.clone().next_back()?;
        self.comments.get_mut(last as usize)
    }

    /// Ends a gap before the next token.
    fn close(&mut self, gap: &mut Gap) {
        let newlines = gap.newlines;
        if let Some(last) = self.last_of(gap) {
            last.ends_line |= newlines > 0;
        }
        self.gaps.push(std::mem::take(gap));
    }

    /// The kind of a token; `None` after the last one.
    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The place of a token.
    pub fn span(&self, index: usize) -> Option<Span> {
        self.tokens.get(index).map(|token| token.span)
    }

    /// The text of a token; empty after the last one.
    pub fn word(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| token.text(self.text))
    }

    /// What lies before a token, with its comments.
    pub fn gap(&self, index: usize) -> (Gap, &[Comment]) {
        let gap = self.gaps.get(index).cloned().unwrap_or_default();
        let range = gap.comments.start as usize..gap.comments.end as usize;
        (gap, self.comments.get(range).unwrap_or(&[]))
    }

    /// The text of a token or a comment, as it is written.
    pub fn written(&self, span: Span, kind: TokenKind) -> &'t str {
        word_text(self.text, Token { kind, span })
    }
}

/// The column after a text that starts in this column.
fn column_after(column: usize, text: &str) -> usize {
    text.chars().fold(column, |column, c| match c {
        '\n' => 0,
        '\t' => (column / TAB + 1) * TAB,
        _ => column + 1,
    })
}
