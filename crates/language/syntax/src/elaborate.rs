//! From what a person wrote to what methods read: names, types, and the core.

mod infer;
mod lower;
mod plain;
mod types;

pub(crate) use plain::{plain_expr, plain_program};

use crate::ast::Program;
use crate::check::{self, Checker};
use crate::core;
use ser_base::Sink;

/// Checks a program and gives its core; an empty one if there are errors.
pub(crate) fn elaborate(tree: &Program, sink: &mut Sink) -> core::Program {
    check::duplicates(tree, sink);
    let mut checker = Checker::of(tree, sink);
    let typed = infer::infer(tree, &mut checker);
    if checker.sink.has_errors() {
        return core::Program::default();
    }
    let program = lower::lower(tree, &typed, &mut checker);
    if sink.has_errors() { core::Program::default() } else { program }
}
