//! Variables: their types and ranges, and what holds of them at the start.
//!
//! That a variable stays in its range is an invariant that is always asked; where the file does not
//! say what a global starts with, it is something of its range. A parameter has a range while a
//! thread is in its function: it means nothing elsewhere.

use super::types::{INT, TID, Values};
use super::{Context, Item, Resolver, Thing};
use crate::ast::{self, BinaryOp, Declared, ExprKind as Source, Name, UnaryOp, Variable};
use crate::inv::MAX_VARIABLES;
use crate::inv::ast::{
    Conjunct, Expr, ExprKind, Global, GlobalId, Invariant, LocId, Local, LocalId, Operator, ProcId,
    Scalar, Thread, Type,
};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::Span;
use std::collections::hash_map::Entry;

/// From the smallest to the largest value.
pub(super) fn within(of: ExprKind, (low, high): (i64, i64), span: Span) -> Expr {
    let expr = |kind, ty| Expr { span, ty, kind };
    let number = |value| Box::new(expr(ExprKind::Int(value), INT));
    let of = Box::new(expr(of, INT));
    let compare = |left, right| {
        Box::new(expr(ExprKind::Binary(Operator::LessEqual, left, right), Type::Bool))
    };
    let (above, below) = (compare(number(low), of.clone()), compare(of, number(high)));
    expr(ExprKind::Binary(Operator::And, above, below), Type::Bool)
}

