//! What a path does, with terms: facts, obligations, and the environment after it.

use crate::control::{Path, Piece};
use crate::environment::{Environment, Position, Scope, Value, Variable, Write};
use crate::logic::{Atom, Field, Formula, Logic, Sort, TermRef};
use crate::rejection::Reason;
use crate::translate::Translator;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, LocId, Operator, Place, ProcId, Scalar, Type,
};

/// Terms may be nested so deep.
pub(crate) const MAX_DEPTH: u32 = 2000;

/// A path may have so many facts and obligations.
const MAX_ITEMS: usize = 1 << 18;

/// Something on the way of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// It holds, or the path is not taken.
    Fact(Formula),
    /// It has to hold.
    Obligation(Formula),
}

/// A path, executed.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Facts and obligations in their order; obligations only if they were asked for.
    pub items: Vec<Item>,
    /// The types of what was chosen.
    pub chosen: Vec<Type>,
    /// Afterwards.
    pub after: Environment,
}

#[derive(Clone, Copy, Debug)]
pub struct Actor {
    pub me: u32,
    /// How many blocks there are.
    pub blocks: u32,
    pub location: LocId,
    /// Whether obligations are wanted.
    pub obligations: bool,
}

/// Executes a path.
pub fn execute(
    system: &System,
    anchors: &[GlobalId],
    logic: &mut Logic,
    path: &Path<'_>,
    actor: Actor,
    has_site: impl Fn(ProcId) -> bool,
) -> Result<Executed, Reason> {
    let environment = Environment::before(Position::One(actor.me, actor.location));
    let done = Executed { items: Vec::new(), chosen: Vec::new(), after: environment };
    let mut machine = Machine { system, anchors, logic, actor, done, result: None };
    for piece in &path.pieces {
        match piece {
            Piece::Test(condition, outcome) => {
                machine.oblige(condition)?;
                let formula = machine.translator().formula(condition)?;
                machine.fact(formula.signed(*outcome));
            }
            Piece::SiteIs(procedure, call) => {
                let formula = match machine.done.after.site(actor.me, *procedure) {
                    Some(known) => Formula::constant(known == *call),
                    None => machine.logic.of_atom(Atom::Site(*procedure, actor.me, *call)),
                };
                machine.fact(formula);
            }
            Piece::Act(action) => machine.act(action)?,
            Piece::Call(procedure, arguments, call) => {
                let mut values = Vec::new();
                for argument in *arguments {
                    machine.oblige(argument)?;
                    values.push(machine.translator().value(argument)?);
                }
                let called = system.procedures.get(procedure.0 as usize);
                let parameters = called.map_or(&[][..], |it| &it.parameters);
                if parameters.len() != values.len() {
                    return Err(Reason::Source { what: "a call with other arguments".into() });
                }
                for (parameter, value) in parameters.iter().zip(values) {
                    machine.done.after.set(Variable::Local(parameter.0, actor.me), value);
                }
                if has_site(*procedure) {
                    machine.done.after.set_site(actor.me, *procedure, *call);
                }
            }
            Piece::Result(result) => {
                machine.oblige(result)?;
                machine.result = Some(machine.translator().value(result)?);
            }
            Piece::Deliver(place) => {
                let result = machine.result;
                let result = result.ok_or(Reason::Source { what: "a missing result".into() })?;
                machine.assign(place, result)?;
            }
        }
        if machine.logic.deepest() > MAX_DEPTH {
            return Err(Reason::Size { what: "a step nests its values too deeply".into() });
        }
        if machine.done.items.len() > MAX_ITEMS {
            return Err(Reason::Size { what: "a step has too many conditions".into() });
        }
    }
    let mut done = machine.done;
    done.after.position = Position::One(actor.me, path.target);
    Ok(done)
}

struct Machine<'a> {
    system: &'a System,
    anchors: &'a [GlobalId],
    logic: &'a mut Logic,
    actor: Actor,
    done: Executed,
    result: Option<Value>,
}

