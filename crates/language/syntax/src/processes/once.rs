//! Processes as requests that come in any number: for the method that lists states.
//!
//! A process is there once. A request that is to be that process says so in a hidden variable with
//! its first step, together with the first action; one that comes and finds that somebody has been
//! there ends at once, and has done nothing. Requests come right before their first step, so there
//! is a run of the requests for each run of the processes, with the same shared variables, and the
//! other way round; and somebody who is never able to take the first step of a process is a request
//! that comes and never completes.
//!
//! # Loops without an end
//!
//! A process that ends with a `loop` never completes, and need not. It waits for ever if it can
//! never come to the end of a round. So for `deadlock` each round is a request: it ends with the
//! round, and the next one goes on from there, with the local variables that are still needed. The
//! hidden variable says who may come: 0 is the process at its start, 1 somebody who is there (or
//! has ended), 2 the process between two rounds.

use crate::core::{
    BinaryOp, Block, Expr, ExprKind, Global, Name, Program, Request, Response, Shape, evaluate,
};
use ser_base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many processes are listed one by one.
const MOST: usize = 64;

/// Nobody has come.
const START: i64 = 0;
/// Somebody has.
const BEGUN: i64 = 1;
/// The process is between two rounds.
const BETWEEN: i64 = 2;

/// The processes as requests, if there are not too many; with a request for each round of a loop
/// without an end, if `by_rounds`.
///
/// ```
/// let text = "var X: 0..1  process P(id in 0..1) { X := id }  deadlock";
/// let program = ser_syntax::parse_processes(text).program;
/// let once = ser_syntax::processes_as_requests(&program, true).unwrap();
/// let names: Vec<&str> = once.requests.iter().map(|it| it.name.text.as_str()).collect();
/// assert_eq!(names, ["P(0)", "P(1)"]);
/// ```
pub fn processes_as_requests(program: &Program, by_rounds: bool) -> Option<Program> {
    let mut once = Program { requests: Vec::new(), ..program.clone() };
    for request in &program.requests {
        for values in combinations(request, MOST.saturating_sub(once.requests.len()))? {
            let label = request.label(&values);
            let mut one = Once { label: &label, span: request.span, globals: Vec::new() };
            let names = request.parameters.iter().map(|it| it.name.text.as_str());
            let known: BTreeMap<&str, i64> = names.zip(values.iter().copied()).collect();
            let exprs = one.body(&filled(&request.body, &known), by_rounds);
            let locals = request.locals.clone();
            once.globals.extend(one.globals);
            once.requests.push(Request {
                name: Name { text: label, span: request.name.span },
                parameters: Vec::new(),
                locals,
                body: Block { exprs, span: request.body.span },
                span: request.span,
            });
        }
    }
    Some(once)
}

/// All values of the parameters, if there are not too many.
fn combinations(request: &Request, most: usize) -> Option<Vec<Vec<i64>>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for parameter in &request.parameters {
        let count = usize::try_from(parameter.high.abs_diff(parameter.low)).ok()?.checked_add(1)?;
        if all.len().checked_mul(count)? > most {
            return None;
        }
        let longer = |values: &Vec<i64>| {
            let values = values.clone();
            (parameter.low..=parameter.high).map(move |it| [values.clone(), vec![it]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    (all.len() <= most).then_some(all)
}

/// One process.
struct Once<'a> {
    label: &'a str,
    span: Span,
    globals: Vec<Global>,
}

impl Once<'_> {
    /// A hidden variable that all share; no user can write its name.
    fn hidden(&mut self, what: &str, range: Option<(i64, i64)>) -> String {
        let text = format!("{what} {}", self.label);
        let name = Name { text: text.clone(), span: self.span };
        self.globals.push(Global { name, first: 0, shape: Shape::Number, range, span: self.span });
        text
    }

    fn body(&mut self, body: &Block, by_rounds: bool) -> Vec<Expr> {
        let span = self.span;
        let begun = self.hidden("Begun", Some((START, BETWEEN)));
        let gone = || {
            let response = Response::number(number(0, span));
            Expr { kind: ExprKind::Return(response), span }
        };
        let is = |value| {
            let read = read(&begun, span);
            let kind =
                ExprKind::Binary(BinaryOp::Equal, Box::new(read), Box::new(number(value, span)));
            Expr { kind, span }
        };
        let set = |value| assign(&begun, number(value, span), span);
        let there = either(is(BEGUN), vec![gone()], Vec::new(), span);
        let Some((before, round)) = split(body).filter(|_| by_rounds) else {
            return [vec![there, set(BEGUN)], body.exprs.clone()].concat();
        };
        let mut kept = BTreeMap::new();
        for name in needed(round) {
            let global = self.hidden(&format!("Kept {name} of"), None);
            kept.insert(name, global);
        }
        let back = kept.iter().map(|(local, global)| assign(local, read(global, span), span));
        let back: Vec<Expr> = back.collect();
        let keep = kept.iter().map(|(local, global)| assign(global, read(local, span), span));
        let keep: Vec<Expr> = keep.collect();
        let start = [vec![set(BEGUN)], before.to_vec()].concat();
        let go_on = [vec![set(BEGUN)], back].concat();
        let mut exprs = vec![there, either(is(START), start, go_on, span)];
        let mut inside = round.exprs.clone();
        if matches!(inside.last().map(|it| &it.kind), Some(ExprKind::Yield)) {
            inside.pop();
        }
        exprs.extend(inside);
        exprs.extend(keep);
        exprs.extend([set(BETWEEN), gone()]);
        exprs
    }
}

/// What comes before the loop without an end that a body ends with, and a round of it.
fn split(body: &Block) -> Option<(&[Expr], &Block)> {
    let last = body.exprs.iter().rposition(|it| !matches!(it.kind, ExprKind::Number(_)))?;
    let ExprKind::While(condition, round) = &body.exprs[last].kind else { return None };
    let always = evaluate(condition, &BTreeMap::new()).is_some_and(|value| value != 0);
    always.then_some((&body.exprs[..last], round))
}

/// The local variables that may be read in a block before they get a value in it.
fn needed(block: &Block) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    look(&block.exprs, &mut BTreeSet::new(), &mut needed);
    needed
}

