//! Expressions and actions as they are written, for reports.
//!
//! What is shown can be read again and means the same, with as few parentheses as possible. Places are the
//! exception: a location without a name is shown by its number, from 1.

use ser_syntax::ast::Name;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, Field, LocId, LocalId, Operator, Place, ProcId, System,
    Thread,
};

/// An expression as it is written; the parameters of its invariant are called `i`, `j`, `k`, `l`.
///
/// ```
/// let text = "global x : int; thread { local y : int; w: skip; } invariant p(a) = at(a, w) -> (y[a]) >= x;";
/// let system = ser_syntax::inv::parse(text).system;
/// let formula = &system.invariants[0].conjuncts[0].formula;
/// assert_eq!(ser_editing::inv::show(&system, formula), "at(i, w) -> x <= y[i]");
/// let names = &system.invariants[0].parameters;
/// assert_eq!(ser_editing::inv::show_with(&system, formula, names), "at(a, w) -> x <= y[a]");
/// ```
pub fn show(system: &System, expr: &Expr) -> String {
    show_with(system, expr, &[])
}

/// An expression as it is written, with these names for the parameters of its invariant.
pub fn show_with(system: &System, expr: &Expr, parameters: &[Name]) -> String {
    let mut shower = Shower { system, parameters, shown: String::new() };
    shower.expr(expr, 0);
    shower.shown
}

/// What is assigned, as it is written.
pub fn show_place(system: &System, place: &Place) -> String {
    let mut shower = Shower { system, parameters: &[], shown: String::new() };
    shower.place(place);
    shower.shown
}

/// An action as it is written, without its `;`.
///
/// ```
/// use ser_syntax::inv::ast::{Step, StmtKind};
/// let system = ser_syntax::inv::parse("global x : int; thread { x:=x+(1); }").system;
/// let StmtKind::Step(Step::Action(action)) = &system.procedures[0].body[0].kind else { panic!() };
/// assert_eq!(ser_editing::inv::show_action(&system, action), "x := x + 1");
/// ```
pub fn show_action(system: &System, action: &Action) -> String {
    let mut shower = Shower { system, parameters: &[], shown: String::new() };
    shower.action(action);
    shower.shown
}

/// How tightly operators bind: as in the parser.
const COMPARISON: u8 = 5;
const UNARY: u8 = 8;

/// How an operator is written, and how tightly it binds.
fn operator(op: Operator) -> (&'static str, u8) {
    match op {
        Operator::Iff => ("<->", 1),
        Operator::Implies => ("->", 2),
        Operator::Or => ("||", 3),
        Operator::And => ("&&", 4),
        Operator::Equal => ("==", COMPARISON),
        Operator::NotEqual => ("!=", COMPARISON),
        Operator::Less => ("<", COMPARISON),
        Operator::LessEqual => ("<=", COMPARISON),
        Operator::In => ("in", COMPARISON),
        Operator::Subset => ("subset", COMPARISON),
        Operator::Add | Operator::Union => ("+", 6),
        Operator::Subtract | Operator::Difference => ("-", 6),
        Operator::Multiply | Operator::Intersection => ("*", 7),
    }
}

fn field(field: Field) -> &'static str {
    match field {
        Field::Next => "next",
        Field::Data => "data",
        Field::Lockid => "lockid",
    }
}

struct Shower<'s> {
    system: &'s System,
    parameters: &'s [Name],
    shown: String,
}

