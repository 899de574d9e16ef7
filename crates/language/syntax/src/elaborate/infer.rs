//! Which type everything has.
//!
//! One walk over each handler, in the order of the text; functions are looked at where they are
//! called first, so that what their callers know is known. What an expression is *for* matters: the
//! branches of an `if` need the same type only where somebody uses its value, and not in a
//! response, because responses may be of any type.

mod processes;

use super::handlers;
use super::types::{KEYS, Layout, Space, Ty, Types, Unifier};
use crate::ast::Relation;
use crate::ast::{
    self, Argument, Block, Conjunct, Declared, Else, Expr, ExprKind, Name, Pattern, Program,
    TypeKind, UnaryOp,
};
use crate::ast::{BinaryOp, Type};
use crate::check::{Checker, local_at_top_level};
use crate::domains::{Domain, Domains};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span, closest_name};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is known about the names and expressions of a program.
pub(super) struct Typed<'p> {
    pub(super) types: Types<'p>,
    pub(super) unifier: Unifier,
    /// Those that are declared or mentioned.
    pub(super) globals: BTreeMap<&'p str, Global>,
    pub(super) functions: BTreeMap<&'p str, Function<'p>>,
    /// The names of each handler.
    pub(super) handlers: Vec<Locals<'p>>,
    /// Those of each claim: none.
    pub(super) claims: Vec<Locals<'p>>,
    /// The processes about whose end something is asked.
    pub(super) asked: BTreeSet<&'p str>,
    /// The types of expressions that are not just numbers, by their addresses.
    pub(super) of: HashMap<*const Expr, Ty>,
}

impl Typed<'_> {
    /// What is known about names, for editors.
    pub(super) fn domains(&self, tree: &Program) -> Domains {
        let domain = |ty: &Ty, layout: &Option<Layout>| match layout {
            Some(layout) => self.types.domain(layout),
            None => self.types.domain(&self.types.layout_of(&self.unifier.settled(ty))),
        };
        let locals = |names: &Locals<'_>| -> BTreeMap<String, Domain> {
            let names = names.iter();
            names.map(|(name, it)| ((*name).to_owned(), domain(&it.ty, &it.layout))).collect()
        };
        let globals = self.globals.iter();
        let globals = globals.map(|(name, it)| ((*name).to_owned(), domain(&it.ty, &it.layout)));
        let functions = tree.functions.iter();
        let functions = functions.map(|it| self.functions.get(it.name.text.as_str()));
        let functions = functions.map(|it| it.map_or(BTreeMap::new(), |it| locals(&it.locals)));
        let (requests, processes) = self.handlers.split_at(tree.requests.len());
        let processes = processes.iter().map(locals);
        let results = self.functions.iter().filter(|(_, it)| it.is_used);
        Domains {
            globals: globals.collect(),
            bodies: requests.iter().map(locals).chain(functions).chain(processes).collect(),
            results: results
                .map(|(name, it)| ((*name).to_owned(), domain(&it.result, &None)))
                .collect(),
            records: self.types.fields_of_records(),
        }
    }
}

pub(super) struct Global {
    pub(super) ty: Ty,
    /// What it is declared with.
    pub(super) layout: Option<Layout>,
    pub(super) is_lock: bool,
    pub(super) declared: Option<Span>,
}

pub(super) struct Function<'p> {
    pub(super) item: &'p ast::Function,
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Ty,
    /// Whether somebody uses what it gives.
    pub(super) is_used: bool,
    pub(super) locals: Locals<'p>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Known,
}

/// The names of a handler.
pub(super) type Locals<'p> = BTreeMap<&'p str, Local>;

#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) ty: Ty,
    pub(super) layout: Option<Layout>,
    pub(super) kind: LocalKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LocalKind {
    Parameter,
    Variable,
    /// Of a `for`.
    Counter,
}

/// What an expression is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Value,
    Nothing,
    /// It is what a request responds or a function gives.
    Result,
}

/// Names that are probably meant as commands of other languages.
const COMMANDS: [&str; 13] = [
    "wait", "skip", "end", "print", "sleep", "stop", "exit", "done", "retry", "commit", "rollback",
    "noop", "restart",
];

/// Words that a name without a value was probably meant to be.
const KEYWORDS: [&str; 8] =
    ["break", "continue", "return", "abort", "yield", "true", "false", "choose"];

struct Infer<'a, 'p, 's> {
    typed: Typed<'p>,
    checker: &'a mut Checker<'p, 's>,
    /// Of the handler at hand.
    locals: Locals<'p>,
    assigned: BTreeSet<&'p str>,
    /// What the function at hand gives; nothing in a request.
    result: Option<Ty>,
    /// What each request so far may respond.
    responses: Vec<Vec<Ty>>,
    /// Whether there is a `break` in each of the loops around.
    loops: Vec<bool>,
    /// What the loops around count with.
    counters: Vec<&'p str>,
    /// The processes of the file; if there are some, it has no requests.
    processes: BTreeMap<&'p str, &'p ast::Process>,
    /// Whether this is part of what is asked.
    in_claim: bool,
    /// What makes sense only if there are no errors.
    warnings: Vec<Diagnostic>,
}

/// Finds out the types of a program; what does not fit is reported.
pub(super) fn infer<'p>(tree: &'p Program, checker: &mut Checker<'p, '_>) -> Typed<'p> {
    let types = Types::of(tree, checker);
    let mut typed = Typed {
        types,
        unifier: Unifier::default(),
        globals: BTreeMap::new(),
        functions: BTreeMap::new(),
        handlers: Vec::new(),
        claims: Vec::new(),
        asked: BTreeSet::new(),
        of: HashMap::new(),
    };
    for item in &tree.functions {
        let parameters = item.parameters.iter().map(|_| typed.unifier.fresh()).collect();
        let result = typed.unifier.fresh();
        let locals = Locals::new();
        let (is_used, state) = (false, State::New);
        let function = Function { item, parameters, result, is_used, locals, state };
        typed.functions.entry(&item.name.text).or_insert(function);
    }
    let mut used = BTreeSet::new();
    for handler in handlers(tree) {
        used_calls(handler.body, !handler.is_process, &mut used);
    }
    for function in &tree.functions {
        used_calls(&function.body, true, &mut used);
    }
    for conjunct in tree.claims.iter().flat_map(|claim| &claim.conjuncts) {
        used_calls_in(&conjunct.condition, true, &mut used);
    }
    for (name, function) in &mut typed.functions {
        function.is_used = used.contains(name);
    }
    let mut infer = Infer {
        typed,
        checker,
        locals: Locals::new(),
        assigned: BTreeSet::new(),
        result: None,
        responses: Vec::new(),
        loops: Vec::new(),
        counters: Vec::new(),
        processes: tree.processes.iter().map(|it| (it.name.text.as_str(), it)).collect(),
        in_claim: false,
        warnings: Vec::new(),
    };
    infer.items(tree);
    infer.keys(tree);
    infer.typed.unifier.compress();
    if !infer.checker.sink.has_errors() {
        for warning in std::mem::take(&mut infer.warnings) {
            infer.checker.sink.push(warning);
        }
    }
    infer.typed
}

/// The first place where a name stands.
fn mentioned(expr: &Expr, name: &str, found: &mut Option<Span>) {
    let span = match &expr.kind {
        ExprKind::Read(read) if read.text == name => Some(read.span),
        ExprKind::Assign(to, _) | ExprKind::For(to, ..) if to.text == name => Some(to.span),
        ExprKind::Var(variable) if variable.name.text == name => Some(variable.name.span),
        _ => None,
    };
    *found = found.or(span);
    expr.for_each_child(&mut |child| mentioned(child, name, found));
}

/// Whether its values are, or contain, values of a type with any number of them.
fn holds_keys(types: &Types<'_>, ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(parts) => parts.iter().any(|part| holds_keys(types, part)),
        Ty::Array(_, elements) => holds_keys(types, elements),
        ty => types.is_open_type(ty),
    }
}

/// Whether it has an element for each of them.
fn spans_keys(types: &Types<'_>, ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(parts) => parts.iter().any(|part| spans_keys(types, part)),
        Ty::Array(space, elements) => types.is_open_space(*space) || spans_keys(types, elements),
        Ty::Record(index) => {
            let fields = types.fields(*index).iter();
            fields.map(|(_, field)| types.erased(field)).any(|it| spans_keys(types, &it))
        }
        _ => false,
    }
}

