//! Sequential programs for people: as a tree of lines, and as text.
//!
//! One assignment a line, `process.variable := value`; members of sets have the name that they give
//! themselves; a loop variable is shown as what it stands for; fields of one message that are taken
//! apart together are one line (`Job(w.i) := w.work`).

use crate::names::Names;
use ser_sequentialization_checker::sequential::{Place, Sequential, Term};
use ser_sequentialization_checker::{Slot, Symbol};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ConstructorId, Expr, ExprKind, MessageId, Operator, StmtId};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// For readers.
    #[default]
    Readable,
    /// Loop variables are shown like all others.
    Raw,
}

/// A line of a sequential program, or one with blocks below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A line without blocks.
    Line {
        /// What it is: `assign`, `any`, `pick`, `assert`, `put`, `take`.
        kind: &'static str,
        /// As text, without `;`.
        text: String,
        /// The statement of the protocol that it comes from.
        from: Option<StmtId>,
    },
    /// `if ... { ... } else { ... }`.
    If {
        /// The condition, or `?`.
        condition: String,
        /// If it holds.
        then: Vec<Node>,
        /// If not.
        otherwise: Vec<Node>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// `match ... { ... }`.
    Match {
        /// What is looked at.
        subject: String,
        /// Patterns with what is done.
        cases: Vec<(String, Vec<Node>)>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// `for ... in ... { ... }`.
    For {
        /// The name of the member or index; `_` if nobody uses it.
        variable: String,
        set: String,
        body: Vec<Node>,
    },
}

/// The sequential program as a tree.
pub fn nodes(protocol: &Protocol, program: &[Sequential], style: Style) -> Vec<Node> {
    let mut printer = Printer { names: Names::new(protocol, program), style };
    printer.block(program)
}

/// The sequential program as text: `ser_sequentialization_search::text_of(&nodes(...), &unproved)`.
/// Assertions that are in `unproved` are marked.
///
/// ```
/// use ser_sequentialization_search::{Options, Style, nodes, sequentialize, text_of};
/// let text = "
///     set Q; msg Ping = Ping(pid); msg Pong = Pong;
///     process p { for x in Q { send Ping(p) to x; w := recv Pong from x; } }
///     process server for q in Q { Ping(back) := recv Ping; send Pong to back; }
/// ";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let limits = ser_base::Limits::default();
/// let answer = sequentialize(text, &protocol, &Options::default(), &limits);
/// let nodes = nodes(&protocol, &answer.simplified, Style::Readable);
/// let text = text_of(&nodes, &Default::default());
/// assert_eq!(text, "for q in Q {\n    q.back := p;\n    p.w := Pong;\n}\n");
/// ```
pub fn text_of(nodes: &[Node], unproved: &BTreeSet<StmtId>) -> String {
    let mut out = String::new();
    write_block(&mut out, nodes, unproved, 0);
    out
}

fn write_block(out: &mut String, nodes: &[Node], unproved: &BTreeSet<StmtId>, depth: usize) {
    let indent = "    ".repeat(depth);
    for node in nodes {
        match node {
            Node::Line { text, from, kind } => {
                let open = *kind == "assert" && from.is_some_and(|from| unproved.contains(&from));
                let note = if open { " // not proved" } else { "" };
                let _ = writeln!(out, "{indent}{text};{note}");
            }
            Node::If { .. } => {
                let _ = write!(out, "{indent}");
                write_if(out, node, unproved, depth);
            }
            Node::Match { subject, cases, .. } => {
                let _ = writeln!(out, "{indent}match {subject} {{");
                for (pattern, body) in cases {
                    if body.is_empty() {
                        let _ = writeln!(out, "{indent}    {pattern} => {{}}");
                        continue;
                    }
                    let _ = writeln!(out, "{indent}    {pattern} => {{");
                    write_block(out, body, unproved, depth + 2);
                    let _ = writeln!(out, "{indent}    }}");
                }
                let _ = writeln!(out, "{indent}}}");
            }
            Node::For { variable, set, body } => {
                let _ = writeln!(out, "{indent}for {variable} in {set} {{");
                write_block(out, body, unproved, depth + 1);
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }
}

/// An `if` whose first line is begun already.
fn write_if(out: &mut String, node: &Node, unproved: &BTreeSet<StmtId>, depth: usize) {
    let indent = "    ".repeat(depth);
    let Node::If { condition, then, otherwise, .. } = node else { return };
    let _ = writeln!(out, "if {condition} {{");
    write_block(out, then, unproved, depth + 1);
    match otherwise.as_slice() {
        [] => {
            let _ = writeln!(out, "{indent}}}");
        }
        [chained @ Node::If { .. }] => {
            let _ = write!(out, "{indent}}} else ");
            write_if(out, chained, unproved, depth);
        }
        _ => {
            let _ = writeln!(out, "{indent}}} else {{");
            write_block(out, otherwise, unproved, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        }
    }
}

struct Printer<'p> {
    names: Names<'p>,
    style: Style,
}

/// What is done with one field of a message: the place, and the number of the field.
type Kept = (Place, u32);

impl Printer<'_> {
    fn block(&mut self, mut stmts: &[Sequential]) -> Vec<Node> {
        let mut block = Vec::new();
        let mut bound: Vec<Symbol> = Vec::new();
        while let Some((first, rest)) = stmts.split_first() {
            stmts = rest;
            if let Sequential::Pick { symbol, .. } = first {
                bound.push(*symbol);
            }
            match first {
                Sequential::Assign {
                    place: Place::Variable(who, variable),
                    value: Term::Symbol(symbol),
                    ..
                } if self.style == Style::Readable
                    && self.names.loop_variable(*who, *variable).is_some() =>
                {
                    self.names.stand_for(*who, *variable, *symbol);
                }
                Sequential::Assign { value: Term::Field(inner, constructor, _), from, .. } => {
                    let (kept, rest) =
                        fields(inner, *constructor, std::slice::from_ref(first), rest);
                    let pattern = self.pattern(inner, *constructor, &kept);
                    let text = format!("{pattern} := {}", self.term(inner));
                    block.push(Node::Line { kind: "assign", text, from: Some(*from) });
                    stmts = rest;
                }
                Sequential::Take { bag, place } => {
                    let (target, from, rest) = self.taken(*place, rest);
                    let text = format!("take {target} from {}", self.names.bag(*bag));
                    block.push(Node::Line { kind: "take", text, from });
                    stmts = rest;
                }
                _ => block.push(self.stmt(first)),
            }
        }
        bound.into_iter().for_each(|symbol| self.names.leave(symbol));
        block
    }

    fn stmt(&mut self, stmt: &Sequential) -> Node {
        let line = |kind, text, from| Node::Line { kind, text, from };
        match stmt {
            Sequential::Assign { place, value, from } => {
                let text = format!("{} := {}", self.names.place(*place), self.term(value));
                line("assign", text, Some(*from))
            }
            Sequential::Any { who, variable, from } => {
                let place = self.names.place(Place::Variable(*who, *variable));
                let ty = self.names.type_of(*who, *variable);
                line("any", format!("{place} := choose({ty})"), Some(*from))
            }
            Sequential::Pick { symbol, set } => {
                let name = self.names.enter(*symbol, *set);
                let set = &self.names.protocol.set(*set).name.text;
                line("pick", format!("{name} := choose({set})"), None)
            }
            Sequential::If { who, condition, then, otherwise, from } => {
                let flipped = then.is_empty() && !otherwise.is_empty();
                let condition = match condition {
                    None => "?".to_owned(),
                    Some(it) if flipped => format!("!{}", self.expr(*who, it, UNARY)),
                    Some(it) => self.expr(*who, it, 0),
                };
                let (then, otherwise) = if flipped { (otherwise, then) } else { (then, otherwise) };
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                Node::If { condition, then, otherwise, from: *from }
            }
            Sequential::Match { who, variable, cases, from, .. } => {
                let place = Place::Variable(*who, *variable);
                let subject = self.names.place(place);
                let mut arms = Vec::new();
                for (constructor, body) in cases {
                    let term = Term::Place(place);
                    let (kept, body) = fields(&term, *constructor, &[], body);
                    let pattern = self.pattern(&term, *constructor, &kept);
                    arms.push((pattern, self.block(body)));
                }
                Node::Match { subject, cases: arms, from: *from }
            }
            Sequential::For { symbol, set, body } => {
                let name = self.names.enter(*symbol, *set);
                let body = self.block(body);
                self.names.leave(*symbol);
                let used = self.names.reads.symbols.contains(symbol);
                let variable = if used { name } else { "_".to_owned() };
                let set = self.names.protocol.set(*set).name.text.clone();
                Node::For { variable, set, body }
            }
            Sequential::Assert { who, condition, from, .. } => {
                let text = match condition {
                    Some(condition) => format!("assert {}", self.expr(*who, condition, 0)),
                    None => "assert false".to_owned(),
                };
                line("assert", text, Some(*from))
            }
            Sequential::Put { bag, value } => {
                let text = format!("put {} into {}", self.term(value), self.names.bag(*bag));
                line("put", text, None)
            }
            Sequential::Take { bag, place } => {
                let text =
                    format!("take {} from {}", self.names.place(*place), self.names.bag(*bag));
                line("take", text, None)
            }
        }
    }

    /// Where a message that is taken from a bag goes, by the statements behind it, and what is left
    /// of them.
    fn taken<'s>(
        &self,
        place: Place,
        rest: &'s [Sequential],
    ) -> (String, Option<StmtId>, &'s [Sequential]) {
        let nowhere = (self.names.place(place), None, rest);
        let Place::Ghost(_, ghost) = place else { return nowhere };
        let reads = self.names.reads.ghosts.get(&ghost).copied().unwrap_or(0);
        let message = Term::Place(place);
        match rest.split_first() {
            Some((Sequential::Assign { place, value, from }, rest))
                if *value == message && reads == 1 =>
            {
                (self.names.place(*place), Some(*from), rest)
            }
            Some((Sequential::Assign { value: Term::Field(_, constructor, _), from, .. }, _)) => {
                let (kept, behind) = fields(&message, *constructor, &[], rest);
                if kept.is_empty() || kept.len() != reads {
                    return nowhere;
                }
                (self.pattern(&message, *constructor, &kept), Some(*from), behind)
            }
            _ => nowhere,
        }
    }

    /// `Job(w.i, _)`.
    fn pattern(&self, message: &Term, constructor: ConstructorId, kept: &[Kept]) -> String {
        let name = self.names.constructor(message, constructor.0).unwrap_or("message");
        let count = self.names.fields(message, constructor.0);
        if count == 0 {
            return name.to_owned();
        }
        let field = |number: usize| {
            let found = kept.iter().find(|(_, it)| *it as usize == number);
            found.map_or_else(|| "_".to_owned(), |(place, _)| self.names.place(*place))
        };
        let fields: Vec<String> = (0..count).map(field).collect();
        format!("{name}({})", fields.join(", "))
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Expr(who, expr) => self.expr(*who, expr, 0),
            Term::Place(place) => self.names.place(*place),
            Term::Symbol(symbol) => self.names.symbol(*symbol),
            Term::Field(inner, constructor, field) => {
                let name = self.names.constructor(inner, constructor.0).unwrap_or("message");
                format!("{}.{name}.{field}", self.term(inner))
            }
        }
    }

    /// The expression, in parentheses if it binds less than `least`.
    fn expr(&self, who: Slot, expr: &Expr, least: u8) -> String {
        let protocol = self.names.protocol;
        match &expr.kind {
            ExprKind::Int(number) => number.to_string(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Enum(id, value) => {
                let values = protocol.enums.get(id.0 as usize).map(|it| it.values.as_slice());
                let name = values.unwrap_or_default().get(*value as usize);
                name.map_or_else(|| "?".to_owned(), |it| it.text.clone())
            }
            ExprKind::Message(message, constructor, fields) => {
                let name = constructor_name(protocol, *message, *constructor);
                if fields.is_empty() {
                    return name.to_owned();
                }
                let fields: Vec<String> = fields.iter().map(|it| self.expr(who, it, 0)).collect();
                format!("{name}({})", fields.join(", "))
            }
            ExprKind::Variable(variable) => self.names.place(Place::Variable(who, *variable)),
            ExprKind::Me => self.names.who(who),
            ExprKind::Process(process) => protocol.process(*process).name.text.clone(),
            ExprKind::Not(inner) => format!("!{}", self.expr(who, inner, UNARY)),
            ExprKind::Negate(inner) => format!("-{}", self.expr(who, inner, UNARY)),
            ExprKind::Binary(operator, left, right) => {
                let (sign, binds) = sign(*operator);
                // Comparisons cannot be chained, and `-` is read from left to right.
                let left_least = if binds == COMPARISON { binds + 1 } else { binds };
                let (left, right) =
                    (self.expr(who, left, left_least), self.expr(who, right, binds + 1));
                let text = format!("{left} {sign} {right}");
                if binds < least { format!("({text})") } else { text }
            }
        }
    }
}

/// The fields of one message that statements keep, one after the other: first those in `start`,
/// then those at the beginning of `rest`, of which the others are returned.
fn fields<'s>(
    message: &Term,
    constructor: ConstructorId,
    start: &[Sequential],
    rest: &'s [Sequential],
) -> (Vec<Kept>, &'s [Sequential]) {
    let kept = |stmt: &Sequential| match stmt {
        Sequential::Assign { place, value: Term::Field(inner, it, field), .. }
            if **inner == *message && *it == constructor =>
        {
            Some((*place, *field))
        }
        _ => None,
    };
    let mut found: Vec<Kept> = start.iter().filter_map(kept).collect();
    let mut rest = rest;
    while let Some((first, others)) = rest.split_first() {
        let Some(next) = kept(first).filter(|it| found.iter().all(|(_, field)| *field != it.1))
        else {
            break;
        };
        found.push(next);
        rest = others;
    }
    (found, rest)
}

/// The name of a constructor.
pub(crate) fn constructor_name(
    protocol: &Protocol,
    message: MessageId,
    constructor: ConstructorId,
) -> &str {
    let found = protocol.message(message).constructors.get(constructor.0 as usize);
    found.map_or("?", |it| it.name.text.as_str())
}

const COMPARISON: u8 = 3;
const UNARY: u8 = 6;

/// An operator as it is written, and how strongly it binds.
pub(crate) fn sign(operator: Operator) -> (&'static str, u8) {
    match operator {
        Operator::Or => ("||", 1),
        Operator::And => ("&&", 2),
        Operator::Equal => ("==", COMPARISON),
        Operator::NotEqual => ("!=", COMPARISON),
        Operator::Less => ("<", COMPARISON),
        Operator::LessEqual => ("<=", COMPARISON),
        Operator::Add => ("+", 4),
        Operator::Subtract => ("-", 4),
        Operator::Multiply => ("*", 5),
    }
}
