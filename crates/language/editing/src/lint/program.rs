//! Warnings: what is allowed but probably not meant.
//!
//! One walk over every handler collects where each variable is read and written and which code
//! can never run. Names that start with `_` are never complained about. Conditions count as
//! constant only if they are made of numbers: `if (DEBUG)` with `const DEBUG = 0` is a switch
//! that somebody wants to flip.

use std::collections::{BTreeMap, BTreeSet};

use ser_base::{Diagnostic, Sink, Span};
use ser_syntax::ast::{
    BinaryOp, Block, ClaimKind, Declared, Else, Expr, ExprKind, Function, Name, Pattern, Program,
    Request, Type, UnaryOp,
};

/// Looks for what is probably not meant.
pub(super) fn lint(program: &Program, sink: &mut Sink) {
    let constants = program.constants.iter().map(|c| &c.name);
    let members = program.enumerations.iter().flat_map(|e| e.members.iter().chain([&e.name]));
    let constants = constants.chain(members).map(|name| name.text.as_str()).collect();
    let mut walker = Walker {
        sink,
        constants,
        used_constants: BTreeSet::new(),
        globals: BTreeMap::new(),
        locals: BTreeMap::new(),
        parameters: BTreeSet::new(),
        dead: false,
        called: BTreeSet::new(),
        at_once: Vec::new(),
    };
    for constant in &program.constants {
        walker.expr(&constant.value, true);
    }
    for item in &program.globals {
        item.value.iter().for_each(|value| {
            walker.expr(value, true);
        });
        match &item.declared {
            Declared::Var(Some(values)) => walker.values(values),
            Declared::Lock(Some(index)) => walker.values(&index.0),
            _ => {}
        }
    }
    for item in &program.aliases {
        walker.values(&item.meaning);
    }
    for (_, values) in program.records.iter().flat_map(|item| &item.fields) {
        walker.values(values);
    }

    let locals: Vec<Variables<'_>> =
        program.requests.iter().map(|request| walker.request(request)).collect();
    for function in &program.functions {
        walker.function(function);
    }
    walker.parameters.clear();
    for conjunct in program.claims.iter().flat_map(|claim| &claim.conjuncts) {
        walker.expr(&conjunct.condition, true);
    }
    walker.locals.clear();
    walker.unused_functions(program);
    if program.claims.iter().any(|it| it.kind == ClaimKind::Deadlock) {
        walker.crossed_locks();
    }

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
    /// Functions that are called somewhere.
    called: BTreeSet<&'p str>,
    /// A lock, one that is taken in the same step, and where.
    at_once: Vec<(&'p str, &'p str, Span)>,
}

