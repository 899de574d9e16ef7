//! From [`syntax`](super::syntax) to a [`Protocol`]: every name gets its meaning, every expression
//! its type.
//!
//! Two tables hold the names of the file: things (sets, enumerations, message types, processes) and
//! values (constructors, values of enumerations). A constructor may have the name of a message
//! type, because one never stands where the other can; apart from that, a name means one thing in
//! the whole file.
//!
//! Variables belong to their process and are not declared: the first place in the text that gives
//! one a value fixes its type. This is enough for a single walk over the text, because no variable
//! can be read before the first such place (`assigned` checks the rest of that).
//!
//! A statement or expression that is wrong is reported and left out, and a variable whose type is
//! not known for that reason fits everywhere: one mistake, one message. After an error the protocol
//! has no meaning, but what was understood is there, with all places where names stand, for
//! editors.
//!
//! - `scope`: the variables of a process;
//! - `types`: which type fits where, and what types are called;
//! - `statements`, `patterns`, `expressions`: what a process does.

mod expressions;
mod patterns;
mod scope;
mod statements;
mod types;

use super::ast::{
    Constructor, ConstructorId, EnumDecl, EnumId, MessageId, MessageType, Process, ProcessId,
    Protocol, SetDecl, SetId, SetKind, Type, Variable,
};
use super::symbols::Symbol;
use super::syntax::{File, Item, MessageItem, ProcessItem, TypeName, TypeNameKind};
use super::{MAX_CONSTRUCTORS, MAX_FIELDS};
use crate::Occurrence;
use crate::ast::Name;
use crate::naming::{Naming, knows_names};
use crate::report::{Messages as _, Report as _, error};
use scope::Scope;
use ser_base::{Sink, Span};
use std::collections::HashMap;

/// The meaning of a file; what is wrong goes to `sink`. The second part says where names stand.
pub(super) fn resolve(file: &File, sink: &mut Sink) -> (Protocol, Vec<Occurrence<Symbol>>) {
    let mut resolver = Resolver {
        naming: Naming::new(sink),
        protocol: Protocol::default(),
        values: HashMap::new(),
        scope: Scope::default(),
        set_missing: false,
        sets_of_processes: Vec::new(),
    };
    resolver.declare(file);
    let processes = file.items.iter().filter_map(|item| match item {
        Item::Process(process) => Some(process),
        _ => None,
    });
    for (number, item) in processes.enumerate() {
        resolver.process(ProcessId(number as u32), item);
    }
    resolver.every_set_has_a_process();
    (resolver.protocol, resolver.naming.occurrences)
}

/// What types there are.
pub(super) const TYPES: &str =
    "types are `int`, `bool`, `pid`, `pid in SET` and the names of enumerations";

/// What a name at top level stands for.
#[derive(Clone, Copy)]
enum Thing {
    Set(SetId),
    Enum(EnumId),
    Message(MessageId),
    Process(ProcessId),
}

/// A value that has a name.
#[derive(Clone, Copy)]
enum NamedValue {
    Constructor(MessageId, ConstructorId),
    Enum(EnumId, u32),
}

struct Resolver<'f, 's> {
    naming: Naming<'f, 's, Thing, Symbol>,
    protocol: Protocol,
    values: HashMap<&'f str, (NamedValue, Span)>,
    scope: Scope<'f>,
    /// Whether the set of a process is not known: then it may be any that seems to have none.
    set_missing: bool,
    /// For each process the name of its set, if it is one for each member.
    sets_of_processes: Vec<Option<&'f Name>>,
}

knows_names!(Thing, Symbol);

