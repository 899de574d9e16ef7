//! What all languages say about mistakes, and about habits from other languages.
//!
//! Nothing here changes what is accepted: these functions run only after it is clear that something
//! is wrong, and find the words for it.

use crate::ast::Name;
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::parser::MAX_DEPTH;
use crate::report::{Messages as _, Report as _, Reported, error, instead};
use ser_base::{Diagnostic, Span};

impl Cursor<'_> {
    /// Reports what is wrong at the current token.
    pub(crate) fn wrong(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        label: impl Into<String>,
        help: &[&str],
    ) -> Reported {
        error(code, message, self.here(), label).with_helps(help).report(self)
    }

    /// Reports what was expected instead of the current token.
    pub(crate) fn expected(
        &mut self,
        code: &'static str,
        what: &str,
        label: &str,
        help: &[&str],
    ) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        error(code, message, self.here_or_gap(), label).with_helps(help).report(self)
    }

    /// Reports what is missing before the current token; `sign` is what it starts with.
    pub(crate) fn missing(
        &mut self,
        code: &'static str,
        what: &str,
        sign: &str,
        help: &[&str],
    ) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        let label = format!("expected `{sign}` here");
        error(code, message, self.gap(), label).with_helps(help).report(self)
    }

    /// Reports that something else is written for so many tokens.
    pub(crate) fn write_instead(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        tokens: usize,
        right: &str,
    ) -> Reported {
        error(code, message, self.span_of(tokens), format!("expected `{right}`"))
            .with_right(right)
            .report(self)
    }

    pub(crate) fn nested_too_deeply(&mut self) -> Reported {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let counts = "blocks, brackets, operators in a row and `else if` in a row all count";
            let shallower = "put a part of it into a variable, or use several `if`s";
            self.wrong("nested-too-deeply", message, "too deep here", &[counts, shallower]);
        }
        Reported
    }

    pub(crate) fn stray_parenthesis(&mut self) -> Reported {
        self.wrong("stray-parenthesis", "this `)` closes nothing", "no `(` is open here", &[])
    }

    /// `else` without an `if` before it.
    pub(crate) fn stray_else(&mut self) -> Reported {
        let (message, label) = ("this `else` belongs to no `if`", "no `if` ends right before this");
        let diagnostic = error("else-without-if", message, self.here(), label);
        let after_block = self.position >= 2
            && self.tokens.get(self.position - 2).map(|token| token.kind)
                == Some(TokenKind::RightBrace);
        let before = self.previous().filter(|it| it.kind == TokenKind::Semicolon && after_block);
        self.report(match before {
            Some(before) => diagnostic
                .with_secondary(before.span, "the `if` ends with this `;`")
                .with_fix("remove the `;` before `else`", before.span, ""),
            None => diagnostic,
        })
    }

    /// `=` where a comparison could stand. It stays the current token.
    pub(crate) fn single_equal(&mut self) {
        let message = "`=` does not compare; `==` does";
        error("equals-for-comparison", message, self.here(), "expected `==`")
            .with_fix("write `==` to compare", self.here(), "==")
            .report(self);
    }

    /// `=` where an assignment could stand. It stays the current token.
    pub(crate) fn equals_for_assignment(&mut self, help: &[&str]) {
        let message = "`=` does not assign; `:=` does";
        error("equals-for-assignment", message, self.here(), "expected `:=`")
            .with_fix("write `:=` to assign", self.here(), ":=")
            .with_helps(help)
            .report(self);
    }

    /// `a == b == c`, from the second operator.
    pub(crate) fn chained_comparison(&mut self, left: Span, middle: Span, place: Span) -> Reported {
        const LONGEST: usize = 40;
        let text = |span: Span| self.text.get(span.range()).unwrap_or("");
        let (first, middle, sign) = (text(left), text(middle), text(place));
        if sign == "<->" {
            let message = "`<->` cannot be chained";
            return error("chained-comparison", message, place, "a second `<->`")
                .with_secondary(left, "there is one here already")
                .with_help("say what is meant with parentheses: `(a <-> b) && (b <-> c)`")
                .report(self);
        }
        let help = match sign {
            "<" | "<=" | ">" | ">=" if first.len() <= LONGEST => {
                format!("to say both, write `{first} && {middle} {sign} ...`")
            }
            _ => "say which one comes first with parentheses".to_owned(),
        };
        error("chained-comparison", "comparisons cannot be chained", place, "a second comparison")
            .with_secondary(left, "this is already a comparison")
            .with_help(help)
            .report(self)
    }

    /// A name for `what`. A reserved word is reported, and then taken for the name.
    pub(crate) fn name(&mut self, what: &str) -> Result<Name, Reported> {
        let Some(word) = self.word_at(0).filter(|_| !self.at_item() || self.is_name_at(0)) else {
            return Err(self.expected_name(what));
        };
        if self.is_reserved(word) {
            self.keyword_as_name();
        }
        Ok(Name { text: word.to_owned(), span: self.bump() })
    }

    pub(crate) fn keyword_as_name(&mut self) -> Reported {
        let (word, here) = (self.here_text(), self.here());
        let message = format!("`{word}` is a keyword and cannot be a name");
        error("keyword-as-name", message, here, "a keyword")
            .with_fix("choose another name, for example", here, format!("{word}_"))
            .report(self)
    }

    fn expected_name(&mut self, what: &str) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        let help = "a name is made of letters, digits and `_`, and starts with no digit";
        self.expected("expected-name", &format!("the name of {what}"), "expected a name", &[help])
    }

    /// The value of the number here; nothing if it does not fit, which is reported.
    pub(crate) fn number_value(&mut self, negative: bool) -> Result<Option<i64>, Reported> {
        let text = self.here_text();
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.not_a_number());
        }
        // 2^63 has no positive value, only a negative one.
        let value = if negative { format!("-{text}").parse() } else { text.parse() };
        if value.is_err() {
            let message = "this number does not fit into 64 bits";
            let help = "numbers go from -9223372036854775808 to 9223372036854775807";
            self.wrong("number-out-of-range", message, "too large", &[help]);
        }
        Ok(value.ok())
    }

    /// Digits with letters behind them.
    fn not_a_number(&mut self) -> Reported {
        let (text, here) = (self.here_text(), self.here());
        let message = format!("{} is not a number", quote(text));
        let label = "numbers are written with the digits 0 to 9 only";
        let diagnostic = error("not-a-number", message, here, label);
        let digits = text.replace('_', "");
        self.report(match digits.bytes().all(|b| b.is_ascii_digit()) {
            true => diagnostic.with_fix("leave the `_` out", here, digits),
            false => diagnostic,
        })
    }

    /// Goes past a closing bracket; `or` is what else could stand there.
    pub(crate) fn close(
        &mut self,
        open: Span,
        closer: TokenKind,
        or: &str,
    ) -> Result<(), Reported> {
        if self.eat(closer) {
            return Ok(());
        }
        let (code, sign) = match closer {
            TokenKind::RightParenthesis => ("unclosed-parenthesis", ")"),
            TokenKind::RightBracket => ("unclosed-bracket", "]"),
            _ => ("unclosed-brace", "}"),
        };
        let message = format!("expected {or}`{sign}`, found {}", self.found());
        Err(error(code, message, self.here_or_gap(), format!("expected {or}`{sign}` here"))
            .with_secondary(open, "to close this")
            .report(self))
    }

    /// Reports a bracket that is not closed; a `)` was probably meant at `end`. Nothing is skipped.
    pub(crate) fn unclosed(&mut self, open: Span, closer: TokenKind, end: Option<u32>) {
        let (code, opener, closer) = match closer {
            TokenKind::RightBrace => ("unclosed-brace", "{", "}"),
            _ => ("unclosed-parenthesis", "(", ")"),
        };
        let expected = match self.peek() {
            None => format!("expected `{closer}` before the end of the file"),
            Some(_) => format!("expected `{closer}` before this"),
        };
        let message = format!("this `{opener}` is never closed");
        let diagnostic =
            error(code, message, open, "opened here").with_secondary(self.here_or_gap(), expected);
        let end = end.unwrap_or(self.previous_end());
        self.report(match closer {
            ")" => diagnostic.with_fix("close it", Span::empty(end), ")"),
            _ => diagnostic.with_help("add a `}`"),
        });
        self.holes = true;
    }

    pub(crate) fn missing_condition(&mut self, after: &str, either: &str) {
        let forever = "to repeat forever, write `loop { ... }`";
        let help = if after == "while" { forever } else { either };
        let message = "expected a condition, found `{`";
        error("expected-condition", message, self.gap(), "expected a condition here")
            .with_help(help)
            .report(self);
    }

    /// `elif` and the like: reported and taken for `else if`. The word stays the current token,
    /// where the `if` would stand.
    pub(crate) fn misspelt_else_if(&mut self) -> bool {
        let misspelt = matches!(self.word_at(0), Some("elif" | "elseif" | "elsif"))
            && self.peek_at(1) != Some(TokenKind::Assign);
        if misspelt {
            let diagnostic = instead("misspelt-else-if", self.here_text(), "else if", self.here());
            self.report(diagnostic);
        }
        misspelt
    }

    pub(crate) fn missing_semicolon(&mut self, message: String) {
        error("missing-semicolon", message, self.gap(), "expected `;` here")
            .with_fix("add it", self.gap(), ";")
            .report(self);
    }

    /// Characters that are no part of the language.
    pub(crate) fn unknown(&mut self) -> Reported {
        let (text, here) = (self.here_text(), self.here());
        self.report(unknown_character(text, here))
    }
}

