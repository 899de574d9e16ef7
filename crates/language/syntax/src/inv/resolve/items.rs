//! What a file of threads consists of, and the names of all of it but places and invariants.

use super::{Item, LetInfo, ProcedureInfo, Resolver, Thing};
use crate::ast::{ClaimKind, Function, Name, Process, Size};
use crate::inv::ast::{InvId, ProcId, Procedure};
use crate::inv::symbols::Symbol;
use crate::inv::words::{FUNCTIONS, is_reserved};
use crate::inv::{MAX_PARAMETERS, MAX_THREADS};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};
use std::collections::HashMap;

impl<'f> Resolver<'f, '_> {
    /// All items.
    pub(super) fn declare(&mut self) {
        self.other_worlds();
        self.threads();
        self.constants_and_types();
        for variable in &self.tree.globals {
            self.declare_global(variable);
        }
        let (lets, functions): (Vec<&'f Function>, Vec<_>) =
            self.tree.functions.iter().partition(|function| function.is_shorthand);
        for item in lets {
            let id = self.lets.len() as u32;
            self.declare_function(item, Thing::Let(id), Symbol::Let(id));
            for (parameter, ty) in &item.parameters {
                self.not_reserved(parameter);
                if let Some(ty) = ty {
                    let message = "the parameters of a shorthand are threads";
                    error("typed-thread", message, ty.span, "unexpected type")
                        .with_fix("leave it out", Span::new(parameter.span.end, ty.span.end), "")
                        .report(self.form);
                }
            }
            self.lets.push(LetInfo { item, value: None, nodes: 0, resolved: false });
        }
        self.declare_procedures(functions);
        // Ranges are invariants, too: they come first.
        let first = self.ranges().count();
        for (number, claim) in self.asked().enumerate() {
            let (id, name) = (InvId((first + number) as u32), claim.1);
            self.occurs(name.span, Symbol::Invariant(id), true);
            match self.invariants.get(name.text.as_str()) {
                None => {
                    self.invariants.insert(&name.text, (id, name.span));
                }
                Some(&(_, first)) => self.name_clash(name, first),
            }
        }
        for member in self.tree.enumerations.iter().flat_map(|it| &it.members) {
            let clash = self.thing(&member.text);
            if let Some((_, first)) = clash.filter(|(it, _)| !matches!(it, Thing::Constant(_))) {
                self.name_clash(member, first);
            }
        }
        if let Some(member) = self.member {
            self.occurs(member.span, Symbol::Member, true);
            if let Some(first) = self.taken(&member.text) {
                self.name_clash(member, first);
            }
        }
    }

    /// Something that other worlds have.
    pub(super) fn not_here(&mut self, what: &str, span: Span, help: &str) {
        let message = format!("there is no {what} in a model of threads");
        let label = "not expected beside a process for each member of a set";
        error("other-world", message, span, label).with_help(help).report(self.form);
    }

    /// Items that mean nothing here.
    fn other_worlds(&mut self) {
        for item in &self.tree.requests {
            let help = "what a thread does again and again stands in a `loop { ... }`";
            self.not_here("`request`", item.name.span, help);
        }
        for item in &self.tree.records {
            self.not_here("`record`", item.name.span, "take a variable for each field");
            self.holes = true;
        }
        for claim in &self.tree.claims {
            let help = match claim.kind {
                ClaimKind::Reach => {
                    "that something never happens is an invariant: `invariant never(i): !(...)`"
                }
                ClaimKind::Deadlock => {
                    self.system.deadlock = self.system.deadlock.or(Some(claim.span));
                    continue;
                }
                ClaimKind::Invariant => continue,
            };
            self.not_here(&format!("`{}`", claim.kind.word()), claim.span, help);
        }
    }

    /// The set of threads, and what they do.
    fn threads(&mut self) {
        if let Some(set) = self.tree.sets.first() {
            self.system.set = Some(set.name.clone());
            if set.is_index {
                let help = format!("write `set {}`", set.name.text);
                self.not_here("`index`", set.name.span, &help);
            }
            self.size(set.size);
            for second in self.tree.sets.iter().skip(1) {
                let message = "all threads are members of one set";
                error("declared-twice", message, second.name.span, "a second set")
                    .with_secondary(set.span, "the first one")
                    .report(self.form);
            }
        }
        if let Some(process) = self.tree.processes.first() {
            self.process(process);
            for second in self.tree.processes.iter().skip(1) {
                let message = "all threads run the same code";
                error("declared-twice", message, second.name.span, "a second process")
                    .with_secondary(process.name.span, "the first one")
                    .with_help("let them choose with `choose { ... } or { ... }`")
                    .report(self.form);
            }
        }
    }

    fn process(&mut self, process: &'f Process) {
        if process.server {
            let help = "leave `server` out: a thread may always wait";
            self.not_here("`server`", process.span, help);
        }
        if let Some(parameter) = process.parameters.first() {
            let help = "all threads are alike; what they start with stands in `var`";
            self.not_here("process with parameters", parameter.span, help);
        }
        let Some((member, set)) = &process.member else {
            let message = format!("{} is one process, and the others are any number", process.name);
            error("declared-twice", message, process.name.span, "not for each member of a set")
                .with_help("all threads are members of one set, and run the same code")
                .report(self.form);
            return;
        };
        self.member = Some(member);
        self.system.member = Some(member.clone());
        self.not_reserved(member);
        self.not_reserved(&process.name);
        let known = self.tree.sets.first().map(|set| set.name.text.as_str());
        if known != Some(&set.text) {
            let diagnostic = set.missing("unknown-set", "set", "not known here");
            match known {
                Some(known) => diagnostic.meant(known),
                None => diagnostic.with_help(format!("declare it: `set {}`", set.text)),
            }
            .report(self.form);
            self.holes = true;
        }
    }

    /// How many threads there are.
    fn size(&mut self, size: Size) {
        let set = self.set;
        match size {
            Size::Any | Size::AtLeast(1, _) => {}
            Size::AtLeast(_, span) => {
                let message = "there is at least one thread, and nothing more is known";
                error("thread-count", message, span, "not supported")
                    .with_help(format!("write `set {set}`, or `set {set} == 2` for exactly two"))
                    .report(self);
            }
            Size::Exactly(number, _) if (1..=MAX_THREADS).contains(&number) => {
                self.system.threads = Some(number);
            }
            Size::Exactly(number, span) => {
                let message = format!("the number of threads is from 1 to {MAX_THREADS}");
                Diagnostic::error("thread-count", message, span)
                    .with_label(if number == 0 { "nobody would do anything" } else { "too many" })
                    .with_help(format!("for any number of threads, write `set {set}`"))
                    .report(self);
            }
        }
    }

    fn constants_and_types(&mut self) {
        for (item, id) in self.tree.constants.iter().zip(0..) {
            self.not_reserved(&item.name);
            self.occurs(item.name.span, Symbol::Constant(id), true);
            self.declare_thing(&item.name, Thing::Constant(id));
            self.constants_in(&item.value);
        }
        for (item, id) in self.tree.enumerations.iter().zip(0..) {
            self.system.enumerations.push(item.clone());
            self.not_reserved(&item.name);
            self.occurs(item.name.span, Symbol::Enumeration(id), true);
            self.declare_thing(&item.name, Thing::Enumeration(id));
            for (member, number) in item.members.iter().zip(0..) {
                self.not_reserved(member);
                self.occurs(member.span, Symbol::Value(id, number), true);
                let of = self.members.entry(&member.text).or_default();
                let twice = of.iter().find(|(other, _)| *other == id).copied();
                of.push((id, number));
                if let Some((_, first)) = twice {
                    self.name_clash(member, item.members[first as usize].span);
                }
            }
        }
        for (item, id) in self.tree.aliases.iter().zip(0..) {
            self.not_reserved(&item.name);
            let meaning = self.declared_type(&item.meaning);
            self.occurs(item.name.span, Symbol::Alias(id), true);
            self.declare_thing(&item.name, Thing::Alias(id));
            self.aliases.push(meaning);
        }
    }

    fn declare_function(&mut self, item: &'f Function, thing: Thing, symbol: Symbol) {
        self.not_reserved(&item.name);
        if FUNCTIONS.contains(&item.name.text.as_str()) {
            let message = format!("the function {} is there already", item.name);
            error("reserved-name", message, item.name.span, "choose another name")
                .report(self.form);
            self.holes = true;
        }
        self.declare_thing(&item.name, thing);
        self.occurs(item.name.span, symbol, true);
    }

    /// The process gets number 0; the others follow in their order, those that nobody calls at the
    /// end.
    fn declare_procedures(&mut self, functions: Vec<&'f Function>) {
        let process = self.tree.processes.first().filter(|process| process.member.is_some());
        let mut ordered: Vec<Item<'f>> = Vec::new();
        ordered.extend(process.map(|process| Item {
            is_thread: true,
            name: &process.name,
            parameters: &[],
            result: None,
            body: &process.body,
        }));
        ordered.extend(functions.into_iter().map(|function| Item {
            is_thread: false,
            name: &function.name,
            parameters: &function.parameters,
            result: function.result.as_ref(),
            body: &function.body,
        }));
        self.called = self.order_by_calls(&mut ordered, process.is_some());
        for (number, item) in ordered.iter().copied().enumerate() {
            let id = ProcId(number as u32);
            if item.is_thread {
                self.declare_thing(item.name, Thing::Procedure(id));
                self.occurs(item.name.span, Symbol::Procedure(id), true);
            }
            self.procedures.push(ProcedureInfo {
                item,
                result: None,
                variables: Vec::new(),
                locals: HashMap::new(),
                places: HashMap::new(),
                first: 0,
                end: 0,
            });
            let (name, parameters, body) = (item.name.clone(), Vec::new(), Vec::new());
            self.system.procedures.push(Procedure { name, parameters, result: None, body });
        }
        // In the order of the text, so that the second of two with one name is the one too many.
        for function in self.tree.functions.iter().filter(|function| !function.is_shorthand) {
            let place = ordered.iter().position(|item| std::ptr::eq(item.name, &function.name));
            let id = ProcId(place.unwrap_or(0) as u32);
            self.declare_function(function, Thing::Procedure(id), Symbol::Procedure(id));
        }
        // Locals stand in the order of the file, those of procedures that are left out at the end.
        let mut order: Vec<(usize, Item<'f>)> = ordered.into_iter().enumerate().collect();
        order.sort_by_key(|(place, item)| (*place >= self.called, item.name.span.start));
        for (place, item) in order {
            self.declare_variables(ProcId(place as u32), item);
        }
        if process.is_some() {
            self.no_recursion();
        }
    }

    /// The invariants that are asked, by their names.
    pub(super) fn asked(
        &self,
    ) -> impl Iterator<Item = (&'f crate::ast::Claim, &'f Name)> + use<'f> {
        let claims = self.tree.claims.iter().filter(|it| it.kind == ClaimKind::Invariant);
        claims.filter_map(|claim| Some((claim, claim.name.as_ref()?)))
    }

    /// The names of threads before an invariant or a shorthand; whether they are not too many.
    pub(super) fn declare_parameters(
        &mut self,
        parameters: Vec<&'f Name>,
        symbol: &dyn Fn(u32) -> Symbol,
    ) -> bool {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (place, name) in parameters.iter().copied().enumerate() {
            self.occurs(name.span, symbol(place as u32), true);
            let first = self.taken(&name.text).or_else(|| seen.insert(&name.text, name.span));
            if let Some(first) = first {
                self.name_clash(name, first);
            }
        }
        let extra = parameters.get(MAX_PARAMETERS).copied();
        self.parameters = parameters;
        if let Some(extra) = extra {
            let message = format!("at most {MAX_PARAMETERS} threads can be spoken of at once");
            error("too-many-parameters", message, extra.span, "one too many")
                .with_help("split it into several invariants")
                .report(self);
        }
        extra.is_none()
    }

    /// Where a name that needs to be new is declared at top level already.
    pub(super) fn taken(&self, text: &str) -> Option<Span> {
        let member = || {
            let (of, number) = *self.members.get(text)?.first()?;
            Some(self.tree.enumerations[of as usize].members[number as usize].span)
        };
        self.thing(text).map(|(_, first)| first).or_else(member)
    }

    /// A name that means something else.
    pub(super) fn not_reserved(&mut self, name: &Name) {
        if !is_reserved(&name.text) {
            return;
        }
        let message = format!("{name} has a meaning, and cannot be a name");
        error("reserved-name", message, name.span, "expected a name")
            .with_help("choose another name")
            .report(self.form);
        self.holes = true;
    }
}
