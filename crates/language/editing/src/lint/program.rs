//! Warnings: what is allowed but probably not meant.
//!
//! One walk over every handler collects where each variable is read and written and which code
//! can never run. Names that start with `_` are never complained about. Conditions count as
//! constant only if they are made of numbers: `if (DEBUG)` with `const DEBUG = 0` is a switch
//! that somebody wants to flip.

use std::collections::{BTreeMap, BTreeSet};

use ser_base::{Diagnostic, Sink, Span};
use ser_syntax::ast::{BinaryOp, Block, Else, Expr, ExprKind, Name, Program, Request, UnaryOp};
use ser_syntax::{evaluate, instead_of};

/// Looks for what is probably not meant.
pub(super) fn lint(program: &Program, sink: &mut Sink) {
    let constants = program.constants.iter().map(|c| c.name.text.as_str()).collect();
    let mut walker = Walker {
        sink,
        constants,
        used_constants: BTreeSet::new(),
        globals: BTreeMap::new(),
        locals: BTreeMap::new(),
        parameters: BTreeSet::new(),
        dead: false,
        nothing: BTreeMap::new(),
    };
    for constant in &program.constants {
        walker.expr(&constant.value, true);
    }
    for initial in &program.initial_values {
        walker.expr(&initial.value, true);
    }

    let locals: Vec<Variables<'_>> =
        program.requests.iter().map(|request| walker.request(request)).collect();

    let mut written: BTreeMap<&str, Span> = BTreeMap::new();
    for (name, variable) in locals.iter().flatten() {
        if let Some(write) = variable.first_write {
            written.entry(name).or_insert(write);
        }
    }
    for (request, variables) in program.requests.iter().zip(&locals) {
        walker.locals_of(request, variables, &written);
    }
    walker.globals_of(program);
    for constant in &program.constants {
        let Name { text, span } = &constant.name;
        if !walker.used_constants.contains(text.as_str()) && !text.starts_with('_') {
            let message = format!("the constant `{text}` is never used");
            walker.sink.push(
                Diagnostic::warning("unused-constant", message, *span).with_label("defined here"),
            );
        }
    }
}

/// What happens to one variable.
#[derive(Default)]
struct Variable {
    first_read: Option<Span>,
    first_write: Option<Span>,
    /// Whether an assignment to it is also used for its value, as in `while (x := X) {...}`.
    value_used: bool,
}

type Variables<'p> = BTreeMap<&'p str, Variable>;

/// Why the code after a place never runs.
#[derive(Clone, Copy)]
struct Ending {
    span: Span,
    why: &'static str,
}

struct Walker<'p, 's> {
    sink: &'s mut Sink,
    constants: BTreeSet<&'p str>,
    used_constants: BTreeSet<&'p str>,
    globals: Variables<'p>,
    /// Of the request at hand.
    locals: Variables<'p>,
    /// Of the request at hand.
    parameters: BTreeSet<&'p str>,
    /// Whether the code at hand was reported as never running.
    dead: bool,
    /// No constants, for [`evaluate`].
    nothing: BTreeMap<String, i64>,
}