/// What is wrong with a character that is no part of the language.
fn unknown_character(text: &str, span: Span) -> Diagnostic {
    let operator = |message: &str| error("unsupported-operator", message, span, "not supported");
    let instead =
        |right: &str| operator(&format!("`{text}` is written `{right}`")).with_right(right);
    match text {
        "%" => {
            return operator("`%` is not supported").with_help(
                "write it with `if`, for example `if (X == 2) { X := 0 } else { X := X + 1 }`",
            );
        }
        "/" | "÷" => {
            return operator("division is not supported")
                .with_help("there are `+`, `-`, `*` and comparisons; write the cases out with `if`")
                .with_help("a comment starts with `//`");
        }
        "^" | "~" => return operator(&format!("`{text}` is not supported")),
        "&" | "∧" => return instead("&&"),
        "|" | "∨" => return instead("||"),
        "¬" => return instead("!"),
        "≠" => return instead("!="),
        "≤" => return instead("<="),
        "≥" => return instead(">="),
        "≡" => return instead("=="),
        "−" | "–" | "—" => return instead("-"),
        "×" | "·" => return instead("*"),
        "←" | "≔" => return instead(":="),
        "…" => return instead(".."),
        "→" | "⇒" | "⟶" | "⟹" => return instead("->"),
        "↔" | "⇔" | "⟷" => return instead("<->"),
        "∈" => return instead("in"),
        "⊆" => return instead("subset"),
        "∪" => return instead("+"),
        "∩" => return instead("*"),
        "∅" => return instead("{}"),
        "∀" | "∃" => {
            return error("no-quantifiers", "there are no quantifiers", span, "not supported")
                .with_help("the parameters of an invariant stand for all threads: `invariant mutex(i, j): i != j -> ...`");
        }
        _ => {}
    }
    let first = text.chars().next().unwrap_or(' ');
    let shown = quote(text);
    let (message, help) = match first {
        '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' => {
            let help = "there are no strings; cases of your own are an enumeration: `enum Color { red, green }`";
            (format!("{shown} is not part of the language"), help)
        }
        '.' => {
            let help = "there are only whole numbers, and ranges like `0..2`";
            (format!("unexpected {shown}"), help)
        }
        '#' => ("unexpected `#`".to_owned(), "a comment starts with `//`"),
        _ if first.is_alphabetic() => {
            let help = "names are made of the letters a to z and A to Z, digits and `_`";
            (format!("{shown} is not a name"), help)
        }
        _ if first.is_control() || is_invisible(first) => {
            let code = first as u32;
            (format!("there is an invisible character here (U+{code:04X})"), "delete it")
        }
        _ if text.is_ascii() => (format!("{shown} is not part of the language"), ""),
        _ => {
            let help = "outside of comments, only ASCII characters are used";
            (format!("{shown} (U+{:04X}) is not part of the language", first as u32), help)
        }
    };
    let help = if help.is_empty() { &[][..] } else { &[help] };
    error("unknown-character", message, span, "unexpected").with_helps(help)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A token for a message: shortened, and without anything that would upset a terminal.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 20;
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() || is_invisible(c) { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
