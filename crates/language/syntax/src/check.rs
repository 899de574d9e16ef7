//! What a program must satisfy beyond the grammar: names, constants, ranges.
//!
//! Each check is one function that says what it looks for. They run on trees with holes too
//! and keep quiet about anything that touches a hole, because that has been reported.

use std::collections::BTreeMap;

use crate::ast::{Constant, Declared, Expr, Name, Parameter, Program, Variable};
use crate::constant::Constants;
use crate::report::{Messages as _, Report, Reported, error};
use ser_base::{Diagnostic, Sink, Span};

/// How many labels one request may have: combinations of values of its parameters.
pub const MAX_LABELS: u64 = 10_000;

/// How many values the range of one `choose` may have.
pub const MAX_CHOICES: u64 = 10_000;

/// Names that are defined twice: requests, constants, initial values, parameters of a request.
pub(crate) fn duplicates(program: &Program, sink: &mut Sink) {
    let requests = program.requests.iter().map(|r| &r.name);
    defined_twice(requests, sink, "duplicate-request", "request");
    duplicate_constants(&program.constants, sink);
    let functions = program.functions.iter().map(|f| &f.name);
    defined_twice(functions, sink, "duplicate-function", "function");
    let claims = program.claims.iter().filter_map(|claim| claim.name.as_ref());
    defined_twice(claims, sink, "duplicate-claim", "question");
    let processes = program.processes.iter().map(|p| &p.name);
    defined_twice(processes, sink, "duplicate-process", "process");
    let initial = program.globals.iter().map(|i| &i.name);
    let is_initial = |item: &Variable| matches!(item.declared, Declared::Initial);
    let what = match program.globals.iter().any(is_initial) {
        true => "has two initial values",
        false => "is declared twice",
    };
    twice(initial, sink, "duplicate-initial-value", |name| format!("`{name}` {what}"));
    let requests = program.requests.iter().map(|it| (&it.name, &it.parameters));
    let processes = program.processes.iter().map(|it| (&it.name, &it.parameters));
    for (handler, parameters) in requests.chain(processes) {
        twice(parameters.iter().map(|p| &p.name), sink, "duplicate-parameter", |name| {
            format!("`{}` has two parameters `{name}`", handler.text)
        });
    }
}

/// Constants that are defined twice.
pub(crate) fn duplicate_constants(constants: &[Constant], sink: &mut Sink) {
    defined_twice(constants.iter().map(|c| &c.name), sink, "duplicate-constant", "constant");
}

/// Reports every name of a `kind` of things that is defined a second time.
pub(crate) fn defined_twice<'p>(
    names: impl Iterator<Item = &'p Name>,
    sink: &mut Sink,
    code: &'static str,
    kind: &str,
) {
    twice(names, sink, code, |name| format!("the {kind} `{name}` is defined twice"));
}

/// Reports every name that comes a second time.
pub(crate) fn twice<'p>(
    names: impl Iterator<Item = &'p Name>,
    sink: &mut Sink,
    code: &'static str,
    message: impl Fn(&str) -> String,
) {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for name in names {
        match first.get(name.text.as_str()) {
            Some(earlier) => {
                error(code, message(&name.text), name.span, "again here")
                    .with_secondary(*earlier, "first here")
                    .report(sink);
            }
            None => {
                first.insert(&name.text, name.span);
            }
        }
    }
}

/// What can be said about expressions once the constants are known.
pub(crate) struct Checker<'p, 's> {
    pub(crate) constants: Constants,
    /// Where the constants are defined, and members of enumerations.
    pub(crate) places: BTreeMap<&'p str, Span>,
    /// What the constants are defined as.
    definitions: BTreeMap<&'p str, &'p Expr>,
    /// The parameters of the request at hand.
    pub(crate) parameters: BTreeMap<&'p str, Span>,
    pub(crate) sink: &'s mut Sink,
}

impl Report for Checker<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.sink.report(diagnostic)
    }
}

impl<'p, 's> Checker<'p, 's> {
    /// Evaluates the constants, and says what is wrong with them.
    pub(crate) fn new(items: &'p [Constant], sink: &'s mut Sink) -> Checker<'p, 's> {
        Checker::over(Constants::default(), BTreeMap::new(), items, sink)
    }