/// Functions that are called where their value may be used.
fn used_calls<'p>(block: &'p Block, is_used: bool, used: &mut BTreeSet<&'p str>) {
    for (index, expr) in block.exprs.iter().enumerate() {
        used_calls_in(expr, is_used && index + 1 == block.exprs.len(), used);
    }
}

fn used_calls_in<'p>(expr: &'p Expr, is_used: bool, used: &mut BTreeSet<&'p str>) {
    match &expr.kind {
        ExprKind::Call(name, arguments) => {
            if is_used {
                used.insert(&name.text);
            }
            arguments.iter().for_each(|it| used_calls_in(&it.value, true, used));
        }
        ExprKind::Group(block) | ExprKind::With(_, block) => used_calls(block, is_used, used),
        ExprKind::If(condition, then, otherwise) => {
            used_calls_in(condition, true, used);
            used_calls(then, is_used, used);
            match otherwise {
                Some(Else::Block(block)) => used_calls(block, is_used, used),
                Some(Else::If(expr)) => used_calls_in(expr, is_used, used),
                None => {}
            }
        }
        ExprKind::Match(value, arms) => {
            used_calls_in(value, true, used);
            arms.iter().for_each(|arm| used_calls_in(&arm.body, is_used, used));
        }
        ExprKind::Either(blocks) => {
            blocks.iter().for_each(|block| used_calls(block, is_used, used));
        }
        ExprKind::While(condition, body) => {
            used_calls_in(condition, true, used);
            used_calls(body, false, used);
        }
        ExprKind::For(_, _, body) | ExprKind::Loop(body) | ExprKind::Atomic(body) => {
            used_calls(body, false, used);
        }
        ExprKind::Await(condition, body) => {
            used_calls_in(condition, true, used);
            used_calls(body, false, used);
        }
        _ => expr.for_each_child(&mut |child| used_calls_in(child, true, used)),
    }
}

/// The local names that are assigned or declared in a handler.
fn assigned_names<'p>(block: &'p Block, names: &mut BTreeSet<&'p str>) {
    block.exprs.iter().for_each(|expr| assigned_in(expr, names));
}

fn assigned_in<'p>(expr: &'p Expr, names: &mut BTreeSet<&'p str>) {
    match &expr.kind {
        ExprKind::Assign(name, _) | ExprKind::For(name, ..) | ExprKind::Quantified(_, name, ..) => {
            names.insert(&name.text);
        }
        ExprKind::Var(variable) => {
            names.insert(&variable.name.text);
        }
        ExprKind::Store(place, _) => stored_in(place, names),
        _ => {}
    }
    expr.for_each_child(&mut |child| assigned_in(child, names));
}

fn stored_in<'p>(place: &'p Expr, names: &mut BTreeSet<&'p str>) {
    match &place.kind {
        ExprKind::Read(name) => {
            names.insert(&name.text);
        }
        ExprKind::Index(of, _) | ExprKind::Field(of, _) => stored_in(of, names),
        ExprKind::Tuple(parts) => parts.iter().for_each(|part| stored_in(part, names)),
        _ => {}
    }
}

/// What in a claim, or in a function that it calls, does more than to look at variables.
fn effect<'p>(
    tree: &'p Program,
    expr: &'p Expr,
    in_function: bool,
    looked: &mut BTreeSet<&'p str>,
) -> Option<(Span, &'static str)> {
    let is_global = |name: &Name| name.is_global();
    let what = match &expr.kind {
        ExprKind::Assign(name, _) if !in_function || is_global(name) => "this changes one",
        ExprKind::Store(place, _) => {
            let mut stored = BTreeSet::new();
            stored_in(place, &mut stored);
            let global = stored.iter().any(|name| name.starts_with(char::is_uppercase));
            if !in_function || global { "this changes one" } else { "" }
        }
        ExprKind::Yield => "this lets others run",
        ExprKind::Abort => "this gives up",
        ExprKind::With(..) => "this takes a lock",
        ExprKind::Assume(_) | ExprKind::Await(..) => "this waits",
        ExprKind::Send(..) => "this sends",
        ExprKind::Receive(..) => "this receives",
        ExprKind::Acquire(_) => "this takes a lock",
        ExprKind::Release(_) => "this frees a lock",
        ExprKind::Coin | ExprKind::Choose(_) | ExprKind::Either(_) => "this chooses",
        ExprKind::Return(_) | ExprKind::Var(_) | ExprKind::Assert(_) if !in_function => {
            "this is for handlers"
        }
        _ => "",
    };
    if !what.is_empty() {
        return Some((expr.span, what));
    }
    let mut found = None;
    expr.for_each_child(&mut |child| {
        found = found.or_else(|| effect(tree, child, in_function, looked));
    });
    if let ExprKind::Call(name, _) = &expr.kind
        && let Some(function) = tree.functions.iter().find(|it| it.name.text == name.text)
        && looked.insert(&name.text)
    {
        let inside = &function.body.exprs;
        found = found.or_else(|| inside.iter().find_map(|it| effect(tree, it, true, looked)));
    }
    found
}

impl<'p> Infer<'_, 'p, '_> {
    fn items(&mut self, tree: &'p Program) {
        for constant in &tree.constants {
            self.expr(&constant.value, Use::Value);
        }
        for item in &tree.globals {
            self.global_item(item);
        }
        for handler in handlers(tree) {
            self.locals.clear();
            self.assigned.clear();
            assigned_names(handler.body, &mut self.assigned);
            let mut sizes = Vec::new();
            for parameter in handler.parameters {
                let layout = self.parameter_values(&parameter.values);
                let values = layout.as_ref().and_then(|it| self.typed.types.values(it));
                sizes.push(values.map(|(low, high)| high.abs_diff(low) + 1));
                let ty = match &layout {
                    Some(layout) => self.typed.types.erased(layout),
                    None => self.typed.unifier.fresh(),
                };
                let local = Local { ty, layout, kind: LocalKind::Parameter };
                self.locals.insert(&parameter.name.text, local);
            }
            let (what, goal) = match handler.is_process {
                true => ("process", Use::Nothing),
                false => ("request", Use::Result),
            };
            self.checker.enter(handler.name, handler.parameters, &sizes, what);
            self.responses.push(Vec::new());
            self.block(handler.body, goal);
            if handler.is_process {
                self.never_assigned(handler.body);
            }
            self.typed.handlers.push(std::mem::take(&mut self.locals));
        }
        let known: BTreeSet<&'p str> = self.typed.globals.keys().copied().collect();
        for claim in &tree.claims {
            self.claim(tree, claim, &known);
        }
        // Those that nobody calls may be wrong, too.
        for item in &tree.functions {
            self.function_name(item);
            self.look_into(&item.name.text);
        }
        self.truths_among_responses();
    }

    /// Where one response of a request is a `bool`, its comparisons are no numbers: `true` here and
    /// 1 there would be two answers, although nobody meant to give two.
    fn truths_among_responses(&mut self) {
        for responses in std::mem::take(&mut self.responses) {
            if !responses.iter().any(|ty| self.typed.unifier.seen(ty) == Ty::Bool) {
                continue;
            }
            for ty in &responses {
                self.typed.unifier.truth_is_bool(ty);
            }
        }
    }

    /// A question: a condition over global variables that changes nothing.
    fn claim(&mut self, tree: &'p Program, claim: &'p ast::Claim, known: &BTreeSet<&'p str>) {
        self.locals.clear();
        self.assigned.clear();
        let outer = self.checker.leave_parameters();
        if let Some(first) = claim.parameters.first() {
            let (message, label) = match self.has_processes() {
                true => ("what is asked about processes has no parameters", "any thread"),
                false => {
                    ("what is asked about requests has no parameters", "requests have no names")
                }
            };
            error("claim-with-parameters", message, first.span, label)
                .with_help(
                    "count those who are in a place with a variable: `invariant one: Inside <= 1`",
                )
                .report(self.checker);
        }
        for Conjunct { condition, .. } in &claim.conjuncts {
            let mut looked = BTreeSet::new();
            if let Some((span, what)) = effect(tree, condition, false, &mut looked) {
                let message = format!("what is asked only looks at variables, and {what}");
                error("claim-with-effect", message, span, "not allowed here").report(self.checker);
            }
            self.in_claim = true;
            self.condition(condition);
            self.in_claim = false;
            self.unknown_names(condition, known);
        }
        self.checker.back_to_parameters(outer);
        self.typed.claims.push(std::mem::take(&mut self.locals));
    }

