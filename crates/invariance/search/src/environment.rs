//! What variables are worth in the middle of a step, and what expressions mean there.
//!
//! An [`Environment`] has a term for every variable of every thread of a case (a formula for every
//! `bool`), the heap version, and where threads are. [`Environment::value`] translates an
//! expression of the file; see the text of `ser-invariance-checker`, which has the meaning of
//! everything here.

use crate::logic::{BoolVar, Field, Formula, Logic, Sort, Term, TermRef};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Expr, ExprKind, GlobalId, LocId, LocalId, Operator, ProcId, Scalar, Thread, Type,
};

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a number, address, ... or set.
    Term(TermRef),
    /// Of type `bool`.
    Formula(Formula),
}

impl Value {
    /// The term; the types of the file say that it is one.
    pub fn term(self) -> TermRef {
        match self {
            Value::Term(t) => t,
            Value::Formula(_) => unreachable!("the file is typed: this is no formula"),
        }
    }

    pub fn formula(self) -> Formula {
        match self {
            Value::Formula(f) => f,
            Value::Term(_) => unreachable!("the file is typed: this is a formula"),
        }
    }
}

/// One write to the heap, which makes a new version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    pub field: Field,
    pub address: TermRef,
    /// The value that is written.
    pub value: TermRef,
}

/// Which thread an index or `me` is.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// The block of `me`, where there is one.
    pub me: Option<u32>,
    /// The block of each parameter of the invariant.
    pub parameters: Vec<u32>,
    /// The block of each anchor.
    pub anchors: Vec<(GlobalId, u32)>,
}

impl Threads {
    pub fn block(&self, thread: Thread) -> u32 {
        match thread {
            Thread::Me => self.me,
            Thread::Index(place) => self.parameters.get(place as usize).copied(),
            Thread::Global(global) => {
                self.anchors.iter().find(|(anchor, _)| *anchor == global).map(|(_, block)| *block)
            }
        }
        .expect("the file is resolved: this thread is known")
    }
}

/// What variables are worth.
#[derive(Clone, Debug)]
pub struct Environment {
    globals: Vec<Value>,
    /// For each block its locals.
    locals: Vec<Vec<Value>>,
    /// The writes so far; their number is the heap version.
    pub writes: Vec<Write>,
    /// Where a block is, if it has moved.
    pub moved: Option<(u32, LocId)>,
    /// From where a block has called a procedure, if it just has.
    pub called: Option<(u32, ProcId, LocId)>,
}

impl Environment {
    /// The values before a step, for so many threads.
    pub fn before(system: &System, logic: &mut Logic, blocks: u32) -> Environment {
        let globals = system.globals.iter().enumerate().map(|(place, global)| {
            let id = GlobalId(place as u32);
            variable(logic, global.ty, Term::Global(id.0), BoolVar::Global(id))
        });
        let globals = globals.collect();
        let locals = (0..blocks).map(|block| {
            let locals = system.locals.iter().enumerate().map(|(place, local)| {
                let id = LocalId(place as u32);
                variable(logic, local.ty, Term::Local(id.0, block), BoolVar::Local(id, block))
            });
            locals.collect()
        });
        let locals = locals.collect();
        Environment { globals, locals, writes: Vec::new(), moved: None, called: None }
    }

    pub fn global(&self, id: GlobalId) -> Value {
        self.globals[id.0 as usize]
    }

    pub fn local(&self, id: LocalId, block: u32) -> Value {
        self.locals[block as usize][id.0 as usize]
    }

    pub fn set_global(&mut self, id: GlobalId, value: Value) {
        self.globals[id.0 as usize] = value;
    }

    pub fn set_local(&mut self, id: LocalId, block: u32, value: Value) {
        self.locals[block as usize][id.0 as usize] = value;
    }

    /// The last version that wrote one of these fields.
    pub fn version(&self, fields: &[Field]) -> u32 {
        lowered(&self.writes, self.writes.len() as u32, fields)
    }

    /// What an expression means. `extremes` gets the sets whose minimum or maximum is asked for
    /// outside of the atoms inside.
    pub fn value(
        &self,
        logic: &mut Logic,
        threads: &Threads,
        expr: &Expr,
        extremes: &mut Vec<TermRef>,
    ) -> Value {
        let mut to = Translation { environment: self, logic, threads };
        to.value(expr, extremes)
    }

