//! Formulas put together by hand: what candidates are made of.

use ser_base::Span;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Expr, ExprKind, Field, GlobalId, LocId, LocalId, Operator, Scalar, Thread, Type,
};

/// An expression that stands nowhere.
pub fn new(ty: Type, kind: ExprKind) -> Expr {
    Expr { span: Span::default(), ty, kind }
}

/// The thread `i` (number 0) or `j` (number 1) as a value.
pub fn thread(place: u32) -> Expr {
    new(Type::Scalar(Scalar::Tid), ExprKind::Thread(Thread::Index(place)))
}

pub fn global(system: &System, place: usize) -> Expr {
    new(system.globals[place].ty, ExprKind::Global(GlobalId(place as u32)))
}

/// A local of a thread.
pub fn local(system: &System, place: usize, of: u32) -> Expr {
    let kind = ExprKind::Local(LocalId(place as u32), Thread::Index(of));
    new(system.locals[place].ty, kind)
}

/// A field of a cell.
pub fn field(address: &Expr, field: Field) -> Expr {
    let scalar = match field {
        Field::Next => Scalar::Addr,
        Field::Data => Scalar::Elem,
        Field::Lockid => Scalar::Tid,
    };
    new(Type::Scalar(scalar), ExprKind::Field(Box::new(address.clone()), field))
}

/// Two formulas or values with an operator between them that makes a formula.
pub fn binary(operator: Operator, left: &Expr, right: &Expr) -> Expr {
    let both = (Box::new(left.clone()), Box::new(right.clone()));
    new(Type::Bool, ExprKind::Binary(operator, both.0, both.1))
}

/// The opposite of a formula.
pub fn not(formula: &Expr) -> Expr {
    match &formula.kind {
        ExprKind::Not(inner) => (**inner).clone(),
        ExprKind::Bool(value) => new(Type::Bool, ExprKind::Bool(!value)),
        ExprKind::Binary(Operator::Equal, left, right) => binary(Operator::NotEqual, left, right),
        ExprKind::Binary(Operator::NotEqual, left, right) => binary(Operator::Equal, left, right),
        // Of numbers; elements are ordered totally, too.
        ExprKind::Binary(Operator::Less, left, right) if exists(left) && exists(right) => {
            binary(Operator::LessEqual, right, left)
        }
        ExprKind::Binary(Operator::LessEqual, left, right) if exists(left) && exists(right) => {
            binary(Operator::Less, right, left)
        }
        _ => new(Type::Bool, ExprKind::Not(Box::new(formula.clone()))),
    }
}

/// Whether a value is there in any case: a minimum is not.
fn exists(value: &Expr) -> bool {
    let mut exists = true;
    value.walk(&mut |it| {
        exists &= !matches!(it.kind, ExprKind::Min(_) | ExprKind::Max(_));
    });
    exists
}

/// All of them; nothing if there are none.
pub fn all(parts: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    parts.into_iter().reduce(|left, right| binary(Operator::And, &left, &right))
}

/// `given -> then`, or `then` if nothing is given.
pub fn given(given: Option<Expr>, then: Expr) -> Expr {
    match given {
        None => then,
        Some(given) if then.kind == ExprKind::Bool(false) => not(&given),
        Some(given) => binary(Operator::Implies, &given, &then),
    }
}

/// `false`.
pub fn never() -> Expr {
    new(Type::Bool, ExprKind::Bool(false))
}

pub fn set(of: Scalar, elements: Vec<Expr>) -> Expr {
    new(Type::Set(of), ExprKind::Set(elements))
}

pub fn int(value: i64) -> Expr {
    new(Type::Scalar(Scalar::Int), ExprKind::Int(value))
}

/// `null`, `nobody`, `lowest` or `highest`.
pub fn constant(of: Scalar, kind: ExprKind) -> Expr {
    new(Type::Scalar(of), kind)
}

pub fn at(thread: u32, locations: Vec<LocId>) -> Expr {
    new(Type::Bool, ExprKind::At(Thread::Index(thread), locations))
}

/// The expression with other threads in it, and without places in the text.
pub fn with_threads(expr: &Expr, to: &dyn Fn(Thread) -> Thread) -> Expr {
    let again = |it: &Expr| Box::new(with_threads(it, to));
    let kind = match &expr.kind {
        ExprKind::Thread(it) => ExprKind::Thread(to(*it)),
        ExprKind::Local(id, it) => ExprKind::Local(*id, to(*it)),
        ExprKind::At(it, locations) => ExprKind::At(to(*it), locations.clone()),
        ExprKind::Field(inner, field) => ExprKind::Field(again(inner), *field),
        ExprKind::Not(inner) => ExprKind::Not(again(inner)),
        ExprKind::Negate(inner) => ExprKind::Negate(again(inner)),
        ExprKind::Min(inner) => ExprKind::Min(again(inner)),
        ExprKind::Max(inner) => ExprKind::Max(again(inner)),
        ExprKind::Cells(inner) => ExprKind::Cells(again(inner)),
        ExprKind::Elems(inner) => ExprKind::Elems(again(inner)),
        ExprKind::Binary(operator, left, right) => {
            ExprKind::Binary(*operator, again(left), again(right))
        }
        ExprKind::Reach(left, right) => ExprKind::Reach(again(left), again(right)),
        ExprKind::Ordered(left, right) => ExprKind::Ordered(again(left), again(right)),
        ExprKind::Set(elements) => {
            ExprKind::Set(elements.iter().map(|it| with_threads(it, to)).collect())
        }
        other => other.clone(),
    };
    new(expr.ty, kind)
}