    fn has_processes(&self) -> bool {
        !self.processes.is_empty()
    }

    /// Reports variables that no request has.
    fn unknown_names(&mut self, expr: &'p Expr, known: &BTreeSet<&'p str>) {
        if let ExprKind::Read(name) = &expr.kind
            && name.is_global()
            && !self.has_processes()
            && self.typed.globals.contains_key(name.text.as_str())
            && !known.contains(name.text.as_str())
        {
            let message = format!("no request has a variable `{}`", name.text);
            let mut found = error("unknown-name", message, name.span, "not known");
            if let Some(right) = closest_name(&name.text, known.iter().copied()) {
                found = found.with_right(right);
            }
            found.report(self.checker);
        }
        if let ExprKind::Read(name) = &expr.kind
            && !name.is_global()
            && let Some(local) = self.locals.get(name.text.as_str())
            && local.kind != LocalKind::Counter
        {
            let (message, label) = match self.has_processes() {
                true => ("is no shared variable", "each process has its own"),
                false => ("is a variable of a request", "each request has its own"),
            };
            name.error("unknown-name", message, label)
                .with_help("what is asked is about variables that all share, like `X`")
                .report(self.checker);
        }
        expr.for_each_child(&mut |child| self.unknown_names(child, known));
    }

    fn function_name(&mut self, item: &'p ast::Function) {
        if item.name.text.starts_with(char::is_uppercase) {
            let first = item.name.text.chars().next().map(|c| c.to_ascii_lowercase());
            let right: String = first.into_iter().chain(item.name.text.chars().skip(1)).collect();
            error(
                "function-looks-global",
                "functions have names that start with a lowercase letter",
                item.name.span,
                "starts with an uppercase letter",
            )
            .with_help(format!("call it `{right}`"))
            .report(self.checker);
        }
        if matches!(item.name.text.as_str(), "min" | "max")
            || self.typed.types.record(&item.name.text).is_some()
        {
            item.name
                .error("name-clash", "exists already", "choose another name")
                .report(self.checker);
        }
    }

    fn parameter_values(&mut self, values: &'p Type) -> Option<Layout> {
        let layout = match &values.kind {
            // With the messages of ranges.
            TypeKind::Range(low, high) => {
                let (low, high) = self.checker.range_ends(low, high)?;
                Layout::Range(low, high)
            }
            _ => self.typed.types.layout(values, self.checker)?,
        };
        let is_open = matches!(layout, Layout::Int) || self.typed.types.is_open(&layout);
        if is_open && !self.has_processes() {
            return Some(layout);
        }
        if self.typed.types.values(&layout).is_none() {
            let message = "a parameter needs a range of values, or a type with few of them";
            return error("parameter-without-range", message, values.span, "too many values")
                .with_help("clients choose the values of parameters: `in 0..3`, `in bool`, or the name of an `enum`")
                .none(self.checker);
        }
        Some(layout)
    }

    fn global_item(&mut self, item: &'p ast::Variable) {
        let name = &item.name;
        if !matches!(item.declared, Declared::Initial) {
            if self.checker.constants.contains(&name.text) {
                self.checker.shadows_constant(name, "name-clash", "a variable");
            } else if !name.is_global() {
                let item = if self.has_processes() { "process" } else { "request" };
                local_at_top_level(name, "initial-value-of-local", item).report(self.checker);
            }
        } else {
            self.checker.initial_value(name);
        }
        let layout = match &item.declared {
            Declared::Initial | Declared::Var(None) => None,
            Declared::Var(Some(values)) => self.typed.types.layout(values, self.checker),
            Declared::Lock(None) => Some(Layout::Bool),
            Declared::Lock(Some(index)) => {
                let kind = TypeKind::Array(
                    index.clone(),
                    Box::new(Type { kind: TypeKind::Bool, span: index.0.span }),
                );
                self.typed.types.layout(&Type { kind, span: item.span }, self.checker)
            }
        };
        let ty = match &layout {
            Some(layout) => self.typed.types.erased(layout),
            None => self.typed.unifier.fresh(),
        };
        if let (Some(Layout::Queue(..)), Some(value)) = (&layout, &item.value) {
            let message = format!("the queue {name} is empty at first");
            error("queue-first-value", message, value.span, "a queue has no first value")
                .with_help("let a process send what is to be there: `process Fill { send 1 to Q }`")
                .report(self.checker);
        } else if let Some(value) = &item.value {
            let found = self.expr(value, Use::Value);
            self.constant_parts(value);
            // One value may stand for all elements.
            let mut wanted = self.typed.unifier.seen(&ty);
            while let Ty::Array(_, elements) = &wanted
                && !matches!(self.typed.unifier.seen(&found), Ty::Array(..))
            {
                wanted = self.typed.unifier.seen(elements);
            }
            self.same(&wanted, &found, name.span, value.span, "the variable");
        }
        let layout = match self.has_processes() {
            true => self.bounded(item, layout, &ty),
            false => layout,
        };
        let is_lock = matches!(item.declared, Declared::Lock(_));
        let global = Global { ty, layout, is_lock, declared: Some(name.span) };
        self.typed.globals.entry(&name.text).or_insert(global);
    }

    /// First values have to be known before anything runs.
    fn constant_parts(&mut self, value: &'p Expr) {
        match &value.kind {
            ExprKind::List(parts) | ExprKind::Tuple(parts) => {
                parts.iter().for_each(|part| self.constant_parts(part));
            }
            ExprKind::Call(name, arguments) if self.typed.types.record(&name.text).is_some() => {
                arguments.iter().for_each(|argument| self.constant_parts(&argument.value));
            }
            _ => {
                self.checker.value(value);
            }
        }
    }

    /// Says that two types do not fit.
    fn same(&mut self, wanted: &Ty, found: &Ty, of: Span, at: Span, what: &str) {
        if self.typed.unifier.unify(wanted, found, &self.typed.types) {
            return;
        }
        let wanted = self.typed.types.name(wanted, &self.typed.unifier);
        let found = self.typed.types.name(found, &self.typed.unifier);
        let mut diagnostic = error(
            "type-mismatch",
            format!("expected {wanted}, found {found}"),
            at,
            format!("this is {found}"),
        )
        .with_secondary(of, format!("{what} is {wanted}"));
        if wanted == "a truth value" && found == "a number" {
            diagnostic = diagnostic.with_help("truth values are `true` and `false`");
        }
        diagnostic.report(self.checker);
    }

    fn condition(&mut self, expr: &'p Expr) {
        let ty = self.expr(expr, Use::Value);
        if !self.typed.unifier.condition(&ty) {
            let found = self.typed.types.name(&ty, &self.typed.unifier);
            error(
                "type-mismatch",
                format!("expected a condition, found {found}"),
                expr.span,
                format!("this is {found}"),
            )
            .with_help("compare it with something: `x == y`")
            .report(self.checker);
        }
    }

    fn number(&mut self, expr: &'p Expr) {
        let ty = self.expr(expr, Use::Value);
        self.is_number(&ty, expr.span);
    }

    fn is_number(&mut self, ty: &Ty, span: Span) {
        if !self.typed.unifier.unify(ty, &Ty::Int, &self.typed.types) {
            let found = self.typed.types.name(ty, &self.typed.unifier);
            error(
                "type-mismatch",
                format!("expected a number, found {found}"),
                span,
                format!("this is {found}"),
            )
            .report(self.checker);
        }
    }

    fn block(&mut self, block: &'p Block, goal: Use) -> Ty {
        let Some((last, rest)) = block.exprs.split_last() else {
            return self.leaf(Ty::Int, block.span, goal);
        };
        for expr in rest {
            self.statement(expr);
        }
        match goal {
            Use::Nothing if self.result.is_none() => self.statement(last),
            _ => self.expr(last, goal),
        }
    }

