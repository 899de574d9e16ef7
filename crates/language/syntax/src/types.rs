//! Which values there are: types of unwindings, resolved.

use std::collections::BTreeMap;

use crate::ast::items::Items;
use crate::ast::{BinaryOp, Enumeration, Expr, ExprKind, Name, Type, TypeKind};
use crate::check::{Checker, defined_twice, duplicate_constants};
use crate::intervals::Interval;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Sink, Span};

/// What types look like.
const TYPES: &str = "write a range like `0..10`, `bool`, `bits 8`, or the name of an `enum`";

/// How many values a shared variable may have.
pub const MAX_VALUES: u64 = 1 << 32;

/// How many bits `bits n` may have.
pub const MAX_BITS: i64 = 32;

/// How many items fit into the largest queue.
pub const MAX_CAPACITY: i64 = 256;

/// Numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Values {
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// Whether values that do not fit wrap around.
    pub(crate) wraps: bool,
    /// The enumeration that they belong to.
    pub(crate) enumeration: Option<usize>,
}

impl Values {
    /// Numbers of a range.
    pub(crate) fn range(low: i64, high: i64) -> Values {
        Values { low, high, wraps: false, enumeration: None }
    }

    pub(crate) fn interval(&self) -> Interval {
        (i128::from(self.low), i128::from(self.high))
    }
}

/// The enumerations of a file.
#[derive(Default)]
pub(crate) struct Enumerations<'i> {
    items: &'i [Enumeration],
    by_name: BTreeMap<&'i str, usize>,
    member_of: BTreeMap<&'i str, usize>,
}

impl<'i> Enumerations<'i> {
    /// Looks for enumerations that are defined twice, and for constants that are.
    pub(crate) fn of(items: &'i Items, sink: &mut Sink) -> Enumerations<'i> {
        duplicate_constants(&items.constants, sink);
        let names = items.enumerations.iter().map(|e| &e.name);
        defined_twice(names, sink, "duplicate-enum", "enumeration");
        let mut all = Enumerations { items: &items.enumerations, ..Enumerations::default() };
        for (index, enumeration) in items.enumerations.iter().enumerate() {
            all.by_name.entry(&enumeration.name.text).or_insert(index);
            for member in &enumeration.members {
                all.member_of.entry(&member.text).or_insert(index);
            }
        }
        all
    }

    /// The enumeration that a constant is a member of.
    pub(crate) fn of_member(&self, name: &str) -> Option<usize> {
        self.member_of.get(name).copied()
    }

    /// What an enumeration is called.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.items.get(index).map_or("", |e| &e.name.text)
    }

    /// Reports an operator whose operands are members of different enumerations.
    pub(crate) fn compared(
        &self,
        expr: &Expr,
        kind_of: &dyn Fn(&Expr) -> Option<usize>,
        checker: &mut Checker<'_, '_>,
    ) {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return };
        let (Some(first), Some(second)) = (kind_of(left), kind_of(right)) else { return };
        if first == second || matches!(op, BinaryOp::And | BinaryOp::Or) {
            return;
        }
        let (first, second) = (self.name(first), self.name(second));
        let message = format!("a `{first}` and a `{second}` have nothing in common");
        error("wrong-enum", message, left.span.to(right.span), "members of two enumerations")
            .with_secondary(left.span, format!("a `{first}`"))
            .with_secondary(right.span, format!("a `{second}`"))
            .report(checker);
    }

    /// The same for all operators inside.
    pub(crate) fn all_compared(
        &self,
        expr: &Expr,
        kind_of: &dyn Fn(&Expr) -> Option<usize>,
        checker: &mut Checker<'_, '_>,
    ) {
        self.compared(expr, kind_of, checker);
        expr.for_each_child(&mut |child| self.all_compared(child, kind_of, checker));
    }

    /// What a type means; nothing if it means nothing, which is reported.
    pub(crate) fn resolve(&self, values: &Type, checker: &mut Checker<'_, '_>) -> Option<Values> {
        Some(match &values.kind {
            TypeKind::Error => return None,
            TypeKind::Bool => Values::range(0, 1),
            TypeKind::Range(low, high) => {
                let (low, high) = checker.bounds(low, high, MAX_VALUES)?;
                Values::range(low, high)
            }
            TypeKind::Bits(bits) => {
                let bits = checker.within(bits, 1, MAX_BITS, "too-many-bits", |n| {
                    format!("a number cannot have {n} bits")
                })?;
                Values { wraps: true, ..Values::range(0, (1i64 << bits) - 1) }
            }
            TypeKind::Named(name) => self.named(name, checker)?,
            TypeKind::Int => return unbounded_type(values.span).none(checker.sink),
            TypeKind::Queue(..) | TypeKind::Array(..) | TypeKind::Tuple(_) | TypeKind::Set(_) => {
                let message = "tokens carry single values";
                return error("malformed-type", message, values.span, "made of several values")
                    .with_help(TYPES)
                    .none(checker.sink);
            }
        })
    }

    fn named(&self, name: &Name, checker: &mut Checker<'_, '_>) -> Option<Values> {
        let Some(&index) = self.by_name.get(name.text.as_str()) else {
            checker.sink.push(self.unknown_type(name, checker));
            return None;
        };
        let members = self.items.get(index).map_or(0, |e| e.members.len());
        let high = i64::try_from(members).unwrap_or(1).max(1) - 1;
        Some(Values { enumeration: Some(index), ..Values::range(0, high) })
    }

    fn unknown_type(&self, name: &Name, checker: &Checker<'_, '_>) -> Diagnostic {
        let text = &name.text;
        let diagnostic =
            error("undefined-type", format!("there is no type `{text}`"), name.span, "not defined");
        if checker.constants.contains(text) {
            return diagnostic.with_help(format!("a range has two ends: `0..{text}`"));
        }
        let known = self.by_name.keys().copied().chain(["bool", "bits"]);
        match checker.sink.closest(text, known) {
            Some(known) => diagnostic.meant(known),
            None => diagnostic.with_help(TYPES),
        }
    }
}

/// What processes share, and what tokens carry, are numbers that have bounds.
pub(crate) fn unbounded_type(span: Span) -> Diagnostic {
    error("unbounded-type", "`int` has no bounds", span, "which numbers?")
        .with_help("say from where to where, both included: `0..10`")
        .with_help("say how many bits: `bits 8` is 0 to 255, and wraps around")
}
