//! What to say about things that other languages have, or that fingers do, in `.icet` files only.

use super::Parser;
use crate::ast::Name;
use crate::complaints::quote;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// What stands at top level and is no item.
    pub(super) fn mistaken_item(&mut self) -> Reported {
        if let Some(reported) = self.stray_sign() {
            return reported;
        }
        let word = self.word_at(0).unwrap_or_default();
        let ranges = !word.is_empty() && self.word_at(1) == Some("in")
            || self.peek_at(1) == Some(TokenKind::Colon);
        let word = if ranges { "in" } else { word };
        if word == "spawn" {
            return self.spawn();
        }
        if let Some(reported) = self.other_language(word) {
            return reported;
        }
        let label = "not expected outside a process";
        if !word.is_empty() && self.peek_at(1) == Some(TokenKind::Assign) {
            let message = "a variable belongs to a process, and gets its value there";
            let help = "move it into the braces of a `proc`";
            return self.wrong("expected-item", message, label, &[help]);
        }
        let items = "`proc`, `msg`, `procs`, `index` or `enum`";
        self.not_an_item(items, label, "what a process does stands in its braces: `proc p { ... }`")
    }

    /// `spawn ...`.
    pub(super) fn spawn(&mut self) -> Reported {
        let help = [
            "for any number of processes: `procs Q;` and `proc worker for q in Q { ... }`",
            "all of them are there from the start; one that waits in `recv` does nothing yet",
        ];
        let message = "processes are declared, not spawned";
        self.wrong("no-spawn", message, "there is no `spawn`", &help)
    }

    /// What stands in a block and is no statement.
    pub(super) fn mistaken_statement(&mut self) -> Reported {
        let called = self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::LeftParenthesis);
        match self.word_at(0) {
            Some("spawn" | "fork" | "start" | "new") => self.spawn(),
            Some(word)
                if called && !self.language.habits.iter().any(|it| it.words.contains(&word)) =>
            {
                self.call()
            }
            _ => match self.compound_assignment() {
                Err(reported) => reported,
                Ok(()) => self.not_a_statement(),
            },
        }
    }

    /// `f();`.
    fn call(&mut self) -> Reported {
        let name = self.here_text();
        if name.starts_with(char::is_uppercase) {
            let help = [
                format!("to send a message, write `send {name}(...) to p;`"),
                format!("to receive one, write `{name}(x) <- recv {name};`"),
            ];
            let message = format!("{} alone does nothing", quote(name));
            let help = help.each_ref().map(String::as_str);
            return self.wrong("no-procedures", message, "looks like a call", &help);
        }
        let message = format!("{} cannot be called: there are no procedures", quote(name));
        let help = "write the statements out where they are needed; repeat with `loop { ... }`";
        self.wrong("no-procedures", message, "looks like a call", &[help])
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
        let misspelt = self.at_misspelt_receive();
        if misspelt {
            let message = format!("`{}` is written `recv`", self.here_text());
            self.write_instead("misspelt-recv", message, 1, "recv");
        }
        misspelt
    }

    /// Something else than `recv` behind `<-`.
    pub(super) fn expected_receive(&mut self) -> Reported {
        let help = ["to receive, write `v <- recv Ping;`", "to assign, write `v := 1;`"];
        self.expected("expected-recv", "`recv` after `<-`", "expected `recv` here", &help)
    }

    /// `recv Task(m, t)`.
    pub(super) fn receive_with_fields(&mut self, message: &Name) -> Reported {
        let said = "the fields of a message are taken before `<-`";
        let help = format!("write the pattern first: `{}(x) <- recv ...;`", message.text);
        self.wrong("fields-after-recv", said, "unexpected fields here", &[&help])
    }

    /// `v := recv T`: the place behind the `:=`.
    pub(super) fn assigned_receive(&mut self) {
        let end = self.previous_end();
        let place = Span::new(end.saturating_sub(2), end);
        let message = "a message is received with `<-`";
        error("assign-for-receive", message, place, "expected `<-`")
            .with_fix("write `<-`", place, "<-")
            .report(self);
    }

    /// An arrow in the wrong direction or in another alphabet; how many tokens it has.
    pub(super) fn wrong_arrow_at(&self, ahead: usize) -> Option<usize> {
        match self.together_at(ahead, &[TokenKind::Minus, TokenKind::Greater]) {
            true => Some(2),
            false => self.character_at(ahead, "←").then_some(1),
        }
    }

    /// Goes past `<-`; other arrows are reported, and taken for one.
    pub(super) fn arrow(&mut self) -> Result<(), Reported> {
        if self.arrow_at(0) {
            self.bump_all(2);
            return Ok(());
        }
        let Some(tokens) = self.wrong_arrow_at(0) else {
            return Err(self.expected("expected-arrow", "`<-`", "expected `<-` and `recv`", &[]));
        };
        let message = "a message goes from right to left: the arrow is `<-`";
        self.write_instead("wrong-arrow", message, tokens, "<-");
        self.bump_all(tokens);
        Ok(())
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self) -> Reported {
        let help = match (self.peek(), self.word_at(0)) {
            (Some(TokenKind::Unknown), _) => return self.unknown(),
            (_, Some("spawn")) => return self.spawn(),
            (_, Some("any")) => "`any` stands alone behind `:=`, as in `x := any int;`",
            (_, Some("pick")) => "`pick` stands alone behind `:=`, as in `x := pick Q;`",
            (_, Some("recv")) => "to receive is a statement of its own: `v <- recv Ping;`",
            (_, Some("_")) => "`_` stands in patterns only",
            (Some(TokenKind::Star | TokenKind::Question), _) => {
                "for any value, write `x := any bool;` before; alone, `if * { ... }`"
            }
            _ => "",
        };
        let help: &[&str] = if help.is_empty() { &[] } else { &[help] };
        let label = "expected an expression here";
        self.expected("expected-expression", "an expression", label, help)
    }

    pub(super) fn while_star(&mut self) -> Reported {
        let help = "to stop at any time, write `loop { if * { break; } ... }`";
        let label = "`*` stands after `if` only";
        self.wrong("while-star", "a `while` needs a condition", label, &[help])
    }

    pub(super) fn for_over_no_set(&mut self) -> Reported {
        let message = format!("a loop goes over a set, found {}", self.found());
        let help = [
            "for numbers, declare `index I;` at top level and write `for i in I { ... }`",
            "for processes, declare `procs Q;` and write `for q in Q { ... }`",
        ];
        self.wrong("for-over-no-set", message, "expected the name of a set", &help)
    }

    pub(super) fn malformed_match(&mut self) -> Reported {
        let message = "expected a variable and `{` after `match`";
        let help = "receive into a variable first: `w <- recv Work; match w { ... }`";
        let label = format!("found {}", self.found());
        self.wrong("malformed-match", message, label, &[help])
    }

    pub(super) fn expected_double_arrow(&mut self) -> Reported {
        let help = "an arm looks like `Task(m, t) => { ... }`";
        let label = "expected `=>` here";
        self.expected("expected-double-arrow", "`=>` after the pattern", label, &[help])
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
}
