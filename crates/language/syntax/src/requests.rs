//! What is asked about a `.ser` program on the command line: which requests run, and what to look
//! for.
//!
//! ```text
//! requests  = counted { "," counted } ;
//! counted   = label [ "*" expr ] ;
//! label     = name [ "(" expr { "," expr } ")" ] ;
//! goal      = expr ;      (* with these among its operands: *)
//! response  = label "[" expr "]" ;
//! done      = "done" [ "(" response ")" ] ;
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::items::{Call, Function, Reference};
use crate::ast::{self, Name};
use crate::constant::evaluate;
use crate::core::{Expr, ExprKind, Parameter, Program, Request};
use crate::elaborate::plain_expr;
use crate::report::{Messages as _, count_of, error};
use crate::{goal, make, parser};
use ser_base::{Diagnostic, KEPT_DIAGNOSTICS, Sink, Span, closest_name};

/// How many requests can be asked for at once.
pub const MAX_REQUESTS: u32 = 10_000;

/// How many conditions `done` may add to a goal.
const MAX_ADDED: u64 = 1 << 20;

/// Reads a list of requests with how many of each, such as `put(3)*2,get`.
///
/// Labels are those that the program has, in the order of the text; one that comes several times is
/// added up. Places in the diagnostics are places in `text`.
///
/// ```
/// let program = ser_syntax::parse("request put(n in 0..3) { X := n } request get { X }").program;
/// let (requests, diagnostics) = ser_syntax::parse_requests("put(3)*2, get", &program);
/// assert!(diagnostics.is_empty());
/// assert_eq!(requests, [("put(3)".to_owned(), 2), ("get".to_owned(), 1)]);
///
/// let (_, diagnostics) = ser_syntax::parse_requests("got", &program);
/// assert_eq!(diagnostics[0].help[0].message, "did you mean `get`?");
/// ```
pub fn parse_requests(text: &str, program: &Program) -> (Vec<(String, u32)>, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let mut requests: Vec<(String, u32)> = Vec::new();
    let Some(tokens) = crate::readable_tokens(text, &mut sink) else {
        return (requests, sink.finish());
    };
    let list = parser::parse_requests(text, &tokens, &mut sink);
    let names = Names::of(program);
    let mut total: u32 = 0;
    let mut report = Vec::new();
    for (reference, count) in &list {
        if report.len() >= KEPT_DIAGNOSTICS {
            // More would not be shown.
            break;
        }
        let label = names.label(reference, &mut report);
        let count = names.count(count.as_ref(), &mut report);
        let (Some(label), Some(count)) = (label, count) else { continue };
        if names.aborts(&reference.name) {
            let message = format!("{} may abort, and that cannot be followed", reference.name);
            error("traced-abort", message, reference.span, "a request that says `abort`")
                .with_help("goals are about responses, and a request that aborts has none; to follow it, write `return` instead")
                .report(&mut report);
            continue;
        }
        total = total.saturating_add(count);
        if total > MAX_REQUESTS {
            let message = format!("these are more than {MAX_REQUESTS} requests");
            error("too-many-requests", message, reference.span, "the limit is passed here")
                .report(&mut report);
            break;
        }
        match requests.iter_mut().find(|(known, _)| *known == label) {
            Some((_, known)) => *known += count,
            None => requests.push((label, count)),
        }
    }
    report.into_iter().for_each(|diagnostic| sink.push(diagnostic));
    if list.is_empty() && !sink.has_errors() {
        error("no-requests", "no requests are listed", Span::default(), "expected a request")
            .with_help("for example `main*2` for two of the request `main`")
            .report(&mut sink);
    }
    (requests, sink.finish())
}

/// Reads a condition on the states of a run of some requests, such as `main[0] == 1 && X == 0`.
///
/// `instances` says how many requests of each label run. Global variables stand for themselves.
/// `main[0]`, the response of the first request of the label `main`, becomes a read of the hidden
/// name `main[0]`; `done(main[0])`, whether it has ended, one of `Done main[0]`; and `done` asks
/// that of all requests. Constants are replaced by their values. If there are errors, the
/// expression is [`ExprKind::Error`].
///
/// ```
/// use ser_syntax::ast::BinaryOp;
/// use ser_syntax::core::ExprKind;
/// let program = ser_syntax::parse("request main { X := 1; yield; X }").program;
/// let (goal, diagnostics) =
///     ser_syntax::parse_goal("main[1] == 0", &program, &[("main".to_owned(), 2)]);
/// assert!(diagnostics.is_empty());
/// let ExprKind::Binary(BinaryOp::Equal, left, _) = goal.kind else { panic!() };
/// let ExprKind::Read(name) = left.kind else { panic!() };
/// assert_eq!(name.text, "main[1]");
/// ```
pub fn parse_goal(
    text: &str,
    program: &Program,
    instances: &[(String, u32)],
) -> (Expr, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let nothing = Expr { kind: ExprKind::Error, span: whole };
    let Some(tokens) = crate::readable_tokens(text, &mut sink) else {
        return (nothing, sink.finish());
    };
    if tokens.iter().all(|token| token.kind.is_trivia()) {
        error("expected-condition", "there is no condition", whole, "expected a condition")
            .with_help("for example `X == 1`, or `done` for the end of all requests")
            .report(&mut sink);
        return (nothing, sink.finish());
    }
    let (expr, calls) = parser::parse_goal(text, &tokens, &mut sink);
    let names = Names::of(program);
    let goal = expr.and_then(|expr| {
        let calls: BTreeMap<Span, &Call> = calls.iter().map(|call| (call.span, call)).collect();
        let mut report = Vec::new();
        let mut added = 0;
        let goal =
            goal::condition(&expr, &mut report, &mut |name, report| match calls.get(&name.span) {
                Some(call) => names.call(call, instances, &mut added, report),
                None => names.variable(name, instances, report),
            });
        report.into_iter().for_each(|diagnostic| sink.push(diagnostic));
        goal
    });
    match goal {
        Some(goal) if !sink.has_errors() => (plain_expr(&goal, &BTreeMap::new()), sink.finish()),
        _ => (nothing, sink.finish()),
    }
}

