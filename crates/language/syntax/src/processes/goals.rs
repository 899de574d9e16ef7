//! What to look for: conditions on states, with `len` and `done` as hidden variables.

use std::collections::{BTreeMap, BTreeSet};

use super::queue;
use super::scope::{Scope, Shared};
use crate::ast::process::{Function, GoalItem, Reference};
use crate::ast::{Expr, Goal, Name, Parameter};
use crate::check::{Checker, MAX_LABELS};
use crate::elaborate::plain_expr;
use crate::report::{Messages as _, error};
use crate::{goal, make};
use ser_base::{Diagnostic, Span};

/// How many conditions `done` may add to the goals.
const MAX_ADDED: usize = 1 << 20;

/// The goals that make sense, and the processes whose end they ask for.
pub(super) fn resolve(
    scope: &Scope<'_>,
    checker: &mut Checker<'_, '_>,
) -> (Vec<Goal>, BTreeSet<usize>) {
    let mut resolver = Resolver { scope, asked: BTreeSet::new(), added: 0 };
    let mut goals = Vec::new();
    for item in &scope.items.goals {
        if let Some(condition) = resolver.goal(item, checker) {
            let condition = plain_expr(&condition, &BTreeMap::new());
            goals.push(Goal { name: item.name.clone(), condition, span: item.span });
        }
    }
    (goals, resolver.asked)
}

/// The hidden variable that says whether a process has ended.
pub(super) fn done(label: &str) -> String {
    format!("Done.{label}")
}

/// A process with the values of its parameters.
pub(super) struct Instance {
    pub(super) label: String,
    pub(super) values: Vec<i64>,
}

/// All instances of a process, in the order of their values; none if there are too many, which was
/// reported where its parameters stand.
pub(super) fn instances(
    name: &str,
    parameters: &[Parameter],
    checker: &Checker<'_, '_>,
) -> Vec<Instance> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for parameter in parameters {
        let Some((low, high)) = checker.ends_of(parameter) else { return Vec::new() };
        let size = if low <= high { high.abs_diff(low).saturating_add(1) } else { 0 };
        if size.saturating_mul(all.len() as u64) > MAX_LABELS {
            return Vec::new();
        }
        let extended = |values: &Vec<i64>| {
            let values = values.clone();
            (low..=high).map(move |value| [values.clone(), vec![value]].concat())
        };
        all = all.iter().flat_map(extended).collect();
    }
    all.into_iter().map(|values| Instance { label: label(name, &values), values }).collect()
}

/// What a process with these values of its parameters is called.
pub(crate) fn label(name: &str, values: &[i64]) -> String {
    if values.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    format!("{name}({})", values.join(","))
}

struct Resolver<'a, 'i> {
    scope: &'a Scope<'i>,
    /// Processes whose end matters.
    asked: BTreeSet<usize>,
    /// How many conditions `done` has added.
    added: usize,
}

impl Resolver<'_, '_> {
    fn goal(&mut self, item: &GoalItem, checker: &mut Checker<'_, '_>) -> Option<Expr> {
        let kind_of = |expr: &Expr| self.scope.kind_of(expr);
        self.scope.enumerations.all_compared(&item.condition, &kind_of, checker);
        let mut report = Vec::new();
        let condition = goal::condition(&item.condition, &mut report, &mut |name, report| {
            self.name(name, checker, report)
        });
        report.into_iter().for_each(|diagnostic| checker.sink.push(diagnostic));
        condition
    }

