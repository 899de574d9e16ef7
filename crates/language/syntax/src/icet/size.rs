//! How large a protocol is, in the measure of the paper's table.

use super::ast::{Expr, ExprKind, Pattern, Protocol, Source, Stmt, StmtKind};

/// The size of a protocol as a term: how often constructors and constants occur in its tree.
///
/// Everything that is one node or one leaf of the term counts 1:
///
/// - each process, and its set if it has one;
/// - each statement, also `skip`;
/// - in statements the leaves that are no expressions: the message type, the pattern and the source
///   of a `recv` (each name and `_` of a pattern counts, the constructor too), the message type of
///   a `send`, the variable that is assigned, the variable and the set of a `for`, what
///   stands behind `choose`, the variable of a `match`, and the constructor (or `_`) and the
///   names of each arm;
/// - in expressions each number, `true`, `false`, name, constructor and operator; the `?` of `if
///   ?`.
///
/// Sequences, blocks, parentheses and declarations of sets, enumerations and messages count
/// nothing.
///
/// ```
/// let text = "msg Ping = Ping  process p { send Ping to q }  process q { v := recv Ping }";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// // p, send, its type, Ping, q; q, recv, its type, v, anyone.
/// assert_eq!(ser_syntax::icet::term_size(&protocol), 10);
/// ```
pub fn term_size(protocol: &Protocol) -> usize {
    let mut size = 0;
    for process in &protocol.processes {
        size += 1 + usize::from(process.set.is_some());
        for statement in &process.body {
            statement.walk(&mut |inner| size += of_statement(inner));
        }
    }
    size
}

/// A statement without the blocks inside it.
fn of_statement(statement: &Stmt) -> usize {
    1 + match &statement.kind {
        StmtKind::Send { payload, to, .. } => 1 + of_expr(payload) + of_expr(to),
        StmtKind::Receive { pattern, from, .. } => {
            let pattern = match pattern {
                Pattern::Ignore | Pattern::Variable(_) => 1,
                Pattern::Constructor { fields, .. } => 1 + fields.len(),
            };
            let from = match from {
                Source::Pid(from) => of_expr(from),
                Source::Set(_) | Source::Anyone => 1,
            };
            1 + pattern + from
        }
        StmtKind::Assign { value, .. } => 1 + of_expr(value),
        StmtKind::Any { .. } | StmtKind::Pick { .. } | StmtKind::For { .. } => 2,
        StmtKind::If { condition, .. } => condition.as_ref().map_or(1, of_expr),
        StmtKind::Match { arms, .. } => {
            1 + arms.iter().map(|arm| 1 + arm.fields.len()).sum::<usize>()
        }
        StmtKind::While { condition, .. } | StmtKind::Assert { condition } => of_expr(condition),
        StmtKind::Loop { .. } | StmtKind::Break { .. } | StmtKind::Fail | StmtKind::Skip => 0,
    }
}

fn of_expr(expr: &Expr) -> usize {
    1 + match &expr.kind {
        ExprKind::Message(_, _, fields) => fields.iter().map(of_expr).sum(),
        ExprKind::Not(inside) | ExprKind::Negate(inside) => of_expr(inside),
        ExprKind::Binary(_, left, right) => of_expr(left) + of_expr(right),
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Enum(..)
        | ExprKind::Variable(_)
        | ExprKind::Me
        | ExprKind::Process(_) => 0,
    }
}
