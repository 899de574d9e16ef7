//! Types of the tree as the few types that shared variables have.

use crate::ast::process::{Type, TypeKind};
use crate::ast::{self, Enumeration, Expr, ExprKind, Program};
use crate::make;
use crate::report::{Messages as _, error};
use crate::types::TYPES;
use ser_base::{Sink, Span};
use std::collections::BTreeMap;

/// How many names of types may stand for each other.
const MAX_ALIASES: usize = 64;

/// The types that have names.
pub(super) struct Types<'p> {
    aliases: BTreeMap<&'p str, &'p ast::Type>,
    enumerations: &'p [Enumeration],
}

impl<'p> Types<'p> {
    pub(super) fn of(program: &'p Program) -> Types<'p> {
        let aliases = program.aliases.iter().map(|it| (it.name.text.as_str(), &it.meaning));
        Types { aliases: aliases.collect(), enumerations: &program.enumerations }
    }

    pub(super) fn enumeration(&self, name: &str) -> Option<&'p Enumeration> {
        self.enumerations.iter().find(|it| it.name.text == name)
    }

    /// What a name for a type stands for.
    fn meaning<'t>(&'t self, mut values: &'t ast::Type) -> &'t ast::Type {
        for _ in 0..MAX_ALIASES {
            let ast::TypeKind::Named(name) = &values.kind else { break };
            let Some(meaning) = self.aliases.get(name.text.as_str()) else { break };
            values = meaning;
        }
        values
    }

    /// The values of a shared variable; what it cannot have is reported.
    pub(super) fn shared(&self, values: &ast::Type, sink: &mut Sink) -> Type {
        let span = values.span;
        let kind = match &self.meaning(values).kind {
            ast::TypeKind::Bool => TypeKind::Bool,
            ast::TypeKind::Range(low, high) => {
                TypeKind::Range(low.as_ref().clone(), high.as_ref().clone())
            }
            ast::TypeKind::Bits(bits) => TypeKind::Bits(bits.as_ref().clone()),
            ast::TypeKind::Queue(capacity, items) => {
                let items = self.shared(items, sink);
                TypeKind::Queue(capacity.as_ref().clone(), Box::new(items))
            }
            ast::TypeKind::Named(name) if self.aliases.contains_key(name.text.as_str()) => {
                error("endless-type", "this type stands for itself", span, "defined by itself")
                    .report(sink);
                TypeKind::Error
            }
            ast::TypeKind::Named(name) => TypeKind::Named(name.clone()),
            ast::TypeKind::Int => {
                error("unbounded-type", "`int` has no bounds", span, "which numbers?")
                    .with_help("say from where to where, both included: `0..10`")
                    .with_help("say how many bits: `bits 8` is 0 to 255, and wraps around")
                    .report(sink);
                TypeKind::Error
            }
            ast::TypeKind::Array(..) => {
                error("not-in-processes", "processes share no arrays", span, "an array")
                    .with_help("use one variable for each element, or a queue: `queue[2] of 0..3`")
                    .report(sink);
                TypeKind::Error
            }
            ast::TypeKind::Tuple(_) | ast::TypeKind::Set(_) => {
                error(
                    "not-in-processes",
                    "processes share numbers and queues",
                    span,
                    "not a number",
                )
                .with_help(TYPES)
                .report(sink);
                TypeKind::Error
            }
            ast::TypeKind::Error => TypeKind::Error,
        };
        Type { kind, span }
    }

    /// The type of a variable that starts with this value, if it shows.
    pub(super) fn of_value(&self, value: &Expr) -> Option<Type> {
        let kind = match &value.kind {
            ExprKind::Bool(_) => TypeKind::Bool,
            ExprKind::Read(name) => {
                let has_it = |it: &&Enumeration| it.members.iter().any(|m| m.text == name.text);
                TypeKind::Named(self.enumerations.iter().find(has_it)?.name.clone())
            }
            _ => return None,
        };
        Some(Type { kind, span: value.span })
    }

    /// The ends of a type that is a range, or has finitely many values.
    pub(super) fn ends(&self, values: &ast::Type) -> Option<(Expr, Expr)> {
        let span = values.span;
        let up_to = |high: i64| Some((make::number(0, span), make::number(high, span)));
        match &self.meaning(values).kind {
            ast::TypeKind::Range(low, high) => Some((low.as_ref().clone(), high.as_ref().clone())),
            ast::TypeKind::Bool => up_to(1),
            ast::TypeKind::Named(name) => {
                let members = self.enumeration(&name.text)?.members.len();
                up_to(i64::try_from(members).ok()? - 1)
            }
            _ => None,
        }
    }

    /// The same as a range.
    pub(super) fn as_range(&self, values: &ast::Type) -> Option<ast::Type> {
        let (low, high) = self.ends(values)?;
        let kind = ast::TypeKind::Range(Box::new(low), Box::new(high));
        let span: Span = values.span;
        Some(ast::Type { kind, span })
    }
}
