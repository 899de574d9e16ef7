//! Where the names of a file stand, and what they stand for, for editors.

use super::IcetParse;
use super::ast::{
    ConstructorId, EnumId, MessageId, Process, ProcessId, Protocol, SetId, SetKind, Type, VarId,
};
use crate::ast::Name;
use ser_base::Span;

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A set of processes or numbers.
    Set(SetId),
    /// An enumeration.
    Enum(EnumId),
    /// A value of an enumeration.
    EnumValue(EnumId, u32),
    /// A message type.
    Message(MessageId),
    /// A constructor.
    Constructor(MessageId, ConstructorId),
    /// A process.
    Process(ProcessId),
    /// What a member of a set calls itself.
    Me(ProcessId),
    /// A variable.
    Variable(ProcessId, VarId),
}

/// A place where a name stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// The place of the name.
    pub span: Span,
    /// What it stands for.
    pub symbol: Symbol,
    /// Whether it is declared there; of a variable, whether it gets its first value there.
    pub defines: bool,
}

impl IcetParse {
    /// The name that stands at a byte offset; its end counts, unless another one starts there.
    ///
    /// ```
    /// let parse = ser_syntax::icet::parse("proc p { x := 1; assert x == 1; }");
    /// let read = parse.name_at(24).expect("the `x` behind `assert`");
    /// let places: Vec<u32> = parse.places(read.symbol).map(|place| place.span.start).collect();
    /// assert_eq!(places, [9, 24]);
    /// assert_eq!(parse.protocol.declaration(read.symbol), "variable x: int");
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

    /// Where a name is declared; of a variable, where it gets its first value.
    pub fn definition(&self, symbol: Symbol) -> Option<Span> {
        self.places(symbol).find(|it| it.defines).map(|it| it.span)
    }
}

impl Protocol {
    /// A type as it is written.
    pub fn type_name(&self, ty: Type) -> String {
        let written = |name: Option<&Name>| name.map_or("?", |name| &name.text).to_owned();
        match ty {
            Type::Int => "int".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Pid => "pid".to_owned(),
            Type::Member(SetId(id)) => {
                format!("pid in {}", written(self.sets.get(id as usize).map(|it| &it.name)))
            }
            Type::Enum(EnumId(id)) => written(self.enums.get(id as usize).map(|it| &it.name)),
            Type::Message(MessageId(id)) => {
                written(self.messages.get(id as usize).map(|it| &it.name))
            }
        }
    }

    /// How something was declared, in one line; a variable with its type.
    pub fn declaration(&self, symbol: Symbol) -> String {
        let found = match symbol {
            Symbol::Set(SetId(id)) => self.sets.get(id as usize).map(|set| {
                let word = match set.kind {
                    SetKind::Processes => "procs",
                    SetKind::Indices => "index",
                };
                match set.at_least {
                    0 => format!("{word} {};", set.name.text),
                    size => format!("{word} {} >= {size};", set.name.text),
                }
            }),
            Symbol::Enum(id) | Symbol::EnumValue(id, _) => {
                self.enums.get(id.0 as usize).map(|item| {
                    let values: Vec<&str> =
                        item.values.iter().map(|value| value.text.as_str()).collect();
                    format!("enum {} {{ {} }}", item.name.text, values.join(", "))
                })
            }
            Symbol::Message(MessageId(id)) | Symbol::Constructor(MessageId(id), _) => {
                self.messages.get(id as usize).map(|item| {
                    let constructors: Vec<String> = item
                        .constructors
                        .iter()
                        .map(|it| match it.fields.as_slice() {
                            [] => it.name.text.clone(),
                            fields => {
                                let fields: Vec<String> =
                                    fields.iter().map(|field| self.type_name(*field)).collect();
                                format!("{}({})", it.name.text, fields.join(", "))
                            }
                        })
                        .collect();
                    format!("msg {} = {};", item.name.text, constructors.join(" | "))
                })
            }
            Symbol::Process(id) => self.processes.get(id.0 as usize).map(|it| self.header(it)),
            Symbol::Me(id) => self.processes.get(id.0 as usize).map(|process| {
                let me = process.me.as_ref().map_or("self", |me| &me.text);
                let ty = process.set.map_or(Type::Pid, Type::Member);
                format!("{me}: {}", self.type_name(ty))
            }),
            Symbol::Variable(process, VarId(id)) => {
                let process = self.processes.get(process.0 as usize);
                process.and_then(|process| process.variables.get(id as usize)).map(|variable| {
                    format!("variable {}: {}", variable.name.text, self.type_name(variable.ty))
                })
            }
        };
        found.unwrap_or_default()
    }

    /// `server proc worker for w in W`.
    fn header(&self, process: &Process) -> String {
        let server = if process.server { "server " } else { "" };
        let set = process.set.and_then(|set| self.sets.get(set.0 as usize));
        let member = match (&process.me, set) {
            (Some(me), Some(set)) => format!(" for {} in {}", me.text, set.name.text),
            _ => String::new(),
        };
        format!("{server}proc {}{member}", process.name.text)
    }
}