fn look<'e>(exprs: &'e [Expr], set: &mut BTreeSet<&'e str>, needed: &mut BTreeSet<String>) {
    exprs.iter().for_each(|expr| look_at(expr, set, needed));
}

fn look_at<'e>(expr: &'e Expr, set: &mut BTreeSet<&'e str>, needed: &mut BTreeSet<String>) {
    match &expr.kind {
        ExprKind::Read(name) if !name.is_global() && !set.contains(name.text.as_str()) => {
            needed.insert(name.text.clone());
        }
        ExprKind::Assign(name, value) => {
            look_at(value, set, needed);
            set.insert(&name.text);
        }
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            look_at(left, set, needed);
            look_at(right, &mut set.clone(), needed);
        }
        ExprKind::If(condition, then, otherwise) => {
            look_at(condition, set, needed);
            let (mut first, mut second) = (set.clone(), set.clone());
            look(&then.exprs, &mut first, needed);
            look(&otherwise.exprs, &mut second, needed);
            *set = first.intersection(&second).copied().collect();
        }
        ExprKind::While(condition, body) => {
            look_at(condition, set, needed);
            look(&body.exprs, &mut set.clone(), needed);
        }
        // What is behind a way out may not happen.
        ExprKind::Labelled(_, block) => look(&block.exprs, &mut set.clone(), needed),
        ExprKind::Group(block) => look(&block.exprs, set, needed),
        ExprKind::Return(response) => look(&response.parts, set, needed),
        ExprKind::Unary(_, inside) | ExprKind::Assume(inside) | ExprKind::Leave(_, inside) => {
            look_at(inside, set, needed);
        }
        ExprKind::Binary(_, left, right) => {
            look_at(left, set, needed);
            look_at(right, set, needed);
        }
        ExprKind::Read(_)
        | ExprKind::Number(_)
        | ExprKind::Choose(..)
        | ExprKind::Yield
        | ExprKind::Abort
        | ExprKind::Fail(_)
        | ExprKind::Error => {}
    }
}

/// A block with the values of parameters in their place.
fn filled(block: &Block, known: &BTreeMap<&str, i64>) -> Block {
    let exprs = block.exprs.iter().map(|expr| filled_expr(expr, known)).collect();
    Block { exprs, span: block.span }
}

fn filled_expr(expr: &Expr, known: &BTreeMap<&str, i64>) -> Expr {
    let sub = |expr: &Expr| Box::new(filled_expr(expr, known));
    let kind = match &expr.kind {
        ExprKind::Read(name) => match known.get(name.text.as_str()) {
            Some(value) => ExprKind::Number(*value),
            None => expr.kind.clone(),
        },
        ExprKind::Assign(name, value) => ExprKind::Assign(name.clone(), sub(value)),
        ExprKind::Unary(op, operand) => ExprKind::Unary(*op, sub(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
        ExprKind::If(condition, then, otherwise) => {
            ExprKind::If(sub(condition), filled(then, known), filled(otherwise, known))
        }
        ExprKind::While(condition, body) => ExprKind::While(sub(condition), filled(body, known)),
        ExprKind::Assume(condition) => ExprKind::Assume(sub(condition)),
        ExprKind::Labelled(label, block) => ExprKind::Labelled(*label, filled(block, known)),
        ExprKind::Leave(label, value) => ExprKind::Leave(*label, sub(value)),
        ExprKind::Group(block) => ExprKind::Group(filled(block, known)),
        ExprKind::Return(response) => {
            let parts = response.parts.iter().map(|part| filled_expr(part, known)).collect();
            ExprKind::Return(Response { parts, shape: response.shape.clone() })
        }
        ExprKind::Number(_)
        | ExprKind::Choose(..)
        | ExprKind::Yield
        | ExprKind::Abort
        | ExprKind::Fail(_)
        | ExprKind::Error => expr.kind.clone(),
    };
    Expr { kind, span: expr.span }
}

fn number(value: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(value), span }
}

fn read(name: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Read(Name { text: name.to_owned(), span }), span }
}

fn assign(name: &str, value: Expr, span: Span) -> Expr {
    let name = Name { text: name.to_owned(), span };
    Expr { kind: ExprKind::Assign(name, Box::new(value)), span }
}

fn either(condition: Expr, then: Vec<Expr>, otherwise: Vec<Expr>, span: Span) -> Expr {
    let block = |exprs| Block { exprs, span };
    Expr { kind: ExprKind::If(Box::new(condition), block(then), block(otherwise)), span }
}