impl Shower<'_> {
    fn put(&mut self, text: &str) {
        self.shown.push_str(text);
    }

    /// An expression, in parentheses if it binds less tightly than asked.
    fn expr(&mut self, expr: &Expr, power: u8) {
        match &expr.kind {
            ExprKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Int(value) => self.put(&value.to_string()),
            ExprKind::Null => self.put("null"),
            ExprKind::Nobody => self.put("nobody"),
            ExprKind::Lowest => self.put("lowest"),
            ExprKind::Highest => self.put("highest"),
            ExprKind::Thread(thread) => self.thread(*thread),
            ExprKind::Global(_) => self.global(&expr.kind),
            ExprKind::Local(id, thread) => self.local(*id, *thread),
            ExprKind::Field(address, name) => {
                self.expr(address, UNARY + 1);
                self.put(".");
                self.put(field(*name));
            }
            ExprKind::At(thread, places) => {
                self.put("at(");
                self.thread(*thread);
                self.put(", ");
                let places = self.places(places);
                self.put(&places);
                self.put(")");
            }
            ExprKind::Not(inside) => self.sign("!", inside, power),
            ExprKind::Negate(inside) => {
                // `-5` is a number, and `- -x` no decrement.
                let is_number = matches!(inside.kind, ExprKind::Int(value) if value >= 0);
                let is_sign = matches!(inside.kind, ExprKind::Int(_) | ExprKind::Negate(_));
                match (is_number, is_sign) {
                    (true, _) => {
                        self.put("-(");
                        self.expr(inside, 0);
                        self.put(")");
                    }
                    (_, true) => self.sign("- ", inside, power),
                    _ => self.sign("-", inside, power),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, power),
            ExprKind::Set(elements) => {
                self.put("{");
                for (place, element) in elements.iter().enumerate() {
                    self.put(if place == 0 { "" } else { ", " });
                    self.expr(element, 0);
                }
                self.put("}");
            }
            ExprKind::Min(inside) => self.call("min", &[inside]),
            ExprKind::Max(inside) => self.call("max", &[inside]),
            ExprKind::Cells(inside) => self.call("addr2set", &[inside]),
            ExprKind::Elems(inside) => self.call("set2elem", &[inside]),
            ExprKind::Reach(left, right) => self.call("reach", &[left, right]),
            ExprKind::Ordered(left, right) => self.call("ordered", &[left, right]),
        }
    }

    fn sign(&mut self, sign: &str, inside: &Expr, power: u8) {
        let brackets = power > UNARY;
        self.put(if brackets { "(" } else { "" });
        self.put(sign);
        self.expr(inside, UNARY);
        self.put(if brackets { ")" } else { "" });
    }

    fn binary(&mut self, op: Operator, left: &Expr, right: &Expr, power: u8) {
        let (sign, own) = operator(op);
        // What cannot be chained, and what binds to the right, needs parentheses on the left.
        let left_power = match own {
            1 | 2 | COMPARISON => own + 1,
            _ => own,
        };
        let right_power = if own == 2 { own } else { own + 1 };
        let brackets = power > own;
        self.put(if brackets { "(" } else { "" });
        self.expr(left, left_power);
        self.put(" ");
        self.put(sign);
        self.put(" ");
        self.expr(right, right_power);
        self.put(if brackets { ")" } else { "" });
    }

    fn call(&mut self, name: &str, arguments: &[&Expr]) {
        self.put(name);
        self.put("(");
        for (place, argument) in arguments.iter().enumerate() {
            self.put(if place == 0 { "" } else { ", " });
            self.expr(argument, 0);
        }
        self.put(")");
    }

    fn thread(&mut self, thread: Thread) {
        match thread {
            Thread::Me => self.put("me"),
            Thread::Index(place) => match self.parameters.get(place as usize) {
                Some(name) => self.put(&name.text),
                None => {
                    let letters = ["i", "j", "k", "l"];
                    self.put(letters.get(place as usize).copied().unwrap_or("?"));
                }
            },
            Thread::Global(id) => self.global(&ExprKind::Global(id)),
        }
    }

    fn global(&mut self, kind: &ExprKind) {
        let ExprKind::Global(id) = kind else { return };
        let name = self.system.globals.get(id.0 as usize).map(|global| global.name.text.as_str());
        self.put(name.unwrap_or("?"));
    }

    fn local(&mut self, id: LocalId, thread: Thread) {
        let Some(local) = self.system.locals.get(id.0 as usize) else {
            self.put("?");
            return;
        };
        if thread == Thread::Me {
            self.put(&local.name.text);
            return;
        }
        let same = |other: &&ser_syntax::inv::ast::Local| other.name.text == local.name.text;
        if self.system.locals.iter().filter(same).nth(1).is_some() {
            let owner = self.procedure(local.procedure);
            self.put(&owner);
            self.put(".");
        }
        self.put(&local.name.text);
        self.put("[");
        self.thread(thread);
        self.put("]");
    }

    fn procedure(&self, id: ProcId) -> String {
        let procedure = self.system.procedures.get(id.0 as usize);
        procedure.map_or("?".to_owned(), |procedure| procedure.name.text.clone())
    }

    /// Locations: whole procedures and statements by their names, the rest by numbers.
    fn places(&self, places: &[LocId]) -> String {
        let mut shown: Vec<String> = Vec::new();
        let mut rest = places;
        while let Some(first) = rest.first() {
            let (length, text) = self.procedure_at(rest).unwrap_or_else(|| {
                let text = match self.statement(*first) {
                    Some(name) => name,
                    None => (first.0 + 1).to_string(),
                };
                (1, text)
            });
            shown.push(text);
            rest = rest.get(length..).unwrap_or(&[]);
        }
        shown.join(", ")
    }

    /// A procedure whose locations all stand at the start of this list, and how many they are.
    fn procedure_at(&self, places: &[LocId]) -> Option<(usize, String)> {
        let first = places.first()?;
        let id = self.system.locations.get(first.0 as usize)?.procedure;
        let before = first.0.checked_sub(1).and_then(|it| self.system.locations.get(it as usize));
        if before.is_some_and(|before| before.procedure == id) {
            return None;
        }
        let own = self.system.locations.iter().skip(first.0 as usize);
        let length = own.take_while(|location| location.procedure == id).count();
        let wanted = (first.0..).take(length).map(LocId);
        let all = places.get(..length)?.iter().copied().eq(wanted);
        all.then(|| (length, self.procedure(id)))
    }

    /// The name of a statement, with its procedure if others have the same name.
    fn statement(&self, id: LocId) -> Option<String> {
        let location = self.system.locations.get(id.0 as usize)?;
        let name = &location.name.as_ref()?.text;
        let same = |other: &&ser_syntax::inv::ast::Location| {
            other.name.as_ref().is_some_and(|other| other.text == *name)
        };
        match self.system.locations.iter().filter(same).nth(1) {
            Some(_) => Some(format!("{}.{name}", self.procedure(location.procedure))),
            None => Some(name.clone()),
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Global(id) => self.global(&ExprKind::Global(*id)),
            Place::Local(id) => self.local(*id, Thread::Me),
            Place::Field(address, name) => {
                self.expr(address, UNARY + 1);
                self.put(".");
                self.put(field(*name));
            }
        }
    }

    fn action(&mut self, action: &Action) {
        let word = match &action.kind {
            ActionKind::Assign { target, value } => {
                self.place(target);
                self.put(" := ");
                self.expr(value, 0);
                return;
            }
            ActionKind::Havoc { target, condition } => {
                self.place(target);
                self.put(" := havoc");
                if let Some(condition) = condition {
                    self.put(" where ");
                    self.expr(condition, 0);
                }
                return;
            }
            ActionKind::Malloc { target, data, next } => {
                self.place(target);
                self.put(" := ");
                self.call("malloc", &[data, next]);
                return;
            }
            ActionKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.expr(condition, 0);
                self.actions(then);
                if !otherwise.is_empty() {
                    self.put(" else");
                    self.actions(otherwise);
                }
                return;
            }
            ActionKind::Lock(_) => "lock ",
            ActionKind::Unlock(_) => "unlock ",
            ActionKind::Await(_) => "await ",
            ActionKind::Assert(_) => "assert ",
        };
        self.put(word);
        if let ActionKind::Lock(it)
        | ActionKind::Unlock(it)
        | ActionKind::Await(it)
        | ActionKind::Assert(it) = &action.kind
        {
            self.expr(it, 0);
        }
    }

    fn actions(&mut self, actions: &[Action]) {
        self.put(" { ");
        for action in actions {
            self.action(action);
            self.put(if matches!(action.kind, ActionKind::If { .. }) { " " } else { "; " });
        }
        self.put("}");
    }
}