/// What can be named in questions about a program.
struct Names<'p> {
    program: &'p Program,
    globals: BTreeSet<String>,
}

fn add_globals(expr: &Expr, globals: &mut BTreeSet<String>) {
    if let ExprKind::Read(name) | ExprKind::Assign(name, _) = &expr.kind {
        add_global(name, globals);
    }
    expr.for_each_child(&mut |child| add_globals(child, globals));
}

fn has_abort(expr: &Expr) -> bool {
    let mut found = expr.kind == ExprKind::Abort;
    expr.for_each_child(&mut |child| found |= has_abort(child));
    found
}

fn add_global(name: &Name, globals: &mut BTreeSet<String>) {
    if name.is_global() {
        globals.insert(name.text.clone());
    }
}

impl<'p> Names<'p> {
    fn of(program: &'p Program) -> Names<'p> {
        let mut globals = BTreeSet::new();
        program.globals.iter().for_each(|global| add_global(&global.name, &mut globals));
        for request in &program.requests {
            request.body.exprs.iter().for_each(|expr| add_globals(expr, &mut globals));
        }
        Names { program, globals }
    }

    /// Whether a request says `abort`.
    fn aborts(&self, name: &Name) -> bool {
        let mut requests = self.program.requests.iter().filter(|r| r.name.text == name.text);
        requests.any(|r| r.body.exprs.iter().any(has_abort))
    }

    fn request(&self, name: &Name, report: &mut Vec<Diagnostic>) -> Option<&'p Request> {
        let found = self.program.requests.iter().find(|r| r.name.text == name.text);
        if found.is_none() {
            let message = format!("there is no request `{}`", name.text);
            let diagnostic = error("undefined-name", message, name.span, "not defined");
            let known = || self.program.requests.iter().map(|r| r.name.text.as_str());
            report.push(match closest_name(&name.text, known()) {
                Some(known) => diagnostic.meant(known),
                None => {
                    let known: Vec<&str> = known().take(10).collect();
                    diagnostic.with_help(format!("the requests are: {}", known.join(", ")))
                }
            });
        }
        found
    }

