//! From the syntax tree to a [`Protocol`]: every name gets its meaning, every expression
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
//! - `statements`, `patterns`, `expressions`: what a process does;
//! - `elsewhere`: what the language has and messages do not.

mod elsewhere;
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
use super::{MAX_CONSTRUCTORS, MAX_FIELDS};
use crate::Occurrence;
use crate::ast::{self, Enumeration, Message, Name, Program, Size, TypeKind};
use crate::constant::Constants;
use crate::naming::{Naming, knows_names};
use crate::report::{Messages as _, Report as _, error};
use scope::Scope;
use ser_base::{Sink, Span};
use std::collections::HashMap;

/// The meaning of a file; what is wrong goes to `sink`. The second part says where names stand.
pub(super) fn resolve(
    text: &str,
    program: &Program,
    sink: &mut Sink,
) -> (Protocol, Vec<Occurrence<Symbol>>) {
    crate::check::no_open_types(program, sink);
    let mut resolver = Resolver {
        naming: Naming::new(sink),
        text,
        protocol: Protocol::default(),
        values: HashMap::new(),
        scope: Scope::default(),
        set_missing: false,
        sets_of_processes: Vec::new(),
    };
    resolver.other_items(program);
    resolver.declare(program);
    for (number, item) in program.processes.iter().enumerate() {
        resolver.process(ProcessId(number as u32), item);
    }
    resolver.every_set_has_a_process();
    (resolver.protocol, resolver.naming.occurrences)
}

/// What types there are.
pub(super) const TYPES: &str =
    "types are `int`, `bool`, `pid`, and the names of enumerations and of sets of processes";

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
    /// `const N = 3`, with its place among the constants.
    Number(i64, u32),
}

struct Resolver<'f, 's> {
    text: &'f str,
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
    /// The constants above that the value of one names.
    fn constants_in(&mut self, value: &ast::Expr) {
        if let ast::ExprKind::Read(name) = &value.kind
            && let Some(&(NamedValue::Number(_, place), _)) = self.values.get(name.text.as_str())
        {
            self.occurs(name.span, Symbol::Constant(place), false);
        }
        value.for_each_child(&mut |child| self.constants_in(child));
    }

    /// The names of the file, sets and enumerations first: types of fields may be declared later.
    fn declare(&mut self, program: &'f Program) {
        program.sets.iter().for_each(|set| self.declare_set(set));
        program.enumerations.iter().for_each(|it| self.declare_enum(it));
        program.messages.iter().for_each(|message| self.declare_message(message));
        for (number, process) in program.processes.iter().enumerate() {
            let id = ProcessId(number as u32);
            self.declare_item(&process.name, Thing::Process(id));
            self.sets_of_processes.push(process.member.as_ref().map(|(_, set)| set));
            self.occurs(process.name.span, Symbol::Process(id), true);
        }
        // Values last, so that a clash is reported at the value, whatever stands first.
        for (number, enumeration) in program.enumerations.iter().enumerate() {
            let id = EnumId(number as u32);
            for (place, value) in enumeration.members.iter().enumerate() {
                let place = place as u32;
                self.declare_value(value, NamedValue::Enum(id, place));
                self.occurs(value.span, Symbol::EnumValue(id, place), true);
            }
        }
        for (number, message) in program.messages.iter().enumerate() {
            let id = MessageId(number as u32);
            for (place, (name, _)) in message.constructors.iter().enumerate() {
                let place = ConstructorId(place as u32);
                self.declare_value(name, NamedValue::Constructor(id, place));
                self.occurs(name.span, Symbol::Constructor(id, place), true);
            }
        }
        let mut wrong = Vec::new();
        let constants =
            Constants::above(Constants::default(), &program.constants, |it| wrong.push(it));
        wrong.into_iter().for_each(|diagnostic| {
            self.report(diagnostic);
        });
        for (place, constant) in program.constants.iter().enumerate() {
            let place = place as u32;
            let value = constants.0.get(&constant.name.text).copied().flatten().unwrap_or_default();
            self.occurs(constant.name.span, Symbol::Constant(place), true);
            self.constants_in(&constant.value);
            self.declare_value(&constant.name, NamedValue::Number(value, place));
        }
    }

    /// A name at top level; `pid` and `self` have a meaning already.
    fn declare_item(&mut self, name: &'f Name, thing: Thing) {
        self.not_predefined(name);
        self.declare_thing(name, thing);
    }

    fn not_predefined(&mut self, name: &Name) {
        let meaning = match name.text.as_str() {
            "pid" => "is the type of addresses",
            "self" => "is what a process calls itself",
            "_" => "stands for what is not needed",
            _ => return,
        };
        name.error("name-clash", meaning, "used again here")
            .with_help("choose another name")
            .report(self);
    }

