//! From processes to a program of requests.
//!
//! The walk over a body knows whether an action has happened since the last `yield` ([`Since`]), and puts
//! a `yield` before the next statement if so. Where branches meet that do not agree, those in which an
//! action has happened get a `yield` of their own; but not where the process ends anyway.

use std::collections::BTreeSet;

use super::goals::{self, Instance};
use super::locals::Locals;
use super::scope::{Scope, Shared};
use super::store::store;
use super::{names, queue};
use crate::ast::process::{Body, Call, Function, Items, Process, Statement, StatementKind};
use crate::ast::{
    BinaryOp, Block, Else, Expr, ExprKind, InitialValue, Model, Name, Program, Range, Request,
};
use crate::check::Checker;
use crate::make;
use crate::sink::Sink;
use crate::types::{Enumerations, Values};
use crate::{Diagnostic, Span};

/// How many expressions the translation may add.
const MAX_ADDED: usize = 1 << 20;

/// How many levels the translation may add to the height of the tree.
const MAX_LEVELS: u32 = 64;

/// Checks the items and translates them; empty if there are errors.
pub(super) fn model(items: &Items, calls: &[Call], sink: &mut Sink) -> Model {
    let enumerations = Enumerations::of(items, sink);
    let mut checker = Checker::new(&items.constants, sink);
    let scope = Scope::of(items, calls, enumerations, &mut checker);
    for process in &items.processes {
        names::check(process, &scope, &mut checker);
    }
    let (goals, asked) = goals::resolve(&scope, &mut checker);
    if checker.sink.has_errors() {
        return Model::default();
    }

    let mut program = Program { constants: items.constants.clone(), ..Program::default() };
    let mut ranges = Vec::new();
    for (variable, first) in items.variables.iter().zip(&scope.first) {
        let Name { text, span } = &variable.name;
        match scope.shared.get(text.as_str()) {
            Some(Shared::Variable(values)) => {
                declare(text, *values, *first, *span, &mut program, &mut ranges);
            }
            Some(Shared::Queue { capacity, items }) => {
                let length = Values::range(0, *capacity);
                declare(&queue::length(text), length, 0, *span, &mut program, &mut ranges);
                for index in 0..*capacity {
                    let (slot, rest) = (queue::slot(text, index), items.rest());
                    declare(&slot, *items, rest, *span, &mut program, &mut ranges);
                }
            }
            Some(Shared::Unknown) | None => {}
        }
    }
    for &process in &asked {
        let Some(process) = items.processes.get(process) else { continue };
        let span = process.name.span;
        for instance in goals::instances(&process.name.text, &process.parameters, &checker) {
            let name = goals::done(&instance.label);
            declare(&name, Values::range(0, 1), 0, span, &mut program, &mut ranges);
        }
    }
    let mut added = 0;
    for (index, process) in items.processes.iter().enumerate() {
        program.requests.push(request(index, process, &scope, &asked, &mut checker, &mut added));
    }
    if checker.sink.has_errors() {
        return Model::default();
    }
    Model { program, ranges, goals }
}

/// Adds a shared variable.
fn declare(
    name: &str,
    values: Values,
    first: i64,
    span: Span,
    program: &mut Program,
    ranges: &mut Vec<Range>,
) {
    let name = Name { text: name.to_owned(), span };
    let Values { low, high, wraps, .. } = values;
    ranges.push(Range { name: name.clone(), low, high, wraps });
    program.initial_values.push(InitialValue { name, value: make::number(first, span), span });
}

fn request<'i>(
    index: usize,
    process: &'i Process,
    scope: &Scope<'i>,
    asked: &BTreeSet<usize>,
    checker: &mut Checker<'i, '_>,
    added: &mut usize,
) -> Request {
    let locals = Locals::of(process, scope, checker);
    let instances = if asked.contains(&index) {
        goals::instances(&process.name.text, &process.parameters, checker)
    } else {
        Vec::new()
    };
    let mut desugar =
        Desugar { scope, checker, process, locals, instances, counters: 0, levels: 0, added };
    let (mut exprs, since) = desugar.body(&process.body, Since::Nothing, true);
    let span = process.body.span;
    let end = Span::empty(span.end.saturating_sub(1).max(span.start));
    if since != Since::Gone {
        exprs.extend(desugar.set_done(end));
    }
    // Whatever came last: a process has no response.
    exprs.push(make::number(0, end));
    Request {
        name: process.name.clone(),
        parameters: process.parameters.clone(),
        body: make::block(exprs, span),
        span: process.span,
    }
}

