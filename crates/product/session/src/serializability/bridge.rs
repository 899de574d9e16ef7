//! From a program whose states have no end to a file for `ser prove`.
//!
//! `ser check` lists states; where a variable grows forever, it has to refuse. `ser prove` does not
//! list states: it proves that something always holds. This writes a model in which a thread
//! is a client that sends one request after the other: each handler is a function, and what
//! happens from one `yield` to the next is one step.
//!
//! What the file allows, and the program does not: waiting (`while (c) { yield }`) is a step of its
//! own, iterations of loops without `yield` end with a yield point, and products of variables are
//! any numbers; the file says where. So what is proved of the file holds for the program, at every
//! `yield`; a run that violates an invariant may be one that only the file has. Numbers have no
//! bounds in the file.
//!
//! - `lower`: expressions with effects become statements in a row; `term`, `names`: what they are
//!   made of;
//! - `steps`: these are divided at yield points; `print`: the text; `proposals`: invariants to
//!   begin with.
//!
//! ```
//! let text = "request draw { mine := Next; Next := mine + 1; mine }";
//! let start = ser_session::serializability::bridge::start_proof("draw.ser", text)?;
//! assert!(start.contains("var Next: int = 0\n"));
//! assert!(!ser_syntax::inv::parse(&start).has_errors());
//! # Ok::<(), ser_session::serializability::bridge::NoStart>(())
//! ```

mod lower;
mod names;
mod print;
mod proposals;
mod steps;
mod term;

use lower::{Action, Item, Lowering};
use names::Names;
use print::{Pause, Printer, Used, pick};
use proposals::Proposals;
use ser_syntax::core::{BinaryOp, Expr, ExprKind, Name, Program, Request};
use ser_syntax::{Line, LineIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use steps::{Division, TooLarge};
use term::{Term, Variable};

/// Why there is no file to start from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoStart {
    /// The program has errors.
    #[error("the program has errors")]
    Errors,
    /// The program uses what models of threads do not have.
    #[error("{what} cannot be written down for `ser prove` yet")]
    Beyond { what: &'static str },
    /// Steps that go through many branches and loops are written out for each of them.
    #[error("`{request}` (line {line}) has too many ways from one `yield` to the next")]
    TooLarge {
        request: String,
        /// Where it stands.
        line: Line,
    },
    /// What was written is no valid model, for example because it is nested too deeply.
    #[error("what comes out is too large or too deep for `ser prove`")]
    TooDeep,
}

/// A file for `ser prove` that does what the program does, with hints what to add. It has no
/// errors.
pub fn start_proof(name: &str, text: &str) -> Result<String, NoStart> {
    let parse = ser_syntax::parse(text);
    if parse.has_errors() {
        return Err(NoStart::Errors);
    }
    if let Some(what) = beyond(&parse.program) {
        return Err(NoStart::Beyond { what });
    }
    let lines = LineIndex::new(text);
    let bridge = Bridge::new(&parse.program, &lines);
    let written = bridge.file(name)?;
    match ser_editing::format(&written) {
        Ok(formatted) => Ok(formatted),
        Err(_) => Err(NoStart::TooDeep),
    }
}

/// What a program has and models of threads do not.
fn beyond(program: &Program) -> Option<&'static str> {
    fn inside(expr: &Expr) -> Option<&'static str> {
        let mut found = match &expr.kind {
            ExprKind::Labelled(..) => Some("loops and functions that are left early"),
            ExprKind::Fail(_) => Some("assertions, ranges and indices that may fail"),
            ExprKind::Return(response) if response.parts.len() != 1 => {
                Some("responses of several values")
            }
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => Some("division"),
            ExprKind::Read(name) | ExprKind::Assign(name, _) if name.text.contains(['.', '[']) => {
                Some("arrays, records, tuples and functions")
            }
            _ => None,
        };
        expr.for_each_child(&mut |child| found = found.or_else(|| inside(child)));
        found
    }
    program.requests.iter().flat_map(|request| &request.body.exprs).find_map(inside)
}

struct Bridge<'p> {
    program: &'p Program,
    lines: &'p LineIndex,
    /// Globals of the program and what they are called in the file.
    globals: BTreeMap<String, String>,
    /// Names of everything that the whole file knows.
    names: Names,
    /// For each request, the name of its procedure.
    procedures: Vec<String>,
}

/// A request, written.
struct Written {
    text: String,
    notes: Vec<String>,
    /// With the name of the procedure.
    pauses: Vec<Pause>,
}

