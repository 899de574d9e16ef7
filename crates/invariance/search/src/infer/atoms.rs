//! What could be said about values: comparisons, memberships, owners of locks, neighbours in a
//! list.

use super::say;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, Field, Operator, Scalar, Thread, Type};
use std::collections::BTreeSet;

/// What atoms are made of.
pub struct Values<'a> {
    /// What they are about: each atom has one of these.
    pub own: &'a [Expr],
    /// What these are compared with, besides themselves.
    pub others: &'a [Expr],
    /// Who owns locks: the thread that is spoken of.
    pub thread: Option<Expr>,
    /// Numbers that are worth a comparison.
    pub constants: &'a BTreeSet<i64>,
}

impl Values<'_> {
    pub fn atoms(&self) -> Vec<Expr> {
        let mut all = Vec::new();
        for (place, x) in self.own.iter().enumerate() {
            self.alone(x, &mut all);
            for y in self.own[place + 1..].iter().chain(self.others) {
                pair(x, y, &mut all);
                if x.ty != y.ty || x.ty == Type::Scalar(Scalar::Addr) {
                    pair(y, x, &mut all);
                }
            }
        }
        all
    }

    /// About one value.
    fn alone(&self, x: &Expr, all: &mut Vec<Expr>) {
        let equal = |y: &Expr| binary(Operator::Equal, x, y);
        match x.ty {
            Type::Bool => all.extend([x.clone(), say::not(x)]),
            Type::Scalar(Scalar::Int) => {
                for constant in self.constants {
                    let y = say::int(*constant);
                    let is = equal(&y);
                    all.extend([
                        say::not(&is),
                        binary(Operator::LessEqual, x, &y),
                        binary(Operator::LessEqual, &y, x),
                        is,
                    ]);
                }
            }
            Type::Scalar(Scalar::Tid) if !matches!(x.kind, ExprKind::Thread(_)) => {
                let nobody = say::constant(Scalar::Tid, ExprKind::Nobody);
                both(equal(&nobody), all);
            }
            Type::Scalar(Scalar::Tid) => {}
            Type::Scalar(Scalar::Addr) => {
                let null = say::constant(Scalar::Addr, ExprKind::Null);
                both(equal(&null), all);
                both(binary(Operator::Equal, &say::field(x, Field::Next), &null), all);
                all.push(say::new(
                    Type::Bool,
                    ExprKind::Reach(Box::new(x.clone()), Box::new(null)),
                ));
                if let Some(thread) = &self.thread {
                    let owner = say::field(x, Field::Lockid);
                    all.push(binary(Operator::Equal, &owner, thread));
                }
                ends(&say::field(x, Field::Data), all);
            }
            Type::Scalar(Scalar::Elem) => ends(x, all),
            Type::Set(of) => {
                both(equal(&say::set(of, vec![])), all);
                if of == Scalar::Addr {
                    let null = say::constant(Scalar::Addr, ExprKind::Null);
                    both(binary(Operator::In, &null, x), all);
                }
                if let (Some(thread), Scalar::Tid) = (&self.thread, of) {
                    all.push(equal(&say::set(of, vec![thread.clone()])));
                }
            }
        }
    }
}

fn binary(operator: Operator, left: &Expr, right: &Expr) -> Expr {
    say::binary(operator, left, right)
}

fn both(atom: Expr, all: &mut Vec<Expr>) {
    all.push(say::not(&atom));
    all.push(atom);
}

/// How an element compares with the ends of its order.
fn ends(x: &Expr, all: &mut Vec<Expr>) {
    for end in [ExprKind::Lowest, ExprKind::Highest] {
        both(binary(Operator::Equal, x, &say::constant(Scalar::Elem, end)), all);
    }
}

fn comparisons(x: &Expr, y: &Expr, all: &mut Vec<Expr>) {
    let equal = binary(Operator::Equal, x, y);
    both(equal, all);
    for (x, y) in [(x, y), (y, x)] {
        all.push(binary(Operator::Less, x, y));
        all.push(binary(Operator::LessEqual, x, y));
    }
}

