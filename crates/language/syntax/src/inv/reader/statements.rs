//! What a thread or a procedure does.

use super::Reader;
use crate::ast::{self, Else, ExprKind, Name};
use crate::inv::syntax::{
    Action, ActionKind, Block, Stmt, StmtKind, Variable, Written, WrittenKind,
};
use crate::report::{Messages as _, error};
use ser_base::Span;

impl<'t> Reader<'t, '_> {
    /// The locals and the statements of a body.
    pub(super) fn body(&mut self, block: &'t ast::Block) -> (Vec<Variable<'t>>, Block<'t>) {
        let locals = block.exprs.iter().map_while(|expr| match &expr.kind {
            ExprKind::Var(variable) => Some(&**variable),
            _ => None,
        });
        let locals: Vec<&'t ast::Variable> = locals.collect();
        let statements = block.exprs.iter().skip(locals.len());
        let locals = self.variables(locals);
        (locals, self.statements(statements, block.span))
    }

    fn block(&mut self, block: &'t ast::Block) -> Block<'t> {
        self.statements(block.exprs.iter(), block.span)
    }

    fn statements(&mut self, exprs: impl Iterator<Item = &'t ast::Expr>, span: Span) -> Block<'t> {
        let statements = exprs.filter_map(|expr| self.statement(expr)).collect();
        let brace = Span::new(span.end.saturating_sub(1), span.end);
        let close = match self.text.get(brace.range()) {
            Some("}") => brace,
            _ => Span::empty(span.end),
        };
        Block { statements, close }
    }

    fn statement(&mut self, expr: &'t ast::Expr) -> Option<Stmt<'t>> {
        match &expr.kind {
            ExprKind::Named(name, inside) => {
                self.not_reserved(name);
                if let ExprKind::Block(block) = &inside.kind {
                    let kind = StmtKind::Label(name, self.block(block));
                    return Some(Stmt { name: None, span: name.span, kind, ghost: Vec::new() });
                }
                let base = self.base(inside);
                // One that is wrong keeps its place.
                let span = inside.span;
                let skip = || Stmt { name: None, span, kind: skip(span), ghost: Vec::new() };
                Some(Stmt { name: Some(name), ..base.unwrap_or_else(skip) })
            }
            ExprKind::Var(variable) => {
                let message = "variables of a thread are declared before the first statement";
                let help = "move it to the start of the body";
                error("late-local", message, variable.span, "unexpected declaration here")
                    .with_help(help)
                    .report(self);
                self.holes = true;
                None
            }
            _ => self.base(expr),
        }
    }

    /// A statement without its name; nothing if it is none, which is reported.
    fn base(&mut self, expr: &'t ast::Expr) -> Option<Stmt<'t>> {
        let stmt = |span, kind, ghost| Some(Stmt { name: None, span, kind, ghost });
        let start = expr.span.start;
        let word = |length: u32| Span::new(start, start + length);
        match &expr.kind {
            ExprKind::Ghost(inside, block) => {
                let mut statement = self.base(inside)?;
                let ghost = self.actions(block);
                statement.ghost.extend(ghost);
                Some(statement)
            }
            ExprKind::If(condition, then, otherwise) => {
                let (condition, ghost) = self.test(condition, "if");
                let span = Span::new(start, condition.span.end);
                let then = self.block(then);
                let otherwise = match otherwise {
                    None => None,
                    Some(Else::Block(block)) => Some(self.block(block)),
                    Some(Else::If(another)) => {
                        let statements = self.base(another).into_iter().collect();
                        Some(Block { statements, close: Span::empty(another.span.end) })
                    }
                };
                stmt(span, StmtKind::If { condition, then, otherwise }, ghost)
            }
            ExprKind::While(condition, body) => {
                let (condition, ghost) = self.test(condition, "while");
                let span = Span::new(start, condition.span.end);
                let body = self.block(body);
                stmt(span, StmtKind::While { condition, body }, ghost)
            }
            ExprKind::Loop(body) => {
                let body = self.block(body);
                stmt(word(4), StmtKind::Loop(body), Vec::new())
            }
            ExprKind::Either(branches) => {
                if branches.len() < 2 {
                    let message = "a choice has at least two branches";
                    error("single-choice", message, word(6), "expected `or { ... }` behind this")
                        .with_help("to do it or nothing, write `choose { ... } or { skip }`")
                        .report(self);
                }
                let branches = branches.iter().map(|branch| self.block(branch)).collect();
                stmt(word(6), StmtKind::Choice(branches), Vec::new())
            }
            ExprKind::Atomic(block) => {
                let actions = self.actions(block);
                stmt(expr.span, StmtKind::Atomic(actions), Vec::new())
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                stmt(expr.span, StmtKind::Return(value), Vec::new())
            }
            ExprKind::Call(name, arguments) if self.is_procedure(name) => {
                let arguments = self.arguments(arguments);
                let kind = StmtKind::Call { target: None, procedure: name, arguments };
                stmt(expr.span, kind, Vec::new())
            }
            ExprKind::Assign(target, value) => match &value.kind {
                ExprKind::Call(name, arguments) if self.is_procedure(name) => {
                    let target = Written { span: target.span, kind: WrittenKind::Name(target) };
                    self.call(expr.span, target, name, arguments)
                }
                _ => self.step(expr),
            },
            ExprKind::Store(target, value) => match &value.kind {
                ExprKind::Call(name, arguments) if self.is_procedure(name) => {
                    let target = self.expr(target);
                    self.call(expr.span, target, name, arguments)
                }
                _ => self.step(expr),
            },
            _ => self.step(expr),
        }
    }

    fn call(
        &mut self,
        span: Span,
        target: Written<'t>,
        procedure: &'t Name,
        arguments: &'t [ast::Argument],
    ) -> Option<Stmt<'t>> {
        let arguments = self.arguments(arguments);
        let kind = StmtKind::Call { target: Some(target), procedure, arguments };
        Some(Stmt { name: None, span, kind, ghost: Vec::new() })
    }

    /// Whether this is the name of something that is called in a step of its own.
    pub(super) fn is_procedure(&self, name: &Name) -> bool {
        self.functions.iter().any(|it| !it.is_shorthand && it.name.text == name.text)
    }

    /// A statement that is one action, or an `await` with more behind it.
    fn step(&mut self, expr: &'t ast::Expr) -> Option<Stmt<'t>> {
        let mut actions = self.simple(expr)?;
        let kind = match (actions.len(), actions.pop()) {
            (1, Some(action)) => StmtKind::Action(action),
            (_, Some(last)) => {
                actions.push(last);
                StmtKind::Atomic(actions)
            }
            (_, None) => return None,
        };
        Some(Stmt { name: None, span: expr.span, kind, ghost: Vec::new() })
    }

    /// The condition of an `if` or `while`, and what is done in its step.
    fn test(&mut self, condition: &'t ast::Expr, after: &str) -> (Written<'t>, Vec<Action<'t>>) {
        match &condition.kind {
            ExprKind::Ghost(condition, block) => {
                let condition = self.expr(condition);
                (condition, self.actions(block))
            }
            ExprKind::Coin => {
                let message = format!("`{after}` needs a condition");
                error("star-condition", message, condition.span, "expected a condition")
                    .with_help("if either may happen, write `choose { ... } or { ... }`")
                    .report(self);
                (Written { span: condition.span, kind: WrittenKind::Error }, Vec::new())
            }
            _ => (self.expr(condition), Vec::new()),
        }
    }
}

fn skip<'t>(span: Span) -> StmtKind<'t> {
    StmtKind::Action(Action { span, kind: ActionKind::Skip })
}
