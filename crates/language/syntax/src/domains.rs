//! Which values names stand for, as far as that is known: for people who read a program.
//!
//! What is declared is told as it was declared, with the values of constants; what is not, as it
//! was found out. Nothing here decides anything: methods read the [core](crate::core).

use crate::ast::{Block, Declared, Expr, ExprKind, Name, Parameter, Program, Type, TypeKind};
use crate::constant::{constants, evaluate};
use crate::elaborate;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

/// Which values something takes, as a declaration would say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Numbers.
    Int,
    /// Numbers of a range, both ends included.
    Range(i64, i64),
    /// Numbers of so many bits, which wrap around.
    Bits(i64),
    Bool,
    /// The members of an enumeration.
    Enumeration(String),
    Record(String),
    /// For each of the first the second.
    Array(Box<Domain>, Box<Domain>),
    Tuple(Vec<Domain>),
    /// So many at most.
    Queue(i64, Box<Domain>),
}

impl Display for Domain {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Domain::Int => f.write_str("int"),
            Domain::Range(low, high) => write!(f, "{low}..{high}"),
            Domain::Bits(bits) => write!(f, "bits {bits}"),
            Domain::Bool => f.write_str("bool"),
            Domain::Enumeration(name) | Domain::Record(name) => f.write_str(name),
            Domain::Array(index, elements) => write!(f, "[{index}] of {elements}"),
            Domain::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Domain::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Domain::Queue(capacity, items) => write!(f, "queue[{capacity}] of {items}"),
        }
    }
}

/// Which values the names of a program stand for.
///
/// ```
/// let text = "enum Seat { free, held }
///     const LAST = 3
///     var Plan: [0..LAST] of Seat
///     request look(i in 0..LAST) { seat := Plan[i]; (seat == held, i) }";
/// let domains = ser_syntax::Domains::of(&ser_syntax::parse(text).tree);
/// assert_eq!(domains.globals["Plan"].to_string(), "[0..3] of Seat");
/// assert_eq!(domains.bodies[0]["seat"].to_string(), "Seat");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    /// Of what all share.
    pub globals: BTreeMap<String, Domain>,
    /// Of parameters and variables: of the requests, then the functions, then the processes, each
    /// in the order of the text.
    pub bodies: Vec<BTreeMap<String, Domain>>,
    /// What functions give.
    pub results: BTreeMap<String, Domain>,
    /// The fields of records.
    pub records: BTreeMap<String, Vec<(String, Domain)>>,
}

impl Domains {
    /// What is known about the names of a tree, which may have holes.
    pub fn of(tree: &Program) -> Domains {
        let written = Written { tree, constants: constants(tree) };
        let mut domains = match tree.processes.is_empty() {
            true => elaborate::domains(tree),
            false => Domains::default(),
        };
        for item in &tree.globals {
            if let Some(domain) = written.declared(&item.declared) {
                domains.globals.insert(item.name.text.clone(), domain);
            }
        }
        for record in &tree.records {
            let fields = record.fields.iter();
            let fields =
                fields.filter_map(|(name, ty)| Some((name.text.clone(), written.domain(ty)?)));
            domains.records.insert(record.name.text.clone(), fields.collect());
        }
        let bodies = tree.requests.len() + tree.functions.len() + tree.processes.len();
        domains.bodies.resize(bodies, BTreeMap::new());
        let requests = tree.requests.iter().map(|it| (it.parameters.as_slice(), &it.body));
        let functions = tree.functions.iter().map(|it| (&[][..], &it.body));
        let processes = tree.processes.iter().map(|it| (it.parameters.as_slice(), &it.body));
        let heads = requests.chain(functions).chain(processes);
        for (names, (parameters, body)) in domains.bodies.iter_mut().zip(heads) {
            written.local(parameters, body, names);
        }
        let processes = tree.requests.len() + tree.functions.len();
        for (process, at) in tree.processes.iter().zip(processes..) {
            let Some(known) = domains.bodies.get(at) else { continue };
            let found = Assigned { written: &written, globals: &domains.globals, known };
            let found = found.all(&process.body);
            if let Some(names) = domains.bodies.get_mut(at) {
                found.into_iter().for_each(|(name, domain)| {
                    names.entry(name).or_insert(domain);
                });
            }
        }
        domains
    }

