//! How large expressions are.

use super::Resolver;
use crate::inv::MAX_EXPANDED;
use crate::inv::ast::{Expr, ExprKind};
use ser_base::{Diagnostic, Span};

/// How many nodes an expression has; places of `at` count too.
pub(super) fn size(expr: &Expr) -> usize {
    let mut size = 1;
    if let ExprKind::At(_, places) = &expr.kind {
        size += places.len();
    }
    children(expr, &mut |child| size += self::size(child));
    size
}

/// How high the tree is.
pub(super) fn height(expr: &Expr) -> usize {
    let mut height = 0;
    children(expr, &mut |child| height = height.max(self::height(child)));
    height + 1
}

/// What stands directly inside.
pub(super) fn children<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Field(inside, _)
        | ExprKind::Not(inside)
        | ExprKind::Negate(inside)
        | ExprKind::Min(inside)
        | ExprKind::Max(inside)
        | ExprKind::Cells(inside)
        | ExprKind::Elems(inside) => visit(inside),
        ExprKind::Binary(_, left, right)
        | ExprKind::Reach(left, right)
        | ExprKind::Ordered(left, right) => {
            visit(left);
            visit(right);
        }
        ExprKind::Set(elements) => elements.iter().for_each(visit),
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Null
        | ExprKind::Nobody
        | ExprKind::Lowest
        | ExprKind::Highest
        | ExprKind::Thread(_)
        | ExprKind::Global(_)
        | ExprKind::Local(..)
        | ExprKind::At(..) => {}
    }
}

impl Resolver<'_, '_> {
    /// Counts what is written out; says so if it is too much. The text of a file is bounded, but what its
    /// shorthands and ranges stand for is not.
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
            self.report(
                Diagnostic::error("expanded-too-large", message, span)
                    .with_label("too large here")
                    .with_help(
                        "every use of a `let` is a copy of it, and `at` lists all its places",
                    ),
            );
        }
        None
    }
}