impl<'p> Bridge<'p> {
    fn new(program: &'p Program, lines: &'p LineIndex) -> Bridge<'p> {
        let mut names = Names::default();
        let mut globals = BTreeMap::new();
        let mut add = |name: &Name| {
            if name.is_global() {
                globals.entry(name.text.clone()).or_insert_with(|| names.fresh(&name.text));
            }
        };
        program.globals.iter().for_each(|it| add(&it.name));
        for request in &program.requests {
            request.body.exprs.iter().for_each(|expr| each_name(expr, &mut add));
        }
        let procedures =
            program.requests.iter().map(|it| names.fresh_function(&it.name.text)).collect();
        Bridge { program, lines, globals, names, procedures }
    }

    fn file(&self, name: &str) -> Result<String, NoStart> {
        let requests = self.program.requests.iter().zip(&self.procedures);
        let written: Vec<Written> = requests
            .map(|(request, procedure)| self.request(request, procedure))
            .collect::<Result<_, _>>()?;
        let notes: Vec<&String> = written.iter().flat_map(|it| &it.notes).collect();
        let mut out = header(name, &notes);
        let mut initial: BTreeMap<&str, i64> = BTreeMap::new();
        for item in &self.program.globals {
            initial.insert(&item.name.text, item.first);
        }
        for (global, called) in &self.globals {
            let value = initial.get(global.as_str()).copied().unwrap_or(0);
            let _ = writeln!(out, "var {called}: int = {value}");
        }
        out.push('\n');
        self.thread(&mut out);
        for request in &written {
            out.push('\n');
            out.push_str(&request.text);
        }
        self.examples(&written, &mut out);
        Ok(out)
    }

    /// A client that sends one request after the other.
    fn thread(&self, out: &mut String) {
        let mut names = self.names.clone();
        let mut locals = Vec::new();
        let mut branches = Vec::new();
        for (request, procedure) in self.program.requests.iter().zip(&self.procedures) {
            let mut branch = String::new();
            let mut arguments = Vec::new();
            for parameter in &request.parameters {
                let local = names.fresh(&format!("{procedure}_{}", parameter.name.text));
                let _ = writeln!(branch, "{};", pick(&local, parameter.low, parameter.high));
                locals.push(local.clone());
                arguments.push(local);
            }
            let _ = writeln!(branch, "{procedure}({});", arguments.join(", "));
            branches.push(branch);
        }
        out.push_str("// A client: any request, again and again.\nset Threads\nprocess thread for self in Threads {\n");
        for local in locals {
            let _ = writeln!(out, "var {local}: int = 0;");
        }
        out.push_str("loop {\n");
        match branches.as_slice() {
            [branch] => out.push_str(branch),
            _ => {
                let _ = writeln!(out, "choose {{\n{}}}", branches.join("} or {\n"));
            }
        }
        out.push_str("}\n}\n");
    }

    fn request(&self, request: &Request, procedure: &str) -> Result<Written, NoStart> {
        let mut names = self.names.clone();
        let mut locals = BTreeMap::new();
        let mut parameters = BTreeSet::new();
        let mut header = Vec::new();
        for parameter in &request.parameters {
            let name = names.fresh(&parameter.name.text);
            header.push(format!("{name}: int"));
            parameters.insert(name.clone());
            locals.insert(parameter.name.text.clone(), Variable { name, shared: false });
        }
        // Variables of the request keep their names; others give way.
        let mut add = |name: &Name| {
            let text = &name.text;
            let known = locals.contains_key(text) || self.globals.contains_key(text);
            if !known {
                let variable = Variable { name: names.fresh(text), shared: false };
                locals.insert(text.clone(), variable);
            }
        };
        request.body.exprs.iter().for_each(|expr| each_name(expr, &mut add));
        let own: Vec<String> = locals.values().map(|it| it.name.clone()).collect();
        let result = Variable { name: names.fresh("result"), shared: false };
        let mut lowering = Lowering {
            globals: &self.globals,
            lines: self.lines,
            locals,
            result: result.clone(),
            names,
            notes: Vec::new(),
        };
        let mut items = lowering.request(request);
        if always_zero(&items, &result) {
            without(&mut items, &result);
        }
        let mut reset: Vec<Item> = Vec::new();
        for name in own.into_iter().filter(|name| !parameters.contains(name)) {
            if !is_set_first(&items, &name) {
                let variable = Variable { name, shared: false };
                reset.push(Item::Do(Action::Assign(variable, Term::Number(0))));
            }
        }
        reset.extend(items);
        let line = self.lines.line(request.span.start);
        let (first, mut rest) = Division::of(&reset).map_err(|TooLarge| {
            let request = request.name.text.clone();
            NoStart::TooLarge { request, line: line.clone() }
        })?;
        if rest.last() == Some(&steps::Stmt::Return) {
            rest.pop();
        }
        let used = Used::of(&first, &rest, &parameters);
        let mut printer = Printer::default();
        let _ = writeln!(
            printer.out,
            "// request {} (line {line})\nfn {procedure}({}) {{",
            request.name.text,
            header.join(", ")
        );
        for (names, declared) in [(used.numbers, "int = 0"), (used.flags, "bool = false")] {
            for name in names {
                let _ = writeln!(printer.out, "var {name}: {declared};");
            }
        }
        printer.start(&first);
        printer.stmts(&rest);
        printer.out.push_str("}\n");
        let pauses = printer.pauses.into_iter().map(|pause| {
            let name = format!("{procedure}.{}", pause.name);
            Pause { name, ..pause }
        });
        let pauses = pauses.collect();
        Ok(Written { text: printer.out, notes: lowering.notes, pauses })
    }

    /// Invariants to start from, as comments.
    fn examples(&self, written: &[Written], out: &mut String) {
        let globals = self.globals.values().map(String::as_str);
        let pauses = written.iter().map(|it| it.pauses.as_slice());
        let proposals = Proposals::new(&self.names, globals, pauses).that_may_hold(out);
        out.push_str("\n// What always holds? Remove `//`, change it, and run `ser prove` on this file; `--infer` looks for\n");
        out.push_str("// whatever else a proof needs.\n");
        if !proposals.is_empty() {
            out.push_str("// Two clients do not violate these in their first steps; that is all that is known of them.\n");
        }
        for proposal in proposals {
            let _ = writeln!(out, "// {proposal}");
        }
    }
}