    /// The label that `name(arguments)` stands for.
    fn label(&self, reference: &Reference, report: &mut Vec<Diagnostic>) -> Option<String> {
        let request = self.request(&reference.name, report)?;
        let name = &request.name.text;
        let nothing = Vec::new();
        let arguments = reference.arguments.as_ref().unwrap_or(&nothing);
        let example =
            || request.label(&request.parameters.iter().map(|it| it.low).collect::<Vec<i64>>());
        if arguments.len() != request.parameters.len() {
            let wanted = count_of(request.parameters.len(), "parameter");
            let message = format!("the request `{name}` has {wanted}");
            return Diagnostic::error("wrong-parameters", message, reference.span)
                .with_label(format!("{} given", arguments.len()))
                .with_help(format!("for example `{}`", example()))
                .none(report);
        }
        let mut values = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&request.parameters) {
            let value = self.value(argument, report)?;
            let Parameter { low, high, open, .. } = *parameter;
            if value < low || high < value {
                let text = &parameter.name.text;
                let message = match open {
                    true => format!("not all numbers are looked at for `{text}` of `{name}`"),
                    false => format!("the parameter `{text}` of `{name}` is never {value}"),
                };
                return Diagnostic::error("wrong-parameters", message, argument.span)
                    .with_label(format!("{low} to {high} are possible"))
                    .none(report);
            }
            values.push(value);
        }
        Some(request.label(&values))
    }

    /// The value of what has to be constant.
    fn value(&self, expr: &ast::Expr, report: &mut Vec<Diagnostic>) -> Option<i64> {
        let value = evaluate(expr, &self.program.constants);
        value.map_err(|diagnostic| report.push(diagnostic)).ok()
    }

    /// How many requests there are; one if nothing is said.
    fn count(&self, count: Option<&ast::Expr>, report: &mut Vec<Diagnostic>) -> Option<u32> {
        let Some(expr) = count else { return Some(1) };
        let value = self.value(expr, report)?;
        match u32::try_from(value) {
            Ok(count) if (1..=MAX_REQUESTS).contains(&count) => Some(count),
            _ => {
                let message = format!("there cannot be {value} of them");
                Diagnostic::error("wrong-count", message, expr.span)
                    .with_label(format!("1 to {MAX_REQUESTS} are possible"))
                    .none(report)
            }
        }
    }

    /// A name without brackets.
    fn variable(
        &self,
        name: &Name,
        instances: &[(String, u32)],
        report: &mut Vec<Diagnostic>,
    ) -> Option<ast::Expr> {
        let Name { text, span } = name;
        if let Some(value) = self.program.constants.get(text.as_str()) {
            return Some(make::number(*value, *span));
        }
        if self.globals.contains(text) {
            return Some(make::read(text, *span));
        }
        let label = |label: &str| label.split('(').next() == Some(text.as_str());
        if let Some((known, count)) = instances.iter().find(|(known, _)| label(known)) {
            let diagnostic = name
                .wrong("request-without-index", "is a request; which one?")
                .with_label("its response is written with an index");
            report.push(match count {
                1 => diagnostic.with_fix("there is one", *span, format!("{known}[0]")),
                _ => diagnostic.with_help(format!("the first of them is `{known}[0]`")),
            });
            return None;
        }
        let message = format!("there is no global variable `{text}`");
        let diagnostic = error("undefined-name", message, *span, "not defined");
        let known = self.globals.iter().map(String::as_str);
        let known = known.chain(self.program.constants.keys().map(String::as_str));
        report.push(match closest_name(text, known) {
            Some(known) => diagnostic.meant(known),
            None if !name.is_global() => {
                diagnostic.with_help("local variables cannot be seen from outside of their request")
            }
            None if self.globals.is_empty() => diagnostic.with_help("the program has none"),
            None => {
                let known: Vec<&str> = self.globals.iter().take(10).map(String::as_str).collect();
                diagnostic.with_help(format!("the global variables are: {}", known.join(", ")))
            }
        });
        None
    }

    fn call(
        &self,
        call: &Call,
        instances: &[(String, u32)],
        added: &mut u64,
        report: &mut Vec<Diagnostic>,
    ) -> Option<ast::Expr> {
        match &call.function {
            Function::Done(None) => {
                let total: u64 = instances.iter().map(|(_, count)| u64::from(*count)).sum();
                *added += total;
                if *added > MAX_ADDED {
                    let message = "too many requests would have to end here";
                    return Diagnostic::error("too-many-requests", message, call.span)
                        .with_label("all of them, again and again")
                        .with_help("ask for fewer requests, or use `done` less often")
                        .none(report);
                }
                let each = instances.iter().flat_map(|(label, count)| {
                    (0..*count)
                        .map(move |index| make::read(format!("Done {label}[{index}]"), call.span))
                });
                Some(make::all(each.collect(), call.span))
            }
            Function::Done(Some(reference)) => {
                let instance = self.instance(reference, instances, report)?;
                Some(make::read(format!("Done {instance}"), call.span))
            }
            Function::Response(reference) => {
                Some(make::read(self.instance(reference, instances, report)?, call.span))
            }
        }
    }

    /// One of the requests that run: `label[index]`.
    fn instance(
        &self,
        reference: &Reference,
        instances: &[(String, u32)],
        report: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let label = self.label(reference, report)?;
        let count = instances.iter().find(|(known, _)| *known == label).map_or(0, |(_, c)| *c);
        if count == 0 {
            let message = format!("no request `{label}` runs here");
            let known: Vec<&str> = instances.iter().take(10).map(|(l, _)| l.as_str()).collect();
            return Diagnostic::error("no-such-instance", message, reference.span)
                .with_label("not among the requests that run")
                .with_help(format!("those are: {}", known.join(", ")))
                .none(report);
        }
        let index = match &reference.index {
            Some(index) => self.value(index, report)?,
            None if count == 1 => 0,
            None => {
                let message = format!("`{label}` runs {count} times; which one?");
                return Diagnostic::error("request-without-index", message, reference.span)
                    .with_label("expected an index")
                    .with_help(format!("the first of them is `{label}[0]`"))
                    .none(report);
            }
        };
        if index < 0 || i64::from(count) <= index {
            let message = format!("there is no request `{label}[{index}]`");
            return Diagnostic::error("no-such-instance", message, reference.span)
                .with_label(match count {
                    1 => "there is one, with the index 0".to_owned(),
                    _ => format!("there are {count}, with the indices 0 to {}", count - 1),
                })
                .none(report);
        }
        Some(format!("{label}[{index}]"))
    }
}