    /// What a formula means.
    pub fn formula(&self, logic: &mut Logic, threads: &Threads, expr: &Expr) -> Formula {
        self.value(logic, threads, expr, &mut Vec::new()).formula()
    }
}

/// The version `heap` lowered to the last one that wrote one of these fields.
pub fn lowered(writes: &[Write], heap: u32, fields: &[Field]) -> u32 {
    let mut heap = heap;
    while heap > 0 && !fields.contains(&writes[heap as usize - 1].field) {
        heap -= 1;
    }
    heap
}

fn variable(logic: &mut Logic, ty: Type, term: Term, boolean: BoolVar) -> Value {
    match sort_of(ty) {
        None => Value::Formula(logic.boolean(boolean)),
        Some(sort) => Value::Term(logic.mk(term, sort)),
    }
}

/// The sort of a type; nothing for `bool`.
pub fn sort_of(ty: Type) -> Option<Sort> {
    match ty {
        Type::Bool => None,
        Type::Scalar(scalar) => Some(Sort::One(scalar)),
        Type::Set(scalar) => Some(Sort::Many(scalar)),
    }
}

/// A value that a `havoc` chooses.
pub fn new_value(logic: &mut Logic, ty: Type, number: u32) -> Value {
    variable(logic, ty, Term::New(number), BoolVar::New(number))
}

struct Translation<'a> {
    environment: &'a Environment,
    logic: &'a mut Logic,
    threads: &'a Threads,
}

