//! Expressions of the file as terms and formulas, in an environment.

use crate::environment::{Environment, Scope, Value, Variable};
use crate::logic::{BoolVar, Field, Formula, Logic, Sort, Term, TermRef};
use crate::rejection::Reason;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, GlobalId, LocalId, Operator, Scalar, Thread, Type};

/// A set may be written with so many elements.
const MAX_ELEMENTS: usize = 1000;

/// Translates expressions.
pub struct Translator<'a> {
    pub system: &'a System,
    pub logic: &'a mut Logic,
    pub environment: &'a Environment,
    pub scope: Scope<'a>,
    /// Sets whose minimum or maximum was asked for in the atom at hand.
    guards: Vec<TermRef>,
}

/// The front end does not let these through.
fn wrong(what: &str) -> Reason {
    Reason::Source { what: format!("an expression {what}") }
}

impl<'a> Translator<'a> {
    pub fn new(
        system: &'a System,
        logic: &'a mut Logic,
        environment: &'a Environment,
        scope: Scope<'a>,
    ) -> Translator<'a> {
        Translator { system, logic, environment, scope, guards: Vec::new() }
    }

    /// A value of any type.
    pub fn value(&mut self, expr: &Expr) -> Result<Value, Reason> {
        match expr.ty {
            Type::Bool => Ok(Value::Formula(self.formula(expr)?)),
            _ => Ok(Value::Term(self.term(expr)?)),
        }
    }

    pub fn block(&self, thread: Thread) -> Result<u32, Reason> {
        let scope = &self.scope;
        let block = match thread {
            Thread::Me => scope.me,
            Thread::Index(place) => scope.parameters.get(place as usize).copied(),
            Thread::Global(global) => {
                scope.anchors.iter().find(|(anchor, _)| *anchor == global).map(|(_, block)| *block)
            }
        };
        block.ok_or_else(|| wrong("names a thread that is not known here"))
    }

    fn variable(&mut self, variable: Variable) -> Result<Value, Reason> {
        if let Some(value) = self.environment.get(variable) {
            return Ok(value);
        }
        let (ty, term, boolean) = match variable {
            Variable::Global(global) => {
                let found = self.system.globals.get(global as usize).map(|it| it.ty);
                (found, Term::Global(global), BoolVar::Global(GlobalId(global)))
            }
            Variable::Local(local, block) => {
                let found = self.system.locals.get(local as usize).map(|it| it.ty);
                (found, Term::Local(local, block), BoolVar::Local(LocalId(local), block))
            }
        };
        let ty = ty.ok_or_else(|| wrong("names a variable that does not exist"))?;
        Ok(variable_of(self.logic, ty, term, boolean))
    }

    pub fn global(&mut self, global: u32) -> Result<Value, Reason> {
        self.variable(Variable::Global(global))
    }

    pub fn local(&mut self, local: u32, block: u32) -> Result<Value, Reason> {
        self.variable(Variable::Local(local, block))
    }

    /// The current heap version, lowered to the last one that wrote one of these fields.
    fn version(&self, fields: &[Field]) -> u32 {
        let heap = &self.environment.heap;
        heap.lowered(heap.version(), fields)
    }

    /// `.field` in the current heap version.
    pub fn read(&mut self, field: Field, address: TermRef) -> TermRef {
        let version = self.version(&[field]);
        self.logic.read(field, version, address)
    }

    /// `reach(a, b)` in the current heap version.
    pub fn reach(&mut self, a: TermRef, b: TermRef) -> Formula {
        let version = self.version(&[Field::Next]);
        let nothing = self.logic.cut_id(&[]);
        self.logic.reach(version, nothing, a, b)
    }

    /// `factor * t`.
    fn times(&mut self, factor: i64, t: TermRef) -> TermRef {
        let zero = self.logic.int(0);
        self.logic.add_scaled(zero, factor, t)
    }

    /// A value that is no formula.
    pub fn term(&mut self, expr: &Expr) -> Result<TermRef, Reason> {
        use ExprKind as E;
        match &expr.kind {
            E::Int(number) => Ok(self.logic.int(*number)),
            E::Null => Ok(self.logic.null()),
            E::Nobody => Ok(self.logic.nobody()),
            E::Lowest => Ok(self.logic.scalar(Term::Lowest, Scalar::Elem)),
            E::Highest => Ok(self.logic.scalar(Term::Highest, Scalar::Elem)),
            E::Thread(thread) => {
                let block = self.block(*thread)?;
                Ok(self.logic.thread(block))
            }
            E::Global(_) | E::Local(..) => match self.known(expr)? {
                Value::Term(term) => Ok(term),
                Value::Formula(_) => Err(wrong("of type `bool` where a value is wanted")),
            },
            E::Field(address, field) => {
                let address = self.term(address)?;
                Ok(self.read(*field, address))
            }
            E::Negate(inner) => {
                let inner = self.term(inner)?;
                Ok(self.times(-1, inner))
            }
            E::Binary(operator, l, r) => self.binary(*operator, l, r),
            E::Set(elements) => {
                if elements.len() > MAX_ELEMENTS {
                    let what = format!("a set is written with more than {MAX_ELEMENTS} elements");
                    return Err(Reason::Size { what });
                }
                let mut whole = None;
                for element in elements {
                    let element = self.term(element)?;
                    let single = self.logic.singleton(element);
                    whole = Some(match whole {
                        None => single,
                        Some(set) => self.logic.both(Term::Union, set, single),
                    });
                }
                Ok(whole.unwrap_or_else(|| self.logic.mk(Term::Empty, Sort::Many(None))))
            }
            E::Min(set) | E::Max(set) => {
                let set = self.term(set)?;
                self.guards.push(set);
                let is_min = matches!(expr.kind, E::Min(_));
                let term = if is_min { Term::Min(set) } else { Term::Max(set) };
                Ok(self.logic.scalar(term, Scalar::Int))
            }
            E::Cells(address) => {
                let version = self.version(&[Field::Next]);
                let address = self.term(address)?;
                Ok(self.logic.set(Term::Cells(version, address), Scalar::Addr))
            }
            E::Elems(set) => {
                let version = self.version(&[Field::Data]);
                let set = self.term(set)?;
                Ok(self.logic.set(Term::Elems(version, set), Scalar::Elem))
            }
            E::Bool(_) | E::At(..) | E::Not(_) | E::Reach(..) | E::Ordered(..) => {
                Err(wrong("of type `bool` where a value is wanted"))
            }
        }
    }

    fn binary(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<TermRef, Reason> {
        use Operator as O;
        match operator {
            O::Add | O::Subtract => {
                let (l, r) = (self.term(l)?, self.term(r)?);
                Ok(self.logic.add_scaled(l, if operator == O::Add { 1 } else { -1 }, r))
            }
            O::Multiply => {
                let (l, r) = (self.term(l)?, self.term(r)?);
                match (self.logic.linear(l), self.logic.linear(r)) {
                    ((factor, parts), _) if parts.is_empty() => Ok(self.times(factor, r)),
                    (_, (factor, parts)) if parts.is_empty() => Ok(self.times(factor, l)),
                    _ => Err(wrong("that multiplies two variables")),
                }
            }
            O::Union | O::Difference | O::Intersection => {
                let kind = match operator {
                    O::Union => Term::Union,
                    O::Difference => Term::Difference,
                    _ => Term::Intersection,
                };
                let (l, r) = (self.term(l)?, self.term(r)?);
                Ok(self.logic.both(kind, l, r))
            }
            _ => Err(wrong("of type `bool` where a value is wanted")),
        }
    }

    /// The value of a variable.
    fn known(&mut self, expr: &Expr) -> Result<Value, Reason> {
        match &expr.kind {
            ExprKind::Global(global) => self.global(global.0),
            ExprKind::Local(local, thread) => {
                let block = self.block(*thread)?;
                self.local(local.0, block)
            }
            _ => Err(wrong("that is no variable")),
        }
    }

    pub fn formula(&mut self, expr: &Expr) -> Result<Formula, Reason> {
        use ExprKind as E;
        match &expr.kind {
            E::Bool(value) => Ok(Formula::constant(*value)),
            E::Global(_) | E::Local(..) => match self.known(expr)? {
                Value::Formula(formula) => Ok(formula),
                Value::Term(_) => Err(wrong("that is no formula")),
            },
            E::At(thread, locations) => {
                let block = self.block(*thread)?;
                if let Some(known) = self.environment.position.of(block) {
                    return Ok(Formula::constant(locations.contains(&known)));
                }
                match locations.len() {
                    0 => Ok(Formula::FALSE),
                    all if all >= self.system.locations.len() => Ok(Formula::TRUE),
                    _ => Ok(self.logic.at(block, locations)),
                }
            }
            E::Not(inner) => Ok(!self.formula(inner)?),
            E::Binary(operator, l, r) => self.connective(*operator, l, r),
            E::Reach(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                Ok(self.reach(a, b))
            }
            E::Ordered(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let version = self.version(&[Field::Next, Field::Data]);
                Ok(self.logic.ordered(version, a, b))
            }
            _ => Err(wrong("that is no formula")),
        }
    }

    fn connective(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<Formula, Reason> {
        use Operator as O;
        let is_bool = l.ty == Type::Bool;
        match operator {
            O::And => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.logic.and([l, r]))
            }
            O::Or => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.logic.or([l, r]))
            }
            O::Implies => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.logic.implies(l, r))
            }
            O::Iff | O::Equal | O::NotEqual if operator == O::Iff || is_bool => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                let same = self.logic.iff(l, r);
                Ok(same.signed(operator != O::NotEqual))
            }
            O::Equal | O::NotEqual | O::Less | O::LessEqual | O::In | O::Subset => {
                let positive = self.atom(operator, l, r)?;
                Ok(positive.signed(operator != O::NotEqual))
            }
            _ => Err(wrong("that is no formula")),
        }
    }

    /// An atom of the file, which holds only if no set whose minimum or maximum it mentions is
    /// empty. (`!=` as `==`.)
    fn atom(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<Formula, Reason> {
        use Operator as O;
        let outer = std::mem::take(&mut self.guards);
        let of_numbers = l.ty == Type::Scalar(Scalar::Int);
        let (l, r) = (self.term(l)?, self.term(r)?);
        let logic = &mut *self.logic;
        let formula = match operator {
            O::Equal | O::NotEqual => logic.equal(l, r),
            O::Less if of_numbers => !logic.at_least(l, r),
            O::LessEqual if of_numbers => logic.at_least(r, l),
            O::Less => logic.less(l, r),
            O::LessEqual => logic.le(l, r),
            O::In => logic.member(l, r),
            _ => logic.subset(l, r),
        };
        Ok(self.guarded(formula, outer))
    }

    /// An atom, with the guards that were collected for it.
    fn guarded(&mut self, formula: Formula, outer: Vec<TermRef>) -> Formula {
        let mut guards = std::mem::replace(&mut self.guards, outer);
        guards.sort_unstable();
        guards.dedup();
        let mut parts = vec![formula];
        parts.extend(guards.into_iter().map(|set| self.logic.some(set)));
        self.logic.and(parts)
    }

    /// `x == e` for a variable with this value.
    pub fn equation(&mut self, variable: Value, expr: &Expr) -> Result<Formula, Reason> {
        match variable {
            Value::Formula(variable) => {
                let value = self.formula(expr)?;
                Ok(self.logic.iff(variable, value))
            }
            Value::Term(variable) => {
                let outer = std::mem::take(&mut self.guards);
                let value = self.term(expr)?;
                let formula = self.logic.equal(variable, value);
                Ok(self.guarded(formula, outer))
            }
        }
    }
}

impl Logic {
    /// What the `choose` or `malloc` with this number chooses.
    pub fn chosen(&mut self, number: u32, ty: Type) -> Value {
        variable_of(self, ty, Term::New(number), BoolVar::New(number))
    }
}

/// A variable before a step, or something that is chosen.
fn variable_of(logic: &mut Logic, ty: Type, term: Term, boolean: BoolVar) -> Value {
    match Sort::of(ty) {
        None => Value::Formula(logic.boolean(boolean)),
        Some(sort) => Value::Term(logic.mk(term, sort)),
    }
}
