//! Tokens one after the other, and how to go on after a mistake.
//!
//! Whoever returns `Err(Reported)` has said what is wrong. Words are told from names by their text,
//! because every [`Language`] has its own; what all of them say about mistakes is in `complaints`.

use crate::complaints::quote;
use crate::lexer::{Token, TokenKind};
use crate::parser::MAX_DEPTH;
use crate::report::{Messages as _, Report, Reported, error};
use ser_base::{Diagnostic, Sink, Span};

/// What a language says about itself.
pub(crate) struct Language {
    /// What is read: a `file`, or a `text` on the command line.
    pub(crate) whole: &'static str,
    /// What the items with bodies are called.
    pub(crate) item: &'static str,
    /// Whether a word cannot be a name.
    pub(crate) is_reserved: fn(&str) -> bool,
    /// Whether a new item starts here, however many brackets are open.
    pub(crate) at_item: fn(&Cursor<'_>) -> bool,
    /// Whether an item starts here, unless something is open.
    pub(crate) at_loose_item: fn(&Cursor<'_>) -> bool,
    /// Whether `/`, `%`, `.` and `|` mean something.
    pub(crate) has_signs: bool,
    /// Words that start something at top level.
    pub(crate) items: &'static [&'static str],
    /// What blocks follow.
    pub(crate) block_help: &'static str,
    /// What the heart of a file looks like.
    pub(crate) file_help: &'static str,
}

/// How many statements a file can have.
pub const MAX_STATEMENTS: usize = 65_536;

/// A place among the tokens of a file.
pub(crate) struct Cursor<'t> {
    pub(crate) text: &'t str,
    /// Without white space and comments.
    pub(crate) tokens: Vec<Token>,
    /// The index of the current token.
    pub(crate) position: usize,
    pub(crate) sink: &'t mut Sink,
    pub(crate) language: &'static Language,
    /// How many statements and actions there were.
    statements: usize,
    /// How many blocks and expressions are around the current token.
    pub(crate) depth: usize,
    /// The token at which the last error was reported: a second one there would be an echo.
    pub(crate) last_error: Option<usize>,
    /// Whether nothing can be said about what is missing at the end of the text.
    end_is_unknown: bool,
    /// Whether the height of the tree has been complained about.
    pub(crate) too_deep: bool,
    /// Whether something was not understood, and left out.
    pub(crate) holes: bool,
}

impl Report for Cursor<'_> {
    /// Reports an error, unless one was reported at the same token already.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let at_unknown_end = self.end_is_unknown && self.position == self.tokens.len();
        if self.last_error != Some(self.position) && !at_unknown_end {
            self.last_error = Some(self.position);
            self.sink.push(diagnostic);
        }
        Reported
    }
}

