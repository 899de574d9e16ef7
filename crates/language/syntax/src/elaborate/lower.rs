//! From the tree to the core.
//!
//! Where an expression is a number, its core stands in the same place, so that a program without
//! sugar is its own core. Values of several numbers go through hidden variables: they are computed
//! once, in the order of the text, and then read. Hidden variables are free again after the
//! statement that needed them.

mod actions;
mod processes;

use super::infer::{Function, Locals, Typed};
use super::types::{KEYS, Layout, Space, Ty};
use super::{Handler, handlers};
use crate::ast::Relation;
use crate::ast::{
    self, Argument, BinaryOp, Else, ExprKind as Source, Name, Pattern, Program, Quantifier, Type,
    TypeKind, UnaryOp,
};
use crate::check::Checker;
use crate::core::{self, Block, Expr, ExprKind, Fault, Global, Label, Response, Shape};
use crate::report::{Messages as _, error};
use ser_base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many expressions the core of a program may have.
const MAX_EXPRESSIONS: usize = 1 << 20;

/// How deep the core may be, counting what is put in place of calls.
const MAX_LEVELS: usize = 300;

/// The core of a program that has no errors so far; too large a one is reported.
pub(super) fn lower<'p>(
    tree: &'p Program,
    typed: &Typed<'p>,
    checker: &mut Checker<'p, '_>,
) -> core::Program {
    let mut lower = Lower {
        typed,
        checker,
        ranges: BTreeMap::new(),
        frames: Vec::new(),
        locks: Vec::new(),
        loops: Vec::new(),
        hidden: 0,
        operands: 0,
        no_value: None,
        labels: 0,
        levels: 0,
        expressions: 0,
        is_too_large: false,
        shapes: BTreeMap::new(),
        in_processes: !tree.processes.is_empty(),
        is_statement: false,
        is_atomic: false,
        instances: Vec::new(),
        parameters: Vec::new(),
        endings: BTreeMap::new(),
        unnamed: 0,
    };
    let mut globals = lower.globals(tree);
    globals.extend(lower.endings(tree));
    let mut requests = Vec::new();
    for (handler, locals) in handlers(tree).zip(&typed.handlers) {
        requests.push(lower.handler(handler, locals));
    }
    let mut questions = Vec::new();
    for (at, (claim, locals)) in tree.claims.iter().zip(&typed.claims).enumerate() {
        questions.push(lower.question(at, claim, locals));
    }
    let constants = lower.checker.constants.0.iter();
    let constants = constants.filter_map(|(name, value)| Some((name.clone(), (*value)?))).collect();
    core::Program { constants, globals, requests, questions }
}

/// A handler or a function that has been put in place.
struct Frame<'a, 'p> {
    locals: &'a Locals<'p>,
    /// What stands before the names of its variables.
    prefix: String,
    /// The block that a `return` ends, and where what it gives goes; nothing in a request.
    result: Option<(Label, Vec<String>)>,
    /// How many locks there were around it.
    locks: usize,
}

/// A loop around the code at hand.
struct Loop {
    leave: Label,
    next: Label,
    is_left: bool,
    goes_on: bool,
    /// How many locks are held around it.
    locks: usize,
}

/// What an expression is for.
#[derive(Clone, Debug)]
enum Goal {
    /// Its value, one number.
    Value,
    /// What it does.
    Nothing,
    /// It is the response.
    Response,
    /// Its parts go into these variables.
    Into(Vec<String>),
}

/// Where a value is stored.
#[derive(Clone, Debug)]
enum Path {
    At(String, Layout),
    /// The element of an array, counted by this variable.
    Among {
        index: String,
        low: i64,
        elements: Vec<Path>,
    },
}

impl Path {
    fn layout(&self) -> &Layout {
        let mut path = self;
        loop {
            match path {
                Path::At(_, layout) => return layout,
                Path::Among { elements, .. } => match elements.first() {
                    Some(first) => path = first,
                    None => return &Layout::Int,
                },
            }
        }
    }

    fn map(self, each: &dyn Fn(String, Layout) -> Path) -> Path {
        match self {
            Path::At(name, layout) => each(name, layout),
            Path::Among { index, low, elements } => {
                let elements = elements.into_iter().map(|it| it.map(each)).collect();
                Path::Among { index, low, elements }
            }
        }
    }
}

struct Lower<'a, 'p, 's> {
    typed: &'a Typed<'p>,
    checker: &'a mut Checker<'p, 's>,
    /// The values that variables take, where that is known.
    ranges: BTreeMap<String, (i128, i128)>,
    frames: Vec<Frame<'a, 'p>>,
    /// The locks that are held, inside last.
    locks: Vec<Path>,
    loops: Vec<Loop>,
    /// How many hidden variables are in use.
    hidden: usize,
    /// How many expressions are around whose values are still needed. Within them no hidden variable
    /// is free again: what keeps the value of an operand is chosen after the operands are written.
    operands: usize,
    /// What happens instead of a failure in what is asked.
    no_value: Option<ExprKind>,
    labels: Label,
    levels: usize,
    expressions: usize,
    is_too_large: bool,
    /// Local variables of the request at hand that are no plain numbers.
    shapes: BTreeMap<String, Shape>,
    /// Whether handlers are processes, and others run between two actions.
    in_processes: bool,
    /// Whether what is lowered is a statement, before which others may run.
    is_statement: bool,
    /// Whether it is part of one action.
    is_atomic: bool,
    /// Those of the process at hand that have to say when they end: the variable, and the values of
    /// the parameters.
    instances: Vec<(String, Vec<i64>)>,
    /// The names of its parameters.
    parameters: Vec<String>,
    /// The same as `instances` for each process about whose end something is asked.
    endings: BTreeMap<&'p str, Vec<(String, Vec<i64>)>>,
    /// How many loops without a name for their counter are around.
    unnamed: usize,
}