/// What has happened since the last `yield`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Since {
    /// No action.
    Nothing,
    /// An action, on some path.
    Action,
    /// The process has ended, on all paths.
    Gone,
}

struct Desugar<'a, 'i, 's> {
    scope: &'a Scope<'i>,
    checker: &'a mut Checker<'i, 's>,
    process: &'i Process,
    locals: Locals<'i>,
    /// Those that have to say when they end.
    instances: Vec<Instance>,
    /// How many hidden counters there are.
    counters: usize,
    /// How much higher than the source the tree is here.
    levels: u32,
    added: &'a mut usize,
}

impl<'i> Desugar<'_, 'i, '_> {
    /// Statements outside of atomic blocks. `last` says whether nothing of the process comes after them.
    fn body(&mut self, body: &'i Body, mut since: Since, last: bool) -> (Vec<Expr>, Since) {
        let mut exprs = Vec::new();
        let is_nothing = |s: &Statement| matches!(s.kind, StatementKind::Skip);
        let end = body.statements.iter().rposition(|s| !is_nothing(s));
        for (index, statement) in body.statements.iter().enumerate() {
            if is_nothing(statement) {
                continue;
            }
            if since == Since::Gone {
                self.checker.sink.push(
                    Diagnostic::warning("unreachable-code", "this code never runs", statement.span)
                        .with_label("never runs"),
                );
                break;
            }
            if since == Since::Action && !matches!(statement.kind, StatementKind::Return) {
                exprs.push(make::pause(statement.span));
                since = Since::Nothing;
            }
            let last = last && Some(index) == end;
            since = self.statement(statement, since, last, &mut exprs);
        }
        (exprs, since)
    }