impl<'p> Walker<'p, '_> {
    /// Walks over a request and returns its local variables.
    fn request(&mut self, request: &'p Request) -> Variables<'p> {
        self.parameters = request.parameters.iter().map(|p| p.name.text.as_str()).collect();
        for parameter in &request.parameters {
            self.values(&parameter.values);
        }
        self.sequence(&request.body, true);
        std::mem::take(&mut self.locals)
    }

    /// Walks over a function, whose local variables are its own business.
    fn function(&mut self, function: &'p Function) {
        self.parameters = function.parameters.iter().map(|(name, _)| name.text.as_str()).collect();
        function.parameters.iter().filter_map(|it| it.1.as_ref()).for_each(|it| self.values(it));
        self.sequence(&function.body, true);
        self.locals.clear();
    }

    /// Locks that are taken in both orders, where nobody can come in between: whoever asks for a
    /// deadlock expects one.
    fn crossed_locks(&mut self) {
        let pairs = &self.at_once;
        let crossed =
            |(outer, inner): (&str, &str)| pairs.iter().any(|(a, b, _)| (*a, *b) == (inner, outer));
        let found = pairs.iter().find(|(outer, inner, _)| crossed((outer, inner)));
        let Some((outer, inner, span)) = found else { return };
        let message = match outer == inner {
            true => format!("two of the locks `{outer}` are taken in one step if both are free"),
            false => format!("`{outer}` and `{inner}` are taken in one step if both are free"),
        };
        self.sink.push(
            Diagnostic::warning("locks-at-once", message, *span)
                .with_label("nobody can come in between")
                .with_help("if others run between the two, say so: write `yield;` before this"),
        );
    }

    fn unused_functions(&mut self, program: &'p Program) {
        for function in &program.functions {
            let Name { text, span } = &function.name;
            if !self.called.contains(text.as_str()) && !text.starts_with('_') {
                let message = format!("the function `{text}` is never called");
                self.sink.push(
                    Diagnostic::warning("unused-function", message, *span)
                        .with_label("defined here"),
                );
            }
        }
    }

    /// Walks over a type.
    fn values(&mut self, values: &'p Type) {
        values.for_each_expr(&mut |expr| {
            self.expr(expr, true);
        });
    }

    /// Walks over a place that is assigned to.
    fn place(&mut self, place: &'p Expr) {
        match &place.kind {
            ExprKind::Read(name) => {
                if let Some(variable) = self.variable(name) {
                    variable.first_write.get_or_insert(name.span);
                }
            }
            ExprKind::Index(of, index) => {
                self.place(of);
                self.expr(index, true);
            }
            ExprKind::Field(of, _) => self.place(of),
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.place(part)),
            _ => {
                self.expr(place, true);
            }
        }
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
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Coin
            | ExprKind::Yield
            | ExprKind::Error => None,
            ExprKind::Choose(values) => {
                self.values(values);
                None
            }
            ExprKind::Break | ExprKind::Continue => {
                Some(Ending { span: expr.span, why: "the loop is left here, or goes on" })
            }
            ExprKind::Store(place, value) => {
                let ending = self.expr(value, true);
                self.place(place);
                ending
            }
            ExprKind::Var(item) => {
                let ending = item.value.as_ref().and_then(|value| self.expr(value, true));
                if let Declared::Var(Some(values)) = &item.declared {
                    self.values(values);
                }
                if let Some(variable) = self.variable(&item.name) {
                    variable.first_write.get_or_insert(item.name.span);
                }
                ending
            }
            ExprKind::Call(name, arguments) => {
                self.called.insert(&name.text);
                arguments.iter().for_each(|argument| {
                    self.expr(&argument.value, true);
                });
                None
            }
            ExprKind::Field(of, _) => self.expr(of, true),
            ExprKind::Index(of, index) => {
                let ending = self.expr(of, true);
                ending.or(self.expr(index, true))
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) | ExprKind::Elements(parts) => {
                parts.iter().fold(None, |ending, part| ending.or(self.expr(part, true)))
            }
            ExprKind::Match(value, arms) => {
                let ending = self.expr(value, true);
                let mut all = Vec::new();
                for arm in arms {
                    for pattern in &arm.patterns {
                        if let Pattern::Value(value) = pattern {
                            self.expr(value, true);
                        }
                    }
                    all.push(self.expr(&arm.body, used));
                }
                ending.or_else(|| all.into_iter().reduce(|a, b| a.and(b)).flatten())
            }
            ExprKind::Either(blocks) => {
                let all: Vec<_> = blocks.iter().map(|block| self.sequence(block, used)).collect();
                all.into_iter().reduce(|a, b| a.and(b)).flatten()
            }
            ExprKind::For(name, values, body) => {
                self.values(values);
                if let Some(variable) = self.variable(name) {
                    variable.first_write.get_or_insert(name.span);
                    variable.value_used = true;
                }
                self.sequence(body, false);
                None
            }
            ExprKind::Quantified(_, name, values, condition) => {
                self.values(values);
                if let Some(variable) = self.variable(name) {
                    variable.first_write.get_or_insert(name.span);
                    variable.value_used = true;
                }
                self.expr(condition, true);
                None
            }
            ExprKind::Loop(body) => {
                self.sequence(body, false);
                let why = "this loop goes on forever";
                (!leaves_loop(body)).then_some(Ending { span: expr.span, why })
            }
            ExprKind::With(lock, body) => {
                self.expr(lock, true);
                self.place(lock);
                if let Some(ExprKind::With(inner, _)) = body.exprs.first().map(|it| &it.kind)
                    && let (Some(first), Some(second)) = (lock_of(lock), lock_of(inner))
                    && (first != second || !has_order(lock) && !has_order(inner))
                {
                    self.at_once.push((first, second, inner.span));
                }
                self.sequence(body, used)
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
            ExprKind::Relation(_, left, right) | ExprKind::Range(left, right) => {
                let left = self.expr(left, true);
                left.or(self.expr(right, true))
            }
            // What requests do not have.
            ExprKind::Skip
            | ExprKind::Atomic(_)
            | ExprKind::Await(..)
            | ExprKind::Send(..)
            | ExprKind::Receive(..)
            | ExprKind::Acquire(_)
            | ExprKind::Release(_)
            | ExprKind::Named(..)
            | ExprKind::Block(_)
            | ExprKind::Ghost(..)
            | ExprKind::Where(..)
            | ExprKind::At(..) => None,
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
                let forever = value.is_some_and(|value| value != 0) && !leaves_loop(body);
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
            ExprKind::Assert(condition) => self.expr(condition, true),
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
        ser_syntax::constant_value(condition)
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
        for initial in &program.globals {
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

/// Whether there is a `break` of the loop with this body.
fn leaves_loop(body: &Block) -> bool {
    fn inside(expr: &Expr) -> bool {
        if matches!(expr.kind, ExprKind::While(..) | ExprKind::For(..) | ExprKind::Loop(_)) {
            return false;
        }
        let mut found = matches!(expr.kind, ExprKind::Break);
        expr.for_each_child(&mut |child| found = found || inside(child));
        found
    }
    body.exprs.iter().any(inside)
}

/// The name of a lock, or of all the locks among which an index chooses.
fn lock_of(lock: &Expr) -> Option<&str> {
    match &lock.kind {
        ExprKind::Read(name) => Some(&name.text),
        ExprKind::Index(of, _) => lock_of(of),
        _ => None,
    }
}

/// Whether an index is one that probably keeps an order: a number, `min(a, b)`.
fn has_order(lock: &Expr) -> bool {
    let ExprKind::Index(_, index) = &lock.kind else { return false };
    matches!(index.kind, ExprKind::Number(_) | ExprKind::Call(..))
}
