//! Types: what is written, what it means, and what is found out.
//!
//! A [`Layout`] says which values a variable takes, ranges included; that is what is written down.
//! A [`Ty`] says what kind of value an expression has, without ranges; that is what is inferred, by
//! unification. Comparisons are *truths*: numbers or `bool`s, whichever is needed, and numbers if
//! nothing is.

use crate::ast::{self, Index, Name, Type, TypeKind};
use crate::check::{Checker, MAX_CHOICES, defined_twice};
use crate::core::Shape;
use crate::domains::Domain;
use crate::report::{Messages as _, error};
use crate::types::{MAX_BITS, MAX_CAPACITY, MAX_VALUES, unbounded_type};
use ser_base::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// How many numbers one variable may be made of.
pub(crate) const MAX_PARTS: usize = 4096;

/// Of a type with any number of values, the core has so many. No handler has more than one less of
/// them as parameters, so that an element that belongs to none of these is there, too.
pub(crate) const KEYS: usize = 3;

/// Which values a variable takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Int,
    Range(i64, i64),
    Bool,
    Member(usize),
    Record(usize),
    Array(Space, Rc<Layout>),
    Tuple(Rc<[Layout]>),
    /// Numbers of so many bits, which wrap around.
    Bits(u32),
    /// So many items at most: how many there are, and one slot for each.
    Queue(i64, Rc<Layout>),
}

/// What the elements of an array are counted with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    Range(i64, i64),
    Bool,
    Member(usize),
    /// A list of so many elements, which fits every space of that size.
    List(usize),
}

/// What kind of value an expression has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Int,
    Bool,
    Member(usize),
    Record(usize),
    Array(Space, Rc<Ty>),
    Tuple(Rc<[Ty]>),
    Queue(Rc<Ty>),
    /// Not known yet.
    Open(usize),
}

/// What is known about an open type.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    /// A number or a truth value.
    Truth,
    Is(Ty),
}

/// Open types, as far as they are known.
#[derive(Default)]
pub(super) struct Unifier {
    known: Vec<Known>,
}

impl Unifier {
    pub(super) fn fresh(&mut self) -> Ty {
        self.known.push(Known::Nothing);
        Ty::Open(self.known.len() - 1)
    }

    /// What a comparison has.
    pub(super) fn truth(&mut self) -> Ty {
        self.known.push(Known::Truth);
        Ty::Open(self.known.len() - 1)
    }

    /// A number or a truth value, if that is all that is known, is a truth value.
    pub(super) fn truth_is_bool(&mut self, ty: &Ty) {
        if let Ty::Open(open) = self.seen(ty)
            && self.known[open] == Known::Truth
        {
            self.known[open] = Known::Is(Ty::Bool);
        }
    }

    /// What is known now, at the top.
    pub(super) fn seen(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Open(open) = ty {
            match &self.known[open] {
                Known::Is(next) => ty = next.clone(),
                Known::Nothing | Known::Truth => break,
            }
        }
        ty
    }

    /// Makes ways to what is known short, so that looking there often costs little.
    pub(super) fn compress(&mut self) {
        for open in 0..self.known.len() {
            let (mut here, mut way) = (open, Vec::new());
            while let Known::Is(Ty::Open(next)) = self.known[here] {
                way.push(here);
                here = next;
            }
            for from in way {
                self.known[from] = Known::Is(Ty::Open(here));
            }
        }
    }

