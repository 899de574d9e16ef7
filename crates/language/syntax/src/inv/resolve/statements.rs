//! What threads do. Every statement gets its location here, also one that is wrong, so that names
//! of places mean the same whatever else is wrong.

use super::actions::Target;
use super::expressions::is_value;
use super::types::{Values, describe};
use super::{Context, PlaceInfo, Resolver, Thing};
use crate::ast::{self, Argument, Block, Else, ExprKind as Source, Name};
use crate::inv::ast::{
    Action, Expr, ExprKind, LocId, Location, ProcId, Step, Stmt, StmtKind, Type,
};
use crate::inv::symbols::{Label, Symbol};
use crate::report::{Messages as _, count_of, error};
use ser_base::Span;

/// Whether one can come to the end of these statements.
pub(super) fn falls_through(statements: &[Stmt]) -> bool {
    statements.last().is_none_or(|last| match &last.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => false,
        StmtKind::While { forever, body, .. } => !forever || breaks(body),
        StmtKind::If { then, otherwise, .. } => falls_through(then) || falls_through(otherwise),
        StmtKind::Choice(branches) => branches.iter().any(|branch| falls_through(branch)),
        StmtKind::Match(cases) => cases.iter().any(|(_, case)| falls_through(case)),
        StmtKind::Step(_) | StmtKind::Call { .. } => true,
    })
}

/// Whether the loop with this body can be left by `break`.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        StmtKind::Choice(branches) => branches.iter().any(|branch| breaks(branch)),
        StmtKind::Match(cases) => cases.iter().any(|(_, case)| breaks(case)),
        _ => false,
    })
}

/// What is written around a statement.
#[derive(Clone, Copy)]
pub(super) struct Around<'f, 'a> {
    /// `take:` before it.
    pub(super) name: Option<&'f Name>,
    /// `ghost { ... }` behind it.
    pub(super) ghosts: &'a [&'f Block],
    /// Whether a value here is what the function gives.
    pub(super) tail: bool,
}

/// `x := p(a, b)`: the target with its place, the procedure, the arguments.
type Called<'f> = (Option<(&'f ast::Expr, &'f Source)>, &'f Name, &'f [Argument]);