    fn name(
        &mut self,
        name: &Name,
        checker: &Checker<'_, '_>,
        report: &mut Vec<Diagnostic>,
    ) -> Option<Expr> {
        let Name { text, span } = name;
        match self.scope.call(name) {
            Some(Function::Len(queue)) => {
                return match self.scope.shared.get(queue.text.as_str()) {
                    Some(Shared::Queue { .. }) => {
                        Some(make::read(queue::length(&queue.text), *span))
                    }
                    Some(Shared::Unknown) => None,
                    _ => {
                        report.push(self.scope.not_a_queue(queue, checker));
                        None
                    }
                };
            }
            Some(Function::Done(None)) => {
                let all = (0..self.scope.items.processes.len())
                    .flat_map(|process| self.done(process, None, *span, checker))
                    .collect();
                return self.all(all, *span, report);
            }
            Some(Function::Done(Some(reference)) | Function::Response(reference)) => {
                return self.reference(reference, *span, checker, report);
            }
            None => {}
        }
        if let Some(value) = checker.constants.0.get(text.as_str()) {
            return value.map(|value| make::number(value, *span));
        }
        let diagnostic = match self.scope.shared.get(text.as_str()) {
            Some(Shared::Variable(_)) => return Some(make::read(text, *span)),
            Some(Shared::Unknown) => return None,
            Some(Shared::Queue { .. }) => self.scope.queue_as_variable(name),
            None if name.is_global() => self.scope.undefined(name, checker),
            None => {
                let diagnostic = name
                    .wrong("local-in-goal", "is not a shared variable")
                    .with_label("local variables cannot be seen from outside of their process");
                let known = self.scope.shared.keys().copied();
                match checker
                    .sink
                    .closest(text, known.chain(checker.constants.0.keys().map(String::as_str)))
                {
                    Some(known) => diagnostic.meant(known),
                    None => {
                        diagnostic.with_help("copy it into a shared variable, and look at that")
                    }
                }
            }
        };
        report.push(diagnostic);
        None
    }

    /// The hidden variables of a process: of all its instances, or of the one with these values.
    fn done(
        &mut self,
        process: usize,
        only: Option<&[i64]>,
        span: Span,
        checker: &Checker<'_, '_>,
    ) -> Vec<Expr> {
        let Some(item) = self.scope.items.processes.get(process) else { return Vec::new() };
        self.asked.insert(process);
        let name = &item.name.text;
        if let Some(values) = only {
            let fits = values.len() == item.parameters.len()
                && values.iter().zip(&item.parameters).all(|(value, parameter)| {
                    let ends = checker.ends_of(parameter);
                    ends.is_some_and(|(low, high)| (low..=high).contains(value))
                });
            let label = label(name, values);
            return if fits { vec![make::read(done(&label), span)] } else { Vec::new() };
        }
        if self.added > MAX_ADDED {
            return Vec::new();
        }
        let all = instances(name, &item.parameters, checker);
        self.added += all.len();
        all.iter().map(|instance| make::read(done(&instance.label), span)).collect()
    }

    /// All of these hold, unless that takes too much.
    fn all(&self, conditions: Vec<Expr>, span: Span, report: &mut Vec<Diagnostic>) -> Option<Expr> {
        if self.added > MAX_ADDED {
            return Diagnostic::error(
                "too-much-code",
                "too many processes would have to end here",
                span,
            )
            .with_label("all of them, again and again")
            .with_help("use fewer processes, or `done` less often")
            .none(report);
        }
        Some(make::all(conditions, span))
    }

    /// `done(process)`, `done(process(values))`.
    fn reference(
        &mut self,
        reference: &Reference,
        span: Span,
        checker: &Checker<'_, '_>,
        report: &mut Vec<Diagnostic>,
    ) -> Option<Expr> {
        let name = &reference.name;
        let Some(&process) = self.scope.processes.get(name.text.as_str()) else {
            let message = format!("there is no process `{}`", name.text);
            let diagnostic = error("undefined-name", message, name.span, "not defined");
            let known = self.scope.processes.keys().copied();
            report.push(match checker.sink.closest(&name.text, known) {
                Some(known) => diagnostic.meant(known),
                None => diagnostic,
            });
            return None;
        };
        if let Some(index) = &reference.index {
            let message = "one of several processes is written with its parameters";
            return error("unexpected-token", message, index.span, "unexpected index here")
                .with_help(format!("write `done({}(0))`", name.text))
                .none(report);
        }
        let Some(arguments) = &reference.arguments else {
            let all = self.done(process, None, span, checker);
            return self.all(all, span, report);
        };
        let mut values = Vec::new();
        for argument in arguments {
            match checker.constants.value(argument) {
                Ok(value) => values.push(value),
                Err(failure) => {
                    report.extend(failure.into_diagnostic());
                    return None;
                }
            }
        }
        let found = self.done(process, Some(&values), span, checker);
        if found.is_empty() {
            let message = format!("there is no process `{}`", label(&name.text, &values));
            let defined = self.scope.items.processes.get(process).map(|p| p.name.span);
            return Diagnostic::error("undefined-name", message, reference.span)
                .with_label("its parameters have no such values")
                .with_secondary(defined.unwrap_or(name.span), "defined here")
                .none(report);
        }
        Some(make::all(found, span))
    }
}
