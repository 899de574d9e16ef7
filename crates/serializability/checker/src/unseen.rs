//! What nobody sees: variables that no response, condition or wait depends on.
//!
//! A program *without* some variables is what is left when nothing is assigned to them any more. An
//! expression whose value matters is kept; an assignment to one of the variables becomes the value
//! that it assigns. Where a value does not matter (in the middle of a block, at the end of a loop's
//! body, in what such an assignment computes), only what else the expression does is kept:
//! other assignments, `yield`, `return`, `abort`, `assume`, what leaves a block, loops, and an `if`
//! (or `&&`, `||`) around them with its condition. Arithmetic is exact, so to compute less leaves
//! nothing out.
//!
//! *Theorem.* Let P be a program and D a set of variables. Let Q be P with handlers that are
//! without some variables of D, not necessarily the same for all. If Q mentions no variable of D at
//! all, then P and Q have the same outcomes, those of serial runs included; and each run of one has
//! a run of the other with the same requests, arrivals, responses and steps in the same order.
//!
//! *Proof.* Call two stores alike if they agree on all variables outside of D. By induction on
//! expressions: whatever an expression of P does from a store, its counterpart in Q can do from any
//! store that is alike, and the other way round: it yields as often, returns the same, is blocked
//! or runs forever, or ends with stores that are alike, and with the same value where that matters;
//! and if the stores are replaced at a yield by other ones that are alike, the same is true of the
//! rest. What Q reads is outside of D, so conditions, responses and all that is assigned outside of
//! D come out the same. What Q leaves out assigns to D only, if at all, has no loop, no `assume`,
//! no `return`, no `abort`, no `yield` and nothing that fails or leaves a block, and so ends, with
//! some value: ranges are not empty, and numbers have no bound. A choice that is left out can be
//! made in any way. So the steps of requests correspond one to one, each ending at the same `yield`
//! or with the same response; and a run of P is one of Q with other values in D. ∎

use ser_syntax::core::{BinaryOp, Block, Expr, ExprKind, Name, Request, Response};
use std::collections::BTreeSet;

/// The variables that a handler reads and writes: `X` if it is shared, `handler.x` if it is local.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mentioned {
    pub reads: BTreeSet<String>,
    pub writes: BTreeSet<String>,
}

impl Mentioned {
    /// The variables of a handler.
    pub fn of(request: &Request) -> Mentioned {
        let mut found = Mentioned::default();
        let mut open: Vec<&Expr> = request.body.exprs.iter().collect();
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Read(name) => {
                    found.reads.insert(variable(request, name));
                }
                ExprKind::Assign(name, _) => {
                    found.writes.insert(variable(request, name));
                }
                _ => {}
            }
            expr.for_each_child(&mut |child| open.push(child));
        }
        found
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.reads.union(&self.writes)
    }
}

/// What a variable is called from outside of its handler.
fn variable(request: &Request, name: &Name) -> String {
    match name.is_global() {
        true => name.text.clone(),
        false => format!("{}.{}", request.name.text, name.text),
    }
}

/// A handler without variables. It may still read them; then that is no reason to leave them out.
///
/// ```
/// use ser_serializability_checker::{Mentioned, without};
/// let request = |body: &str| {
///     let text = format!("request r {{ {body} }}");
///     ser_syntax::parse(&text).program.requests.remove(0)
/// };
/// let left = |body: &str| {
///     let left = without(&request(body), &["N".to_owned()].into());
///     Mentioned::of(&left).all().any(|name| name == "N")
/// };
/// assert!(!left("N := N + 1; yield; N := N - 1; 0"));
/// assert!(left("N := N + 1; yield; if (N > 1) { return 1 }; 0"));
/// ```
pub fn without(request: &Request, dropped: &BTreeSet<String>) -> Request {
    let body = Without { request, dropped }.kept_block(&request.body);
    Request { body, ..request.clone() }
}

struct Without<'a> {
    request: &'a Request,
    dropped: &'a BTreeSet<String>,
}

