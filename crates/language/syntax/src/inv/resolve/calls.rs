//! Who calls whom.
//!
//! A procedure that cannot be reached from `thread` does nothing. It is looked at like the others,
//! for messages and for editors, but it is left out of the system: its locations would be places
//! where no thread ever is.

use super::{Resolver, circle};
use crate::ast::Name;
use crate::inv::syntax::{Block, ProcedureItem, StmtKind};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};
use std::collections::HashMap;

/// All calls in a block, in the order of the text.
fn calls<'f>(block: &'f Block<'f>, found: &mut Vec<&'f Name>) {
    for statement in &block.statements {
        match &statement.kind {
            StmtKind::Call { procedure, .. } => found.push(procedure),
            StmtKind::Label(_, body) | StmtKind::While { body, .. } | StmtKind::Loop(body) => {
                calls(body, found);
            }
            StmtKind::If { then, otherwise, .. } => {
                calls(then, found);
                otherwise.iter().for_each(|block| calls(block, found));
            }
            StmtKind::Choice(branches) => {
                branches.iter().for_each(|block| calls(block, found));
            }
            StmtKind::Action(_) | StmtKind::Atomic(_) | StmtKind::Return(_) => {}
        }
    }
}

/// For each procedure, which ones it calls, and where.
fn graph(items: &[&ProcedureItem<'_>]) -> Vec<Vec<(usize, Span)>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        places.entry(&item.name.text).or_insert(place);
    }
    let edges = |item: &&ProcedureItem<'_>| {
        let mut found = Vec::new();
        calls(&item.body, &mut found);
        let known = found.into_iter().filter_map(|name| {
            let place = places.get(name.text.as_str())?;
            Some((*place, name.span))
        });
        known.collect()
    };
    items.iter().map(edges).collect()
}

impl<'f> Resolver<'f, '_> {
    /// Moves the procedures that are not called to the end; returns how many are before them.
    pub(super) fn order_by_calls(
        &mut self,
        items: &mut Vec<&'f ProcedureItem<'f>>,
        has_thread: bool,
    ) -> usize {
        if !has_thread {
            // The message about that is enough.
            return items.len();
        }
        let graph = graph(items);
        let mut reached = vec![false; items.len()];
        let mut open = vec![0usize];
        while let Some(place) = open.pop() {
            match reached.get_mut(place) {
                Some(reached) if !*reached => *reached = true,
                _ => continue,
            }
            open.extend(graph.get(place).into_iter().flatten().map(|(to, _)| *to));
        }
        let mut called = Vec::new();
        let mut left_out = Vec::new();
        for (item, reached) in items.iter().copied().zip(reached) {
            if reached { called.push(item) } else { left_out.push(item) }
        }
        let count = called.len();
        called.append(&mut left_out);
        *items = called;
        count
    }

    /// No procedure calls itself, directly or not.
    pub(super) fn no_recursion(&mut self) {
        let items: Vec<&ProcedureItem<'_>> = self.procedures.iter().map(|info| info.item).collect();
        let Some(circle) = circle::find(&graph(&items)) else { return };
        let name =
            |place: usize| items.get(place).map_or(String::new(), |item| item.name.to_string());
        let Some(&(first, span)) = circle.first() else { return };
        let message = match circle.len() {
            1 => format!("the procedure {} calls itself", name(first)),
            _ => {
                format!("procedures call each other in a circle: {}", circle::show(&circle, &name))
            }
        };
        let diagnostic = error("recursion", message, span, "this call closes a circle");
        circle::tell(diagnostic, &circle, &|place| format!("called by {} here", name(place)))
            .with_help(
                "every procedure has one set of locals for each thread, \
                 so that no call can be inside another of itself",
            )
            .with_help("use `while c { ... }`")
            .report(self);
    }

    /// Takes what no thread can reach out of the system.
    pub(super) fn leave_out_uncalled(&mut self) {
        let Some(first) = self.procedures.get(self.called) else { return };
        let (locations, called) = (first.first as usize, self.called);
        self.system.procedures.truncate(called);
        self.system.locations.truncate(locations);
        self.labels.retain(|label| (label.procedure.0 as usize) < called);
        self.system.locals.retain(|local| (local.procedure.0 as usize) < called);
        let left_out: Vec<&Name> =
            self.procedures.iter().skip(called).map(|info| info.item.name).collect();
        for name in left_out {
            let message = format!("the procedure `{}` is never called", name.text);
            Diagnostic::warning("uncalled-procedure", message, name.span)
                .with_label("no thread ever comes here")
                .with_help(format!("call it with `{}(...)`, or leave it out", name.text))
                .report(self);
        }
    }
}