    /// A statement before which there is a `yield` if one is needed.
    fn statement(
        &mut self,
        statement: &'i Statement,
        since: Since,
        last: bool,
        exprs: &mut Vec<Expr>,
    ) -> Since {
        let span = statement.span;
        match &statement.kind {
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let inside = self.after(&condition);
                let then_span = then.span;
                let then = self.body(then, inside, last);
                let (other, other_span) = match otherwise {
                    Some(other) => (self.body(other, inside, last), other.span),
                    None => ((Vec::new(), inside), Span::empty(span.end)),
                };
                let (arms, after) = meet(vec![(then, then_span), (other, other_span)], last);
                let mut arms = arms.into_iter();
                let (Some(then), Some(other)) = (arms.next(), arms.next()) else { return after };
                exprs.push(make::either(condition, then, other, span));
                after
            }
            StatementKind::While(condition, body) => {
                self.while_loop(condition, body, last, span, exprs)
            }
            StatementKind::Repeat(count, body) => {
                self.repeat(count, body, since, last, span, exprs)
            }
            StatementKind::Choose(alternatives) => {
                let levels = usize::BITS - alternatives.len().saturating_sub(1).leading_zeros();
                self.deeper(levels, span);
                let arms = alternatives
                    .iter()
                    .map(|body| (self.body(body, Since::Nothing, last), body.span))
                    .collect();
                self.levels -= levels;
                let (arms, after) = meet(arms, last);
                exprs.extend(balanced(arms, span).exprs);
                after
            }
            StatementKind::Return => {
                exprs.extend(self.set_done(span));
                exprs.push(make::expr(ExprKind::Return(None), span));
                Since::Gone
            }
            _ => {
                let action = make::group(self.atomic(statement), span);
                let after = self.after(&action);
                exprs.push(action);
                after
            }
        }
    }

    /// Whether something is an action, and not only local.
    fn after(&self, expr: &Expr) -> Since {
        if touches_shared(expr, self.checker) { Since::Action } else { Since::Nothing }
    }

    fn while_loop(
        &mut self,
        condition: &'i Expr,
        body: &'i Body,
        last: bool,
        span: Span,
        exprs: &mut Vec<Expr>,
    ) -> Since {
        let always = self.checker.constants.value(condition).is_ok_and(|value| value != 0);
        let condition = self.expr(condition);
        let each = self.after(&condition);
        let again = is_repeatable(&condition) && !always;
        let inside_last = last && again && each == Since::Nothing;
        let (mut inside, end) = self.body(body, each, inside_last);
        let mut after = each;
        if end == Since::Action {
            let at = Span::empty(body.span.end);
            if inside_last {
                // The last round ends the process, too.
                inside.push(make::when(condition.clone(), vec![make::pause(at)], span));
                after = Since::Action;
            } else {
                inside.push(make::pause(at));
            }
        }
        let body = make::block(inside, body.span);
        exprs.push(make::expr(ExprKind::While(Box::new(condition), body), span));
        if always { Since::Gone } else { after }
    }

    fn repeat(
        &mut self,
        count: &'i Expr,
        body: &'i Body,
        since: Since,
        last: bool,
        span: Span,
        exprs: &mut Vec<Expr>,
    ) -> Since {
        let times = self.checker.constants.value(count).unwrap_or(0);
        if times <= 0 {
            return since;
        }
        if times == 1 {
            let (inside, after) = self.body(body, since, last);
            exprs.extend(inside);
            return after;
        }
        let counter = format!(".round{}", self.counters);
        self.counters += 1;
        let (mut inside, end) = self.body(body, Since::Nothing, last);
        let goes_on = || make::compare(&counter, BinaryOp::Less, times, count.span);
        let next = make::binary(
            BinaryOp::Add,
            make::read(&counter, count.span),
            make::number(1, count.span),
            count.span,
        );
        let mut after = Since::Nothing;
        if end != Since::Gone {
            inside.push(make::assign(&counter, next, count.span));
        }
        if end == Since::Action {
            let pause = make::pause(Span::empty(body.span.end));
            if last {
                inside.push(make::when(goes_on(), vec![pause], count.span));
                after = Since::Action;
            } else {
                inside.push(pause);
            }
        }
        exprs.push(make::assign(&counter, make::number(0, count.span), count.span));
        let body = make::block(inside, body.span);
        exprs.push(make::expr(ExprKind::While(Box::new(goes_on()), body), span));
        if end == Since::Gone { Since::Gone } else { after }
    }

    /// A statement as part of one action.
    fn atomic(&mut self, statement: &'i Statement) -> Vec<Expr> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expr(expr) => vec![self.expr(expr)],
            StatementKind::Await(condition, body) => {
                let mut exprs = vec![make::assume(self.expr(condition), span)];
                exprs.extend(body.iter().flat_map(|body| self.atomic_body(body)));
                exprs
            }
            StatementKind::Atomic(body) => self.atomic_body(body),
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let then = make::block(self.atomic_body(then), then.span);
                let other = match otherwise {
                    Some(other) => make::block(self.atomic_body(other), other.span),
                    None => make::block(Vec::new(), span),
                };
                vec![make::either(condition, then, other, span)]
            }
            StatementKind::While(condition, body) => {
                let condition = Box::new(self.expr(condition));
                let body = make::block(self.atomic_body(body), body.span);
                vec![make::expr(ExprKind::While(condition, body), span)]
            }
            StatementKind::Repeat(count, body) => {
                let times = self.checker.constants.value(count).unwrap_or(0);
                let counter = format!(".round{}", self.counters);
                self.counters += 1;
                let mut inside = self.atomic_body(body);
                let (one, now) = (make::number(1, span), make::read(&counter, span));
                let next = make::binary(BinaryOp::Add, now, one, span);
                inside.push(make::assign(&counter, next, span));
                let goes_on = make::compare(&counter, BinaryOp::Less, times, span);
                vec![
                    make::assign(&counter, make::number(0, span), span),
                    make::repeat_while(goes_on, inside, span),
                ]
            }
            StatementKind::Choose(alternatives) => {
                let levels = usize::BITS - alternatives.len().saturating_sub(1).leading_zeros();
                self.deeper(levels, span);
                let arms = alternatives
                    .iter()
                    .map(|body| make::block(self.atomic_body(body), body.span))
                    .collect();
                self.levels -= levels;
                balanced(arms, span).exprs
            }
            StatementKind::Send(name, value) => {
                let known = self.locals.interval(value, self.scope, self.checker);
                let value = self.expr(value);
                let Some(Shared::Queue { capacity, items }) =
                    self.scope.shared.get(name.text.as_str())
                else {
                    return Vec::new();
                };
                self.add(8 * *capacity as usize, span);
                vec![queue::send(&name.text, *capacity, items, value, known, span)]
            }
            StatementKind::Receive(name, variable) => {
                let Some(Shared::Queue { capacity, items }) =
                    self.scope.shared.get(name.text.as_str())
                else {
                    return Vec::new();
                };
                self.add(4 * *capacity as usize, span);
                let put = |item| match self.scope.values(&variable.text) {
                    Some(values) if variable.is_global() => {
                        store(&variable.text, &values, item, Some(items.interval()), span)
                    }
                    _ => make::assign(&variable.text, item, span),
                };
                vec![queue::receive(&name.text, *capacity, items, put, span)]
            }
            StatementKind::Return => {
                let mut exprs = self.set_done(span);
                exprs.push(make::expr(ExprKind::Return(None), span));
                exprs
            }
            StatementKind::Skip | StatementKind::Error => Vec::new(),
        }
    }

    fn atomic_body(&mut self, body: &'i Body) -> Vec<Expr> {
        body.statements.iter().flat_map(|statement| self.atomic(statement)).collect()
    }

    /// Says that the process ends here, if anybody wants to know.
    fn set_done(&mut self, span: Span) -> Vec<Expr> {
        self.add(8 * self.instances.len(), span);
        let parameters = &self.process.parameters;
        let set = |instance: &Instance| {
            let set = make::assign(goals::done(&instance.label), make::number(1, span), span);
            let same = parameters.iter().zip(&instance.values).map(|(parameter, value)| {
                make::compare(&parameter.name.text, BinaryOp::Equal, *value, span)
            });
            let same: Vec<Expr> = same.collect();
            if same.is_empty() { set } else { make::when(make::all(same, span), vec![set], span) }
        };
        self.instances.iter().map(set).collect()
    }

    /// An expression with hidden names for calls, and assignments that stay in their ranges.
    fn expr(&mut self, expr: &'i Expr) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Read(name) => match self.scope.call(name) {
                Some(Function::Len(queue)) => {
                    let text = queue::length(&queue.text);
                    ExprKind::Read(Name { text, span: name.span })
                }
                _ => ExprKind::Read(name.clone()),
            },
            ExprKind::Assign(name, value) => {
                let known = self.locals.interval(value, self.scope, self.checker);
                let stored = self.expr(value);
                match self.scope.values(&name.text) {
                    Some(values) if name.is_global() => {
                        self.impossible(name, &values, value, known);
                        self.add(32, span);
                        return store(&name.text, &values, stored, known, span);
                    }
                    _ => ExprKind::Assign(name.clone(), Box::new(stored)),
                }
            }
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.expr(operand))),
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::If(condition, then, otherwise) => ExprKind::If(
                Box::new(self.expr(condition)),
                self.block(then),
                otherwise.as_ref().map(|otherwise| match otherwise {
                    Else::Block(block) => Else::Block(self.block(block)),
                    Else::If(expr) => Else::If(Box::new(self.expr(expr))),
                }),
            ),
            ExprKind::While(condition, body) => {
                ExprKind::While(Box::new(self.expr(condition)), self.block(body))
            }
            ExprKind::Assume(condition) => ExprKind::Assume(Box::new(self.expr(condition))),
            ExprKind::Group(block) => ExprKind::Group(self.block(block)),
            ExprKind::Number(_)
            | ExprKind::Coin
            | ExprKind::Choose(..)
            | ExprKind::Yield
            | ExprKind::Return(_)
            | ExprKind::Error => expr.kind.clone(),
        };
        make::expr(kind, span)
    }

    fn block(&mut self, block: &'i Block) -> Block {
        make::block(block.exprs.iter().map(|expr| self.expr(expr)).collect(), block.span)
    }

    /// Reports an assignment that never fits.
    fn impossible(
        &mut self,
        name: &Name,
        values: &Values,
        value: &Expr,
        known: Option<crate::intervals::Interval>,
    ) {
        let (low, high) = values.interval();
        let Some(known) = known.filter(|known| !values.wraps && (known.1 < low || high < known.0))
        else {
            return;
        };
        let text = &name.text;
        let message = if known.0 == known.1 {
            format!("{} is not one of the values of `{text}`", known.0)
        } else {
            format!("this is never one of the values of `{text}`")
        };
        self.checker.sink.push(
            Diagnostic::error("assignment-out-of-range", message, value.span)
                .with_label(format!("from {} to {}", known.0, known.1))
                .with_help(format!("`{text}` can have the values {low} to {high}")),
        );
    }

    /// Counts expressions that are added, and levels of the tree.
    fn add(&mut self, count: usize, span: Span) {
        let before = *self.added;
        *self.added = before.saturating_add(count);
        if before <= MAX_ADDED && *self.added > MAX_ADDED {
            let message = "this file is too large: its queues and processes take too much code";
            self.checker.sink.push(
                Diagnostic::error("too-much-code", message, span)
                    .with_label("the limit is passed here")
                    .with_help("use smaller queues, or fewer statements that use them"),
            );
        }
    }

    fn deeper(&mut self, levels: u32, span: Span) {
        let before = self.levels;
        self.levels += levels;
        if before <= MAX_LEVELS && self.levels > MAX_LEVELS {
            let message = "too many choices are nested here";
            self.checker.sink.push(
                Diagnostic::error("nested-too-deeply", message, span).with_label("too deep here"),
            );
        }
    }
}

