//! From the tree of the language to [`syntax`](super::syntax): what a model of threads has of it.
//!
//! What it does not have is an error that says what to write instead. Nothing is read as something
//! else.
//!
//! - here: items and types;
//! - `statements`, `actions`: what threads do;
//! - `expressions`: values.

mod actions;
mod expressions;
mod statements;

use super::ast::{Scalar, Type};
use super::syntax::{File, InvariantItem, LetItem, ProcedureItem, Variable, Written};
use super::words::{FUNCTIONS, is_reserved};
use crate::ast::{
    self, ClaimKind, Declared, ExprKind, Function, Name, Node, Process, Program, TypeKind,
};
use crate::lexer::Token;
use crate::report::{Messages as _, Report, Reported, error};
use ser_base::{Diagnostic, Sink, Span};

const SETS: &str = "sets are `set of int`, `set of addr`, `set of elem`, and sets of threads";

/// What a program says about threads; what is wrong goes to `sink`.
pub(super) fn read<'t>(
    text: &'t str,
    tree: &'t Program,
    tokens: &'t [Token],
    sink: &mut Sink,
) -> File<'t> {
    let set = tree.sets.first().map(|set| &set.name);
    let mut reader =
        Reader { text, tokens, sink, set, functions: &tree.functions, holes: tree.holes };
    reader.other_worlds(tree);
    let mut file = File { set, proofs: &tree.proofs, ..File::default() };
    reader.threads(tree, &mut file);
    file.globals = reader.variables(&tree.globals);
    file.assumptions = reader.all(&tree.assumptions);
    for function in &tree.functions {
        reader.function(function, &mut file);
    }
    reader.claims(tree, &mut file);
    file.holes = reader.holes;
    file
}

struct Reader<'t, 's> {
    text: &'t str,
    tokens: &'t [Token],
    sink: &'s mut Sink,
    /// The set of all threads.
    set: Option<&'t Name>,
    functions: &'t [Function],
    holes: bool,
}

impl Report for Reader<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.sink.report(diagnostic)
    }
}

