//! From the tree of a program to the items that processes are made of.
//!
//! The tree has everything that the language has. What processes do not have is reported here, with
//! how it is said instead, and leaves a hole; after that, a body is a list of statements, and an
//! expression is made of numbers, variables and operators.

use super::ranges::Types;
use crate::ast::process::{
    Body, Call, Function, GoalItem, Items, Process, Reference, Statement, StatementKind, Variable,
};
use crate::ast::{
    self, Argument, BinaryOp, Block, Claim, ClaimKind, Constant, Declared, Else, Expr, ExprKind,
    Name, Program, Relation, UnaryOp,
};
use crate::check::defined_twice;
use crate::make;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Sink, Span};

/// The items of a file, and what looks like a call in them.
pub(super) fn read(program: &Program, sink: &mut Sink) -> (Items, Vec<Call>) {
    let mut reader = Reader { types: Types::of(program), sink, calls: Vec::new(), in_goal: false };
    reader.only_processes(program);
    let mut items = Items { constants: constants(program), ..Items::default() };
    for constant in items.constants.iter().filter(|it| it.name.text == "done") {
        let message = "`done` asks in `reach` whether processes have ended";
        error("reserved-name", message, constant.name.span, "this name is taken")
            .with_help("choose another name")
            .report(reader.sink);
    }
    let aliases = program.aliases.iter().map(|it| &it.name);
    defined_twice(aliases, reader.sink, "duplicate-type", "type");
    items.enumerations = program.enumerations.clone();
    for variable in &program.globals {
        items.variables.extend(reader.variable(variable));
    }
    for process in &program.processes {
        items.processes.push(reader.process(process));
    }
    for claim in &program.claims {
        items.goals.extend(reader.goal(claim));
    }
    (items, reader.calls)
}

/// Constants, and the members of enumerations with their numbers, in the order of the text.
fn constants(program: &Program) -> Vec<Constant> {
    let mut all = program.constants.clone();
    for enumeration in &program.enumerations {
        all.extend(enumeration.members.iter().enumerate().map(|(index, member)| {
            let value = make::number(index as i64, member.span);
            Constant { name: member.clone(), value, span: member.span }
        }));
    }
    all.sort_by_key(|constant| constant.span);
    all
}

/// What stands in parentheses that nobody needs.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Group(block) => match block.exprs.as_slice() {
            [only] => only,
            _ => expr,
        },
        _ => expr,
    }
}

struct Reader<'p, 's> {
    types: Types<'p>,
    sink: &'s mut Sink,
    calls: Vec<Call>,
    /// Whether this is part of a goal, where `done` has a meaning.
    in_goal: bool,
}

