//! What stands in `proof`.

use super::Parser;
use crate::grammar::Grammar;
use crate::inv::ast::Premise;
use crate::inv::syntax::{CaseItem, EntryItem, ProofItem, SupportName};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Diagnostic;

const CASE: &str = "a case looks like `at wait self use notsame;`";

impl Parser<'_> {
    /// `proof { ... }`, `proof acyclic { ... }`.
    pub(super) fn proof(&mut self) -> Result<ProofItem, Reported> {
        let span = self.bump();
        let acyclic = self.eat_word("acyclic");
        let open = self.here();
        if !self.eat(TokenKind::LeftBrace) {
            let help = "a proof looks like `proof { mutex from notsame; }`";
            return Err(self.missing("expected-body", "`{`", "{", &[help]));
        }
        let entries = self.up_to_brace(open, Parser::entry).0;
        Ok(ProofItem { span, acyclic, entries })
    }

    /// `mutex;`, `mutex from a, b;`, `mutex follows from a;`, `mutex { at wait self use a; }`.
    fn entry(&mut self) -> Result<EntryItem, Reported> {
        let invariant = self.name("an invariant")?;
        let start = invariant.span;
        let follows = self.at_word("follows").then(|| self.bump());
        let from = match self.eat_word("from") {
            true => self.supports()?,
            false => Vec::new(),
        };
        if let Some(follows) = follows
            && from.is_empty()
        {
            let message = "expected `from` and what it follows from";
            return Err(error("malformed-proof", message, self.gap(), "expected `from` here")
                .with_secondary(follows, "it follows")
                .with_help(format!("it looks like `{} follows from a, b;`", invariant.text))
                .report(self));
        }
        let mut cases = Vec::new();
        let open = self.here();
        if self.eat(TokenKind::LeftBrace) {
            cases = self.up_to_brace(open, Parser::case).0;
            self.eat(TokenKind::Semicolon);
        } else {
            self.end_of_entry()?;
        }
        Ok(EntryItem { invariant, span: self.since(start), follows, from, cases })
    }

    fn end_of_entry(&mut self) -> Result<(), Reported> {
        match (self.peek(), self.word_at(0)) {
            (None | Some(TokenKind::Semicolon | TokenKind::RightBrace), _) => {
                self.semicolon_after("this", true)
            }
            (Some(TokenKind::Colon), _) | (_, Some("at")) => {
                let help = "cases stand in braces: `mutex { at wait self use notsame; }`";
                let label = "expected `{` here";
                Err(self.expected("malformed-proof", "`{` before the cases", label, &[help]))
            }
            _ => {
                let what = "`;`, `from`, `follows` or `{`";
                let help = "it looks like `mutex from notsame, minticket;`";
                Err(self.expected("malformed-proof", what, "not expected here", &[help]))
            }
        }
    }

    /// `at take, leave other use notsame;`.
    fn case(&mut self) -> Result<CaseItem, Reported> {
        let start = self.here();
        if !self.eat_word("at") {
            let label = "expected `at` here";
            return Err(self.expected("malformed-proof", "`at` and places", label, &[CASE]));
        }
        let places = self.places()?;
        let premise = match self.word_at(0) {
            Some("self") => Some(Premise::Own),
            Some("other") => Some(Premise::Other),
            _ => None,
        };
        if premise.is_some() {
            self.bump();
        }
        if !self.eat_word("use") {
            let who = "`self` and `other` say who moves: a thread of the formula, or another";
            return Err(self.missing(
                "malformed-proof",
                "`use` and invariants",
                "use",
                &[CASE, who],
            ));
        }
        let uses = self.supports()?;
        let span = self.since(start);
        if !self.eat(TokenKind::Semicolon) {
            let diagnostic =
                Diagnostic::error("missing-semicolon", "expected `;` after the case", self.gap())
                    .with_label("expected `;` here");
            if !self.at(TokenKind::RightBrace) && !self.at_word("at") {
                return Err(self.report(diagnostic));
            }
            let diagnostic = diagnostic.with_fix("add it", self.gap(), ";");
            self.report(diagnostic);
        }
        Ok(CaseItem { span, places, premise, uses })
    }

    /// `a, order.bounded`.
    fn supports(&mut self) -> Result<Vec<SupportName>, Reported> {
        let mut supports = Vec::new();
        loop {
            let invariant = self.name("an invariant")?;
            let conjunct = match self.eat_dot() {
                true => Some(self.name("a conjunct")?),
                false => None,
            };
            supports.push(SupportName { invariant, conjunct });
            if !self.eat(TokenKind::Comma) {
                return Ok(supports);
            }
        }
    }
}