    /// What it is in the end: a number, if nothing else is known.
    pub(super) fn settled(&self, ty: &Ty) -> Ty {
        match self.seen(ty) {
            Ty::Open(_) => Ty::Int,
            Ty::Array(space, elements) => Ty::Array(space, Rc::new(self.settled(&elements))),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.settled(part)).collect()),
            other => other,
        }
    }

    /// Makes both the same; `false` if that is not possible.
    pub(super) fn unify(&mut self, left: &Ty, right: &Ty, types: &Types<'_>) -> bool {
        match (self.seen(left), self.seen(right)) {
            (Ty::Open(a), Ty::Open(b)) if a == b => true,
            (Ty::Open(a), Ty::Open(b)) => {
                if self.known[a] == Known::Truth {
                    self.known[b] = Known::Truth;
                }
                self.known[a] = Known::Is(Ty::Open(b));
                true
            }
            (Ty::Open(open), ty) | (ty, Ty::Open(open)) => {
                let fits = self.known[open] == Known::Nothing || matches!(ty, Ty::Int | Ty::Bool);
                let cyclic = self.occurs(open, &ty);
                if fits && !cyclic {
                    self.known[open] = Known::Is(ty);
                }
                fits && !cyclic
            }
            (Ty::Array(a, left), Ty::Array(b, right)) => {
                let is_open = [a, b].iter().any(|it| types.is_open_space(*it));
                let same = a == b
                    || (matches!(a, Space::List(_)) || matches!(b, Space::List(_)))
                        && types.size(a) == types.size(b)
                        && !is_open;
                same && self.unify(&left, &right, types)
            }
            (Ty::Tuple(left), Ty::Tuple(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right.iter()).all(|(a, b)| self.unify(a, b, types))
            }
            (a, b) => a == b,
        }
    }

    /// Makes it a condition: a number or a truth value.
    pub(super) fn condition(&mut self, ty: &Ty) -> bool {
        match self.seen(ty) {
            Ty::Int | Ty::Bool => true,
            Ty::Open(open) => {
                self.known[open] = Known::Truth;
                true
            }
            _ => false,
        }
    }

    fn occurs(&self, open: usize, ty: &Ty) -> bool {
        match self.seen(ty) {
            Ty::Open(other) => open == other,
            Ty::Array(_, elements) => self.occurs(open, &elements),
            Ty::Tuple(parts) => parts.iter().any(|part| self.occurs(open, part)),
            _ => false,
        }
    }
}

