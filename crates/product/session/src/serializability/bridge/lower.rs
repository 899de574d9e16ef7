//! From expressions with effects to statements in a row.
//!
//! In `.ser` everything is an expression: operands can assign, yield and return. Here each of them
//! becomes a list of [`Item`]s and a [`Term`] without effects that is its value once they are done.
//! What was computed before such a list and is needed behind it goes to a local variable of its
//! own, so that the order stays: from left to right.

use super::names::Names;
use super::term::{Term, Variable};
use ser_syntax::core::{BinaryOp, Block, Expr, ExprKind, Request, UnaryOp};
use ser_syntax::{Line, LineIndex};
use std::collections::BTreeMap;

/// Something that is done within a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// `x := e`.
    Assign(Variable, Term),
    /// `test := c`.
    Flag(String, Term),
    /// Any value from a range.
    Pick(Variable, i64, i64),
    /// Any value at all: what it is cannot be said.
    Any(Variable),
    /// Goes on if it holds.
    Await(Term),
    /// One or the other.
    If(Term, Vec<Action>, Vec<Action>),
    /// The next round of a loop, by its number: a placeholder.
    Back(usize),
}

/// Something that a request does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// Within a step.
    Do(Action),
    /// One or the other; the name is for the condition, should it be needed later.
    If(Term, String, Vec<Item>, Vec<Item>),
    /// `while (!c) { yield }`, on this line.
    Wait(Term, Line),
    /// A loop on this line; whether there is another round is in the variable.
    While(String, Vec<Item>, Line),
    /// `yield`, on this line.
    Yield(Line),
    /// The request ends.
    Return,
}

/// What is known while a request is translated.
pub(super) struct Lowering<'p> {
    pub globals: &'p BTreeMap<String, String>,
    pub lines: &'p LineIndex,
    /// The names of the request's own variables.
    pub locals: BTreeMap<String, Variable>,
    /// Where responses go.
    pub result: Variable,
    pub names: Names,
    /// What is not as it was.
    pub notes: Vec<String>,
}

impl<'p> Lowering<'p> {
    /// What a request does, from its first step to its response.
    pub fn request(&mut self, request: &'p Request) -> Vec<Item> {
        let mut out = Vec::new();
        let result = self.result.clone();
        self.block(&request.body, Some(&result), &mut out);
        out
    }

    fn line(&self, expr: &Expr) -> Line {
        self.lines.line(expr.span.start)
    }

    fn temporary(&mut self, name: &str) -> Variable {
        Variable { name: self.names.fresh(name), shared: false }
    }

    fn variable(&mut self, name: &str) -> Variable {
        if let Some(global) = self.globals.get(name) {
            return Variable { name: global.clone(), shared: true };
        }
        if let Some(local) = self.locals.get(name) {
            return local.clone();
        }
        let local = Variable { name: self.names.fresh(name), shared: false };
        self.locals.insert(name.to_owned(), local.clone());
        local
    }

    fn block(&mut self, block: &Block, into: Option<&Variable>, out: &mut Vec<Item>) {
        match block.exprs.split_last() {
            None => assign(into, Term::Number(0), out),
            Some((last, others)) => {
                others.iter().for_each(|expr| self.run(expr, None, out));
                self.run(last, into, out);
            }
        }
    }

