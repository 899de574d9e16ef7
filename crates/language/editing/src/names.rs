//! Where the names of a file stand, and what they stand for, for editors.

use crate::show::{show_type, show_values};
use ser_base::Span;
use ser_syntax::Occurrence;
use ser_syntax::ast::Name;
use ser_syntax::icet::ast::{Process, SetKind, Type};
use ser_syntax::icet::{self, IcetParse, Protocol};
use ser_syntax::inv::ast::{GlobalId, InvId, LocId, LocalId, ProcId, Scalar, Type as Kind};
use ser_syntax::inv::{self, InvParse};

/// The names of a file that was read.
///
/// ```
/// use ser_editing::Names;
/// let text = "set S var x: int = 0 process p for t in S { x := x + 1 }";
/// let parse = ser_syntax::inv::parse(text);
/// let read = parse.name_at(49).expect("the `x` behind `:=`");
/// let places: Vec<u32> = parse.places(read.symbol).map(|place| place.span.start).collect();
/// assert_eq!(places, [10, 44, 49]);
/// assert_eq!(parse.declaration(read.symbol), "var x: int");
///
/// let parse = ser_syntax::icet::parse("process p { x := 1; assert x == 1; }");
/// let read = parse.name_at(27).expect("the `x` behind `assert`");
/// let places: Vec<u32> = parse.places(read.symbol).map(|place| place.span.start).collect();
/// assert_eq!(places, [12, 27]);
/// assert_eq!(parse.declaration(read.symbol), "variable x: int");
/// ```
pub trait Names {
    /// What can have a name.
    type Symbol: Copy + Ord;

    /// Every place of a name, in the order of the text.
    fn occurrences(&self) -> &[Occurrence<Self::Symbol>];

    /// How something was declared, in one line.
    fn declaration(&self, symbol: Self::Symbol) -> String;

    /// The name that stands at a byte offset; its end counts, unless another one starts there.
    fn name_at(&self, offset: u32) -> Option<&Occurrence<Self::Symbol>> {
        let next = self.occurrences().partition_point(|it| it.span.start <= offset);
        let here = next.checked_sub(1).and_then(|place| self.occurrences().get(place))?;
        (offset <= here.span.end).then_some(here)
    }

    /// All places of a name, in the order of the text.
    fn places(&self, symbol: Self::Symbol) -> impl Iterator<Item = &Occurrence<Self::Symbol>> {
        self.occurrences().iter().filter(move |it| it.symbol == symbol)
    }

    /// Where a name is declared; of a variable without a declaration, where it gets its first
    /// value.
    fn definition(&self, symbol: Self::Symbol) -> Option<Span> {
        self.places(symbol).find(|it| it.defines).map(|it| it.span)
    }
}

impl Names for IcetParse {
    type Symbol = icet::symbols::Symbol;

    fn occurrences(&self) -> &[Occurrence<Self::Symbol>] {
        &self.occurrences
    }

    fn declaration(&self, symbol: icet::symbols::Symbol) -> String {
        use icet::symbols::Symbol;
        let protocol = &self.protocol;
        match symbol {
            Symbol::Constant(place) => {
                let name = self.tree.constants.get(place as usize).map(|it| it.name.text.as_str());
                let name = name.unwrap_or("?");
                let value = ser_syntax::constants(&self.tree).get(name).map(i64::to_string);
                format!("const {name} = {}", value.as_deref().unwrap_or("?"))
            }
            Symbol::Set(id) => {
                let set = protocol.set(id);
                let word = if set.kind == SetKind::Processes { "set" } else { "index" };
                match set.at_least {
                    0 => format!("{word} {}", set.name.text),
                    size => format!("{word} {} >= {size}", set.name.text),
                }
            }
            Symbol::Enum(id) | Symbol::EnumValue(id, _) => {
                let item = &protocol.enums[id.index()];
                format!("enum {} {{ {} }}", item.name.text, list(&item.values))
            }
            Symbol::Message(id) | Symbol::Constructor(id, _) => {
                let item = protocol.message(id);
                let constructors = item.constructors.iter().map(|it| {
                    let fields = it.fields.iter().map(|field| type_name(protocol, *field));
                    match it.fields.is_empty() {
                        true => it.name.text.clone(),
                        false => {
                            format!("{}({})", it.name.text, fields.collect::<Vec<_>>().join(", "))
                        }
                    }
                });
                let constructors = constructors.collect::<Vec<_>>().join(" | ");
                format!("msg {} = {constructors}", item.name.text)
            }
            Symbol::Process(id) => header(protocol, protocol.process(id)),
            Symbol::Me(id) => {
                let process = protocol.process(id);
                let me = process.me.as_ref().map_or("self", |me| &me.text);
                let ty = process.set.map_or(Type::Pid, Type::Member);
                format!("{me}: {}", type_name(protocol, ty))
            }
            Symbol::Variable(process, id) => {
                let variable = &protocol.process(process).variables[id.index()];
                format!("variable {}: {}", variable.name.text, type_name(protocol, variable.ty))
            }
        }
    }
}

