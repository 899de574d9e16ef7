//! Names in expressions.

use super::expressions::Meaning;
use super::types::{ADDR, ELEM, INT, TID};
use super::{Context, Resolver, Thing};
use crate::ast::{self, Name};
use crate::inv::ast::{Expr, ExprKind, LocalId, ProcId, Thread, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

/// The message about threads where they have not done anything yet.
pub(super) fn thread_at_start(span: Span, label: &str) -> Diagnostic {
    error("thread-at-start", "threads cannot be spoken of here", span, label)
}

impl<'f> Resolver<'f, '_> {
    /// What a name without index stands for.
    pub(super) fn named(&mut self, name: &'f Name, span: Span) -> Option<Expr> {
        let text = name.text.as_str();
        let meant = match text {
            "null" => Some((ExprKind::Null, ADDR)),
            "nobody" => Some((ExprKind::Nobody, TID)),
            "lowest" => Some((ExprKind::Lowest, ELEM)),
            "highest" => Some((ExprKind::Highest, ELEM)),
            _ => None,
        };
        if let Some((kind, ty)) = meant {
            return Some(Expr { span, ty, kind });
        }
        if let Some((place, symbol)) = self.parameter(text) {
            self.occurs(name.span, symbol, false);
            return Some(Expr { span, ty: TID, kind: ExprKind::Thread(Thread::Index(place)) });
        }
        if self.is_member(name) {
            let (kind, ty) = self.me(name)?;
            return Some(Expr { span, ty, kind });
        }
        if let Some(id) = self.own_local(name) {
            let ty = self.system.locals[id.index()].ty;
            return Some(Expr { span, ty, kind: ExprKind::Local(id, Thread::Me) });
        }
        match self.thing(text) {
            Some((Thing::Constant(id), _)) => {
                self.occurs(name.span, Symbol::Constant(id), false);
                let item = self.tree.constants.get(id as usize)?;
                // One without a value was reported.
                let value = self.constants.value(&item.value).ok()?;
                let of = self.told(&item.value);
                if let Some(of) = of.and_then(|of| of.enumeration) {
                    self.written.insert(span, of);
                }
                let is_truth = of.is_some_and(|of| of.ty == Type::Bool);
                let (kind, ty) = match is_truth {
                    true => (ExprKind::Bool(value != 0), Type::Bool),
                    false => (ExprKind::Int(value), INT),
                };
                Some(Expr { span, ty, kind })
            }
            Some((Thing::Enumeration(_) | Thing::Alias(_), declared)) => name
                .error("type-as-value", "is a type, not a value", "expected a value")
                .declared(declared)
                .none(self),
            Some((Thing::Global(id), _)) => {
                self.occurs(name.span, Symbol::Global(id), false);
                let ty = self.system.globals[id.index()].ty;
                Some(Expr { span, ty, kind: ExprKind::Global(id) })
            }
            Some((Thing::Let(_), _)) => self.shorthand(name, &[], span),
            Some((Thing::Procedure(id), declared)) => {
                self.occurs(name.span, Symbol::Procedure(id), false);
                name.error("procedure-as-value", "is a procedure, not a value", "expected a value")
                    .declared(declared)
                    .with_help(format!("to call it, write `x := {text}(...)` as a statement"))
                    .with_help(format!("that a thread is in it: `at(i, {text})`"))
                    .none(self)
            }
            None => match self.members.get(text).map(Vec::as_slice) {
                Some(&[member]) => Some(self.member(member, name.span, span)),
                Some(&[(first, _), ..]) => {
                    let of = &self.tree.enumerations[first as usize].name.text;
                    name.error("ambiguous-member", "is a value of several types", "which one?")
                        .with_fix("say it", name.span, format!("{of}.{text}"))
                        .none(self)
                }
                _ => self.unknown_name(name),
            },
        }
    }

    /// The local of the procedure at hand with that name, in a statement.
    pub(super) fn own_local(&mut self, name: &Name) -> Option<LocalId> {
        let Context::Statement(procedure) = self.context else { return None };
        let id = *self.procedures.get(procedure.index())?.locals.get(name.text.as_str())?;
        self.occurs(name.span, Symbol::Local(id), false);
        Some(id)
    }

    /// A member of an enumeration is its number.
    fn member(&mut self, (of, number): (u32, u32), name: Span, span: Span) -> Expr {
        self.occurs(name, Symbol::Value(of, number), false);
        self.written.insert(span, of);
        Expr { span, ty: INT, kind: ExprKind::Int(i64::from(number)) }
    }

    /// `Seat.free`; nothing if that is no type.
    pub(super) fn member_of(&mut self, of: &Name, name: &Name, span: Span) -> Option<Option<Expr>> {
        let Some((Thing::Enumeration(id), _)) = self.thing(&of.text) else { return None };
        self.occurs(of.span, Symbol::Enumeration(id), false);
        let item = self.tree.enumerations.get(id as usize)?;
        let Some(number) = item.members.iter().position(|member| member.text == name.text) else {
            let known = item.members.iter().map(|member| member.text.as_str());
            let what = format!("value {name} of {of}");
            let all = known.clone().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            let help = format!("there are {all}");
            return Some(self.unknown("unknown-member", what, name, known, &help).none(self));
        };
        Some(Some(self.member((id, number as u32), name.span, span)))
    }

    /// What a thread calls itself, where that means something.
    fn me(&mut self, name: &Name) -> Option<Meaning> {
        let span = name.span;
        let help = match self.context {
            Context::Statement(_) | Context::LocalInitial => {
                self.occurs(span, Symbol::Member, false);
                return Some((ExprKind::Thread(Thread::Me), TID));
            }
            Context::Initial | Context::Assumption => {
                "this is about the start, before any thread does anything"
            }
            Context::Invariant(_) | Context::Let(_) => {
                "an invariant is about its parameters: `invariant mutex(i, j): ...`"
            }
        };
        self.nobody_is(name, span).with_help(help).none(self)
    }

    pub(super) fn nobody_is(&self, name: &Name, span: Span) -> Diagnostic {
        let label = format!("{name} is the thread that does a step");
        error("me-outside-statements", format!("nobody is {name} here"), span, label)
    }

    /// Whether this is what a thread calls itself.
    pub(super) fn is_member(&self, name: &Name) -> bool {
        self.member.is_some_and(|member| member.text == name.text)
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
    pub(super) fn unknown_name<T>(&mut self, name: &'f Name) -> Option<T> {
        let text = name.text.as_str();
        if let Some(&(_, local)) = self.owners(text).first() {
            return self.local_elsewhere(name, local).none(self);
        }
        if crate::inv::words::FUNCTIONS.contains(&text) {
            return name
                .error("unknown-name", "is a function", "expected `(` behind this")
                .with_help(format!("it looks like `{text}(...)`"))
                .none(self);
        }
        let instead = match text {
            "me" | "self" | "this" => self
                .member
                .map(|member| (format!("a thread calls itself {member}"), member.text.clone())),
            _ => None,
        };
        if let Some((message, right)) = instead {
            return error("unknown-name", message, name.span, "not known here")
                .with_right(&right)
                .none(self);
        }
        if let Some((message, help)) = crate::parser::instead_in_processes(text) {
            return error("other-language", message, name.span, "not part of the language")
                .with_help(help)
                .none(self);
        }
        let is_place = self.places.contains_key(text);
        let help = match self.context {
            Context::Statement(_) if is_place => {
                "this is the name of a place: it is used in `at(i, ...)` and in proofs".to_owned()
            }
            Context::Statement(_) => {
                format!("declare it: `var {text}: int` at top level, or at the start of the body")
            }
            Context::Invariant(_) | Context::Let(_) if is_place => {
                format!("that a thread is there: `at(i, {text})`")
            }
            Context::Invariant(_) | Context::Let(_) => {
                format!(
                    "a thread is named as a parameter: `invariant mutex({text}, ...): ...`; a variable is declared: `var {text}: int`"
                )
            }
            _ => format!("declare it at top level: `var {text}: int`"),
        };
        let (what, known) = (format!("variable {name}"), self.known_names().into_iter());
        self.unknown("unknown-name", what, name, known, &help).none(self)
    }

    /// The names that can stand in an expression here.
    fn known_names(&self) -> Vec<&'f str> {
        let in_formula = matches!(self.context, Context::Invariant(_) | Context::Let(_));
        let lets = in_formula || self.context == Context::Assumption;
        let mut known: Vec<&'f str> = self
            .names_of(|thing| match thing {
                Thing::Global(_) | Thing::Constant(_) => true,
                Thing::Let(_) => lets,
                Thing::Procedure(_) | Thing::Enumeration(_) | Thing::Alias(_) => false,
            })
            .chain(self.members.keys().copied())
            .collect();
        known.extend(["null", "nobody", "lowest", "highest", "true", "false"]);
        if let Context::Statement(procedure) = self.context {
            known.extend(self.member.map(|member| member.text.as_str()));
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
    fn local_elsewhere(&self, name: &Name, local: LocalId) -> Diagnostic {
        let text = &name.text;
        let local = &self.system.locals[local.index()];
        let (declared, owner) = (local.name.span, self.procedure_name(local.procedure));
        match self.context {
            Context::Invariant(_) | Context::Let(_) => {
                let example = self.parameters.first().map_or("i", |it| it.text.as_str());
                let right = match self.owners(text).len() {
                    1 => format!("{text}[{example}]"),
                    _ => format!("{owner}.{text}[{example}]"),
                };
                name.wrong("local-without-index", "is a local: every thread has its own")
                    .with_label("of which thread?")
                    .declared(declared)
                    .with_fix(format!("for the one of the thread `{example}`"), name.span, right)
            }
            Context::Statement(_) => name
                .wrong("local-of-other-procedure", format!("belongs to `{owner}`"))
                .with_label("not known here")
                .declared(declared)
                .with_help("hand it over as an argument or a result, or declare it at top level"),
            _ => {
                let example = format!("var {text}: {} = ...", self.type_name(local.ty));
                name.wrong("local-at-start", "is a local: every thread has its own")
                    .with_label("only globals can be mentioned here")
                    .declared(declared)
                    .with_help(format!("give it a value where it is declared: `{example}`"))
            }
        }
    }

    /// `x[i]`, `p.x[i]`.
    pub(super) fn indexed(
        &mut self,
        procedure: Option<&'f Name>,
        name: &'f Name,
        index: &'f ast::Expr,
        span: Span,
    ) -> Option<Meaning> {
        match self.context {
            Context::Invariant(_) | Context::Let(_) => {}
            Context::Statement(_) => return self.index_in_statement(name, span).none(self),
            _ => {
                return thread_at_start(span, "the local of a thread")
                    .with_help("this is about globals and the heap at the start")
                    .with_help("initial values of locals stand where they are declared")
                    .none(self);
            }
        }
        let local = self.local_named(procedure, name);
        let thread = self.thread(index);
        let (local, thread) = (local?, thread?);
        Some((ExprKind::Local(local, thread), self.system.locals[local.index()].ty))
    }

    fn index_in_statement(&self, name: &Name, span: Span) -> Diagnostic {
        let text = &name.text;
        let error = |message: String| error("index-in-statement", message, span, "unexpected `[`");
        match self.owners(text).is_empty() {
            false => error("a thread sees its own locals only, without an index".to_owned())
                .with_fix(format!("for the own `{text}`"), span, text.clone())
                .with_help("what several threads see is declared at top level"),
            true => error(format!("`{text}` has no index: there are no arrays"))
                .with_help("there are sets, like `set of int`"),
        }
    }

    /// The local with that name, of a procedure that may be left out if only one has it.
    fn local_named(&mut self, procedure: Option<&'f Name>, name: &'f Name) -> Option<LocalId> {
        let text = name.text.as_str();
        if let Some(procedure) = procedure {
            let id = self.owner_named(procedure)?;
            let info = self.procedures.get(id.0 as usize)?;
            let Some(&local) = info.locals.get(text) else {
                let what = format!("local {name} in {procedure}");
                let help = format!("the locals are declared at the start of {procedure}");
                let known = info.locals.keys().copied();
                return self.unknown("unknown-local", what, name, known, &help).none(self);
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
            [] => self.no_such_local(name).none(self),
            [(first, _), (second, _), ..] => {
                self.ambiguous("ambiguous-local", "local", name, [first, second]).none(self)
            }
        }
    }

    fn no_such_local(&self, name: &'f Name) -> Diagnostic {
        let text = name.text.as_str();
        if let Some((Thing::Global(_), declared)) = self.thing(text) {
            return name
                .error("index-of-global", "is global: all threads share it", "not a local")
                .declared(declared)
                .with_help(format!("leave the index out: {name}"));
        }
        let help = "locals are declared at the start of a process or of a function";
        let known = self.locals.keys().copied();
        self.unknown("unknown-local", format!("local {name}"), name, known, help)
    }

    /// The message about something that two procedures have.
    pub(super) fn ambiguous(
        &self,
        code: &'static str,
        what: &str,
        Name { text, span }: &Name,
        owners: [ProcId; 2],
    ) -> Diagnostic {
        let [first, second] = owners.map(|id| self.procedure_name(id));
        let message = format!("several procedures have a {what} `{text}`");
        error(code, message, *span, "which one?")
            .with_fix("name the procedure", *span, format!("{first}.{text}"))
            .with_help(format!("there is also `{second}.{text}`"))
    }

    /// The procedure before a `.`.
    pub(super) fn owner_named(&mut self, name: &'f Name) -> Option<ProcId> {
        if let Some((Thing::Procedure(id), _)) = self.thing(&name.text) {
            self.occurs(name.span, Symbol::Procedure(id), false);
            return Some(id);
        }
        let help = "before `.` stands the name of the process or of a function";
        let (what, known) = (format!("procedure {name}"), self.procedure_names());
        self.unknown("unknown-procedure", what, name, known, help).none(self)
    }

    /// Whether a procedure whose parts are mentioned in a formula is called at all.
    pub(super) fn is_called(&mut self, id: ProcId, span: Span) -> Option<()> {
        if (id.0 as usize) < self.called {
            return Some(());
        }
        let name = self.procedure_name(id);
        let message = format!("the procedure `{name}` is never called");
        error("uncalled-procedure", message, span, "a part of it is mentioned here")
            .with_help(format!("call it with `{name}(...)`, or leave this out"))
            .none(self)
    }
}