impl Translation<'_> {
    fn formula(&mut self, expr: &Expr) -> Formula {
        self.value(expr, &mut Vec::new()).formula()
    }

    fn term(&mut self, expr: &Expr, extremes: &mut Vec<TermRef>) -> TermRef {
        self.value(expr, extremes).term()
    }

    /// An atom of the file: it holds only if all minima and maxima in it exist.
    fn atom(
        &mut self,
        sides: [&Expr; 2],
        make: impl FnOnce(&mut Logic, TermRef, TermRef) -> Formula,
    ) -> Value {
        let mut extremes = Vec::new();
        let [left, right] = sides.map(|side| self.term(side, &mut extremes));
        let atom = make(self.logic, left, right);
        let mut all = vec![atom];
        extremes.sort_unstable();
        extremes.dedup();
        all.extend(extremes.into_iter().map(|set| self.logic.some(set)).collect::<Vec<Formula>>());
        Value::Formula(self.logic.and(all))
    }

    fn value(&mut self, expr: &Expr, extremes: &mut Vec<TermRef>) -> Value {
        let one = |scalar| Sort::One(scalar);
        match &expr.kind {
            ExprKind::Bool(value) => Value::Formula(Formula::constant(*value)),
            ExprKind::Int(value) => Value::Term(self.logic.int(*value)),
            ExprKind::Null => Value::Term(self.logic.null()),
            ExprKind::Nobody => Value::Term(self.logic.nobody()),
            ExprKind::Lowest => Value::Term(self.logic.mk(Term::Lowest, one(Scalar::Elem))),
            ExprKind::Highest => Value::Term(self.logic.mk(Term::Highest, one(Scalar::Elem))),
            ExprKind::Thread(thread) => {
                let block = self.threads.block(*thread);
                Value::Term(self.logic.thread(block))
            }
            ExprKind::Global(id) => self.environment.global(*id),
            ExprKind::Local(id, thread) => self.environment.local(*id, self.threads.block(*thread)),
            ExprKind::Field(address, field) => {
                let address = self.term(address, extremes);
                let heap = self.environment.version(&[*field]);
                Value::Term(self.logic.read(*field, heap, address))
            }
            ExprKind::At(thread, locations) => {
                let block = self.threads.block(*thread);
                Value::Formula(match self.environment.moved {
                    Some((mover, to)) if mover == block => {
                        Formula::constant(locations.contains(&to))
                    }
                    _ => self.logic.at(block, locations),
                })
            }
            ExprKind::Not(inner) => Value::Formula(!self.formula(inner)),
            ExprKind::Negate(inner) => {
                let inner = self.term(inner, extremes);
                let zero = self.logic.int(0);
                Value::Term(self.logic.add_scaled(zero, -1, inner))
            }
            ExprKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, extremes)
            }
            ExprKind::Set(elements) => {
                let scalar = match expr.ty {
                    Type::Set(scalar) | Type::Scalar(scalar) => scalar,
                    Type::Bool => Scalar::Int,
                };
                let mut set = None;
                for element in elements {
                    let element = self.term(element, extremes);
                    let single = self.logic.set(Term::Singleton(element), scalar);
                    set = Some(match set {
                        None => single,
                        Some(set) => self.logic.set(Term::Union(set, single), scalar),
                    });
                }
                Value::Term(set.unwrap_or_else(|| self.logic.set(Term::Empty, scalar)))
            }
            ExprKind::Min(set) | ExprKind::Max(set) => {
                let set = self.term(set, extremes);
                extremes.push(set);
                let term = match &expr.kind {
                    ExprKind::Min(_) => Term::Min(set),
                    _ => Term::Max(set),
                };
                Value::Term(self.logic.mk(term, one(Scalar::Int)))
            }
            ExprKind::Cells(address) => {
                let address = self.term(address, extremes);
                let heap = self.environment.version(&[Field::Next]);
                Value::Term(self.logic.set(Term::Cells(heap, address), Scalar::Addr))
            }
            ExprKind::Elems(set) => {
                let set = self.term(set, extremes);
                let heap = self.environment.version(&[Field::Data]);
                Value::Term(self.logic.set(Term::Elems(heap, set), Scalar::Elem))
            }
            ExprKind::Reach(from, to) => {
                let heap = self.environment.version(&[Field::Next]);
                self.atom([from, to], |logic, from, to| {
                    let nothing = logic.cut_id(&[]);
                    logic.reach(heap, nothing, from, to)
                })
            }
            ExprKind::Ordered(from, to) => {
                let heap = self.environment.version(&[Field::Next, Field::Data]);
                self.atom([from, to], |logic, from, to| logic.ordered(heap, from, to))
            }
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        extremes: &mut Vec<TermRef>,
    ) -> Value {
        match operator {
            Operator::Add | Operator::Subtract => {
                let (l, r) = (self.term(left, extremes), self.term(right, extremes));
                let factor = if operator == Operator::Add { 1 } else { -1 };
                Value::Term(self.logic.add_scaled(l, factor, r))
            }
            Operator::Multiply => {
                let (l, r) = (self.term(left, extremes), self.term(right, extremes));
                let (constant, parts) = self.logic.linear(l);
                let (factor, other) =
                    if parts.is_empty() { (constant, r) } else { (self.logic.linear(r).0, l) };
                let zero = self.logic.int(0);
                Value::Term(self.logic.add_scaled(zero, factor, other))
            }
            Operator::Equal | Operator::NotEqual => {
                let equal = if left.ty == Type::Bool {
                    let (l, r) = (self.formula(left), self.formula(right));
                    self.logic.iff(l, r)
                } else {
                    self.atom([left, right], |logic, l, r| logic.equal(l, r)).formula()
                };
                Value::Formula(if operator == Operator::Equal { equal } else { !equal })
            }
            Operator::Less | Operator::LessEqual => {
                let numbers = left.ty == Type::Scalar(Scalar::Int);
                self.atom([left, right], |logic, l, r| match (numbers, operator) {
                    (true, Operator::Less) => !logic.at_least(l, r),
                    (true, _) => logic.at_least(r, l),
                    (false, Operator::Less) => logic.less(l, r),
                    (false, _) => logic.le(l, r),
                })
            }
            Operator::In => self.atom([left, right], |logic, l, r| logic.member(l, r)),
            Operator::Subset => self.atom([left, right], |logic, l, r| logic.subset(l, r)),
            Operator::Union | Operator::Difference | Operator::Intersection => {
                let (l, r) = (self.term(left, extremes), self.term(right, extremes));
                let scalar = self.logic.element(l);
                let term = match operator {
                    Operator::Union => Term::Union(l, r),
                    Operator::Difference => Term::Difference(l, r),
                    _ => Term::Intersection(l, r),
                };
                Value::Term(self.logic.set(term, scalar))
            }
            Operator::And | Operator::Or | Operator::Implies | Operator::Iff => {
                let (l, r) = (self.formula(left), self.formula(right));
                Value::Formula(match operator {
                    Operator::And => self.logic.and([l, r]),
                    Operator::Or => self.logic.or([l, r]),
                    Operator::Implies => self.logic.implies(l, r),
                    _ => self.logic.iff(l, r),
                })
            }
        }
    }
}