    /// The type of an expression that is no branch.
    fn leaf(&mut self, ty: Ty, span: Span, goal: Use) -> Ty {
        match (goal, self.result.clone()) {
            (Use::Result, Some(result)) => {
                self.same(&result, &ty, span, span, "what the function gives elsewhere");
            }
            (Use::Result, None) => {
                if let Some(responses) = self.responses.last_mut() {
                    responses.push(ty.clone());
                }
            }
            _ => {}
        }
        ty
    }

    /// The common type of branches.
    fn join(&mut self, branches: Vec<(Ty, Span)>, goal: Use) -> Ty {
        let mut branches = branches.into_iter();
        let Some((first, at)) = branches.next() else { return Ty::Int };
        if goal == Use::Value {
            for (other, span) in branches {
                self.same(&first, &other, at, span, "the other branch");
            }
        }
        first
    }

    fn expr(&mut self, expr: &'p Expr, goal: Use) -> Ty {
        let ty = self.type_of(expr, goal);
        if !matches!(ty, Ty::Int) {
            self.typed.of.insert(expr, ty.clone());
        }
        ty
    }

    fn type_of(&mut self, expr: &'p Expr, goal: Use) -> Ty {
        let span = expr.span;
        let ty = match &expr.kind {
            // What has branches.
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition);
                let mut branches = vec![(self.block(then, goal), then.span)];
                branches.push(match otherwise {
                    None => (self.leaf(Ty::Int, span, goal), span),
                    Some(Else::Block(block)) => (self.block(block, goal), block.span),
                    Some(Else::If(expr)) => (self.expr(expr, goal), expr.span),
                });
                return self.join(branches, goal);
            }
            ExprKind::Match(value, arms) => return self.cases(expr, value, arms, goal),
            ExprKind::Either(blocks) => {
                let branches = blocks.iter().map(|it| (self.block(it, goal), it.span)).collect();
                return self.join(branches, goal);
            }
            ExprKind::With(lock, body) => {
                self.lock(lock);
                return self.block(body, goal);
            }
            ExprKind::Group(block) => return self.block(block, goal),
            // What ends something.
            ExprKind::Return(value) => {
                match value {
                    Some(value) if self.has_processes() && self.result.is_none() => {
                        let message = "a process has no response";
                        error("return-with-value", message, value.span, "nobody sees this value")
                            .with_fix("end the process with `return`", span, "return")
                            .report(self.checker);
                    }
                    Some(value) => {
                        self.expr(value, Use::Result);
                    }
                    None => {
                        self.leaf(Ty::Int, span, Use::Result);
                    }
                }
                return self.typed.unifier.fresh();
            }
            ExprKind::Break | ExprKind::Continue => {
                match self.loops.last_mut() {
                    Some(breaks) => *breaks |= matches!(expr.kind, ExprKind::Break),
                    None => {
                        let word = expr.kind.described();
                        error(
                            "outside-loop",
                            format!("{word} outside of a loop"),
                            span,
                            "no loop is around this",
                        )
                        .with_help("to end the request or the function, write `return`")
                        .report(self.checker);
                    }
                }
                return self.typed.unifier.fresh();
            }
            ExprKind::Abort | ExprKind::Yield if self.has_processes() => {
                self.of_requests(expr);
                return self.typed.unifier.fresh();
            }
            ExprKind::Abort | ExprKind::Error => return self.typed.unifier.fresh(),
            ExprKind::Loop(body) => {
                self.loops.push(false);
                self.block(body, Use::Nothing);
                if self.loops.pop() == Some(false) {
                    return self.typed.unifier.fresh();
                }
                Ty::Int
            }
            // Everything else has a value of its own.
            ExprKind::Number(_) | ExprKind::Yield => Ty::Int,
            ExprKind::Bool(_) => Ty::Bool,
            ExprKind::Coin => self.typed.unifier.truth(),
            ExprKind::Choose(values) => self.chosen(values),
            ExprKind::Read(name) => self.read(name),
            ExprKind::Field(of, field) => self.field(of, field),
            ExprKind::Index(of, index) => self.element(of, index),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span, goal),
            ExprKind::Tuple(parts) => {
                Ty::Tuple(parts.iter().map(|part| self.expr(part, Use::Value)).collect())
            }
            ExprKind::List(parts) => {
                let found: Vec<(Ty, Span)> =
                    parts.iter().map(|part| (self.expr(part, Use::Value), part.span)).collect();
                if found.is_empty() {
                    error("empty-list", "a list has at least one element", span, "empty")
                        .report(self.checker);
                }
                let size = found.len();
                let elements = self.join(found, Use::Value);
                Ty::Array(Space::List(size), elements.into())
            }
            ExprKind::Assign(name, value) => {
                let found = self.expr(value, Use::Value);
                let wanted = self.target(name);
                self.same(&wanted, &found, name.span, value.span, "the variable");
                wanted
            }
            ExprKind::Store(place, value) => {
                let found = self.expr(value, Use::Value);
                let wanted = self.place(place);
                self.same(&wanted, &found, place.span, value.span, "what is assigned to");
                wanted
            }
            ExprKind::Var(variable) => self.local(variable),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                self.number(operand);
                Ty::Int
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                self.condition(operand);
                self.typed.unifier.truth()
            }
            ExprKind::Binary(op, left, right) => self.operator(*op, left, right),
            ExprKind::While(condition, body) => {
                self.condition(condition);
                self.loops.push(false);
                self.block(body, Use::Nothing);
                self.loops.pop();
                Ty::Int
            }
            ExprKind::For(name, values, body) => {
                self.counter(name, values);
                self.counters.push(&name.text);
                self.loops.push(false);
                self.block(body, Use::Nothing);
                self.loops.pop();
                self.counters.pop();
                Ty::Int
            }
            ExprKind::Quantified(_, name, values, condition) => {
                self.counter(name, values);
                self.counters.push(&name.text);
                self.condition(condition);
                self.counters.pop();
                self.typed.unifier.truth()
            }
            ExprKind::Assume(condition) | ExprKind::Assert(condition) => {
                self.condition(condition);
                Ty::Int
            }
            ExprKind::Relation(Relation::Implies | Relation::Iff, left, right) => {
                self.condition(left);
                self.condition(right);
                self.typed.unifier.truth()
            }
            ExprKind::Relation(Relation::In, left, right) => match &right.kind {
                ExprKind::Range(low, high) => {
                    self.number(left);
                    self.number(low);
                    self.number(high);
                    self.typed.unifier.truth()
                }
                ExprKind::Elements(parts) => {
                    let found = self.expr(left, Use::Value);
                    for part in parts {
                        let other = self.expr(part, Use::Value);
                        self.same(&found, &other, left.span, part.span, "what is looked for");
                    }
                    self.typed.unifier.truth()
                }
                _ => return self.not_in(right),
            },
            ExprKind::Skip => Ty::Int,
            ExprKind::Await(condition, body) if self.has_processes() => {
                self.condition(condition);
                self.together(body);
                Ty::Int
            }
            ExprKind::Atomic(body) if self.has_processes() => {
                self.together(body);
                Ty::Int
            }
            ExprKind::Send(value, to) if self.has_processes() => self.send(value, to),
            ExprKind::Receive(queue, from) if self.has_processes() => {
                self.receive(queue, from.as_deref())
            }
            ExprKind::Acquire(lock) | ExprKind::Release(lock) if self.has_processes() => {
                self.lock(lock);
                Ty::Int
            }
            ExprKind::Await(..)
            | ExprKind::Atomic(_)
            | ExprKind::Send(..)
            | ExprKind::Receive(..)
            | ExprKind::Acquire(_)
            | ExprKind::Release(_)
            | ExprKind::Named(..)
            | ExprKind::Block(_)
            | ExprKind::Ghost(..)
            | ExprKind::Where(..)
            | ExprKind::Elements(_)
            | ExprKind::Range(..)
            | ExprKind::At(..)
            | ExprKind::Relation(Relation::Subset, ..) => {
                match self.has_processes() {
                    true => self.of_threads(expr),
                    false => self.of_processes(expr),
                }
                return self.typed.unifier.fresh();
            }
        };
        self.leaf(ty, span, goal)
    }

    /// Neither a range nor values stand behind `in`.
    fn not_in(&mut self, right: &Expr) -> Ty {
        let help = match &right.kind {
            ExprKind::Read(name) if self.typed.globals.contains_key(name.text.as_str()) => format!(
                "look at its elements: `fn has(x) {{ for i in 0..2 {{ if {}[i] == x {{ return \
                 true }} }}; false }}`",
                name.text
            ),
            _ => "write the values: `x in 0..2`, `x in {1, 3}`".to_owned(),
        };
        let message = "behind `in` stands a range, or values in braces";
        error("malformed-in", message, right.span, "neither of them")
            .with_help(help)
            .report(self.checker);
        self.typed.unifier.fresh()
    }

    /// What only processes and threads have.
    fn of_processes(&mut self, expr: &Expr) {
        let message =
            format!("requests have no {}", expr.kind.described().trim_start_matches("a "));
        let help = match &expr.kind {
            ExprKind::Await(..) => "to wait for a condition, write `assume(condition)`",
            ExprKind::Atomic(_) => "what stands between two `yield`s is one step already",
            ExprKind::Acquire(_) | ExprKind::Release(_) => {
                "a lock is held for as long as a block runs: `with L { ... }`"
            }
            ExprKind::Send(..) | ExprKind::Receive(..) => {
                "a message is a variable that holds it, or an array with two counters"
            }
            ExprKind::Elements(_) | ExprKind::Relation(..) => {
                "a set is an array of truth values: `[0..3] of bool`"
            }
            _ => "it is for the processes of `process name { ... }`",
        };
        error("not-in-requests", message, expr.span, "only in processes")
            .with_help(help)
            .report(self.checker);
    }

    fn operator(&mut self, op: BinaryOp, left: &'p Expr, right: &'p Expr) -> Ty {
        match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder => {
                self.number(left);
                self.number(right);
                Ty::Int
            }
            BinaryOp::And | BinaryOp::Or => {
                self.condition(left);
                self.condition(right);
                self.typed.unifier.truth()
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let first = self.expr(left, Use::Value);
                let second = self.expr(right, Use::Value);
                self.same(&first, &second, left.span, right.span, "the other side");
                self.typed.unifier.truth()
            }
            // Keys have an order, which locks are taken in.
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
                if self.is_key(left) =>
            {
                let first = self.expr(left, Use::Value);
                let second = self.expr(right, Use::Value);
                self.same(&first, &second, left.span, right.span, "the other side");
                self.typed.unifier.truth()
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                let first = self.expr(left, Use::Value);
                let second = self.expr(right, Use::Value);
                // Members of one enumeration are in the order in which they are declared.
                let seen = [&first, &second].map(|ty| self.typed.unifier.seen(ty));
                if seen.iter().any(|ty| matches!(ty, Ty::Member(_))) {
                    self.same(&first, &second, left.span, right.span, "the other side");
                } else {
                    self.is_number(&first, left.span);
                    self.is_number(&second, right.span);
                }
                self.typed.unifier.truth()
            }
        }
    }

    /// Whether it is the name of a parameter of a type with any number of values.
    fn is_key(&self, expr: &'p Expr) -> bool {
        let ExprKind::Read(name) = &expr.kind else { return false };
        let known = self.locals.get(name.text.as_str());
        known.is_some_and(|it| self.typed.types.is_open_type(&self.typed.unifier.seen(&it.ty)))
    }

    /// Values of such types are in parameters alone, and arrays that are indexed by them are looked
    /// at element by element: so a request knows no more of them than its arguments.
    fn keys(&mut self, tree: &'p Program) {
        if tree.enumerations.iter().all(|it| !it.open) {
            return;
        }
        let typed = &self.typed;
        let settled = |ty: &Ty| typed.unifier.settled(ty);
        let mut wrong: Vec<Span> = Vec::new();
        let mut first_use = |name: &str, body: &'p Block| {
            let mut found = None;
            body.exprs.iter().for_each(|expr| mentioned(expr, name, &mut found));
            wrong.extend(found);
        };
        let functions = typed.functions.values();
        let functions = functions.map(|it| (&it.locals, &it.item.body));
        let all = typed.handlers.iter().zip(handlers(tree)).map(|(it, of)| (it, of.body));
        for (locals, body) in all.chain(functions) {
            for (name, local) in locals {
                let ty = settled(&local.ty);
                let is_free = local.kind != LocalKind::Parameter;
                if is_free && holds_keys(&typed.types, &ty) || spans_keys(&typed.types, &ty) {
                    first_use(name, body);
                }
            }
            for (name, global) in &typed.globals {
                if holds_keys(&typed.types, &settled(&global.ty)) {
                    first_use(name, body);
                }
            }
        }
        for request in &tree.requests {
            for of in tree.enumerations.iter().filter(|it| it.open) {
                let is = |it: &&ast::Parameter| matches!(&it.values.kind, TypeKind::Named(name) if name.text == of.name.text);
                if let Some(extra) = request.parameters.iter().filter(is).nth(KEYS - 1) {
                    let message = format!("more than {} parameters of one type", KEYS - 1);
                    error("too-many-keys", message, extra.span, "one more than can be looked at")
                        .with_help("write which values the type has: `type Row = 0..3`")
                        .report(self.checker);
                }
            }
        }
        for span in wrong {
            let diagnostic = self.typed.types.key_inside(span);
            diagnostic.report(self.checker);
        }
    }

    fn chosen(&mut self, values: &'p Type) -> Ty {
        if let TypeKind::Range(low, high) = &values.kind {
            self.checker.range_ends(low, high);
            return Ty::Int;
        }
        let Some(layout) = self.typed.types.layout(values, self.checker) else { return Ty::Int };
        if self.typed.types.values(&layout).is_none() {
            error(
                "malformed-choose",
                "`choose` needs few values",
                values.span,
                "too many, or none",
            )
            .with_help("for example `choose(0..2)`")
            .report(self.checker);
        }
        self.typed.types.erased(&layout)
    }

    /// The type of a member of an enumeration, if that is what the name stands for.
    fn member(&mut self, name: &Name) -> Option<Ty> {
        match self.typed.types.member(&name.text) {
            [] => None,
            [(enumeration, _)] => Some(Ty::Member(*enumeration)),
            several => {
                let of: Vec<usize> = several.iter().map(|(index, _)| *index).collect();
                let mut unifier = Unifier::default();
                let names: Vec<String> = of
                    .iter()
                    .map(|index| self.typed.types.name(&Ty::Member(*index), &unifier))
                    .collect();
                let help = names[0].rsplit(' ').next().unwrap_or_default().replace('`', "");
                name.error("ambiguous-member", format!("is {}", names.join(" and ")), "which one?")
                    .with_help(format!("write `{help}.{}`", name.text))
                    .report(self.checker);
                Some(unifier.fresh()).map(|_| self.typed.unifier.fresh())
            }
        }
    }

    fn read(&mut self, name: &'p Name) -> Ty {
        let text = name.text.as_str();
        if let Some(local) = self.locals.get(text) {
            if local.kind == LocalKind::Counter && !self.counters.contains(&text) {
                let ty = local.ty.clone();
                name.error("counter-outside-loop", "counts a loop", "read outside of the loop")
                    .with_help("keep what is needed behind it in another variable: `last := i`")
                    .report(self.checker);
                return ty;
            }
            return local.ty.clone();
        }
        if let Some(value) = self.checker.places.get(text).and_then(|_| self.constant(text)) {
            return value;
        }
        if let Some(ty) = self.member(name) {
            return ty;
        }
        if name.is_global() {
            return self.global(name);
        }
        if text == "done" && self.in_claim && self.has_processes() {
            return self.done(None, name.span);
        }
        if self.typed.functions.contains_key(text) {
            name.error("function-without-call", "is a function", "called without parentheses?")
                .with_fix("call it", name.span, format!("{text}()"))
                .report(self.checker);
            return self.typed.unifier.fresh();
        }
        if !self.assigned.contains(text) {
            if COMMANDS.contains(&text) {
                self.command(name);
                return self.typed.unifier.fresh();
            }
            if let Some((message, help)) = crate::parser::instead_of(text) {
                let diagnostic =
                    error("other-language", message, name.span, "not part of the language");
                let help = if help.is_empty() { &[][..] } else { &[help] };
                diagnostic.with_helps(help).report(self.checker);
                return self.typed.unifier.fresh();
            }
            let known = self.typed.types.all_members().chain(KEYWORDS);
            if let Some(meant) = self.checker.sink.closest(text, known) {
                name.error("undefined-name", "is never assigned", "not known here")
                    .meant(meant)
                    .report(self.checker);
                return self.typed.unifier.fresh();
            }
        }
        self.new_local(name)
    }

    fn command(&mut self, name: &Name) {
        let help = match name.text.as_str() {
            "wait" | "sleep" => {
                "other requests run where a handler says `yield`; to wait for a condition, write `while (!condition) { yield }`"
            }
            "skip" | "noop" | "print" => "to do nothing, write an empty block: `{ }`",
            "retry" | "restart" => "write a `loop`, and `continue` where it starts again",
            "rollback" => {
                "`abort` ends a request without a response that counts; it takes nothing back"
            }
            _ => "to end the request, write `return`",
        };
        name.error("command-as-variable", "is never assigned", "looks like a command")
            .with_help(help)
            .report(self.checker);
    }

    fn constant(&self, name: &str) -> Option<Ty> {
        self.checker
            .constant_value(name)
            .map(|value| self.typed.of.get(&std::ptr::from_ref(value)).cloned().unwrap_or(Ty::Int))
    }

    fn new_local(&mut self, name: &'p Name) -> Ty {
        let ty = self.typed.unifier.fresh();
        let local = Local { ty: ty.clone(), layout: None, kind: LocalKind::Variable };
        self.locals.insert(&name.text, local);
        ty
    }

    fn global(&mut self, name: &'p Name) -> Ty {
        if let Some(global) = self.typed.globals.get(name.text.as_str()) {
            if matches!(global.layout, Some(Layout::Queue(..))) {
                self.queue_as_variable(name);
                return self.typed.unifier.fresh();
            }
            return global.ty.clone();
        }
        let ty = self.typed.unifier.fresh();
        if self.has_processes() {
            self.undeclared(name);
        }
        let global = Global { ty: ty.clone(), layout: None, is_lock: false, declared: None };
        self.typed.globals.insert(&name.text, global);
        ty
    }

    /// The type of a variable that is assigned to.
    fn target(&mut self, name: &'p Name) -> Ty {
        let text = name.text.as_str();
        match self.locals.get(text) {
            Some(Local { kind: LocalKind::Parameter, .. }) => {
                self.checker.assigned_parameter(name);
                return self.locals[text].ty.clone();
            }
            Some(Local { kind: LocalKind::Counter, ty, .. }) => {
                let ty = ty.clone();
                name.error(
                    "assign-to-counter",
                    "counts a `for` and cannot be assigned",
                    "assigned here",
                )
                .with_help("use a `while` loop, or another variable")
                .report(self.checker);
                return ty;
            }
            Some(local) => return local.ty.clone(),
            None => {}
        }
        if self.checker.constants.contains(text) {
            self.checker.assigned_constant(name);
            return self.typed.unifier.fresh();
        }
        if name.is_global() {
            if self.typed.globals.get(text).is_some_and(|global| global.is_lock) {
                self.assigned_lock(name);
            }
            return self.global(name);
        }
        self.new_local(name)
    }

    fn assigned_lock(&mut self, name: &Name) {
        name.error("assign-to-lock", "is a lock and cannot be assigned", "assigned here")
            .with_help(format!("hold it while a block runs: `with {} {{ ... }}`", name.text))
            .report(self.checker);
    }

    /// The type of a place that is assigned to.
    fn place(&mut self, place: &'p Expr) -> Ty {
        let ty = match &place.kind {
            ExprKind::Read(name) => self.target(name),
            ExprKind::Tuple(parts) => {
                Ty::Tuple(parts.iter().map(|part| self.place(part)).collect())
            }
            ExprKind::Index(of, index) => {
                self.place(of);
                self.element(of, index)
            }
            ExprKind::Field(of, field) => {
                self.place(of);
                self.field(of, field)
            }
            _ => {
                error(
                    "not-assignable",
                    "only variables and their parts can be assigned to",
                    place.span,
                    "this is none",
                )
                .report(self.checker);
                self.typed.unifier.fresh()
            }
        };
        if !matches!(ty, Ty::Int) {
            self.typed.of.insert(place, ty.clone());
        }
        ty
    }

    fn field(&mut self, of: &'p Expr, field: &'p Name) -> Ty {
        if let ExprKind::Read(name) = &of.kind
            && let Some(enumeration) = self.typed.types.enumeration(&name.text)
        {
            let members = self.typed.types.members_of(enumeration);
            if !members.contains(&field.text) {
                let message = format!("`{}` has no member {field}", name.text);
                let diagnostic = error("undefined-member", message, field.span, "not known here");
                let known = members.iter().map(String::as_str);
                match self.checker.sink.closest(&field.text, known) {
                    Some(right) => diagnostic.meant(right),
                    None => {
                        diagnostic.with_help(format!("its members are: {}", members.join(", ")))
                    }
                }
                .report(self.checker);
            }
            return Ty::Member(enumeration);
        }
        let ty = self.expr(of, Use::Value);
        let ty = self.typed.unifier.seen(&ty);
        let Ty::Record(record) = ty else {
            if matches!(ty, Ty::Open(_)) && self.checker.sink.has_errors() {
                // Its declaration may be what is wrong.
                return ty;
            }
            let found = self.typed.types.name(&ty, &self.typed.unifier);
            let diagnostic =
                error("no-fields", "only records have fields", of.span, format!("this is {found}"));
            if matches!(ty, Ty::Open(_)) {
                diagnostic.with_help("say what it is before it is used: `var x: Order`")
            } else {
                diagnostic
            }
            .report(self.checker);
            return self.typed.unifier.fresh();
        };
        let fields = self.typed.types.fields(record);
        if let Some((_, layout)) = fields.iter().find(|(name, _)| *name == field.text) {
            return self.typed.types.erased(layout);
        }
        let of = self.typed.types.name(&Ty::Record(record), &self.typed.unifier);
        let message = format!("{of} has no field {field}");
        let diagnostic = error("undefined-field", message, field.span, "not known here");
        let known = fields.iter().map(|(name, _)| name.as_str());
        match self.checker.sink.closest(&field.text, known) {
            Some(right) => diagnostic.meant(right),
            None => {
                let fields: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                diagnostic.with_help(format!("its fields are: {}", fields.join(", ")))
            }
        }
        .report(self.checker);
        self.typed.unifier.fresh()
    }

    fn element(&mut self, of: &'p Expr, index: &'p Expr) -> Ty {
        let array = self.expr(of, Use::Value);
        let found = self.expr(index, Use::Value);
        let Ty::Array(space, elements) = self.typed.unifier.seen(&array) else {
            let array = self.typed.unifier.seen(&array);
            if matches!(array, Ty::Open(_)) && self.checker.sink.has_errors() {
                return array;
            }
            let name = self.typed.types.name(&array, &self.typed.unifier);
            let diagnostic = error(
                "not-an-array",
                "only arrays have elements",
                of.span,
                format!("this is {name}"),
            );
            match (&of.kind, matches!(array, Ty::Open(_))) {
                (ExprKind::Read(name), true) => {
                    diagnostic.with_help(format!("declare it: `var {}: [0..3] of int`", name.text))
                }
                _ => diagnostic,
            }
            .report(self.checker);
            return self.typed.unifier.fresh();
        };
        let wanted = self.typed.types.index_type(space);
        self.same(&wanted, &found, of.span, index.span, "the index of this array");
        (*elements).clone()
    }

    fn call(&mut self, name: &'p Name, arguments: &'p [Argument], span: Span, goal: Use) -> Ty {
        let text = name.text.as_str();
        if let Some(record) = self.typed.types.record(text) {
            self.constructor(record, name, arguments);
            return Ty::Record(record);
        }
        if text == "len" && self.has_processes() && !self.typed.functions.contains_key(text) {
            return self.length(arguments, span);
        }
        if text == "done" && self.has_processes() && !self.typed.functions.contains_key(text) {
            return self.done(Some(arguments), span);
        }
        for argument in arguments {
            if let Some(name) = &argument.name {
                name.error(
                    "named-argument",
                    "is no field of a record",
                    "arguments of functions have no names",
                )
                .report(self.checker);
            }
        }
        let found: Vec<(Ty, Span)> =
            arguments.iter().map(|it| (self.expr(&it.value, Use::Value), it.value.span)).collect();
        if matches!(text, "min" | "max") && !self.typed.functions.contains_key(text) {
            for (ty, at) in &found {
                self.same(&Ty::Int, ty, name.span, *at, "what is compared");
            }
            self.arity(name, span, 2, found.len());
            return Ty::Int;
        }
        let Some(function) = self.typed.functions.get(text) else {
            self.unknown_function(name);
            return self.typed.unifier.fresh();
        };
        let parameters = function.parameters.clone();
        let (result, state, item) = (function.result.clone(), function.state, function.item);
        self.arity(name, span, parameters.len(), found.len());
        if state == State::New {
            self.look_into(text);
        }
        for ((wanted, (found, at)), (parameter, _)) in
            parameters.iter().zip(&found).zip(&item.parameters)
        {
            self.same(wanted, found, parameter.span, *at, "the parameter");
        }
        if self.typed.functions.get(text).is_some_and(|it| it.state == State::Open) {
            let message = format!("the function {name} calls itself");
            error("recursion", message, name.span, "called here while it runs")
                .with_secondary(item.name.span, "the function")
                .with_help("functions are put in place where they are called; write a loop")
                .report(self.checker);
            return self.typed.unifier.fresh();
        }
        let _ = goal;
        result
    }

    fn arity(&mut self, name: &Name, span: Span, wanted: usize, found: usize) {
        if wanted != found {
            let wanted = crate::report::count_of(wanted, "argument");
            error(
                "wrong-arguments",
                format!("{name} takes {wanted}"),
                span,
                format!("{found} given"),
            )
            .report(self.checker);
        }
    }

    fn unknown_function(&mut self, name: &Name) {
        let text = name.text.as_str();
        let diagnostic = name.missing("undefined-function", "function", "not defined");
        let help = match text {
            "len" | "length" | "size" => "keep the number in a variable of its own",
            "lock" | "acquire" | "unlock" | "release" | "synchronized" => {
                "a lock is held for as long as a block runs: `lock L` at top level, `with L { ... }` in a request"
            }
            "wait" | "sleep" | "await" => {
                "other requests run where a handler says `yield`; to wait for a condition, write `while (!condition) { yield }`"
            }
            "print" | "printf" | "println" | "log" => {
                "what clients see is the response: the last value, or `return`"
            }
            "random" | "rand" | "randint" | "nondet" => "any value of a range is `choose(0..3)`",
            "range" => "a range is written `0..2`",
            "cas" | "compare_and_swap" | "CAS" => {
                "without a `yield` inside, `if (X == old) { X := new; true } else { false }` is one step"
            }
            "abs" => "write `if (x < 0) { -x } else { x }`",
            "assume" | "assert" => "",
            _ => {
                let known = self.typed.functions.keys().copied();
                let closest = self.checker.sink.closest(text, known);
                match closest {
                    Some(right) => diagnostic.meant(right),
                    None => diagnostic
                        .with_help(format!("define it at top level: `fn {text}(x) {{ ... }}`")),
                }
                .report(self.checker);
                return;
            }
        };
        diagnostic.with_help(help).report(self.checker);
    }

    fn constructor(&mut self, record: usize, name: &'p Name, arguments: &'p [Argument]) {
        let fields: Vec<(String, Ty)> = self
            .typed
            .types
            .fields(record)
            .iter()
            .map(|(name, layout)| (name.clone(), self.typed.types.erased(layout)))
            .collect();
        let mut given = BTreeSet::new();
        for (index, argument) in arguments.iter().enumerate() {
            let found = self.expr(&argument.value, Use::Value);
            let field = match &argument.name {
                Some(field) => fields.iter().position(|(name, _)| *name == field.text),
                None => (index < fields.len()).then_some(index),
            };
            match field {
                Some(field) if given.insert(field) => {
                    let wanted = fields[field].1.clone();
                    let what = format!("the field `{}`", fields[field].0);
                    self.same(&wanted, &found, name.span, argument.value.span, &what);
                }
                Some(_) => {
                    let span = argument.name.as_ref().map_or(argument.value.span, |n| n.span);
                    error("duplicate-field", "this field is given twice", span, "again here")
                        .report(self.checker);
                }
                None => {
                    let fields: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                    let span = argument.name.as_ref().map_or(argument.value.span, |n| n.span);
                    let message = format!("{name} has no such field");
                    error("undefined-field", message, span, "not known here")
                        .with_help(format!("its fields are: {}", fields.join(", ")))
                        .report(self.checker);
                }
            }
        }
    }

    /// Finds out what a function gives, unless that is known or being found out.
    fn look_into(&mut self, name: &str) {
        let Some(function) = self.typed.functions.get_mut(name) else { return };
        if function.state != State::New {
            return;
        }
        function.state = State::Open;
        let (item, parameters) = (function.item, function.parameters.clone());
        let result = function.result.clone();
        let goal = if function.is_used { Use::Result } else { Use::Nothing };
        let mut inner = Locals::new();
        for ((parameter, values), ty) in item.parameters.iter().zip(&parameters) {
            let layout = values.as_ref().and_then(|it| self.typed.types.layout(it, self.checker));
            if let Some(layout) = &layout {
                let wanted = self.typed.types.erased(layout);
                self.typed.unifier.unify(ty, &wanted, &self.typed.types);
            }
            if self.checker.shadows_constant(parameter, "parameter-shadows-constant", "a parameter")
            {
            } else if parameter.is_global() {
                parameter
                    .error(
                        "parameter-looks-global",
                        "has the name of a global variable",
                        "starts with an uppercase letter",
                    )
                    .with_help("a parameter is local, so its name starts with a lowercase letter")
                    .report(self.checker);
            } else if inner.contains_key(parameter.text.as_str()) {
                error(
                    "duplicate-parameter",
                    format!("two parameters are called {parameter}"),
                    parameter.span,
                    "again here",
                )
                .report(self.checker);
            }
            // What callers give may be changed, as in most languages: it is a copy.
            let local = Local { ty: ty.clone(), layout, kind: LocalKind::Variable };
            inner.insert(&parameter.text, local);
        }
        let outer = std::mem::replace(&mut self.locals, inner);
        let mut assigned = BTreeSet::new();
        assigned_names(&item.body, &mut assigned);
        let outer_assigned = std::mem::replace(&mut self.assigned, assigned);
        let outer_result = self.result.replace(result);
        let outer_loops = std::mem::take(&mut self.loops);
        let outer_counters = std::mem::take(&mut self.counters);
        let in_claim = std::mem::replace(&mut self.in_claim, false);
        let outer_parameters = self.checker.leave_parameters();
        let found = self.block(&item.body, goal);
        if let Some(values) = &item.result
            && let Some(layout) = self.typed.types.layout(values, self.checker)
        {
            let wanted = self.typed.types.erased(&layout);
            self.same(&wanted, &found, values.span, item.body.span, "what is declared");
        }
        self.checker.back_to_parameters(outer_parameters);
        self.loops = outer_loops;
        self.counters = outer_counters;
        self.in_claim = in_claim;
        self.result = outer_result;
        self.assigned = outer_assigned;
        let inner = std::mem::replace(&mut self.locals, outer);
        if let Some(function) = self.typed.functions.get_mut(name) {
            function.locals = inner;
            function.state = State::Known;
        }
    }

    /// `var name: type = value` in a handler.
    fn local(&mut self, item: &'p ast::Variable) -> Ty {
        let name = &item.name;
        let layout = match &item.declared {
            Declared::Var(Some(values)) => self.typed.types.layout(values, self.checker),
            _ => None,
        };
        let found = item.value.as_ref().map(|value| (self.expr(value, Use::Value), value.span));
        if name.is_global() {
            let (all, one) = match self.has_processes() {
                true => ("processes", "process"),
                false => ("requests", "request"),
            };
            let message = format!("would be shared by all {all}");
            name.error("global-in-request", message, "starts with an uppercase letter")
                .with_help(format!("a variable of this {one} starts with a lowercase letter; one that all share is declared at top level"))
                .report(self.checker);
        } else if self.checker.shadows_constant(name, "name-clash", "a variable") {
        } else if self.locals.contains_key(name.text.as_str()) {
            name.error("declared-late", "is declared behind its first use", "declared here")
                .with_help("declare it once, before it is used")
                .report(self.checker);
        }
        let ty = match &layout {
            Some(layout) => self.typed.types.erased(layout),
            None => self.typed.unifier.fresh(),
        };
        if let Some((found, span)) = found {
            let mut wanted = ty.clone();
            while let Ty::Array(_, elements) = &wanted
                && !matches!(self.typed.unifier.seen(&found), Ty::Array(..))
            {
                wanted = self.typed.unifier.seen(elements);
            }
            self.same(&wanted, &found, name.span, span, "the variable");
        }
        let local = Local { ty: ty.clone(), layout, kind: LocalKind::Variable };
        self.locals.insert(&name.text, local);
        ty
    }

    /// The variable of a `for`.
    fn counter(&mut self, name: &'p Name, values: &'p Type) {
        let ty = match &values.kind {
            TypeKind::Range(low, high) => {
                self.number(low);
                self.number(high);
                let ends = [low, high].map(|end| self.checker.constants.value(end).ok());
                if let [Some(first), Some(last)] = ends
                    && first > last
                {
                    self.checker.bounds(low, high, u64::MAX);
                }
                Ty::Int
            }
            TypeKind::Named(array) if self.typed.globals.contains_key(array.text.as_str()) => {
                let text = &array.text;
                error("malformed-for", format!("`{text}` is a variable"), values.span, "no type")
                    .with_help(format!("go over its indices: `for i in 0..2 {{ {text}[i] }}`"))
                    .report(self.checker);
                self.typed.unifier.fresh()
            }
            _ => match self.typed.types.layout(values, self.checker) {
                None => self.typed.unifier.fresh(),
                Some(layout) => {
                    if self.typed.types.values(&layout).is_none() {
                        error(
                            "malformed-for",
                            "`for` needs a range, or a type with few values",
                            values.span,
                            "too many values, or none",
                        )
                        .with_help("a loop over 0, 1 and 2 is `for i in 0..2 { ... }`")
                        .report(self.checker);
                    }
                    self.typed.types.erased(&layout)
                }
            },
        };
        if name.is_global() {
            let all = if self.has_processes() { "processes" } else { "requests" };
            name.error(
                "global-in-request",
                format!("would be shared by all {all}"),
                "starts with an uppercase letter",
            )
            .with_help("the variable of a `for` is local, so it starts with a lowercase letter")
            .report(self.checker);
        }
        if self.checker.shadows_constant(name, "name-clash", "a variable") {
            return;
        }
        if name.text != "_" && self.counters.contains(&name.text.as_str()) {
            let message = "counts a `for` around this one, too";
            name.error("assign-to-counter", message, "needs a name of its own")
                .report(self.checker);
            return;
        }
        match self.locals.get(name.text.as_str()).cloned() {
            Some(Local { kind: LocalKind::Counter, ty: before, .. }) => {
                self.same(&before, &ty, name.span, values.span, "in another loop, this variable");
            }
            Some(_) => {
                name.error("name-clash", "is a variable already", "counts a loop here")
                    .with_help("choose another name for the variable of the `for`")
                    .report(self.checker);
            }
            None => {
                let local = Local { ty, layout: None, kind: LocalKind::Counter };
                self.locals.insert(&name.text, local);
            }
        }
    }

    fn lock(&mut self, lock: &'p Expr) {
        let name = match &lock.kind {
            ExprKind::Read(name) => Some(name),
            ExprKind::Index(of, index) => match &of.kind {
                ExprKind::Read(name) => {
                    if self.typed.globals.get(name.text.as_str()).is_some_and(|it| it.is_lock) {
                        self.element(of, index);
                    }
                    Some(name)
                }
                _ => None,
            },
            _ => None,
        };
        let Some(name) = name else {
            error("not-a-lock", "this is not a lock", lock.span, "expected the name of a lock")
                .report(self.checker);
            return;
        };
        match self.typed.globals.get(name.text.as_str()) {
            Some(global) if global.is_lock => {
                let is_array = matches!(global.layout, Some(Layout::Array(..)));
                if is_array && matches!(lock.kind, ExprKind::Read(_)) {
                    name.error("not-a-lock", "is many locks", "which one?")
                        .with_help(format!("write `with {}[i] {{ ... }}`", name.text))
                        .report(self.checker);
                }
            }
            _ => {
                let known = self.typed.globals.iter().filter(|(_, it)| it.is_lock);
                let known: Vec<&str> = known.map(|(name, _)| *name).collect();
                let diagnostic = name.missing("not-a-lock", "lock", "not declared");
                match self.checker.sink.closest(&name.text, known.into_iter()) {
                    Some(right) => diagnostic.meant(right),
                    None => diagnostic
                        .with_help(format!("declare it at top level: `lock {}`", name.text)),
                }
                .report(self.checker);
            }
        }
    }

    fn cases(&mut self, expr: &'p Expr, value: &'p Expr, arms: &'p [ast::Arm], goal: Use) -> Ty {
        let ty = self.expr(value, Use::Value);
        if arms.is_empty() {
            error("empty-match", "this `match` has no cases", expr.span, "expected a case")
                .report(self.checker);
            return self.typed.unifier.fresh();
        }
        let mut rest: Option<Span> = None;
        for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
            if let Some(rest) = rest {
                let span = match pattern {
                    Pattern::Value(value) => value.span,
                    Pattern::Range(low, high) => low.span.to(high.span),
                    Pattern::Anything(span) => *span,
                };
                error(
                    "unreachable-case",
                    "this case is never reached",
                    span,
                    "everything is covered before",
                )
                .with_secondary(rest, "this covers everything")
                .report(self.checker);
            }
            match pattern {
                Pattern::Value(pattern) => {
                    let found = self.expr(pattern, Use::Value);
                    self.same(&ty, &found, value.span, pattern.span, "what is compared");
                    self.checker.value(pattern);
                }
                Pattern::Range(low, high) => {
                    self.number(low);
                    self.number(high);
                    self.same(&ty, &Ty::Int, value.span, low.span, "what is compared");
                    self.checker.bounds(low, high, u64::MAX);
                }
                Pattern::Anything(span) => rest = Some(*span),
            }
        }
        let ty = self.typed.unifier.seen(&ty);
        if matches!(ty, Ty::Record(_) | Ty::Array(..) | Ty::Tuple(_)) {
            let found = self.typed.types.name(&ty, &self.typed.unifier);
            error(
                "type-mismatch",
                format!("`match` cannot look at {found}"),
                value.span,
                format!("this is {found}"),
            )
            .with_help("look at one of its parts")
            .report(self.checker);
        } else if rest.is_none() && !self.checker.sink.has_errors() {
            self.all_covered(expr, &ty, arms);
        }
        let branches = arms.iter().map(|arm| (self.expr(&arm.body, goal), arm.body.span)).collect();
        self.join(branches, goal)
    }

    fn all_covered(&mut self, expr: &'p Expr, ty: &Ty, arms: &'p [ast::Arm]) {
        let mut covered = BTreeSet::new();
        for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
            if let Pattern::Value(value) = pattern {
                covered.extend(self.checker.value(value));
            }
        }
        let names: Vec<String> = match ty {
            Ty::Bool => vec!["false".to_owned(), "true".to_owned()],
            Ty::Member(index) => self.typed.types.members_of(*index).to_vec(),
            _ => Vec::new(),
        };
        let missing: Vec<&str> = names
            .iter()
            .enumerate()
            .filter(|(at, _)| !covered.contains(&(*at as i64)))
            .map(|(_, name)| name.as_str())
            .collect();
        if names.is_empty() || !missing.is_empty() {
            let label = match missing.is_empty() {
                true => "other numbers are not covered".to_owned(),
                false => format!("not covered: {}", missing.join(", ")),
            };
            error("missing-case", "this `match` does not cover everything", expr.span, label)
                .with_help("everything else is `_ => ...`")
                .report(self.checker);
        }
    }
}
