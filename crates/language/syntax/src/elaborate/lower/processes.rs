//! What processes have and requests have not, in the core.
//!
//! Others run between two actions of a process, so before every statement there is a `yield`;
//! `actions` keeps those that are needed. Inside `atomic { ... }` and behind `await` there is none,
//! and none inside an expression. The statements of a function are actions as if they stood where
//! it is called: the first one belongs to the statement that calls it, and what it gives is all of
//! a block where that is just a value.
//!
//! A queue is its length and one variable for each part of each slot, the oldest item in slot 0.
//! Slots that are not in use have a fixed value, so that equal queues are equal states.

use super::actions::separate;
use super::{Goal, Lower, assign, binary, either, free, node, number, read, sequence};
use crate::ast::{self, Argument, BinaryOp, Expr as SourceExpr, ExprKind as Source, Name, Program};
use crate::core::{self, Block, Expr, ExprKind, Fault, Global, Request};
use crate::elaborate::Handler;
use crate::elaborate::types::Layout;
use crate::report::Messages as _;
use ser_base::{Diagnostic, Span};

/// The hidden variable with the length of a queue.
pub(super) fn length(queue: &str) -> String {
    format!("{queue}.len")
}

/// All combinations of the values of parameters, in their order.
fn combinations(parameters: &[core::Parameter]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for parameter in parameters {
        let longer = |values: &Vec<i64>| {
            let values = values.clone();
            (parameter.low..=parameter.high).map(move |it| [values.clone(), vec![it]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Whether a statement of a block is just a value.
fn is_value(expr: &SourceExpr) -> bool {
    match &expr.kind {
        Source::Assign(..)
        | Source::Store(..)
        | Source::Var(_)
        | Source::Assume(_)
        | Source::Assert(_)
        | Source::Await(..)
        | Source::Atomic(_)
        | Source::Send(..)
        | Source::Receive(..)
        | Source::Acquire(_)
        | Source::Release(_)
        | Source::While(..)
        | Source::For(..)
        | Source::Loop(_)
        | Source::With(..) => false,
        _ => {
            let mut value = true;
            expr.for_each_child(&mut |child| value &= is_value(child));
            value
        }
    }
}

impl<'p> Lower<'_, 'p, '_> {
    // When others run.

    /// A place where others may run.
    pub(super) fn pause(&self, at: Span) -> Option<Expr> {
        let pauses = self.in_processes && !self.is_atomic;
        pauses.then(|| node(ExprKind::Yield, Span::empty(at.start)))
    }

    /// The same before a statement of a block, unless it only says where to go on.
    pub(super) fn pause_before(
        &self,
        expr: &SourceExpr,
        goal: &Goal,
        block: &ast::Block,
        exprs: &mut Vec<Expr>,
    ) {
        let goes_on = matches!(
            expr.kind,
            Source::Skip | Source::Return(None) | Source::Break | Source::Continue
        );
        let is_all = block.exprs.len() == 1 && !matches!(goal, Goal::Nothing) && is_value(expr);
        if self.is_statement && !goes_on && !is_all {
            exprs.extend(self.pause(expr.span));
        }
    }

    /// One case of a `match`.
    pub(super) fn arm(&mut self, body: &'p SourceExpr, goal: &Goal) -> Block {
        let mut exprs = Vec::new();
        if !matches!(body.kind, Source::Group(_)) {
            let goes_on = matches!(
                body.kind,
                Source::Skip | Source::Return(None) | Source::Break | Source::Continue
            );
            let is_all = !matches!(goal, Goal::Nothing) && is_value(body);
            if self.is_statement && !goes_on && !is_all {
                exprs.extend(self.pause(body.span));
            }
        }
        exprs.push(self.expr(body, goal));
        Block { exprs, span: body.span }
    }

    /// The body of a function that is put in place.
    pub(super) fn function_body(&mut self, body: &'p ast::Block, goal: &Goal) -> Block {
        let outside = std::mem::replace(&mut self.is_statement, !self.is_atomic);
        let mut block = self.block(body, goal);
        self.is_statement = outside;
        // What comes first belongs to the statement that calls.
        if matches!(block.exprs.first().map(|it| &it.kind), Some(ExprKind::Yield)) {
            block.exprs.remove(0);
        }
        block
    }

    /// `atomic { body }`, `await(condition) { body }`.
    pub(super) fn together(
        &mut self,
        condition: Option<&'p SourceExpr>,
        body: &'p ast::Block,
        span: Span,
    ) -> Expr {
        let outside = std::mem::replace(&mut self.is_atomic, true);
        let mut exprs = Vec::new();
        if let Some(condition) = condition {
            let condition = self.value(condition);
            exprs.push(node(ExprKind::Assume(Box::new(condition)), span));
        }
        exprs.extend(self.block(body, &Goal::Nothing).exprs);
        self.is_atomic = outside;
        sequence(exprs, span)
    }

    /// The body of a process: its actions, and its end.
    pub(super) fn process_body(
        &mut self,
        handler: Handler<'p>,
        parameters: &[core::Parameter],
    ) -> Block {
        self.parameters = parameters.iter().map(|it| it.name.text.clone()).collect();
        let name = handler.name.text.as_str();
        self.instances = self.endings.get(name).cloned().unwrap_or_default();
        (self.is_statement, self.is_atomic) = (true, false);
        let mut body = self.block(handler.body, &Goal::Nothing);
        self.is_statement = false;
        let goes_on = separate(&mut body, self.checker.sink);
        let span = handler.body.span;
        let end = Span::empty(span.end.saturating_sub(1).max(span.start));
        if goes_on {
            body.exprs.extend(self.ended(end));
        }
        // Whatever came last: a process has no response.
        body.exprs.push(number(0, end));
        body
    }

    // The end of processes.

    /// The hidden variables that say whether processes have ended.
    pub(super) fn endings(&mut self, tree: &'p Program) -> Vec<Global> {
        let mut globals = Vec::new();
        for (process, locals) in tree.processes.iter().zip(&self.typed.handlers) {
            let name = process.name.text.as_str();
            if !self.typed.asked.contains(name) {
                continue;
            }
            let parameter = |parameter: &ast::Parameter| {
                let layout = locals.get(parameter.name.text.as_str())?.layout.clone()?;
                let (low, high) = self.typed.types.values(&layout)?;
                let (name, shape) = (parameter.name.clone(), self.shape(&layout));
                Some(core::Parameter { name, low, high, open: false, shape, span: parameter.span })
            };
            let parameters: Vec<_> = process.parameters.iter().filter_map(parameter).collect();
            let request = Request {
                name: process.name.clone(),
                parameters,
                locals: Default::default(),
                body: Block::default(),
                span: process.span,
            };
            let all = combinations(&request.parameters).into_iter();
            let all: Vec<(String, Vec<i64>)> =
                all.map(|values| (format!("Done {}", request.label(&values)), values)).collect();
            for (done, _) in &all {
                self.ranges.insert(done.clone(), (0, 1));
                let name = Name { text: done.clone(), span: process.name.span };
                globals.push(self.global(name, 0, &Layout::Bool, process.name.span));
            }
            self.endings.insert(name, all);
        }
        globals
    }

    /// What a process does at its end, so that everybody sees it.
    pub(super) fn ended(&mut self, span: Span) -> Vec<Expr> {
        let set = |(done, values): &(String, Vec<i64>)| {
            let set = assign(done, number(1, span), span);
            let same = self.parameters.iter().zip(values).map(|(name, value)| {
                binary(BinaryOp::Equal, read(name, span), number(*value, span), span)
            });
            let same: Vec<Expr> = same.collect();
            match same.is_empty() {
                true => set,
                false => either(super::all(same, span), vec![set], Vec::new(), span),
            }
        };
        self.instances.iter().map(set).collect()
    }

    /// `done`, `done(process)`, `done(process(values))`.
    pub(super) fn done(&mut self, arguments: &'p [Argument], span: Span) -> Expr {
        let of = arguments.first().map(|it| &it.value.kind);
        let (name, wanted) = match of {
            Some(Source::Read(name)) => (Some(name.text.as_str()), None),
            Some(Source::Call(name, values)) => {
                let values = values.iter().map(|it| self.checker.value(&it.value).unwrap_or(0));
                let values: Vec<i64> = values.collect();
                (Some(name.text.as_str()), Some(values))
            }
            _ => (None, None),
        };
        if let (Some(name), Some(wanted)) = (name, wanted) {
            // They are in the order of their values.
            let all = self.endings.get(name).map_or(&[][..], Vec::as_slice);
            let found = all.binary_search_by(|(_, values)| values.cmp(&wanted)).ok();
            return found.map_or(number(1, span), |at| read(&all[at].0, span));
        }
        let endings = std::mem::take(&mut self.endings);
        let of = endings.iter().filter(|(process, _)| name.is_none_or(|name| name == **process));
        let mut conditions = Vec::new();
        for (done, _) in of.flat_map(|(_, all)| all) {
            if !self.count(span) {
                break;
            }
            conditions.push(read(done, span));
        }
        self.endings = endings;
        super::all(conditions, span)
    }

    // Data.

    /// A number that wraps around.
    pub(super) fn wrapped(&mut self, bits: u32, value: Expr, span: Span) -> Expr {
        let size = 1_i64 << bits;
        let fits = |(low, high): (i128, i128)| 0 <= low && high < i128::from(size);
        match self.interval(&value).is_some_and(fits) {
            true => value,
            false => binary(BinaryOp::Remainder, value, number(size, span), span),
        }
    }

    /// Warns about a value that never fits, so that storing it never happens.
    pub(super) fn never_fits(
        &mut self,
        name: &str,
        known: Option<(i128, i128)>,
        (low, high): (i64, i64),
        span: Span,
    ) {
        let Some((first, last)) = known else { return };
        if first <= i128::from(high) && i128::from(low) <= last {
            return;
        }
        let (message, label) = match first == last {
            true => {
                let message = format!("{first} is not one of the values of `{name}`");
                (message, format!("not in {low}..{high}"))
            }
            false => (
                format!("this is never one of the values of `{name}`"),
                format!("from {first} to {last}, and never in {low}..{high}"),
            ),
        };
        Diagnostic::warning("assignment-out-of-range", message, span)
            .with_label(label)
            .with_help(format!("it can have the values {low} to {high}; this step never happens"))
            .report(self.checker);
    }

    // Queues.

    /// The capacity of a queue, and the layout of its items.
    fn queue(&self, name: &Name) -> Option<(i64, Layout)> {
        match self.typed.globals.get(name.text.as_str())?.layout.as_ref()? {
            Layout::Queue(capacity, items) => Some((*capacity, (**items).clone())),
            _ => None,
        }
    }

    /// `len(queue)`.
    pub(super) fn queue_length(&mut self, arguments: &'p [Argument], span: Span) -> Expr {
        match arguments.first().map(|it| &it.value.kind) {
            Some(Source::Read(queue)) => read(&length(&queue.text), span),
            _ => number(0, span),
        }
    }

    /// `send value to queue`: not while the queue is full.
    pub(super) fn send(&mut self, value: &'p SourceExpr, to: &'p SourceExpr, span: Span) -> Expr {
        let Source::Read(queue) = &to.kind else { return number(0, span) };
        let Some((capacity, items)) = self.queue(queue) else { return number(0, span) };
        let length = length(&queue.text);
        let has_room = binary(BinaryOp::Less, read(&length, span), number(capacity, span), span);
        let mut exprs = vec![node(ExprKind::Assume(Box::new(has_room)), span)];
        let parts = self.parts_of(value, &mut exprs);
        let layouts = self.parts("", &items);
        let mut kept = Vec::new();
        for ((_, part), value) in layouts.iter().zip(parts) {
            let value = self.fitting(part, value, &queue.text, &mut exprs, span);
            kept.extend(match capacity == 1 && layouts.len() == 1 {
                true => vec![value],
                false => self.kept(vec![value], &mut exprs, span),
            });
        }
        for slot in 0..capacity {
            let names = self.parts(&format!("{}.{slot}", queue.text), &items);
            if !self.count(span) {
                break;
            }
            let put = names.iter().zip(&kept).map(|((name, _), it)| assign(name, it.clone(), span));
            let mut put: Vec<Expr> = put.collect();
            if capacity > 1 {
                let here = binary(BinaryOp::Equal, read(&length, span), number(slot, span), span);
                put = vec![either(here, put, Vec::new(), span)];
            }
            exprs.extend(put);
        }
        let more = binary(BinaryOp::Add, read(&length, span), number(1, span), span);
        exprs.push(assign(&length, more, span));
        sequence(exprs, span)
    }

    /// `recv queue`: not while the queue is empty; everything moves up. Gives the parts of the
    /// item.
    pub(super) fn receive(
        &mut self,
        queue: &'p Name,
        exprs: &mut Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        let Some((capacity, items)) = self.queue(queue) else { return Vec::new() };
        let length = length(&queue.text);
        let has_some = binary(BinaryOp::Greater, read(&length, span), number(0, span), span);
        exprs.push(node(ExprKind::Assume(Box::new(has_some)), span));
        let slot = |it: &Self, at: i64| it.parts(&format!("{}.{at}", queue.text), &items);
        let first = slot(self, 0);
        let mut kept = Vec::new();
        for (name, part) in &first {
            let to = self.fresh();
            self.declare(&to, part);
            exprs.push(assign(&to, read(name, span), span));
            kept.push(read(&to, span));
        }
        let mut here = first;
        for at in 1..capacity {
            let next = slot(self, at);
            if !self.count(span) {
                break;
            }
            for ((to, _), (from, _)) in here.iter().zip(&next) {
                exprs.push(assign(to, read(from, span), span));
            }
            here = next;
        }
        let mut rest = Vec::new();
        self.rest(&items, &mut rest);
        for ((name, _), value) in here.iter().zip(rest) {
            exprs.push(assign(name, number(value, span), span));
        }
        let less = binary(BinaryOp::Subtract, read(&length, span), number(1, span), span);
        exprs.push(assign(&length, less, span));
        kept
    }

    // Locks.

    /// `lock L`.
    pub(super) fn acquire(&mut self, lock: &'p SourceExpr, span: Span) -> Expr {
        let mut exprs = Vec::new();
        let path = self.path(lock, true, &mut exprs);
        let held = self.get(&path, span);
        exprs.push(free(held, span));
        exprs.push(self.set(&path, number(1, span), span));
        sequence(exprs, span)
    }

    /// `unlock L`, which somebody holds.
    pub(super) fn release(&mut self, lock: &'p SourceExpr, span: Span) -> Expr {
        let mut exprs = Vec::new();
        let path = self.path(lock, true, &mut exprs);
        let held = self.get(&path, span);
        let fault = Fault::Unlock { lock: super::outermost(&path) };
        let fail = self.fail(fault, span);
        exprs.push(either(held, vec![number(0, span)], vec![fail], span));
        exprs.push(self.set(&path, number(0, span), span));
        sequence(exprs, span)
    }
}
