//! The names of the file, its variables, and what holds of them at the start.

use super::{Context, LetInfo, ProcedureInfo, Resolver, Thing};
use crate::ast::{Name, Size};
use crate::inv::ast::{Expr, Global, GlobalId, InvId, Local, LocalId, ProcId, Procedure, Type};
use crate::inv::symbols::Symbol;
use crate::inv::syntax::Written;
use crate::inv::syntax::{File, ProcedureItem, Variable};
use crate::inv::{MAX_PARAMETERS, MAX_THREADS, MAX_VARIABLES};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};
use std::collections::HashMap;

impl<'f> Resolver<'f, '_> {
    /// All names but those of places.
    pub(super) fn declare(&mut self, file: &'f File<'f>) {
        self.size(file);
        for variable in &file.globals {
            self.declare_global(variable);
        }
        for item in &file.lets {
            let id = self.lets.len() as u32;
            self.declare_thing(item.name, Thing::Let(id));
            self.occurs(item.name.span, Symbol::Let(id), true);
            self.lets.push(LetInfo { item, value: None, nodes: 0, resolved: false });
        }
        self.declare_procedures(file);
        for (number, item) in file.invariants.iter().enumerate() {
            let id = InvId(number as u32);
            self.occurs(item.name.span, Symbol::Invariant(id), true);
            match self.invariants.get(item.name.text.as_str()) {
                None => {
                    self.invariants.insert(&item.name.text, (id, item.name.span));
                }
                Some(&(_, first)) => self.name_clash(item.name, first),
            }
        }
        if let Some(member) = self.member {
            self.occurs(member.span, Symbol::Member, true);
        }
        if let Some(member) = self.member
            && let Some((_, first)) = self.thing(&member.text)
        {
            self.name_clash(member, first);
        }
    }

    /// How many threads there are.
    fn size(&mut self, file: &'f File<'f>) {
        let (number, span) = match file.size {
            None | Some(Size::Any | Size::AtLeast(1, _)) => return,
            Some(Size::AtLeast(_, span)) => {
                let set = self.set;
                let message = "there is at least one thread, and nothing more is known";
                error("thread-count", message, span, "not supported")
                    .with_help(format!("write `set {set}`, or `set {set} == 2` for exactly two"))
                    .report(self);
                return;
            }
            Some(Size::Exactly(number, span)) => (number, span),
        };
        if (1..=MAX_THREADS).contains(&number) {
            self.system.threads = Some(number);
            return;
        }
        let message = format!("the number of threads is from 1 to {MAX_THREADS}");
        Diagnostic::error("thread-count", message, span)
            .with_label(if number == 0 { "nobody would do anything" } else { "too many" })
            .with_help(format!("for any number of threads, write `set {}`", self.set))
            .report(self);
    }

    fn declare_global(&mut self, variable: &'f Variable<'f>) {
        let Variable { ghost, name, ty, .. } = *variable;
        let id = GlobalId(self.system.globals.len() as u32);
        self.declare_thing(name, Thing::Global(id));
        self.occurs(name.span, Symbol::Global(id), true);
        let global = Global { name: name.clone(), ty, ghost, initial: None, fixed: false };
        self.system.globals.push(global);
        self.assigned.push(None);
        self.one_more_variable(name);
    }

    fn one_more_variable(&mut self, name: &Name) {
        if self.system.globals.len() + self.system.locals.len() == MAX_VARIABLES + 1 {
            let message = format!("this file has more than {MAX_VARIABLES} variables");
            error("too-many-variables", message, name.span, "one too many")
                .with_help("globals, locals and parameters all count")
                .report(self);
        }
    }

    /// `thread` gets number 0; the others follow in their order, those that nobody calls at the
    /// end.
    fn declare_procedures(&mut self, file: &'f File<'f>) {
        let all = file.procedures.iter();
        let (thread, others): (Vec<_>, Vec<_>) = all.partition(|item| item.is_thread);
        let has_thread = !thread.is_empty();
        let mut ordered: Vec<&'f ProcedureItem<'f>> = thread.into_iter().chain(others).collect();
        self.called = self.order_by_calls(&mut ordered, has_thread);
        for (number, item) in ordered.iter().copied().enumerate() {
            let id = ProcId(number as u32);
            self.declare_thing(item.name, Thing::Procedure(id));
            self.occurs(item.name.span, Symbol::Procedure(id), true);
            self.procedures.push(ProcedureInfo {
                item,
                locals: HashMap::new(),
                first_local: 0,
                places: HashMap::new(),
                first: 0,
                end: 0,
            });
            self.system.procedures.push(Procedure {
                name: item.name.clone(),
                parameters: Vec::new(),
                result: item.result.map(|(ty, _)| ty),
                body: Vec::new(),
            });
        }
        // Locals stand in the order of the file, those of procedures that are left out at the end.
        let mut order: Vec<usize> = (0..self.procedures.len()).collect();
        let called = self.called;
        order.sort_by_key(|place| {
            (*place >= called, ordered.get(*place).map_or(0, |item| item.name.span.start))
        });
        for place in order {
            if let Some(item) = ordered.get(place) {
                self.declare_locals(ProcId(place as u32), item);
            }
        }
        if has_thread {
            self.no_recursion();
        }
    }

    fn declare_locals(&mut self, id: ProcId, item: &'f ProcedureItem<'f>) {
        let first_local = self.system.locals.len();
        if let Some(info) = self.procedures.get_mut(id.0 as usize) {
            info.first_local = first_local;
        }
        for (name, ty) in &item.parameters {
            let local = self.declare_local(id, name, *ty, false);
            if let Some(procedure) = self.system.procedures.get_mut(id.0 as usize) {
                procedure.parameters.push(local);
            }
        }
        for variable in &item.locals {
            self.declare_local(id, variable.name, variable.ty, variable.ghost);
        }
    }

    fn declare_local(&mut self, id: ProcId, name: &'f Name, ty: Type, ghost: bool) -> LocalId {
        let local = LocalId(self.system.locals.len() as u32);
        self.occurs(name.span, Symbol::Local(local), true);
        let first = match self.thing(&name.text) {
            Some((Thing::Global(_), first)) => Some(first),
            _ if self.member.is_some_and(|member| member.text == name.text) => {
                self.member.map(|member| member.span)
            }
            _ => {
                let locals = self.procedures.get_mut(id.0 as usize).map(|info| &mut info.locals);
                match locals.map(|locals| locals.entry(&name.text)) {
                    Some(std::collections::hash_map::Entry::Vacant(entry)) => {
                        entry.insert(local);
                        self.locals.entry(&name.text).or_default().push((id, local));
                        None
                    }
                    Some(std::collections::hash_map::Entry::Occupied(entry)) => {
                        let first = self.system.locals.get(entry.get().0 as usize);
                        first.map(|first| first.name.span)
                    }
                    None => None,
                }
            }
        };
        if let Some(first) = first {
            self.name_clash(name, first);
        }
        let name = name.clone();
        self.one_more_variable(&name);
        self.system.locals.push(Local { name, ty, ghost, procedure: id, initial: None });
        local
    }

    /// Initial values of all variables.
    pub(super) fn initial_values(&mut self, file: &'f File<'f>) {
        let values = self.initial(&file.globals, Context::Initial);
        for (global, value) in self.system.globals.iter_mut().zip(values) {
            global.initial = value;
        }
        let items: Vec<&'f ProcedureItem<'f>> =
            self.procedures.iter().map(|info| info.item).collect();
        for (number, item) in items.into_iter().enumerate() {
            let info = self.procedures.get(number);
            let first = info.map_or(0, |info| info.first_local) + item.parameters.len();
            let values = self.initial(&item.locals, Context::LocalInitial);
            for (local, value) in self.system.locals.iter_mut().skip(first).zip(values) {
                local.initial = value;
            }
        }
    }

    /// The initial values of all these variables, in their order.
    fn initial(&mut self, variables: &'f [Variable<'f>], context: Context) -> Vec<Option<Expr>> {
        self.context = context;
        variables.iter().map(|variable| self.initial_of(variable)).collect()
    }

    fn initial_of(&mut self, variable: &'f Variable<'f>) -> Option<Expr> {
        let value = self.expect(variable.initial.as_ref()?, variable.ty)?;
        if !variable.ghost {
            self.without_ghosts(&value, "the initial value of a variable that is not ghost");
        }
        Some(value)
    }

    /// `assume`.
    pub(super) fn assumptions(&mut self, file: &'f File<'f>) {
        for formula in &file.assumptions {
            self.context = Context::Assumption;
            if let Some(formula) = self.formula(formula) {
                self.system.assumptions.push(formula);
            }
        }
    }

    /// The names of threads before an invariant or a `let`; whether they are not too many.
    pub(super) fn declare_parameters(
        &mut self,
        parameters: &'f [&'f Name],
        symbol: &dyn Fn(u32) -> Symbol,
    ) -> bool {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (place, name) in parameters.iter().copied().enumerate() {
            self.occurs(name.span, symbol(place as u32), true);
            let first = match self.thing(&name.text) {
                Some((_, first)) => Some(first),
                None => seen.insert(&name.text, name.span),
            };
            if let Some(first) = first {
                self.name_clash(name, first);
            }
        }
        let extra = parameters.get(MAX_PARAMETERS);
        if let Some(extra) = extra {
            let message = format!("at most {MAX_PARAMETERS} threads can be spoken of at once");
            error("too-many-parameters", message, extra.span, "one too many")
                .with_help("split it into several invariants")
                .report(self);
        }
        extra.is_none()
    }

    pub(super) fn formula(&mut self, formula: &'f Written<'f>) -> Option<Expr> {
        let formula = self.expect(formula, Type::Bool)?;
        self.not_too_high(&formula)?;
        Some(formula)
    }
}