impl<'p> Reader<'p, '_> {
    /// Reports the items that have no place beside processes.
    fn only_processes(&mut self, program: &Program) {
        for request in &program.requests {
            let message = "requests and processes do not stand in one file";
            let label = format!("the request `{}`", request.name.text);
            let word = Span::new(request.span.start, request.span.start + "request".len() as u32);
            error("request-for-process", message, word, label)
                .with_fix("make it a process", word, "process")
                .with_help("requests come in any number and respond; processes run once")
                .report(self.sink);
        }
        for function in &program.functions {
            let help = "write its body where it is called";
            self.not_here(function.name.span, "functions", "a function", help);
        }
        for record in &program.records {
            let help = "use one variable for each field";
            self.not_here(record.name.span, "records", "a record", help);
        }
        for set in &program.sets {
            let help = "a fixed number of processes is `process P(id in 0..1) { ... }`";
            self.not_here(set.name.span, "sets", "a set", help);
        }
        for assumption in &program.assumptions {
            let help = "say what a variable is at first: `var X: 0..3 = 1`";
            self.not_here(assumption.span, "assumptions", "an assumption", help);
        }
        for proof in &program.proofs {
            let help = "leave it out: goals need no proof";
            self.not_here(proof.span, "proofs", "a proof", help);
        }
    }

    /// Reports an item that has no place beside processes.
    fn not_here(&mut self, span: Span, many: &str, one: &str, help: &str) {
        let message = format!("a file with processes has no {many}");
        error("not-in-processes", message, span, format!("{one}, not supported here"))
            .with_help(help)
            .report(self.sink);
    }

    /// Reports something in a process that it cannot do.
    fn unsupported(&mut self, what: &str, span: Span, help: &str) -> ExprKind {
        let message = format!("a process has no {what}");
        error("not-in-processes", message, span, "not supported here")
            .with_help(help)
            .report(self.sink);
        ExprKind::Error
    }

    // Items.

    fn variable(&mut self, variable: &'p ast::Variable) -> Option<Variable> {
        let name = &variable.name;
        if variable.ghost {
            let help = "leave `ghost` out: every variable may be looked at in `reach`";
            self.not_here(variable.span, "ghost variables", "a ghost variable", help);
            return None;
        }
        let values = match &variable.declared {
            Declared::Lock(_) => {
                let help = format!(
                    "a lock is a variable: `var {0}: bool`, taken by `await(!{0}) {{ {0} := 1 }}` and given back by `{0} := 0`",
                    name.text
                );
                self.not_here(name.span, "locks", "a lock", &help);
                None
            }
            Declared::Var(Some(values)) => Some(self.types.shared(values, self.sink)),
            Declared::Var(None) => variable.value.as_ref().and_then(|it| self.types.of_value(it)),
            Declared::Initial => None,
        };
        if values.is_none() && !matches!(variable.declared, Declared::Lock(_)) {
            self.unbounded_variable(variable);
        }
        let values = values.unwrap_or(crate::ast::process::Type {
            kind: crate::ast::process::TypeKind::Error,
            span: name.span,
        });
        let first = variable.value.as_ref().map(|value| self.expr(value));
        Some(Variable { name: name.clone(), values, first })
    }

    fn unbounded_variable(&mut self, variable: &ast::Variable) {
        let Name { text, span } = &variable.name;
        let first = match variable.value.as_ref().map(|value| &value.kind) {
            Some(ExprKind::Number(value)) => *value,
            _ => 0,
        };
        let high = first.max(10);
        let example = format!("for example `var {text}: 0..{high} = {first}`");
        let message = format!("say which values `{text}` can have");
        let diagnostic = error("unbounded-variable", message, *span, "its values have no bounds");
        match (&variable.declared, &variable.value) {
            (Declared::Initial, Some(value)) => {
                let until = Span::new(span.start, value.span.start);
                diagnostic.with_fix(example, until, format!("var {text}: 0..{high} = "))
            }
            _ => diagnostic.with_fix(example, Span::empty(span.end), format!(": 0..{high}")),
        }
        .report(self.sink);
    }

    fn process(&mut self, process: &'p ast::Process) -> Process {
        if process.server {
            let help = "a process may be left waiting: leave `server` out";
            self.not_here(process.name.span, "servers", "a server", help);
        }
        if let Some((member, set)) = &process.member {
            let message = "these processes come in any number";
            let label = "one for each member of a set";
            error("not-in-processes", message, member.span.to(set.span), label)
                .with_help("a fixed number of processes is `process P(id in 0..1) { ... }`")
                .report(self.sink);
        }
        let mut parameters = process.parameters.clone();
        for parameter in &mut parameters {
            if let Some(range) = self.types.as_range(&parameter.values) {
                parameter.values = range;
            }
        }
        let body = self.body(&process.body);
        Process { name: process.name.clone(), parameters, body, span: process.span }
    }

    /// What is asked, as a state to look for: of an invariant, one in which it does not hold.
    fn goal(&mut self, claim: &Claim) -> Option<GoalItem> {
        if let Some(parameter) = claim.parameters.first() {
            let message = "processes have no names that an invariant could speak of";
            error("not-in-processes", message, parameter.span, "any thread")
                .with_help(
                    "an invariant of processes is about shared variables: `invariant safe: X <= 3`",
                )
                .report(self.sink);
            return None;
        }
        self.in_goal = true;
        let conditions: Vec<Expr> =
            claim.conjuncts.iter().map(|it| self.expr(&it.condition)).collect();
        self.in_goal = false;
        let name = claim.name.as_ref().map(|name| name.text.clone());
        match claim.kind {
            ClaimKind::Reach => {
                let condition = conditions.into_iter().next()?;
                Some(GoalItem { name, condition, span: claim.span })
            }
            ClaimKind::Invariant => {
                let span = claim.span;
                let holds = Box::new(make::all(conditions, span));
                let condition = make::expr(ExprKind::Unary(UnaryOp::Not, holds), span);
                let name = name.map(|name| format!("{name} is violated"));
                Some(GoalItem { name, condition, span })
            }
            ClaimKind::Deadlock => {
                let message = "whether processes can get stuck is not asked yet";
                error("not-in-processes", message, claim.span, "not supported here")
                    .with_help(
                        "look for the state in which they wait: `reach \"stuck\": !done && ...`",
                    )
                    .report(self.sink);
                None
            }
        }
    }

    // Statements.

    fn body(&mut self, block: &'p Block) -> Body {
        let statements = block.exprs.iter().map(|expr| self.statement(expr)).collect();
        Body { statements, span: block.span }
    }

    fn statement(&mut self, expr: &'p Expr) -> Statement {
        let kind = self.statement_kind(expr);
        Statement { kind, span: expr.span }
    }

    fn statement_kind(&mut self, expr: &'p Expr) -> StatementKind {
        match &expr.kind {
            ExprKind::Skip => StatementKind::Skip,
            ExprKind::Await(condition, block) => {
                let body = (!block.exprs.is_empty()).then(|| self.body(block));
                StatementKind::Await(self.expr(bare(condition)), body)
            }
            // The same thing under the name that it has in requests.
            ExprKind::Assume(condition) => StatementKind::Await(self.expr(bare(condition)), None),
            ExprKind::Atomic(block) => StatementKind::Atomic(self.body(block)),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let then = self.body(then);
                let otherwise = otherwise.as_ref().map(|otherwise| match otherwise {
                    Else::Block(block) => self.body(block),
                    Else::If(expr) => {
                        Body { statements: vec![self.statement(expr)], span: expr.span }
                    }
                });
                StatementKind::If(condition, then, otherwise)
            }
            ExprKind::While(condition, block) => {
                StatementKind::While(self.expr(condition), self.body(block))
            }
            ExprKind::Loop(block) => {
                let always = make::number(1, Span::new(expr.span.start, block.span.start));
                StatementKind::While(always, self.body(block))
            }
            ExprKind::For(name, values, block) => {
                let ends = self.types.ends(values);
                let body = self.body(block);
                match ends {
                    Some((low, high)) => {
                        let (low, high) = (self.expr(&low), self.expr(&high));
                        StatementKind::For(name.clone(), low, high, body)
                    }
                    None => {
                        error("malformed-for", "this is no range", values.span, "expected a range")
                            .with_help("a loop over 0, 1 and 2 is `for i in 0..2 { ... }`")
                            .report(self.sink);
                        StatementKind::Error
                    }
                }
            }
            ExprKind::Either(blocks) => {
                StatementKind::Choose(blocks.iter().map(|block| self.body(block)).collect())
            }
            ExprKind::Return(None) => StatementKind::Return,
            ExprKind::Return(Some(value)) => {
                let message = "a process has no response";
                error("return-with-value", message, value.span, "nobody sees this value")
                    .with_fix("end the process with `return`", expr.span, "return")
                    .report(self.sink);
                StatementKind::Return
            }
            ExprKind::Send(value, to) => self.send(value, to),
            ExprKind::Receive(queue, from) => self.receive(queue, None, from.as_deref()),
            ExprKind::Assign(name, value) => match &value.kind {
                ExprKind::Receive(queue, from) => {
                    self.receive(queue, Some(name.clone()), from.as_deref())
                }
                _ => StatementKind::Expr(self.expr(expr)),
            },
            ExprKind::Var(variable) => self.local(variable),
            ExprKind::Error => StatementKind::Error,
            _ => StatementKind::Expr(self.expr(expr)),
        }
    }

    /// `send value to queue`.
    fn send(&mut self, value: &'p Expr, to: &'p Expr) -> StatementKind {
        let value = self.expr(value);
        match &to.kind {
            ExprKind::Read(queue) => StatementKind::Send(queue.clone(), value),
            ExprKind::Error => StatementKind::Error,
            _ => {
                let message = "processes send to queues";
                error("variable-as-queue", message, to.span, "expected the name of a queue")
                    .with_help("it looks like `send 1 to Q`, after `var Q: queue[2] of 0..3`")
                    .report(self.sink);
                StatementKind::Error
            }
        }
    }

    /// `variable := recv queue`.
    fn receive(
        &mut self,
        queue: &Name,
        variable: Option<Name>,
        from: Option<&Expr>,
    ) -> StatementKind {
        if let Some(from) = from {
            let message = "a queue does not know who has sent what is in it";
            error("not-in-processes", message, from.span, "not supported here")
                .with_help("use one queue for each sender")
                .report(self.sink);
        }
        StatementKind::Receive(queue.clone(), variable)
    }

    /// `var x = value` in a process: what `x := value` is.
    fn local(&mut self, variable: &'p ast::Variable) -> StatementKind {
        let name = &variable.name;
        if variable.ghost {
            let help = "leave `ghost` out";
            self.unsupported("ghost variables", variable.span, help);
            return StatementKind::Error;
        }
        if name.is_global() {
            let message = format!("{name} is shared, and declared here for one process");
            error("shared-in-process", message, name.span, "starts with an uppercase letter")
                .with_help("shared variables are declared outside of the processes")
                .with_help("local ones start with a lowercase letter")
                .report(self.sink);
            return StatementKind::Error;
        }
        if let Declared::Var(Some(values)) = &variable.declared
            && !matches!(values.kind, ast::TypeKind::Int | ast::TypeKind::Error)
        {
            error("typed-local", "a local variable can have any value", values.span, "not checked")
                .with_fix("leave its type out", Span::new(name.span.end, values.span.end), "")
                .report(self.sink);
        }
        let value = match &variable.value {
            Some(value) => match &value.kind {
                ExprKind::Receive(queue, from) => {
                    return self.receive(queue, Some(name.clone()), from.as_deref());
                }
                _ => self.expr(value),
            },
            None => make::number(0, variable.span),
        };
        let kind = ExprKind::Assign(name.clone(), Box::new(value));
        StatementKind::Expr(make::expr(kind, variable.span))
    }

    // Expressions.

    fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = self.expr_kind(expr);
        make::expr(kind, expr.span)
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn block(&mut self, block: &Block) -> Block {
        make::block(block.exprs.iter().map(|expr| self.expr(expr)).collect(), block.span)
    }

    fn expr_kind(&mut self, expr: &Expr) -> ExprKind {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Coin
            | ExprKind::Yield
            | ExprKind::Return(_)
            | ExprKind::Abort
            | ExprKind::Error => expr.kind.clone(),
            ExprKind::Bool(value) => ExprKind::Number(i64::from(*value)),
            ExprKind::Read(name) if name.text == "done" && self.in_goal => {
                self.called(Function::Done(None), "done()", span)
            }
            ExprKind::Read(name) => ExprKind::Read(name.clone()),
            ExprKind::Choose(values) => match self.types.as_range(values) {
                Some(range) => ExprKind::Choose(range),
                None => {
                    error("malformed-range", "this is no range", values.span, "expected a range")
                        .with_help("one of 0, 1 and 2 is `choose(0..2)`")
                        .report(self.sink);
                    ExprKind::Error
                }
            },
            ExprKind::Assign(name, value) => ExprKind::Assign(name.clone(), self.boxed(value)),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, self.boxed(operand)),
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
                let place = Span::new(left.span.end, right.span.start);
                let help = "keep what is left in a variable of its own, or count with `+` and `-`";
                self.unsupported("division", place, help)
            }
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, self.boxed(left), self.boxed(right))
            }
            ExprKind::Relation(Relation::Implies, left, right) => {
                let left = ExprKind::Unary(UnaryOp::Not, self.boxed(left));
                let left = Box::new(make::expr(left, span));
                ExprKind::Binary(BinaryOp::Or, left, self.boxed(right))
            }
            ExprKind::Relation(Relation::Iff, left, right) => {
                let not = |side: Box<Expr>| {
                    Box::new(make::expr(ExprKind::Unary(UnaryOp::Not, side), span))
                };
                let (left, right) = (not(self.boxed(left)), not(self.boxed(right)));
                ExprKind::Binary(BinaryOp::Equal, left, right)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.boxed(condition);
                let then = self.block(then);
                let otherwise = otherwise.as_ref().map(|otherwise| match otherwise {
                    Else::Block(block) => Else::Block(self.block(block)),
                    Else::If(expr) => Else::If(self.boxed(expr)),
                });
                ExprKind::If(condition, then, otherwise)
            }
            ExprKind::While(condition, body) => {
                ExprKind::While(self.boxed(condition), self.block(body))
            }
            ExprKind::Assume(condition) => ExprKind::Assume(self.boxed(condition)),
            ExprKind::Group(block) => ExprKind::Group(self.block(block)),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::Field(of, member) => self.member(of, member, span),
            _ => self.elsewhere(expr),
        }
    }

    /// Something that looks like a call: a name that no variable can have.
    fn called(&mut self, function: Function, text: &str, span: Span) -> ExprKind {
        self.calls.push(Call { function, span });
        ExprKind::Read(Name { text: text.to_owned(), span })
    }

    /// `len(queue)`, `done(process)`.
    fn call(&mut self, name: &Name, arguments: &[Argument], span: Span) -> ExprKind {
        let only = match arguments {
            [Argument { name: None, value }] => Some(value),
            _ => None,
        };
        match (name.text.as_str(), only) {
            ("len", Some(Expr { kind: ExprKind::Read(queue), .. })) => {
                self.called(Function::Len(queue.clone()), "len()", span)
            }
            ("len", _) => {
                error("malformed-call", "`len` is that of a queue", span, "expected `len(Q)`")
                    .report(self.sink);
                ExprKind::Error
            }
            ("done", None) if arguments.is_empty() => {
                self.called(Function::Done(None), "done()", span)
            }
            ("done", only) => match only.and_then(|only| self.reference(only)) {
                Some(reference) => self.called(Function::Done(Some(reference)), "done()", span),
                None => {
                    let message = "`done` asks whether a process has ended";
                    error("malformed-call", message, span, "expected the name of a process")
                        .with_help("it looks like `done`, `done(P)` or `done(P(1))`")
                        .report(self.sink);
                    ExprKind::Error
                }
            },
            _ => {
                let message = format!("there is no function {name}");
                error("no-functions", message, name.span, "not defined")
                    .with_help("processes have `len(Q)`, and goals have `done(P)`")
                    .report(self.sink);
                ExprKind::Error
            }
        }
    }

    /// `name`, `name(values)`, `name[index]`.
    fn reference(&mut self, expr: &Expr) -> Option<Reference> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Read(name) => {
                Some(Reference { name: name.clone(), arguments: None, index: None, span })
            }
            ExprKind::Call(name, arguments) if arguments.iter().all(|it| it.name.is_none()) => {
                let values = arguments.iter().map(|it| self.expr(&it.value)).collect();
                let (name, arguments) = (name.clone(), Some(values));
                Some(Reference { name, arguments, index: None, span })
            }
            ExprKind::Index(of, index) => {
                let reference = self.reference(of)?;
                Some(Reference { index: Some(self.expr(index)), span, ..reference })
            }
            _ => None,
        }
    }

    /// `Enumeration.member`.
    fn member(&mut self, of: &Expr, member: &Name, span: Span) -> ExprKind {
        if let ExprKind::Read(name) = &of.kind
            && let Some(known) = self.types.enumeration(&name.text)
        {
            if known.members.iter().any(|it| it.text == member.text) {
                return ExprKind::Read(Name { text: member.text.clone(), span });
            }
            let members = known.members.iter().map(|it| it.text.as_str());
            let message = format!("the enumeration {name} has no member {member}");
            let diagnostic = error("undefined-name", message, member.span, "not defined");
            match self.sink.closest(&member.text, members) {
                Some(known) => diagnostic.meant(known),
                None => diagnostic,
            }
            .report(self.sink);
            return ExprKind::Error;
        }
        self.unsupported("records", span, "use one variable for each field")
    }

    /// What the language has, and processes have not, at least not here.
    fn elsewhere(&mut self, expr: &Expr) -> ExprKind {
        let span = expr.span;
        let (what, help) = match &expr.kind {
            ExprKind::Index(..) | ExprKind::List(_) | ExprKind::Store(..) => {
                ("arrays", "use one variable for each element")
            }
            ExprKind::Tuple(_) => ("tuples", "use one variable for each part"),
            ExprKind::Match(..) => {
                ("`match`", "write `if (x == 0) { ... } else if (x == 1) { ... } else { ... }`")
            }
            ExprKind::With(..) => (
                "locks",
                "take a variable: `await(Till == 0) { Till := 1 }`, and give it back: `Till := 0`",
            ),
            ExprKind::Acquire(_) | ExprKind::Release(_) => (
                "locks",
                "take a variable: `await(Till == 0) { Till := 1 }`, and give it back: `Till := 0`",
            ),
            ExprKind::Break | ExprKind::Continue => (
                "`break` and `continue`",
                "say in the condition of the loop when it ends: `while (x != 0) { ... }`",
            ),
            ExprKind::Assert(_) => {
                ("assertions", "outside of the processes, write `invariant name: condition`")
            }
            ExprKind::Named(..) | ExprKind::At(..) => {
                ("places with names", "set a shared variable where it matters, and look at that")
            }
            ExprKind::Ghost(..) => ("ghost code", "write it into the same `atomic { ... }`"),
            ExprKind::Where(..) => {
                ("`where`", "write `x := choose(0..9)`, and then `await(condition)`")
            }
            ExprKind::Elements(_) | ExprKind::Relation(..) => {
                ("sets", "compare with each of them: `X == 1 || X == 2`")
            }
            kind => {
                let what = kind.described();
                let message = format!("{what} is a statement of its own");
                Diagnostic::error("statement-in-expression", message, span)
                    .with_label("not expected inside an expression")
                    .report(self.sink);
                return ExprKind::Error;
            }
        };
        self.unsupported(what, span, help)
    }
}