fn node(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

fn number(value: i64, span: Span) -> Expr {
    node(ExprKind::Number(value), span)
}

fn read(name: &str, span: Span) -> Expr {
    node(ExprKind::Read(Name { text: name.to_owned(), span }), span)
}

fn assign(name: &str, value: Expr, span: Span) -> Expr {
    node(ExprKind::Assign(Name { text: name.to_owned(), span }, Box::new(value)), span)
}

fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

fn either(condition: Expr, then: Vec<Expr>, otherwise: Vec<Expr>, span: Span) -> Expr {
    let block = |exprs| Block { exprs, span };
    node(ExprKind::If(Box::new(condition), block(then), block(otherwise)), span)
}

/// Several expressions as one; one is itself.
fn sequence(mut exprs: Vec<Expr>, span: Span) -> Expr {
    match exprs.len() {
        0 => number(0, span),
        1 => exprs.remove(0),
        _ => node(ExprKind::Group(Block { exprs, span }), span),
    }
}

/// All of these hold.
fn all(mut conditions: Vec<Expr>, span: Span) -> Expr {
    if conditions.len() <= 1 {
        return conditions.pop().unwrap_or_else(|| number(1, span));
    }
    let right = conditions.split_off(conditions.len() / 2);
    binary(BinaryOp::And, all(conditions, span), all(right, span), span)
}

/// One of these holds.
fn any(mut conditions: Vec<Expr>, span: Span) -> Expr {
    if conditions.len() <= 1 {
        return conditions.pop().unwrap_or_else(|| number(0, span));
    }
    let right = conditions.split_off(conditions.len() / 2);
    binary(BinaryOp::Or, any(conditions, span), any(right, span), span)
}

/// Whether it reads and computes, and does nothing else.
fn is_quiet(expr: &Expr) -> bool {
    let own = matches!(
        expr.kind,
        ExprKind::Number(_) | ExprKind::Read(_) | ExprKind::Unary(..) | ExprKind::Binary(..)
    );
    let mut quiet = own;
    expr.for_each_child(&mut |child| quiet = quiet && is_quiet(child));
    quiet
}

/// Whether an expression can change variables, or let others do so.
fn may_change(expr: &ast::Expr) -> bool {
    let mut found = matches!(
        expr.kind,
        Source::Assign(..)
            | Source::Store(..)
            | Source::Yield
            | Source::Call(..)
            | Source::With(..)
            | Source::Receive(..)
    );
    expr.for_each_child(&mut |child| found = found || may_change(child));
    found
}

impl<'a, 'p> Lower<'a, 'p, '_> {
    fn globals(&mut self, tree: &'p Program) -> Vec<Global> {
        let mut globals = Vec::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for item in &tree.globals {
            let name = item.name.text.as_str();
            let (true, Some(global)) = (seen.insert(name), self.typed.globals.get(name)) else {
                continue;
            };
            let layout = self.layout(&global.ty, global.layout.as_ref());
            let mut values = Vec::new();
            match &item.value {
                Some(value) => self.first_values(value, name, &layout, &mut values),
                None => self.rest(&layout, &mut values),
            }
            for ((name, part), first) in self.parts(name, &layout).into_iter().zip(values) {
                self.declare(&name, &part);
                let name = Name { text: name, span: item.name.span };
                globals.push(self.global(name, first, &part, item.span));
            }
        }
        for (name, global) in &self.typed.globals {
            let layout = self.layout(&global.ty, global.layout.as_ref());
            if seen.contains(name) || matches!(layout, Layout::Int) {
                continue;
            }
            for (name, part) in self.parts(name, &layout) {
                self.declare(&name, &part);
                let span = global.declared.unwrap_or_default();
                let name = Name { text: name, span };
                globals.push(self.global(name, 0, &part, span));
            }
        }
        globals
    }

    fn global(&self, name: Name, first: i64, part: &Layout, span: Span) -> Global {
        let range = self.ranges.get(&name.text).copied();
        let range = range.and_then(|(a, b)| Some((i64::try_from(a).ok()?, i64::try_from(b).ok()?)));
        Global { name, first, shape: self.shape(part), range, span }
    }

    /// Which values a variable takes.
    fn layout(&self, ty: &Ty, declared: Option<&Layout>) -> Layout {
        match declared {
            Some(layout) => layout.clone(),
            None => self.typed.types.layout_of(&self.typed.unifier.settled(ty)),
        }
    }

    fn shape(&self, layout: &Layout) -> Shape {
        self.typed.types.shape(&self.typed.types.erased(layout))
    }

    /// The variables that a variable is made of.
    fn parts(&self, name: &str, layout: &Layout) -> Vec<(String, Layout)> {
        match layout {
            Layout::Int
            | Layout::Range(..)
            | Layout::Bits(_)
            | Layout::Bool
            | Layout::Member(_) => {
                vec![(name.to_owned(), layout.clone())]
            }
            _ => self
                .below(name, layout)
                .iter()
                .flat_map(|(name, layout)| self.parts(name, layout))
                .collect(),
        }
    }

    /// What a value of several parts is made of, one level below.
    fn below(&self, name: &str, layout: &Layout) -> Vec<(String, Layout)> {
        match layout {
            Layout::Record(index) => {
                let fields = self.typed.types.fields(*index).iter();
                fields.map(|(field, part)| (format!("{name}.{field}"), part.clone())).collect()
            }
            Layout::Array(space, element) => {
                let size = self.typed.types.size(*space).unwrap_or(0) as i64;
                let low = self.typed.types.lowest(*space);
                let index = |at| self.typed.types.index_name(*space, low + at);
                (0..size)
                    .map(|at| (format!("{name}[{}]", index(at)), (**element).clone()))
                    .collect()
            }
            Layout::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts.map(|(at, part)| (format!("{name}.{at}"), part.clone())).collect()
            }
            Layout::Queue(capacity, items) => {
                let length = (processes::length(name), Layout::Range(0, *capacity));
                let slots = (0..*capacity).map(|at| (format!("{name}.{at}"), (**items).clone()));
                [length].into_iter().chain(slots).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Remembers which values a variable takes.
    fn declare(&mut self, name: &str, part: &Layout) {
        let range = match part {
            Layout::Range(low, high) => (i128::from(*low), i128::from(*high)),
            Layout::Bits(bits) => (0, (1 << bits) - 1),
            Layout::Bool => (0, 1),
            Layout::Member(index) => (0, self.typed.types.members_of(*index).len() as i128 - 1),
            _ => return,
        };
        self.ranges.insert(name.to_owned(), range);
    }

    /// The values of a variable that nobody gives one.
    fn rest(&self, layout: &Layout, values: &mut Vec<i64>) {
        match layout {
            Layout::Range(low, high) => {
                values.push(if *low <= 0 && 0 <= *high { 0 } else { *low });
            }
            Layout::Int | Layout::Bits(_) | Layout::Bool | Layout::Member(_) => values.push(0),
            _ => self.below("", layout).iter().for_each(|(_, part)| self.rest(part, values)),
        }
    }

    /// The first values of a global variable.
    fn first_values(
        &mut self,
        value: &'p ast::Expr,
        name: &str,
        layout: &Layout,
        values: &mut Vec<i64>,
    ) {
        match (&value.kind, layout) {
            (Source::Group(block), _) if block.exprs.len() == 1 => {
                self.first_values(&block.exprs[0], name, layout, values);
            }
            (Source::List(parts), Layout::Array(_, element)) => {
                parts.iter().for_each(|part| self.first_values(part, name, element, values));
            }
            (Source::Tuple(parts), Layout::Tuple(layouts)) => {
                for (part, layout) in parts.iter().zip(layouts.iter()) {
                    self.first_values(part, name, layout, values);
                }
            }
            (Source::Call(_, arguments), Layout::Record(record)) => {
                let fields = self.typed.types.fields(*record).to_vec();
                for (at, (field, layout)) in fields.iter().enumerate() {
                    match argument_of(arguments, at, field) {
                        Some(argument) => self.first_values(&argument.value, name, layout, values),
                        None => self.rest(layout, values),
                    }
                }
            }
            (_, Layout::Array(space, element)) => {
                // One value for all elements.
                for _ in 0..self.typed.types.size(*space).unwrap_or(0) {
                    self.first_values(value, name, element, values);
                }
            }
            _ => {
                let first = self.checker.value(value).unwrap_or(0);
                let ends = match layout {
                    Layout::Range(low, high) => Some((*low, *high)),
                    Layout::Bits(bits) => Some((0, (1 << bits) - 1)),
                    _ => None,
                };
                if let Some((low, high)) = ends
                    && !(low..=high).contains(&first)
                {
                    let message = format!("`{name}` cannot be {first}");
                    let label = format!("its values are {low} to {high}");
                    error("first-value", message, value.span, label).report(self.checker);
                }
                values.push(first);
            }
        }
    }

    fn handler(&mut self, handler: Handler<'p>, locals: &'a Locals<'p>) -> core::Request {
        let mut parameters = Vec::new();
        (self.labels, self.hidden) = (0, 0);
        self.shapes.clear();
        self.frame(locals, String::new(), None);
        for parameter in handler.parameters {
            let layout = locals.get(parameter.name.text.as_str()).and_then(|it| it.layout.clone());
            let layout = layout.unwrap_or(Layout::Int);
            let (name, span) = (parameter.name.clone(), parameter.span);
            let values = self.typed.types.values(&layout);
            let (low, high) = values.unwrap_or(match self.typed.types.is_open(&layout) {
                true => (0, KEYS as i64 - 1),
                false => core::SMALL,
            });
            match values {
                Some(_) => self.ranges.insert(name.text.clone(), (low.into(), high.into())),
                // There are others.
                None => self.ranges.remove(&name.text),
            };
            let (shape, open) = (self.shape(&layout), values.is_none());
            parameters.push(core::Parameter { name, low, high, open, shape, span });
        }
        let body = match handler.is_process {
            true => self.process_body(handler, &parameters),
            false => self.block(handler.body, &Goal::Response),
        };
        self.end_frame();
        let (name, locals) = (handler.name.clone(), std::mem::take(&mut self.shapes));
        core::Request { name, parameters, locals, body, span: handler.span }
    }

    fn question(
        &mut self,
        number: usize,
        claim: &'p ast::Claim,
        locals: &'a Locals<'p>,
    ) -> core::Question {
        (self.labels, self.hidden) = (0, 0);
        self.shapes.clear();
        self.frame(locals, String::new(), None);
        let fault = || ExprKind::Fail(Fault::Claim(number as u32));
        // Where a condition has no value, it is not true.
        self.no_value = Some(match claim.kind {
            ast::ClaimKind::Reach => ExprKind::Abort,
            _ => fault(),
        });
        let mut exprs = Vec::new();
        for ast::Conjunct { condition, .. } in &claim.conjuncts {
            let span = condition.span;
            let (quiet, found) = (vec![self::number(0, span)], vec![node(fault(), span)]);
            let condition = self.value(condition);
            exprs.push(match claim.kind {
                ast::ClaimKind::Reach => either(condition, found, quiet, span),
                _ => either(condition, quiet, found, span),
            });
        }
        self.no_value = None;
        self.end_frame();
        // A name that no request can have.
        let name = Name { text: format!("{} {}", claim.kind.word(), number + 1), span: claim.span };
        let body = Block { exprs, span: claim.span };
        let (parameters, locals) = (Vec::new(), std::mem::take(&mut self.shapes));
        let observer = core::Request { name, parameters, locals, body, span: claim.span };
        let name = claim.name.as_ref().map(|name| name.text.clone());
        core::Question { kind: claim.kind, name, observer, span: claim.span }
    }

    /// Goes into a handler or a function.
    fn frame(
        &mut self,
        locals: &'a Locals<'p>,
        prefix: String,
        result: Option<(Label, Vec<String>)>,
    ) {
        for (name, local) in locals {
            let layout = self.layout(&local.ty, local.layout.as_ref());
            for (name, part) in self.parts(&format!("{prefix}{name}"), &layout) {
                if !matches!(part, Layout::Int | Layout::Range(..)) {
                    let shape = self.shape(&part);
                    self.shapes.insert(name.clone(), shape);
                }
                self.ranges.remove(&name);
                self.declare(&name, &part);
            }
        }
        let locks = self.locks.len();
        self.frames.push(Frame { locals, prefix, result, locks });
    }

    fn end_frame(&mut self) {
        self.frames.pop();
    }

    /// A hidden variable.
    fn fresh(&mut self) -> String {
        self.hidden += 1;
        let name = format!(".{}", self.hidden);
        self.ranges.remove(&name);
        self.shapes.remove(&name);
        name
    }

    fn fresh_for(&mut self, layout: &Layout) -> Vec<String> {
        let parts = self.parts("", layout);
        parts
            .iter()
            .map(|(_, part)| {
                let name = self.fresh();
                self.declare(&name, part);
                name
            })
            .collect()
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels
    }

    /// Counts an expression; `false` if there are too many.
    fn count(&mut self, span: Span) -> bool {
        self.expressions += 1;
        if self.expressions > MAX_EXPRESSIONS || self.levels > MAX_LEVELS {
            if !self.is_too_large {
                self.is_too_large = true;
                let message = "this program becomes too large";
                error("too-large", message, span, "with functions and arrays written out")
                    .with_help("use smaller arrays, fewer accesses by index, or functions that do not call others")
                    .report(self.checker);
            }
            return false;
        }
        true
    }

    fn ty(&self, expr: &ast::Expr) -> Ty {
        let known = self.typed.of.get(&std::ptr::from_ref(expr));
        known.map_or(Ty::Int, |ty| self.typed.unifier.settled(ty))
    }

    fn has_parts(&self, expr: &ast::Expr) -> bool {
        matches!(self.ty(expr), Ty::Record(_) | Ty::Array(..) | Ty::Tuple(_))
    }

    /// The local variable of this name, in the function at hand.
    fn local(&self, name: &str) -> Option<(String, Layout)> {
        let frame = self.frames.last()?;
        let local = frame.locals.get(name)?;
        let layout = self.layout(&local.ty, local.layout.as_ref());
        Some((format!("{}{name}", frame.prefix), layout))
    }

    fn variable(&self, name: &str) -> (String, Layout) {
        if let Some(local) = self.local(name) {
            return local;
        }
        match self.typed.globals.get(name) {
            Some(global) => (name.to_owned(), self.layout(&global.ty, global.layout.as_ref())),
            None => (name.to_owned(), Layout::Int),
        }
    }

    // Blocks and branches.

    fn block(&mut self, block: &'p ast::Block, goal: &Goal) -> Block {
        let mut exprs = Vec::new();
        if let Some((last, rest)) = block.exprs.split_last() {
            for expr in rest {
                let hidden = self.hidden;
                self.pause_before(expr, &Goal::Nothing, block, &mut exprs);
                exprs.push(self.expr(expr, &Goal::Nothing));
                self.free(hidden);
            }
            self.pause_before(last, goal, block, &mut exprs);
            exprs.push(self.expr(last, goal));
            return Block { exprs, span: block.span };
        }
        self.nothing(goal, block.span)
    }

    /// The value 0, and nothing else.
    fn nothing(&mut self, goal: &Goal, span: Span) -> Block {
        let exprs = match goal {
            Goal::Into(targets) => {
                targets.iter().map(|it| assign(it, number(0, span), span)).collect()
            }
            Goal::Response if !self.locks.is_empty() => {
                vec![self.respond(vec![number(0, span)], Shape::Number, span)]
            }
            Goal::Response | Goal::Value | Goal::Nothing => Vec::new(),
        };
        Block { exprs, span }
    }

    /// Something goes wrong here.
    fn fail(&self, fault: Fault, span: Span) -> Expr {
        node(self.no_value.clone().unwrap_or(ExprKind::Fail(fault)), span)
    }

    /// Whatever hidden variables have been used since there were so many are free again.
    fn free(&mut self, hidden: usize) {
        if self.operands == 0 {
            self.hidden = hidden;
        }
    }

    fn expr(&mut self, expr: &'p ast::Expr, goal: &Goal) -> Expr {
        self.levels += 1;
        let lowered = match self.count(expr.span) {
            true => self.branches(expr, goal),
            false => number(0, expr.span),
        };
        self.levels -= 1;
        lowered
    }

    /// What consists of branches; the goal is that of each of them.
    fn branches(&mut self, expr: &'p ast::Expr, goal: &Goal) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            Source::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                let then = self.block(then, goal);
                let otherwise = match otherwise {
                    None => self.nothing(goal, condition.span),
                    Some(Else::Block(block)) => self.block(block, goal),
                    Some(Else::If(expr)) => {
                        Block { exprs: vec![self.expr(expr, goal)], span: expr.span }
                    }
                };
                ExprKind::If(Box::new(condition), then, otherwise)
            }
            Source::Group(block) => ExprKind::Group(self.block(block, goal)),
            Source::Match(value, arms) => return self.cases(value, arms, goal, span),
            Source::Either(blocks) => return self.alternatives(blocks, goal, span),
            Source::With(lock, body) => return self.with(lock, body, goal, span),
            Source::Atomic(body) => return self.together(None, body, span),
            Source::Await(condition, body) => {
                return self.together(Some(condition), body, span);
            }
            Source::Call(name, arguments)
                if self.typed.functions.contains_key(name.text.as_str()) =>
            {
                return self.call(name, arguments, goal, expr);
            }
            Source::While(..) | Source::For(..) | Source::Loop(_) => {
                let done = self.repeat(expr);
                return self.with_goal(done, goal, expr);
            }
            Source::Return(value) => return self.give(value.as_deref(), span),
            Source::Break | Source::Continue => return self.leave_loop(expr),
            Source::Abort => {
                let mut exprs = self.releases(0, span);
                exprs.push(node(ExprKind::Abort, span));
                return sequence(exprs, span);
            }
            _ => return self.leaf(expr, goal),
        };
        node(kind, span)
    }

    /// The value 0, after something has been done.
    fn with_goal(&mut self, done: Expr, goal: &Goal, expr: &'p ast::Expr) -> Expr {
        let span = expr.span;
        match goal {
            Goal::Value | Goal::Nothing => done,
            Goal::Response if self.locks.is_empty() => done,
            Goal::Response => {
                let parts = vec![number(0, span)];
                sequence(vec![done, self.respond(parts, Shape::Number, span)], span)
            }
            Goal::Into(targets) => {
                let mut exprs = vec![done];
                exprs.extend(targets.iter().map(|it| assign(it, number(0, span), span)));
                sequence(exprs, span)
            }
        }
    }

    /// An expression without branches.
    fn leaf(&mut self, expr: &'p ast::Expr, goal: &Goal) -> Expr {
        let span = expr.span;
        let has_parts = self.has_parts(expr);
        match goal {
            Goal::Value => self.scalar(expr),
            Goal::Nothing if !has_parts => self.scalar(expr),
            Goal::Nothing => {
                let mut exprs = Vec::new();
                self.parts_of(expr, &mut exprs);
                sequence(exprs, span)
            }
            Goal::Response => {
                let shape = self.typed.types.shape(&self.ty(expr));
                if shape == Shape::Number && self.locks.is_empty() {
                    return self.scalar(expr);
                }
                let mut exprs = Vec::new();
                let parts = self.parts_of(expr, &mut exprs);
                exprs.push(self.respond(parts, shape, span));
                sequence(exprs, span)
            }
            Goal::Into(targets) => {
                let mut exprs = Vec::new();
                let parts = self.parts_of(expr, &mut exprs);
                exprs.extend(targets.iter().zip(parts).map(|(to, part)| assign(to, part, span)));
                sequence(exprs, span)
            }
        }
    }

    /// Responds, once the locks that are held are free.
    fn respond(&mut self, parts: Vec<Expr>, shape: Shape, span: Span) -> Expr {
        if self.locks.is_empty() {
            return node(ExprKind::Return(Response { parts, shape }), span);
        }
        let mut exprs = Vec::new();
        let parts = self.kept(parts, &mut exprs, span);
        exprs.extend(self.releases(0, span));
        exprs.push(node(ExprKind::Return(Response { parts, shape }), span));
        sequence(exprs, span)
    }

    /// Values in hidden variables, unless they are numbers.
    fn kept(&mut self, parts: Vec<Expr>, exprs: &mut Vec<Expr>, span: Span) -> Vec<Expr> {
        parts
            .into_iter()
            .map(|part| match part.kind {
                ExprKind::Number(_) => part,
                _ => {
                    let name = self.fresh();
                    if let Some(range) = self.interval(&part) {
                        self.ranges.insert(name.clone(), range);
                    }
                    exprs.push(assign(&name, part, span));
                    read(&name, span)
                }
            })
            .collect()
    }

    /// `return value`.
    fn give(&mut self, value: Option<&'p ast::Expr>, span: Span) -> Expr {
        let function = self.frames.last().and_then(|it| it.result.clone().map(|to| (to, it.locks)));
        let Some(((label, targets), locks)) = function else {
            let mut exprs = Vec::new();
            if self.in_processes {
                exprs.extend(self.releases(0, span));
                exprs.extend(self.ended(span));
                exprs.push(node(ExprKind::Return(Response::number(number(0, span))), span));
                return sequence(exprs, span);
            }
            let (parts, shape) = match value {
                None => (vec![number(0, span)], Shape::Number),
                // Its branches respond on their own.
                Some(value) if is_branch(value) => {
                    let value = self.expr(value, &Goal::Response);
                    let response = Response { parts: vec![value], shape: Shape::Number };
                    return node(ExprKind::Return(response), span);
                }
                Some(value) => {
                    let shape = self.typed.types.shape(&self.ty(value));
                    (self.parts_of(value, &mut exprs), shape)
                }
            };
            exprs.push(self.respond(parts, shape, span));
            return sequence(exprs, span);
        };
        let mut exprs = Vec::new();
        let has_locks = self.locks.len() > locks;
        let mut result = number(0, span);
        match value {
            Some(value) if !targets.is_empty() => {
                exprs.push(self.expr(value, &Goal::Into(targets)))
            }
            Some(value) if self.has_parts(value) => exprs.push(self.expr(value, &Goal::Nothing)),
            Some(value) => {
                result = self.value(value);
                if has_locks {
                    let kept = self.kept(vec![result], &mut exprs, span).pop();
                    result = kept.unwrap_or_else(|| number(0, span));
                }
            }
            None => exprs.extend(targets.iter().map(|it| assign(it, number(0, span), span))),
        }
        exprs.extend(self.releases(locks, span));
        exprs.push(node(ExprKind::Leave(label, Box::new(result)), span));
        sequence(exprs, span)
    }

    /// `break`, `continue`.
    fn leave_loop(&mut self, expr: &'p ast::Expr) -> Expr {
        let span = expr.span;
        let Some(around) = self.loops.last_mut() else { return number(0, span) };
        let label = match expr.kind {
            Source::Break => {
                around.is_left = true;
                around.leave
            }
            _ => {
                around.goes_on = true;
                around.next
            }
        };
        let locks = around.locks;
        let mut exprs = self.releases(locks, span);
        exprs.push(node(ExprKind::Leave(label, Box::new(number(0, span))), span));
        sequence(exprs, span)
    }

    /// Frees the locks above the first so many, inside first.
    fn releases(&mut self, above: usize, span: Span) -> Vec<Expr> {
        let held: Vec<Path> = self.locks[above..].to_vec();
        let mut exprs = Vec::new();
        for lock in held.into_iter().rev() {
            exprs.extend(self.pause(span));
            exprs.push(self.set(&lock, number(0, span), span));
        }
        exprs
    }

    /// `with lock { body }`.
    fn with(&mut self, lock: &'p ast::Expr, body: &'p ast::Block, goal: &Goal, span: Span) -> Expr {
        let mut exprs = Vec::new();
        let path = self.path(lock, true, &mut exprs);
        if self.locks.iter().any(|held| may_be_same(held, &path)) {
            error("lock-held", "this lock may be held here already", lock.span, "waits forever")
                .with_help("whoever waits for a lock that it holds itself never goes on")
                .report(self.checker);
        }
        let held = self.get(&path, lock.span);
        exprs.push(match self.in_processes {
            true => free(held, lock.span),
            false => {
                let wait = Block { exprs: vec![node(ExprKind::Yield, lock.span)], span: lock.span };
                node(ExprKind::While(Box::new(held), wait), lock.span)
            }
        });
        exprs.push(self.set(&path, number(1, lock.span), lock.span));
        self.locks.push(path);
        let end = Span::empty(span.end);
        match goal {
            // Whoever responds frees it.
            Goal::Response => {
                let body = self.block(body, goal);
                if body.exprs.is_empty() {
                    exprs.push(self.respond(vec![number(0, end)], Shape::Number, end));
                } else {
                    exprs.push(node(ExprKind::Group(body), span));
                }
                self.locks.pop();
                sequence(exprs, span)
            }
            Goal::Value => {
                let result = self.fresh();
                let body = self.block(body, goal);
                exprs.push(assign(&result, node(ExprKind::Group(body), span), span));
                exprs.extend(self.releases(self.locks.len() - 1, end));
                exprs.push(read(&result, end));
                self.locks.pop();
                sequence(exprs, span)
            }
            Goal::Nothing | Goal::Into(_) => {
                let body = self.block(body, goal);
                exprs.push(node(ExprKind::Group(body), span));
                exprs.extend(self.releases(self.locks.len() - 1, end));
                self.locks.pop();
                sequence(exprs, span)
            }
        }
    }

    /// `match value { ... }`.
    fn cases(
        &mut self,
        value: &'p ast::Expr,
        arms: &'p [ast::Arm],
        goal: &Goal,
        span: Span,
    ) -> Expr {
        let mut exprs = Vec::new();
        let looked_at = self.value(value);
        let name = match (&looked_at.kind, &value.kind) {
            (ExprKind::Read(name), Source::Read(source)) if self.local(&source.text).is_some() => {
                name.text.clone()
            }
            _ => {
                let name = self.fresh();
                exprs.push(assign(&name, looked_at, value.span));
                name
            }
        };
        let mut done: Option<Block> = None;
        for (index, arm) in arms.iter().enumerate().rev() {
            let body = self.arm(&arm.body, goal);
            let is_rest = arm.patterns.iter().any(|it| matches!(it, Pattern::Anything(_)));
            // Everything is covered, so the last case needs no test.
            if is_rest || index + 1 == arms.len() {
                done = Some(body);
                continue;
            }
            let tests = arm.patterns.iter().map(|pattern| match pattern {
                Pattern::Value(value) => {
                    let expected = number(self.checker.value(value).unwrap_or(0), value.span);
                    binary(BinaryOp::Equal, read(&name, value.span), expected, value.span)
                }
                Pattern::Range(low, high) => {
                    let span = low.span.to(high.span);
                    let low = number(self.checker.value(low).unwrap_or(0), span);
                    let high = number(self.checker.value(high).unwrap_or(0), span);
                    let low = binary(BinaryOp::GreaterEqual, read(&name, span), low, span);
                    let high = binary(BinaryOp::LessEqual, read(&name, span), high, span);
                    binary(BinaryOp::And, low, high, span)
                }
                Pattern::Anything(span) => number(1, *span),
            });
            let test = Box::new(any(tests.collect(), arm.body.span));
            let otherwise = done.take().unwrap_or_default();
            let span = arm.body.span;
            let expr = node(ExprKind::If(test, body, otherwise), span);
            done = Some(Block { exprs: vec![expr], span });
        }
        exprs.extend(done.unwrap_or_default().exprs);
        sequence(exprs, span)
    }

    /// `choose { a } or { b }`.
    fn alternatives(&mut self, blocks: &'p [ast::Block], goal: &Goal, span: Span) -> Expr {
        let (left, right) = blocks.split_at(blocks.len() / 2);
        if left.is_empty() {
            let block = right.first().map(|block| self.block(block, goal)).unwrap_or_default();
            return node(ExprKind::Group(block), span);
        }
        let left = self.alternatives(left, goal, span);
        let right = self.alternatives(right, goal, span);
        either(node(ExprKind::Choose(0, 1), span), vec![left], vec![right], span)
    }

    /// A loop.
    fn repeat(&mut self, expr: &'p ast::Expr) -> Expr {
        let span = expr.span;
        let (leave, next) = (self.label(), self.label());
        let mut exprs = Vec::new();
        let mut step = None;
        let (condition, body) = match &expr.kind {
            Source::While(condition, body) => (self.value(condition), body),
            Source::For(name, values, body) => {
                let (condition, last) = self.counted(name, values, &mut exprs);
                step = Some(last);
                (condition, body)
            }
            Source::Loop(body) => (number(1, span), body),
            _ => return number(0, span),
        };
        let unnamed = matches!(&expr.kind, Source::For(name, ..) if name.text == "_");
        self.unnamed += usize::from(unnamed);
        let locks = self.locks.len();
        self.loops.push(Loop { leave, next, is_left: false, goes_on: false, locks });
        let hidden = self.hidden;
        let mut inside = self.block(body, &Goal::Nothing);
        self.free(hidden);
        self.unnamed -= usize::from(unnamed);
        let around = self.loops.pop();
        let (is_left, goes_on) = around.map_or((false, false), |it| (it.is_left, it.goes_on));
        if goes_on {
            let exprs = vec![node(ExprKind::Labelled(next, inside), body.span)];
            inside = Block { exprs, span: body.span };
        }
        inside.exprs.extend(step);
        if self.is_statement {
            inside.exprs.extend(self.pause(Span::empty(inside.span.end)));
        }
        let mut done = node(ExprKind::While(Box::new(condition), inside), span);
        if is_left {
            let block = Block { exprs: vec![done], span };
            done = node(ExprKind::Labelled(leave, block), span);
        }
        exprs.push(done);
        sequence(exprs, span)
    }

    /// Starts the counter of a `for`; gives the condition and the step.
    fn counted(&mut self, name: &'p Name, values: &'p Type, exprs: &mut Vec<Expr>) -> (Expr, Expr) {
        let counter = match name.text == "_" && (self.unnamed > 0 || self.in_processes) {
            // Around it may be a loop with the same name for its counter.
            true => self.fresh(),
            false => self.variable(&name.text).0,
        };
        let span = name.span;
        let (low, high) = match &values.kind {
            TypeKind::Range(low, high) => {
                let (low, high) = (self.value(low), self.value(high));
                match (self.interval(&low), self.interval(&high)) {
                    (Some((low, _)), Some((_, high))) => {
                        self.ranges.insert(counter.clone(), (low, high));
                    }
                    _ => {
                        self.ranges.remove(&counter);
                    }
                }
                (low, high)
            }
            _ => {
                let layout = self.typed.types.layout(values, self.checker).unwrap_or(Layout::Int);
                let (low, high) = self.typed.types.values(&layout).unwrap_or((0, 0));
                self.ranges.insert(counter.clone(), (low.into(), high.into()));
                (number(low, values.span), number(high, values.span))
            }
        };
        let mut last = high;
        if !matches!(last.kind, ExprKind::Number(_)) {
            // Both ends are known before the first round.
            let kept = self.kept(vec![low, last], exprs, span);
            let [low, high] =
                <[Expr; 2]>::try_from(kept).unwrap_or_else(|_| [number(0, span), number(0, span)]);
            exprs.push(assign(&counter, low, span));
            last = high;
        } else {
            exprs.push(assign(&counter, low, span));
        }
        let condition = binary(BinaryOp::LessEqual, read(&counter, span), last, values.span);
        let next = binary(BinaryOp::Add, read(&counter, span), number(1, span), span);
        (condition, assign(&counter, next, span))
    }

    /// `for all name in values: condition`: the values are tried one by one, until it is settled.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &'p Name,
        values: &'p Type,
        condition: &'p ast::Expr,
        span: Span,
    ) -> Expr {
        let label = self.label();
        let mut exprs = Vec::new();
        let (goes_on, step) = self.counted(name, values, &mut exprs);
        let holds = self.value(condition);
        let settled =
            |value| vec![node(ExprKind::Leave(label, Box::new(number(value, span))), span)];
        let (nothing, at) = (vec![number(0, span)], condition.span);
        let (test, otherwise) = match quantifier {
            Quantifier::All => (either(holds, nothing, settled(0), at), 1),
            Quantifier::Some => (either(holds, settled(1), nothing, at), 0),
        };
        let body = Block { exprs: vec![test, step], span };
        exprs.push(node(ExprKind::While(Box::new(goes_on), body), span));
        exprs.push(number(otherwise, span));
        node(ExprKind::Labelled(label, Block { exprs, span }), span)
    }

    // Functions.

    fn call(
        &mut self,
        name: &'p Name,
        arguments: &'p [Argument],
        goal: &Goal,
        expr: &'p ast::Expr,
    ) -> Expr {
        let span = expr.span;
        let Some(function) = self.typed.functions.get(name.text.as_str()) else {
            return number(0, span);
        };
        let mut exprs = Vec::new();
        let prefix = format!("{}().", name.text);
        self.pass(function, arguments, &prefix, &mut exprs, span);
        let ty = self.typed.unifier.settled(&function.result);
        let has_parts = matches!(ty, Ty::Record(_) | Ty::Array(..) | Ty::Tuple(_));
        // The responses of a request are not given from inside of a function.
        let shape = self.typed.types.shape(&ty);
        let responds = matches!(goal, Goal::Response);
        let targets = match goal {
            Goal::Into(targets) => targets.clone(),
            Goal::Response if has_parts => self.fresh_for(&self.typed.types.layout_of(&ty)),
            _ => Vec::new(),
        };
        let inside = match goal {
            Goal::Nothing => Goal::Nothing,
            _ if !targets.is_empty() => Goal::Into(targets.clone()),
            _ => Goal::Value,
        };
        let label = self.label();
        self.frame(&function.locals, prefix, Some((label, targets.clone())));
        let body = self.function_body(&function.item.body, &inside);
        self.end_frame();
        let value = match returns(&function.item.body) {
            true => node(ExprKind::Labelled(label, body), span),
            false => node(ExprKind::Group(body), span),
        };
        if responds && has_parts {
            exprs.push(value);
            let parts = targets.iter().map(|it| read(it, span)).collect();
            exprs.push(self.respond(parts, shape, span));
        } else if responds && (shape != Shape::Number || !self.locks.is_empty()) {
            exprs.push(self.respond(vec![value], shape, span));
        } else {
            exprs.push(value);
        }
        sequence(exprs, span)
    }

    /// Puts arguments into parameters, and the other variables of a function to where they start.
    fn pass(
        &mut self,
        function: &'a Function<'p>,
        arguments: &'p [Argument],
        prefix: &str,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) {
        let values: Vec<&'p ast::Expr> = arguments.iter().map(|it| &it.value).collect();
        let mut parts = self.all_parts(&values, exprs, span).into_iter();
        let parameters: Vec<&str> =
            function.item.parameters.iter().map(|(name, _)| name.text.as_str()).collect();
        for name in &parameters {
            let Some(local) = function.locals.get(name) else { continue };
            let layout = self.layout(&local.ty, local.layout.as_ref());
            for (name, part) in self.parts(&format!("{prefix}{name}"), &layout) {
                let value = parts.next().unwrap_or_else(|| number(0, span));
                exprs.push(self.put(&name, &part, value, span));
            }
        }
        for (name, local) in &function.locals {
            if parameters.contains(name) {
                continue;
            }
            let layout = self.layout(&local.ty, local.layout.as_ref());
            let mut values = Vec::new();
            self.rest(&layout, &mut values);
            let names = self.parts(&format!("{prefix}{name}"), &layout).into_iter();
            exprs.extend(
                names
                    .zip(values)
                    .map(|((name, _), value)| assign(&name, number(value, span), span)),
            );
        }
    }

    // Values.

    /// The parts of several values, in the order of the text. They can be read at any time before
    /// something else is done.
    fn all_parts(
        &mut self,
        values: &[&'p ast::Expr],
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        let calm = !values.iter().any(|value| may_change(value));
        let mut parts = Vec::new();
        for value in values {
            let mut before = Vec::new();
            let found = self.parts_of(value, &mut before);
            exprs.append(&mut before);
            if calm && found.iter().all(is_quiet) {
                parts.extend(found);
            } else {
                parts.extend(self.kept(found, exprs, span));
            }
        }
        parts
    }

    /// The parts of a value: expressions, to be evaluated in this order, once, right after
    /// `exprs`. Those of a number are the number itself; all others are quiet.
    fn parts_of(&mut self, expr: &'p ast::Expr, exprs: &mut Vec<Expr>) -> Vec<Expr> {
        if !self.has_parts(expr) {
            return vec![self.value(expr)];
        }
        self.operands += 1;
        let is_statement = std::mem::replace(&mut self.is_statement, false);
        let parts = self.several(expr, exprs);
        self.is_statement = is_statement;
        self.operands -= 1;
        parts
    }

    /// Reports an array whose elements nobody can count, where it is a value.
    fn not_whole(&mut self, layout: &Layout, span: Span) {
        let types = &self.typed.types;
        let is_keyed = |it: &Layout| matches!(it, Layout::Array(s, _) if types.is_open_space(*s));
        if types.has(layout, &is_keyed) {
            error("whole-array", "this array has any number of elements", span, "all of them")
                .with_help("look at its elements one by one, or write which values the type has")
                .report(self.checker);
        }
    }

    /// The parts of what has several.
    fn several(&mut self, expr: &'p ast::Expr, exprs: &mut Vec<Expr>) -> Vec<Expr> {
        let span = expr.span;
        match &expr.kind {
            Source::Read(_) | Source::Field(..) | Source::Index(..) => {
                let path = self.path(expr, false, exprs);
                let layout = path.layout().clone();
                self.not_whole(&layout, span);
                let at: Vec<Path> = self.leaves(&path, &layout);
                at.iter().map(|leaf| self.get(leaf, span)).collect()
            }
            Source::Tuple(parts) | Source::List(parts) => {
                let values: Vec<&'p ast::Expr> = parts.iter().collect();
                self.all_parts(&values, exprs, span)
            }
            Source::Call(name, arguments) if self.typed.types.record(&name.text).is_some() => {
                self.record(name, arguments, exprs, span)
            }
            Source::Assign(name, value) => {
                let (variable, layout) = self.variable(&name.text);
                self.store_parts(&Path::At(variable, layout), value, exprs, span)
            }
            Source::Store(place, value) => self.store(place, value, exprs, span),
            Source::Var(item) => self.local_item(item, exprs),
            Source::Receive(queue, _) => self.receive(queue, exprs, span),
            _ => {
                let layout = self.typed.types.layout_of(&self.ty(expr));
                let targets = self.fresh_for(&layout);
                exprs.push(self.expr(expr, &Goal::Into(targets.clone())));
                targets.iter().map(|target| read(target, span)).collect()
            }
        }
    }

    fn record(
        &mut self,
        name: &'p Name,
        arguments: &'p [Argument],
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        let Some(record) = self.typed.types.record(&name.text) else { return Vec::new() };
        let fields = self.typed.types.fields(record).to_vec();
        // In the order of the text, then in the order of the fields.
        let calm = !arguments.iter().any(|it| may_change(&it.value));
        let mut given: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
        for (at, argument) in arguments.iter().enumerate() {
            let found = self.parts_of(&argument.value, exprs);
            let found = match calm && found.iter().all(is_quiet) {
                true => found,
                false => self.kept(found, exprs, span),
            };
            let field = match &argument.name {
                Some(name) => fields.iter().position(|(field, _)| *field == name.text),
                None => Some(at),
            };
            given.insert(field.unwrap_or(at), found);
        }
        let mut parts = Vec::new();
        for (at, (_, layout)) in fields.iter().enumerate() {
            match given.remove(&at) {
                Some(found) => {
                    let inside = self.parts("", layout);
                    for ((_, part), value) in inside.iter().zip(found) {
                        parts.push(self.fitting(part, value, &fields[at].0, exprs, span));
                    }
                }
                None => {
                    let mut values = Vec::new();
                    self.rest(layout, &mut values);
                    parts.extend(values.into_iter().map(|value| number(value, span)));
                }
            }
        }
        parts
    }

    /// One number.
    fn value(&mut self, expr: &'p ast::Expr) -> Expr {
        self.operands += 1;
        let is_statement = std::mem::replace(&mut self.is_statement, false);
        let value = self.expr(expr, &Goal::Value);
        self.is_statement = is_statement;
        self.operands -= 1;
        value
    }

    /// An expression without branches that is one number.
    fn scalar(&mut self, expr: &'p ast::Expr) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            Source::Number(value) => ExprKind::Number(*value),
            Source::Bool(value) => ExprKind::Number(i64::from(*value)),
            Source::Coin => ExprKind::Choose(0, 1),
            Source::Choose(values) => {
                let (low, high) = match &values.kind {
                    TypeKind::Range(low, high) => {
                        let low = self.checker.value(low);
                        low.zip(self.checker.value(high)).unwrap_or((0, 0))
                    }
                    _ => {
                        let layout = self.typed.types.layout(values, self.checker);
                        layout.and_then(|it| self.typed.types.values(&it)).unwrap_or((0, 0))
                    }
                };
                ExprKind::Choose(low, high)
            }
            Source::Read(name) => match self.local(&name.text) {
                Some((text, _)) => ExprKind::Read(Name { text, span: name.span }),
                None => match self.checker.constants.0.get(name.text.as_str()) {
                    Some(value) => ExprKind::Number(value.unwrap_or(0)),
                    None if name.text == "done" && self.in_processes => {
                        return self.done(&[], span);
                    }
                    None => ExprKind::Read(name.clone()),
                },
            },
            Source::Field(of, field) => {
                if let Source::Read(name) = &of.kind
                    && self.typed.types.enumeration(&name.text).is_some()
                {
                    return number(self.checker.value(expr).unwrap_or(0), span);
                }
                let _ = field;
                return self.part(expr);
            }
            Source::Index(..) => return self.part(expr),
            Source::Call(name, arguments) => match name.text.as_str() {
                "len" => return self.queue_length(arguments, span),
                "done" => return self.done(arguments, span),
                _ => return self.smallest(name, arguments, span),
            },
            Source::Send(value, to) => return self.send(value, to, span),
            Source::Receive(queue, _) => {
                let mut exprs = Vec::new();
                let parts = self.receive(queue, &mut exprs, span);
                exprs.extend(parts);
                return sequence(exprs, span);
            }
            Source::Acquire(lock) => return self.acquire(lock, span),
            Source::Release(lock) => return self.release(lock, span),
            Source::Skip => ExprKind::Number(0),
            Source::Assign(name, value) => {
                let (variable, layout) = self.variable(&name.text);
                let value = self.value(value);
                if matches!(layout, Layout::Range(..) | Layout::Bits(_)) {
                    return self.put(&variable, &layout, value, span);
                }
                ExprKind::Assign(Name { text: variable, span: name.span }, Box::new(value))
            }
            Source::Store(place, value) => {
                let mut exprs = Vec::new();
                let parts = self.store(place, value, &mut exprs, span);
                exprs.extend(parts);
                return sequence(exprs, span);
            }
            Source::Var(item) => {
                let mut exprs = Vec::new();
                let parts = self.local_item(item, &mut exprs);
                exprs.extend(parts);
                return sequence(exprs, span);
            }
            Source::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.value(operand))),
            Source::Binary(op, left, right) => return self.operator(*op, left, right, span),
            Source::Yield => ExprKind::Yield,
            Source::Assume(condition) => ExprKind::Assume(Box::new(self.value(condition))),
            Source::Assert(condition) => {
                let condition = self.value(condition);
                let fail = self.fail(Fault::Assertion, span);
                return either(condition, vec![number(0, span)], vec![fail], span);
            }
            Source::Quantified(quantifier, name, values, condition) => {
                return self.quantified(*quantifier, name, values, condition, span);
            }
            Source::Relation(Relation::In, left, right) => return self.is_in(left, right, span),
            Source::Relation(relation, left, right) => {
                let left = self.value(left);
                let right = self.value(right);
                let negated = node(ExprKind::Unary(UnaryOp::Not, Box::new(left)), span);
                return match relation {
                    Relation::Iff => {
                        let other = node(ExprKind::Unary(UnaryOp::Not, Box::new(right)), span);
                        binary(BinaryOp::Equal, negated, other, span)
                    }
                    _ => binary(BinaryOp::Or, negated, right, span),
                };
            }
            Source::Error => ExprKind::Error,
            // Branches, and what has parts: not here.
            _ => ExprKind::Number(0),
        };
        node(kind, span)
    }

    fn operator(
        &mut self,
        op: BinaryOp,
        left: &'p ast::Expr,
        right: &'p ast::Expr,
        span: Span,
    ) -> Expr {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) && self.has_parts(left) {
            let mut exprs = Vec::new();
            let mut parts = self.all_parts(&[left, right], &mut exprs, span);
            let others = parts.split_off(parts.len() / 2);
            let pairs = parts.into_iter().zip(others);
            let same = pairs.map(|(a, b)| binary(BinaryOp::Equal, a, b, span)).collect();
            let same = all(same, span);
            exprs.push(match op {
                BinaryOp::Equal => same,
                _ => node(ExprKind::Unary(UnaryOp::Not, Box::new(same)), span),
            });
            return sequence(exprs, span);
        }
        let (first, second) = (self.value(left), self.value(right));
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            let divisor = self.interval(&second);
            if divisor == Some((0, 0)) {
                error("division", "this divides by 0", span, "always").report(self.checker);
            }
            if divisor.is_none_or(|(low, high)| low <= 0 && 0 <= high) {
                let mut exprs = Vec::new();
                let parts = self.kept(vec![first, second], &mut exprs, span);
                let [first, second] = <[Expr; 2]>::try_from(parts)
                    .unwrap_or_else(|_| [number(0, span), number(1, span)]);
                let fail = self.fail(Fault::Division, span);
                let fine = vec![number(0, span)];
                exprs.push(either(second.clone(), fine, vec![fail], span));
                exprs.push(binary(op, first, second, span));
                return sequence(exprs, span);
            }
        }
        binary(op, first, second, span)
    }

    /// `a in low..high`, `a in {b, c}`: everything is evaluated once, from left to right.
    fn is_in(&mut self, left: &'p ast::Expr, right: &'p ast::Expr, span: Span) -> Expr {
        let others: Vec<&'p ast::Expr> = match &right.kind {
            Source::Range(low, high) => vec![low, high],
            Source::Elements(parts) => parts.iter().collect(),
            _ => Vec::new(),
        };
        let mut exprs = Vec::new();
        let all_of_them: Vec<&'p ast::Expr> = [left].into_iter().chain(others).collect();
        let mut parts = self.all_parts(&all_of_them, &mut exprs, span);
        let width = parts.len() / all_of_them.len();
        let others = parts.split_off(width);
        let test = match (&right.kind, parts.first(), others.as_slice()) {
            (Source::Range(..), Some(value), [low, high]) => {
                let above = binary(BinaryOp::LessEqual, low.clone(), value.clone(), span);
                let below = binary(BinaryOp::LessEqual, value.clone(), high.clone(), span);
                binary(BinaryOp::And, above, below, span)
            }
            _ => {
                let is_one = |other: &[Expr]| {
                    let pairs = parts.iter().zip(other);
                    let same = |(a, b): (&Expr, &Expr)| {
                        binary(BinaryOp::Equal, a.clone(), b.clone(), span)
                    };
                    all(pairs.map(same).collect(), span)
                };
                any(others.chunks(width.max(1)).map(is_one).collect(), span)
            }
        };
        exprs.push(test);
        sequence(exprs, span)
    }

    /// `min(a, b)`, `max(a, b)`.
    fn smallest(&mut self, name: &'p Name, arguments: &'p [Argument], span: Span) -> Expr {
        let values: Vec<&'p ast::Expr> = arguments.iter().map(|it| &it.value).collect();
        let mut exprs = Vec::new();
        let mut parts = Vec::new();
        for value in values {
            let value = self.value(value);
            parts.extend(self.kept(vec![value], &mut exprs, span));
        }
        let [first, second] =
            <[Expr; 2]>::try_from(parts).unwrap_or_else(|_| [number(0, span), number(0, span)]);
        let op = if name.text == "min" { BinaryOp::LessEqual } else { BinaryOp::GreaterEqual };
        let condition = binary(op, first.clone(), second.clone(), span);
        exprs.push(either(condition, vec![first], vec![second], span));
        sequence(exprs, span)
    }

    // Places.

    /// Where the value of an expression is stored. An index is kept in a variable of its own if
    /// `is_kept`, because it is needed again later.
    fn path(&mut self, expr: &'p ast::Expr, is_kept: bool, exprs: &mut Vec<Expr>) -> Path {
        match &expr.kind {
            Source::Read(name) => {
                let (name, layout) = self.variable(&name.text);
                Path::At(name, layout)
            }
            Source::Field(of, field) => {
                let path = self.path(of, is_kept, exprs);
                let below = |name: String, layout: Layout| {
                    let wanted = format!("{name}.{}", field.text);
                    let parts = self.below(&name, &layout);
                    let part = parts.into_iter().find(|(name, _)| *name == wanted);
                    part.map_or(Path::At(wanted, Layout::Int), |(name, part)| Path::At(name, part))
                };
                path.map(&below)
            }
            Source::Index(of, index) => {
                let path = self.path(of, is_kept || may_change(index), exprs);
                self.element(path, index, is_kept, exprs)
            }
            Source::Group(block) if block.exprs.len() == 1 => {
                self.path(&block.exprs[0], is_kept, exprs)
            }
            _ => {
                let layout = self.typed.types.layout_of(&self.ty(expr));
                let base = self.fresh();
                let parts = self.parts(&base, &layout);
                let targets: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
                for (name, part) in &parts {
                    self.declare(name, part);
                }
                exprs.push(self.expr(expr, &Goal::Into(targets)));
                Path::At(base, layout)
            }
        }
    }

    fn element(
        &mut self,
        path: Path,
        index: &'p ast::Expr,
        is_kept: bool,
        exprs: &mut Vec<Expr>,
    ) -> Path {
        let Layout::Array(space, _) = *path.layout() else { return path };
        let (low, size) = (self.typed.types.lowest(space), self.typed.types.size(space));
        let high = low + size.unwrap_or(1) as i64 - 1;
        let value = self.value(index);
        if let ExprKind::Number(value) = value.kind {
            if !(low..=high).contains(&value) {
                let message = "there is no such element";
                error(
                    "no-such-element",
                    message,
                    index.span,
                    format!("{low} to {high} are possible"),
                )
                .report(self.checker);
                return path;
            }
            let at = usize::try_from(value - low).unwrap_or(0);
            return path.map(&|name, layout| {
                let part = self.below(&name, &layout).into_iter().nth(at);
                part.map_or(Path::At(name, Layout::Int), |(name, part)| Path::At(name, part))
            });
        }
        let span = index.span;
        let fits = self.fits(&value, low, high, space);
        let name = match &value.kind {
            ExprKind::Read(name) if !name.is_global() && !is_kept => name.text.clone(),
            _ => {
                let kept = self.fresh();
                exprs.push(assign(&kept, value, span));
                kept
            }
        };
        if !fits {
            let array = outermost(&path);
            let fail = self.fail(Fault::Index { array }, span);
            let below = binary(BinaryOp::Less, read(&name, span), number(low, span), span);
            let above = binary(BinaryOp::Greater, read(&name, span), number(high, span), span);
            let outside = binary(BinaryOp::Or, below, above, span);
            exprs.push(either(outside, vec![fail], vec![number(0, span)], span));
        }
        path.map(&|of, layout| Path::Among {
            index: name.clone(),
            low,
            elements: self.below(&of, &layout).into_iter().map(|(n, l)| Path::At(n, l)).collect(),
        })
    }

    /// Whether an index is always one.
    fn fits(&self, value: &Expr, low: i64, high: i64, space: Space) -> bool {
        if !matches!(space, Space::Range(..) | Space::List(_)) {
            return true;
        }
        let within = |(a, b): (i128, i128)| i128::from(low) <= a && b <= i128::from(high);
        self.interval(value).is_some_and(within)
    }

    /// The numbers that a value at a place is made of.
    fn leaves(&self, path: &Path, layout: &Layout) -> Vec<Path> {
        let count = self.parts("", layout).len();
        (0..count)
            .map(|at| {
                path.clone().map(&|name, layout| {
                    let part = self.parts(&name, &layout).into_iter().nth(at);
                    part.map_or(Path::At(name, Layout::Int), |(name, part)| Path::At(name, part))
                })
            })
            .collect()
    }

    /// A number from its place.
    fn get(&mut self, path: &Path, span: Span) -> Expr {
        self.choose_place(path, span, &mut |_, name, _| read(name, span))
    }

    /// Stores a number, which is known to fit.
    fn set(&mut self, path: &Path, value: Expr, span: Span) -> Expr {
        self.choose_place(path, span, &mut |_, name, _| assign(name, value.clone(), span))
    }

    fn choose_place(
        &mut self,
        path: &Path,
        span: Span,
        each: &mut dyn FnMut(&mut Self, &str, &Layout) -> Expr,
    ) -> Expr {
        if !self.count(span) {
            return number(0, span);
        }
        match path {
            Path::At(name, layout) => each(self, name, layout),
            Path::Among { index, low, elements } => self.halves(index, *low, elements, span, each),
        }
    }

    /// Looks for the element in halves.
    fn halves(
        &mut self,
        index: &str,
        low: i64,
        elements: &[Path],
        span: Span,
        each: &mut dyn FnMut(&mut Self, &str, &Layout) -> Expr,
    ) -> Expr {
        if let [only] = elements {
            return self.choose_place(only, span, each);
        }
        let middle = elements.len() / 2;
        let (left, right) = elements.split_at(middle);
        let from = low + middle as i64;
        let condition = binary(BinaryOp::Less, read(index, span), number(from, span), span);
        let left = self.halves(index, low, left, span, each);
        let right = self.halves(index, from, right, span, each);
        either(condition, vec![left], vec![right], span)
    }

    /// The number at the place that an expression stands for.
    fn part(&mut self, expr: &'p ast::Expr) -> Expr {
        let mut exprs = Vec::new();
        let path = self.path(expr, false, &mut exprs);
        exprs.push(self.get(&path, expr.span));
        sequence(exprs, expr.span)
    }

    /// `place := value`; gives what was stored.
    fn store(
        &mut self,
        place: &'p ast::Expr,
        value: &'p ast::Expr,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        if let Source::Tuple(places) = &place.kind {
            let values = self.parts_of(value, exprs);
            let values = self.kept(values, exprs, span);
            let mut rest = values.clone().into_iter();
            self.store_tuple(places, &mut rest, exprs, span);
            return values;
        }
        let path = self.path(place, may_change(value), exprs);
        self.store_parts(&path, value, exprs, span)
    }

    fn store_tuple(
        &mut self,
        places: &'p [ast::Expr],
        values: &mut dyn Iterator<Item = Expr>,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) {
        for place in places {
            if let Source::Tuple(places) = &place.kind {
                self.store_tuple(places, values, exprs, span);
                continue;
            }
            let path = self.path(place, false, exprs);
            let layout = path.layout().clone();
            self.not_whole(&layout, span);
            for leaf in self.leaves(&path, &layout) {
                let value = values.next().unwrap_or_else(|| number(0, span));
                exprs.push(self.put_at(&leaf, value, span));
            }
        }
    }

    fn store_parts(
        &mut self,
        path: &Path,
        value: &'p ast::Expr,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        let layout = path.layout().clone();
        self.not_whole(&layout, span);
        let leaves = self.leaves(path, &layout);
        let mut values = self.parts_of(value, exprs);
        if leaves.len() > 1 || matches!(path, Path::Among { .. }) {
            // What is read may be what is overwritten, and a number may be used several times.
            values = self.kept(values, exprs, span);
        }
        if let ([leaf], 1) = (leaves.as_slice(), values.len()) {
            let value = values.remove(0);
            return vec![self.put_at(leaf, value, span)];
        }
        for (leaf, value) in leaves.iter().zip(&values) {
            exprs.push(self.put_at(leaf, value.clone(), span));
        }
        values
    }

    /// Stores a number, unless that leaves the range of the variable.
    fn put_at(&mut self, path: &Path, value: Expr, span: Span) -> Expr {
        let mut exprs = Vec::new();
        let part = path.layout().clone();
        let value = self.fitting(&part, value, &outermost(path), &mut exprs, span);
        exprs.push(self.set(path, value, span));
        sequence(exprs, span)
    }

    /// The same for a variable.
    fn put(&mut self, name: &str, part: &Layout, value: Expr, span: Span) -> Expr {
        let mut exprs = Vec::new();
        let value = self.fitting(part, value, name, &mut exprs, span);
        exprs.push(assign(name, value, span));
        sequence(exprs, span)
    }

    /// A number that is in the range of a variable; otherwise something has failed.
    fn fitting(
        &mut self,
        part: &Layout,
        value: Expr,
        name: &str,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Expr {
        let (low, high) = match *part {
            Layout::Range(low, high) => (low, high),
            Layout::Bits(bits) => return self.wrapped(bits, value, span),
            _ => return value,
        };
        let known = self.interval(&value);
        let (from, to) = (i128::from(low), i128::from(high));
        if known.is_some_and(|(a, b)| from <= a && b <= to) {
            return value;
        }
        let waits = self.in_processes && name.starts_with(char::is_uppercase);
        match value.kind {
            _ if waits => self.never_fits(name, known, (low, high), span),
            ExprKind::Number(value) => {
                let message = format!("`{name}` cannot be {value}");
                error("outside-range", message, span, format!("its values are {low} to {high}"))
                    .report(self.checker);
            }
            _ => {}
        }
        let kept = self.fresh();
        exprs.push(assign(&kept, value, span));
        let (below, above) = match waits {
            true => (BinaryOp::GreaterEqual, BinaryOp::LessEqual),
            false => (BinaryOp::Less, BinaryOp::Greater),
        };
        let mut ends = Vec::new();
        if known.is_none_or(|(a, _)| a < from) {
            ends.push(binary(below, read(&kept, span), number(low, span), span));
        }
        if known.is_none_or(|(_, b)| b > to) {
            ends.push(binary(above, read(&kept, span), number(high, span), span));
        }
        exprs.push(match waits {
            true => node(ExprKind::Assume(Box::new(all(ends, span))), span),
            false => {
                let fault = Fault::Range { variable: name.to_owned(), low, high };
                let fail = self.fail(fault, span);
                either(any(ends, span), vec![fail], vec![number(0, span)], span)
            }
        });
        self.ranges.insert(kept.clone(), (from, to));
        read(&kept, span)
    }

    /// `var name: type = value` in a handler; gives its value.
    fn local_item(&mut self, item: &'p ast::Variable, exprs: &mut Vec<Expr>) -> Vec<Expr> {
        let (name, layout) = self.variable(&item.name.text);
        let span = item.span;
        let parts = self.parts(&name, &layout);
        let values = match &item.value {
            Some(value) => {
                let values = self.parts_of(value, exprs);
                let values = if parts.len() > 1 { self.kept(values, exprs, span) } else { values };
                // One value may stand for all elements.
                let width = values.len().max(1);
                (0..parts.len()).filter_map(|at| values.get(at % width).cloned()).collect()
            }
            None => {
                let mut values = Vec::new();
                self.rest(&layout, &mut values);
                values.into_iter().map(|value| number(value, span)).collect::<Vec<Expr>>()
            }
        };
        if let ([(name, part)], 1) = (parts.as_slice(), values.len()) {
            let value = values.into_iter().next().unwrap_or_else(|| number(0, span));
            return vec![self.put(name, part, value, span)];
        }
        for ((name, part), value) in parts.iter().zip(&values) {
            exprs.push(self.put(name, part, value.clone(), span));
        }
        parts.iter().map(|(name, _)| read(name, span)).collect()
    }

    /// Between which numbers a value lies, if that is known.
    fn interval(&self, expr: &Expr) -> Option<(i128, i128)> {
        const LARGEST: i128 = 1 << 62;
        let found = match &expr.kind {
            ExprKind::Number(value) => (i128::from(*value), i128::from(*value)),
            ExprKind::Choose(low, high) => (i128::from(*low), i128::from(*high)),
            ExprKind::Read(name) => *self.ranges.get(&name.text)?,
            ExprKind::Assign(_, value) => self.interval(value)?,
            ExprKind::Unary(UnaryOp::Not, _) => (0, 1),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let (low, high) = self.interval(operand)?;
                (-high, -low)
            }
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::Add => {
                    let (left, right) = (self.interval(left)?, self.interval(right)?);
                    (left.0 + right.0, left.1 + right.1)
                }
                BinaryOp::Subtract => {
                    let (left, right) = (self.interval(left)?, self.interval(right)?);
                    (left.0 - right.1, left.1 - right.0)
                }
                BinaryOp::Remainder => {
                    let (low, high) = self.interval(right)?;
                    if low <= 0 {
                        return None;
                    }
                    (0, high - 1)
                }
                BinaryOp::Multiply => {
                    let (a, b) = (self.interval(left)?, self.interval(right)?);
                    let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                    let mut products = [0; 4];
                    for (product, (x, y)) in products.iter_mut().zip(ends) {
                        *product = x.checked_mul(y)?;
                    }
                    (*products.iter().min()?, *products.iter().max()?)
                }
                BinaryOp::Divide => return None,
                _ => (0, 1),
            },
            ExprKind::If(_, then, otherwise) => {
                let last = |block: &Block| match block.exprs.last() {
                    Some(last) => self.interval(last),
                    None => Some((0, 0)),
                };
                let (then, otherwise) = (last(then)?, last(otherwise)?);
                (then.0.min(otherwise.0), then.1.max(otherwise.1))
            }
            ExprKind::Group(block) => self.interval(block.exprs.last()?)?,
            _ => return None,
        };
        (-LARGEST <= found.0 && found.1 <= LARGEST).then_some(found)
    }
}

