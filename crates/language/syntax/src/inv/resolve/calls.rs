//! Who calls whom.
//!
//! A procedure that cannot be reached from `thread` does nothing. It is looked at like the others,
//! for messages and for editors, but it is left out of the system: its locations would be places
//! where no thread ever is.

use super::{Item, Resolver, circle};
use crate::ast::{Expr, ExprKind, Name};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};
use std::collections::HashMap;

/// For each procedure, which ones it calls, and where.
fn graph(items: &[Item<'_>]) -> Vec<Vec<(usize, Span)>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, item) in items.iter().enumerate().filter(|(_, item)| !item.is_thread) {
        places.entry(&item.name.text).or_insert(place);
    }
    let edges = |item: &Item<'_>| {
        let mut found = Vec::new();
        item.body.exprs.iter().for_each(|expr| calls(expr, &places, &mut found));
        found
    };
    items.iter().map(edges).collect()
}

/// All calls in an expression, in the order of the text.
fn calls(expr: &Expr, places: &HashMap<&str, usize>, found: &mut Vec<(usize, Span)>) {
    if let ExprKind::Call(name, _) = &expr.kind {
        found.extend(places.get(name.text.as_str()).map(|place| (*place, name.span)));
    }
    expr.for_each_child(&mut |child| calls(child, places, found));
}

impl<'f> Resolver<'f, '_> {
    /// Moves the procedures that are not called to the end; returns how many are before them.
    pub(super) fn order_by_calls(&mut self, items: &mut Vec<Item<'f>>, has_thread: bool) -> usize {
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
        let with = items.iter().copied().zip(reached);
        let (called, left_out): (Vec<_>, Vec<_>) = with.partition(|(_, reached)| *reached);
        let count = called.len();
        *items = called.into_iter().chain(left_out).map(|(item, _)| item).collect();
        count
    }

    /// No procedure calls itself, directly or not.
    pub(super) fn no_recursion(&mut self) {
        let items: Vec<Item<'_>> = self.procedures.iter().map(|info| info.item).collect();
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
