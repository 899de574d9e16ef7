//! The words of SQL, as PostgreSQL cuts them.

use ser_base::{Diagnostic, Span};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Tok,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A keyword or a name, in lower case.
    Word(String),
    /// `"Name"`.
    Quoted(String),
    Number,
    /// `'text'`, without quotes.
    Text(String),
    /// What is between `$$` and `$$`.
    Dollar(Span),
    /// `$1`.
    Position(u32),
    /// `:name` or `@name`.
    Named(String),
    Symbol(&'static str),
    /// Already reported.
    Bad,
    End,
}

/// A comment, and before which token it stands.
pub(super) struct Comment {
    pub text: String,
    pub span: Span,
    pub before: usize,
}

pub(super) struct Lexed {
    /// The last one is [`Tok::End`].
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
}

/// The longest first.
const SYMBOLS: [&str; 11] = ["::", ":=", "..", "(", ")", ",", ";", ".", "[", "]", ":"];

/// The characters of operators, and the operators that have a meaning, or a message of their own.
const OPERATOR: &str = "+-*/<>=~!#%^&|";
const OPERATORS: [&str; 24] = [
    "->>", "<=", ">=", "<>", "!=", "||", "<<", ">>", "=>", "->", "=", "<", ">", "+", "-", "*", "/",
    "%", "^", "~", "&", "|", "#", "!",
];

/// The server cuts longer names off.
const LONGEST_NAME: usize = 63;

/// Cuts a part of the text into words.
pub(super) fn lex(text: &str, part: Span, diagnostics: &mut Vec<Diagnostic>) -> Lexed {
    let mut lexer = Lexer {
        text: &text[..part.end as usize],
        at: part.start as usize,
        tokens: Vec::new(),
        comments: Vec::new(),
        diagnostics,
    };
    while lexer.step() {}
    let end = Token { kind: Tok::End, span: Span::empty(part.end) };
    lexer.tokens.push(end);
    Lexed { tokens: lexer.tokens, comments: lexer.comments }
}

struct Lexer<'t, 'd> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || !c.is_ascii()
}

fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '$'
}

