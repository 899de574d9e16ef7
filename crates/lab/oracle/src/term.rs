//! Terms: the expressions of section 2.2 of the paper, and those that our language adds.
//!
//! The translation of a syntax tree is 6.1 of `docs/language.md`: constants become numbers, groups
//! lose their parentheses, blocks become sequences, and what was left out is written out.

use ser_syntax::ast::{self, BinaryOp, Else, ExprKind, UnaryOp};
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

/// The program that a syntax tree without errors stands for; nothing if there is an error in it, or
/// a constant that is none.
pub fn core_program(program: &ast::Program) -> Option<CoreProgram> {
    let mut constants = Constants(BTreeMap::new());
    for constant in &program.constants {
        let value = constants.number(&constant.value)?;
        constants.0.insert(constant.name.text.clone(), value);
    }
    let mut initial = Store::new();
    for item in &program.initial_values {
        let value = constants.number(&item.value)?;
        if value != 0 {
            initial.insert(item.name.text.as_str().into(), value);
        }
    }
    let mut requests = Vec::new();
    for request in &program.requests {
        let mut parameters = Vec::new();
        for p in &request.parameters {
            let (low, high) = (constants.number(&p.low)?, constants.number(&p.high)?);
            parameters.push((p.name.text.as_str().into(), low, high));
        }
        let body = Rc::new(constants.block(&request.body)?);
        requests.push(CoreRequest { name: request.name.text.clone(), parameters, body });
    }
    Some(CoreProgram { requests, initial })
}

/// Whether a term is made of numbers and operators alone.
fn is_constant(term: &Term) -> bool {
    match term {
        Term::Value(_) => true,
        Term::Unary(_, e) => is_constant(e),
        Term::Binary(_, a, b) => is_constant(a) && is_constant(b),
        Term::If(a, b, c) => [a, b, c].into_iter().all(|e| is_constant(e)),
        _ => false,
    }
}

struct Constants(BTreeMap<String, i64>);

impl Constants {
    /// The value of a constant expression: that of the term, if it needs no variables.
    fn number(&self, expr: &ast::Expr) -> Option<i64> {
        let term = self.term(expr)?;
        if !is_constant(&term) {
            return None;
        }
        let mut e = crate::Configuration::new(Rc::new(term));
        loop {
            if let Term::Value(v) = *e.e {
                return Some(v);
            }
            let mut next = crate::small_steps(&e).ok()?;
            if next.len() != 1 {
                return None;
            }
            e = next.remove(0);
        }
    }

    /// `e1; (e2; (...; en))`, or 0.
    fn block(&self, block: &ast::Block) -> Option<Term> {
        let mut rest: Option<Term> = None;
        for expr in block.exprs.iter().rev() {
            let term = self.term(expr)?;
            rest = Some(match rest {
                None => term,
                Some(rest) => Term::Sequence(Rc::new(term), Rc::new(rest)),
            });
        }
        Some(rest.unwrap_or(Term::Value(0)))
    }

    fn term(&self, expr: &ast::Expr) -> Option<Term> {
        let sub = |e: &ast::Expr| self.term(e).map(Rc::new);
        let is_global = |name: &str| name.starts_with(char::is_uppercase);
        Some(match &expr.kind {
            ExprKind::Number(v) => Term::Value(*v),
            ExprKind::Coin => Term::Coin,
            ExprKind::Choose(low, high) => Term::Choose(self.number(low)?, self.number(high)?),
            ExprKind::Read(name) => match self.0.get(&name.text) {
                Some(value) => Term::Value(*value),
                None if is_global(&name.text) => Term::Global(name.text.as_str().into()),
                None => Term::Local(name.text.as_str().into()),
            },
            ExprKind::Assign(name, value) if is_global(&name.text) => {
                Term::SetGlobal(name.text.as_str().into(), sub(value)?)
            }
            ExprKind::Assign(name, value) => Term::SetLocal(name.text.as_str().into(), sub(value)?),
            ExprKind::Unary(op, e) => Term::Unary(*op, sub(e)?),
            ExprKind::Binary(op, a, b) => Term::Binary(*op, sub(a)?, sub(b)?),
            ExprKind::If(condition, then, otherwise) => {
                let otherwise = match otherwise {
                    None => Term::Value(0),
                    Some(Else::Block(block)) => self.block(block)?,
                    Some(Else::If(e)) => self.term(e)?,
                };
                Term::If(sub(condition)?, Rc::new(self.block(then)?), Rc::new(otherwise))
            }
            ExprKind::While(condition, body) => {
                Term::While(sub(condition)?, Rc::new(self.block(body)?))
            }
            ExprKind::Yield => Term::Yield,
            ExprKind::Return(None) => Term::Return(Rc::new(Term::Value(0))),
            ExprKind::Return(Some(e)) => Term::Return(sub(e)?),
            ExprKind::Abort => Term::Abort,
            ExprKind::Assume(e) => Term::Assume(sub(e)?),
            ExprKind::Group(block) => self.block(block)?,
            ExprKind::Error => return None,
        })
    }
}
