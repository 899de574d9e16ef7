//! Enumerations and types of `.unw` files.

use super::Parser;
use crate::ast::items::Items;
use crate::ast::{Constant, Enumeration, Expr, ExprKind, Type, TypeKind};
use crate::report::Reported;

impl Parser<'_> {
    /// `enum name { member, ... }`; the members are constants, too.
    pub(super) fn enumeration(&mut self, items: &mut Items) -> Result<(), Reported> {
        let start = self.here();
        let (name, members) = self.names_of_enumeration()?;
        for (index, member) in members.iter().enumerate() {
            let kind = ExprKind::Number(index as i64);
            items.constants.push(Constant {
                name: member.clone(),
                value: Expr { kind, span: member.span },
                span: member.span,
            });
        }
        let span = self.since(start);
        items.enumerations.push(Enumeration { name, members, open: false, span });
        Ok(())
    }

    /// A type; where it is not understood, the rest of the item is skipped.
    pub(super) fn type_or_hole(&mut self) -> Type {
        self.a_type().unwrap_or_else(|Reported| {
            // The name is worth knowing: everything that uses it is fine.
            self.skip_to_item(true);
            Type { kind: TypeKind::Error, span: self.gap() }
        })
    }
}