fn header(name: &str, notes: &[&String]) -> String {
    let shown: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut out = format!(
        "// Made from {shown} by `ser check --start-proof`.\n//\n\
         // A thread is a client that sends requests, one after the other; any number of threads run. A step goes from one\n\
         // `yield` to the next; a step that begins at a yield point is called `line_N` after the line of the `yield`. What\n\
         // is proved here holds for the program at every `yield`. `while (c) {{ yield }}` has become `await !c`, which may\n\
         // begin with a yield point of its own, and numbers are unbounded.\n"
    );
    if !notes.is_empty() {
        out.push_str("//\n// Where this file allows more than the program does:\n");
        let mut told = BTreeSet::new();
        for note in notes {
            if told.insert(note) {
                let _ = writeln!(out, "// - {note}");
            }
        }
    }
    out.push('\n');
    out
}

/// Hands over all names of variables in an expression.
fn each_name(expr: &Expr, each: &mut dyn FnMut(&Name)) {
    if let ExprKind::Read(name) | ExprKind::Assign(name, _) = &expr.kind {
        each(name);
    }
    expr.for_each_child(&mut |child| each_name(child, each));
}

/// Whether the response is 0, always.
fn always_zero(items: &[Item], result: &Variable) -> bool {
    let action = |action: &Action| match action {
        Action::Assign(variable, value) => variable != result || *value == Term::Number(0),
        Action::Pick(variable, ..) | Action::Any(variable) => variable != result,
        _ => true,
    };
    items.iter().all(|item| match item {
        Item::Do(it) => action(it),
        Item::If(_, _, yes, no) => always_zero(yes, result) && always_zero(no, result),
        Item::While(_, body, _) => always_zero(body, result),
        Item::Wait(..) | Item::Yield(_) | Item::Return => true,
    })
}

/// Leaves out assignments to a dead variable.
fn without(items: &mut Vec<Item>, result: &Variable) {
    items.retain_mut(|item| match item {
        Item::Do(Action::Assign(variable, _)) => variable != result,
        Item::If(_, _, yes, no) => {
            without(yes, result);
            without(no, result);
            true
        }
        Item::While(_, body, _) => {
            without(body, result);
            true
        }
        _ => true,
    });
}

/// Whether a variable is assigned before it can be read, judged by what always comes first.
fn is_set_first(items: &[Item], name: &str) -> bool {
    let reads = |term: &Term| {
        let mut found = false;
        term.for_each_read(&mut |it| found |= it == name);
        found
    };
    for item in items {
        match item {
            Item::Do(Action::Assign(variable, value)) => {
                if reads(value) {
                    return false;
                }
                if variable.name == name {
                    return true;
                }
            }
            Item::Do(Action::Pick(variable, ..) | Action::Any(variable)) => {
                if variable.name == name {
                    return true;
                }
            }
            Item::Do(Action::Flag(_, value) | Action::Await(value)) | Item::Wait(value, _) => {
                if reads(value) {
                    return false;
                }
            }
            // It may be read in there.
            Item::Do(Action::If(..) | Action::Back(_)) | Item::If(..) | Item::While(..) => {
                return false;
            }
            Item::Yield(_) => {}
            Item::Return => return true,
        }
    }
    // It is never read.
    true
}