impl<'p> Walker<'p, '_> {
    /// Walks over a request and returns its local variables.
    fn request(&mut self, request: &'p Request) -> Variables<'p> {
        self.parameters = request.parameters.iter().map(|p| p.name.text.as_str()).collect();
        for parameter in &request.parameters {
            self.expr(&parameter.low, true);
            self.expr(&parameter.high, true);
        }
        self.sequence(&request.body, true);
        std::mem::take(&mut self.locals)
    }

    /// What is known about a variable; `None` for constants and parameters.
    fn variable(&mut self, name: &'p Name) -> Option<&mut Variable> {
        let text = name.text.as_str();
        if self.constants.contains(text) {
            self.used_constants.insert(text);
            None
        } else if self.parameters.contains(text) {
            None
        } else if name.is_global() {
            Some(self.globals.entry(text).or_default())
        } else {
            Some(self.locals.entry(text).or_default())
        }
    }

    /// Walks over expressions in sequence. `used` says whether the value of the last one
    /// matters. Returns why the code behind them never runs, if it does not.
    fn sequence(&mut self, block: &'p Block, used: bool) -> Option<Ending> {
        let before = self.dead;
        let mut ending: Option<Ending> = None;
        let end = block.exprs.last().map(|last| last.span);
        for (index, expr) in block.exprs.iter().enumerate() {
            let last = index + 1 == block.exprs.len();
            if let (Some(ending), Some(end)) = (ending, end) {
                self.never_runs(expr.span.to(end), ending);
            }
            if !last {
                self.without_effect(expr);
            }
            let this = self.expr(expr, used && last);
            ending = ending.or(this);
        }
        self.dead = before;
        ending
    }

    /// Walks over a block that never runs if `dead` says why.
    fn branch(&mut self, block: &'p Block, used: bool, dead: Option<Ending>) -> Option<Ending> {
        let before = self.dead;
        if let (Some(dead), false) = (dead, block.exprs.is_empty()) {
            self.never_runs(block.span, dead);
        }
        let ending = self.sequence(block, used);
        self.dead = before;
        ending
    }

    fn never_runs(&mut self, span: Span, because: Ending) {
        if !self.dead {
            self.dead = true;
            self.sink.push(
                Diagnostic::warning("unreachable-code", "this code never runs", span)
                    .with_label("never runs")
                    .with_secondary(because.span, because.why),
            );
        }
    }

    /// Walks over an expression; see [`Walker::sequence`].
    fn expr(&mut self, expr: &'p Expr, used: bool) -> Option<Ending> {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Coin | ExprKind::Yield | ExprKind::Error => None,
            ExprKind::Choose(low, high) => {
                self.expr(low, true);
                self.expr(high, true);
                None
            }
            ExprKind::Read(name) => {
                if let Some(variable) = self.variable(name) {
                    variable.first_read.get_or_insert(name.span);
                }
                None
            }
            ExprKind::Assign(name, value) => {
                let ending = self.expr(value, true);
                if let Some(variable) = self.variable(name) {
                    variable.first_write.get_or_insert(name.span);
                    variable.value_used |= used;
                }
                ending
            }
            ExprKind::Unary(_, operand) => self.expr(operand, true),
            ExprKind::Binary(op, left, right) => {
                self.not_before_comparison(*op, left);
                let left = self.expr(left, true);
                let right = self.expr(right, true);
                match op {
                    BinaryOp::And | BinaryOp::Or => left,
                    _ => left.or(right),
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                self.if_expression(condition, then, otherwise.as_ref(), used)
            }
            ExprKind::While(condition, body) => {
                let ending = self.expr(condition, true);
                let value = self.constant(condition);
                let dead = (value == Some(0)).then_some(Ending {
                    span: condition.span,
                    why: "this condition is never true",
                });
                self.branch(body, false, dead);
                let forever = value.is_some_and(|value| value != 0);
                ending.or(forever
                    .then_some(Ending { span: condition.span, why: "this loop goes on forever" }))
            }
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value, true);
                }
                Some(Ending { span: expr.span, why: "the request ends here" })
            }
            ExprKind::Abort => Some(Ending { span: expr.span, why: "the request ends here" }),
            ExprKind::Assume(condition) => {
                let ending = self.expr(condition, true);
                let blocks = self.constant(condition) == Some(0);
                ending
                    .or(blocks.then_some(Ending { span: expr.span, why: "nothing gets past this" }))
            }
            ExprKind::Group(block) => self.sequence(block, used),
        }
    }

    fn if_expression(
        &mut self,
        condition: &'p Expr,
        then: &'p Block,
        otherwise: Option<&'p Else>,
        used: bool,
    ) -> Option<Ending> {
        let ending = self.expr(condition, true);
        let value = self.constant(condition);
        let never = Ending { span: condition.span, why: "this condition is never true" };
        let always = Ending { span: condition.span, why: "this condition is always true" };
        let then = self.branch(then, used, (value == Some(0)).then_some(never));
        let dead_else = value.filter(|value| *value != 0).map(|_| always);
        let otherwise = match otherwise {
            None => None,
            Some(Else::Block(block)) => self.branch(block, used, dead_else),
            Some(Else::If(expr)) => {
                let before = self.dead;
                if let Some(dead) = dead_else {
                    self.never_runs(expr.span, dead);
                }
                let ending = self.expr(expr, used);
                self.dead = before;
                ending
            }
        };
        ending.or(match value {
            Some(0) => otherwise,
            Some(_) => then,
            None => then.and(otherwise),
        })
    }

    /// The value of a condition that is made of numbers only.
    fn constant(&self, condition: &Expr) -> Option<i64> {
        evaluate(condition, &self.nothing).ok()
    }

    /// A comparison whose result nobody looks at: `x == 1;` for `x := 1;`.
    fn without_effect(&mut self, expr: &Expr) {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return };
        let plain = |e: &Expr| matches!(e.kind, ExprKind::Read(_) | ExprKind::Number(_));
        if *op == BinaryOp::Equal && plain(left) && plain(right) {
            self.sink.push(
                Diagnostic::warning("unused-comparison", "nothing uses this comparison", expr.span)
                    .with_label("compares, and forgets the result")
                    .with_help("write `:=` to assign"),
            );
        }
    }

    /// `!x == 1` is `(!x) == 1`.
    fn not_before_comparison(&mut self, op: BinaryOp, left: &Expr) {
        if op.is_comparison() && matches!(left.kind, ExprKind::Unary(UnaryOp::Not, _)) {
            let message = "this negates only the left side of the comparison";
            self.sink.push(
                Diagnostic::warning("negated-operand", message, left.span)
                    .with_label("negated before it is compared")
                    .with_help("to negate the comparison, put it into parentheses: `!(x == 1)`")
                    .with_help("if it is meant like this, write `(!x) == 1`"),
            );
        }
    }

    /// `written` has, for each name of a local variable, a place where some request writes it.
    fn locals_of(
        &mut self,
        request: &Request,
        own: &Variables<'p>,
        written: &BTreeMap<&str, Span>,
    ) {
        for (name, variable) in own.iter().filter(|(name, _)| !name.starts_with('_')) {
            match (variable.first_read, variable.first_write) {
                (Some(read), None) => {
                    let message = format!("`{name}` is always 0 here");
                    let mut diagnostic = Diagnostic::warning("never-written", message, read)
                        .with_label(format!("`{}` never assigns it", request.name.text));
                    if let Some(elsewhere) = written.get(name) {
                        diagnostic = diagnostic
                            .with_secondary(*elsewhere, "this is a variable of another request")
                            .with_help(
                                "variables that requests share start with an uppercase letter",
                            );
                    }
                    if let Some(instead) = instead_of(name) {
                        diagnostic =
                            diagnostic.with_help(format!("there is no `{name}`: {instead}"));
                    }
                    self.sink.push(diagnostic);
                }
                (None, Some(write)) if !variable.value_used => {
                    let message = format!("`{name}` is written but never read");
                    self.sink.push(
                        Diagnostic::warning("never-read", message, write)
                            .with_label("written here")
                            .with_help(format!("if this is fine, call it `_{name}`")),
                    );
                }
                _ => {}
            }
        }
    }

    fn globals_of(&mut self, program: &'p Program) {
        let mut initialised: BTreeMap<&str, Span> = BTreeMap::new();
        for initial in &program.initial_values {
            let name = initial.name.text.as_str();
            if initial.name.is_global() && !self.constants.contains(name) {
                initialised.entry(name).or_insert(initial.name.span);
                self.globals.entry(name).or_default();
            }
        }
        for (name, variable) in &self.globals {
            let initial = initialised.get(name).copied();
            match (variable.first_read, variable.first_write.or(initial)) {
                (Some(read), None) => self.sink.push(
                    Diagnostic::warning("never-written", format!("`{name}` is always 0"), read)
                        .with_label("no request assigns it")
                        .with_help(format!(
                            "to start with another value: `{name} := 1` at top level"
                        )),
                ),
                (None, Some(write)) => self.sink.push(
                    Diagnostic::warning(
                        "never-read",
                        format!("`{name}` is written but never read"),
                        write,
                    )
                    .with_label("no request can see this value"),
                ),
                _ => {}
            }
        }
    }
}
