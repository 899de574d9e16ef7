//! Terms: the expressions of section 2.2 of the paper, and those that our language adds.
//!
//! The core of a program is translated as it stands: groups lose their parentheses, and blocks
//! become sequences. That the core is right is not for this module to say.

use ser_syntax::core::{self, BinaryOp, ExprKind, Shape, UnaryOp};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values of variables; those that are not listed are 0.
pub type Store = BTreeMap<Rc<str>, i64>;

/// An expression that is being evaluated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A value `v`.
    Value(i64),
    /// `?`.
    Coin,
    /// `choose(a..b)`; not in the paper.
    Choose(i64, i64),
    /// `x`.
    Local(Rc<str>),
    /// `X`.
    Global(Rc<str>),
    /// `x := e`.
    SetLocal(Rc<str>, Rc<Term>),
    /// `X := e`.
    SetGlobal(Rc<str>, Rc<Term>),
    /// `-e`, `!e`; not in the paper.
    Unary(UnaryOp, Rc<Term>),
    /// `e == e`; the paper has no other operators.
    Binary(BinaryOp, Rc<Term>, Rc<Term>),
    /// `e; e`.
    Sequence(Rc<Term>, Rc<Term>),
    /// `if (e) {e} else {e}`.
    If(Rc<Term>, Rc<Term>, Rc<Term>),
    /// `while (e) {e}`.
    While(Rc<Term>, Rc<Term>),
    /// `yield`.
    Yield,
    /// `return e`; not in the paper.
    Return(Rc<Term>),
    /// `abort`; not in the paper.
    Abort,
    /// `assume(e)`; not in the paper.
    Assume(Rc<Term>),
}

/// A handler: its name, its parameters with the ends of their ranges, and its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreRequest {
    pub name: String,
    pub parameters: Vec<(Rc<str>, i64, i64)>,
    /// What it does.
    pub body: Rc<Term>,
}

/// A program of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreProgram {
    /// Its handlers.
    pub requests: Vec<CoreRequest>,
    /// The global variables that do not start at 0.
    pub initial: Store,
}

/// The program that a core without errors stands for; nothing if it has more than numbers, or
/// leaves blocks early.
pub fn core_program(program: &core::Program) -> Option<CoreProgram> {
    let mut initial = Store::new();
    for global in program.globals.iter().filter(|global| global.first != 0) {
        initial.insert(global.name.text.as_str().into(), global.first);
    }
    let mut requests = Vec::new();
    for request in &program.requests {
        let parameters = request.parameters.iter();
        if parameters.clone().any(|parameter| parameter.shape != Shape::Number) {
            return None;
        }
        let parameters = parameters.map(|it| (it.name.text.as_str().into(), it.low, it.high));
        let body = Rc::new(block(&request.body)?);
        let name = request.name.text.clone();
        requests.push(CoreRequest { name, parameters: parameters.collect(), body });
    }
    Some(CoreProgram { requests, initial })
}

/// `e1; (e2; (...; en))`, or 0.
fn block(block: &core::Block) -> Option<Term> {
    let mut rest: Option<Term> = None;
    for expr in block.exprs.iter().rev() {
        let term = term(expr)?;
        rest = Some(match rest {
            None => term,
            Some(rest) => Term::Sequence(Rc::new(term), Rc::new(rest)),
        });
    }
    Some(rest.unwrap_or(Term::Value(0)))
}

fn term(expr: &core::Expr) -> Option<Term> {
    let sub = |e: &core::Expr| term(e).map(Rc::new);
    let is_global = |name: &str| name.starts_with(char::is_uppercase);
    Some(match &expr.kind {
        ExprKind::Number(v) => Term::Value(*v),
        ExprKind::Choose(0, 1) => Term::Coin,
        ExprKind::Choose(low, high) => Term::Choose(*low, *high),
        ExprKind::Read(name) if is_global(&name.text) => Term::Global(name.text.as_str().into()),
        ExprKind::Read(name) => Term::Local(name.text.as_str().into()),
        ExprKind::Assign(name, value) if is_global(&name.text) => {
            Term::SetGlobal(name.text.as_str().into(), sub(value)?)
        }
        ExprKind::Assign(name, value) => Term::SetLocal(name.text.as_str().into(), sub(value)?),
        ExprKind::Unary(op, e) => Term::Unary(*op, sub(e)?),
        ExprKind::Binary(op, a, b) => Term::Binary(*op, sub(a)?, sub(b)?),
        ExprKind::If(condition, then, otherwise) => {
            Term::If(sub(condition)?, Rc::new(block(then)?), Rc::new(block(otherwise)?))
        }
        ExprKind::While(condition, body) => Term::While(sub(condition)?, Rc::new(block(body)?)),
        ExprKind::Yield => Term::Yield,
        ExprKind::Return(response) if response.shape == Shape::Number => {
            Term::Return(sub(response.parts.first()?)?)
        }
        ExprKind::Abort => Term::Abort,
        ExprKind::Assume(e) => Term::Assume(sub(e)?),
        // A step in which something fails does not happen.
        ExprKind::Fail(_) => Term::Assume(Rc::new(Term::Value(0))),
        ExprKind::Group(inside) => block(inside)?,
        ExprKind::Return(_) | ExprKind::Labelled(..) | ExprKind::Leave(..) | ExprKind::Error => {
            return None;
        }
    })
}