/// A type as it is written.
pub fn type_name(protocol: &Protocol, ty: Type) -> String {
    match ty {
        Type::Int => "int".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Pid => "pid".to_owned(),
        Type::Member(id) => protocol.set(id).name.text.clone(),
        Type::Enum(id) => protocol.enums[id.index()].name.text.clone(),
        Type::Message(id) => protocol.message(id).name.text.clone(),
    }
}

/// `server process worker for w in W`.
fn header(protocol: &Protocol, process: &Process) -> String {
    let server = if process.server { "server " } else { "" };
    let set = process.set.map(|set| protocol.set(set));
    let member = match (&process.me, set) {
        (Some(me), Some(set)) => format!(" for {} in {}", me.text, set.name.text),
        _ => String::new(),
    };
    format!("{server}process {}{member}", process.name.text)
}

impl Names for InvParse {
    type Symbol = inv::symbols::Symbol;

    fn occurrences(&self) -> &[Occurrence<Self::Symbol>] {
        &self.occurrences
    }

    fn declaration(&self, symbol: inv::symbols::Symbol) -> String {
        use inv::symbols::Symbol;
        let system = &self.system;
        let ghost = |ghost: bool| if ghost { "ghost " } else { "" };
        let procedure = |id: ProcId| system.procedures.get(id.0 as usize);
        let ty = |ty: Kind| show_type(system, ty);
        let found = match symbol {
            Symbol::Member => system
                .member
                .as_ref()
                .map(|member| format!("{}: {}", member.text, ty(Kind::Scalar(Scalar::Tid)))),
            Symbol::Constant(id) => self.tree.constants.get(id as usize).map(|item| {
                let value = ser_syntax::constants(&self.tree).get(&item.name.text).copied();
                let value = value.map_or(String::new(), |value| format!(" = {value}"));
                format!("const {}{value}", item.name.text)
            }),
            Symbol::Enumeration(id) => system
                .enumerations
                .get(id as usize)
                .map(|item| format!("enum {} {{ {} }}", item.name.text, list(&item.members))),
            Symbol::Value(id, number) => system.enumerations.get(id as usize).and_then(|item| {
                let member = item.members.get(number as usize)?;
                Some(format!("{}.{}", item.name.text, member.text))
            }),
            Symbol::Alias(id) => {
                self.tree.aliases.get(id as usize).map(|item| format!("type {}", item.name.text))
            }
            Symbol::Global(GlobalId(id)) => system.globals.get(id as usize).map(|global| {
                let of = show_values(system, global.ty, global.enumeration, global.range);
                format!("{}var {}: {of}", ghost(global.ghost), global.name.text)
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
                let values = show_values(system, local.ty, local.enumeration, local.range);
                format!("{}{word} {}: {values}{of}", ghost(local.ghost), local.name.text)
            }),
            Symbol::Procedure(id) => procedure(id).map(|item| {
                if id == ProcId(0) {
                    return match (&system.member, &system.set) {
                        (Some(member), Some(set)) => {
                            format!(
                                "process {} for {} in {}",
                                item.name.text, member.text, set.text
                            )
                        }
                        _ => format!("process {}", item.name.text),
                    };
                }
                let parameters: Vec<String> = item
                    .parameters
                    .iter()
                    .filter_map(|LocalId(local)| system.locals.get(*local as usize))
                    .map(|it| {
                        let of = show_values(system, it.ty, it.enumeration, it.range);
                        format!("{}: {of}", it.name.text)
                    })
                    .collect();
                let result =
                    item.result.map_or(String::new(), |result| format!(": {}", ty(result)));
                format!("fn {}({}){result}", item.name.text, parameters.join(", "))
            }),
            Symbol::Statement(LocId(id)) => system.locations.get(id as usize).and_then(|it| {
                let name = it.name.as_ref()?;
                Some(format!("location {}, `{}`", id + 1, name.text))
            }),
            Symbol::Label(id) => self.labels.get(id as usize).map(|label| {
                let (first, last) = (label.first.0 + 1, label.last.0 + 1);
                match first == last {
                    true => format!("place {}: location {first}", label.name.text),
                    false => format!("place {}: locations {first} to {last}", label.name.text),
                }
            }),
            Symbol::Let(id) => self.lets.get(id as usize).map(|item| {
                let ty = item.ty.map_or(String::new(), |it| format!(": {}", ty(it)));
                match item.parameters.as_slice() {
                    [] => format!("fn {}{ty}", item.name.text),
                    names => format!("fn {}({}){ty}", item.name.text, list(names)),
                }
            }),
            Symbol::LetParameter(id, place) => self
                .lets
                .get(id as usize)
                .and_then(|item| item.parameters.get(place as usize))
                .map(|name| format!("thread {}: {}", name.text, ty(Kind::Scalar(Scalar::Tid)))),
            Symbol::Invariant(InvId(id)) => {
                system.invariants.get(id as usize).map(|item| match item.parameters.as_slice() {
                    [] => format!("invariant {}", item.name.text),
                    names => format!("invariant {}({})", item.name.text, list(names)),
                })
            }
            Symbol::Parameter(InvId(id), place) => system
                .invariants
                .get(id as usize)
                .and_then(|item| item.parameters.get(place as usize))
                .map(|name| format!("thread {}: {}", name.text, ty(Kind::Scalar(Scalar::Tid)))),
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