    /// The field of a record.
    pub fn field(&self, record: &Domain, field: &str) -> Option<&Domain> {
        let Domain::Record(name) = record else { return None };
        let fields = self.records.get(name)?;
        fields.iter().find(|(name, _)| name == field).map(|(_, domain)| domain)
    }
}

/// What is written down.
struct Written<'p> {
    tree: &'p Program,
    constants: BTreeMap<String, i64>,
}

impl Written<'_> {
    fn value(&self, expr: &Expr) -> Option<i64> {
        evaluate(expr, &self.constants).ok()
    }

    fn domain(&self, ty: &Type) -> Option<Domain> {
        self.domain_within(ty, self.tree.aliases.len())
    }

    /// Through so many aliases at most: an alias may not stand for itself, but the text may say so.
    fn domain_within(&self, ty: &Type, aliases: usize) -> Option<Domain> {
        let inside = |ty: &Type| self.domain_within(ty, aliases);
        Some(match &ty.kind {
            TypeKind::Int => Domain::Int,
            TypeKind::Bool => Domain::Bool,
            TypeKind::Range(low, high) => Domain::Range(self.value(low)?, self.value(high)?),
            TypeKind::Bits(bits) => Domain::Bits(self.value(bits)?),
            TypeKind::Queue(capacity, items) => {
                Domain::Queue(self.value(capacity)?, inside(items)?.into())
            }
            TypeKind::Array(index, elements) => {
                Domain::Array(inside(&index.0)?.into(), inside(elements)?.into())
            }
            TypeKind::Tuple(parts) => {
                Domain::Tuple(parts.iter().map(inside).collect::<Option<_>>()?)
            }
            TypeKind::Named(name) => {
                let is = |other: &Name| other.text == name.text;
                if self.tree.enumerations.iter().any(|it| is(&it.name)) {
                    Domain::Enumeration(name.text.clone())
                } else if self.tree.records.iter().any(|it| is(&it.name)) {
                    Domain::Record(name.text.clone())
                } else {
                    let alias = self.tree.aliases.iter().find(|it| is(&it.name))?;
                    self.domain_within(&alias.meaning, aliases.checked_sub(1)?)?
                }
            }
            TypeKind::Set(_) | TypeKind::Error => return None,
        })
    }

    fn declared(&self, declared: &Declared) -> Option<Domain> {
        match declared {
            Declared::Initial | Declared::Var(None) => None,
            Declared::Var(Some(ty)) => self.domain(ty),
            Declared::Lock(None) => Some(Domain::Bool),
            Declared::Lock(Some(index)) => {
                Some(Domain::Array(self.domain(&index.0)?.into(), Domain::Bool.into()))
            }
        }
    }

    /// The names of a body that say which values they have.
    fn local(&self, parameters: &[Parameter], body: &Block, names: &mut BTreeMap<String, Domain>) {
        let mut add = |name: &Name, domain: Option<Domain>| {
            if let Some(domain) = domain {
                names.insert(name.text.clone(), domain);
            }
        };
        parameters.iter().for_each(|it| add(&it.name, self.domain(&it.values)));
        each_expr(body, &mut |expr| match &expr.kind {
            ExprKind::Var(item) => add(&item.name, self.declared(&item.declared)),
            ExprKind::For(name, values, _) | ExprKind::Quantified(_, name, values, _) => {
                add(name, self.domain(values))
            }
            _ => {}
        });
    }
}

fn each_expr<'p>(body: &'p Block, each: &mut dyn FnMut(&'p Expr)) {
    fn walk<'p>(expr: &'p Expr, each: &mut dyn FnMut(&'p Expr)) {
        each(expr);
        expr.for_each_child(&mut |child| walk(child, each));
    }
    body.exprs.iter().for_each(|expr| walk(expr, each));
}

/// Local variables of processes take what is assigned to them, and 0.
struct Assigned<'a, 'p> {
    written: &'a Written<'p>,
    globals: &'a BTreeMap<String, Domain>,
    known: &'a BTreeMap<String, Domain>,
}

impl Assigned<'_, '_> {
    fn all(&self, body: &Block) -> BTreeMap<String, Domain> {
        let mut found: BTreeMap<String, Domain> = BTreeMap::new();
        each_expr(body, &mut |expr| {
            let ExprKind::Assign(name, value) = &expr.kind else { return };
            if name.is_global() {
                return;
            }
            let value = self.of(value).unwrap_or(Domain::Int);
            let before = found.remove(&name.text).unwrap_or_else(|| match &value {
                Domain::Range(..) => Domain::Range(0, 0),
                other => other.clone(),
            });
            found.insert(name.text.clone(), joined(before, value));
        });
        found
    }