    /// Does an expression; its value goes there, or nowhere.
    fn run(&mut self, expr: &Expr, into: Option<&Variable>, out: &mut Vec<Item>) {
        match &expr.kind {
            ExprKind::Group(block) => return self.block(block, into, out),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.value(condition, out).truth();
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                self.block(then, into, &mut yes);
                self.block(otherwise, into, &mut no);
                let name = match pauses(&yes) || pauses(&no) {
                    true => self.names.fresh("test"),
                    false => String::new(),
                };
                out.push(Item::If(condition, name, yes, no));
                return;
            }
            ExprKind::Choose(low, high) => return self.pick(*low, *high, into, out),
            ExprKind::While(condition, body) => {
                self.repeat(condition, body, self.line(expr), out);
            }
            ExprKind::Yield => out.push(Item::Yield(self.line(expr))),
            ExprKind::Return(value) => {
                let result = self.result.clone();
                value.parts.iter().for_each(|part| self.run(part, Some(&result), out));
                out.push(Item::Return);
                return;
            }
            ExprKind::Abort => {
                let (line, result) = (self.line(expr), &self.result.name);
                self.notes.push(format!(
                    "line {line}: `abort` ends the thread, and leaves `{result}` as it is"
                ));
                out.push(Item::Return);
                return;
            }
            ExprKind::Assume(condition) => {
                let condition = self.value(condition, out).truth();
                out.push(Item::Do(Action::Await(condition)));
            }
            ExprKind::Assign(name, value) => {
                let variable = self.variable(&name.text);
                self.run(value, Some(&variable), out);
                if into.is_some() {
                    assign(into, Term::Read(variable), out);
                }
                return;
            }
            ExprKind::Number(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Labelled(..)
            | ExprKind::Leave(..)
            | ExprKind::Fail(_)
            | ExprKind::Error => {
                let value = self.value(expr, out);
                return assign(into, value, out);
            }
        }
        assign(into, Term::Number(0), out);
    }

    fn pick(&mut self, low: i64, high: i64, into: Option<&Variable>, out: &mut Vec<Item>) {
        if let Some(into) = into {
            out.push(Item::Do(Action::Pick(into.clone(), low, high)));
        }
    }

    fn repeat(&mut self, condition: &Expr, body: &Block, line: Line, out: &mut Vec<Item>) {
        let mut before = Vec::new();
        let condition = self.value(condition, &mut before).truth();
        let only_yields = |block: &Block| {
            !block.exprs.is_empty() && block.exprs.iter().all(|it| it.kind == ExprKind::Yield)
        };
        if before.is_empty() && only_yields(body) && condition != Term::Truth(true) {
            let line = body.exprs.first().map_or(line, |first| self.line(first));
            out.push(Item::Wait(condition.not(), line));
            return;
        }
        let flag = self.names.fresh("again");
        before.push(Item::Do(Action::Flag(flag.clone(), condition)));
        let mut round = Vec::new();
        self.block(body, None, &mut round);
        if !always_pauses(&round) && !always_pauses(&before) {
            self.notes.push(format!(
                "line {line}: an iteration of this loop can go by without `yield`; here every iteration ends with a yield point"
            ));
            // Before the test: a thread that leaves the loop goes on in the same step.
            round.push(Item::Yield(line.clone()));
        }
        round.extend(before.iter().cloned());
        out.extend(before);
        out.push(Item::While(flag, round, line));
    }

