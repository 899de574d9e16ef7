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

/// Words that only one language has at top level, with its files and the command for them.
const OTHER_LANGUAGES: [(&[&str], &str, &str); 4] = [
    (&["request", "const"], "a `.ser`", "check"),
    (&["place", "transition"], "a `.unw`", "trace"),
    (&["procs", "msg"], "an `.icet`", "sequentialize"),
    (&["process", "reach"], "a `.ser`", "trace"),
];

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
            let shallower = self.language.shallower;
            self.wrong("nested-too-deeply", message, "too deep here", &[counts, shallower]);
        }
        Reported
    }

    /// What stands at top level and is a sign.
    pub(crate) fn stray_sign(&mut self) -> Option<Reported> {
        let here = self.here();
        Some(match self.peek()? {
            TokenKind::RightBrace => {
                self.wrong("stray-brace", "this `}` closes nothing", "no `{` is open here", &[])
            }
            TokenKind::RightParenthesis => self.stray_parenthesis(),
            TokenKind::Semicolon => {
                error("stray-semicolon", "this `;` ends nothing", here, "unexpected")
                    .with_fix("remove it", here, "")
                    .report(self)
            }
            TokenKind::Unknown => self.unknown(),
            _ => return None,
        })
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

    /// What stands at top level and is nothing known; `items` is what could.
    pub(crate) fn not_an_item(&mut self, items: &str, label: &str, help: &str) -> Reported {
        let message = format!("expected {items}, found {}", self.found());
        let diagnostic = error("expected-item", message, self.here(), label);
        self.report_or_suggest(diagnostic, self.language.items, help)
    }

    /// With the word that was probably meant; without one, with other help.
    fn report_or_suggest(
        &mut self,
        diagnostic: Diagnostic,
        known: &[&'static str],
        help: &str,
    ) -> Reported {
        let word = self.word_at(0);
        let meant = word.and_then(|word| self.sink.closest(word, known.iter().copied()));
        let diagnostic = match meant.filter(|meant| Some(*meant) != word) {
            Some(meant) => diagnostic.meant(meant),
            None if help.is_empty() => diagnostic,
            None => diagnostic.with_help(help),
        };
        self.report(diagnostic)
    }

    /// A file in another language, told by one of its words; said once, and that is all.
    pub(crate) fn other_language(&mut self, word: &str) -> Option<Reported> {
        let found = OTHER_LANGUAGES.iter().find(|(words, ..)| words.contains(&word));
        let (_, file, command) = found.filter(|(_, file, _)| *file != self.language.file)?;
        let extension = file.split(' ').nth(1).unwrap_or_default();
        let message = format!("this looks like {file} file, not like {} file", self.language.file);
        let label = format!("this is how {extension} files are written");
        let rename =
            format!("give it a name that ends with {extension}, and run `ser {command}` on it");
        self.wrong("other-language", message, label, &[&rename, self.language.file_help]);
        Some(self.give_up())
    }

    /// What stands in a block and is no statement.
    pub(crate) fn not_a_statement(&mut self) -> Reported {
        let here = self.here();
        match self.peek() {
            Some(TokenKind::Unknown) => return self.unknown(),
            Some(TokenKind::Semicolon) => {
                let message = "there is no statement before this `;`";
                return error("stray-semicolon", message, here, "unexpected")
                    .with_fix("remove it", here, "")
                    .with_help("to do nothing, write `skip;`")
                    .report(self);
            }
            Some(TokenKind::LeftBrace) => {
                let message = "expected a statement, found `{`";
                let label = "unexpected block here";
                let help = self.language.block_help;
                return self.wrong("expected-statement", message, label, &[help]);
            }
            Some(TokenKind::Else) => return self.stray_else(),
            _ => {}
        }
        let word = self.word_at(0).unwrap_or_default();
        if let Some(habit) = self.language.habits.iter().find(|it| it.words.contains(&word)) {
            let fill = |text: &str| text.replace("{}", word);
            let help = fill(habit.help);
            let help = if help.is_empty() { &[][..] } else { &[help.as_str()] };
            return self.wrong(habit.code, fill(habit.message), fill(habit.label), help);
        }
        let message = format!("expected a statement, found {}", self.found());
        let diagnostic = error("expected-statement", message, here, "unexpected");
        let help = if word.is_empty() { "" } else { self.language.statement_help };
        self.report_or_suggest(diagnostic, self.language.statements, help)
    }

    /// The place and the text of `++`, `+=` and the like behind a name at the current token.
    fn compound_sign(&self) -> Option<(Span, &str)> {
        use TokenKind::{Equal, Minus, Plus, Star};
        let signs = [[Plus, Plus], [Minus, Minus], [Plus, Equal], [Minus, Equal], [Star, Equal]];
        let fits = self.is_name_at(0) && signs.iter().any(|sign| self.together_at(1, sign));
        let span = self.tokens.get(self.position + 1)?.span;
        let span = Span::new(span.start, span.end + 1);
        fits.then(|| (span, self.text.get(span.range()).unwrap_or("")))
    }

    /// `x++`, `x += 1` and the like: reported, if one of them stands here.
    pub(crate) fn compound_assignment(&mut self) -> Result<(), Reported> {
        let name = self.here_text();
        let Some((span, shown)) = self.compound_sign() else { return Ok(()) };
        let sign = shown.chars().next().unwrap_or('+');
        let right = match shown.ends_with('=') {
            true => format!(":= {name} {sign}"),
            false => format!(" := {name} {sign} 1"),
        };
        Err(error("compound-assignment", format!("there is no `{shown}`"), span, "unexpected")
            .with_fix("write it out", span, right)
            .report(self))
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

    pub(crate) fn assignment_in_expression(&mut self, help: &[&str]) -> Reported {
        let message = "an assignment is a statement of its own";
        self.wrong("assignment-in-expression", message, "unexpected `:=` here", help)
    }

    /// Operators of other languages, each with what is written for it.
    pub(crate) fn wrong_operator(
        &mut self,
        wrong: &[(&[TokenKind], &str)],
    ) -> Result<(), Reported> {
        let Some((kinds, right)) = wrong.iter().find(|(kinds, _)| self.together(kinds)) else {
            return Ok(());
        };
        let span = self.span_of(kinds.len());
        let shown = self.text.get(span.range()).unwrap_or("");
        Err(self.report(instead("unsupported-operator", shown, right, span)))
    }

    /// `a == b == c`, from the second operator, which has so many tokens.
    pub(crate) fn chained_comparison(
        &mut self,
        left: Span,
        middle: Span,
        tokens: usize,
    ) -> Reported {
        const LONGEST: usize = 40;
        let place = self.span_of(tokens);
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
        if self.is_reserved(word) && word != "_" {
            self.keyword_as_name();
        } else if self.is_reserved(word) {
            let help = self.language.underscore_help;
            if help.is_empty() {
                return Err(self.expected_name(what));
            }
            let message = format!("`_` is not the name of {what}");
            return Err(self.wrong("expected-name", message, "expected a name", &[help]));
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
            let help = self.language.number_help;
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

    /// What follows the head of a statement does not start with `{`.
    pub(crate) fn missing_braces(&mut self, after: &str) -> Reported {
        let (what, help) = match after {
            "if" | "while" => ("the condition", format!("write `{after} x == 1 {{ ... }}`")),
            "for" => ("the set", "write `for q in Q { ... }`".to_owned()),
            "label" => ("the name of the label", "write `label crit { ... }`".to_owned()),
            "=>" => ("`=>`", "write `None => { ... }`, also around a single statement".to_owned()),
            _ => ("", format!("write `{after} {{ ... }}`")),
        };
        let what = if what.is_empty() { format!("`{after}`") } else { what.to_owned() };
        self.expected("expected-block", &format!("`{{` after {what}"), "expected `{`", &[&help])
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

    /// The `;` behind a statement. Where just the `;` is missing, one goes on as if it were there.
    pub(crate) fn semicolon(&mut self) -> Result<(), Reported> {
        let starts = self.word_at(0).is_some_and(|word| {
            self.language.statements.contains(&word)
                || matches!(word, "_" | "ghost")
                || self.is_name_at(0)
        });
        let fine = starts || self.at(TokenKind::RightBrace) || self.at_item();
        self.semicolon_after("this statement", fine)
    }

    /// The same behind an item.
    pub(crate) fn semicolon_of_item(&mut self, what: &str) -> Result<(), Reported> {
        let word = self.word_at(0).unwrap_or_default();
        let local = matches!(word, "local" | "ghost") && self.is_reserved(word);
        let fine = local || self.at_item() || self.at_loose_item();
        self.semicolon_after(what, fine)
    }

    /// The `;` behind something; `follows` says whether what stands here may follow it.
    pub(crate) fn semicolon_after(&mut self, what: &str, follows: bool) -> Result<(), Reported> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        if follows || self.peek().is_none() {
            self.missing_semicolon(format!("expected `;` after {what}"));
            return Ok(());
        }
        if self.at(TokenKind::Unknown) {
            return Err(self.unknown());
        }
        let what = format!("`;` after {what}");
        Err(self.expected("unexpected-token", &what, "not expected here", &[]))
    }

    pub(crate) fn missing_semicolon(&mut self, message: String) {
        error("missing-semicolon", message, self.gap(), "expected `;` here")
            .with_fix("add it", self.gap(), ";")
            .report(self);
    }

    /// Characters that are no part of the language.
    pub(crate) fn unknown(&mut self) -> Reported {
        let (text, here) = (self.here_text(), self.here());
        let own = (self.language.unknown)(text, here);
        self.report(own.unwrap_or_else(|| unknown_character(text, here)))
    }
}

/// What every language says about a character that is no part of it.
pub(crate) fn unknown_character(text: &str, span: Span) -> Diagnostic {
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
        '[' | ']' => {
            let help = "there are no arrays; use one variable for each element";
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