impl Machine<'_> {
    fn translator(&mut self) -> Translator<'_> {
        let scope = Scope { me: Some(self.actor.me), parameters: &[], anchors: &[] };
        Translator::new(self.system, self.logic, &self.done.after, scope)
    }

    fn fact(&mut self, formula: Formula) {
        if formula != Formula::TRUE {
            self.done.items.push(Item::Fact(formula));
        }
    }

    fn obligation(&mut self, formula: Formula) {
        if self.actor.obligations && formula != Formula::TRUE {
            self.done.items.push(Item::Obligation(formula));
        }
    }

    fn is_null(&mut self, address: TermRef) -> Formula {
        let null = self.logic.null();
        self.logic.equal(address, null)
    }

    fn act(&mut self, action: &Action) -> Result<(), Reason> {
        match &action.kind {
            ActionKind::Assign { target, value } => {
                self.oblige(value)?;
                let value = self.translator().value(value)?;
                self.assign(target, value)
            }
            ActionKind::Havoc { target, condition } => {
                let ty = self.type_of(target)?;
                let value = self.choose(ty);
                self.assign(target, value)?;
                if let Some(condition) = condition {
                    let formula = self.translator().formula(condition)?;
                    self.fact(formula);
                }
                Ok(())
            }
            ActionKind::Malloc { target, data, next } => {
                self.oblige(data)?;
                self.oblige(next)?;
                let data = self.translator().term(data)?;
                let next = self.translator().term(next)?;
                let Value::Term(new) = self.choose(Type::Scalar(Scalar::Addr)) else {
                    return Err(Reason::Source { what: "a formula as an address".into() });
                };
                self.is_fresh(new)?;
                let nobody = self.logic.nobody();
                self.write(Field::Data, new, data);
                self.write(Field::Next, new, next);
                self.write(Field::Lockid, new, nobody);
                self.assign(target, Value::Term(new))
            }
            ActionKind::Lock(address) => {
                let address = self.address(address)?;
                let nobody = self.logic.nobody();
                let lockid = self.translator().read(Field::Lockid, address);
                let free = self.logic.equal(lockid, nobody);
                self.fact(free);
                let me = self.logic.thread(self.actor.me);
                self.write(Field::Lockid, address, me);
                Ok(())
            }
            ActionKind::Unlock(address) => {
                let address = self.address(address)?;
                let me = self.logic.thread(self.actor.me);
                let lockid = self.translator().read(Field::Lockid, address);
                let mine = self.logic.equal(lockid, me);
                self.obligation(mine);
                self.fact(mine);
                let nobody = self.logic.nobody();
                self.write(Field::Lockid, address, nobody);
                Ok(())
            }
            ActionKind::Await(condition) => {
                self.oblige(condition)?;
                let formula = self.translator().formula(condition)?;
                self.fact(formula);
                Ok(())
            }
            ActionKind::Assert(condition) => {
                self.oblige(condition)?;
                let formula = self.translator().formula(condition)?;
                self.obligation(formula);
                self.fact(formula);
                Ok(())
            }
            ActionKind::If { .. } => Err(Reason::Source { what: "an `if` on a path".into() }),
        }
    }

    /// An address that is not `null`.
    fn address(&mut self, expr: &Expr) -> Result<TermRef, Reason> {
        self.oblige(expr)?;
        let address = self.translator().term(expr)?;
        let is_null = self.is_null(address);
        self.obligation(!is_null);
        self.fact(!is_null);
        Ok(address)
    }

    fn write(&mut self, field: Field, address: TermRef, value: TermRef) {
        self.done.after.heap.push(Write { field, address, value });
    }

    fn assign(&mut self, place: &Place, value: Value) -> Result<(), Reason> {
        match place {
            Place::Global(global) => {
                // Their block would no longer be theirs.
                if self.anchors.contains(global) {
                    let what = "a global that names a thread in an invariant is assigned".into();
                    return Err(Reason::Source { what });
                }
                self.done.after.set(Variable::Global(global.0), value);
            }
            Place::Local(local) => {
                self.done.after.set(Variable::Local(local.0, self.actor.me), value);
            }
            Place::Field(address, field) => {
                let address = self.address(address)?;
                let Value::Term(value) = value else {
                    return Err(Reason::Source { what: "a formula in a cell".into() });
                };
                self.write(*field, address, value);
            }
        }
        Ok(())
    }

    fn type_of(&self, place: &Place) -> Result<Type, Reason> {
        let ty = match place {
            Place::Global(global) => self.system.globals.get(global.0 as usize).map(|it| it.ty),
            Place::Local(local) => self.system.locals.get(local.0 as usize).map(|it| it.ty),
            Place::Field(..) => None,
        };
        ty.ok_or(Reason::Source { what: "a choice for something that is no variable".into() })
    }

    /// The next thing that is chosen.
    fn choose(&mut self, ty: Type) -> Value {
        let number = self.done.chosen.len() as u32;
        self.done.chosen.push(ty);
        self.logic.chosen(number, ty)
    }

    /// Facts about a new address.
    fn is_fresh(&mut self, new: TermRef) -> Result<(), Reason> {
        let is_null = self.is_null(new);
        self.fact(!is_null);
        let system = self.system;
        let mut values = Vec::new();
        for (number, global) in system.globals.iter().enumerate() {
            if !global.ghost && holds_addresses(global.ty) {
                values.push(self.translator().global(number as u32)?);
            }
        }
        for block in 0..self.actor.blocks {
            for (number, local) in system.locals.iter().enumerate() {
                if !local.ghost && holds_addresses(local.ty) {
                    values.push(self.translator().local(number as u32, block)?);
                }
            }
        }
        for value in values {
            let Value::Term(value) = value else { continue };
            if let Sort::Many(_) = self.logic.sort(value) {
                let is_in = self.logic.member(new, value);
                self.fact(!is_in);
            } else {
                let same = self.logic.equal(new, value);
                self.fact(!same);
                let is_reached = self.translator().reach(value, new);
                self.fact(!is_reached);
            }
        }
        Ok(())
    }

    /// The obligations of an expression that is evaluated.
    fn oblige(&mut self, expr: &Expr) -> Result<(), Reason> {
        if !self.actor.obligations {
            return Ok(());
        }
        self.oblige_if(expr, expr.ty == Type::Bool, Formula::TRUE)
    }

    /// Likewise, if `condition` holds. In formulas, there are none for minima.
    fn oblige_if(
        &mut self,
        expr: &Expr,
        in_formula: bool,
        condition: Formula,
    ) -> Result<(), Reason> {
        use ExprKind as E;
        match &expr.kind {
            E::Binary(operator @ (Operator::And | Operator::Or | Operator::Implies), l, r) => {
                self.oblige_if(l, in_formula, condition)?;
                let first = self.translator().formula(l)?;
                let first = first.signed(*operator != Operator::Or);
                let condition = self.logic.and([condition, first]);
                self.oblige_if(r, in_formula, condition)
            }
            E::Field(address, _) => {
                self.oblige_if(address, in_formula, condition)?;
                let address = self.translator().term(address)?;
                let is_null = self.is_null(address);
                let obligation = self.logic.implies(condition, !is_null);
                self.obligation(obligation);
                Ok(())
            }
            E::Min(set) | E::Max(set) => {
                self.oblige_if(set, in_formula, condition)?;
                if !in_formula {
                    let set = self.translator().term(set)?;
                    let some = self.logic.some(set);
                    let obligation = self.logic.implies(condition, some);
                    self.obligation(obligation);
                }
                Ok(())
            }
            _ => {
                let mut children = expr.children().into_iter();
                children.try_for_each(|child| self.oblige_if(child, in_formula, condition))
            }
        }
    }
}

/// Whether values of a type are addresses, or have addresses in them.
fn holds_addresses(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Addr) | Type::Set(Scalar::Addr))
}