impl<'f> Resolver<'f, '_> {
    /// The names of the file, sets and enumerations first: types of fields may be declared later.
    fn declare(&mut self, file: &'f File) {
        for item in &file.items {
            match item {
                Item::Set(set) => self.declare_set(set),
                Item::Enum(enumeration) => self.declare_enum(enumeration),
                _ => {}
            }
        }
        let mut processes = 0;
        for item in &file.items {
            match item {
                Item::Message(message) => self.declare_message(message),
                Item::Process(process) => {
                    let id = ProcessId(processes);
                    processes += 1;
                    self.declare_thing(&process.name, Thing::Process(id));
                    self.sets_of_processes.push(process.member.as_ref().map(|(_, set)| set));
                    self.occurs(process.name.span, Symbol::Process(id), true);
                }
                _ => {}
            }
        }
        // Values last, so that a clash is reported at the value, whatever stands first.
        let (mut enums, mut messages) = (0, 0);
        for item in &file.items {
            match item {
                Item::Enum(enumeration) => {
                    let id = EnumId(enums);
                    enums += 1;
                    for (place, value) in enumeration.values.iter().enumerate() {
                        let place = place as u32;
                        self.declare_value(value, NamedValue::Enum(id, place));
                        self.occurs(value.span, Symbol::EnumValue(id, place), true);
                    }
                }
                Item::Message(message) => {
                    let id = MessageId(messages);
                    messages += 1;
                    for (place, constructor) in message.constructors.iter().enumerate() {
                        let place = ConstructorId(place as u32);
                        self.declare_value(&constructor.name, NamedValue::Constructor(id, place));
                        self.occurs(constructor.name.span, Symbol::Constructor(id, place), true);
                    }
                }
                _ => {}
            }
        }
    }

    fn declare_set(&mut self, item: &'f SetDecl) {
        let id = SetId(self.protocol.sets.len() as u32);
        self.declare_thing(&item.name, Thing::Set(id));
        self.occurs(item.name.span, Symbol::Set(id), true);
        self.protocol.sets.push(item.clone());
    }

    fn declare_enum(&mut self, item: &'f EnumDecl) {
        let id = EnumId(self.protocol.enums.len() as u32);
        self.declare_thing(&item.name, Thing::Enum(id));
        self.occurs(item.name.span, Symbol::Enum(id), true);
        self.protocol.enums.push(item.clone());
    }

    fn declare_message(&mut self, item: &'f MessageItem) {
        let id = MessageId(self.protocol.messages.len() as u32);
        self.declare_thing(&item.name, Thing::Message(id));
        self.occurs(item.name.span, Symbol::Message(id), true);
        if let Some(extra) = item.constructors.get(MAX_CONSTRUCTORS) {
            let message = format!("a message type has at most {MAX_CONSTRUCTORS} constructors");
            error("too-many-constructors", message, extra.name.span, "one too many")
                .with_help("use several message types, or a field with a number")
                .report(self);
        }
        let constructors = item
            .constructors
            .iter()
            .map(|constructor| {
                if let Some(extra) = constructor.fields.get(MAX_FIELDS) {
                    let message = format!("a message has at most {MAX_FIELDS} fields");
                    error("too-many-fields", message, extra.span, "one too many")
                        .with_help("send several messages")
                        .report(self);
                }
                let fields = constructor.fields.iter();
                let fields = fields.map(|field| self.type_named(field).unwrap_or(Type::Int));
                Constructor { name: constructor.name.clone(), fields: fields.collect() }
            })
            .collect();
        self.protocol.messages.push(MessageType { name: item.name.clone(), constructors });
    }

    fn declare_value(&mut self, name: &'f Name, value: NamedValue) {
        let thing = self.thing(&name.text);
        let first = match (self.values.get(name.text.as_str()), thing) {
            (Some(&(_, first)), _) => first,
            (None, None | Some((Thing::Message(_), _))) => {
                self.values.insert(&name.text, (value, name.span));
                return;
            }
            (None, Some((_, first))) => first,
        };
        self.name_clash(name, first);
    }

    /// The type that is written there.
    fn type_named(&mut self, written: &TypeName) -> Option<Type> {
        match &written.kind {
            TypeNameKind::Int => Some(Type::Int),
            TypeNameKind::Bool => Some(Type::Bool),
            TypeNameKind::Pid => Some(Type::Pid),
            TypeNameKind::Member(set) => {
                let (id, _) = self.set(set, Some(SetKind::Processes))?;
                Some(Type::Member(id))
            }
            TypeNameKind::Named(name) => match self.thing(&name.text) {
                Some((Thing::Enum(id), _)) => {
                    self.occurs(name.span, Symbol::Enum(id), false);
                    Some(Type::Enum(id))
                }
                Some((Thing::Set(id), _)) => {
                    self.occurs(name.span, Symbol::Set(id), false);
                    let diagnostic =
                        name.error("not-a-type", "is a set, not a type", "expected a type");
                    let diagnostic = match self.protocol.set(id).kind {
                        SetKind::Processes => {
                            let right = format!("pid in {}", name.text);
                            diagnostic.with_fix(format!("write `{right}`"), name.span, right)
                        }
                        SetKind::Indices => diagnostic.with_fix(
                            "its members are numbers: write `int`",
                            name.span,
                            "int",
                        ),
                    };
                    self.report(diagnostic);
                    None
                }
                Some((Thing::Message(_), span)) => name
                    .error(
                        "not-a-type",
                        "is a message type",
                        "messages do not carry messages, and are not chosen by `any`",
                    )
                    .declared(span)
                    .with_help("name the fields one by one, with types like `int` and `pid`")
                    .none(self),
                Some((Thing::Process(_), span)) => name
                    .error("not-a-type", "is a process, not a type", "expected a type")
                    .declared(span)
                    .with_fix("the type of addresses is `pid`", name.span, "pid")
                    .none(self),
                None => {
                    let enums = self.names_of(|thing| matches!(thing, Thing::Enum(_)));
                    let known = enums.chain(["int", "bool", "pid"]);
                    let what = format!("type {name}");
                    self.unknown("unknown-type", what, name, known, TYPES).none(self)
                }
            },
        }
    }

    /// The set with that name; of that kind, if one is asked for.
    fn set(&mut self, name: &Name, wanted: Option<SetKind>) -> Option<(SetId, SetKind)> {
        let found = self.thing(&name.text);
        let (id, span) = match found {
            Some((Thing::Set(id), span)) => (id, span),
            Some((_, span)) => {
                return self.not_a_set(name, Some(span));
            }
            None if self.scope.knows(&name.text)
                || self.values.contains_key(name.text.as_str()) =>
            {
                return self.not_a_set(name, None);
            }
            None => {
                let sets = self.names_of(|thing| matches!(thing, Thing::Set(_)));
                let help =
                    "declare it at top level: `procs Q;` for processes, `index I;` for numbers";
                let what = format!("set {name}");
                return self.unknown("unknown-set", what, name, sets, help).none(self);
            }
        };
        self.occurs(name.span, Symbol::Set(id), false);
        let kind = self.protocol.set(id).kind;
        match wanted {
            Some(wanted) if wanted != kind => {
                let (is, help) = match kind {
                    SetKind::Indices => ("a set of numbers", "processes"),
                    SetKind::Processes => ("a set of processes", "numbers"),
                };
                let word = if wanted == SetKind::Processes { "procs" } else { "index" };
                name.wrong("wrong-kind-of-set", format!("is {is}"))
                    .with_label(format!("expected a set of {help}"))
                    .declared(span)
                    .with_help(format!("declare one with `{word} ...;`"))
                    .none(self)
            }
            _ => Some((id, kind)),
        }
    }

    fn not_a_set<T>(&mut self, name: &Name, declared: Option<Span>) -> Option<T> {
        name.error("not-a-set", "is not a set", "expected the name of a set")
            .declared(declared)
            .with_help("sets are declared with `procs Q;` (processes) and `index I;` (numbers)")
            .none(self)
    }

    fn process(&mut self, id: ProcessId, item: &'f ProcessItem) {
        let set = item
            .member
            .as_ref()
            .and_then(|(_, set)| self.set(set, Some(SetKind::Processes)).map(|(id, _)| id));
        if let Some(set) = set
            && let Some(first) = self.protocol.members_of(set)
        {
            let text = &self.protocol.set(set).name.text;
            let message = format!("the set `{text}` has two processes");
            let first = &self.protocol.process(first).name;
            error("two-processes-of-set", message, item.name.span, "a second one")
                .with_secondary(first.span, "the first one")
                .with_help(
                    "all members of a set run the same code; declare another set for the others",
                )
                .report(self);
        }
        self.set_missing |= set.is_none() && item.member.is_some();
        let me = item.member.as_ref().map(|(me, _)| me);
        if let Some(me) = me {
            if let Some(first) = self.taken(&me.text) {
                self.name_clash(me, first);
            }
            self.occurs(me.span, Symbol::Me(id), true);
        }
        self.scope = Scope::new(id, set, item.member.is_some(), me, &item.body);
        let body = self.block(&item.body);
        let variables = std::mem::take(&mut self.scope).into_variables();
        self.protocol.processes.push(Process {
            name: item.name.clone(),
            server: item.server,
            set,
            me: me.cloned(),
            variables: variables
                .into_iter()
                .map(|info| Variable {
                    name: info.name.clone(),
                    ty: info.ty.unwrap_or(Type::Int),
                    of_loop: info.of_loop,
                })
                .collect(),
            body,
        });
    }

    /// Where the name of something that is no variable was declared.
    fn taken(&self, name: &str) -> Option<Span> {
        let thing = self.things.get(name).map(|(_, span)| *span);
        thing.or_else(|| self.values.get(name).map(|(_, span)| *span))
    }

    fn every_set_has_a_process(&mut self) {
        if self.set_missing {
            return;
        }
        for place in 0..self.protocol.sets.len() {
            let id = SetId(place as u32);
            let set = self.protocol.set(id);
            if set.kind == SetKind::Indices || self.protocol.members_of(id).is_some() {
                continue;
            }
            let text = &set.name.text;
            let message = format!("the processes of the set `{text}` have no code");
            error("set-without-process", message, set.name.span, "declared here, and that is all")
                .with_help(format!(
                    "say what each of them does: `proc worker for q in {text} {{ ... }}`"
                ))
                .with_help(format!("if these are numbers and no processes, write `index {text};`"))
                .report(self);
        }
    }
}
