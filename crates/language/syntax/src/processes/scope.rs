//! The names of a file with processes: shared variables, queues, processes, with what they are.

use std::collections::BTreeMap;

use crate::ast::process::{Call, Function, Items, Variable};
use crate::ast::{Expr, ExprKind, Name};
use crate::check::{Checker, defined_twice, local_at_top_level, twice};
use crate::intervals::Interval;
use crate::parser::instead_of;
use crate::report::{Messages as _, error};
use crate::types::{Enumerations, Resolved, Values};
use ser_base::{Diagnostic, Span};

/// What a declared name stands for.
#[derive(Clone, Copy)]
pub(super) enum Shared {
    Variable(Values),
    Queue {
        capacity: i64,
        items: Values,
    },
    /// Its declaration has an error.
    Unknown,
}

/// All names of a file that are not local.
pub(super) struct Scope<'i> {
    pub(super) items: &'i Items,
    pub(super) enumerations: Enumerations<'i>,
    pub(super) shared: BTreeMap<&'i str, Shared>,
    /// First values, in the order of the declarations.
    pub(super) first: Vec<i64>,
    pub(super) processes: BTreeMap<&'i str, usize>,
    calls: BTreeMap<Span, &'i Call>,
}

impl<'i> Scope<'i> {
    /// Resolves the declarations, and says what is wrong with them.
    pub(super) fn of(
        items: &'i Items,
        calls: &'i [Call],
        enumerations: Enumerations<'i>,
        checker: &mut Checker<'i, '_>,
    ) -> Scope<'i> {
        let names = items.variables.iter().map(|v| &v.name);
        twice(names, checker.sink, "duplicate-variable", |name| {
            format!("`{name}` is declared twice")
        });
        let names = items.processes.iter().map(|p| &p.name);
        defined_twice(names, checker.sink, "duplicate-process", "process");
        let mut scope = Scope {
            items,
            enumerations,
            shared: BTreeMap::new(),
            first: Vec::new(),
            processes: BTreeMap::new(),
            calls: calls.iter().map(|call| (call.span, call)).collect(),
        };
        for (index, process) in items.processes.iter().enumerate() {
            scope.processes.entry(&process.name.text).or_insert(index);
        }
        for variable in &items.variables {
            let (shared, first) = scope.variable(variable, checker);
            scope.shared.entry(&variable.name.text).or_insert(shared);
            scope.first.push(first);
        }
        scope
    }

    fn variable(&self, variable: &Variable, checker: &mut Checker<'_, '_>) -> (Shared, i64) {
        self.variable_name(&variable.name, checker);
        let resolved = self.enumerations.resolve(&variable.values, checker);
        let first = variable.first.as_ref().map(|first| (first, checker.value(first)));
        match resolved {
            None => (Shared::Unknown, 0),
            Some(Resolved::Unit) => {
                let message = format!("`{}` would have no values", variable.name.text);
                Diagnostic::error("malformed-type", message, variable.values.span)
                    .with_label("expected a range, `bool`, `bits n` or the name of an `enum`")
                    .report(checker.sink);
                (Shared::Unknown, 0)
            }
            Some(Resolved::Queue { capacity, items }) => {
                if let Some((first, _)) = first {
                    let message = format!("the queue `{}` is empty at first", variable.name.text);
                    error("queue-first-value", message, first.span, "a queue has no first value")
                        .with_help(
                            "let a process send what is to be there: `process Fill { send 1 to Q }`",
                        )
                        .report(checker.sink);
                }
                if variable.name.text == "Done" {
                    let message = "a queue cannot be called `Done`";
                    error("reserved-name", message, variable.name.span, "this name is taken")
                        .with_help("choose another name")
                        .report(checker.sink);
                }
                (Shared::Queue { capacity, items }, 0)
            }
            Some(Resolved::Values(values)) => {
                let mut value = values.rest();
                if let Some((expr, Some(wanted))) = first {
                    value = wanted;
                    if !values.contains(wanted) {
                        let text = &variable.name.text;
                        let message = format!(
                            "`{text}` starts with {wanted}, which is not one of its values"
                        );
                        Diagnostic::error("first-value-out-of-range", message, expr.span)
                            .with_label(format!("not in {}..{}", values.low, values.high))
                            .with_secondary(variable.values.span, "its values")
                            .report(checker.sink);
                    }
                    let (name, found) = (&variable.name.text, self.kind_of(expr));
                    self.fits(name, values, found, expr.span, checker);
                }
                (Shared::Variable(values), value)
            }
        }
    }

    /// A shared variable starts with an uppercase letter and is no constant.
    fn variable_name(&self, name: &Name, checker: &mut Checker<'_, '_>) {
        if !checker.shadows_constant(name, "variable-shadows-constant", "a variable")
            && !name.is_global()
        {
            local_at_top_level(name, "declared-local", "process")
                .with_help("local variables are not declared: `x := 1` in a process is enough")
                .report(checker);
        }
    }

    /// What looks like a call at this place.
    pub(super) fn call(&self, name: &Name) -> Option<&'i Function> {
        self.calls.get(&name.span).map(|call| &call.function)
    }

    /// The values of a shared variable, hidden ones too.
    pub(super) fn values(&self, name: &str) -> Option<Values> {
        if let Some((queue, part)) = name.split_once('.') {
            return match self.shared.get(queue) {
                Some(Shared::Queue { capacity, .. }) if part == "len" => {
                    Some(Values::range(0, *capacity))
                }
                Some(Shared::Queue { items, .. }) => Some(*items),
                _ => Some(Values::range(0, 1)),
            };
        }
        match self.shared.get(name) {
            Some(Shared::Variable(values)) => Some(*values),
            _ => None,
        }
    }

    /// What is known about a name that is no local variable.
    pub(super) fn interval(&self, name: &Name, checker: &Checker<'_, '_>) -> Option<Interval> {
        if let Some(value) = checker.constants.0.get(name.text.as_str()) {
            let value = i128::from((*value)?);
            return Some((value, value));
        }
        if let Some(Function::Len(queue)) = self.call(name) {
            return self.values(&format!("{}.len", queue.text)).map(|v| v.interval());
        }
        self.values(&name.text).map(|values| values.interval())
    }

    /// The enumeration that the value of an expression belongs to, if that is obvious.
    pub(super) fn kind_of(&self, expr: &Expr) -> Option<usize> {
        match &expr.kind {
            ExprKind::Read(name) => match self.shared.get(name.text.as_str()) {
                Some(Shared::Variable(values)) => values.enumeration,
                _ => self.enumerations.of_member(&name.text),
            },
            ExprKind::Assign(_, value) => self.kind_of(value),
            ExprKind::Group(block) => self.kind_of(block.exprs.last()?),
            _ => None,
        }
    }

    /// Reports a member of another enumeration than the one of `values`.
    pub(super) fn fits(
        &self,
        name: &str,
        values: Values,
        found: Option<usize>,
        span: Span,
        checker: &mut Checker<'_, '_>,
    ) {
        let (Some(wanted), Some(found)) = (values.enumeration, found) else { return };
        if wanted != found {
            let [wanted, found] = [wanted, found].map(|it| self.enumerations.name(it));
            let message = format!("`{name}` is a `{wanted}`, and this is a `{found}`");
            error("wrong-enum", message, span, format!("expected a `{wanted}`")).report(checker);
        }
    }

    /// A shared name that is not declared.
    pub(super) fn undefined(&self, name: &Name, checker: &Checker<'_, '_>) -> Diagnostic {
        let Name { text, span } = name;
        if let Some((message, help)) = instead_of(text) {
            let helps = if help.is_empty() { &[][..] } else { &[help] };
            return error("other-language", message, *span, "not part of the language")
                .with_helps(helps);
        }
        let diagnostic =
            Diagnostic::error("undefined-name", format!("`{text}` is not declared"), *span)
                .with_label("no variable, queue or constant has this name");
        let constants = checker.constants.0.keys().map(String::as_str);
        match checker.sink.closest(text, self.shared.keys().copied().chain(constants)) {
            Some(known) => diagnostic.meant(known),
            None if name.is_global() => diagnostic.with_help(format!(
                "say which values it can have: `var {text}: 0..10`, outside of the processes"
            )),
            None => diagnostic,
        }
    }

    /// A queue where a variable should be.
    pub(super) fn queue_as_variable(&self, name: &Name) -> Diagnostic {
        let text = &name.text;
        name.error("queue-as-variable", "is a queue, not a variable", "expected a variable")
            .with_help(format!("`len({text})` says how many items are in it"))
            .with_help(format!("`send 1 to {text}` and `x := recv {text}` put and take items"))
    }

    /// Something else where a queue should be.
    pub(super) fn not_a_queue(&self, name: &Name, checker: &Checker<'_, '_>) -> Diagnostic {
        let Name { text, span } = name;
        let known = self.shared.contains_key(text.as_str());
        let known = known || checker.constants.contains(text);
        let queues = self.shared.iter().filter(|(_, s)| matches!(s, Shared::Queue { .. }));
        let (code, message, label) = if known {
            ("variable-as-queue", format!("`{text}` is not a queue"), "expected a queue")
        } else {
            let message = format!("there is no queue `{text}`");
            ("undefined-name", message, "not declared")
        };
        let diagnostic = error(code, message, *span, label);
        match checker.sink.closest(text, queues.map(|(name, _)| *name)) {
            Some(known) => diagnostic.meant(known),
            None => diagnostic
                .with_help(format!("a queue is declared like `var {text}: queue[2] of 0..3`")),
        }
    }
}
