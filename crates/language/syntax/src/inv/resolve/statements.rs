//! What threads do. Every statement gets its location here, also one that is wrong, so that names
//! of places mean the same whatever else is wrong.

use super::types::describe;
use super::{Context, PlaceInfo, Resolver, Thing};
use crate::ast::Name;
use crate::inv::ast::{Expr, ExprKind, LocId, Location, ProcId, Step, Stmt, StmtKind, Type};
use crate::inv::symbols::{Label, Symbol};
use crate::inv::syntax::Written;
use crate::inv::syntax::{self, Block};
use crate::report::{Messages as _, count_of, error};
use ser_base::{Diagnostic, Span};

/// Whether one can come to the end of these statements.
fn falls_through(statements: &[Stmt]) -> bool {
    statements.last().is_none_or(|last| match &last.kind {
        StmtKind::Return(_) => false,
        StmtKind::While { forever, .. } => !forever,
        StmtKind::If { then, otherwise, .. } => falls_through(then) || falls_through(otherwise),
        StmtKind::Choice(branches) => branches.iter().any(|branch| falls_through(branch)),
        StmtKind::Step(_) | StmtKind::Call { .. } => true,
    })
}

impl<'f> Resolver<'f, '_> {
    /// All bodies, in the order of the procedures.
    pub(super) fn bodies(&mut self) {
        for number in 0..self.procedures.len() {
            self.body(ProcId(number as u32));
        }
    }

    fn body(&mut self, id: ProcId) {
        let Some(info) = self.procedures.get_mut(id.0 as usize) else { return };
        info.first = self.system.locations.len() as u32;
        let item = info.item;
        self.context = Context::Statement(id);
        let mut body = Vec::new();
        self.block(&item.body, &mut body);
        if !matches!(body.last(), Some(Stmt { kind: StmtKind::Return(_), .. })) {
            if let Some((result, span)) = item.result
                && falls_through(&body)
            {
                let message = format!("`{}` can end without a result", item.name.text);
                Diagnostic::error("missing-return", message, item.body.close)
                    .with_label("expected `return` and a value before this")
                    .with_secondary(span, format!("the result is {}", describe(result)))
                    .report(self);
            }
            let location = self.location(None, item.body.close, id);
            body.push(Stmt { location, kind: StmtKind::Return(None), ghost: Vec::new() });
        }
        let end = self.system.locations.len() as u32;
        if let Some(info) = self.procedures.get_mut(id.0 as usize) {
            info.end = end;
        }
        if let Some(procedure) = self.system.procedures.get_mut(id.0 as usize) {
            procedure.body = body;
        }
    }

    /// A new location.
    fn location(&mut self, name: Option<&'f Name>, span: Span, procedure: ProcId) -> LocId {
        let id = LocId(self.system.locations.len() as u32);
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

    fn block(&mut self, block: &'f Block<'f>, done: &mut Vec<Stmt>) {
        for statement in &block.statements {
            match &statement.kind {
                syntax::StmtKind::Label(name, body) => self.label(name, body, done),
                _ => {
                    if !done.is_empty() && !falls_through(done) {
                        self.unreachable(statement.span, done);
                    }
                    let statement = self.statement(statement);
                    done.push(statement);
                }
            }
        }
    }

    fn unreachable(&mut self, span: Span, done: &[Stmt]) {
        let Some(last) = done.last() else { return };
        let before = self.system.locations[last.location.index()].span;
        let why = match last.kind {
            StmtKind::Return(_) => "it ends here",
            StmtKind::While { .. } => "this goes on forever",
            _ => "all branches end here",
        };
        error("unreachable", "no thread ever comes here", span, "never done")
            .with_secondary(before, why)
            .with_help("leave it out, or move it")
            .report(self);
    }

    /// `crit: { ... }`: a name for the locations inside, and nothing else.
    fn label(&mut self, name: &'f Name, body: &'f Block<'f>, done: &mut Vec<Stmt>) {
        let first = self.system.locations.len() as u32;
        let number = self.labels.len() as u32;
        let procedure = self.here();
        let symbol = Symbol::Label(number);
        self.occurs(name.span, symbol, true);
        let label =
            Label { name: name.clone(), procedure, first: LocId(first), last: LocId(first) };
        self.labels.push(label);
        self.block(body, done);
        let end = self.system.locations.len() as u32;
        if end == first {
            let message = format!("there is nothing in the place `{}`", name.text);
            error("empty-label", message, name.span, "names no place")
                .with_help("such a name is for the statements in its braces")
                .report(self);
            return;
        }
        let (first, last) = (LocId(first), LocId(end - 1));
        self.labels[number as usize].last = last;
        self.declare_place(procedure, name, first, last, symbol);
    }

    fn nested(&mut self, block: &'f Block<'f>) -> Vec<Stmt> {
        let mut done = Vec::new();
        self.block(block, &mut done);
        done
    }

    fn statement(&mut self, statement: &'f syntax::Stmt<'f>) -> Stmt {
        let procedure = self.here();
        let location = self.location(statement.name, statement.span, procedure);
        let kind = match &statement.kind {
            // Flattened before; harmless here.
            syntax::StmtKind::Label(_, _) => None,
            syntax::StmtKind::Action(action) => match action.kind {
                syntax::ActionKind::Skip => Some(StmtKind::Step(Step::Skip)),
                _ => self.action(action, false).map(|it| StmtKind::Step(Step::Action(it))),
            },
            syntax::StmtKind::Atomic(actions) => {
                Some(StmtKind::Step(Step::Atomic(self.actions(actions, false))))
            }
            syntax::StmtKind::Call { target, procedure, arguments } => {
                self.call(target.as_ref(), procedure, arguments)
            }
            syntax::StmtKind::Return(value) => {
                let value = self.result(value.as_ref(), statement.span);
                Some(StmtKind::Return(value))
            }
            syntax::StmtKind::If { condition, then, otherwise } => {
                let condition = self.guard(condition);
                let then = self.nested(then);
                let otherwise = otherwise.as_ref().map_or(Vec::new(), |block| self.nested(block));
                condition.map(|condition| StmtKind::If { condition, then, otherwise })
            }
            syntax::StmtKind::While { condition, body } => {
                let condition = self.guard(condition);
                let body = self.nested(body);
                condition.map(|condition| StmtKind::While { condition, body, forever: false })
            }
            syntax::StmtKind::Loop(body) => {
                let body = self.nested(body);
                let condition =
                    Expr { span: statement.span, ty: Type::Bool, kind: ExprKind::Bool(true) };
                Some(StmtKind::While { condition, body, forever: true })
            }
            syntax::StmtKind::Choice(branches) => {
                let branches = branches.iter().map(|branch| self.nested(branch));
                Some(StmtKind::Choice(branches.collect()))
            }
        };
        let ghost = self.actions(&statement.ghost, true);
        Stmt { location, kind: kind.unwrap_or(StmtKind::Step(Step::Skip)), ghost }
    }

    /// The condition of an `if`, `while` or `await`.
    pub(super) fn guard(&mut self, condition: &'f Written<'f>) -> Option<Expr> {
        let condition = self.expect(condition, Type::Bool)?;
        self.without_ghosts(&condition, "a condition");
        Some(condition)
    }

    /// `x := p(a, b)`.
    fn call(
        &mut self,
        target: Option<&'f Written<'f>>,
        name: &'f Name,
        arguments: &'f [Written<'f>],
    ) -> Option<StmtKind> {
        let target = target.map(|target| (target.span, self.place(target)));
        let Some(procedure) = self.procedure_named(name) else {
            return self.skip_arguments(arguments);
        };
        let item = self.procedures.get(procedure.0 as usize)?.item;
        if item.parameters.len() != arguments.len() {
            let (wanted, found) = (count_of(item.parameters.len(), "argument"), arguments.len());
            name.wrong("wrong-number-of-arguments", format!("takes {wanted}, found {found}"))
                .with_label(format!("called with {found}"))
                .declared(item.name.span)
                .report(self);
            return self.skip_arguments(arguments);
        }
        let checked: Vec<Option<Expr>> = arguments
            .iter()
            .zip(&item.parameters)
            .map(|(argument, (_, ty))| {
                let argument = self.expect(argument, *ty)?;
                self.without_ghosts(&argument, "an argument of a call");
                Some(argument)
            })
            .collect();
        let target = match target {
            None => None,
            Some((span, target)) => {
                let Some((result, _)) = item.result else {
                    return name
                        .error("no-result", "has no result", "nothing to assign")
                        .declared(item.name.span)
                        .with_help("give it one: `fn p(): int { ...; return 1 }`")
                        .none(self);
                };
                let target = target?;
                if target.ty != result {
                    let what = format!("to be assigned to this, {}", describe(target.ty));
                    let diagnostic = self.mismatch(target.ty, result, name.span);
                    return diagnostic.with_secondary(span, what).none(self);
                }
                Some(target.place)
            }
        };
        let arguments = checked.into_iter().collect::<Option<Vec<Expr>>>()?;
        Some(StmtKind::Call { target, procedure, arguments })
    }

    /// Says what is wrong with arguments that belong to nothing.
    fn skip_arguments<T>(&mut self, arguments: &'f [Written<'f>]) -> Option<T> {
        for argument in arguments {
            self.expr(argument, None);
        }
        None
    }

    fn procedure_named(&mut self, name: &'f Name) -> Option<ProcId> {
        match self.thing(&name.text) {
            Some((Thing::Procedure(id), _)) => {
                self.occurs(name.span, Symbol::Procedure(id), false);
                return Some(id);
            }
            Some((_, declared)) => {
                name.error("not-a-procedure", "is not a procedure", "cannot be called")
                    .declared(declared)
                    .report(self);
            }
            None => {
                let what = format!("procedure {name}");
                let help = format!("declare it at top level: `fn {}() {{ ... }}`", name.text);
                let known = self.procedure_names();
                self.unknown("unknown-procedure", what, name, known, &help).report(self);
            }
        }
        None
    }

    /// What stands behind `return`.
    fn result(&mut self, value: Option<&'f Written<'f>>, span: Span) -> Option<Expr> {
        let id = self.here();
        let item = self.procedures.get(id.0 as usize)?.item;
        match (item.result, value) {
            (Some((ty, _)), Some(value)) => {
                let value = self.expect(value, ty)?;
                self.without_ghosts(&value, "the result of a procedure");
                Some(value)
            }
            (Some((ty, declared)), None) => {
                let message = format!("expected {} behind `return`", describe(ty));
                error("missing-result", message, span, "there is no value")
                    .with_secondary(declared, "the type of the result")
                    .none(self)
            }
            (None, Some(value)) => {
                self.expr(value, None);
                let text = &item.name.text;
                let (message, help) = match item.is_thread {
                    true => ("a thread has no result".to_owned(), "`return` ends it".to_owned()),
                    false => (
                        format!("the procedure `{text}` has no result"),
                        format!("declare its type: `fn {text}(...): int {{ ... }}`"),
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
