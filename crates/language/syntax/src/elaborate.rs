//! From what a person wrote to what methods read: names, types, and the core.
//!
//! Requests and processes are both *handlers*: they have parameters and a body, and everything
//! that can be said in one can be said in the other. They differ in when others run: where a
//! request says `yield`, and between any two actions of a process (`lower/actions.rs`).

mod infer;
mod lower;
mod plain;
mod types;

pub(crate) use plain::plain_expr;

use crate::ast::{Block, Expr, ExprKind, Name, Parameter, Program, Type};
use crate::check::{self, Checker};
use crate::core;
use crate::domains::Domains;
use crate::report::{Messages as _, error};
use ser_base::{Sink, Span};

/// A request or a process.
#[derive(Clone, Copy)]
struct Handler<'p> {
    name: &'p Name,
    parameters: &'p [Parameter],
    body: &'p Block,
    span: Span,
    is_process: bool,
}

/// What runs, in the order of the text; a file has requests or processes.
fn handlers(tree: &Program) -> impl Iterator<Item = Handler<'_>> {
    let requests = tree.requests.iter().map(|it| Handler {
        name: &it.name,
        parameters: &it.parameters,
        body: &it.body,
        span: it.span,
        is_process: false,
    });
    let processes = tree.processes.iter().map(|it| Handler {
        name: &it.name,
        parameters: &it.parameters,
        body: &it.body,
        span: it.span,
        is_process: true,
    });
    requests.chain(processes)
}

/// Checks a program and gives its core; an empty one if there are errors.
pub(crate) fn elaborate(tree: &Program, sink: &mut Sink) -> core::Program {
    check::duplicates(tree, sink);
    match tree.processes.is_empty() {
        true => only_requests(tree, sink),
        false => only_processes(tree, sink),
    }
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
    let typed = infer::infer(tree, &mut checker);
    let mut domains = typed.domains(tree);
    // What a loop counts with is just a number to inference.
    let bodies = tree.requests.iter().map(|it| &it.body);
    let bodies = bodies.chain(tree.functions.iter().map(|it| &it.body));
    let bodies = bodies.chain(tree.processes.iter().map(|it| &it.body));
    for (names, body) in domains.bodies.iter_mut().zip(bodies) {
        for_each_loop(&body.exprs, &mut |name, values| {
            if let Some(layout) = typed.types.layout(values, &mut checker) {
                names.insert(name.text.clone(), typed.types.domain(&layout));
            }
        });
    }
    domains
}

fn for_each_loop(exprs: &[Expr], each: &mut dyn FnMut(&Name, &Type)) {
    for expr in exprs {
        if let ExprKind::For(name, values, _) | ExprKind::Quantified(_, name, values, _) =
            &expr.kind
        {
            each(name, values);
        }
        expr.for_each_child(&mut |child| for_each_loop(std::slice::from_ref(child), each));
    }
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
}

/// Reports what a few processes do not have at top level.
fn only_processes(tree: &Program, sink: &mut Sink) {
    for request in &tree.requests {
        let message = "requests and processes do not stand in one file";
        let label = format!("the request `{}`", request.name.text);
        let word = Span::new(request.span.start, request.span.start + "request".len() as u32);
        error("request-for-process", message, word, label)
            .with_fix("make it a process", word, "process")
            .with_help("requests come in any number and respond; processes run once")
            .report(sink);
    }
    check::no_open_types(tree, sink);
    let mut not_here = |span, many: &str, one: &str, help: &str| {
        let message = format!("a file with processes has no {many}");
        error("not-in-processes", message, span, format!("{one}, not supported here"))
            .with_help(help)
            .report(sink);
    };
    for set in &tree.sets {
        let help = "a fixed number of processes is `process P(id in 0..1) { ... }`";
        not_here(set.name.span, "sets", "a set", help);
    }
    for assumption in &tree.assumptions {
        let help = "say what a variable is at first: `var X: 0..3 = 1`";
        not_here(assumption.span, "assumptions", "an assumption", help);
    }
    for proof in &tree.proofs {
        let help = "leave it out: what is asked needs no proof";
        not_here(proof.span, "proofs", "a proof", help);
    }
    for variable in tree.globals.iter().filter(|it| it.ghost) {
        let help = "leave `ghost` out: every variable may be looked at in `reach`";
        not_here(variable.span, "ghost variables", "a ghost variable", help);
    }
    for process in &tree.processes {
        if process.server {
            let help = "leave `server` out; `deadlock` asks whether somebody can wait forever";
            not_here(process.name.span, "servers", "a server", help);
        }
        if let Some((member, set)) = &process.member {
            let help = "a fixed number of processes is `process P(id in 0..1) { ... }`";
            let one = "one for each member of a set";
            not_here(member.span.to(set.span), "processes that come in any number", one, help);
        }
    }
    for constant in tree.constants.iter().filter(|it| it.name.text == "done") {
        taken(&constant.name, sink);
    }
    for member in tree.enumerations.iter().flat_map(|it| &it.members) {
        if member.text == "done" {
            taken(member, sink);
        }
    }
}

fn taken(name: &Name, sink: &mut Sink) {
    let message = "`done` asks in `reach` whether processes have ended";
    error("reserved-name", message, name.span, "this name is taken")
        .with_help("choose another name")
        .report(sink);
}
