//! What is allowed but probably not meant.

use ser_base::{Diagnostic, Sink};
use ser_syntax::icet::ast::{ExprKind, MessageId, Process, Protocol, Stmt, StmtKind};

/// Warns about a protocol without errors.
pub(super) fn lint(protocol: &Protocol, sink: &mut Sink) {
    let mut used = vec![false; protocol.messages.len()];
    for process in &protocol.processes {
        for statement in &process.body {
            statement.walk(&mut |statement| mark(statement, &mut used));
        }
        if process.server {
            active_server(process, sink);
        }
    }
    for (message, used) in protocol.messages.iter().zip(used) {
        if !used {
            let text = &message.name.text;
            sink.push(
                Diagnostic::warning(
                    "unused-message",
                    format!("nobody sends or receives `{text}`"),
                    message.name.span,
                )
                .with_label("declared, and that is all")
                .with_help("leave it out, or use it"),
            );
        }
    }
}

/// Notes which message types a statement uses.
fn mark(statement: &Stmt, used: &mut [bool]) {
    let message = match &statement.kind {
        StmtKind::Send { message, .. } | StmtKind::Receive { message, .. } => Some(*message),
        StmtKind::Assign { value, .. } => match &value.kind {
            ExprKind::Message(message, ..) => Some(*message),
            _ => None,
        },
        _ => None,
    };
    if let Some(MessageId(id)) = message
        && let Some(slot) = used.get_mut(id as usize)
    {
        *slot = true;
    }
}

/// A server is somebody who waits to be asked. One whose loop begins with a `send` is never idle,
/// so that it cannot be left waiting at the end.
fn active_server(process: &Process, sink: &mut Sink) {
    let body = process.body.iter().find_map(|statement| match &statement.kind {
        StmtKind::Loop { body } | StmtKind::While { body, .. } => Some(body),
        _ => None,
    });
    let Some(first) = body.and_then(|body| body.first()) else { return };
    if matches!(first.kind, StmtKind::Send { .. }) {
        let text = &process.name.text;
        sink.push(
            Diagnostic::warning(
                "active-server",
                format!("the server `{text}` is active: its loop begins with `send`"),
                first.span,
            )
            .with_label("sent before anybody asked")
            .with_secondary(process.name.span, "declared as a server here")
            .with_help("a server waits first: begin the loop with `recv`, or leave `server` out"),
        );
    }
}