/// Makes branches agree on what has happened since the last `yield`. At the end of a process they need
/// not.
fn meet(arms: Vec<((Vec<Expr>, Since), Span)>, last: bool) -> (Vec<Block>, Since) {
    let any = |wanted| arms.iter().any(|((_, since), _)| *since == wanted);
    let (action, nothing) = (any(Since::Action), any(Since::Nothing));
    let after = match (action, nothing) {
        (true, true) if !last => Since::Nothing,
        (true, _) => Since::Action,
        (false, true) => Since::Nothing,
        (false, false) => Since::Gone,
    };
    let blocks = arms.into_iter().map(|((mut exprs, since), span)| {
        if since == Since::Action && after == Since::Nothing {
            exprs.push(make::pause(Span::empty(span.end)));
        }
        make::block(exprs, span)
    });
    (blocks.collect(), after)
}

/// One of these, nobody knows which.
fn balanced(mut arms: Vec<Block>, span: Span) -> Block {
    if arms.len() <= 1 {
        return arms.pop().unwrap_or(make::block(Vec::new(), span));
    }
    let right = arms.split_off(arms.len().div_ceil(2));
    let (left, right) = (balanced(arms, span), balanced(right, span));
    let coin = make::expr(ExprKind::Coin, span);
    make::block(vec![make::either(coin, left, right, span)], span)
}

/// Whether an expression reads or writes a shared variable.
fn touches_shared(expr: &Expr, checker: &Checker<'_, '_>) -> bool {
    let shared = |name: &Name| name.is_global() && !checker.constants.contains(&name.text);
    match &expr.kind {
        ExprKind::Read(name) if shared(name) => true,
        ExprKind::Assign(name, _) if shared(name) => true,
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= touches_shared(child, checker));
            found
        }
    }
}

/// Whether evaluating an expression twice is the same as once.
fn is_repeatable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Coin
        | ExprKind::Choose(..)
        | ExprKind::Assign(..)
        | ExprKind::Assume(_)
        | ExprKind::Return(_) => false,
        _ => {
            let mut repeatable = true;
            expr.for_each_child(&mut |child| repeatable &= is_repeatable(child));
            repeatable
        }
    }
}