/// About two values, in this order.
fn pair(x: &Expr, y: &Expr, all: &mut Vec<Expr>) {
    match (x.ty, y.ty) {
        (Type::Scalar(of), Type::Set(in_it)) if of == in_it => {
            both(binary(Operator::In, x, y), all);
            if of == Scalar::Int {
                let least = say::new(x.ty, ExprKind::Min(Box::new(y.clone())));
                all.push(binary(Operator::Equal, &least, x));
                all.push(binary(Operator::LessEqual, x, &least));
            }
        }
        // The cells of a list.
        (Type::Scalar(Scalar::Addr), Type::Set(Scalar::Elem)) => {
            both(binary(Operator::In, &say::field(x, Field::Data), y), all);
        }
        (Type::Scalar(Scalar::Addr), Type::Scalar(Scalar::Elem)) => {
            comparisons(&say::field(x, Field::Data), y, all);
        }
        (Type::Scalar(Scalar::Addr), Type::Scalar(Scalar::Addr)) => {
            if format!("{x:?}") < format!("{y:?}") {
                both(binary(Operator::Equal, x, y), all);
            }
            both(binary(Operator::Equal, &say::field(x, Field::Next), y), all);
            let (low, high) = (say::field(x, Field::Data), say::field(y, Field::Data));
            all.push(binary(Operator::Less, &low, &high));
            all.push(binary(Operator::LessEqual, &low, &high));
        }
        (Type::Scalar(Scalar::Int | Scalar::Elem), same) if same == x.ty => {
            comparisons(x, y, all);
        }
        (Type::Scalar(Scalar::Tid), same) if same == x.ty => {
            both(binary(Operator::Equal, x, y), all);
        }
        (Type::Set(of), same) if same == x.ty => {
            both(binary(Operator::Equal, x, y), all);
            all.push(binary(Operator::Subset, x, y));
            all.push(binary(Operator::Subset, y, x));
            let common = say::new(
                x.ty,
                ExprKind::Binary(Operator::Intersection, Box::new(x.clone()), Box::new(y.clone())),
            );
            all.push(binary(Operator::Equal, &common, &say::set(of, vec![])));
        }
        (Type::Bool, Type::Bool) => both(binary(Operator::Equal, x, y), all),
        _ => {}
    }
}

/// What a set of cells could be: those of a list, with or without its end.
pub fn regions(system: &System) -> Vec<Expr> {
    let globals: Vec<Expr> = (0..system.globals.len()).map(|g| say::global(system, g)).collect();
    let mut all = Vec::new();
    for list in globals.iter().filter(|it| it.ty == Type::Scalar(Scalar::Addr)) {
        for set in globals.iter().filter(|it| it.ty == Type::Set(Scalar::Addr)) {
            let cells = say::new(set.ty, ExprKind::Cells(Box::new(list.clone())));
            let null = say::constant(Scalar::Addr, ExprKind::Null);
            let end = say::set(Scalar::Addr, vec![null]);
            let more = ExprKind::Binary(Operator::Union, Box::new(set.clone()), Box::new(end));
            all.push(binary(Operator::Equal, set, &cells));
            all.push(binary(Operator::Equal, &say::new(set.ty, more), &cells));
        }
    }
    all
}

/// The literals of a formula that say nothing about places, and its clauses that are one.
pub fn literals(formula: &Expr, found: &mut Vec<Expr>) {
    let mut places = false;
    formula.walk(&mut |it| places |= matches!(it.kind, ExprKind::At(..)));
    match &formula.kind {
        ExprKind::Not(inner) => literals(inner, found),
        ExprKind::Binary(
            operator @ (Operator::And | Operator::Or | Operator::Implies | Operator::Iff),
            left,
            right,
        ) => {
            if !places && *operator != Operator::And {
                found.push(say::with_threads(formula, &|it| it));
            }
            literals(left, found);
            literals(right, found);
        }
        ExprKind::Bool(_) | ExprKind::At(..) => {}
        _ => both(say::with_threads(formula, &|it| it), found),
    }
}

/// Which parameters a formula speaks of; nothing if there are threads of another kind in it.
pub fn threads_of(formula: &Expr) -> Option<BTreeSet<u32>> {
    let mut found = Some(BTreeSet::new());
    formula.walk(&mut |it| match it.kind {
        ExprKind::Local(_, Thread::Index(place)) | ExprKind::Thread(Thread::Index(place)) => {
            if let Some(found) = &mut found {
                found.insert(place);
            }
        }
        ExprKind::Local(..) | ExprKind::Thread(_) | ExprKind::At(..) => found = None,
        _ => {}
    });
    found
}