/// The types of a file that have names.
#[derive(Default)]
pub(super) struct Types<'p> {
    enumerations: Vec<(&'p str, Arc<[String]>)>,
    /// Which of them are types with any number of values.
    open: BTreeSet<usize>,
    records: Vec<(&'p str, Vec<(String, Layout)>)>,
    names: BTreeMap<&'p str, Layout>,
    members: BTreeMap<&'p str, Vec<(usize, i64)>>,
    /// Whether the file has processes: then there are queues, and numbers have bounds.
    in_processes: bool,
}

impl<'p> Types<'p> {
    /// Resolves the types of a file; what makes no sense is reported.
    pub(super) fn of(tree: &'p ast::Program, checker: &mut Checker<'p, '_>) -> Types<'p> {
        let names = tree.enumerations.iter().map(|it| &it.name);
        let names = names.chain(tree.records.iter().map(|it| &it.name));
        let names = names.chain(tree.aliases.iter().map(|it| &it.name));
        defined_twice(names, checker.sink, "duplicate-type", "type");
        let in_processes = !tree.processes.is_empty();
        let mut types = Types { in_processes, ..Types::default() };
        for item in &tree.enumerations {
            let index = types.enumerations.len();
            for (at, member) in item.members.iter().enumerate() {
                let of = types.members.entry(&member.text).or_default();
                if of.iter().any(|(other, _)| *other == index) {
                    let message = format!("`{}` has two members {member}", item.name.text);
                    error("duplicate-member", message, member.span, "again here").report(checker);
                } else {
                    of.push((index, at as i64));
                }
            }
            let members = match item.open {
                true => (1..=KEYS).map(|n| format!("{}#{n}", item.name.text)).collect(),
                false => item.members.iter().map(|member| member.text.clone()).collect(),
            };
            if item.open {
                types.open.insert(index);
            }
            types.enumerations.push((&item.name.text, members));
            types.names.entry(&item.name.text).or_insert(Layout::Member(index));
        }
        for item in &tree.records {
            // The fields follow, so that a record can be named before they are known.
            types.names.entry(&item.name.text).or_insert(Layout::Record(types.records.len()));
            types.records.push((&item.name.text, Vec::new()));
        }
        // Types may use those above them.
        let mut items: Vec<(u32, Result<&'p ast::Alias, usize>)> = Vec::new();
        items.extend(tree.aliases.iter().map(|it| (it.span.start, Ok(it))));
        items.extend(tree.records.iter().enumerate().map(|(at, it)| (it.span.start, Err(at))));
        items.sort_by_key(|(start, _)| *start);
        let mut pending: Vec<usize> = (0..tree.records.len()).collect();
        for (_, item) in items {
            match item {
                Ok(alias) => {
                    if let Some(layout) = types.layout_above(&alias.meaning, &pending, checker) {
                        types.names.entry(&alias.name.text).or_insert(layout);
                    }
                }
                Err(at) => {
                    let mut fields: Vec<(String, Layout)> = Vec::new();
                    for (name, values) in &tree.records[at].fields {
                        if fields.iter().any(|(other, _)| *other == name.text) {
                            let record = &tree.records[at].name.text;
                            let message = format!("`{record}` has two fields {name}");
                            error("duplicate-field", message, name.span, "again here")
                                .report(checker);
                        } else if let Some(layout) = types.layout_above(values, &pending, checker) {
                            fields.push((name.text.clone(), layout));
                        }
                    }
                    types.records[at].1 = fields;
                    pending.retain(|other| *other != at);
                }
            }
        }
        types
    }

    /// What a type means, where these records are not known yet.
    fn layout_above(
        &self,
        ty: &'p Type,
        pending: &[usize],
        checker: &mut Checker<'p, '_>,
    ) -> Option<Layout> {
        let layout = self.layout(ty, checker)?;
        if self.mentions(&layout, pending) {
            return error(
                "type-order",
                "this type is not known here yet",
                ty.span,
                "defined below",
            )
            .with_help("records may be made of records above them, and not of themselves")
            .none(checker);
        }
        Some(layout)
    }

    fn mentions(&self, layout: &Layout, pending: &[usize]) -> bool {
        match layout {
            Layout::Record(index) => pending.contains(index),
            Layout::Array(_, elements) => self.mentions(elements, pending),
            Layout::Tuple(parts) => parts.iter().any(|part| self.mentions(part, pending)),
            Layout::Queue(_, items) => self.mentions(items, pending),
            _ => false,
        }
    }

    /// Whether a layout or one inside of it is like this.
    pub(super) fn has(&self, layout: &Layout, like: &dyn Fn(&Layout) -> bool) -> bool {
        like(layout)
            || match layout {
                Layout::Record(index) => {
                    self.fields(*index).iter().any(|(_, field)| self.has(field, like))
                }
                Layout::Array(_, inside) | Layout::Queue(_, inside) => self.has(inside, like),
                Layout::Tuple(parts) => parts.iter().any(|part| self.has(part, like)),
                _ => false,
            }
    }

    /// What a type means; nothing if it means nothing, which is reported.
    pub(super) fn layout(&self, ty: &Type, checker: &mut Checker<'_, '_>) -> Option<Layout> {
        let layout = match &ty.kind {
            TypeKind::Int => Layout::Int,
            TypeKind::Bool => Layout::Bool,
            TypeKind::Range(low, high) => {
                let most = if self.in_processes { MAX_VALUES } else { u64::MAX };
                let (low, high) = checker.bounds(low, high, most)?;
                Layout::Range(low, high)
            }
            TypeKind::Bits(bits) if self.in_processes => {
                let bits = checker.within(bits, 1, MAX_BITS, "too-many-bits", |n| {
                    format!("a number cannot have {n} bits")
                })?;
                Layout::Bits(u32::try_from(bits).ok()?)
            }
            TypeKind::Queue(capacity, items) if self.in_processes => {
                let inside = self.layout(items, checker);
                let capacity =
                    checker.within(capacity, 1, MAX_CAPACITY, "queue-capacity", |n| {
                        format!("a queue cannot hold {n} items")
                    })?;
                let inside = inside?;
                if self.has(&inside, &|it| matches!(it, Layout::Int)) {
                    unbounded_type(items.span).report(checker);
                    return None;
                }
                Layout::Queue(capacity, Rc::new(inside))
            }
            TypeKind::Named(name) => self.named(name, checker)?,
            TypeKind::Array(Index(index), elements) => {
                let space = self.layout(index, checker);
                let elements = self.layout(elements, checker);
                let space = match space? {
                    Layout::Range(low, high) => Space::Range(low, high),
                    Layout::Bool => Space::Bool,
                    Layout::Member(index) => Space::Member(index),
                    _ => {
                        let message = "an array needs an index with finitely many values";
                        return error("malformed-type", message, index.span, "expected a range")
                            .with_help("for example `[0..3] of bool`")
                            .none(checker);
                    }
                };
                Layout::Array(space, Rc::new(elements?))
            }
            TypeKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.layout(part, checker)).collect();
                Layout::Tuple(parts.into_iter().collect::<Option<Rc<[Layout]>>>()?)
            }
            TypeKind::Set(_) | TypeKind::Queue(..) | TypeKind::Bits(_) => {
                let (message, help) = match &ty.kind {
                    TypeKind::Set(_) if self.in_processes => (
                        "processes share no sets",
                        "a set is an array of truth values: `[0..3] of bool`",
                    ),
                    TypeKind::Set(_) => (
                        "requests have no sets",
                        "a set is an array of truth values: `[0..3] of bool`",
                    ),
                    TypeKind::Queue(..) => (
                        "requests have no queues",
                        "a queue is an array with two counters: `var Slot: [0..3] of 0..9`, `var Head: 0..3`, `var Count: 0..4`",
                    ),
                    _ => ("requests have no `bits`", "a byte is `0..255`"),
                };
                return error("not-in-requests", message, ty.span, "only in processes")
                    .with_help(help)
                    .none(checker);
            }
            TypeKind::Error => return None,
        };
        let inside = match &layout {
            Layout::Array(_, inside) | Layout::Queue(_, inside) => std::slice::from_ref(&**inside),
            Layout::Tuple(parts) => parts,
            _ => &[],
        };
        if inside.iter().any(|it| self.has(it, &|it| matches!(it, Layout::Queue(..)))) {
            let message = "a queue is a variable of its own";
            return error("malformed-type", message, ty.span, "a queue inside of something else")
                .with_help("use one queue for each: `var A: queue[2] of 0..3`")
                .none(checker);
        }
        if inside.iter().any(|it| self.has(it, &|it| self.is_open(it))) {
            return self.key_inside(ty.span).none(checker);
        }
        let has_keys =
            |it: &Layout| matches!(it, Layout::Array(space, _) if self.is_open_space(*space));
        let is_keyed = |it: &Layout| has_keys(it);
        if has_keys(&layout) && inside.iter().any(|it| self.has(it, &is_keyed)) {
            let message = "an array has one index with any number of values";
            return error("malformed-type", message, ty.span, "two of them")
                .with_help("the other one may be a range, `bool` or an `enum`")
                .none(checker);
        }
        if self.width(&layout).is_none_or(|width| width > MAX_PARTS) {
            let message = "values of this type are too large";
            let label = format!("made of more than {MAX_PARTS} numbers");
            return error("type-too-large", message, ty.span, label).none(checker);
        }
        Some(layout)
    }

    /// Whether it is a type with any number of values.
    pub(super) fn is_open(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Member(index) if self.open.contains(index))
    }

    pub(super) fn is_open_space(&self, space: Space) -> bool {
        matches!(space, Space::Member(index) if self.open.contains(&index))
    }

    pub(super) fn is_open_type(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Member(index) if self.open.contains(index))
    }

    /// Values of such types are parameters.
    pub(super) fn key_inside(&self, span: Span) -> Diagnostic {
        let message = "values of a type without `=` are parameters, and what arrays are indexed by";
        error("key-in-variable", message, span, "no variable holds them")
            .with_help("write which values the type has: `type Row = 0..3`")
    }

    fn named(&self, name: &Name, checker: &mut Checker<'_, '_>) -> Option<Layout> {
        if let Some(layout) = self.names.get(name.text.as_str()) {
            return Some(layout.clone());
        }
        let text = &name.text;
        let diagnostic =
            error("undefined-type", format!("there is no type `{text}`"), name.span, "not defined");
        if checker.constants.contains(text) {
            return diagnostic
                .with_help(format!("a range has two ends: `0..{text}`"))
                .none(checker);
        }
        let known = self.names.keys().copied().chain(["bool", "int"]);
        match checker.sink.closest(text, known) {
            Some(known) => diagnostic.meant(known).none(checker),
            None => diagnostic
                .with_help("write a range like `0..10`, `bool`, `int`, or define it: `enum`, `record`, `type`")
                .none(checker),
        }
    }

    /// How many numbers a value has.
    pub(super) fn width(&self, layout: &Layout) -> Option<usize> {
        match layout {
            Layout::Int
            | Layout::Range(..)
            | Layout::Bits(_)
            | Layout::Bool
            | Layout::Member(_) => Some(1),
            Layout::Record(index) => {
                let fields = &self.records.get(*index)?.1;
                fields.iter().map(|(_, field)| self.width(field)).sum()
            }
            Layout::Array(space, elements) => self.size(*space)?.checked_mul(self.width(elements)?),
            Layout::Tuple(parts) => parts.iter().map(|part| self.width(part)).sum(),
            Layout::Queue(capacity, items) => {
                usize::try_from(*capacity).ok()?.checked_mul(self.width(items)?)?.checked_add(1)
            }
        }
    }

    /// How many elements an array has.
    pub(super) fn size(&self, space: Space) -> Option<usize> {
        match space {
            Space::Range(low, high) => usize::try_from(i128::from(high) - i128::from(low) + 1).ok(),
            Space::Bool => Some(2),
            Space::Member(index) => Some(self.members_of(index).len()),
            Space::List(size) => Some(size),
        }
    }

    /// The first index.
    pub(super) fn lowest(&self, space: Space) -> i64 {
        match space {
            Space::Range(low, _) => low,
            _ => 0,
        }
    }

    /// What an index is called.
    pub(super) fn index_name(&self, space: Space, index: i64) -> String {
        match space {
            Space::Bool => if index == 0 { "false" } else { "true" }.to_owned(),
            Space::Member(of) => {
                let name = usize::try_from(index).ok().and_then(|i| self.members_of(of).get(i));
                name.map_or_else(|| index.to_string(), String::clone)
            }
            Space::Range(..) | Space::List(_) => index.to_string(),
        }
    }

    /// What an index is.
    pub(super) fn index_type(&self, space: Space) -> Ty {
        match space {
            Space::Range(..) | Space::List(_) => Ty::Int,
            Space::Bool => Ty::Bool,
            Space::Member(index) => Ty::Member(index),
        }
    }

    pub(super) fn members_of(&self, enumeration: usize) -> &[String] {
        self.enumerations.get(enumeration).map_or(&[], |(_, members)| members)
    }

    pub(super) fn all_members(&self) -> impl Iterator<Item = &'p str> {
        self.members.keys().copied()
    }

    /// The enumerations that have a member of this name, with its number.
    pub(super) fn member(&self, name: &str) -> &[(usize, i64)] {
        self.members.get(name).map_or(&[], Vec::as_slice)
    }

    /// The enumeration of this name.
    pub(super) fn enumeration(&self, name: &str) -> Option<usize> {
        match self.names.get(name) {
            Some(Layout::Member(index)) => Some(*index),
            _ => None,
        }
    }

    /// The record of this name.
    pub(super) fn record(&self, name: &str) -> Option<usize> {
        match self.names.get(name) {
            Some(Layout::Record(index)) => Some(*index),
            _ => None,
        }
    }

    pub(super) fn fields(&self, record: usize) -> &[(String, Layout)] {
        self.records.get(record).map_or(&[], |(_, fields)| fields)
    }

    /// The type of the values of a layout.
    pub(super) fn erased(&self, layout: &Layout) -> Ty {
        match layout {
            Layout::Int | Layout::Range(..) | Layout::Bits(_) => Ty::Int,
            Layout::Queue(_, items) => Ty::Queue(Rc::new(self.erased(items))),
            Layout::Bool => Ty::Bool,
            Layout::Member(index) => Ty::Member(*index),
            Layout::Record(index) => Ty::Record(*index),
            Layout::Array(space, elements) => Ty::Array(*space, Rc::new(self.erased(elements))),
            Layout::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.erased(part)).collect()),
        }
    }

    /// The layout of a variable that nobody has declared.
    pub(super) fn layout_of(&self, ty: &Ty) -> Layout {
        match ty {
            Ty::Int | Ty::Open(_) | Ty::Queue(_) => Layout::Int,
            Ty::Bool => Layout::Bool,
            Ty::Member(index) => Layout::Member(*index),
            Ty::Record(index) => Layout::Record(*index),
            Ty::Array(space, elements) => {
                let space = match *space {
                    Space::List(size) => Space::Range(0, size as i64 - 1),
                    space => space,
                };
                Layout::Array(space, Rc::new(self.layout_of(elements)))
            }
            Ty::Tuple(parts) => {
                Layout::Tuple(parts.iter().map(|part| self.layout_of(part)).collect())
            }
        }
    }

    /// The same for editors.
    pub(super) fn domain(&self, layout: &Layout) -> Domain {
        let enumeration = |index: usize| {
            let name = self.enumerations.get(index).map_or("", |(name, _)| name);
            Domain::Enumeration(name.to_owned())
        };
        match layout {
            Layout::Int => Domain::Int,
            Layout::Range(low, high) => Domain::Range(*low, *high),
            Layout::Bits(bits) => Domain::Bits(i64::from(*bits)),
            Layout::Queue(capacity, items) => Domain::Queue(*capacity, self.domain(items).into()),
            Layout::Bool => Domain::Bool,
            Layout::Member(index) => enumeration(*index),
            Layout::Record(index) => {
                Domain::Record(self.records.get(*index).map_or("", |(name, _)| name).to_owned())
            }
            Layout::Array(space, elements) => {
                let index = match *space {
                    Space::Range(low, high) => Domain::Range(low, high),
                    Space::Bool => Domain::Bool,
                    Space::Member(index) => enumeration(index),
                    Space::List(size) => Domain::Range(0, size as i64 - 1),
                };
                Domain::Array(index.into(), self.domain(elements).into())
            }
            Layout::Tuple(parts) => {
                Domain::Tuple(parts.iter().map(|part| self.domain(part)).collect())
            }
        }
    }

    /// The fields of all records, for editors.
    pub(super) fn fields_of_records(&self) -> BTreeMap<String, Vec<(String, Domain)>> {
        let domains = |fields: &[(String, Layout)]| {
            fields.iter().map(|(field, layout)| (field.clone(), self.domain(layout))).collect()
        };
        self.records.iter().map(|(name, fields)| ((*name).to_owned(), domains(fields))).collect()
    }

    /// How the values of a type are written.
    pub(super) fn shape(&self, ty: &Ty) -> Shape {
        match ty {
            Ty::Int | Ty::Open(_) | Ty::Queue(_) => Shape::Number,
            Ty::Bool => Shape::Bool,
            Ty::Member(index) => Shape::Member(
                self.enumerations.get(*index).map(|it| it.1.clone()).unwrap_or_default(),
            ),
            Ty::Record(index) => {
                let name = self.records.get(*index).map_or("", |(name, _)| name);
                let fields = self.fields(*index).iter();
                let fields =
                    fields.map(|(f, layout)| (f.clone(), self.shape(&self.erased(layout))));
                Shape::Record(name.to_owned(), fields.collect())
            }
            Ty::Array(space, elements) => {
                let size = self.size(*space).unwrap_or(0);
                Shape::Array(vec![self.shape(elements); size])
            }
            Ty::Tuple(parts) => Shape::Tuple(parts.iter().map(|part| self.shape(part)).collect()),
        }
    }

    /// The values of a type that has finitely many, as numbers; nothing if it has too many, or is
    /// made of parts.
    pub(super) fn values(&self, layout: &Layout) -> Option<(i64, i64)> {
        match layout {
            Layout::Range(low, high) => Some((*low, *high)),
            Layout::Bits(bits) => Some((0, (1 << bits) - 1)),
            Layout::Bool => Some((0, 1)),
            Layout::Member(index) if !self.open.contains(index) => {
                Some((0, self.members_of(*index).len() as i64 - 1))
            }
            _ => None,
        }
        .filter(|(low, high)| high.abs_diff(*low) < MAX_CHOICES)
    }

    /// A type in a message.
    pub(super) fn name(&self, ty: &Ty, unifier: &Unifier) -> String {
        match unifier.seen(ty) {
            Ty::Int => "a number".to_owned(),
            Ty::Bool => "a truth value".to_owned(),
            Ty::Open(_) => "a number or a truth value".to_owned(),
            Ty::Member(index) => {
                with_article(self.enumerations.get(index).map_or("", |(name, _)| name))
            }
            Ty::Record(index) => with_article(self.records.get(index).map_or("", |(name, _)| name)),
            Ty::Array(space, elements) => {
                let size = self.size(space).unwrap_or(0);
                format!("an array of {size} elements, each {}", self.name(&elements, unifier))
            }
            Ty::Tuple(parts) => format!("a tuple of {} values", parts.len()),
            Ty::Queue(_) => "a queue".to_owned(),
        }
    }
}

/// "an `Order`".
fn with_article(name: &str) -> String {
    let article = if name.starts_with(|c: char| "AEIOUaeiou".contains(c)) { "an" } else { "a" };
    format!("{article} `{name}`")
}
