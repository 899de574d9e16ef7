//! `done(main[0])`, `main[0]`: what looks like a call in questions about a program.
//!
//! In the tree each is a [`Read`](ExprKind::Read) of a name with brackets inside, which no variable
//! can have; what it refers to is kept beside the tree.

use super::expressions::Tree;
use super::operators::power;
use super::{Dialect, Parser};
use crate::ast::items::{Call, Function, Reference};
use crate::ast::{Expr, ExprKind, Name};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// Whether the name at the current token starts something like a call.
    pub(super) fn at_call(&self) -> bool {
        let next = self.peek_at(1);
        let brackets = matches!(next, Some(TokenKind::LeftParenthesis | TokenKind::LeftBracket));
        match self.here_text() {
            _ if self.dialect != Dialect::Goal => false,
            "done" => next != Some(TokenKind::LeftBracket),
            _ => brackets,
        }
    }

    pub(super) fn call(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        let function = match self.here_text() {
            "done" => {
                self.bump();
                let process = match self.accept(TokenKind::LeftParenthesis) {
                    None => None,
                    Some(open) => {
                        let process = self.reference("a process");
                        Some(self.close_parenthesis(open, process, true)?)
                    }
                };
                Function::Done(process)
            }
            _ => Function::Response(self.reference("a request")?),
        };
        let span = self.since(start);
        let text = self.text.get(span.range()).unwrap_or("").to_owned();
        self.calls.push(Call { function, span });
        // `done` alone must not be mistaken for a variable.
        let text = if text == "done" { "done()".to_owned() } else { text };
        Ok(Tree::leaf(ExprKind::Read(Name { text, span }), span))
    }

    /// `name`, `name(arguments)`, and either with `[index]`.
    fn reference(&mut self, what: &str) -> Result<Reference, Reported> {
        let name = self.name(what)?;
        let arguments = match self.accept(TokenKind::LeftParenthesis) {
            None => None,
            Some(open) => Some(self.arguments_behind(open, true)?),
        };
        let index = match self.accept(TokenKind::LeftBracket) {
            None => None,
            Some(open) => Some(self.up_to_bracket(open)?),
        };
        let span = self.since(name.span);
        Ok(Reference { name, arguments, index, span })
    }

    /// Expressions with `,` between them.
    pub(super) fn arguments_behind(
        &mut self,
        open: Span,
        stop_at_brace: bool,
    ) -> Result<Vec<Expr>, Reported> {
        let arguments = self.list(TokenKind::RightParenthesis, |parser| {
            parser.expression(power::OR).map(|tree| tree.expr)
        });
        self.close_parenthesis(open, arguments, stop_at_brace)
    }

    /// A condition that is the whole text.
    pub(super) fn whole_goal(&mut self) -> Result<Expr, Reported> {
        let goal = self.condition()?.expr;
        match self.peek() {
            None => Ok(goal),
            Some(kind) => {
                self.unexpected_in_goal(kind);
                Err(Reported)
            }
        }
    }

    fn unexpected_in_goal(&mut self, kind: TokenKind) {
        let message = format!("expected the end of the condition, found {}", self.found());
        let mut diagnostic = error("unexpected-token", message, self.here(), "not expected here");
        if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
            diagnostic = diagnostic.with_help("to say that both hold, write `&&` between them");
        }
        self.report(diagnostic);
    }

    /// `label*count, ...`; what is wrong is left out.
    pub(super) fn request_list(&mut self) -> Vec<(Reference, Option<Expr>)> {
        let mut requests = Vec::new();
        while self.peek().is_some() {
            match self.counted_request() {
                Ok(request) => requests.push(request),
                Err(Reported) => self.skip_to(&[TokenKind::Comma]),
            }
            if !self.eat(TokenKind::Comma) && self.peek().is_some() {
                let message = format!("expected `,` between requests, found {}", self.found());
                error("unexpected-token", message, self.here(), "not expected here")
                    .with_help("requests are listed like `main*2,flip`")
                    .report(self);
                self.skip_to(&[TokenKind::Comma]);
                if !self.eat(TokenKind::Comma) {
                    // A bracket that closes nothing; it was reported.
                    self.bump();
                }
            }
        }
        requests
    }

    fn counted_request(&mut self) -> Result<(Reference, Option<Expr>), Reported> {
        let reference = self.reference("a request")?;
        if let Some(index) = &reference.index {
            let message = "how many requests there are is written with `*`";
            return Err(error("unexpected-token", message, index.span, "unexpected index here")
                .with_help(format!("for two of them, write `{}*2`", reference.name.text))
                .report(self));
        }
        let count = match self.accept(TokenKind::Star) {
            None => None,
            Some(_) => Some(self.expression(power::UNARY)?.expr),
        };
        Ok((reference, count))
    }
}
