//! Names in expressions.

use super::types::TID;
use super::{Context, Resolver, Thing};
use crate::ast::Name;
use crate::grammar;
use crate::inv::ast::{Expr, ExprKind, LocalId, ProcId, Thread, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, Report as _, error};
use ser_base::Span;

impl<'f> Resolver<'f, '_> {
    /// What a name without index stands for.
    pub(super) fn named(&mut self, name: &'f Name, span: Span) -> Option<Expr> {
        let text = name.text.as_str();
        if let Some((place, symbol)) = self.parameter(text) {
            self.occurs(name.span, symbol, false);
            return Some(Expr { span, ty: TID, kind: ExprKind::Thread(Thread::Index(place)) });
        }
        if let Context::Statement(procedure) = self.context
            && let Some(info) = self.procedures.get(procedure.0 as usize)
            && let Some(&id) = info.locals.get(text)
        {
            self.occurs(name.span, Symbol::Local(id), false);
            let ty = self.local_type(id)?;
            return Some(Expr { span, ty, kind: ExprKind::Local(id, Thread::Me) });
        }
        match self.thing(text) {
            Some((Thing::Global(id), _)) => {
                self.occurs(name.span, Symbol::Global(id), false);
                let ty = self.global_type(id)?;
                Some(Expr { span, ty, kind: ExprKind::Global(id) })
            }
            Some((Thing::Let(_), _)) => self.shorthand(name, None, span),
            Some((Thing::Procedure(id), declared)) => {
                self.occurs(name.span, Symbol::Procedure(id), false);
                let message = format!("`{text}` is a procedure, not a value");
                error("procedure-as-value", message, name.span, "expected a value")
                    .declared(declared)
                    .with_help(format!("to call it, write `x := call {text}(...);` as a statement"))
                    .with_help(format!("that a thread is in it: `at(i, {text})`"))
                    .none(self)
            }
            None => {
                self.unknown_name(name);
                None
            }
        }
    }

    /// The parameter with that name, of the invariant or `let` at hand.
    pub(super) fn parameter(&self, text: &str) -> Option<(u32, Symbol)> {
        let place = self.parameters.iter().position(|it| it.text == text)? as u32;
        match self.context {
            Context::Invariant(id) => Some((place, Symbol::Parameter(id, place))),
            Context::Let(id) => Some((place, Symbol::LetParameter(id, place))),
            _ => None,
        }
    }

    /// The procedures that have a local with that name.
    pub(super) fn owners(&self, text: &str) -> &[(ProcId, LocalId)] {
        self.locals.get(text).map_or(&[], Vec::as_slice)
    }

    /// A name that stands for nothing here.
    pub(super) fn unknown_name(&mut self, name: &'f Name) {
        let text = name.text.as_str();
        if let Some(&(_, local)) = self.owners(text).first() {
            self.local_elsewhere(name, local);
            return;
        }
        if crate::inv::words::FUNCTIONS.contains(&text) {
            let message = format!("`{text}` is a function");
            error("unknown-name", message, name.span, "expected `(` behind this")
                .with_help(format!("it looks like `{text}(...)`"))
                .report(self);
            return;
        }
        let is_place = self.places.contains_key(text);
        let message = format!("there is no variable `{text}`");
        let help = match self.context {
            Context::Statement(_) if is_place => {
                "this is the name of a place: it is used in `at(i, ...)` and in proofs".to_owned()
            }
            Context::Statement(_) => {
                format!(
                    "declare it: `global {text} : int;` at top level, or `local {text} : int;` at the start of the body"
                )
            }
            Context::Invariant(_) | Context::Let(_) if is_place => {
                format!("that a thread is there: `at(i, {text})`")
            }
            Context::Invariant(_) | Context::Let(_) => {
                format!(
                    "a thread is named as a parameter: `invariant mutex({text}, ...) = ...;`; a variable is declared: `global {text} : int;`"
                )
            }
            _ => format!("declare it at top level: `global {text} : int;`"),
        };
        let closest = self.closest(name, self.known_names().into_iter());
        self.unknown("unknown-name", message, name, closest, &help).report(self);
    }

    /// The names that can stand in an expression here.
    fn known_names(&self) -> Vec<&'f str> {
        let in_formula = matches!(self.context, Context::Invariant(_) | Context::Let(_));
        let lets = in_formula || self.context == Context::Assumption;
        let mut known: Vec<&'f str> = self
            .names_of(|thing| match thing {
                Thing::Global(_) => true,
                Thing::Let(_) => lets,
                Thing::Procedure(_) => false,
            })
            .collect();
        known.extend(["null", "nobody", "lowest", "highest", "true", "false"]);
        if let Context::Statement(procedure) = self.context {
            known.push("me");
            if let Some(info) = self.procedures.get(procedure.0 as usize) {
                known.extend(info.locals.keys().copied());
            }
        }
        if in_formula {
            known.extend(self.parameters.iter().map(|name| name.text.as_str()));
        }
        known
    }

    /// A local that is not known here, or not without an index.
    fn local_elsewhere(&mut self, name: &Name, local: LocalId) {
        let text = &name.text;
        let Some(local) = self.system.locals.get(local.0 as usize) else { return };
        let (declared, owner) = (local.name.span, self.procedure_name(local.procedure));
        let diagnostic = match self.context {
            Context::Invariant(_) | Context::Let(_) => {
                let example = self.parameters.first().map_or("i", |it| it.text.as_str());
                let right = match self.owners(text).len() {
                    1 => format!("{text}[{example}]"),
                    _ => format!("{owner}.{text}[{example}]"),
                };
                let message = format!("`{text}` is a local: every thread has its own");
                error("local-without-index", message, name.span, "of which thread?")
                    .declared(declared)
                    .with_fix(format!("for the one of the thread `{example}`"), name.span, right)
            }
            Context::Statement(_) => {
                let message = format!("`{text}` belongs to `{owner}`, and is not known here");
                error("local-of-other-procedure", message, name.span, "not known here")
                    .declared(declared)
                    .with_help("hand it over as an argument or a result, or make it `global`")
            }
            _ => {
                let message = format!("`{text}` is a local: every thread has its own");
                error("local-at-start", message, name.span, "only globals can be mentioned here")
                    .declared(declared)
                    .with_help(format!(
                        "give it a value where it is declared: `local {text} : {} = ...;`",
                        local.ty
                    ))
            }
        };
        self.report(diagnostic);
    }

    /// `x[i]`, `p.x[i]`.
    pub(super) fn indexed(
        &mut self,
        procedure: Option<&'f Name>,
        name: &'f Name,
        index: &'f grammar::Expr,
        span: Span,
    ) -> Option<(ExprKind, Type)> {
        match self.context {
            Context::Invariant(_) | Context::Let(_) => {}
            Context::Statement(_) => {
                self.index_in_statement(name, span);
                return None;
            }
            _ => {
                let message = "threads cannot be spoken of here";
                return error("thread-at-start", message, span, "the local of a thread")
                    .with_help("this is about globals and the heap at the start")
                    .with_help("initial values of locals stand where they are declared")
                    .none(self);
            }
        }
        let local = self.local_named(procedure, name);
        let thread = self.thread(index);
        let (local, thread) = (local?, thread?);
        Some((ExprKind::Local(local, thread), self.local_type(local)?))
    }

    fn index_in_statement(&mut self, name: &Name, span: Span) {
        let text = &name.text;
        let error = |message: String| error("index-in-statement", message, span, "unexpected `[`");
        self.report(match self.owners(text).is_empty() {
            false => error("a thread sees its own locals only, without an index".to_owned())
                .with_fix(format!("for the own `{text}`"), span, text.clone())
                .with_help("what several threads see is `global`"),
            true => error(format!("`{text}` has no index: there are no arrays"))
                .with_help("there are sets, like `set<int>`"),
        });
    }

    /// The local with that name, of a procedure that may be left out if only one has it.
    fn local_named(&mut self, procedure: Option<&'f Name>, name: &'f Name) -> Option<LocalId> {
        let text = name.text.as_str();
        if let Some(procedure) = procedure {
            let id = self.owner_named(procedure)?;
            let info = self.procedures.get(id.0 as usize)?;
            let Some(&local) = info.locals.get(text) else {
                let closest = self.closest(name, info.locals.keys().copied());
                let message = format!("`{}` has no local `{text}`", procedure.text);
                let help = format!("the locals are declared at the start of `{}`", procedure.text);
                return self.unknown("unknown-local", message, name, closest, &help).none(self);
            };
            self.occurs(name.span, Symbol::Local(local), false);
            self.is_called(id, procedure.span.to(name.span))?;
            return Some(local);
        }
        match *self.owners(text) {
            [(id, local)] => {
                self.occurs(name.span, Symbol::Local(local), false);
                self.is_called(id, name.span)?;
                Some(local)
            }
            [] => {
                self.no_such_local(name);
                None
            }
            [(first, _), (second, _), ..] => {
                let (first, second) = (self.procedure_name(first), self.procedure_name(second));
                let message = format!("several procedures have a local `{text}`");
                error("ambiguous-local", message, name.span, "which one?")
                    .with_fix("name the procedure", name.span, format!("{first}.{text}"))
                    .with_help(format!("or `{second}.{text}`"))
                    .none(self)
            }
        }
    }

    fn no_such_local(&mut self, name: &'f Name) {
        let text = name.text.as_str();
        if let Some((Thing::Global(_), declared)) = self.thing(text) {
            let message = format!("`{text}` is global: all threads share it");
            error("index-of-global", message, name.span, "not a local")
                .declared(declared)
                .with_help(format!("leave the index out: `{text}`"))
                .report(self);
            return;
        }
        let closest = self.closest(name, self.locals.keys().copied());
        let message = format!("there is no local `{text}`");
        let help = "locals are declared at the start of `thread` or of a procedure";
        self.unknown("unknown-local", message, name, closest, help).report(self);
    }

    /// The procedure before a `.`.
    pub(super) fn owner_named(&mut self, name: &'f Name) -> Option<ProcId> {
        if name.text == "thread" {
            self.occurs(name.span, Symbol::Procedure(ProcId(0)), false);
            return Some(ProcId(0));
        }
        if let Some((Thing::Procedure(id), _)) = self.thing(&name.text) {
            self.occurs(name.span, Symbol::Procedure(id), false);
            return Some(id);
        }
        let closest = self.closest(name, self.procedure_names().chain(["thread"]));
        let message = format!("there is no procedure `{}`", name.text);
        let help = "before `.` stands the name of a procedure, or `thread`";
        self.unknown("unknown-procedure", message, name, closest, help).none(self)
    }

    /// Whether a procedure whose parts are mentioned in a formula is called at all.
    pub(super) fn is_called(&mut self, id: ProcId, span: Span) -> Option<()> {
        if (id.0 as usize) < self.called {
            return Some(());
        }
        let name = self.procedure_name(id);
        let message = format!("the procedure `{name}` is never called");
        error("uncalled-procedure", message, span, "a part of it is mentioned here")
            .with_help(format!("call it with `call {name}(...);`, or leave this out"))
            .none(self)
    }
}
