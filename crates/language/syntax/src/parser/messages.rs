//! What to say to those who write messages in another way: arrows, `proc`, `any`, `if *`.
//!
//! As in `mistakes`, nothing here changes what is accepted.

use super::Parser;
use super::expressions::Infix;
use crate::ast::{Expr, ExprKind, Name, World};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};

impl Parser<'_> {
    /// `v <- recv Vote`, with any arrow; it is reported, and taken for `:=`. The current token is
    /// then the last one of the arrow.
    pub(super) fn arrow_before_receive(&mut self, left: &Expr, min_power: u8) -> Option<Infix> {
        use TokenKind::{Greater, Less, Minus};
        let infix = match &left.kind {
            ExprKind::Read(name) => Infix::Assign(name.clone()),
            ExprKind::Call(..) => Infix::Store,
            _ => return None,
        };
        let tokens = match self.here_text() {
            _ if self.together(&[Less, Minus]) || self.together(&[Minus, Greater]) => 2,
            "←" => 1,
            _ => return None,
        };
        let receives = self.word_at(tokens).is_some_and(|it| it == "recv" || is_misspelt(it));
        if !self.in_processes || min_power > 0 || !receives {
            return None;
        }
        let message = "a message is received with `:=`";
        self.write_instead("arrow-for-assign", message, tokens, ":=");
        self.bump_all(tokens - 1);
        Some(infix)
    }

    /// Whether the current word was meant to be `recv`, and is used like it; it is reported.
    pub(super) fn misspelt_receive(&mut self) -> bool {
        let misspelt = self.word_at(0).is_some_and(is_misspelt) && self.is_name_at(1);
        if misspelt {
            let message = format!("`{}` is written `recv`", self.here_text());
            self.write_instead("misspelt-recv", message, 1, "recv");
        }
        misspelt
    }

    /// `recv Task(m, t)`.
    pub(super) fn receive_with_fields(&mut self, message: &Name) -> Reported {
        let said = "the fields of a message are taken before `:=`";
        let help = format!("write the pattern first: `{}(x) := recv ...`", message.text);
        self.wrong("fields-after-recv", said, "unexpected fields here", &[&help])
    }

    /// `any T`, `pick S`, `spawn`.
    pub(super) fn other_word_of_messages(&mut self) -> Result<(), Reported> {
        let Some(next) = self.word_at(1) else { return Ok(()) };
        match self.here_text() {
            word @ ("any" | "pick" | "havoc") => {
                let set = if next == "pid" && self.word_at(2) == Some("in") {
                    self.word_at(3)
                } else {
                    None
                };
                let tokens = if set.is_some() { 4 } else { 2 };
                let right = format!("choose({})", set.unwrap_or(next));
                let message = format!("`{word}` is written `{right}`");
                Err(self.write_instead("other-language", message, tokens, &right))
            }
            "spawn" | "fork" | "start" | "go" => {
                let help = [
                    "for any number of processes: `set Q` and `process worker for q in Q { ... }`",
                    "all of them are there from the start; one that waits in `recv` does nothing yet",
                ];
                let message = "processes are declared, not spawned";
                let label = format!("there is no `{}`", self.here_text());
                Err(self.wrong("no-spawn", message, label, &help))
            }
            _ => Ok(()),
        }
    }

    /// `if *`: it is reported, and taken for `?`.
    pub(super) fn star_for_coin(&mut self) -> bool {
        let star = self.at(TokenKind::Star) && self.peek_at(1) == Some(TokenKind::LeftBrace);
        if star {
            let message = "where either may happen, the condition is `?`";
            self.write_instead("star-for-coin", message, 1, "?");
        }
        star
    }

    /// `pid in Q`: behind the `pid`; it is reported.
    pub(super) fn member_of_set(&mut self) -> Result<(), Reported> {
        let (Some(pid), true) = (self.previous(), self.at(TokenKind::In)) else { return Ok(()) };
        let Some(set) = self.word_at(1) else { return Ok(()) };
        if pid.text(self.text) != "pid" {
            return Ok(());
        }
        let span = pid.span.to(self.span_of(2));
        let message = "the members of a set are of the type with its name";
        let diagnostic = error("other-language", message, span, format!("expected `{set}`"));
        let reported = self.report(diagnostic.with_right(set));
        self.bump_all(2);
        Err(reported)
    }

    /// `proc p { ... }`, `procs Q`.
    pub(super) fn other_item_of_messages(&mut self) -> Option<Reported> {
        let (message, tokens, right) = match (self.word_at(0)?, self.word_at(1)?) {
            ("server", "proc") => ("a process is declared with `process`", 2, "server process"),
            ("proc" | "thread", _) if self.peek_at(2) == Some(TokenKind::LeftParenthesis) => {
                ("a function is declared with `fn`", 1, "fn")
            }
            ("proc", _) => ("a process is declared with `process`", 1, "process"),
            ("procs", _) => ("a set of processes is declared with `set`", 1, "set"),
            ("spawn", _) => return self.other_word_of_messages().err(),
            _ => return None,
        };
        let reported = self.write_instead("other-language", message, tokens, right);
        self.bump();
        Some(reported)
    }

    /// What to expect at top level, and a help, in a file like this.
    pub(super) fn expected_items(&self) -> (&'static str, &'static str) {
        match self.world {
            World::Requests => (
                "`request`, `fn`, `const`, `var` or an initial value like `X := 1`",
                "what a request does stands in its braces: `request main { ... }`",
            ),
            World::Messages => (
                "`process`, `msg`, `set`, `index`, `enum` or `const`",
                "what a process does stands in its braces: `process p { ... }`",
            ),
            World::Processes | World::Threads => (
                "`process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`",
                "what a process does stands in its braces: `process p { ... }`",
            ),
        }
    }
}

fn is_misspelt(word: &str) -> bool {
    matches!(word, "receive" | "recieve" | "rcv" | "recive" | "revc" | "rec" | "recev")
}
