//! From processes to a program of requests.
//!
//! The walk over a body knows whether an action has happened since the last `yield` ([`Since`]),
//! and puts a `yield` before the next statement if so. Where branches meet that do not agree, those
//! in which an action has happened get a `yield` of their own; but not where the process ends
//! anyway.

use std::collections::BTreeSet;

use super::expressions::{is_repeatable, touches_shared};
use super::goals::{self, Instance};
use super::locals::Locals;
use super::scope::{Scope, Shared};
use super::{names, queue};
use crate::ast::process::{Body, Call, Items, Process, Statement, StatementKind};
use crate::ast::{
    BinaryOp, Block, Declared, Expr, ExprKind, Model, Name, Program, Range, Request, Variable,
};
use crate::check::Checker;
use crate::elaborate::plain_program;
use crate::make;
use crate::report::{Messages as _, error};
use crate::types::{Enumerations, Values};
use ser_base::{Diagnostic, Sink, Span};

/// How many expressions the translation may add.
const MAX_ADDED: usize = 1 << 20;

/// How many levels the translation may add to the height of the tree.
const MAX_LEVELS: u32 = 64;

/// Checks the items and translates them; empty if there are errors.
pub(super) fn model(items: &Items, calls: &[Call], sink: &mut Sink) -> Model {
    let enumerations = Enumerations::of(items, sink);
    let mut checker = Checker::new(&items.constants, sink);
    let scope = Scope::of(items, calls, enumerations, &mut checker);
    let mut warnings = Vec::new();
    for process in &items.processes {
        names::check(process, &scope, &mut checker, &mut warnings);
    }
    let (goals, asked) = goals::resolve(&scope, &mut checker);
    if checker.sink.has_errors() {
        return Model::default();
    }
    warnings.into_iter().for_each(|warning| checker.sink.push(warning));

    let mut program = Program { constants: items.constants.clone(), ..Program::default() };
    let (mut ranges, names) = (Vec::new(), &scope.enumerations);
    for (variable, first) in items.variables.iter().zip(&scope.first) {
        let Name { text, span } = &variable.name;
        match scope.shared.get(text.as_str()) {
            Some(Shared::Variable(values)) => {
                declare(text, *values, *first, *span, names, &mut program, &mut ranges);
            }
            Some(Shared::Queue { capacity, items }) => {
                let length = Values::range(0, *capacity);
                declare(&queue::length(text), length, 0, *span, names, &mut program, &mut ranges);
                for index in 0..*capacity {
                    let (slot, rest) = (queue::slot(text, index), items.rest());
                    declare(&slot, *items, rest, *span, names, &mut program, &mut ranges);
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
            declare(&name, Values::range(0, 1), 0, span, names, &mut program, &mut ranges);
        }
    }
    let mut added = 0;
    for (index, process) in items.processes.iter().enumerate() {
        program.requests.push(request(index, process, &scope, &asked, &mut checker, &mut added));
    }
    if checker.sink.has_errors() {
        return Model::default();
    }
    Model { program: plain_program(&program), ranges, goals }
}

/// Adds a shared variable.
fn declare(
    name: &str,
    values: Values,
    first: i64,
    span: Span,
    enumerations: &Enumerations<'_>,
    program: &mut Program,
    ranges: &mut Vec<Range>,
) {
    let name = Name { text: name.to_owned(), span };
    let Values { low, high, wraps, enumeration } = values;
    let symbols = enumeration.map_or(Vec::new(), |e| enumerations.members(e));
    ranges.push(Range { name: name.clone(), low, high, wraps, symbols });
    let value = Some(make::number(first, span));
    program.globals.push(Variable { name, declared: Declared::Initial, ghost: false, value, span });
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

pub(super) struct Desugar<'a, 'i, 's> {
    pub(super) scope: &'a Scope<'i>,
    pub(super) checker: &'a mut Checker<'i, 's>,
    pub(super) process: &'i Process,
    pub(super) locals: Locals<'i>,
    /// Those that have to say when they end.
    pub(super) instances: Vec<Instance>,
    /// How many hidden counters there are.
    pub(super) counters: usize,
    /// How much higher than the source the tree is here.
    pub(super) levels: u32,
    added: &'a mut usize,
}

impl<'i> Desugar<'_, 'i, '_> {
    /// Statements outside of atomic blocks. `last` says whether nothing of the process comes after
    /// them.
    fn body(&mut self, body: &'i Body, mut since: Since, last: bool) -> (Vec<Expr>, Since) {
        let mut exprs = Vec::new();
        let is_nothing = |s: &Statement| matches!(s.kind, StatementKind::Skip);
        let end = body.statements.iter().rposition(|s| !is_nothing(s));
        for (index, statement) in body.statements.iter().enumerate() {
            if is_nothing(statement) {
                continue;
            }
            if since == Since::Gone {
                Diagnostic::warning("unreachable-code", "this code never runs", statement.span)
                    .with_label("never runs")
                    .report(self.checker.sink);
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
            StatementKind::For(name, low, high, body) => {
                let ends = self.ends(low, high);
                let place = low.span.to(high.span);
                self.for_loop(name, ends, place, body, since, last, span, exprs)
            }
            StatementKind::Choose(alternatives) => {
                let arms = self.nested(alternatives, span, |it, body| {
                    (it.body(body, Since::Nothing, last), body.span)
                });
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

    /// The ends of a `for`, which are known.
    pub(super) fn ends(&self, low: &'i Expr, high: &'i Expr) -> (i64, i64) {
        let value = |expr| self.checker.constants.value(expr).unwrap_or(0);
        (value(low), value(high))
    }

    #[allow(clippy::too_many_arguments, reason = "what is around, and the parts of a statement")]
    fn for_loop(
        &mut self,
        name: &Name,
        (low, high): (i64, i64),
        place: Span,
        body: &'i Body,
        since: Since,
        last: bool,
        span: Span,
        exprs: &mut Vec<Expr>,
    ) -> Since {
        if low > high {
            return since;
        }
        let counter = self.counter(name);
        if low < high || name.text != "_" {
            exprs.push(make::assign(&counter, make::number(low, place), place));
        }
        if low == high {
            let (inside, after) = self.body(body, since, last);
            exprs.extend(inside);
            return after;
        }
        let (mut inside, end) = self.body(body, Since::Nothing, last);
        let goes_on = || make::compare(&counter, BinaryOp::LessEqual, high, place);
        let mut after = Since::Nothing;
        if end != Since::Gone {
            inside.push(make::step(&counter, BinaryOp::Add, 1, place));
        }
        if end == Since::Action {
            let pause = make::pause(Span::empty(body.span.end));
            if last {
                inside.push(make::when(goes_on(), vec![pause], place));
                after = Since::Action;
            } else {
                inside.push(pause);
            }
        }
        let body = make::block(inside, body.span);
        exprs.push(make::expr(ExprKind::While(Box::new(goes_on()), body), span));
        if end == Since::Gone { Since::Gone } else { after }
    }

    /// Counts expressions that are added, and levels of the tree.
    pub(super) fn add(&mut self, count: usize, span: Span) {
        let before = *self.added;
        *self.added = before.saturating_add(count);
        if before <= MAX_ADDED && *self.added > MAX_ADDED {
            let message = "this file is too large: its queues and processes take too much code";
            error("too-much-code", message, span, "the limit is passed here")
                .with_help("use smaller queues, or fewer statements that use them")
                .report(self.checker.sink);
        }
    }

    /// The variable that counts rounds; one of its own where nobody looks at it.
    pub(super) fn counter(&mut self, name: &Name) -> String {
        if name.text != "_" {
            return name.text.clone();
        }
        self.counters += 1;
        format!(".round{}", self.counters - 1)
    }

    /// What becomes of alternatives, each of which is as deep in a tree as choosing it takes.
    pub(super) fn nested<T>(
        &mut self,
        alternatives: &'i [Body],
        span: Span,
        mut each: impl FnMut(&mut Self, &'i Body) -> T,
    ) -> Vec<T> {
        let levels = usize::BITS - alternatives.len().saturating_sub(1).leading_zeros();
        let before = self.levels;
        self.levels += levels;
        if before <= MAX_LEVELS && self.levels > MAX_LEVELS {
            let message = "too many choices are nested here";
            error("nested-too-deeply", message, span, "too deep here").report(self.checker);
        }
        let all = alternatives.iter().map(|body| each(self, body)).collect();
        self.levels = before;
        all
    }
}

/// Makes branches agree on what has happened since the last `yield`. At the end of a process they
/// need not.
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
pub(super) fn balanced(mut arms: Vec<Block>, span: Span) -> Block {
    if arms.len() <= 1 {
        return arms.pop().unwrap_or(make::block(Vec::new(), span));
    }
    let right = arms.split_off(arms.len().div_ceil(2));
    let (left, right) = (balanced(arms, span), balanced(right, span));
    let coin = make::expr(ExprKind::Coin, span);
    make::block(vec![make::either(coin, left, right, span)], span)
}
