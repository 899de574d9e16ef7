//! What belongs together: ranges to fold and ranges to select.
//!
//! Both come from the tokens, so that they work while the text does not parse: what stands between
//! two brackets belongs together, and so does a long comment.

use crate::document::Document;
use lsp_types::{FoldingRange, FoldingRangeKind, Position, SelectionRange};
use ser_syntax::Span;
use ser_syntax::lexer::{Token, TokenKind, lex};

/// The ranges to fold.
pub fn folds(document: &Document) -> Vec<FoldingRange> {
    let tokens = lex(document.text.as_str());
    let line = |offset: u32| document.text.position(offset).line;
    let mut out = Vec::new();
    for (open, close) in brackets(&tokens) {
        // The line with the closing bracket stays visible.
        let (first, last) = (line(open.start), line(close.start).saturating_sub(1));
        if last > first {
            out.push(fold(first, last, None));
        }
    }
    for comment in comments(&tokens) {
        let (first, last) = (line(comment.start), line(comment.end));
        if last > first {
            out.push(fold(first, last, Some(FoldingRangeKind::Comment)));
        }
    }
    out.sort_by_key(|f| (f.start_line, f.end_line));
    out
}

fn fold(start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>) -> FoldingRange {
    FoldingRange { start_line, end_line, kind, ..FoldingRange::default() }
}

/// Comments; line comments that follow each other are one.
fn comments(tokens: &[Token]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut open: Option<Span> = None;
    for token in tokens {
        match (token.kind, &mut open) {
            (TokenKind::LineComment, Some(span)) => *span = span.to(token.span),
            (TokenKind::LineComment, none) => *none = Some(token.span),
            (TokenKind::Whitespace, _) => {}
            (kind, open) => {
                out.extend(open.take());
                if kind == TokenKind::BlockComment {
                    out.push(token.span);
                }
            }
        }
    }
    out.extend(open);
    out
}

/// Pairs of brackets that belong together.
fn brackets(tokens: &[Token]) -> Vec<(Span, Span)> {
    let mut open: Vec<&Token> = Vec::new();
    let mut out = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::LeftBrace | TokenKind::LeftParenthesis => open.push(token),
            TokenKind::RightBrace | TokenKind::RightParenthesis => {
                let wanted = match token.kind {
                    TokenKind::RightBrace => TokenKind::LeftBrace,
                    _ => TokenKind::LeftParenthesis,
                };
                // One that closes nothing is passed over; those left open inside are forgotten.
                if let Some(index) = open.iter().rposition(|t| t.kind == wanted) {
                    open.truncate(index + 1);
                    out.extend(open.pop().map(|opener| (opener.span, token.span)));
                }
            }
            _ => {}
        }
    }
    out
}

/// For each position the ranges around it, from the word to the whole file.
pub fn selections(document: &Document, positions: &[Position]) -> Vec<SelectionRange> {
    let tokens = lex(document.text.as_str());
    let pairs = brackets(&tokens);
    let whole = Span::new(0, document.text.as_str().len() as u32);
    let requests: Vec<Span> = document.parse.tree.requests.iter().map(|r| r.span).collect();
    let of = |position: &Position| {
        let offset = document.text.offset(*position);
        let around = |span: &Span| span.start <= offset && offset <= span.end;
        let mut spans: Vec<Span> = vec![whole];
        spans.extend(requests.iter().filter(|s| around(s)));
        for (open, close) in &pairs {
            let (outside, inside) = (open.to(*close), Span::new(open.end, close.start));
            spans.extend([outside, inside].iter().filter(|s| around(s)));
        }
        let words = tokens.iter().filter(|t| t.kind != TokenKind::Whitespace).map(|t| t.span);
        spans.extend(words.rev().find(|s| around(s)));
        spans.sort_by_key(|s| std::cmp::Reverse(s.end - s.start));
        spans.dedup();
        let mut out: Option<SelectionRange> = None;
        for span in spans {
            let range = document.text.range(span);
            if out.as_ref().is_none_or(|outer| outer.range != range) {
                out = Some(SelectionRange { range, parent: out.map(Box::new) });
            }
        }
        out.unwrap_or(SelectionRange { range: document.text.whole(), parent: None })
    };
    positions.iter().map(of).collect()
}
