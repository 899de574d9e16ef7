//! What to say about things that other languages have, or that fingers do.
//!
//! Nothing here changes what is accepted: these functions run only after it is clear that something is
//! wrong, and find the words for it.

use super::Parser;
use crate::ast::Name;
use crate::cursor::Reported;
use crate::icet::words::{ITEMS, STATEMENTS};
use crate::lexer::TokenKind;
use crate::parser::{quote, unknown_character};
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// What stands at top level and is no item.
    pub(super) fn not_an_item(&mut self) -> Reported {
        let here = self.here();
        let word = self.word_at(0);
        let diagnostic = match (self.peek(), word) {
            (Some(TokenKind::RightBrace), _) => {
                Diagnostic::error("stray-brace", "this `}` closes nothing", here)
                    .with_label("no `{` is open here")
            }
            (Some(TokenKind::Semicolon), _) => {
                Diagnostic::error("stray-semicolon", "this `;` ends nothing", here)
                    .with_label("did not expect this")
                    .with_fix("remove it", here, "")
            }
            (Some(TokenKind::Unknown), _) => return self.unknown(),
            (_, Some("spawn")) => return self.spawn(),
            (_, Some("request" | "const" | "process" | "reach" | "place" | "transition")) => {
                return self.other_language(word.unwrap_or_default());
            }
            _ if word.is_some() && self.word_at(1) == Some("in")
                || self.peek_at(1) == Some(TokenKind::Colon) =>
            {
                return self.other_language("in");
            }
            _ if word.is_some() && self.peek_at(1) == Some(TokenKind::Assign) => {
                let message = "a variable belongs to a process, and gets its value there";
                Diagnostic::error("expected-item", message, here)
                    .with_label("did not expect this outside a process")
                    .with_help("move it into the braces of a `proc`")
            }
            _ => {
                let message = format!(
                    "expected `proc`, `msg`, `procs`, `index` or `enum`, found {}",
                    self.found()
                );
                let diagnostic = Diagnostic::error("expected-item", message, here)
                    .with_label("did not expect this outside a process");
                match word.and_then(|word| self.sink.closest(word, ITEMS.into_iter())) {
                    Some(right) => {
                        diagnostic.with_fix(format!("did you mean `{right}`?"), here, right)
                    }
                    None => diagnostic
                        .with_help("what a process does stands in its braces: `proc p { ... }`"),
                }
            }
        };
        self.report(diagnostic)
    }

    /// A file in another language; said once, and that is all.
    fn other_language(&mut self, word: &str) -> Reported {
        let (extension, command) = match word {
            "request" | "const" => (".ser", "check"),
            "place" | "transition" => (".unw", "trace"),
            _ => (".events", "trace"),
        };
        let message = format!("this looks like a `{extension}` file, not like an `.icet` file");
        let diagnostic = Diagnostic::error("other-language", message, self.here())
            .with_label(format!("this is how `{extension}` files are written"))
            .with_help(format!(
                "give it a name that ends with `{extension}`, and run `ser {command}` on it"
            ))
            .with_help("the processes of an `.icet` file look like `proc p { send Ping to q; }`");
        self.report(diagnostic);
        self.give_up()
    }

    /// `spawn ...`.
    pub(super) fn spawn(&mut self) -> Reported {
        let message = "processes are declared, not spawned";
        let diagnostic = Diagnostic::error("no-spawn", message, self.here())
            .with_label("there is no `spawn`")
            .with_help(
                "for any number of processes: `procs Q;` and `proc worker for q in Q { ... }`",
            )
            .with_help(
                "all of them are there from the start; one that waits in `recv` does nothing yet",
            );
        self.report(diagnostic)
    }

    /// What stands in a block and is no statement.
    pub(super) fn not_a_statement(&mut self) -> Reported {
        let here = self.here();
        let word = self.word_at(0);
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        if self.at(TokenKind::Semicolon) {
            let diagnostic =
                Diagnostic::error("stray-semicolon", "there is no statement before this `;`", here)
                    .with_label("did not expect this")
                    .with_fix("remove it", here, "")
                    .with_help("to do nothing, write `skip;`");
            return self.report(diagnostic);
        }
        if self.at(TokenKind::LeftBrace) {
            let message = "expected a statement, found `{`";
            let diagnostic = Diagnostic::error("expected-statement", message, here)
                .with_label("did not expect a block here")
                .with_help("blocks follow words like `if`, `for` and `loop`");
            return self.report(diagnostic);
        }
        let called = self.peek_at(1) == Some(TokenKind::LeftParenthesis);
        let diagnostic = match word {
            Some("spawn" | "fork" | "start" | "new") => return self.spawn(),
            Some("else") => {
                Diagnostic::error("else-without-if", "this `else` belongs to no `if`", here)
                    .with_label("no `if` ends right before this")
            }
            Some("return" | "exit" | "stop" | "halt") => {
                let message = format!("there is no `{}`", self.here_text());
                Diagnostic::error("no-return", message, here)
                    .with_label("a process ends where its block ends")
                    .with_help("to leave a loop, write `break;`")
            }
            Some("yield" | "await" | "atomic" | "assume" | "choose" | "repeat") => {
                let message = format!("there is no `{}` in `.icet` files", self.here_text());
                let diagnostic = Diagnostic::error("other-language", message, here)
                    .with_label("a word of `.ser` and `.events` files");
                match word {
                    Some("await") => diagnostic.with_help("to wait for a message, write `recv Ping;`"),
                    Some("repeat") => diagnostic
                        .with_help("`index I;` at top level and `for i in I { ... }` repeat any number of times"),
                    Some("choose") => diagnostic.with_help("write `if * { ... } else { ... }`"),
                    _ => diagnostic.with_help("processes share nothing but messages: leave it out"),
                }
            }
            Some(_) if self.is_name_at(0) && called => return self.call(),
            Some(_) if self.at_compound_assignment() => return self.compound_assignment(),
            Some(word) => {
                let known = ["receive"].into_iter().chain(STATEMENTS);
                let message = format!("expected a statement, found {}", self.found());
                let diagnostic = Diagnostic::error("expected-statement", message, here)
                    .with_label("did not expect this");
                match self.sink.closest(word, known) {
                    Some(right) if right != word => {
                        diagnostic.with_fix(format!("did you mean `{right}`?"), here, right)
                    }
                    _ => diagnostic.with_help(
                        "statements look like `x := 1;`, `send Ping to p;`, `v <- recv Ping;`",
                    ),
                }
            }
            None => {
                let message = format!("expected a statement, found {}", self.found());
                Diagnostic::error("expected-statement", message, here)
                    .with_label("did not expect this")
            }
        };
        self.report(diagnostic)
    }

    /// Whether `x++`, `x += 1` or the like stands here.
    fn at_compound_assignment(&self) -> bool {
        let doubled = |kind| self.pair_at(1, kind, kind);
        let assigned = |kind| self.pair_at(1, kind, TokenKind::Equal);
        self.is_name_at(0)
            && (doubled(TokenKind::Plus)
                || doubled(TokenKind::Minus)
                || [TokenKind::Plus, TokenKind::Minus, TokenKind::Star].into_iter().any(assigned))
    }

    fn compound_assignment(&mut self) -> Reported {
        let name = self.here_text();
        let start = self.tokens.get(self.position + 1).map_or(self.here(), |token| token.span);
        let span = Span::new(start.start, start.end + 1);
        let shown = self.text.get(span.range()).unwrap_or("");
        let sign = shown.chars().next().unwrap_or('+');
        let diagnostic =
            Diagnostic::error("compound-assignment", format!("there is no `{shown}`"), span)
                .with_label("did not expect this");
        let diagnostic = match shown.ends_with('=') {
            true => diagnostic.with_fix("write it out", span, format!(":= {name} {sign}")),
            false => diagnostic.with_fix("write it out", span, format!(" := {name} {sign} 1")),
        };
        self.report(diagnostic)
    }

    /// `f();`.
    fn call(&mut self) -> Reported {
        let name = self.here_text();
        let is_constructor = name.starts_with(char::is_uppercase);
        let message = match is_constructor {
            true => format!("{} alone does nothing", quote(name)),
            false => format!("{} cannot be called: there are no procedures", quote(name)),
        };
        let diagnostic = Diagnostic::error("no-procedures", message, self.here())
            .with_label("looks like a call");
        let diagnostic = match is_constructor {
            true => diagnostic
                .with_help(format!("to send a message, write `send {name}(...) to p;`"))
                .with_help(format!("to receive one, write `{name}(x) <- recv {name};`")),
            false => diagnostic.with_help(
                "write the statements out where they are needed; repeat with `loop { ... }`",
            ),
        };
        self.report(diagnostic)
    }

    /// Whether the current word was meant to be `recv`, and is used like it.
    pub(super) fn at_misspelt_receive(&self) -> bool {
        let misspelt = matches!(
            self.word_at(0),
            Some("receive" | "recieve" | "rcv" | "recive" | "revc" | "rec" | "recev")
        );
        misspelt && self.is_name_at(1)
    }

    /// The same; it is reported.
    pub(super) fn misspelt_receive(&mut self) -> bool {
        if !self.at_misspelt_receive() {
            return false;
        }
        let message = format!("`{}` is written `recv`", self.here_text());
        let diagnostic = Diagnostic::error("misspelt-recv", message, self.here())
            .with_label("expected `recv`")
            .with_fix("write `recv`", self.here(), "recv");
        self.report(diagnostic);
        true
    }

    /// Something else than `recv` behind `<-`.
    pub(super) fn expected_receive(&mut self) -> Reported {
        let message = format!("expected `recv` after `<-`, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-recv", message, self.here())
            .with_label("expected `recv` here")
            .with_help("to receive, write `v <- recv Ping;`")
            .with_help("to assign, write `v := 1;`");
        self.report(diagnostic)
    }

    /// `recv Task(m, t)`.
    pub(super) fn receive_with_fields(&mut self, message: &Name) -> Reported {
        let text = &message.text;
        let said = "the fields of a message are taken before `<-`";
        let diagnostic = Diagnostic::error("fields-after-recv", said, self.here())
            .with_label("did not expect fields here")
            .with_help(format!("write the pattern first: `{text}(x) <- recv ...;`"));
        self.report(diagnostic)
    }

    /// `v := recv T`: the place behind the `:=`.
    pub(super) fn assigned_receive(&mut self) {
        let end = self.previous_end();
        let place = Span::new(end.saturating_sub(2), end);
        let diagnostic =
            Diagnostic::error("assign-for-receive", "a message is received with `<-`", place)
                .with_label("expected `<-`")
                .with_fix("write `<-`", place, "<-");
        self.report(diagnostic);
    }

    /// An arrow in the wrong direction or in another alphabet; how many tokens it has.
    pub(super) fn wrong_arrow_at(&self, ahead: usize) -> Option<usize> {
        if self.pair_at(ahead, TokenKind::Minus, TokenKind::Greater) {
            return Some(2);
        }
        let token = self.tokens.get(self.position + ahead)?;
        let foreign = token.kind == TokenKind::Unknown && token.text(self.text) == "←";
        foreign.then_some(1)
    }

    /// Goes past `<-`; other arrows are reported, and taken for one.
    pub(super) fn arrow(&mut self) -> Result<(), Reported> {
        if self.arrow_at(0) {
            self.bump();
            self.bump();
            return Ok(());
        }
        let Some(tokens) = self.wrong_arrow_at(0) else {
            let message = format!("expected `<-`, found {}", self.found());
            let diagnostic = Diagnostic::error("expected-arrow", message, self.here())
                .with_label("expected `<-` and `recv`");
            return Err(self.report(diagnostic));
        };
        let start = self.here();
        let position = self.position;
        for _ in 0..tokens {
            self.bump();
        }
        let span = self.since(start);
        let message = "a message goes from right to left: the arrow is `<-`";
        let diagnostic = Diagnostic::error("wrong-arrow", message, span)
            .with_label("expected `<-`")
            .with_fix("write `<-`", span, "<-");
        if self.last_error != Some(position) {
            self.report(diagnostic);
        }
        Ok(())
    }

    pub(super) fn equals_for_assignment(&mut self) {
        let message = "`=` does not assign; `:=` does";
        let diagnostic = Diagnostic::error("equals-for-assignment", message, self.here())
            .with_label("expected `:=`")
            .with_fix("write `:=` to assign", self.here(), ":=");
        self.report(diagnostic);
    }

    /// `=` where a comparison could stand. It stays the current token.
    pub(super) fn single_equal(&mut self) {
        let message = "`=` does not compare; `==` does";
        let diagnostic = Diagnostic::error("equals-for-comparison", message, self.here())
            .with_label("expected `==`")
            .with_fix("write `==` to compare", self.here(), "==");
        self.report(diagnostic);
    }

    pub(super) fn assignment_to_expression(&mut self) -> Reported {
        let message = "an assignment is a statement of its own";
        let diagnostic = Diagnostic::error("assignment-in-expression", message, self.here())
            .with_label("did not expect `:=` here")
            .with_help("write `x := 1;` before it")
            .with_help("to compare, write `==`");
        self.report(diagnostic)
    }

    /// `<>`: what other languages have.
    pub(super) fn mistaken_pair(&mut self) -> Result<(), Reported> {
        if !self.pair_at(0, TokenKind::Less, TokenKind::Greater) {
            return Ok(());
        }
        let here = self.here();
        let span = Span::new(here.start, here.end + 1);
        let diagnostic = Diagnostic::error("unsupported-operator", "`<>` is written `!=`", span)
            .with_label("expected `!=`")
            .with_fix("write `!=`", span, "!=");
        Err(self.report(diagnostic))
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self) -> Reported {
        let here = self.here();
        match (self.peek(), self.word_at(0)) {
            (Some(TokenKind::Unknown), _) => return self.unknown(),
            (_, Some("spawn")) => return self.spawn(),
            _ => {}
        }
        let message = format!("expected an expression, found {}", self.found());
        let place = if self.peek().is_some() { here } else { self.gap() };
        let diagnostic = Diagnostic::error("expected-expression", message, place)
            .with_label("expected an expression here");
        let diagnostic = match (self.peek(), self.word_at(0)) {
            (_, Some("any")) => {
                diagnostic.with_help("`any` stands alone behind `:=`, as in `x := any int;`")
            }
            (_, Some("pick")) => {
                diagnostic.with_help("`pick` stands alone behind `:=`, as in `x := pick Q;`")
            }
            (_, Some("recv")) => {
                diagnostic.with_help("to receive is a statement of its own: `v <- recv Ping;`")
            }
            (_, Some("_")) => diagnostic.with_help("`_` stands in patterns only"),
            (Some(TokenKind::Star | TokenKind::Question), _) => diagnostic
                .with_help("for any value, write `x := any bool;` before; alone, `if * { ... }`"),
            _ => diagnostic,
        };
        self.report(diagnostic)
    }

    pub(super) fn unclosed_parenthesis(&mut self, open: Span) -> Reported {
        let message = format!("expected `)`, found {}", self.found());
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("unclosed-parenthesis", message, place)
            .with_label("expected `)` here")
            .with_secondary(open, "to close this");
        self.report(diagnostic)
    }

    pub(super) fn unclosed_brace(&mut self, open: Span) {
        let expected = match self.peek() {
            None => "expected `}` before the end of the file",
            Some(_) => "expected `}` before this",
        };
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("unclosed-brace", "this `{` is never closed", open)
            .with_label("opened here")
            .with_secondary(place, expected)
            .with_help("add a `}`");
        self.report(diagnostic);
    }

    pub(super) fn missing_braces(&mut self, after: &str) -> Reported {
        let what = match after {
            "if" | "while" => "the condition".to_owned(),
            "for" => "the set".to_owned(),
            _ => format!("`{after}`"),
        };
        let message = format!("expected `{{` after {what}, found {}", self.found());
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("expected-block", message, place)
            .with_label("expected `{`")
            .with_help(match after {
                "if" | "while" => format!("write `{after} x == 1 {{ ... }}`"),
                "for" => "write `for q in Q { ... }`".to_owned(),
                "=>" => "write `None => { ... }`, also around a single statement".to_owned(),
                _ => format!("write `{after} {{ ... }}`"),
            });
        self.report(diagnostic)
    }

    pub(super) fn at_misspelt_else_if(&self) -> bool {
        matches!(self.word_at(0), Some("elif" | "elseif" | "elsif"))
    }

    /// `elif`: reported. It stays the current token, where the `if` would stand.
    pub(super) fn misspelt_else_if(&mut self) {
        let message = format!("`{}` is written `else if`", self.here_text());
        let diagnostic = Diagnostic::error("misspelt-else-if", message, self.here())
            .with_label("expected `else if`")
            .with_fix("write `else if`", self.here(), "else if");
        self.report(diagnostic);
    }

    pub(super) fn while_star(&mut self) -> Reported {
        let message = "a `while` needs a condition";
        let diagnostic = Diagnostic::error("while-star", message, self.here())
            .with_label("`*` stands after `if` only")
            .with_help("to stop at any time, write `loop { if * { break; } ... }`");
        self.report(diagnostic)
    }

    pub(super) fn for_over_no_set(&mut self) -> Reported {
        let message = format!("a loop goes over a set, found {}", self.found());
        let diagnostic = Diagnostic::error("for-over-no-set", message, self.here())
            .with_label("expected the name of a set")
            .with_help(
                "for numbers, declare `index I;` at top level and write `for i in I { ... }`",
            )
            .with_help("for processes, declare `procs Q;` and write `for q in Q { ... }`");
        self.report(diagnostic)
    }

    pub(super) fn malformed_match(&mut self) -> Reported {
        let message = "expected a variable and `{` after `match`";
        let diagnostic = Diagnostic::error("malformed-match", message, self.here())
            .with_label(format!("found {}", self.found()))
            .with_help("receive into a variable first: `w <- recv Work; match w { ... }`");
        self.report(diagnostic)
    }

    pub(super) fn expected_double_arrow(&mut self) -> Reported {
        let message = format!("expected `=>` after the pattern, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-double-arrow", message, self.here())
            .with_label("expected `=>` here")
            .with_help("an arm looks like `Task(m, t) => { ... }`");
        self.report(diagnostic)
    }

    /// Goes past the `}` of a `match` whose arms were not understood.
    pub(super) fn skip_arms(&mut self) {
        let mut open = 0usize;
        while let Some(kind) = self.peek() {
            if self.at_item() {
                return;
            }
            match kind {
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// The `;` behind a statement. Where just the `;` is missing, one goes on as if it were there.
    pub(super) fn semicolon(&mut self) -> Result<(), Reported> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let starts = self
            .word_at(0)
            .is_some_and(|word| STATEMENTS.contains(&word) || word == "_" || self.is_name_at(0));
        if starts || self.peek().is_none() || self.at(TokenKind::RightBrace) || self.at_item() {
            let message = "expected `;` after this statement";
            let diagnostic = Diagnostic::error("missing-semicolon", message, self.gap())
                .with_label("expected `;` here")
                .with_fix("add it", self.gap(), ";");
            self.report(diagnostic);
            return Ok(());
        }
        if self.at(TokenKind::Unknown) {
            return Err(self.unknown());
        }
        let message = format!("expected `;` after this statement, found {}", self.found());
        let diagnostic = Diagnostic::error("unexpected-token", message, self.here())
            .with_label("did not expect this here");
        Err(self.report(diagnostic))
    }

    pub(super) fn expected_name(&mut self, what: &str) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        let message = format!("expected the name of {what}, found {}", self.found());
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("expected-name", message, place)
            .with_label("expected a name")
            .with_help("a name is made of letters, digits and `_`, and starts with no digit");
        self.report(diagnostic)
    }

    /// Digits with letters behind them.
    pub(super) fn not_a_number(&mut self) -> Reported {
        let message = format!("{} is not a number", quote(self.here_text()));
        let diagnostic = Diagnostic::error("not-a-number", message, self.here())
            .with_label("numbers are written with the digits 0 to 9 only");
        self.report(diagnostic)
    }

    /// Characters that are no part of the language.
    pub(super) fn unknown(&mut self) -> Reported {
        let diagnostic = match self.here_text() {
            "%" | "/" => {
                let message = format!("`{}` is not supported", self.here_text());
                Diagnostic::error("unsupported-operator", message, self.here())
                    .with_label("not supported")
                    .with_help("there are `+`, `-`, `*` and comparisons")
            }
            text => unknown_character(text, self.here()),
        };
        self.report(diagnostic)
    }
}