    /// The same for a program, with the members of its enumerations.
    pub(crate) fn of(program: &'p Program, sink: &'s mut Sink) -> Checker<'p, 's> {
        let mut places = BTreeMap::new();
        for member in program.enumerations.iter().flat_map(|it| &it.members) {
            places.entry(member.text.as_str()).or_insert(member.span);
        }
        let checker =
            Checker::over(Constants::members_of(program), places, &program.constants, sink);
        for constant in &program.constants {
            let mut members = program.enumerations.iter().flat_map(|it| &it.members);
            if let Some(member) = members.find(|member| member.text == constant.name.text) {
                let clash = constant.name.wrong("name-clash", "is the member of an enumeration");
                clash.with_secondary(member.span, "the member").report(checker.sink);
            }
        }
        checker
    }

    fn over(
        known: Constants,
        mut places: BTreeMap<&'p str, Span>,
        items: &'p [Constant],
        sink: &'s mut Sink,
    ) -> Checker<'p, 's> {
        let constants = Constants::above(known, items, |diagnostic| sink.push(diagnostic));
        let mut definitions = BTreeMap::new();
        for constant in items {
            places.entry(constant.name.text.as_str()).or_insert(constant.name.span);
            definitions.entry(constant.name.text.as_str()).or_insert(&constant.value);
        }
        Checker { constants, places, definitions, parameters: BTreeMap::new(), sink }
    }

    /// The same, where the constants are known.
    pub(crate) fn knowing(constants: Constants, sink: &'s mut Sink) -> Checker<'p, 's> {
        let (places, definitions) = (BTreeMap::new(), BTreeMap::new());
        Checker { constants, places, definitions, parameters: BTreeMap::new(), sink }
    }

    /// What a constant is defined as.
    pub(crate) fn constant_value(&self, name: &str) -> Option<&'p Expr> {
        self.definitions.get(name).copied()
    }

    /// Forgets the parameters for a while.
    pub(crate) fn leave_parameters(&mut self) -> BTreeMap<&'p str, Span> {
        std::mem::take(&mut self.parameters)
    }

    pub(crate) fn back_to_parameters(&mut self, parameters: BTreeMap<&'p str, Span>) {
        self.parameters = parameters;
    }

    /// An initial value is for a global variable.
    pub(crate) fn initial_value(&mut self, name: &Name) {
        let text = &name.text;
        if self.constants.contains(text) {
            self.assigned_constant(name);
        } else if !name.is_global() {
            local_at_top_level(name, "initial-value-of-local", "request")
                .with_help(format!("write `const {text} = ...` if it never changes"))
                .report(self);
        }
    }

    /// Checks the parameters of a request or process, and makes them the ones at hand.
    /// `sizes` says how many values each of them has, if that is known.
    pub(crate) fn enter(
        &mut self,
        name: &Name,
        parameters: &'p [Parameter],
        sizes: &[Option<u64>],
        what: &str,
    ) {
        self.parameters.clear();
        let mut labels: u64 = 1;
        for (parameter, size) in parameters.iter().zip(sizes) {
            self.parameter(parameter);
            self.parameters.entry(&parameter.name.text).or_insert(parameter.name.span);
            labels = labels.saturating_mul(size.unwrap_or(1));
        }
        if labels > MAX_LABELS {
            let Name { text: name, span } = name;
            let message = format!(
                "the parameters of `{name}` have {} combinations of values",
                if labels == u64::MAX { "too many".to_owned() } else { labels.to_string() }
            );
            let first = parameters.first().map_or(*span, |p| p.span);
            let last = parameters.last().map_or(*span, |p| p.span);
            Diagnostic::error("too-many-labels", message, first.to(last))
                .with_label(format!("at most {MAX_LABELS} are possible"))
                .with_help(format!("each combination is a {what} of its own; use smaller ranges"))
                .report(self.sink);
        }
    }

    /// A parameter is local and has a name of its own.
    fn parameter(&mut self, parameter: &Parameter) {
        let Name { text, span } = &parameter.name;
        let code = "parameter-shadows-constant";
        if !self.shadows_constant(&parameter.name, code, "a parameter")
            && parameter.name.is_global()
        {
            let message = format!("the parameter `{text}` has the name of a global variable");
            error("parameter-looks-global", message, *span, "starts with an uppercase letter")
                .with_help("a parameter is local, so its name starts with a lowercase letter")
                .report(self.sink);
        }
    }

    /// Whether a name that needs to be new is that of a constant, which is reported.
    pub(crate) fn shadows_constant(&mut self, name: &Name, code: &'static str, what: &str) -> bool {
        let Some(&constant) = self.places.get(name.text.as_str()) else { return false };
        name.wrong(code, "is already a constant")
            .with_label(format!("{what} needs a name of its own"))
            .with_secondary(constant, "the constant")
            .report(self);
        true
    }

    /// The ends of a range, if they are known; it must have some values, and not too many.
    pub(crate) fn range_ends(&mut self, low: &Expr, high: &Expr) -> Option<(i64, i64)> {
        self.bounds(low, high, MAX_CHOICES)
    }

    /// The ends of a range, if they are known; it must have some values, and at most so many.
    pub(crate) fn bounds(&mut self, low: &Expr, high: &Expr, most: u64) -> Option<(i64, i64)> {
        // Both are looked at before giving up, so that both can be reported.
        let (low_value, high_value) = (self.value(low), self.value(high));
        let (low_value, high_value) = (low_value?, high_value?);
        let span = low.span.to(high.span);
        if low_value > high_value {
            let message = format!("the range from {low_value} to {high_value} is empty");
            return error("empty-range", message, span, "the first end is larger than the second")
                .with_help("a range goes from its smallest to its largest value, both included")
                .none(self.sink);
        }
        let size = i128::from(high_value) - i128::from(low_value) + 1;
        if size > i128::from(most) {
            let message = format!("the range from {low_value} to {high_value} has {size} values");
            return error("range-too-large", message, span, format!("at most {most} are possible"))
                .none(self.sink);
        }
        Some((low_value, high_value))
    }

    /// The value of what has to be constant.
    pub(crate) fn value(&mut self, expr: &Expr) -> Option<i64> {
        let value = self.constants.value(expr);
        value.map_err(|failure| failure.into_diagnostic().map(|it| self.report(it))).ok()
    }

    /// A constant between two ends.
    pub(crate) fn within(
        &mut self,
        expr: &Expr,
        low: i64,
        high: i64,
        code: &'static str,
        message: impl Fn(i64) -> String,
    ) -> Option<i64> {
        let value = self.value(expr)?;
        if value < low || high < value {
            return error(code, message(value), expr.span, format!("{low} to {high} are possible"))
                .none(self.sink);
        }
        Some(value)
    }

    /// Whether this is a parameter, which is reported.
    pub(crate) fn assigned_parameter(&mut self, name: &Name) -> bool {
        let text = &name.text;
        let Some(parameter) = self.parameters.get(text.as_str()) else { return false };
        name.wrong("assign-to-parameter", "is a parameter and cannot be assigned")
            .with_label("assigned here")
            .with_secondary(*parameter, "the parameter")
            .with_help(format!("copy it into another variable first: `copy := {text}`"))
            .report(self.sink);
        true
    }

    pub(crate) fn assigned_constant(&mut self, name: &Name) {
        let text = &name.text;
        let diagnostic = name.wrong("assign-to-constant", "is a constant and cannot be assigned");
        let diagnostic = diagnostic.with_label("assigned here");
        let place = self.places.get(text.as_str());
        self.report(match place {
            Some(place) => diagnostic.with_secondary(*place, "the constant"),
            None => diagnostic,
        });
    }
}

