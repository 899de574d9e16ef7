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
//! A process that comes to a `loop` without a way out never completes, and need not. It waits for
//! ever if it can never come to the end of a round. So for `deadlock` each round is a request: it
//! ends with the round, and the next one goes on from there, with the local variables that are
//! still needed. The hidden variable says who may come: 0 is the process at its start, 1 somebody
//! who is there (or has ended), and each loop has a number of its own for the process between two
//! of its rounds. Nothing behind such a loop ever runs, so wherever it stands, in branches,
//! functions and other loops, a round is all that has to be known of it. Where a process comes to a
//! loop, its request ends, as it does after a round; but the first round of the loop that a process
//! ends with belongs to what comes before it, which saves a step that does nothing.

use crate::core::{
    BinaryOp, Block, Expr, ExprKind, Global, Label, Name, Program, Request, Response, Shape,
    evaluate,
};
use ser_base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many processes are listed one by one.
const MOST: usize = 64;

/// Nobody has come.
const START: i64 = 0;
/// Somebody has.
const BEGUN: i64 = 1;
/// The process is between two rounds of its first loop; then come the other loops.
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
            let (globals, rounds) = (Vec::new(), Vec::new());
            let mut one = Once { label: &label, span: request.span, globals, rounds };
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
    /// The loops without an end, the outer ones first.
    rounds: Vec<Round>,
}

/// A round of a loop without an end.
struct Round {
    /// The local variables that it needs, and where they are kept meanwhile.
    kept: BTreeMap<String, String>,
    /// What it does, up to where the next one may come.
    exprs: Vec<Expr>,
}

impl Once<'_> {
    /// A hidden variable that all share; no user can write its name.
    fn hidden(&mut self, what: &str, range: Option<(i64, i64)>) -> String {
        let text = format!("{what} {}", self.label);
        if self.globals.iter().all(|it| it.name.text != text) {
            let (name, shape) = (Name { text: text.clone(), span: self.span }, Shape::Number);
            self.globals.push(Global { name, first: 0, shape, range, span: self.span });
        }
        text
    }

    fn gone(&self) -> Expr {
        let response = Response::number(number(0, self.span));
        Expr { kind: ExprKind::Return(response), span: self.span }
    }

    fn set(&self, value: i64) -> Expr {
        assign(&format!("Begun {}", self.label), number(value, self.span), self.span)
    }

    /// What is done if the hidden variable has a value.
    fn at(&self, value: i64, then: Vec<Expr>, otherwise: Vec<Expr>) -> Expr {
        let begun = read(&format!("Begun {}", self.label), self.span);
        let value = Box::new(number(value, self.span));
        let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(begun), value);
        either(Expr { kind, span: self.span }, then, otherwise, self.span)
    }

    fn body(&mut self, body: &Block, by_rounds: bool) -> Vec<Expr> {
        let begin = self.set(BEGUN);
        let there = self.at(BEGUN, vec![self.gone()], Vec::new());
        let last = split(body).filter(|_| by_rounds);
        let before = last.map_or(&body.exprs[..], |(before, _)| before);
        // The loop that the process ends with is the first one.
        if let Some((_, round)) = last {
            self.round(round);
        }
        let before = if by_rounds { self.in_rounds(before) } else { before.to_vec() };
        self.hidden("Begun", Some((START, BEGUN + self.rounds.len() as i64)));
        let start = [vec![begin.clone()], before].concat();
        let first = last.map(|_| self.rounds[0].exprs.clone());
        let mut others = Vec::new();
        for (index, round) in self.rounds.iter().enumerate().rev() {
            let back = round.kept.iter().map(|(local, kept)| {
                let value = read(kept, self.span);
                assign(local, value, self.span)
            });
            let mut go_on: Vec<Expr> = [begin.clone()].into_iter().chain(back).collect();
            if index > 0 || first.is_none() {
                // A request begins where others may run.
                let begins = round.exprs.first().map(|it| &it.kind) == Some(&ExprKind::Yield);
                go_on.extend_from_slice(&round.exprs[usize::from(begins)..]);
            }
            others = match others.is_empty() {
                true => go_on,
                false => vec![self.at(BETWEEN + index as i64, go_on, others)],
            };
        }
        // Where there are no rounds, nobody comes but those who start.
        if self.rounds.is_empty() {
            return [vec![there], start].concat();
        }
        [vec![there, self.at(START, start, others)], first.unwrap_or_default()].concat()
    }

    /// Code in which each loop without an end is the end of a request.
    fn in_rounds(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        let mut ended = |expr: &Expr| {
            let round = endless(expr).filter(|round| has_yield(&round.exprs))?;
            let number = self.round(round);
            let exprs = self.leave(number);
            Some(Expr { kind: ExprKind::Group(Block { exprs, span: expr.span }), span: expr.span })
        };
        rewritten_all(exprs, &mut ended)
    }

    /// Makes the rounds of a loop requests of their own; the number of the loop.
    fn round(&mut self, round: &Block) -> usize {
        let number = self.rounds.len();
        let keep = |name: String| {
            let kept = self.hidden(&format!("Kept {name} of"), None);
            (name, kept)
        };
        let kept = needed(round).into_iter().map(keep).collect();
        self.rounds.push(Round { kept, exprs: Vec::new() });
        let mut exprs = self.in_rounds(&round.exprs);
        if matches!(exprs.last().map(|it| &it.kind), Some(ExprKind::Yield)) {
            exprs.pop();
        }
        exprs.extend(self.leave(number));
        self.rounds[number].exprs = exprs;
        number
    }

    /// The end of a request between two rounds.
    fn leave(&self, number: usize) -> Vec<Expr> {
        let kept = &self.rounds[number].kept;
        let keep = kept.iter().map(|(local, global)| {
            let value = read(local, self.span);
            assign(global, value, self.span)
        });
        keep.chain([self.set(BETWEEN + number as i64), self.gone()]).collect()
    }
}

