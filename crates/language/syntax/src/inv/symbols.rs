//! Where the names of a file stand, and what they stand for, for editors.

use super::InvParse;
use super::ast::{GlobalId, InvId, LocId, LocalId, ProcId, Scalar, Type};
use crate::ast::Name;
use ser_base::Span;
use std::fmt;

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A global variable.
    Global(GlobalId),
    /// A local variable or a parameter of a procedure.
    Local(LocalId),
    /// A procedure, or `thread`.
    Procedure(ProcId),
    /// A named statement.
    Statement(LocId),
    /// A label: its place in [`InvParse::labels`].
    Label(u32),
    /// A `let`: its place in [`InvParse::lets`].
    Let(u32),
    /// A parameter of a `let`.
    LetParameter(u32, u32),
    /// An invariant.
    Invariant(InvId),
    /// A parameter of an invariant.
    Parameter(InvId, u32),
    /// A conjunct of an invariant.
    Conjunct(InvId, u32),
}

/// A place where a name stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// The place of the name.
    pub span: Span,
    /// What it stands for.
    pub symbol: Symbol,
    /// Whether it is declared there.
    pub defines: bool,
}

/// `label crit { ... }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// The procedure in which it stands.
    pub procedure: ProcId,
    /// Its first location.
    pub first: LocId,
    /// Its last location.
    pub last: LocId,
}

/// `let active(i) = formula;`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Let {
    /// Its name.
    pub name: Name,
    /// Its thread variables.
    pub parameters: Vec<Name>,
    /// The type of its value; nothing if it was not understood.
    pub ty: Option<Type>,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Int => "int",
            Scalar::Tid => "tid",
            Scalar::Addr => "addr",
            Scalar::Elem => "elem",
        })
    }
}

/// As it is written: `int`, `set<addr>`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Set(scalar) => write!(f, "set<{scalar}>"),
        }
    }
}

impl InvParse {
    /// The name that stands at a byte offset; its end counts, unless another one starts there.
    ///
    /// ```
    /// let parse = ser_syntax::inv::parse("global x : int = 0; thread { x := x + 1; }");
    /// let read = parse.name_at(34).expect("the `x` behind `:=`");
    /// let places: Vec<u32> = parse.places(read.symbol).map(|place| place.span.start).collect();
    /// assert_eq!(places, [7, 29, 34]);
    /// assert_eq!(parse.declaration(read.symbol), "global x : int");
    /// ```
    pub fn name_at(&self, offset: u32) -> Option<&Occurrence> {
        let next = self.occurrences.partition_point(|it| it.span.start <= offset);
        let here = next.checked_sub(1).and_then(|place| self.occurrences.get(place))?;
        (offset <= here.span.end).then_some(here)
    }

    /// All places of a name, in the order of the text.
    pub fn places(&self, symbol: Symbol) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |it| it.symbol == symbol)
    }

    /// Where a name is declared.
    pub fn definition(&self, symbol: Symbol) -> Option<Span> {
        self.places(symbol).find(|it| it.defines).map(|it| it.span)
    }

    /// How something was declared, in one line.
    pub fn declaration(&self, symbol: Symbol) -> String {
        let system = &self.system;
        let ghost = |ghost: bool| if ghost { "ghost " } else { "" };
        let procedure = |id: ProcId| system.procedures.get(id.0 as usize);
        let found = match symbol {
            Symbol::Global(GlobalId(id)) => system.globals.get(id as usize).map(|global| {
                format!("{}global {} : {}", ghost(global.ghost), global.name.text, global.ty)
            }),
            Symbol::Local(id) => system.locals.get(id.0 as usize).map(|local| {
                let owner = procedure(local.procedure);
                let is_parameter = owner.is_some_and(|owner| owner.parameters.contains(&id));
                let word = if is_parameter { "parameter" } else { "local" };
                let of = match owner {
                    Some(owner) if local.procedure != ProcId(0) => {
                        format!(" of `{}`", owner.name.text)
                    }
                    _ => String::new(),
                };
                format!("{}{word} {} : {}{of}", ghost(local.ghost), local.name.text, local.ty)
            }),
            Symbol::Procedure(id) => procedure(id).map(|item| {
                if id == ProcId(0) {
                    return "thread".to_owned();
                }
                let parameters: Vec<String> = item
                    .parameters
                    .iter()
                    .filter_map(|LocalId(local)| system.locals.get(*local as usize))
                    .map(|local| format!("{} : {}", local.name.text, local.ty))
                    .collect();
                let result = item.result.map_or(String::new(), |result| format!(" : {result}"));
                format!("proc {}({}){result}", item.name.text, parameters.join(", "))
            }),
            Symbol::Statement(LocId(id)) => system.locations.get(id as usize).and_then(|it| {
                let name = it.name.as_ref()?;
                Some(format!("location {}, `{}`", id + 1, name.text))
            }),
            Symbol::Label(id) => self.labels.get(id as usize).map(|label| {
                let (first, last) = (label.first.0 + 1, label.last.0 + 1);
                match first == last {
                    true => format!("label {}: location {first}", label.name.text),
                    false => format!("label {}: locations {first} to {last}", label.name.text),
                }
            }),
            Symbol::Let(id) => self.lets.get(id as usize).map(|item| {
                let ty = item.ty.map_or(String::new(), |ty| format!(" : {ty}"));
                match item.parameters.as_slice() {
                    [] => format!("let {}{ty}", item.name.text),
                    names => format!("let {}({}){ty}", item.name.text, list(names)),
                }
            }),
            Symbol::LetParameter(id, place) => self
                .lets
                .get(id as usize)
                .and_then(|item| item.parameters.get(place as usize))
                .map(|name| format!("thread {} : tid", name.text)),
            Symbol::Invariant(InvId(id)) => system
                .invariants
                .get(id as usize)
                .map(|item| format!("invariant {}({})", item.name.text, list(&item.parameters))),
            Symbol::Parameter(InvId(id), place) => system
                .invariants
                .get(id as usize)
                .and_then(|item| item.parameters.get(place as usize))
                .map(|name| format!("thread {} : tid", name.text)),
            Symbol::Conjunct(InvId(id), place) => {
                system.invariants.get(id as usize).and_then(|item| {
                    let tag = item.conjuncts.get(place as usize)?.tag.as_ref()?;
                    Some(format!("conjunct {}.{}", item.name.text, tag.text))
                })
            }
        };
        found.unwrap_or_default()
    }
}

fn list(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    names.join(", ")
}
