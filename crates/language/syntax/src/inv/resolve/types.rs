//! What types are called, and what to say if one does not fit.

use super::Resolver;
use crate::inv::ast::{Scalar, Type};
use crate::inv::syntax::{Written, WrittenKind};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

pub(super) const INT: Type = Type::Scalar(Scalar::Int);
pub(super) const TID: Type = Type::Scalar(Scalar::Tid);
pub(super) const ADDR: Type = Type::Scalar(Scalar::Addr);
pub(super) const ELEM: Type = Type::Scalar(Scalar::Elem);

/// Why numbers of threads make no sense; the same words everywhere.
pub(super) const ALIKE: &str = "threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads";

/// What a type is called in messages.
pub(super) fn describe(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a truth value",
        INT => "a number",
        TID => "a thread",
        ADDR => "an address",
        ELEM => "an element",
        Type::Set(Scalar::Int) => "a set of numbers",
        Type::Set(Scalar::Tid) => "a set of threads",
        Type::Set(Scalar::Addr) => "a set of addresses",
        Type::Set(Scalar::Elem) => "a set of elements",
    }
}

impl Resolver<'_, '_> {
    /// A type as it is written.
    pub(super) fn type_name(&self, ty: Type) -> String {
        match ty {
            TID => self.set.to_owned(),
            Type::Set(Scalar::Tid) => format!("set of {}", self.set),
            ty => ty.to_string(),
        }
    }

    /// Something has another type than it should.
    pub(super) fn mismatch(&self, wanted: Type, found: Type, span: Span) -> Diagnostic {
        let (expected, is) = (describe(wanted), describe(found));
        let message = format!("expected {expected}, found {is}");
        let diagnostic = error(
            "type-mismatch",
            message,
            span,
            format!("this is {is} (`{}`)", self.type_name(found)),
        );
        match (wanted, found) {
            (Type::Bool, INT) => {
                diagnostic.with_help("compare it with something, for example `x == 1`")
            }
            (Type::Set(wanted), Type::Scalar(found)) if wanted == found => {
                diagnostic.with_help("for the set with this one element, write `{...}` around it")
            }
            (ELEM, INT) => diagnostic.with_help(
                "elements have an order, and no arithmetic: there are `lowest` and `highest`",
            ),
            (ADDR, ELEM) => diagnostic.with_help("the data of a cell is `a.data`, the address `a`"),
            _ => diagnostic,
        }
    }

    /// A number where a thread should be.
    pub(super) fn thread_constant<T>(&mut self, expr: &Written<'_>) -> Option<T> {
        let shown = match expr.kind {
            WrittenKind::Number(number) => format!("`{number}`"),
            _ => "a number".to_owned(),
        };
        let message = format!("threads have no numbers: {shown} is not a thread");
        error("thread-constant", message, expr.span, "expected a thread")
            .with_help(ALIKE)
            .with_help(format!("for one certain thread, declare `var chosen: {}`", self.set))
            .none(self)
    }
}
