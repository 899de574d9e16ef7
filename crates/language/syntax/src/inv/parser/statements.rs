//! What a thread or a procedure does.

use super::Parser;
use crate::grammar::{Expr, ExprKind, Expressions, Grammar};
use crate::inv::syntax::{Block, Stmt, StmtKind, Variables};
use crate::lexer::TokenKind;
use crate::report::Reported;

impl Parser<'_> {
    /// The locals and the statements of a body; the current token is the `{`.
    pub(super) fn body(&mut self) -> Result<(Vec<Variables>, Block), Reported> {
        self.deeper(|parser| {
            let open = parser.bump();
            let mut locals = Vec::new();
            while parser.at_local() {
                let before = parser.position;
                let ghost = parser.eat_word("ghost");
                match parser.variables(ghost) {
                    Ok(local) => locals.push(local),
                    Err(Reported) => parser.skip_part(before),
                }
            }
            let (statements, close) = parser.up_to_brace(open, Parser::statement);
            Ok((locals, Block { statements, close }))
        })
    }

    /// Whether the declaration of a local stands here.
    fn at_local(&self) -> bool {
        self.at_word("local") || self.at_word("ghost") && self.word_at(1) == Some("local")
    }

    fn block_after(&mut self, after: &str) -> Result<Block, Reported> {
        let (statements, close) = self.block_of(after, Parser::statement)?;
        Ok(Block { statements, close })
    }

    fn statement(&mut self) -> Result<Stmt, Reported> {
        self.one_more()?;
        if self.at_local() {
            return Err(self.late_local());
        }
        if self.at_word("label") {
            let start = self.bump();
            let name = self.name("a label")?;
            let span = self.since(start);
            let kind = StmtKind::Label(name, self.block_after("label")?);
            return Ok(Stmt { name: None, span, kind, ghost: Vec::new() });
        }
        let name = self.tag("a statement")?;
        if name.is_some() && self.at_word("label") {
            return Err(self.named_label());
        }
        let mut statement = self.base()?;
        statement.name = name;
        Ok(statement)
    }

    /// A statement without its name.
    fn base(&mut self) -> Result<Stmt, Reported> {
        let start = self.here();
        let name = None;
        match self.word_at(0) {
            Some("if") => self.conditional(),
            Some("while") => {
                self.bump();
                let condition = self.condition("while")?;
                let span = self.since(start);
                let ghost = self.ghost()?;
                let body = self.block_after("while")?;
                Ok(Stmt { name, span, kind: StmtKind::While { condition, body }, ghost })
            }
            Some("loop") => {
                self.bump();
                let kind = StmtKind::Loop(self.block_after("loop")?);
                Ok(Stmt { name, span: start, kind, ghost: Vec::new() })
            }
            Some("choice") => {
                self.bump();
                let mut branches = vec![self.block_after("choice")?];
                while self.eat_word("or") {
                    branches.push(self.block_after("or")?);
                }
                if branches.len() < 2 {
                    return Err(self.single_choice(start));
                }
                Ok(Stmt { name, span: start, kind: StmtKind::Choice(branches), ghost: Vec::new() })
            }
            Some("atomic") => {
                self.bump();
                let actions = self.actions("atomic")?;
                let span = self.since(start);
                let kind = StmtKind::Atomic(actions);
                Ok(Stmt { name, span, kind, ghost: self.ghost()? })
            }
            _ => {
                let kind = self.simple_statement()?;
                let span = self.since(start);
                self.semicolon()?;
                Ok(Stmt { name, span, kind, ghost: self.ghost()? })
            }
        }
    }

    /// `ghost { ... }` behind a statement, if it is there.
    fn ghost(&mut self) -> Result<Vec<crate::inv::syntax::Action>, Reported> {
        if !self.at_word("ghost") || self.word_at(1).is_some() {
            return Ok(Vec::new());
        }
        self.bump();
        self.actions("ghost")
    }

    /// A statement that ends with `;`.
    fn simple_statement(&mut self) -> Result<StmtKind, Reported> {
        match self.word_at(0) {
            Some("noncritical") => {
                self.bump();
                Ok(StmtKind::Noncritical)
            }
            Some("critical") => {
                self.bump();
                Ok(StmtKind::Critical)
            }
            Some("call") => self.call(None),
            Some("return") => {
                self.bump();
                let value = match self.at(TokenKind::Semicolon) || self.at(TokenKind::RightBrace) {
                    true => None,
                    false => Some(self.expression()?),
                };
                Ok(StmtKind::Return(value))
            }
            _ => {
                let action = self.simple_action(true)?;
                Ok(match action {
                    super::actions::Simple::Action(action) => StmtKind::Action(action),
                    super::actions::Simple::Call(target) => self.call(Some(target))?,
                })
            }
        }
    }

    /// `call search(e)`; the current token is the `call`.
    fn call(&mut self, target: Option<Expr>) -> Result<StmtKind, Reported> {
        self.bump();
        let procedure = match self.at_word("thread") {
            true => crate::ast::Name { text: "thread".to_owned(), span: self.bump() },
            false => self.name("a procedure")?,
        };
        let Some(arguments) = self.in_parentheses(Parser::expression)? else {
            let help = format!("without arguments, write `call {}();`", procedure.text);
            return Err(self.missing("expected-arguments", "`(` and arguments", "(", &[&help]));
        };
        Ok(StmtKind::Call { target, procedure, arguments })
    }

    /// `if c { ... } else { ... }`; the current token is the `if`.
    fn conditional(&mut self) -> Result<Stmt, Reported> {
        let start = self.bump();
        let condition = self.condition("if")?;
        let span = self.since(start);
        let ghost = self.ghost()?;
        let then = self.block_after("if")?;
        let otherwise = self.alternative(
            |it| it.block_after("else"),
            |it| Ok(Block { statements: vec![it.conditional()?], close: it.gap() }),
        )?;
        let kind = StmtKind::If { condition, then, otherwise };
        Ok(Stmt { name: None, span, kind, ghost })
    }

    /// The condition behind `if` or `while`.
    pub(super) fn condition(&mut self, after: &str) -> Result<Expr, Reported> {
        // `{}` is a block here, unless it is compared.
        let is_empty = self.peek_at(1) == Some(TokenKind::RightBrace)
            && !matches!(self.peek_at(2), Some(TokenKind::EqualEqual | TokenKind::NotEqual));
        if self.at(TokenKind::LeftBrace) && (is_empty || self.block_follows()) {
            let either = "if either may happen, write `choice { ... } or { ... }`";
            self.missing_condition(after, either);
            return Ok(Expr { span: self.gap(), kind: ExprKind::Error });
        }
        if self.at(TokenKind::Star) || self.at(TokenKind::Question) {
            return Err(self.star_condition(after));
        }
        self.expression()
    }

    /// Whether what starts with this `{` is a block and no set.
    pub(super) fn block_follows(&self) -> bool {
        let statement =
            self.word_at(1).is_some_and(|word| self.language.statements.contains(&word));
        statement || matches!(self.peek_at(2), Some(TokenKind::Assign | TokenKind::Colon))
    }
}
