//! From what a person wrote to what methods read: names, types, and the core.

mod infer;
mod lower;
mod plain;
mod types;

pub(crate) use plain::{plain_expr, plain_program};

use crate::ast::Program;
use crate::check::{self, Checker};
use crate::core;
use crate::domains::Domains;
use crate::report::{Messages as _, error};
use ser_base::Sink;

/// Checks a program and gives its core; an empty one if there are errors.
pub(crate) fn elaborate(tree: &Program, sink: &mut Sink) -> core::Program {
    check::duplicates(tree, sink);
    only_requests(tree, sink);
    let mut checker = Checker::of(tree, sink);
    let typed = infer::infer(tree, &mut checker);
    if checker.sink.has_errors() {
        return core::Program::default();
    }
    let program = lower::lower(tree, &typed, &mut checker);
    if sink.has_errors() { core::Program::default() } else { program }
}

/// What inference finds out about the names of a program, whatever is wrong with it.
pub(crate) fn domains(tree: &Program) -> Domains {
    let mut sink = Sink::default();
    let mut checker = Checker::of(tree, &mut sink);
    infer::infer(tree, &mut checker).domains(tree)
}

/// Reports what requests do not have at top level.
fn only_requests(tree: &Program, sink: &mut Sink) {
    let ghosts = tree.globals.iter().filter(|it| it.ghost).map(|it| (it.span, "ghost variables"));
    let sets = tree.sets.iter().map(|it| (it.span, "sets of processes"));
    let assumptions = tree.assumptions.iter().map(|it| (it.span, "`assume` at top level"));
    let proofs = tree.proofs.iter().map(|it| (it.span, "proofs"));
    let messages = tree.messages.iter().map(|it| (it.span, "messages"));
    for (span, what) in ghosts.chain(sets).chain(assumptions).chain(proofs).chain(messages) {
        error("not-in-requests", format!("requests have no {what}"), span, "only with processes")
            .with_help("it belongs into a file whose items are `process`, not `request`")
            .report(sink);
    }
    if let (Some(process), Some(request)) = (tree.processes.first(), tree.requests.first()) {
        let message = "a file has requests, which come in any number, or processes, not both";
        error("requests-and-processes", message, process.name.span, "a process")
            .with_secondary(request.name.span, "a request")
            .with_help("a process that comes once is a request that looks whether it has come")
            .report(sink);
    }
}
