//! Edits that keep comments and layout: lines come and go as a person would have it.

use crate::serializability::outline::Pause;
use ser_syntax::lexer::{Token, TokenKind, lex};
use ser_syntax::{Edit, Span};

/// A source text, to be edited.
pub(super) struct Layout<'a> {
    text: &'a str,
    /// Without white space and comments.
    tokens: Vec<Token>,
    newline: &'static str,
}

impl<'a> Layout<'a> {
    pub fn new(text: &'a str) -> Layout<'a> {
        let tokens = lex(text).into_iter().filter(|t| !t.kind.is_trivia()).collect();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Layout { text, tokens, newline }
    }

    /// Whether some name in the text is this one.
    pub fn has_name(&self, name: &str) -> bool {
        self.tokens.iter().any(|t| t.kind == TokenKind::Name && t.text(self.text) == name)
    }

    /// A name that the text does not use yet.
    pub fn fresh(&self, name: &str) -> String {
        let numbered = (2..).map(|n| format!("{name}{n}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|n| !self.has_name(n))
            .unwrap_or_default()
    }

    /// Takes a `yield` out. Its value is 0, and stays where it is used; so do comments around it.
    pub fn remove_pause(&self, pause: &Pause) -> Vec<Edit> {
        if pause.is_used || pause.place.is_none() {
            return vec![Edit { span: pause.span, replacement: "0".to_owned() }];
        }
        let gone = |span: Span| Edit { span, replacement: String::new() };
        let whole = self.statement_with_separator(pause.span);
        if !self.has_comment(whole) {
            return vec![gone(whole)];
        }
        let semicolon = self.separator_after(pause.span).map(|t| gone(t.span));
        std::iter::once(gone(pause.span)).chain(semicolon).collect()
    }

    /// Takes a `yield` out together with the comment behind it, to be put elsewhere: the edits, and
    /// the comment with the space before it.
    pub fn cut_pause(&self, pause: &Pause) -> (Vec<Edit>, String) {
        let end = self.line_end(pause.span.start);
        let rest = self.text.get(pause.span.end as usize..end).unwrap_or_default();
        let comment = rest.trim_start().trim_start_matches(';').trim_end();
        if pause.is_used
            || pause.place.is_none()
            || !self.starts_line(pause.span.start)
            || !comment.trim_start().starts_with("//")
        {
            return (self.remove_pause(pause), String::new());
        }
        let start = self.line_start(pause.span.start);
        let whole = Span::new(start as u32, self.after_newline(end) as u32);
        (vec![Edit { span: whole, replacement: String::new() }], comment.to_owned())
    }

    /// Whether nothing but white space stands before a place on its line.
    pub fn starts_line(&self, at: u32) -> bool {
        self.before(at).trim().is_empty()
    }

    fn has_comment(&self, span: Span) -> bool {
        let text = self.text.get(span.range()).unwrap_or_default();
        text.contains("//") || text.contains("/*")
    }

    /// The `;` after a statement.
    fn separator_after(&self, statement: Span) -> Option<&Token> {
        let next = self.tokens.partition_point(|t| t.span.start < statement.end);
        self.tokens.get(next).filter(|t| t.kind == TokenKind::Semicolon)
    }

    /// Puts statements before another one.
    pub fn insert_before(&self, statement: Span, lines: &[String]) -> Edit {
        let gap = match self.before(statement.start) {
            indent if indent.trim().is_empty() => format!("{}{indent}", self.newline),
            _ => " ".to_owned(),
        };
        let replacement = lines.iter().map(|line| format!("{line}{gap}")).collect();
        Edit { span: Span::empty(statement.start), replacement }
    }

    /// Puts statements after another one; those that are the last of their block need no `;`.
    pub fn insert_after(&self, statement: Span, lines: &[String]) -> Vec<Edit> {
        let semicolon = self.separator_after(statement);
        let at = semicolon.map_or(statement.end, |t| t.span.end);
        let mut edits = Vec::new();
        if semicolon.is_none() {
            edits.push(Edit { span: Span::empty(at), replacement: ";".to_owned() });
        }
        // A comment behind the statement belongs to it.
        let end = self.line_end(at);
        let rest = self.text.get(at as usize..end).unwrap_or_default().trim();
        let own_lines = rest.is_empty()
            || rest.starts_with("//")
            || rest.starts_with("/*") && rest.find("*/") == Some(rest.len() - 2);
        let (place, gap) = match own_lines {
            true => {
                let indent = self.indent(statement.start);
                (self.trimmed_end(end) as u32, format!("{}{indent}", self.newline))
            }
            false => (at, " ".to_owned()),
        };
        let last = if semicolon.is_none() { lines.len().checked_sub(1) } else { None };
        let mut replacement = String::new();
        for (i, line) in lines.iter().enumerate() {
            replacement += &gap;
            replacement += if Some(i) == last { line.trim_end_matches(';') } else { line };
        }
        edits.push(Edit { span: Span::empty(place), replacement });
        edits
    }

    /// A statement with the `;` that goes with it, and with its line if nothing else is there.
    fn statement_with_separator(&self, statement: Span) -> Span {
        let at = self.tokens.partition_point(|t| t.span.start < statement.start);
        let before = at.checked_sub(1).and_then(|i| self.tokens.get(i));
        let is_semicolon = |t: &&Token| t.kind == TokenKind::Semicolon;
        let (mut start, mut end) = (statement.start as usize, statement.end as usize);
        if let Some(after) = self.separator_after(statement) {
            end = after.span.end as usize;
        } else if let Some(before) = before.filter(is_semicolon)
            && self.line_of(before.span.start) == self.line_of(statement.start)
        {
            // The last of several on one line takes the `;` before it along.
            return Span::new(before.span.start, end as u32);
        }
        let line_end = self.line_end(end as u32);
        let rest = self.text.get(end..line_end).unwrap_or_default();
        let blank = self.before(start as u32).trim().is_empty();
        if blank && rest.trim().is_empty() {
            start = self.line_start(start as u32);
            end = self.after_newline(line_end);
        } else {
            end += rest.len() - rest.trim_start().len();
        }
        Span::new(start as u32, end as u32)
    }

    fn line_start(&self, at: u32) -> usize {
        self.text[..at as usize].rfind('\n').map_or(0, |i| i + 1)
    }

    /// Where the line ends, before its `\n`.
    fn line_end(&self, at: u32) -> usize {
        self.text[at as usize..].find('\n').map_or(self.text.len(), |i| at as usize + i)
    }

    fn after_newline(&self, end: usize) -> usize {
        (end + 1).min(self.text.len())
    }

    /// Without the `\r` before the end of a line.
    fn trimmed_end(&self, end: usize) -> usize {
        self.text[..end].trim_end_matches(['\r', ' ', '\t']).len()
    }

    /// What stands before a place on its line.
    fn before(&self, at: u32) -> &str {
        &self.text[self.line_start(at)..at as usize]
    }

    /// The white space that the line begins with.
    fn indent(&self, at: u32) -> &str {
        let line = &self.text[self.line_start(at)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn line_of(&self, at: u32) -> usize {
        self.text[..at as usize].matches('\n').count()
    }
}

/// The same edits in the order of the text, none overlapping another.
pub(super) fn merged(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|e| (e.span.start, e.span.end));
    let mut out: Vec<Edit> = Vec::new();
    for edit in edits {
        match out.last_mut() {
            Some(last) if edit.span.start < last.span.end => {
                last.span = last.span.to(edit.span);
                last.replacement += &edit.replacement;
            }
            _ => out.push(edit),
        }
    }
    out
}

/// The text after some edits, which do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|e| (e.span.start, e.span.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in sorted {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        out += text.get(done..start).unwrap_or_default();
        out += &edit.replacement;
        done = end.max(done);
    }
    out + text.get(done..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serializability::outline::tests::outline;

    fn without_first(text: &str) -> String {
        let outline = outline(text);
        let after = apply(text, &Layout::new(text).remove_pause(&outline.pauses[0]));
        assert!(!ser_syntax::parse(&after).has_errors(), "{after}");
        after
    }

    #[test]
    fn a_pause_takes_its_line_along_but_not_its_comment() {
        let line = "request a {\n    X := 1;\n    yield;\n    X\n}\n";
        assert_eq!(without_first(line), "request a {\n    X := 1;\n    X\n}\n");
        let comment = "request a {\n    X := 1;\n    yield;   // why\n    X\n}\n";
        assert_eq!(without_first(comment), "request a {\n    X := 1;\n    // why\n    X\n}\n");
        let crlf = "request a {\r\n    X := 1;\r\n    yield;\r\n    X\r\n}\r\n";
        assert_eq!(without_first(crlf), "request a {\r\n    X := 1;\r\n    X\r\n}\r\n");
    }

    #[test]
    fn a_pause_among_others_on_a_line_leaves_the_others() {
        assert_eq!(without_first("request a { X := 1; yield; X }"), "request a { X := 1; X }");
        assert_eq!(
            without_first("request a { while (?) { yield }; X }"),
            "request a { while (?) { }; X }"
        );
        assert_eq!(
            without_first("request a { while (?) { X := 1; yield }; X }"),
            "request a { while (?) { X := 1 }; X }"
        );
    }

    #[test]
    fn comments_around_a_pause_stay() {
        let text = "request a { X := 1; /* a */ yield /* b */ ; X }";
        assert_eq!(without_first(text), "request a { X := 1; /* a */  /* b */  X }");
        let text = "request a { while (?) { X := 1; /* a */ yield }; X }";
        assert_eq!(without_first(text), "request a { while (?) { X := 1; /* a */  }; X }");
    }

    #[test]
    fn pauses_that_share_a_semicolon_go_together() {
        let text = "request a { while (?) { X := 1; yield; yield }; X }";
        let layout = Layout::new(text);
        let pauses = outline(text).pauses;
        let edits = merged(pauses.iter().flat_map(|p| layout.remove_pause(p)).collect());
        assert_eq!(edits.len(), 1);
        assert_eq!(apply(text, &edits), "request a { while (?) { X := 1;  }; X }");
    }

    #[test]
    fn the_value_of_a_pause_stays_where_it_is_used() {
        assert_eq!(without_first("request a { X := 1; yield }"), "request a { X := 1; 0 }");
        assert_eq!(without_first("request a { X := yield; X }"), "request a { X := 0; X }");
    }

    #[test]
    fn statements_come_on_lines_of_their_own_where_the_others_have_them() {
        let text = "request a {\n    X := 1; // one\n    Y := X\n}\n";
        let outline = outline(text);
        let layout = Layout::new(text);
        let spans: Vec<Span> = outline.blocks[0].statements.iter().map(|s| s.span).collect();
        let mut edits = vec![layout.insert_before(spans[0], &["L := 1;".into()])];
        edits.extend(layout.insert_after(spans[0], &["M := 1;".into()]));
        edits.extend(layout.insert_after(spans[1], &["L := 0;".into(), "Y;".into()]));
        let expected = "request a {\n    L := 1;\n    X := 1; // one\n    M := 1;\n    Y := X;\n    L := 0;\n    Y\n}\n";
        assert_eq!(apply(text, &edits), expected);
    }
}
