//! What a file asks: `reach`, `invariant`, `deadlock`; what it starts from; and proofs.

use super::expressions::{Tree, starts_expression};
use super::operators::power;
use super::{Dialect, Parser};
use crate::ast::{
    Case, Claim, ClaimKind, Conjunct, Entry, ExprKind, Name, PlaceRange, Premise, Program, Proof,
    ProofPlace, Relation, Support,
};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Diagnostic;

const CASE: &str = "a case looks like `at wait self use notsame;`";

impl Parser<'_> {
    /// A claim, an assumption or a proof; whether there was one.
    pub(super) fn claim_item(
        &mut self,
        word: &str,
        program: &mut Program,
    ) -> Result<bool, Reported> {
        let next = self.peek_at(1);
        let assigned = matches!(next, Some(TokenKind::Assign | TokenKind::Equal));
        let claims = |parser: &mut Self, item: fn(&mut Self) -> Result<Claim, Reported>| {
            parser.in_processes(item)
        };
        match word {
            _ if self.at(TokenKind::Assume) => {
                self.bump();
                let condition = self.in_processes(Parser::condition)?;
                program.assumptions.push(condition.expr);
            }
            _ if assigned => return Ok(false),
            "reach" => program.claims.push(claims(self, Parser::reach_claim)?),
            "invariant" if self.invariant_follows() => {
                program.claims.push(claims(self, Parser::invariant)?);
            }
            "deadlock" => {
                let span = self.bump();
                let (name, parameters, conjuncts) = (None, Vec::new(), Vec::new());
                let kind = ClaimKind::Deadlock;
                program.claims.push(Claim { kind, name, parameters, conjuncts, span });
            }
            "proof" if next == Some(TokenKind::LeftBrace) || self.word_at(1) == Some("acyclic") => {
                program.proofs.push(self.in_processes(Parser::proof)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `reach condition`, `reach "name": condition`, `reach name: condition`.
    fn reach_claim(&mut self) -> Result<Claim, Reported> {
        let start = self.bump();
        let mut name = None;
        if self.at(TokenKind::Quoted) {
            name = self.quoted_name();
        } else if self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::Colon) {
            name = Some(self.name("a goal")?);
            self.bump();
        }
        let condition = self.condition()?.expr;
        let conjuncts = vec![Conjunct { name: None, condition }];
        let (kind, span) = (ClaimKind::Reach, self.since(start));
        Ok(Claim { kind, name, parameters: Vec::new(), conjuncts, span })
    }

    /// `"name":` before a condition.
    fn quoted_name(&mut self) -> Option<Name> {
        let text = self.here_text().trim_matches('"').to_owned();
        let name = Name { text, span: self.bump() };
        if !self.eat(TokenKind::Colon) {
            let message = format!("expected `:` and a condition, found {}", self.found());
            error("malformed-claim", message, self.gap(), "expected `:` here")
                .with_fix("add it", self.gap(), ":")
                .report(self);
        }
        Some(name)
    }

    /// Whether `invariant` is not just a name here.
    fn invariant_follows(&self) -> bool {
        use TokenKind::{LeftBrace, Quoted};
        self.peek_at(1).is_some_and(|it| {
            starts_expression(it) || it.is_keyword() || matches!(it, Quoted | LeftBrace)
        })
    }

    /// Whether the name here is that of an invariant, and not where its condition begins.
    fn is_name_of_invariant(&self) -> bool {
        use TokenKind::{Assign, Colon, Equal, LeftBrace, LeftParenthesis, Name};
        let is_local = self.here_text().starts_with(|it: char| !it.is_uppercase());
        self.is_name_at(0)
            && match self.peek_at(1) {
                Some(Colon | LeftBrace | Assign) | None => true,
                // `forall i in ...` is a habit of other languages, with a message of its own.
                Some(Name) => {
                    self.word_at(1) != Some("subset")
                        && !matches!(self.here_text(), "forall" | "exists" | "all" | "any")
                }
                // `X = 1` is a mistake for `X == 1`, and `safe = X > 1` one for `safe: X > 1`.
                Some(Equal) => is_local,
                Some(LeftParenthesis) => self.head_ends_at(1),
                _ => false,
            }
    }

    /// Whether parentheses begin so many tokens from here, and a `:` or a block follows them.
    fn head_ends_at(&self, ahead: usize) -> bool {
        use TokenKind::{Colon, Comma, In, LeftBrace, LeftParenthesis, Name, RightParenthesis};
        let mut tokens = self.tokens.iter().skip(self.position + ahead).map(|it| it.kind);
        if tokens.next() != Some(LeftParenthesis) {
            return false;
        }
        // A parameter with a range is a mistake, with a message of its own.
        match tokens.find(|it| !matches!(it, Name | Comma)) {
            Some(RightParenthesis) => matches!(tokens.next(), Some(Colon | LeftBrace)),
            found => matches!(found, Some(In | Colon)),
        }
    }

    /// `invariant name(i, j): condition`, `invariant name(i) { a: condition; condition }`, where the
    /// name may be left out, and then the `:`, too.
    fn invariant(&mut self) -> Result<Claim, Reported> {
        let start = self.bump();
        let (mut name, mut parameters) = (None, Vec::new());
        let mut is_condition = false;
        if self.at(TokenKind::Quoted) {
            name = self.quoted_name();
            is_condition = true;
        } else if self.is_name_of_invariant() {
            name = Some(self.name("an invariant")?);
            parameters = self.in_parentheses(Parser::thread)?.unwrap_or_default();
        } else if self.head_ends_at(0) {
            parameters = self.in_parentheses(Parser::thread)?.unwrap_or_default();
        } else {
            is_condition = true;
        }
        let called = name.as_ref().map_or(String::new(), |it: &Name| format!(" {it}"));
        let written = name.as_ref().map_or(String::new(), |it: &Name| format!(" {}", it.text));
        let conjuncts = if self.at(TokenKind::LeftBrace) {
            let open = self.bump();
            let conjuncts = self.up_to_brace(open, Parser::conjunct).0;
            if conjuncts.is_empty() && !self.holes {
                let message = format!("the invariant{called} says nothing");
                error("empty-invariant", message, self.since(open), "expected a condition here")
                    .with_help(format!("it looks like `invariant{written} {{ X >= 0; }}`"))
                    .report(self);
            }
            conjuncts
        } else {
            if is_condition {
            } else if matches!(self.peek(), Some(TokenKind::Equal | TokenKind::Assign)) {
                let message = "what is claimed stands behind `:`";
                self.write_instead("malformed-invariant", message, 1, ":");
                self.bump();
            } else if !self.eat(TokenKind::Colon) {
                let help = format!("it looks like `invariant{written}: X >= 0`");
                return Err(self.missing(
                    "malformed-invariant",
                    "`:` and a condition",
                    ":",
                    &[&help],
                ));
            }
            vec![Conjunct { name: None, condition: self.condition()?.expr }]
        };
        let (kind, span) = (ClaimKind::Invariant, self.since(start));
        Ok(Claim { kind, name, parameters, conjuncts, span })
    }

    /// `name: condition;`, where both the name and the last `;` may be left out.
    fn conjunct(&mut self) -> Result<Conjunct, Reported> {
        let named = self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::Colon);
        let name = if named { Some(self.name("a conjunct")?) } else { None };
        if named {
            self.bump();
        }
        let condition = self.condition()?.expr;
        if !self.eat(TokenKind::Semicolon) && !self.at(TokenKind::RightBrace) {
            self.missing_semicolon("expected `;` after the conjunct".to_owned());
        }
        Ok(Conjunct { name, condition })
    }

    /// A parameter of an invariant.
    fn thread(&mut self) -> Result<Name, Reported> {
        let name = self.name("a thread")?;
        if !matches!(self.peek(), Some(TokenKind::In | TokenKind::Colon)) {
            return Ok(name);
        }
        let message = "the parameters of an invariant are threads, and have no range";
        let help = "to ask about all elements, write a function that looks at them: \
                    `fn fine() { for i in 0..2 { if A[i] > 1 { return false } }; true }`";
        Err(error("malformed-invariant", message, self.here(), "expected `,` or `)` here")
            .with_help(help)
            .report(self))
    }

    /// The operator of claims at the current token, how tightly it binds, and how many tokens it has.
    pub(super) fn relation(&self) -> Option<(Relation, u8, usize)> {
        use TokenKind::{Greater, Less, Minus};
        if self.at(TokenKind::In) && self.dialect == Dialect::Requests {
            return Some((Relation::In, power::COMPARISON, 1));
        }
        if !self.in_processes {
            return None;
        }
        if self.together(&[Less, Minus, Greater]) {
            return Some((Relation::Iff, power::IFF, 3));
        }
        if self.together(&[Minus, Greater]) {
            return Some((Relation::Implies, power::IMPLIES, 2));
        }
        self.at_word("subset").then_some((Relation::Subset, power::COMPARISON, 1))
    }

    /// `at(i, places)`.
    pub(super) fn at_places(&mut self) -> Result<Tree, Reported> {
        const HELP: &str = "it looks like `at(i, wait)` or `at(i, wait..leave)`";
        let start = self.bump();
        let open = self.open_parenthesis("at(i, wait)")?;
        let thread = self.expression(power::OR)?;
        if !self.eat(TokenKind::Comma) {
            return Err(self.missing("malformed-at", "`,` and a place", ",", &[HELP]));
        }
        let places = self.places();
        let places = self.close_parenthesis(open, places, false)?;
        let kind = ExprKind::At(Box::new(thread.expr), places);
        Ok(Tree::node(kind, self.since(start), thread.height))
    }

    /// `a, p.b, c..d`.
    fn places(&mut self) -> Result<Vec<PlaceRange>, Reported> {
        let mut ranges = Vec::new();
        loop {
            let first = self.proof_place()?;
            let last = if self.eat(TokenKind::DotDot) { Some(self.proof_place()?) } else { None };
            ranges.push(PlaceRange { first, last });
            if !self.eat(TokenKind::Comma) {
                return Ok(ranges);
            }
        }
    }

    /// `link`, `insert.link`.
    fn proof_place(&mut self) -> Result<ProofPlace, Reported> {
        let what = "a statement, a process or a function";
        let name = self.name(what)?;
        if !self.eat(TokenKind::Dot) {
            return Ok(ProofPlace { procedure: None, name });
        }
        Ok(ProofPlace { procedure: Some(name), name: self.name(what)? })
    }

    /// `proof { ... }`, `proof acyclic { ... }`.
    fn proof(&mut self) -> Result<Proof, Reported> {
        let span = self.bump();
        let acyclic = self.eat_word("acyclic");
        let open = self.here();
        if !self.eat(TokenKind::LeftBrace) {
            let help = "a proof looks like `proof { mutex from notsame; }`";
            return Err(self.missing("expected-body", "`{`", "{", &[help]));
        }
        let entries = self.up_to_brace(open, Parser::proof_entry).0;
        Ok(Proof { span, acyclic, entries })
    }

    /// `mutex;`, `mutex from a, b;`, `mutex follows from a;`, `mutex { at wait self use a; }`.
    fn proof_entry(&mut self) -> Result<Entry, Reported> {
        let invariant = self.name("an invariant")?;
        let start = invariant.span;
        let follows = self.at_word("follows").then(|| self.bump());
        let from = if self.eat_word("from") { self.supports()? } else { Vec::new() };
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
            cases = self.up_to_brace(open, Parser::proof_case).0;
            self.eat(TokenKind::Semicolon);
        } else if !self.eat(TokenKind::Semicolon) && !self.at(TokenKind::RightBrace) {
            let what = "`;`, `from`, `follows` or `{`";
            let help = "it looks like `mutex from notsame, minticket;`";
            return Err(self.expected("malformed-proof", what, "not expected here", &[help]));
        }
        Ok(Entry { invariant, span: self.since(start), follows, from, cases })
    }

    /// `at take, leave other use notsame;`.
    fn proof_case(&mut self) -> Result<Case, Reported> {
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
            let what = "`use` and invariants";
            return Err(self.missing("malformed-proof", what, "use", &[CASE, who]));
        }
        let uses = self.supports()?;
        let span = self.since(start);
        if !self.eat(TokenKind::Semicolon) && !self.at(TokenKind::RightBrace) {
            let message = "expected `;` after the case";
            let diagnostic = Diagnostic::error("missing-semicolon", message, self.gap());
            return Err(self.report(diagnostic.with_label("expected `;` here")));
        }
        Ok(Case { span, places, premise, uses })
    }

    /// `a, order.bounded`.
    fn supports(&mut self) -> Result<Vec<Support>, Reported> {
        let mut supports = Vec::new();
        loop {
            let invariant = self.name("an invariant")?;
            let conjunct =
                if self.eat(TokenKind::Dot) { Some(self.name("a conjunct")?) } else { None };
            supports.push(Support { invariant, conjunct });
            if !self.eat(TokenKind::Comma) {
                return Ok(supports);
            }
        }
    }
}
