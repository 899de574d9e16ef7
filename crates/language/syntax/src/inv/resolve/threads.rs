//! Whose locals are meant, and where threads are.

use super::expressions::{Meaning, bare, number_in};
use super::names::thread_at_start;
use super::types::TID;
use super::{Context, PlaceInfo, Resolver, Thing};
use crate::ast::{self, ExprKind as Source, Name, PlaceRange as Range, ProofPlace as Where};
use crate::inv::ast::{ExprKind, GlobalId, LocId, ProcId, Thread, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::Span;

/// What is said about indices that are not allowed.
const INDEX: &str = "a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns";

/// How places get names.
const PLACE: &str = "name the statement (`wait: await x == 1`), or put `wait: { ... }` around some";

/// `nobody` and the like.
fn is_value_of_its_own(name: &Name) -> bool {
    matches!(name.text.as_str(), "null" | "nobody" | "lowest" | "highest")
}

impl<'f> Resolver<'f, '_> {
    /// Which globals are one thread forever: known once all statements are.
    pub(super) fn fixed_threads(&mut self) {
        for (global, assigned) in self.system.globals.iter_mut().zip(&self.assigned) {
            global.fixed = global.ty == TID && global.initial.is_none() && assigned.is_none();
        }
    }

    /// The thread in `x[...]`, `at(..., L)` and arguments of `let`s.
    pub(super) fn thread(&mut self, written: &'f ast::Expr) -> Option<Thread> {
        match &bare(written).kind {
            Source::Error => None,
            Source::Read(name) if !is_value_of_its_own(name) => {
                self.thread_named(name, written.span)
            }
            _ if number_in(written).is_some() => self.thread_constant(written),
            _ => self.thread_expression(written.span),
        }
    }

    /// A thread that is not named, but computed.
    fn thread_expression(&mut self, span: Span) -> Option<Thread> {
        let message = "this does not say which thread is meant";
        error("thread-expression", message, span, "expected the name of a thread")
            .with_help(INDEX)
            .with_help("say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`")
            .none(self)
    }

    fn thread_named(&mut self, name: &'f Name, span: Span) -> Option<Thread> {
        if let Some((place, symbol)) = self.parameter(&name.text) {
            self.occurs(name.span, symbol, false);
            return Some(Thread::Index(place));
        }
        if self.is_member(name) {
            let example = self.parameters.first().map_or("i", |it| it.text.as_str());
            return self
                .nobody_is(name, span)
                .with_help(format!("name a parameter of the invariant, like `{example}`"))
                .none(self);
        }
        let Some((Thing::Global(id), declared)) = self.thing(&name.text) else {
            if !self.things.contains_key(name.text.as_str()) && !self.owners(&name.text).is_empty()
            {
                return self.thread_expression(span);
            }
            // Says what is wrong with it; what is right is a shorthand, and names no thread.
            let expr = self.named(name, span)?;
            return match expr.ty {
                TID => self.thread_expression(span),
                ty => self.mismatch(TID, ty, span).with_help(INDEX).none(self),
            };
        };
        self.occurs(name.span, Symbol::Global(id), false);
        match self.system.globals[id.index()].ty {
            TID => self.constant_thread(id, name, declared),
            ty => self.mismatch(TID, ty, span).with_help(INDEX).none(self),
        }
    }

    /// A global of type `tid` names the same thread forever.
    fn constant_thread(&mut self, id: GlobalId, name: &Name, declared: Span) -> Option<Thread> {
        let text = &name.text;
        let initial = self.system.globals[id.index()].initial.as_ref();
        let (why, place) = match (self.assigned[id.index()], initial) {
            (Some(assigned), _) => ("it is assigned here", assigned),
            (None, Some(initial)) => ("it has a value at the start", initial.span),
            (None, None) => return Some(Thread::Global(id)),
        };
        name.error("thread-variable", "does not always name the same thread", "cannot be an index")
            .with_secondary(place, why)
            .declared(declared)
            .with_help(INDEX)
            .with_help(format!(
                "say it with a parameter: `invariant p(i): {text} == i -> x[i] == 1`"
            ))
            .none(self)
    }

    /// `at(i, places)`.
    pub(super) fn at(
        &mut self,
        thread: &'f ast::Expr,
        places: &'f [Range],
        span: Span,
    ) -> Option<Meaning> {
        match self.context {
            Context::Invariant(_) | Context::Let(_) => {}
            Context::Statement(_) => {
                let message = "a thread does not see where others are";
                let help = "let threads say it in a variable, for example `busy := busy + 1`";
                return error("at-in-statement", message, span, "`at` stands in invariants only")
                    .with_help(help)
                    .none(self);
            }
            _ => {
                return thread_at_start(span, "where a thread is")
                    .with_help("at the start every thread is at the first statement of its process")
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
                let what = format!("place {} in {procedure}", written.name);
                let known = info.places.keys().copied();
                return self.unknown("unknown-place", what, &written.name, known, PLACE).none(self);
            };
            self.occurs(written.name.span, place.symbol, false);
            self.is_called(id, written.span())?;
            return Some((id, place));
        }
        let whole = match self.thing(text) {
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
                let what = format!("place {}", written.name);
                let known = self.procedure_names().chain(self.places.keys().copied());
                self.unknown("unknown-place", what, &written.name, known, PLACE).none(self)
            }
            [(first, _), (second, _), ..] => {
                let owners = [first, second];
                self.ambiguous("ambiguous-place", "place", &written.name, owners).none(self)
            }
        }
    }
}