    fn declare_set(&mut self, item: &'f ast::Set) {
        let id = SetId(self.protocol.sets.len() as u32);
        self.declare_item(&item.name, Thing::Set(id));
        self.occurs(item.name.span, Symbol::Set(id), true);
        let kind = if item.is_index { SetKind::Indices } else { SetKind::Processes };
        let at_least = match item.size {
            Size::AtLeast(number, _) => number,
            _ => 0,
        };
        self.protocol.sets.push(SetDecl { name: item.name.clone(), kind, at_least });
    }

    fn declare_enum(&mut self, item: &'f Enumeration) {
        let id = EnumId(self.protocol.enums.len() as u32);
        self.declare_item(&item.name, Thing::Enum(id));
        self.occurs(item.name.span, Symbol::Enum(id), true);
        let (name, values) = (item.name.clone(), item.members.clone());
        self.protocol.enums.push(EnumDecl { name, values });
    }

    fn declare_message(&mut self, item: &'f Message) {
        let id = MessageId(self.protocol.messages.len() as u32);
        self.declare_item(&item.name, Thing::Message(id));
        self.occurs(item.name.span, Symbol::Message(id), true);
        if let Some((extra, _)) = item.constructors.get(MAX_CONSTRUCTORS) {
            let message = format!("a message type has at most {MAX_CONSTRUCTORS} constructors");
            error("too-many-constructors", message, extra.span, "one too many")
                .with_help("use several message types, or a field with a number")
                .report(self);
        }
        let mut constructors = Vec::with_capacity(item.constructors.len());
        for (name, fields) in &item.constructors {
            if let Some(extra) = fields.get(MAX_FIELDS) {
                let message = format!("a message has at most {MAX_FIELDS} fields");
                error("too-many-fields", message, extra.span, "one too many")
                    .with_help("send several messages")
                    .report(self);
            }
            let fields = fields.iter().map(|field| self.type_named(field).unwrap_or(Type::Int));
            let fields = fields.collect();
            constructors.push(Constructor { name: name.clone(), fields });
        }
        self.protocol.messages.push(MessageType { name: item.name.clone(), constructors });
    }

    fn declare_value(&mut self, name: &'f Name, value: NamedValue) {
        self.not_predefined(name);
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
    fn type_named(&mut self, written: &ast::Type) -> Option<Type> {
        match &written.kind {
            TypeKind::Int => Some(Type::Int),
            TypeKind::Bool => Some(Type::Bool),
            TypeKind::Named(name) if name.text == "pid" => Some(Type::Pid),
            TypeKind::Named(name) => match self.thing(&name.text) {
                Some((Thing::Enum(id), _)) => {
                    self.occurs(name.span, Symbol::Enum(id), false);
                    Some(Type::Enum(id))
                }
                Some((Thing::Set(id), _)) => {
                    self.occurs(name.span, Symbol::Set(id), false);
                    if self.protocol.set(id).kind == SetKind::Processes {
                        return Some(Type::Member(id));
                    }
                    name.error("not-a-type", "is a set, not a type", "expected a type")
                        .with_fix("its members are numbers: write `int`", name.span, "int")
                        .none(self)
                }
                Some((Thing::Message(_), span)) => name
                    .error(
                        "not-a-type",
                        "is a message type",
                        "messages do not carry messages, and are not chosen",
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
                    let named = |thing| matches!(thing, Thing::Enum(_) | Thing::Set(_));
                    let known = self.names_of(named).chain(["int", "bool", "pid"]);
                    let what = format!("type {name}");
                    self.unknown("unknown-type", what, name, known, TYPES).none(self)
                }
            },
            _ => self.not_a_type(written),
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
                let help = "declare it at top level: `set Q` for processes, `index I` for numbers";
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
                let word = if wanted == SetKind::Processes { "set" } else { "index" };
                name.wrong("wrong-kind-of-set", format!("is {is}"))
                    .with_label(format!("expected a set of {help}"))
                    .declared(span)
                    .with_help(format!("declare one with `{word} ...`"))
                    .none(self)
            }
            _ => Some((id, kind)),
        }
    }

    fn not_a_set<T>(&mut self, name: &Name, declared: Option<Span>) -> Option<T> {
        name.error("not-a-set", "is not a set", "expected the name of a set")
            .declared(declared)
            .with_help("sets are declared with `set Q` (processes) and `index I` (numbers)")
            .none(self)
    }

    fn process(&mut self, id: ProcessId, item: &'f ast::Process) {
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
                    "say what each of them does: `process worker for q in {text} {{ ... }}`"
                ))
                .with_help(format!("if these are numbers and no processes, write `index {text}`"))
                .report(self);
        }
    }
}