impl<'f> Resolver<'f, '_> {
    /// All bodies, in the order of the procedures.
    pub(super) fn bodies(&mut self) {
        for number in 0..self.procedures.len() {
            self.body(ProcId(number as u32));
        }
    }

    fn body(&mut self, id: ProcId) {
        let first = self.system.locations.len() as u32;
        let (item, result) = (self.procedures[id.index()].item, self.procedures[id.index()].result);
        self.context = Context::Statement(id);
        let locals = item.body.exprs.iter().take_while(|it| matches!(it.kind, Source::Var(_)));
        let statements = item.body.exprs.get(locals.count()..).unwrap_or_default();
        let mut body = Vec::new();
        self.block(statements, result.is_some(), &mut body);
        if !matches!(body.last(), Some(Stmt { kind: StmtKind::Return(_), .. })) {
            let close = self.close(item.body);
            if let Some((Values { ty, .. }, span)) = result
                && falls_through(&body)
            {
                let message = format!("{} can end without a result", item.name);
                error(
                    "missing-return",
                    message,
                    close,
                    "expected `return` and a value before this",
                )
                .with_secondary(span, format!("the result is {}", describe(ty)))
                .report(self);
            }
            let location = self.location(None, close);
            body.push(Stmt { location, kind: StmtKind::Return(None), ghost: Vec::new() });
        }
        let info = &mut self.procedures[id.index()];
        (info.first, info.end) = (first, self.system.locations.len() as u32);
        self.system.procedures[id.index()].body = body;
    }

    /// The closing brace of a block.
    pub(super) fn close(&self, block: &Block) -> Span {
        let brace = Span::new(block.span.end.saturating_sub(1), block.span.end);
        match self.text.get(brace.range()) {
            Some("}") => brace,
            _ => Span::empty(block.span.end),
        }
    }

    /// A new location.
    pub(super) fn location(&mut self, name: Option<&'f Name>, span: Span) -> LocId {
        let id = LocId(self.system.locations.len() as u32);
        let procedure = self.here();
        self.system.locations.push(Location { name: name.cloned(), procedure, span });
        if let Some(name) = name {
            let symbol = Symbol::Statement(id);
            self.occurs(name.span, symbol, true);
            self.declare_place(procedure, name, id, id, symbol);
        }
        id
    }

    fn declare_place(
        &mut self,
        procedure: ProcId,
        name: &'f Name,
        first: LocId,
        last: LocId,
        symbol: Symbol,
    ) {
        if let Some((Thing::Procedure(_), declared)) = self.thing(&name.text) {
            self.name_clash(name, declared);
            return;
        }
        let Some(info) = self.procedures.get_mut(procedure.0 as usize) else { return };
        match info.places.get(name.text.as_str()) {
            None => {
                let place = PlaceInfo { first, last, symbol, declared: name.span };
                info.places.insert(&name.text, place);
                self.places.entry(&name.text).or_default().push((procedure, place));
            }
            Some(earlier) => {
                let declared = earlier.declared;
                // Labels get their place when they end: what stands inside comes first.
                let (second, first) = match declared.start < name.span.start {
                    true => (name.span, declared),
                    false => (declared, name.span),
                };
                self.name_clash(&Name { text: name.text.clone(), span: second }, first);
            }
        }
    }

    /// The procedure whose statements these are.
    fn here(&self) -> ProcId {
        match self.context {
            Context::Statement(id) => id,
            _ => ProcId(0),
        }
    }

    pub(super) fn block(&mut self, exprs: &'f [ast::Expr], tail: bool, done: &mut Vec<Stmt>) {
        for (place, expr) in exprs.iter().enumerate() {
            let tail = tail && place + 1 == exprs.len();
            self.statement(expr, Around { name: None, ghosts: &[], tail }, done);
        }
    }

    pub(super) fn nested(&mut self, exprs: &'f [ast::Expr], tail: bool) -> Vec<Stmt> {
        let mut done = Vec::new();
        self.block(exprs, tail, &mut done);
        done
    }

    /// The body of a loop.
    fn round(&mut self, body: &'f Block) -> Vec<Stmt> {
        self.loops.push(self.held.len());
        let done = self.nested(&body.exprs, false);
        self.loops.pop();
        done
    }

    /// `ghost { ... }` behind a statement.
    pub(super) fn ghosts(&mut self, blocks: &[&'f Block]) -> Vec<Action> {
        blocks.iter().flat_map(|block| self.actions(block, true)).collect()
    }

    fn unreachable(&mut self, span: Span, done: &[Stmt]) {
        let Some(last) = done.last() else { return };
        let before = self.system.locations[last.location.index()].span;
        let why = match last.kind {
            StmtKind::Return(_) => "it ends here",
            StmtKind::Break | StmtKind::Continue => "it goes on elsewhere from here",
            StmtKind::While { .. } => "this goes on forever",
            _ => "all branches end here",
        };
        error("unreachable", "no thread ever comes here", span, "never done")
            .with_secondary(before, why)
            .with_help("leave it out, or move it")
            .report(self);
    }

    /// `crit: { ... }`: a name for the locations inside, and nothing else.
    pub(super) fn label(&mut self, name: &'f Name, inside: impl FnOnce(&mut Self)) {
        let first = LocId(self.system.locations.len() as u32);
        let number = self.labels.len();
        let (procedure, symbol) = (self.here(), Symbol::Label(number as u32));
        self.occurs(name.span, symbol, true);
        self.labels.push(Label { name: name.clone(), procedure, first, last: first });
        inside(self);
        let end = self.system.locations.len() as u32;
        if end == first.0 {
            let message = format!("there is nothing in the place {name}");
            error("empty-label", message, name.span, "names no place")
                .with_help("such a name is for the statements in its braces")
                .report(self);
            return;
        }
        let last = LocId(end - 1);
        self.labels[number].last = last;
        self.declare_place(procedure, name, first, last, symbol);
    }

    fn statement(&mut self, expr: &'f ast::Expr, around: Around<'f, '_>, done: &mut Vec<Stmt>) {
        let alone = around.name.is_none() && around.ghosts.is_empty();
        match &expr.kind {
            Source::Named(name, inside) if alone => {
                self.not_reserved(name);
                match &inside.kind {
                    Source::Block(block) => {
                        self.label(name, |own| own.block(&block.exprs, around.tail, done));
                    }
                    _ => self.statement(inside, Around { name: Some(name), ..around }, done),
                }
            }
            Source::Var(variable) => {
                let message = "variables of a thread are declared before the first statement";
                error("late-local", message, variable.span, "unexpected declaration here")
                    .with_help("move it to the start of the body")
                    .report(self.form);
                self.holes = true;
            }
            Source::Ghost(inside, block) => {
                let ghosts = [&[block], around.ghosts].concat();
                self.statement(inside, Around { ghosts: &ghosts, ..around }, done);
            }
            Source::If(condition, ..) | Source::While(condition, _) => {
                match &condition.kind {
                    Source::Ghost(_, block) => {
                        let ghosts = [&[block], around.ghosts].concat();
                        self.located(expr, Around { ghosts: &ghosts, ..around }, done);
                    }
                    _ => self.located(expr, around, done),
                };
            }
            _ => self.located(expr, around, done),
        }
    }

    /// A statement with a location.
    fn located(&mut self, expr: &'f ast::Expr, around: Around<'f, '_>, done: &mut Vec<Stmt>) {
        let (start, tail) = (expr.span.start, around.tail);
        let word = |length: u32| Span::new(start, start + length);
        let span = match &expr.kind {
            Source::If(head, ..) | Source::While(head, _) => {
                let head = if let Source::Ghost(head, _) = &head.kind { head } else { head };
                Span::new(start, head.span.end)
            }
            Source::With(head, _) | Source::Match(head, _) => Span::new(start, head.span.end),
            Source::Loop(_) => word(4),
            Source::Either(_) => word(6),
            _ => expr.span,
        };
        if !falls_through(done) {
            self.unreachable(span, done);
        }
        match &expr.kind {
            Source::With(lock, body) => return self.with(lock, body, span, around, done),
            Source::Match(value, arms) => {
                return self.match_statement((expr, value, arms), span, around, done);
            }
            // Ending the thread is no step, in which something could be given back.
            Source::Return(_) if self.here() == ProcId(0) && !self.held.is_empty() => {
                let message = "a thread does not end while it has a lock";
                error("return-with-lock", message, span, "inside of `with`")
                    .with_help("put `return` behind the block of `with`")
                    .report(self);
            }
            _ => {}
        }
        let location = self.location(around.name, span);
        let mut ghost = Vec::new();
        let kind = match &expr.kind {
            Source::If(condition, then, otherwise) => {
                let condition = self.test(condition, "if");
                let then = self.nested(&then.exprs, tail && otherwise.is_some());
                let otherwise = match otherwise {
                    None => Vec::new(),
                    Some(Else::Block(block)) => self.nested(&block.exprs, tail),
                    Some(Else::If(another)) => {
                        let mut done = Vec::new();
                        let around = Around { name: None, ghosts: &[], tail };
                        self.statement(another, around, &mut done);
                        done
                    }
                };
                condition.map(|condition| StmtKind::If { condition, then, otherwise })
            }
            Source::While(condition, body) => {
                let condition = self.test(condition, "while");
                let body = self.round(body);
                condition.map(|condition| StmtKind::While { condition, body, forever: false })
            }
            Source::Loop(body) => {
                let condition = Expr { span, ty: Type::Bool, kind: ExprKind::Bool(true) };
                Some(StmtKind::While { condition, body: self.round(body), forever: true })
            }
            Source::Either(branches) => {
                if branches.len() < 2 {
                    let message = "a choice has at least two branches";
                    error("single-choice", message, span, "expected `or { ... }` behind this")
                        .with_help("to do it or nothing, write `choose { ... } or { skip }`")
                        .report(self.form);
                }
                let branches = branches.iter().map(|it| self.nested(&it.exprs, tail)).collect();
                Some(StmtKind::Choice(branches))
            }
            Source::Break | Source::Continue => {
                let Some(outside) = self.loops.last().copied() else {
                    let what = expr.kind.described();
                    let message = format!("{what} stands outside of a loop");
                    error("outside-loop", message, span, "there is no loop around this")
                        .with_help("`return` leaves a function, or ends a thread")
                        .report(self);
                    return;
                };
                ghost = self.give_back(outside, span);
                let is_break = matches!(expr.kind, Source::Break);
                Some(if is_break { StmtKind::Break } else { StmtKind::Continue })
            }
            Source::Return(value) => {
                let value = self.result(value.as_deref(), span);
                ghost = self.give_back(0, span);
                Some(StmtKind::Return(value))
            }
            Source::Atomic(block) => Some(StmtKind::Step(Step::Atomic(self.actions(block, false)))),
            _ => match self.called_by(expr) {
                Some((target, name, arguments)) => self.call(target, name, arguments),
                None if tail && is_value(expr) => {
                    let value = self.result(Some(expr), span);
                    ghost = self.give_back(0, span);
                    Some(StmtKind::Return(value))
                }
                None => Some(StmtKind::Step(self.step(expr))),
            },
        };
        ghost.extend(self.ghosts(around.ghosts));
        let kind = kind.unwrap_or(StmtKind::Step(Step::Skip));
        done.push(Stmt { location, kind, ghost });
    }

    /// A statement that is one action, or an `await` with more behind it.
    fn step(&mut self, expr: &'f ast::Expr) -> Step {
        let mut actions = Vec::new();
        self.action(expr, false, &mut actions);
        let is_one = match &expr.kind {
            Source::Await(_, block) => block.exprs.is_empty(),
            _ => true,
        };
        match actions.pop() {
            None => Step::Skip,
            Some(only) if is_one => Step::Action(only),
            Some(last) => {
                actions.push(last);
                Step::Atomic(actions)
            }
        }
    }

    /// The condition of an `if` or `while`.
    fn test(&mut self, condition: &'f ast::Expr, after: &str) -> Option<Expr> {
        match &condition.kind {
            Source::Ghost(condition, _) => self.guard(condition),
            Source::Coin => {
                let message = format!("`{after}` needs a condition");
                error("star-condition", message, condition.span, "expected a condition")
                    .with_help("if either may happen, write `choose { ... } or { ... }`")
                    .none(self.form)
            }
            _ => self.guard(condition),
        }
    }

    /// The condition of an `if`, `while` or `await`.
    pub(super) fn guard(&mut self, condition: &'f ast::Expr) -> Option<Expr> {
        let condition = self.expect(condition, Type::Bool)?;
        self.without_ghosts(&condition, "a condition");
        Some(condition)
    }

    /// What is called in a statement.
    pub(super) fn called_by(&self, expr: &'f ast::Expr) -> Option<Called<'f>> {
        let called = |value: &'f ast::Expr| match &value.kind {
            Source::Call(name, arguments) if self.is_procedure(name) => Some((name, &**arguments)),
            _ => None,
        };
        let (target, (name, arguments)) = match &expr.kind {
            Source::Assign(_, value) | Source::Store(_, value) => {
                (Some((expr, &expr.kind)), called(value)?)
            }
            _ => (None, called(expr)?),
        };
        Some((target, name, arguments))
    }

    /// Whether this is the name of something that is called in a step of its own.
    fn is_procedure(&self, name: &Name) -> bool {
        self.tree.functions.iter().any(|it| !it.is_shorthand && it.name.text == name.text)
    }

    /// `x := p(a, b)`.
    fn call(
        &mut self,
        target: Option<(&'f ast::Expr, &'f Source)>,
        name: &'f Name,
        arguments: &'f [Argument],
    ) -> Option<StmtKind> {
        let target: Option<(Span, Option<Target>)> = target.map(|(_, kind)| match kind {
            Source::Assign(name, _) => (name.span, self.assigned_name(name)),
            Source::Store(target, _) => (target.span, self.place(target)),
            _ => (name.span, None),
        });
        let arguments: Vec<&'f ast::Expr> = self.values_of_arguments(arguments).collect();
        let Some(procedure) = self.procedure_named(name) else {
            return self.skip_arguments(&arguments);
        };
        let info = self.procedures.get(procedure.index())?;
        let (declared, result) = (info.item.name.span, info.result);
        let parameters = self.system.procedures.get(procedure.index())?.parameters.clone();
        if parameters.len() != arguments.len() {
            let (wanted, found) = (count_of(parameters.len(), "argument"), arguments.len());
            name.wrong("wrong-number-of-arguments", format!("takes {wanted}, found {found}"))
                .with_label(format!("called with {found}"))
                .declared(declared)
                .report(self);
            return self.skip_arguments(&arguments);
        }
        let mut checked = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(parameters) {
            let parameter = &self.system.locals[parameter.index()];
            let (ty, enumeration) = (parameter.ty, parameter.enumeration);
            let argument = self.expect(argument, ty).and_then(|argument| {
                self.is_from(&argument, enumeration)?;
                self.without_ghosts(&argument, "an argument of a call");
                Some(argument)
            });
            checked.push(argument);
        }
        let target = match target {
            None => None,
            Some((span, target)) => {
                let Some((result, _)) = result else {
                    return name
                        .error("no-result", "has no result", "nothing to assign")
                        .declared(declared)
                        .with_help("give it one: `fn p(): int { ...; return 1 }`")
                        .none(self);
                };
                let target = target?;
                let wanted = self.described(target.ty, target.enumeration);
                let what = format!("to be assigned to this, {wanted}");
                if target.ty != result.ty {
                    let diagnostic = self.mismatch(target.ty, result.ty, name.span);
                    return diagnostic.with_secondary(span, what).none(self);
                }
                if target.enumeration != result.enumeration {
                    let is = self.described(result.ty, result.enumeration);
                    let message = format!("expected {wanted}, found {is}");
                    return error("type-mismatch", message, name.span, format!("this is {is}"))
                        .with_secondary(span, what)
                        .none(self);
                }
                Some(target.place)
            }
        };
        let arguments = checked.into_iter().collect::<Option<Vec<Expr>>>()?;
        Some(StmtKind::Call { target, procedure, arguments })
    }

    /// Says what is wrong with arguments that belong to nothing.
    fn skip_arguments<T>(&mut self, arguments: &[&'f ast::Expr]) -> Option<T> {
        for argument in arguments {
            self.expr(argument, None);
        }
        None
    }

    fn procedure_named(&mut self, name: &'f Name) -> Option<ProcId> {
        let (thing, declared) = self.thing(&name.text)?;
        if let Thing::Procedure(id) = thing {
            self.occurs(name.span, Symbol::Procedure(id), false);
            return Some(id);
        }
        name.error("not-a-procedure", "is not a procedure", "cannot be called")
            .declared(declared)
            .none(self)
    }

    /// What stands behind `return`.
    fn result(&mut self, value: Option<&'f ast::Expr>, span: Span) -> Option<Expr> {
        let info = self.procedures.get(self.here().index())?;
        let (item, result) = (info.item, info.result);
        match (result, value) {
            (Some((Values { ty, enumeration, .. }, _)), Some(value)) => {
                let value = self.expect(value, ty)?;
                self.is_from(&value, enumeration)?;
                self.without_ghosts(&value, "the result of a procedure");
                Some(value)
            }
            (Some((Values { ty, .. }, declared)), None) => {
                let message = format!("expected {} behind `return`", describe(ty));
                error("missing-result", message, span, "there is no value")
                    .with_secondary(declared, "the type of the result")
                    .none(self)
            }
            (None, Some(value)) => {
                self.expr(value, None);
                let (message, help) = match item.is_thread {
                    true => ("a thread has no result".to_owned(), "`return` ends it".to_owned()),
                    false => (
                        format!("the procedure {} has no result", item.name),
                        format!("declare its type: `fn {}(...): int {{ ... }}`", item.name.text),
                    ),
                };
                error("unexpected-result", message, value.span, "unexpected value")
                    .declared(item.name.span)
                    .with_help(help)
                    .none(self)
            }
            (None, None) => None,
        }
    }
}