/// The message about a name that is a truth value elsewhere.
pub(crate) fn truth_value(name: &Name) -> Option<Diagnostic> {
    let value = match name.text.as_str() {
        "true" | "True" | "TRUE" => "1",
        "false" | "False" | "FALSE" => "0",
        _ => return None,
    };
    let message = format!("there is no `{}`; truth is a number", name.text);
    let diagnostic =
        error("true-or-false", message, name.span, "0 is false, anything else is true");
    Some(diagnostic.with_fix(format!("write {value}"), name.span, value))
}

/// The message about the name of a local variable where shared ones are declared.
pub(crate) fn local_at_top_level(name: &Name, code: &'static str, item: &str) -> Diagnostic {
    let several = if item == "process" { "processes" } else { "requests" };
    let first = name.text.chars().next().filter(char::is_ascii_lowercase);
    let shared = first.zip(name.text.get(1..)).map(|(first, rest)| {
        format!("call it `{}{rest}` if all {several} share it", first.to_ascii_uppercase())
    });
    name.wrong(code, format!("is local to each {item} and starts at 0"))
        .with_label("starts with a lowercase letter, so it is local")
        .with_help(shared.unwrap_or("shared variables start with an uppercase letter".to_owned()))
}

/// Reports types with any number of values, which only requests have.
pub(crate) fn no_open_types(tree: &Program, sink: &mut Sink) {
    for item in tree.enumerations.iter().filter(|it| it.open) {
        let message = format!("it is not said which values {} has", item.name);
        error("malformed-type", message, item.name.span, "expected `=` behind it")
            .with_help(format!("for example `type {} = 0..3`", item.name.text))
            .report(sink);
    }
}