    /// The value of an expression, once what is put into `out` is done.
    fn value(&mut self, expr: &Expr, out: &mut Vec<Item>) -> Term {
        match &expr.kind {
            ExprKind::Number(n) => Term::Number(*n),
            ExprKind::Read(name) => Term::Read(self.variable(&name.text)),
            ExprKind::Unary(op, inner) => {
                let inner = self.value(inner, out);
                match op {
                    UnaryOp::Not => inner.truth().not(),
                    UnaryOp::Negate => match self.number(inner, out) {
                        Term::Number(n) if n != i64::MIN => Term::Number(-n),
                        term => Term::Negate(Box::new(term)),
                    },
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr, out),
            ExprKind::Assign(name, value) => {
                let variable = self.variable(&name.text);
                self.run(value, Some(&variable), out);
                Term::Read(variable)
            }
            ExprKind::Group(block) => match block.exprs.split_last() {
                None => Term::Number(0),
                Some((last, others)) => {
                    others.iter().for_each(|expr| self.run(expr, None, out));
                    self.value(last, out)
                }
            },
            ExprKind::Choose(..) => {
                let temporary = self.temporary("pick");
                self.run(expr, Some(&temporary), out);
                Term::Read(temporary)
            }
            ExprKind::If(..) => {
                let temporary = self.temporary("value");
                self.run(expr, Some(&temporary), out);
                Term::Read(temporary)
            }
            ExprKind::While(..)
            | ExprKind::Yield
            | ExprKind::Return(_)
            | ExprKind::Abort
            | ExprKind::Assume(_)
            // Programs with these are turned down before.
            | ExprKind::Labelled(..)
            | ExprKind::Leave(..)
            | ExprKind::Fail(_)
            | ExprKind::Error => {
                self.run_without_value(expr, out);
                Term::Number(0)
            }
        }
    }

    fn run_without_value(&mut self, expr: &Expr, out: &mut Vec<Item>) {
        let is_beyond = matches!(
            expr.kind,
            ExprKind::Labelled(..) | ExprKind::Leave(..) | ExprKind::Fail(_) | ExprKind::Error
        );
        if !is_beyond {
            self.run(expr, None, out);
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        whole: &Expr,
        out: &mut Vec<Item>,
    ) -> Term {
        let left = self.value(left, out);
        let mut then = Vec::new();
        let right = self.value(right, &mut then);
        if let BinaryOp::And | BinaryOp::Or = op {
            let (left, right) = (left.truth(), right.truth());
            if then.is_empty() {
                return Term::binary(op, left, right);
            }
            // The right side is done only if it is needed.
            let temporary = self.temporary("value");
            assign(Some(&temporary), right, &mut then);
            let mut skipped = Vec::new();
            let known = Term::Number(i64::from(op == BinaryOp::Or));
            assign(Some(&temporary), known, &mut skipped);
            let name = match pauses(&then) {
                true => self.names.fresh("test"),
                false => String::new(),
            };
            let (yes, no) = if op == BinaryOp::And { (then, skipped) } else { (skipped, then) };
            out.push(Item::If(left, name, yes, no));
            return Term::Read(temporary).truth();
        }
        let mut left = self.number(left, out);
        if !then.is_empty() && !matches!(left, Term::Number(_)) {
            let temporary = self.temporary("value");
            assign(Some(&temporary), left, out);
            left = Term::Read(temporary);
        }
        out.extend(then);
        let right = self.number(right, out);
        match (op, &left, &right) {
            (BinaryOp::Multiply, Term::Number(a), Term::Number(b)) => match a.checked_mul(*b) {
                Some(product) => Term::Number(product),
                None => Term::binary(op, left, right),
            },
            (BinaryOp::Multiply, Term::Number(_), _) | (BinaryOp::Multiply, _, Term::Number(_)) => {
                Term::binary(op, left, right)
            }
            (BinaryOp::Multiply, ..) => {
                let line = self.line(whole);
                self.notes.push(format!(
                    "line {line}: a product of two variables can be any number here (`ser prove` knows linear arithmetic)"
                ));
                let temporary = self.temporary("product");
                out.push(Item::Do(Action::Any(temporary.clone())));
                Term::Read(temporary)
            }
            _ => Term::binary(op, left, right),
        }
    }

    /// A truth value as 0 or 1.
    fn number(&mut self, term: Term, out: &mut Vec<Item>) -> Term {
        match term {
            Term::Truth(b) => Term::Number(i64::from(b)),
            term if term.is_truth() => {
                let temporary = self.temporary("value");
                assign(Some(&temporary), term, out);
                Term::Read(temporary)
            }
            term => term,
        }
    }
}

/// Puts a value there; truth values become 0 and 1.
fn assign(into: Option<&Variable>, value: Term, out: &mut Vec<Item>) {
    let Some(into) = into else { return };
    let set = |value| Item::Do(Action::Assign(into.clone(), value));
    match value {
        Term::Truth(b) => out.push(set(Term::Number(i64::from(b)))),
        value if value.is_truth() => {
            let (yes, no) = (vec![set(Term::Number(1))], vec![set(Term::Number(0))]);
            out.push(Item::If(value, String::new(), yes, no));
        }
        Term::Read(variable) if variable == *into => {}
        value => out.push(set(value)),
    }
}

/// Whether a step can end in the middle of this, or the request.
pub(super) fn pauses(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Do(_) => false,
        Item::If(_, _, yes, no) => pauses(yes) || pauses(no),
        Item::Wait(..) | Item::While(..) | Item::Yield(_) | Item::Return => true,
    })
}

/// Whether no thread gets through this within a single step.
pub(super) fn always_pauses(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Do(_) | Item::Wait(..) | Item::While(..) => false,
        Item::If(_, _, yes, no) => always_pauses(yes) && always_pauses(no),
        Item::Yield(_) | Item::Return => true,
    })
}