impl Lexer<'_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }

    fn push(&mut self, kind: Tok, start: usize) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span });
    }

    fn bad(&mut self, start: usize, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        self.push(Tok::Bad, start);
    }

    /// One word, or space, or a comment.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest().chars().next() else {
            return false;
        };
        let start = self.at;
        if c.is_ascii_whitespace() || c == '\u{b}' || c == '\u{feff}' {
            self.at += c.len_utf8();
        } else if self.rest().starts_with("--") {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            let comment = self.text[start + 2..self.at].trim().to_owned();
            self.comment(start, comment);
        } else if self.rest().starts_with("/*") {
            self.block_comment();
        } else if starts_name(c) {
            self.word();
        } else if c.is_ascii_digit() || self.starts_fraction() {
            self.number();
        } else if c == '\'' {
            self.quoted_text(false);
        } else if c == '"' {
            self.quoted_name();
        } else if c == '$' {
            self.dollar();
        } else if (c == ':' || c == '@')
            && self.rest()[1..].chars().next().is_some_and(starts_name)
            // `::text`
            && !self.text[..self.at].ends_with(':')
        {
            self.at += 1;
            let name = self.name_text();
            self.push(Tok::Named(name), start);
        } else if OPERATOR.contains(c) {
            self.operator();
        } else if let Some(symbol) = SYMBOLS.iter().find(|it| self.rest().starts_with(**it)) {
            self.at += symbol.len();
            self.push(Tok::Symbol(symbol), start);
        } else {
            self.stranger(c);
        }
        true
    }

    fn comment(&mut self, start: usize, text: String) {
        let span = self.span(start);
        self.comments.push(Comment { text, span, before: self.tokens.len() });
    }

    /// `/* ... */`, which may contain others.
    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0usize;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at..self.at + 2) {
                Some(b"/*") => (depth, self.at) = (depth + 1, self.at + 2),
                Some(b"*/") => (depth, self.at) = (depth - 1, self.at + 2),
                Some(_) => self.at += 1,
                None => {
                    self.at = self.text.len();
                    let span = Span::new(start as u32, start as u32 + 2);
                    let it = Diagnostic::error("open-comment", "this comment has no end", span);
                    return self.bad(start, it.with_help("end it with `*/`"));
                }
            }
            if depth == 0 {
                let inner = self.text[start + 2..self.at - 2].trim().to_owned();
                return self.comment(start, inner);
            }
        }
    }

    /// Takes the characters of a name, in lower case.
    fn name_text(&mut self) -> String {
        let start = self.at;
        let len = self.rest().find(|c| !continues_name(c)).unwrap_or(self.rest().len());
        self.at += len;
        self.text[start..self.at].to_ascii_lowercase()
    }

    fn word(&mut self) {
        let start = self.at;
        let name = self.name_text();
        let quote = self.rest().starts_with('\'');
        match name.as_str() {
            "e" if quote => self.quoted_text(true),
            "b" | "x" | "n" | "u" if quote || self.rest().starts_with("&'") => {
                let it = Diagnostic::error(
                    "unknown-literal",
                    "texts of this kind are not understood",
                    self.span(start),
                );
                self.bad(start, it.with_help("write a plain text, as in `'text'`"));
            }
            _ => self.named(start, name, Tok::Word),
        }
    }

    fn named(&mut self, start: usize, name: String, make: fn(String) -> Tok) {
        if name.len() > LONGEST_NAME {
            let message = format!("PostgreSQL cuts names after {LONGEST_NAME} bytes");
            let it = Diagnostic::error("long-name", message, self.span(start));
            return self.bad(start, it.with_help("use a shorter name"));
        }
        self.push(make(name), start);
    }

    /// `.5`, but neither `a.5` nor `1..5`.
    fn starts_fraction(&self) -> bool {
        let before = self.text[..self.at].chars().next_back();
        let mut rest = self.rest().chars();
        rest.next() == Some('.')
            && rest.next().is_some_and(|it| it.is_ascii_digit())
            && !before.is_some_and(|it| continues_name(it) || matches!(it, '.' | ')' | '"'))
    }

    fn digits(&mut self) {
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
    }

    fn number(&mut self) {
        let start = self.at;
        self.digits();
        // `1..5` are three words.
        if self.rest().starts_with('.') && !self.rest().starts_with("..") {
            self.at += 1;
            self.digits();
        }
        if self.rest().starts_with(starts_name) {
            self.name_text();
            let it = Diagnostic::error("bad-number", "this is no number", self.span(start));
            let help = "write numbers with digits and a point; a name cannot begin with a digit";
            return self.bad(start, it.with_help(help));
        }
        self.push(Tok::Number, start);
    }

    /// From the quote on; with `\n` and so on if `escapes`.
    fn quoted_text(&mut self, escapes: bool) {
        let start = if escapes { self.at - 1 } else { self.at };
        let mut value = String::new();
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            self.at += c.len_utf8();
            match c {
                '\'' if self.rest().starts_with('\'') => {
                    self.at += 1;
                    value.push('\'');
                }
                '\'' => return self.push(Tok::Text(value), start),
                '\\' if escapes => {
                    let next = self.rest().chars().next();
                    self.at += next.map_or(0, char::len_utf8);
                    match next {
                        Some('n') => value.push('\n'),
                        Some('t') => value.push('\t'),
                        Some('r') => value.push('\r'),
                        Some(it @ ('\\' | '\'' | '"')) => value.push(it),
                        _ => {
                            let span = Span::new(
                                (self.at - 1 - next.map_or(0, char::len_utf8)) as u32,
                                self.at as u32,
                            );
                            let message = "this character after a backslash is not understood";
                            let it = Diagnostic::error("bad-escape", message, span);
                            self.diagnostics.push(it.with_help("write the character itself"));
                        }
                    }
                }
                _ => value.push(c),
            }
        }
        let span = Span::new(start as u32, start as u32 + 1);
        let it = Diagnostic::error("open-text", "this text has no end", span);
        self.bad(start, it.with_help("end it with `'`; a quote within a text is written twice"));
    }

    fn quoted_name(&mut self) {
        let start = self.at;
        let mut name = String::new();
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            self.at += c.len_utf8();
            match c {
                '"' if self.rest().starts_with('"') => {
                    self.at += 1;
                    name.push('"');
                }
                '"' if name.is_empty() => {
                    let it =
                        Diagnostic::error("empty-name", "this name is empty", self.span(start));
                    return self.bad(start, it.with_help("texts are written `''`"));
                }
                '"' => return self.named(start, name, Tok::Quoted),
                _ => name.push(c),
            }
        }
        let span = Span::new(start as u32, start as u32 + 1);
        let it = Diagnostic::error("open-name", "this name has no end", span);
        self.bad(start, it.with_help("end it with `\"`; texts are written with `'`"));
    }

    /// As many characters as belong to an operator (chapter 4.1.3 of the manual): it ends with `+`
    /// or `-` only if it has a character that no operator of standard SQL has.
    fn operator(&mut self) {
        let start = self.at;
        let run = self.rest().find(|c| !OPERATOR.contains(c)).unwrap_or(self.rest().len());
        let mut run = &self.rest()[..run];
        let comment = run.find("--").into_iter().chain(run.find("/*")).min();
        run = &run[..comment.unwrap_or(run.len())];
        if !run.contains(['~', '!', '#', '%', '^', '&', '|']) {
            while run.len() > 1 && run.ends_with(['+', '-']) {
                run = &run[..run.len() - 1];
            }
        }
        let known = OPERATORS.iter().find(|it| **it == run);
        self.at += run.len();
        match known {
            Some(symbol) => self.push(Tok::Symbol(symbol), start),
            None => {
                let message =
                    format!("`{}` is one operator, and not understood", &self.text[start..self.at]);
                let it = Diagnostic::error("unsupported-operator", message, self.span(start));
                let help = match &self.text[start..self.at] {
                    "==" => "write `=`",
                    _ => "put a space between operators",
                };
                self.bad(start, it.with_help(help));
            }
        }
    }

    /// `$1`, or `$tag$ ... $tag$`.
    fn dollar(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            self.digits();
            let number = &self.text[start + 1..self.at];
            if self.rest().starts_with(starts_name) {
                self.name_text();
            }
            return match number.parse() {
                _ if self.at > start + 1 + number.len() => {
                    let it = Diagnostic::error(
                        "bad-parameter",
                        "this is no parameter",
                        self.span(start),
                    );
                    self.bad(start, it.with_help("put a space behind the number"));
                }
                Ok(position @ 1..=100) => self.push(Tok::Position(position), start),
                _ => {
                    let message = "parameters are `$1`, `$2` and so on up to `$100`";
                    let it = Diagnostic::error("bad-parameter", message, self.span(start));
                    self.bad(start, it);
                }
            };
        }
        let tag_len =
            self.rest().find(|c| !continues_name(c) || c == '$').unwrap_or(self.rest().len());
        self.at += tag_len;
        if !self.rest().starts_with('$') {
            let message = "`$` begins a parameter, as in `$1`, or a body, as in `$$`";
            let it = Diagnostic::error("bad-dollar", message, self.span(start));
            return self.bad(start, it);
        }
        self.at += 1;
        let tag = &self.text[start..self.at];
        let body = self.at;
        match self.rest().find(tag) {
            Some(len) => {
                let tag_len = tag.len();
                self.at += len;
                let inner = self.span(body);
                self.at += tag_len;
                self.push(Tok::Dollar(inner), start);
            }
            None => {
                let message = format!("the body that begins with `{tag}` has no end");
                let it = Diagnostic::error("open-body", message, self.span(start));
                let it = it.with_help(format!("end it with `{tag}`"));
                self.at = self.text.len();
                self.bad(start, it);
            }
        }
    }

    /// A name as MySQL quotes it: it is clear what is meant.
    fn backticks(&mut self) -> bool {
        let start = self.at;
        let line = self.rest().lines().next().unwrap_or_default();
        let Some(len) = line[1..].find('`') else {
            return false;
        };
        let name = line[1..=len].to_owned();
        self.at += len + 2;
        let span = self.span(start);
        let it = Diagnostic::error("backticks", "backticks are those of MySQL", span);
        let fixed = format!("\"{name}\"");
        let it =
            it.with_fix("PostgreSQL quotes names as in `\"name\"`, or not at all", span, fixed);
        self.diagnostics.push(it);
        self.push(Tok::Quoted(name), start);
        true
    }

    /// A character that SQL does not have.
    fn stranger(&mut self, c: char) {
        if c == '`' && self.backticks() {
            return;
        }
        let start = self.at;
        self.at += c.len_utf8();
        if c == '\\' {
            // A command of psql is a line of its own. Those that `pg_dump` writes say nothing.
            let line = self.rest().lines().next().unwrap_or_default().to_owned();
            self.at += line.len();
            let word = line.split_whitespace().next().unwrap_or_default();
            if matches!(word, "restrict" | "unrestrict") {
                return;
            }
        }
        let it = |what: &str| Diagnostic::error("unknown-character", what, self.span(start));
        let found = match c {
            '@' => it("`@` does not stand before a name here")
                .with_help("a parameter of a section is written `@name`, `:name` or `$1`"),
            '\\' => it("commands of psql are not SQL")
                .with_help("leave the line out: only SQL is read here"),
            '{' | '}' => it("a template is not SQL")
                .with_help("write parameters as `$1`, `:name` or `@name`"),
            '?' => it("parameters are not written `?` in PostgreSQL")
                .with_help("write `$1`, `$2` and so on, or `:name`"),
            _ => it(&format!("`{}` is not understood here", c.escape_debug())),
        };
        self.bad(start, found);
    }
}
