//! How large expressions are.

use super::Resolver;
use crate::inv::MAX_EXPANDED;
use crate::inv::ast::{Expr, ExprKind};
use crate::report::{Messages as _, error};
use ser_base::Span;

/// How many nodes an expression has; places of `at` count too.
pub(super) fn size(expr: &Expr) -> usize {
    let places = if let ExprKind::At(_, places) = &expr.kind { places.len() } else { 0 };
    1 + places + expr.children().into_iter().map(size).sum::<usize>()
}

/// How high the tree is.
pub(super) fn height(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(height).max().unwrap_or(0)
}

impl Resolver<'_, '_> {
    /// Counts what is written out; says so if it is too much. The text of a file is bounded, but
    /// what its shorthands and ranges stand for is not.
    pub(super) fn write_out(&mut self, nodes: usize, span: Span) -> Option<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= MAX_EXPANDED {
            return Some(());
        }
        if !self.nodes_reported {
            self.nodes_reported = true;
            let message = format!(
                "with its shorthands written out, this file has more than {MAX_EXPANDED} terms"
            );
            error("expanded-too-large", message, span, "too large here")
                .with_help("every use of a `let` is a copy of it, and `at` lists all its places")
                .report(self);
        }
        None
    }
}