impl<'t> Cursor<'t> {
    /// Before the first token of a file.
    pub(crate) fn new(
        text: &'t str,
        tokens: &[Token],
        sink: &'t mut Sink,
        language: &'static Language,
    ) -> Cursor<'t> {
        let end_is_unknown =
            tokens.last().is_some_and(|t| t.kind == TokenKind::UnterminatedComment);
        let tokens = tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
        let mut cursor = Cursor {
            text,
            tokens,
            position: 0,
            sink,
            language,
            statements: 0,
            depth: 0,
            last_error: None,
            end_is_unknown,
            too_deep: false,
            holes: false,
        };
        if !language.has_signs {
            use TokenKind::{Bar, Dot, Percent, Slash};
            cursor.forget(&[Slash, Percent, Dot, Bar]);
            // Strange characters in a row are one strange thing.
            cursor.tokens.dedup_by(|next, last| {
                let strange = [&*next, &*last].iter().all(|it| it.kind == TokenKind::Unknown);
                let one = strange && last.span.end == next.span.start;
                if one {
                    last.span.end = next.span.end;
                }
                one
            });
        }
        cursor
    }

    /// Treats these tokens like characters that mean nothing.
    pub(crate) fn forget(&mut self, kinds: &[TokenKind]) {
        for token in self.tokens.iter_mut().filter(|token| kinds.contains(&token.kind)) {
            token.kind = TokenKind::Unknown;
        }
    }

    /// The kind of the current token; `None` at the end.
    pub(crate) fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of the token `ahead` of the current one.
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.position + ahead).map(|token| token.kind)
    }

    pub(crate) fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    /// The text of the token `ahead`, if it is a word, reserved or not.
    pub(crate) fn word_at(&self, ahead: usize) -> Option<&'t str> {
        let token = self.tokens.get(self.position + ahead)?;
        let is_word = token.kind == TokenKind::Name || token.kind.is_keyword();
        is_word.then(|| token.text(self.text))
    }

    /// Whether the current token is this word.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    /// Whether the token `ahead` can be a name.
    pub(crate) fn is_name_at(&self, ahead: usize) -> bool {
        self.word_at(ahead).is_some_and(|word| !self.is_reserved(word))
    }

    pub(crate) fn is_reserved(&self, word: &str) -> bool {
        (self.language.is_reserved)(word)
    }

    /// Whether a new item starts here, however many brackets are open.
    pub(crate) fn at_item(&self) -> bool {
        (self.language.at_item)(self)
    }

    /// Whether these tokens stand together, without a blank, from the current one.
    pub(crate) fn together(&self, kinds: &[TokenKind]) -> bool {
        self.together_at(0, kinds)
    }

    /// The same from the token `ahead`.
    pub(crate) fn together_at(&self, ahead: usize, kinds: &[TokenKind]) -> bool {
        let start = self.position + ahead;
        let Some(tokens) = self.tokens.get(start..start + kinds.len()) else { return false };
        tokens.iter().map(|token| token.kind).eq(kinds.iter().copied())
            && tokens.windows(2).all(|pair| match pair {
                [left, right] => left.span.end == right.span.start,
                _ => true,
            })
    }

    /// The place of so many tokens from the current one.
    pub(crate) fn span_of(&self, tokens: usize) -> Span {
        let last = self.tokens.get((self.position + tokens).saturating_sub(1));
        last.map_or(self.here(), |last| self.here().to(last.span))
    }

    /// The place of the current token; at the end of the text, an empty place there.
    pub(crate) fn here(&self) -> Span {
        self.tokens.get(self.position).map_or(Span::empty(self.text.len() as u32), |t| t.span)
    }

    /// The place of the current token; at the end of the text, right behind the last one.
    pub(crate) fn here_or_gap(&self) -> Span {
        if self.peek().is_some() { self.here() } else { self.gap() }
    }

    /// The text of the current token.
    pub(crate) fn here_text(&self) -> &'t str {
        self.text.get(self.here().range()).unwrap_or("")
    }

    /// Goes to the next token; returns the place of the one that was current.
    pub(crate) fn bump(&mut self) -> Span {
        let span = self.here();
        self.position = (self.position + 1).min(self.tokens.len());
        span
    }

    /// Goes to the next token if the current one is a `kind`; returns its place.
    pub(crate) fn accept(&mut self, kind: TokenKind) -> Option<Span> {
        self.at(kind).then(|| self.bump())
    }

    /// Goes to the next token if the current one is a `kind`.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        self.accept(kind).is_some()
    }

    /// Goes to the next token if the current one is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        self.at_word(word).then(|| self.bump()).is_some()
    }

    /// Goes past so many tokens; returns where they stood.
    pub(crate) fn bump_all(&mut self, tokens: usize) -> Span {
        let span = self.span_of(tokens);
        (0..tokens).for_each(|_| {
            self.bump();
        });
        span
    }

    pub(crate) fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).and_then(|index| self.tokens.get(index)).copied()
    }

    /// Where the token before the current one ends.
    pub(crate) fn previous_end(&self) -> u32 {
        self.previous().map_or(0, |token| token.span.end)
    }

    /// The empty place right after the previous token: where something is missing.
    pub(crate) fn gap(&self) -> Span {
        Span::empty(self.previous_end())
    }

    /// From there to the end of the previous token.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.previous_end().max(start.end))
    }

    /// What the current token is called in a message.
    pub(crate) fn found(&self) -> String {
        let shown = quote(self.here_text());
        match self.peek() {
            None => format!("the end of the {}", self.language.whole),
            Some(TokenKind::Number) => format!("the number {shown}"),
            Some(_) if self.is_name_at(0) => format!("the name {shown}"),
            Some(_) => shown,
        }
    }

    /// Nothing useful can be said about the rest of the file.
    pub(crate) fn give_up(&mut self) -> Reported {
        self.position = self.tokens.len();
        self.end_is_unknown = true;
        Reported
    }

    /// One level deeper; reported, once per file, if that is too deep.
    pub(crate) fn enter(&mut self) -> Result<(), Reported> {
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts a statement.
    pub(crate) fn one_more(&mut self) -> Result<(), Reported> {
        self.statements += 1;
        if self.statements <= MAX_STATEMENTS {
            return Ok(());
        }
        let message = format!("this file has more than {MAX_STATEMENTS} statements");
        error("too-many-statements", message, self.here(), "one too many")
            .with_help("split it into several files")
            .report(self);
        Err(self.give_up())
    }

    /// Skips to the first of `stops` that is not inside brackets opened on the way, or to a
    /// `}` that was not opened on the way, or to the next request, or to the end.
    pub(crate) fn skip_to(&mut self, stops: &[TokenKind]) {
        self.skip_until(&|_, kind| stops.contains(&kind));
    }

    /// The same, where `stop` says whether a token outside of brackets is one to stop at.
    pub(crate) fn skip_until(&mut self, stop: &dyn Fn(&Self, TokenKind) -> bool) {
        let mut open: Vec<TokenKind> = Vec::new();
        let mut open_braces = 0usize;
        while let Some(kind) = self.peek() {
            if self.at_item() || open.is_empty() && stop(self, kind) {
                break;
            }
            match kind {
                TokenKind::LeftBrace => {
                    open.push(kind);
                    open_braces += 1;
                }
                TokenKind::LeftParenthesis => open.push(kind),
                TokenKind::RightParenthesis if open.last() == Some(&TokenKind::LeftParenthesis) => {
                    open.pop();
                }
                TokenKind::RightBrace if open_braces == 0 => break,
                TokenKind::RightBrace => {
                    while open.pop() == Some(TokenKind::LeftParenthesis) {}
                    open_braces -= 1;
                }
                _ => {}
            }
            self.bump();
        }
        if self.too_deep && (self.peek().is_none() || self.at_item()) {
            // The rest was not looked at: nobody knows whether its brackets are closed.
            self.last_error = Some(self.position);
        }
    }

    pub(crate) fn at_loose_item(&self) -> bool {
        (self.language.at_loose_item)(self)
    }

    /// Goes behind the end of a statement that was not understood: behind its `;`, or behind a
    /// block that was opened on the way. Stops before a `}` that was not, and before the next item.
    pub(crate) fn skip_statement(&mut self) {
        let mut open = 0usize;
        while let Some(kind) = self.peek() {
            if self.at_item() {
                break;
            }
            match kind {
                TokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 => return,
                TokenKind::RightBrace if open == 1 => {
                    self.bump();
                    open = 0;
                    if !self.at_word("else") {
                        return;
                    }
                    continue;
                }
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
        self.forget_brackets();
    }

    /// Goes on behind a part of a block that was not understood and starts at the token `before`.
    pub(crate) fn skip_part(&mut self, before: usize) {
        self.holes = true;
        if self.position == before && !self.at(TokenKind::LeftBrace) {
            let over = self.at(TokenKind::Semicolon);
            self.bump();
            if over {
                return;
            }
        }
        self.skip_statement();
    }

    /// After too high a tree the rest was not looked at: nobody knows whether its brackets are
    /// closed.
    fn forget_brackets(&mut self) {
        if self.too_deep {
            self.last_error = Some(self.position);
        }
    }
}
