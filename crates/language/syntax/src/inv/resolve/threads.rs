//! Whose locals are meant, and where threads are.

use super::types::TID;
use super::{Context, PlaceInfo, Resolver, Thing};
use crate::ast::Name;
use crate::grammar;
use crate::grammar::{Range, Where};
use crate::inv::ast::{ExprKind, GlobalId, LocId, ProcId, Thread, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, Report as _, error};
use ser_base::{Diagnostic, Span};

/// What is said about indices that are not allowed.
const INDEX: &str =
    "a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns";

impl<'f> Resolver<'f, '_> {
    /// Which globals are one thread forever: known once all statements are.
    pub(super) fn fixed_threads(&mut self) {
        for (global, assigned) in self.system.globals.iter_mut().zip(&self.assigned) {
            global.fixed = global.ty == TID && global.initial.is_none() && assigned.is_none();
        }
    }

    /// The thread in `x[...]`, `at(..., L)` and arguments of `let`s.
    pub(super) fn thread(&mut self, written: &'f grammar::Expr) -> Option<Thread> {
        match &written.kind {
            grammar::ExprKind::Error => None,
            grammar::ExprKind::Number(_) => {
                self.thread_constant(written);
                None
            }
            grammar::ExprKind::Me => {
                let example = self.parameters.first().map_or("i", |it| it.text.as_str());
                Diagnostic::error("me-outside-statements", "nobody is `me` here", written.span)
                    .with_label("`me` is the thread that does a step")
                    .with_help(format!("name a parameter of the invariant, like `{example}`"))
                    .none(self)
            }
            grammar::ExprKind::Name(name) => self.thread_named(name, written.span),
            _ => {
                self.thread_expression(written.span);
                None
            }
        }
    }

    /// A thread that is not named, but computed.
    fn thread_expression(&mut self, span: Span) {
        let message = "this does not say which thread is meant";
        error("thread-expression", message, span, "expected the name of a thread")
            .with_help(INDEX)
            .with_help("say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`")
            .report(self);
    }

    fn thread_named(&mut self, name: &'f Name, span: Span) -> Option<Thread> {
        if let Some((place, symbol)) = self.parameter(&name.text) {
            self.occurs(name.span, symbol, false);
            return Some(Thread::Index(place));
        }
        let Some((Thing::Global(id), declared)) = self.thing(&name.text) else {
            if !self.things.contains_key(name.text.as_str()) && !self.owners(&name.text).is_empty()
            {
                self.thread_expression(span);
                return None;
            }
            // Says what is wrong with it; what is right is a shorthand, and names no thread.
            let expr = self.named(name, span)?;
            if expr.ty == TID {
                self.thread_expression(span);
            } else {
                let diagnostic = self.mismatch(TID, expr.ty, span);
                self.report(diagnostic.with_help(INDEX));
            }
            return None;
        };
        self.occurs(name.span, Symbol::Global(id), false);
        let ty = self.global_type(id)?;
        if ty != TID {
            let diagnostic = self.mismatch(TID, ty, span);
            self.report(diagnostic.with_help(INDEX));
            return None;
        }
        self.constant_thread(id, name, declared)
    }

    /// A global of type `tid` names the same thread forever.
    fn constant_thread(&mut self, id: GlobalId, name: &Name, declared: Span) -> Option<Thread> {
        let text = &name.text;
        let initial = self.system.globals.get(id.0 as usize).and_then(|it| it.initial.as_ref());
        let (why, place) = match (self.assigned.get(id.0 as usize).copied().flatten(), initial) {
            (Some(assigned), _) => ("it is assigned here", assigned),
            (None, Some(initial)) => ("it has a value at the start", initial.span),
            (None, None) => return Some(Thread::Global(id)),
        };
        let message = format!("`{text}` does not always name the same thread");
        error("thread-variable", message, name.span, "cannot be an index")
            .with_secondary(place, why)
            .declared(declared)
            .with_help(INDEX)
            .with_help(format!(
                "say it with a parameter: `invariant p(i) = {text} == i -> x[i] == 1;`"
            ))
            .none(self)
    }

    /// `at(i, places)`.
    pub(super) fn at(
        &mut self,
        thread: &'f grammar::Expr,
        places: &'f [Range],
        span: Span,
    ) -> Option<(ExprKind, Type)> {
        match self.context {
            Context::Invariant(_) | Context::Let(_) => {}
            Context::Statement(_) => {
                return Diagnostic::error(
                    "at-in-statement",
                    "a thread does not see where others are",
                    span,
                )
                .with_label("`at` stands in invariants only")
                .with_help("let threads say it in a variable, for example `busy := busy + {me};`")
                .none(self);
            }
            _ => {
                return Diagnostic::error(
                    "thread-at-start",
                    "threads cannot be spoken of here",
                    span,
                )
                .with_label("where a thread is")
                .with_help("at the start every thread is at the first statement of `thread`")
                .none(self);
            }
        }
        let places = self.locations(places);
        let thread = self.thread(thread);
        let (places, thread) = (places?, thread?);
        self.write_out(places.len(), span)?;
        Some((ExprKind::At(thread, places), Type::Bool))
    }

    /// All these locations, ascending.
    pub(super) fn locations(&mut self, ranges: &'f [Range]) -> Option<Vec<LocId>> {
        // Nothing more is written out once it is too much.
        self.write_out(0, Span::default())?;
        let found: Vec<Option<(u32, u32)>> = ranges.iter().map(|range| self.range(range)).collect();
        let mut found = found.into_iter().collect::<Option<Vec<(u32, u32)>>>()?;
        // Each location once, whatever overlaps.
        found.sort_unstable();
        let mut locations = Vec::new();
        let mut next = 0;
        for (first, last) in found {
            locations.extend((first.max(next)..=last).map(LocId));
            next = next.max(last + 1);
        }
        Some(locations)
    }

    /// The first and the last location of a range.
    fn range(&mut self, range: &'f Range) -> Option<(u32, u32)> {
        let first = self.place_named(&range.first, None);
        let Some(last) = &range.last else {
            return first.map(|(_, place)| (place.first.0, place.last.0));
        };
        let near = first.map(|(procedure, _)| procedure);
        let last = self.place_named(last, near);
        let ((one, first), (other, last)) = (first?, last?);
        let span = range.span();
        if one != other {
            let (one, other) = (self.procedure_name(one), self.procedure_name(other));
            let message = "a range stays in one procedure";
            return error("malformed-range", message, span, format!("from `{one}` to `{other}`"))
                .with_help("write a range for each, with `,` between them")
                .none(self);
        }
        if first.first > last.last {
            let message = "there is nothing in this range: its end comes before its start";
            return error("malformed-range", message, span, "the wrong way round")
                .with_secondary(first.declared, "the start")
                .with_secondary(last.declared, "the end")
                .none(self);
        }
        Some((first.first.0, last.last.0))
    }

    /// A named statement, a label or a procedure; in the procedure `near`, if it is there.
    fn place_named(
        &mut self,
        written: &'f Where,
        near: Option<ProcId>,
    ) -> Option<(ProcId, PlaceInfo)> {
        let text = written.name.text.as_str();
        if let Some(procedure) = &written.procedure {
            let id = self.owner_named(procedure)?;
            let info = self.procedures.get(id.0 as usize)?;
            let Some(&place) = info.places.get(text) else {
                let closest = self.closest(&written.name, info.places.keys().copied());
                let message = format!("there is no place `{text}` in `{}`", procedure.text);
                let help =
                    "name the statement (`link: x := 1;`), or put `label link { ... }` around some";
                return self
                    .unknown("unknown-place", message, &written.name, closest, help)
                    .none(self);
            };
            self.occurs(written.name.span, place.symbol, false);
            self.is_called(id, written.span())?;
            return Some((id, place));
        }
        let whole = match self.thing(text) {
            _ if text == "thread" => Some(ProcId(0)),
            Some((Thing::Procedure(id), _)) => Some(id),
            _ => None,
        };
        if let Some(id) = whole {
            let symbol = Symbol::Procedure(id);
            self.occurs(written.name.span, symbol, false);
            let info = self.procedures.get(id.0 as usize)?;
            let (first, last) = (LocId(info.first), LocId(info.end.saturating_sub(1)));
            let declared = info.item.name.span;
            self.is_called(id, written.name.span)?;
            return Some((id, PlaceInfo { first, last, symbol, declared }));
        }
        let found = self.places.get(text).map_or(&[][..], Vec::as_slice);
        let here = found.iter().find(|(id, _)| Some(*id) == near);
        let found = here.map_or(found, std::slice::from_ref);
        match *found {
            [(id, place)] => {
                self.occurs(written.name.span, place.symbol, false);
                self.is_called(id, written.name.span)?;
                Some((id, place))
            }
            [] => {
                self.no_such_place(&written.name);
                None
            }
            [(first, _), (second, _), ..] => {
                let (first, second) = (self.procedure_name(first), self.procedure_name(second));
                let message = format!("several procedures have a place `{text}`");
                let span = written.name.span;
                error("ambiguous-place", message, span, "which one?")
                    .with_fix("name the procedure", span, format!("{first}.{text}"))
                    .with_help(format!("or `{second}.{text}`"))
                    .none(self)
            }
        }
    }

    fn no_such_place(&mut self, name: &'f Name) {
        let known = self.procedure_names().chain(self.places.keys().copied());
        let closest = self.closest(name, known);
        let message = format!("there is no place `{}`", name.text);
        let help =
            "name the statement (`wait: await x == 1;`), or put `label wait { ... }` around some";
        self.unknown("unknown-place", message, name, closest, help).report(self);
    }
}
