//! Which type fits where, and what types are called.

use super::Resolver;
use crate::icet::ast::{SetId, Type};
use crate::report::error;
use ser_base::{Diagnostic, Span};

/// Whether a value of the type `found` can stand where `wanted` is wanted.
pub(super) fn fits(found: Type, wanted: Type) -> bool {
    found == wanted || matches!((found, wanted), (Type::Member(_), Type::Pid))
}

/// Whether this is an address, of any kind.
pub(super) fn is_address(ty: Type) -> bool {
    matches!(ty, Type::Pid | Type::Member(_))
}

impl Resolver<'_, '_> {
    /// What a type is called in messages.
    pub(super) fn describe(&self, ty: Type) -> String {
        let name = |name: Option<&str>| name.unwrap_or("?").to_owned();
        let protocol = &self.protocol;
        match ty {
            Type::Int => "a number".to_owned(),
            Type::Bool => "a truth value".to_owned(),
            Type::Pid => "an address".to_owned(),
            Type::Member(SetId(id)) => {
                let set = protocol.sets.get(id as usize).map(|set| set.name.text.as_str());
                format!("the address of a member of `{}`", name(set))
            }
            Type::Enum(id) => {
                let item = protocol.enums.get(id.0 as usize).map(|item| item.name.text.as_str());
                format!("a value of `{}`", name(item))
            }
            Type::Message(id) => {
                let item = protocol.messages.get(id.0 as usize).map(|item| item.name.text.as_str());
                format!("a message of type `{}`", name(item))
            }
        }
    }

    /// Something has another type than it should.
    pub(super) fn mismatch(&self, wanted: Type, found: Type, span: Span) -> Diagnostic {
        let (wanted, found) = (self.describe(wanted), self.describe(found));
        let message = format!("expected {wanted}, found {found}");
        error("type-mismatch", message, span, format!("this is {found}"))
    }
}