impl<'f> Resolver<'f, '_> {
    pub(super) fn declare_global(&mut self, variable: &'f Variable) {
        let Variable { ghost, name, .. } = variable;
        self.not_reserved(name);
        let Some(values) = self.values_of(variable) else { return };
        let id = GlobalId(self.system.globals.len() as u32);
        self.declare_thing(name, Thing::Global(id));
        self.occurs(name.span, Symbol::Global(id), true);
        let Values { ty, enumeration, range } = values;
        let (name, ghost, initial) = (name.clone(), *ghost, None);
        self.one_more_variable(&name);
        if let Declared::Lock(_) = variable.declared {
            self.locks.insert(id);
        }
        let global = Global { name, ty, enumeration, range, ghost, initial, fixed: false };
        self.system.globals.push(global);
        self.assigned.push(None);
    }

    /// What a variable can be, as it is declared or as its first value tells.
    fn values_of(&mut self, variable: &'f Variable) -> Option<Values> {
        let Variable { name, declared, value, .. } = variable;
        let values = match (declared, value) {
            (Declared::Lock(None), _) => Some(TID.into()),
            (Declared::Lock(Some(_)), _) => {
                let help = "declare one `lock` for each; cells have locks of their own: `lock a`";
                self.not_here("array of locks", variable.span, help);
                None
            }
            (Declared::Var(Some(ty)), _) => self.values(ty),
            (_, Some(ast::Expr { kind: Source::Error, .. })) => None,
            (_, value) => {
                let told = value.as_ref().and_then(|value| self.told(value));
                if told.is_none() {
                    let message = format!("it is not clear what {name} can be");
                    error("malformed-declaration", message, name.span, "expected `:` and a type")
                        .with_help(format!("write `var {}: int = ...`", name.text))
                        .report(self.form);
                }
                told
            }
        };
        self.holes |= values.is_none();
        values
    }

    /// What can be told from a first value.
    pub(super) fn told(&self, value: &ast::Expr) -> Option<Values> {
        let ty = match &value.kind {
            Source::Number(_) | Source::Unary(UnaryOp::Negate, _) => INT,
            Source::Bool(_) => Type::Bool,
            Source::Group(block) if block.exprs.len() == 1 => {
                return self.told(block.exprs.first()?);
            }
            Source::Unary(UnaryOp::Not, _) | Source::Relation(..) => Type::Bool,
            Source::Binary(op, left, _) => match op {
                _ if op.is_comparison() => Type::Bool,
                BinaryOp::And | BinaryOp::Or => Type::Bool,
                // Sets can be added, too.
                _ => return self.told(left).filter(|it| *it == INT.into()),
            },
            Source::Read(name) => match (name.text.as_str(), self.thing(&name.text)) {
                ("null", _) => Type::Scalar(Scalar::Addr),
                ("nobody", _) => TID,
                ("lowest" | "highest", _) => Type::Scalar(Scalar::Elem),
                (_, Some((Thing::Constant(id), _))) => {
                    return self.told(&self.tree.constants.get(id as usize)?.value);
                }
                (text, _) => match self.members.get(text).map(Vec::as_slice) {
                    Some([(id, _)]) => return self.members_of(*id),
                    _ => return None,
                },
            },
            Source::Field(of, _) => match &of.kind {
                Source::Read(name) => match self.thing(&name.text)? {
                    (Thing::Enumeration(id), _) => return self.members_of(id),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        Some(ty.into())
    }

    pub(super) fn members_of(&self, id: u32) -> Option<Values> {
        let last = self.tree.enumerations.get(id as usize)?.members.len() as i64 - 1;
        Some(Values { ty: INT, range: Some((0, last)), enumeration: Some(id) })
    }

    fn one_more_variable(&mut self, name: &Name) {
        if self.system.globals.len() + self.system.locals.len() == MAX_VARIABLES {
            let message = format!("this file has more than {MAX_VARIABLES} variables");
            error("too-many-variables", message, name.span, "one too many")
                .with_help("globals, locals and parameters all count")
                .report(self);
        }
    }

    /// The parameters and the other variables of a procedure.
    pub(super) fn declare_variables(&mut self, id: ProcId, item: Item<'f>) {
        for (name, ty) in item.parameters {
            self.not_reserved(name);
            let Some(ty) = ty else {
                let message = format!("the parameter {name} needs a type");
                error("malformed-declaration", message, name.span, "expected `:` and a type")
                    .with_help(format!("for example `{}: int`", name.text))
                    .report(self.form);
                self.holes = true;
                continue;
            };
            let Some(values) = self.declared_type(ty) else { continue };
            let local = self.declare_local(id, name, values, false);
            self.system.procedures[id.index()].parameters.push(local);
        }
        let variables = item.body.exprs.iter().map_while(|expr| match &expr.kind {
            Source::Var(variable) => Some(&**variable),
            _ => None,
        });
        for variable in variables {
            let Variable { name, ghost, value, .. } = variable;
            self.not_reserved(name);
            let Some(values) = self.values_of(variable) else { continue };
            let local = self.declare_local(id, name, values, *ghost);
            self.procedures[id.index()].variables.push((local, variable));
            if let (Some((low, _)), None) = (values.range, value) {
                let first = self.system.called(values.enumeration, low);
                let message = format!("{name} has a range, and no first value");
                error("range-without-value", message, name.span, "what does it start with?")
                    .with_fix("say it", Span::empty(variable.span.end), format!(" = {first}"))
                    .report(self);
            }
        }
        let Some(ty) = item.result else { return };
        let Some(values) = self.declared_type(ty) else { return };
        if values.range.is_some() && values.enumeration.is_none() {
            error("range-of-result", "results have no range", ty.span, "expected a type")
                .with_help("write `int`, and give a range to the variable that takes the result")
                .report(self.form);
        }
        self.system.procedures[id.index()].result = Some(values.ty);
        self.procedures[id.index()].result = Some((values, ty.span));
    }

    fn declare_local(&mut self, id: ProcId, name: &'f Name, of: Values, ghost: bool) -> LocalId {
        let local = LocalId(self.system.locals.len() as u32);
        self.occurs(name.span, Symbol::Local(local), true);
        let taken = match self.thing(&name.text) {
            Some((Thing::Procedure(_) | Thing::Let(_), _)) => None,
            _ => self.taken(&name.text),
        };
        let member = self.member.filter(|member| member.text == name.text);
        let first = taken.or(member.map(|member| member.span)).or_else(|| {
            match self.procedures[id.index()].locals.entry(&name.text) {
                Entry::Occupied(entry) => Some(self.system.locals[entry.get().index()].name.span),
                Entry::Vacant(entry) => {
                    entry.insert(local);
                    self.locals.entry(&name.text).or_default().push((id, local));
                    None
                }
            }
        });
        if let Some(first) = first {
            self.name_clash(name, first);
        }
        self.one_more_variable(name);
        let Values { ty, enumeration, range } = of;
        let (name, procedure, initial) = (name.clone(), id, None);
        self.system.locals.push(Local { name, ty, enumeration, range, ghost, procedure, initial });
        local
    }

    /// Initial values of all variables.
    pub(super) fn initial_values(&mut self) {
        self.context = Context::Initial;
        for variable in &self.tree.globals {
            let Some((Thing::Global(id), declared)) = self.thing(&variable.name.text) else {
                continue;
            };
            if declared != variable.name.span {
                continue;
            }
            let Global { ty, enumeration, .. } = self.system.globals[id.index()];
            let initial = match variable.declared {
                Declared::Lock(_) => Some(Expr { span: declared, ty: TID, kind: ExprKind::Nobody }),
                _ => self.initial_of(variable, ty, enumeration),
            };
            self.system.globals[id.index()].initial = initial;
        }
        self.context = Context::LocalInitial;
        for number in 0..self.procedures.len() {
            for (id, variable) in self.procedures[number].variables.clone() {
                let Local { ty, enumeration, .. } = self.system.locals[id.index()];
                let initial = self.initial_of(variable, ty, enumeration);
                self.system.locals[id.index()].initial = initial;
            }
        }
    }

    fn initial_of(&mut self, variable: &'f Variable, ty: Type, from: Option<u32>) -> Option<Expr> {
        let value = self.expect(variable.value.as_ref()?, ty)?;
        self.is_from(&value, from)?;
        if !variable.ghost {
            self.without_ghosts(&value, "the initial value of a variable that is not ghost");
        }
        Some(value)
    }

    /// `assume`, and the ranges of globals without a first value.
    pub(super) fn assumptions(&mut self) {
        self.context = Context::Assumption;
        for formula in &self.tree.assumptions {
            if let Some(formula) = self.formula(formula) {
                self.system.assumptions.push(formula);
            }
        }
        for (Global { range, initial, name, .. }, id) in self.system.globals.iter().zip(0..) {
            if let (Some(range), None) = (range, initial) {
                let formula = within(ExprKind::Global(GlobalId(id)), *range, name.span);
                self.system.assumptions.push(formula);
            }
        }
    }

    /// The globals and locals that have a range and are not left out, with these ranges.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (ExprKind, (i64, i64))> {
        let globals = self.system.globals.iter().zip(0..);
        let globals =
            globals.filter_map(|(it, id)| Some((ExprKind::Global(GlobalId(id)), it.range?)));
        let locals = self.system.locals.iter().zip(0..);
        let locals = locals.filter(|(it, _)| it.procedure.index() < self.called);
        let own = |id| ExprKind::Local(LocalId(id), Thread::Index(0));
        globals.chain(locals.filter_map(move |(it, id)| Some((own(id), it.range?))))
    }

    /// That what has a range stays there.
    pub(super) fn stay_in_range(&mut self) {
        let ranges = self.ranges().map(|(kind, range)| self.stays(kind, range));
        let ranges: Vec<Invariant> = ranges.collect();
        self.system.invariants.extend(ranges);
    }

    fn stays(&self, of: ExprKind, range: (i64, i64)) -> Invariant {
        let (mut text, enumeration, span, procedure) = match of {
            ExprKind::Local(id, _) => {
                let Local { name, procedure, enumeration, .. } = &self.system.locals[id.index()];
                let text = match self.owners(&name.text).len() {
                    1 => name.text.clone(),
                    _ => format!("{}.{}", self.procedure_name(*procedure), name.text),
                };
                let info = &self.procedures[procedure.index()];
                let is_parameter =
                    self.system.procedures[procedure.index()].parameters.contains(&id);
                (text, *enumeration, name.span, is_parameter.then_some((info.first, info.end)))
            }
            ExprKind::Global(id) => {
                let Global { name, enumeration, .. } = &self.system.globals[id.index()];
                (name.text.clone(), *enumeration, name.span, None)
            }
            _ => (String::new(), None, Span::default(), None),
        };
        let name = |text| Name { text, span };
        let parameters = match of {
            ExprKind::Local(..) => vec![name("i".to_owned())],
            _ => Vec::new(),
        };
        let mut formula = within(of, range, span);
        if let Some((first, end)) = procedure {
            let places = (first..end).map(LocId).collect();
            let at = ExprKind::At(Thread::Index(0), places);
            let at = Box::new(Expr { span, ty: Type::Bool, kind: at });
            formula.kind = ExprKind::Binary(Operator::Implies, at, Box::new(formula.clone()));
        }
        text += " in ";
        text += &match enumeration.and_then(|id| self.tree.enumerations.get(id as usize)) {
            Some(item) => item.name.text.clone(),
            None => format!("{}..{}", range.0, range.1),
        };
        let conjuncts = vec![Conjunct { tag: None, formula }];
        Invariant { name: name(text), parameters, conjuncts, span }
    }

    pub(super) fn formula(&mut self, formula: &'f ast::Expr) -> Option<Expr> {
        let formula = self.expect(formula, Type::Bool)?;
        self.not_too_high(&formula)?;
        Some(formula)
    }

    /// Notes the names in what has to be a constant.
    pub(super) fn constants_in(&mut self, expr: &'f ast::Expr) {
        match &expr.kind {
            Source::Read(name) => match self.thing(&name.text) {
                Some((Thing::Constant(id), _)) => {
                    self.occurs(name.span, Symbol::Constant(id), false);
                }
                _ => {
                    if let Some(&[(of, number)]) =
                        self.members.get(name.text.as_str()).map(|it| &it[..])
                    {
                        self.occurs(name.span, Symbol::Value(of, number), false);
                    }
                }
            },
            _ => expr.for_each_child(&mut |child| self.constants_in(child)),
        }
    }
}
