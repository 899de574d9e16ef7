//! Expressions and actions as they are written, for reports.
//!
//! What is shown can be read again and means the same, with as few parentheses as possible. Places
//! are the exception: a location without a name is shown by its number, from 1.

use ser_syntax::ast::Name;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, Field, GlobalId, LocId, Local, LocalId, Location, Operator,
    Place, ProcId, Scalar, System, Thread, Type,
};

/// An expression as it is written; the parameters of its invariant are called `i`, `j`, `k`, `l`.
///
/// ```
/// let text = "set Threads  var x: int  process thread for self in Threads { var y: int; w: skip }
///     invariant p(a): at(a, w) -> (y[a]) >= x";
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
    Shower { system, parameters }.expr(expr, 0)
}

/// What is assigned, as it is written.
pub fn show_place(system: &System, place: &Place) -> String {
    Shower { system, parameters: &[] }.place(place)
}

/// A type as it is written.
pub fn show_type(system: &System, ty: Type) -> String {
    let set = system.set.as_ref().map_or("Threads", |set| set.text.as_str());
    match ty {
        Type::Scalar(Scalar::Tid) => set.to_owned(),
        Type::Set(Scalar::Tid) => format!("set of {set}"),
        ty => ty.to_string(),
    }
}

/// What a variable can be, as it is written.
pub fn show_values(
    system: &System,
    ty: Type,
    enumeration: Option<u32>,
    range: Option<(i64, i64)>,
) -> String {
    let item = enumeration.and_then(|id| system.enumerations.get(id as usize));
    match (item, range) {
        (Some(item), _) => item.name.text.clone(),
        (None, Some((low, high))) => format!("{low}..{high}"),
        (None, None) => show_type(system, ty),
    }
}

/// An action as it is written, without its `;`.
///
/// ```
/// use ser_syntax::inv::ast::{Step, StmtKind};
/// let system = ser_syntax::inv::parse("set S  var x: int  process p for t in S { x:=x+(1) }").system;
/// let StmtKind::Step(Step::Action(action)) = &system.procedures[0].body[0].kind else { panic!() };
/// assert_eq!(ser_editing::inv::show_action(&system, action), "x := x + 1");
/// ```
pub fn show_action(system: &System, action: &Action) -> String {
    Shower { system, parameters: &[] }.action(action)
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
}