impl<'t> Reader<'t, '_> {
    /// Something that other worlds have.
    fn not_here(&mut self, what: &str, span: Span, help: &str) {
        let message = format!("there is no {what} in a model of threads");
        let label = "not expected beside a process for each member of a set";
        error("other-world", message, span, label).with_help(help).report(self);
    }

    /// Items that mean nothing here.
    fn other_worlds(&mut self, tree: &'t Program) {
        self.holes |= !(tree.constants.is_empty()
            && tree.enumerations.is_empty()
            && tree.records.is_empty()
            && tree.aliases.is_empty());
        for item in &tree.requests {
            let help = "what a thread does again and again stands in a `loop { ... }`";
            self.not_here("`request`", item.name.span, help);
        }
        for item in &tree.constants {
            self.not_here("`const`", item.name.span, "write the number where it is needed");
        }
        for item in &tree.enumerations {
            let help = "take numbers, or several variables of type `bool`";
            self.not_here("`enum`", item.name.span, help);
        }
        for item in &tree.records {
            self.not_here("`record`", item.name.span, "take a variable for each field");
        }
        for item in &tree.aliases {
            let help = "the types are `int`, `bool`, `addr`, `elem`, sets of them, and the threads";
            self.not_here("`type`", item.name.span, help);
        }
    }

    /// The set of threads, and what they do.
    fn threads(&mut self, tree: &'t Program, file: &mut File<'t>) {
        if let Some(set) = tree.sets.first() {
            file.size = Some(set.size);
            if set.is_index {
                let help = format!("write `set {}`", set.name.text);
                self.not_here("`index`", set.name.span, &help);
            }
        }
        for set in tree.sets.iter().skip(1) {
            let message = "all threads are members of one set";
            error("declared-twice", message, set.name.span, "a second set")
                .with_secondary(tree.sets.first().map_or(set.span, |it| it.span), "the first one")
                .report(self);
        }
        let mut first: Option<&'t Process> = None;
        for process in &tree.processes {
            if let Some(first) = first {
                let message = "all threads run the same code";
                error("declared-twice", message, process.name.span, "a second process")
                    .with_secondary(first.name.span, "the first one")
                    .with_help("let them choose with `choose { ... } or { ... }`")
                    .report(self);
                continue;
            }
            first = Some(process);
            self.process(process, file);
        }
    }

    fn process(&mut self, process: &'t Process, file: &mut File<'t>) {
        if process.server {
            let help = "leave `server` out: a thread may always wait";
            self.not_here("`server`", process.span, help);
        }
        if let Some(parameter) = process.parameters.first() {
            let help = "all threads are alike; what they start with stands in `var`";
            self.not_here("process with parameters", parameter.span, help);
        }
        let Some((member, set)) = &process.member else {
            let message = format!("{} is one process, and the others are any number", process.name);
            error("declared-twice", message, process.name.span, "not for each member of a set")
                .with_help("all threads are members of one set, and run the same code")
                .report(self);
            return;
        };
        file.member = Some(member);
        self.not_reserved(member);
        if self.set.is_none_or(|known| known.text != set.text) {
            let diagnostic =
                error("unknown-set", format!("there is no set {set}"), set.span, "not known here");
            let diagnostic = match self.set {
                Some(known) => diagnostic.meant(&known.text),
                None => diagnostic.with_help(format!("declare it: `set {}`", set.text)),
            };
            diagnostic.report(self);
            self.holes = true;
        }
        self.not_reserved(&process.name);
        let (locals, body) = self.body(&process.body);
        let (parameters, result, name) = (Vec::new(), None, &process.name);
        let item = ProcedureItem { is_thread: true, name, parameters, result, locals, body };
        file.procedures.push(item);
    }

    /// A procedure, or a shorthand.
    fn function(&mut self, function: &'t Function, file: &mut File<'t>) {
        let name = &function.name;
        self.not_reserved(name);
        if FUNCTIONS.contains(&name.text.as_str()) {
            let message = format!("the function {name} is there already");
            error("reserved-name", message, name.span, "choose another name").report(self);
            self.holes = true;
        }
        function.parameters.iter().for_each(|(parameter, _)| self.not_reserved(parameter));
        if function.is_shorthand {
            let mut parameters = Vec::new();
            for (parameter, ty) in &function.parameters {
                if let Some(ty) = ty {
                    let message = "the parameters of a shorthand are threads";
                    error("typed-thread", message, ty.span, "unexpected type")
                        .with_fix("leave it out", Span::new(parameter.span.end, ty.span.end), "")
                        .report(self);
                }
                parameters.push(parameter);
            }
            let Some(value) = function.body.exprs.first() else { return };
            let value = self.expr(value);
            file.lets.push(LetItem { name, parameters, value });
            return;
        }
        let mut parameters = Vec::new();
        for (parameter, ty) in &function.parameters {
            let Some(ty) = ty else {
                let message = format!("the parameter {parameter} needs a type");
                error("malformed-declaration", message, parameter.span, "expected `:` and a type")
                    .with_help(format!("for example `{}: int`", parameter.text))
                    .report(self);
                self.holes = true;
                continue;
            };
            if let Some(ty) = self.ty(ty) {
                parameters.push((parameter, ty));
            }
        }
        let result = function.result.as_ref().and_then(|ty| Some((self.ty(ty)?, ty.span)));
        let (locals, body) = self.body(&function.body);
        let item = ProcedureItem { is_thread: false, name, parameters, result, locals, body };
        file.procedures.push(item);
    }

    fn claims(&mut self, tree: &'t Program, file: &mut File<'t>) {
        for claim in &tree.claims {
            match claim.kind {
                ClaimKind::Reach => {
                    let help = "that something never happens is an invariant: `invariant never(i): !(...)`";
                    self.not_here("`reach`", claim.span, help);
                    continue;
                }
                ClaimKind::Deadlock => {
                    let help = "what always holds is asked with `invariant name(i): ...`";
                    self.not_here("`deadlock`", claim.span, help);
                    continue;
                }
                ClaimKind::Invariant => {}
            }
            let Some(name) = &claim.name else { continue };
            claim.parameters.iter().for_each(|parameter| self.not_reserved(parameter));
            let conjuncts = claim.conjuncts.iter();
            let conjuncts = conjuncts.map(|it| (it.name.as_ref(), self.expr(&it.condition)));
            let conjuncts = conjuncts.collect();
            let (parameters, span) = (claim.parameters.iter().collect(), claim.span);
            file.invariants.push(InvariantItem { name, parameters, conjuncts, span });
        }
    }

    /// Variables that all share, or those at the start of a body.
    fn variables(
        &mut self,
        variables: impl IntoIterator<Item = &'t ast::Variable>,
    ) -> Vec<Variable<'t>> {
        variables.into_iter().filter_map(|variable| self.variable(variable)).collect()
    }

    fn variable(&mut self, variable: &'t ast::Variable) -> Option<Variable<'t>> {
        let ast::Variable { name, declared, ghost, value, .. } = variable;
        self.not_reserved(name);
        let initial = value.as_ref().map(|value| self.expr(value));
        let ty = match declared {
            Declared::Lock(_) => {
                let help = format!(
                    "write `var {0}: bool = false`; take it with `await !{0} {{ {0} := true }}`",
                    name.text
                );
                self.not_here("`lock` outside of cells", variable.span, &help);
                None
            }
            Declared::Var(Some(ty)) => self.ty(ty),
            Declared::Var(None) | Declared::Initial => {
                let ty = value.as_ref().and_then(|value| self.told_type(value));
                if ty.is_none()
                    && !matches!(value.as_ref().map(|it| &it.kind), Some(ExprKind::Error))
                {
                    let message = format!("it is not clear what {name} can be");
                    error("malformed-declaration", message, name.span, "expected `:` and a type")
                        .with_help(format!("write `var {}: int = ...`", name.text))
                        .report(self);
                }
                ty
            }
        };
        self.holes |= ty.is_none();
        Some(Variable { ghost: *ghost, name, ty: ty?, initial })
    }

    /// The type that a first value tells.
    fn told_type(&self, value: &ast::Expr) -> Option<Type> {
        Some(match &value.kind {
            ExprKind::Number(_) => Type::Scalar(Scalar::Int),
            ExprKind::Unary(ast::UnaryOp::Negate, _) => Type::Scalar(Scalar::Int),
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Read(name) => Type::Scalar(match name.text.as_str() {
                "null" => Scalar::Addr,
                "nobody" => Scalar::Tid,
                "lowest" | "highest" => Scalar::Elem,
                _ => return None,
            }),
            _ => return None,
        })
    }

    /// A type; nothing if it is none, which is reported.
    fn ty(&mut self, ty: &'t ast::Type) -> Option<Type> {
        let found = self.type_or_message(ty);
        self.holes |= found.is_none();
        found
    }

    fn type_or_message(&mut self, ty: &'t ast::Type) -> Option<Type> {
        let (what, help) = match &ty.kind {
            TypeKind::Int => return Some(Type::Scalar(Scalar::Int)),
            TypeKind::Bool => return Some(Type::Bool),
            TypeKind::Named(name) => return self.scalar(name).map(Type::Scalar),
            TypeKind::Error => return None,
            TypeKind::Set(element) => {
                return match &element.kind {
                    TypeKind::Int => Some(Type::Set(Scalar::Int)),
                    TypeKind::Named(name) => self.scalar(name).map(Type::Set),
                    TypeKind::Error => None,
                    kind => {
                        let what = match kind {
                            TypeKind::Bool => "truth values",
                            TypeKind::Set(_) => "sets",
                            _ => "this",
                        };
                        let message = format!("there are no sets of {what}");
                        error("expected-type", message, element.span, "not a type of elements")
                            .with_help(SETS)
                            .none(self)
                    }
                };
            }
            TypeKind::Range(..) => (
                "range",
                "write `int`, and say with an invariant which values there are: `invariant small: x <= 3`",
            ),
            TypeKind::Bits(_) => ("`bits`", "write `int`"),
            TypeKind::Array(..) => (
                "array",
                "every thread has variables of its own, those of its process; for several values there are sets",
            ),
            TypeKind::Tuple(_) => ("tuple", "take several variables"),
            TypeKind::Queue(..) => {
                ("queue", "threads share variables, sets, and cells of the heap")
            }
        };
        self.not_here(what, ty.span, help);
        None
    }

    fn scalar(&mut self, name: &'t Name) -> Option<Scalar> {
        let text = name.text.as_str();
        match text {
            "addr" => return Some(Scalar::Addr),
            "elem" => return Some(Scalar::Elem),
            _ if self.set.is_some_and(|set| set.text == text) => return Some(Scalar::Tid),
            _ => {}
        }
        let set = self.set.map_or("Threads", |set| set.text.as_str());
        let right = match text {
            "integer" | "nat" | "number" | "Int" | "i64" => Some("int"),
            "boolean" | "Bool" => Some("bool"),
            "address" | "ptr" | "pointer" | "cell" | "node" => Some("addr"),
            "element" | "value" => Some("elem"),
            "tid" | "pid" | "process" | "thread" => Some(set),
            _ => self.sink.closest(text, ["int", "bool", "addr", "elem", set].into_iter()),
        };
        let message = format!("there is no type {name}");
        let diagnostic = error("expected-type", message, name.span, "not a type");
        match right {
            Some(right) => diagnostic.meant(right),
            None => diagnostic.with_help(format!(
                "types are `bool`, `int`, `addr`, `elem`, `{set}` (a thread), and sets like `set of int`"
            )),
        }
        .none(self)
    }

    /// A name that means something else.
    fn not_reserved(&mut self, name: &Name) {
        if !is_reserved(&name.text) {
            return;
        }
        let message = format!("{name} has a meaning, and cannot be a name");
        error("reserved-name", message, name.span, "expected a name")
            .with_help("choose another name")
            .report(self);
        self.holes = true;
    }

    fn all(&mut self, exprs: &'t [ast::Expr]) -> Vec<Written<'t>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// The type of a `choose`.
    fn values(&mut self, ty: &'t ast::Type) -> Option<Node<Type>> {
        if let TypeKind::Range(low, high) = &ty.kind {
            let text = |expr: &ast::Expr| match &expr.kind {
                ExprKind::Number(value) => value.to_string(),
                _ => "...".to_owned(),
            };
            let help =
                format!("write `x := choose(int) where x >= {} && x <= {}`", text(low), text(high));
            self.not_here("range", ty.span, &help);
            return None;
        }
        Some(Node { span: ty.span, kind: self.type_or_message(ty)? })
    }
}