    /// What an expression gives; nothing if that takes more than a look.
    fn of(&self, expr: &Expr) -> Option<Domain> {
        if let Some(member) = self.member(expr) {
            return Some(member);
        }
        if let Some(value) = self.written.value(expr) {
            return Some(Domain::Range(value, value));
        }
        match &expr.kind {
            ExprKind::Read(name) => {
                self.known.get(&name.text).or_else(|| self.globals.get(&name.text)).cloned()
            }
            ExprKind::Coin => Some(Domain::Range(0, 1)),
            ExprKind::Choose(values) => self.written.domain(values),
            ExprKind::Receive(queue, None) => match self.globals.get(&queue.text)? {
                Domain::Queue(_, items) => Some(*items.clone()),
                _ => None,
            },
            ExprKind::Binary(op, ..) if op.is_comparison() => Some(Domain::Range(0, 1)),
            ExprKind::Assign(_, value) => self.of(value),
            ExprKind::Group(block) if block.exprs.len() == 1 => self.of(block.exprs.first()?),
            _ => None,
        }
    }

    /// The enumeration of a member.
    fn member(&self, expr: &Expr) -> Option<Domain> {
        let ExprKind::Read(name) = &expr.kind else { return None };
        let mut all = self.written.tree.enumerations.iter();
        let of = all.find(|it| it.members.iter().any(|member| member.text == name.text))?;
        Some(Domain::Enumeration(of.name.text.clone()))
    }
}

/// All that is in one of the two.
fn joined(left: Domain, right: Domain) -> Domain {
    match (left, right) {
        (left, right) if left == right => left,
        (Domain::Range(a, b), Domain::Range(c, d)) => Domain::Range(a.min(c), b.max(d)),
        _ => Domain::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_told_and_the_rest_is_found_out() {
        let text = "const N = 2
enum Seat { free, held }
record Order { seat: Seat, amount: 0..N }
type Orders = [0..N] of Order
lock Door: [Seat]
var All: Orders
Count := 0
fn best(low) { for i in 0..N { if All[i].seat == free { return i } }; low }
request put(s: Seat, n in 0..N) {
    i := best(1);
    order := All[i];
    pair := (order.seat == held, s);
    var left: 0..9 = 3;
    Count := Count + left;
    pair
}";
        let parse = crate::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        let domains = Domains::of(&parse.tree);
        let shown = |names: &BTreeMap<String, Domain>| {
            let names = names.iter().map(|(name, domain)| format!("{name}: {domain}"));
            names.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            shown(&domains.globals),
            "All: [0..2] of Order; Count: int; Door: [Seat] of bool"
        );
        assert_eq!(
            shown(&domains.bodies[0]),
            "i: int; left: 0..9; n: 0..2; order: Order; pair: (int, Seat); s: Seat"
        );
        assert_eq!(shown(&domains.bodies[1]), "i: 0..2; low: int");
        assert_eq!(shown(&domains.results), "best: int");
        let order = Domain::Record("Order".to_owned());
        assert_eq!(domains.field(&order, "amount"), Some(&Domain::Range(0, 2)));
    }

    #[test]
    fn locals_of_processes_take_what_is_assigned() {
        let text = "enum Vote { none, yes }
var Q: queue[2] of 0..9  var V: Vote  var B: bits 3
process P(id in 0..1) {
    x := 3; x := recv Q; v := V; w := yes; y := choose(2..4); z := x + 1; for k in 1..2 { b := B }
}
reach V == yes";
        let parse = crate::parse_processes(text);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        let domains = Domains::of(&parse.tree);
        let of = |name: &str| domains.bodies[0][name].to_string();
        let names = ["id", "x", "v", "w", "y", "z", "k", "b"];
        let expected = ["0..1", "0..9", "Vote", "Vote", "0..4", "int", "1..2", "bits 3"];
        assert_eq!(names.map(of), expected);
        assert_eq!(domains.globals["Q"].to_string(), "queue[2] of 0..9");
    }

    #[test]
    fn an_alias_of_itself_is_nothing() {
        let parse = crate::parse("type A = B type B = A var X: A request a { X }");
        assert!(parse.has_errors());
        assert_eq!(Domains::of(&parse.tree).globals.get("Y"), None);
    }
}