impl Without<'_> {
    fn is_dropped(&self, name: &Name) -> bool {
        self.dropped.contains(&variable(self.request, name))
    }

    /// An expression whose value matters.
    fn kept(&self, expr: &Expr) -> Expr {
        let boxed = |expr: &Expr| Box::new(self.kept(expr));
        let kind = match &expr.kind {
            ExprKind::Assign(name, value) if self.is_dropped(name) => return self.kept(value),
            ExprKind::Assign(name, value) => ExprKind::Assign(name.clone(), boxed(value)),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, boxed(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left), boxed(right)),
            ExprKind::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.kept_block(then), self.kept_block(otherwise));
                ExprKind::If(boxed(condition), then, otherwise)
            }
            // The value of a loop is 0, whatever its body does.
            ExprKind::While(condition, body) => {
                ExprKind::While(boxed(condition), self.effects_of_block(body))
            }
            ExprKind::Return(Response { parts, shape }) => {
                let parts = parts.iter().map(|part| self.kept(part)).collect();
                ExprKind::Return(Response { parts, shape: shape.clone() })
            }
            ExprKind::Assume(condition) => ExprKind::Assume(boxed(condition)),
            ExprKind::Labelled(label, block) => ExprKind::Labelled(*label, self.kept_block(block)),
            ExprKind::Leave(label, value) => ExprKind::Leave(*label, boxed(value)),
            ExprKind::Group(block) => ExprKind::Group(self.kept_block(block)),
            ExprKind::Number(_)
            | ExprKind::Choose(..)
            | ExprKind::Read(_)
            | ExprKind::Yield
            | ExprKind::Abort
            | ExprKind::Fail(_)
            | ExprKind::Error => return expr.clone(),
        };
        Expr { kind, span: expr.span }
    }

    fn kept_block(&self, block: &Block) -> Block {
        let mut exprs = Vec::new();
        if let Some((last, rest)) = block.exprs.split_last() {
            exprs.extend(rest.iter().filter_map(|expr| self.effect(expr)));
            exprs.push(self.kept(last));
        }
        Block { exprs, span: block.span }
    }

    fn effects_of_block(&self, block: &Block) -> Block {
        let exprs = block.exprs.iter().filter_map(|expr| self.effect(expr)).collect();
        Block { exprs, span: block.span }
    }

    /// What an expression does whose value does not matter; nothing if it does nothing.
    fn effect(&self, expr: &Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Choose(..) | ExprKind::Read(_) => None,
            ExprKind::Assign(name, value) if self.is_dropped(name) => self.effect(value),
            ExprKind::Unary(_, operand) => self.effect(operand),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                match self.effect(right) {
                    None => self.effect(left),
                    Some(right) => {
                        let (left, right) = (Box::new(self.kept(left)), Box::new(right));
                        Some(Expr { kind: ExprKind::Binary(*op, left, right), span: expr.span })
                    }
                }
            }
            ExprKind::Binary(_, left, right) => {
                let effects = [left, right].into_iter().filter_map(|side| self.effect(side));
                in_sequence(effects.collect(), expr)
            }
            ExprKind::Group(block) => in_sequence(self.effects_of_block(block).exprs, expr),
            ExprKind::If(condition, then, otherwise) => {
                let then = self.effects_of_block(then);
                let otherwise = self.effects_of_block(otherwise);
                if then.exprs.is_empty() && otherwise.exprs.is_empty() {
                    return self.effect(condition);
                }
                let kind = ExprKind::If(Box::new(self.kept(condition)), then, otherwise);
                Some(Expr { kind, span: expr.span })
            }
            ExprKind::Labelled(label, block) => {
                let block = self.effects_of_block(block);
                let some = !block.exprs.is_empty();
                some.then_some(Expr { kind: ExprKind::Labelled(*label, block), span: expr.span })
            }
            ExprKind::Assign(..)
            | ExprKind::Leave(..)
            | ExprKind::Fail(_)
            | ExprKind::While(..)
            | ExprKind::Yield
            | ExprKind::Return(_)
            | ExprKind::Abort
            | ExprKind::Assume(_)
            | ExprKind::Error => Some(self.kept(expr)),
        }
    }
}

/// Several expressions, one after the other, in place of another one.
fn in_sequence(mut exprs: Vec<Expr>, instead_of: &Expr) -> Option<Expr> {
    match exprs.len() {
        0 | 1 => exprs.pop(),
        _ => {
            let span = instead_of.span;
            Some(Expr { kind: ExprKind::Group(Block { exprs, span }), span })
        }
    }
}