/// What comes before the loop without an end that a body ends with, and a round of it.
fn split(body: &Block) -> Option<(&[Expr], &Block)> {
    let last = body.exprs.iter().rposition(|it| !matches!(it.kind, ExprKind::Number(_)))?;
    Some((&body.exprs[..last], endless(&body.exprs[last])?))
}

/// A round of a loop that nothing but the end of the process leaves.
fn endless(expr: &Expr) -> Option<&Block> {
    let ExprKind::While(condition, round) = &expr.kind else { return None };
    let always = evaluate(condition, &BTreeMap::new()).is_some_and(|value| value != 0);
    (always && !round.exprs.iter().any(|it| leaves(it, &[]))).then_some(round)
}

/// Whether an expression leaves a block that is not one of those around it.
fn leaves(expr: &Expr, around: &[Label]) -> bool {
    match &expr.kind {
        ExprKind::Leave(label, value) => !around.contains(label) || leaves(value, around),
        ExprKind::Labelled(label, block) => {
            let around = [around, &[*label]].concat();
            block.exprs.iter().any(|it| leaves(it, &around))
        }
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |it| found |= leaves(it, around));
            found
        }
    }
}

fn has_yield(exprs: &[Expr]) -> bool {
    exprs.iter().any(|expr| {
        let mut found = expr.kind == ExprKind::Yield;
        expr.for_each_child(&mut |it| found |= has_yield(std::slice::from_ref(it)));
        found
    })
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
    let mut fill = |expr: &Expr| {
        let ExprKind::Read(name) = &expr.kind else { return None };
        Some(number(*known.get(name.text.as_str())?, expr.span))
    };
    rewritten_block(block, &mut fill)
}

fn rewritten_block(block: &Block, rule: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Block {
    Block { exprs: rewritten_all(&block.exprs, rule), span: block.span }
}

fn rewritten_all(exprs: &[Expr], rule: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Vec<Expr> {
    let mut all: Vec<Expr> = Vec::new();
    for expr in exprs {
        let new = rewritten(expr, rule);
        // Where a request ends, others may run anyway.
        let is_end = matches!((&expr.kind, &new.kind), (ExprKind::While(..), ExprKind::Group(_)));
        if is_end && all.last().is_some_and(|it| it.kind == ExprKind::Yield) {
            all.pop();
        }
        all.push(new);
    }
    all
}

/// An expression in which everything that the rule has something for is replaced by that.
fn rewritten(expr: &Expr, rule: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
    if let Some(instead) = rule(expr) {
        return instead;
    }
    let mut sub = |expr: &Expr| Box::new(rewritten(expr, rule));
    let kind = match &expr.kind {
        ExprKind::Assign(name, value) => ExprKind::Assign(name.clone(), sub(value)),
        ExprKind::Unary(op, operand) => ExprKind::Unary(*op, sub(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
        ExprKind::If(condition, then, otherwise) => ExprKind::If(
            sub(condition),
            rewritten_block(then, rule),
            rewritten_block(otherwise, rule),
        ),
        ExprKind::While(condition, body) => {
            ExprKind::While(sub(condition), rewritten_block(body, rule))
        }
        ExprKind::Assume(condition) => ExprKind::Assume(sub(condition)),
        ExprKind::Labelled(label, block) => {
            ExprKind::Labelled(*label, rewritten_block(block, rule))
        }
        ExprKind::Leave(label, value) => ExprKind::Leave(*label, sub(value)),
        ExprKind::Group(block) => ExprKind::Group(rewritten_block(block, rule)),
        ExprKind::Return(response) => {
            let parts = response.parts.iter().map(|part| rewritten(part, rule)).collect();
            ExprKind::Return(Response { parts, shape: response.shape.clone() })
        }
        ExprKind::Read(_)
        | ExprKind::Number(_)
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