/// Waits until something is not so.
fn free(taken: Expr, span: Span) -> Expr {
    let is_free = node(ExprKind::Unary(UnaryOp::Not, Box::new(taken)), span);
    node(ExprKind::Assume(Box::new(is_free)), span)
}

/// The argument for a field.
fn argument_of<'p>(arguments: &'p [Argument], at: usize, field: &str) -> Option<&'p Argument> {
    let named = |it: &&Argument| it.name.as_ref().is_some_and(|name| name.text == field);
    let by_place = || arguments.get(at).filter(|it| it.name.is_none());
    arguments.iter().find(named).or_else(by_place)
}

/// Whether an expression is one of several.
fn is_branch(expr: &ast::Expr) -> bool {
    match &expr.kind {
        Source::If(..) | Source::Match(..) | Source::Either(_) | Source::With(..) => true,
        Source::Group(block) => block.exprs.last().is_some_and(is_branch),
        _ => false,
    }
}

/// Whether there is a `return` in a function.
fn returns(block: &ast::Block) -> bool {
    fn inside(expr: &ast::Expr) -> bool {
        let mut found = matches!(expr.kind, Source::Return(_));
        expr.for_each_child(&mut |child| found = found || inside(child));
        found
    }
    block.exprs.iter().any(inside)
}

/// The name of the variable that a place belongs to.
fn outermost(path: &Path) -> String {
    match path {
        Path::At(name, _) => name.clone(),
        Path::Among { elements, .. } => {
            let first = elements.first().map(outermost).unwrap_or_default();
            first.rsplit_once('[').map_or(first.clone(), |(array, _)| array.to_owned())
        }
    }
}

/// Whether two locks may be one.
fn may_be_same(held: &Path, wanted: &Path) -> bool {
    match (held, wanted) {
        (Path::At(a, _), Path::At(b, _)) => a == b,
        // Two elements of one array may be different ones; that is up to the program.
        _ => false,
    }
}