impl Shower<'_> {
    /// An expression, with parentheses if its operator binds less than `power`.
    fn expr(&self, expr: &Expr, power: u8) -> String {
        match &expr.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Null => "null".to_owned(),
            ExprKind::Nobody => "nobody".to_owned(),
            ExprKind::Lowest => "lowest".to_owned(),
            ExprKind::Highest => "highest".to_owned(),
            ExprKind::Thread(thread) => self.thread(*thread),
            ExprKind::Global(id) => self.global(*id),
            ExprKind::Local(id, thread) => self.local(*id, *thread),
            ExprKind::Field(address, name) => self.field(address, *name),
            ExprKind::At(thread, places) => {
                format!("at({}, {})", self.thread(*thread), self.places(places))
            }
            ExprKind::Not(inside) => self.sign("!", inside, power),
            // `-5` is a number, and `- -x` no decrement.
            ExprKind::Negate(inside) => match inside.kind {
                ExprKind::Int(value) if value >= 0 => format!("-({value})"),
                ExprKind::Int(_) | ExprKind::Negate(_) => self.sign("- ", inside, power),
                _ => self.sign("-", inside, power),
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, power),
            ExprKind::Set(elements) => format!("{{{}}}", self.list(elements)),
            ExprKind::Min(inside) => self.call("min", [inside]),
            ExprKind::Max(inside) => self.call("max", [inside]),
            ExprKind::Cells(inside) => self.call("addr2set", [inside]),
            ExprKind::Elems(inside) => self.call("set2elem", [inside]),
            ExprKind::Reach(left, right) => self.call("reach", [left, right]),
            ExprKind::Ordered(left, right) => self.call("ordered", [left, right]),
        }
    }

    fn field(&self, address: &Expr, name: Field) -> String {
        format!("{}.{}", self.expr(address, UNARY + 1), field(name))
    }

    fn sign(&self, sign: &str, inside: &Expr, power: u8) -> String {
        in_parentheses(format!("{sign}{}", self.expr(inside, UNARY)), power > UNARY)
    }

    fn binary(&self, op: Operator, left: &Expr, right: &Expr, power: u8) -> String {
        let (sign, own) = operator(op);
        // What cannot be chained, and what binds to the right, needs parentheses on the left.
        let left_power = if matches!(own, 1 | 2 | COMPARISON) { own + 1 } else { own };
        let right_power = if own == 2 { own } else { own + 1 };
        let text = |expr: &Expr, other: &Expr, power: u8| match expr.kind {
            // Beside a variable of an enumeration, a number is a member of it.
            ExprKind::Int(number) if own == COMPARISON => {
                self.system.called(self.system.enumeration(other), number)
            }
            _ => self.expr(expr, power),
        };
        let (left, right) = (text(left, right, left_power), text(right, left, right_power));
        in_parentheses(format!("{left} {sign} {right}"), power > own)
    }

    fn list<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> String {
        let exprs: Vec<String> = exprs.into_iter().map(|expr| self.expr(expr, 0)).collect();
        exprs.join(", ")
    }

    fn call<const N: usize>(&self, name: &str, arguments: [&Expr; N]) -> String {
        format!("{name}({})", self.list(arguments))
    }

    fn thread(&self, thread: Thread) -> String {
        match thread {
            Thread::Me => {
                self.system.member.as_ref().map_or("self".to_owned(), |name| name.text.clone())
            }
            Thread::Index(place) => match self.parameters.get(place as usize) {
                Some(name) => name.text.clone(),
                None => ["i", "j", "k", "l"].get(place as usize).unwrap_or(&"?").to_string(),
            },
            Thread::Global(id) => self.global(id),
        }
    }

    fn global(&self, id: GlobalId) -> String {
        let global = self.system.globals.get(id.index());
        global.map_or("?".to_owned(), |global| global.name.text.clone())
    }

    fn local(&self, id: LocalId, thread: Thread) -> String {
        let Some(local) = self.system.locals.get(id.index()) else { return "?".to_owned() };
        let name = &local.name.text;
        if thread == Thread::Me {
            return name.clone();
        }
        let thread = self.thread(thread);
        let same = |other: &&Local| other.name.text == *name;
        match self.system.locals.iter().filter(same).nth(1) {
            Some(_) => format!("{}.{name}[{thread}]", self.procedure(local.procedure)),
            None => format!("{name}[{thread}]"),
        }
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
        let same = |other: &&Location| other.name.as_ref().is_some_and(|other| other.text == *name);
        match self.system.locations.iter().filter(same).nth(1) {
            Some(_) => Some(format!("{}.{name}", self.procedure(location.procedure))),
            None => Some(name.clone()),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Global(id) => self.global(*id),
            Place::Local(id) => self.local(*id, Thread::Me),
            Place::Field(address, name) => self.field(address, *name),
        }
    }

    fn action(&self, action: &Action) -> String {
        let word = |word: &str, expr| format!("{word} {}", self.expr(expr, 0));
        match &action.kind {
            ActionKind::Assign { target, value } => {
                let of = match target {
                    Place::Global(id) => {
                        self.system.globals.get(id.index()).and_then(|it| it.enumeration)
                    }
                    Place::Local(id) => {
                        self.system.locals.get(id.index()).and_then(|it| it.enumeration)
                    }
                    Place::Field(..) => None,
                };
                let value = match value.kind {
                    ExprKind::Int(number) => self.system.called(of, number),
                    _ => self.expr(value, 0),
                };
                format!("{} := {value}", self.place(target))
            }
            ActionKind::Havoc { target, condition } => {
                let condition = condition.as_ref().map_or(String::new(), |it| word(" where", it));
                let ty = match target {
                    Place::Global(id) => self.system.globals.get(id.index()).map(|it| it.ty),
                    Place::Local(id) => self.system.locals.get(id.index()).map(|it| it.ty),
                    Place::Field(..) => None,
                };
                let ty = ty.map_or("?".to_owned(), |ty| show_type(self.system, ty));
                format!("{} := choose({ty}){condition}", self.place(target))
            }
            ActionKind::Malloc { target, data, next } => {
                format!("{} := {}", self.place(target), self.call("malloc", [data, next]))
            }
            ActionKind::If { condition, then, otherwise } => {
                let then = format!("{}{}", word("if", condition), self.actions(then));
                match otherwise.is_empty() {
                    true => then,
                    false => format!("{then} else{}", self.actions(otherwise)),
                }
            }
            ActionKind::Lock(it) => word("lock", it),
            ActionKind::Unlock(it) => word("unlock", it),
            ActionKind::Await(it) => word("await", it),
            ActionKind::Assert(it) => word("assert", it),
        }
    }

    fn actions(&self, actions: &[Action]) -> String {
        let shown = actions.iter().map(|action| match action.kind {
            ActionKind::If { .. } => format!("{} ", self.action(action)),
            _ => format!("{}; ", self.action(action)),
        });
        format!(" {{ {}}}", shown.collect::<String>())
    }
}

fn in_parentheses(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}
