//! What an expression means in a state of which only a part is known, and what a path does to it.
//!
//! Written from the text of `ser-invariance-checker` alone, for small states: every value is a
//! number, a set is a row of bits. A state is a table of *slots* (a variable, a field of a cell,
//! whether something is in a set); whoever needs a slot that is not filled yet says so, and the
//! search fills it with all that is possible. So nothing is enumerated that does not matter.

use rustc_hash::FxHashMap;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, Field, GlobalId, LocId, LocalId, Operator, Place, Scalar,
    Thread, Type,
};

/// `nobody`.
pub const NOBODY: i64 = -1;
/// `lowest`.
pub const LOWEST: i64 = -60;
/// `highest`.
pub const HIGHEST: i64 = 60;

/// Bit `v + 64` for the number `v`.
type Bits = u128;

/// A set of which a part is known.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    /// What is in it.
    yes: Bits,
    /// What may be in it.
    may: Bits,
    /// A slot that would tell more, if there is one.
    need: Option<(Slot, Type)>,
}

impl Many {
    fn known(bits: Bits) -> Many {
        Many { yes: bits, may: bits, need: None }
    }

    fn union(self, other: Many) -> Many {
        let need = self.need.or(other.need);
        Many { yes: self.yes | other.yes, may: self.may | other.may, need }
    }

    fn intersection(self, other: Many) -> Many {
        let need = self.need.or(other.need);
        Many { yes: self.yes & other.yes, may: self.may & other.may, need }
    }

    fn difference(self, other: Many) -> Many {
        let need = self.need.or(other.need);
        Many { yes: self.yes & !other.may, may: self.may & !other.yes, need }
    }

    /// All of it, or what must be known for that.
    fn all(self) -> Result<Bits, Stop> {
        if self.yes == self.may { Ok(self.yes) } else { Err(self.more()) }
    }

    fn more(self) -> Stop {
        let (slot, ty) = self.need.expect("what is not known is a slot");
        Stop::Need(slot, ty)
    }

    fn is_subset(self, other: Many) -> Result<bool, Stop> {
        if self.yes & !other.may != 0 {
            Ok(false)
        } else if self.may & !other.yes == 0 {
            Ok(true)
        } else {
            Err(Many { need: self.need.or(other.need), ..self }.more())
        }
    }
}

fn bit(value: i64) -> Result<Bits, Stop> {
    u32::try_from(value + 64).ok().and_then(|shift| 1_u128.checked_shl(shift)).ok_or(Stop::TooLarge)
}

/// A variable before the step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    Global(u32),
    Local(u32, u32),
    /// What a `choose` or `malloc` of the path chooses.
    New(u32),
}

/// A part of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    One(Variable),
    /// Whether something is in a set.
    Has(Variable, i64),
    At(u32),
    Of(Field, i64),
}

/// Why there is no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// This must be known.
    Need(Slot, Type),
    /// The minimum of the empty set.
    Empty,
    /// A number does not fit into a set of this kind.
    TooLarge,
}

#[derive(Clone, Copy, Debug)]
pub enum Val {
    One(i64),
    Many(Many),
}

impl Val {
    fn one(self) -> i64 {
        match self {
            Val::One(value) => value,
            Val::Many(_) => panic!("typed: no set"),
        }
    }

    fn many(self) -> Many {
        match self {
            Val::Many(value) => value,
            Val::One(_) => panic!("typed: a set"),
        }
    }
}

type Eval<V> = Result<V, Stop>;

/// The values that there are.
#[derive(Clone, Debug)]
pub struct Universe {
    pub ints: Vec<i64>,
    pub tids: Vec<i64>,
    pub cells: i64,
    pub elems: Vec<i64>,
    pub locations: i64,
}

impl Universe {
    pub fn all(&self, ty: Type) -> Vec<i64> {
        match ty {
            Type::Bool => vec![0, 1],
            Type::Scalar(scalar) | Type::Set(scalar) => match scalar {
                Scalar::Int => self.ints.clone(),
                Scalar::Tid => self.tids.clone(),
                Scalar::Addr => (0..=self.cells).collect(),
                Scalar::Elem => self.elems.clone(),
            },
        }
    }
}

/// A state of which some slots are known.
pub struct Partial<'a> {
    pub system: &'a System,
    pub universe: Universe,
    pub slots: FxHashMap<Slot, i64>,
    /// Whether slots that are not there are 0, `null`, `nobody`, or nothing.
    pub complete: bool,
}

/// What has changed since the state before the step.
#[derive(Clone, Default, Debug)]
pub struct Changes {
    values: Vec<(Variable, Val)>,
    writes: Vec<(Field, i64, i64)>,
    pub moved: Option<(u32, LocId)>,
    chosen: u32,
}

/// Whom an expression speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    pub me: Option<u32>,
    pub parameters: &'a [u32],
}

/// A piece of a path.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'s> {
    Do(&'s Action),
    Test(&'s Expr, bool),
}

/// All paths through actions, in their order.
pub fn ways<'s>(actions: &'s [Action]) -> Vec<Vec<Piece<'s>>> {
    let mut all: Vec<Vec<Piece<'s>>> = vec![Vec::new()];
    for action in actions {
        if let ActionKind::If { condition, then, otherwise } = &action.kind {
            let mut split = Vec::new();
            for way in all {
                for (branch, outcome) in [(then, true), (otherwise, false)] {
                    for rest in ways(branch) {
                        let mut longer = way.clone();
                        longer.push(Piece::Test(condition, outcome));
                        longer.extend(rest);
                        split.push(longer);
                    }
                }
            }
            all = split;
        } else {
            all.iter_mut().for_each(|way| way.push(Piece::Do(action)));
        }
    }
    all
}

/// A state in the middle of a step.
pub struct Scene<'a> {
    pub state: &'a Partial<'a>,
    pub changes: Changes,
}

impl<'a> Scene<'a> {
    pub fn before(state: &'a Partial<'a>) -> Scene<'a> {
        Scene { state, changes: Changes::default() }
    }

    fn slot(&self, slot: Slot, ty: Type) -> Eval<i64> {
        match self.state.slots.get(&slot) {
            Some(value) => Ok(*value),
            None if self.state.complete => {
                let nobody = ty == Type::Scalar(Scalar::Tid);
                Ok(if nobody { NOBODY } else { 0 })
            }
            None => Err(Stop::Need(slot, ty)),
        }
    }

    fn variable(&self, variable: Variable, ty: Type) -> Eval<Val> {
        if let Some((_, value)) = self.changes.values.iter().rev().find(|(it, _)| *it == variable) {
            return Ok(*value);
        }
        match ty {
            Type::Set(_) => {
                let mut set = Many::known(0);
                for member in self.state.universe.all(ty) {
                    match self.slot(Slot::Has(variable, member), Type::Bool) {
                        Ok(0) => {}
                        Ok(_) => {
                            set.yes |= bit(member)?;
                            set.may |= bit(member)?;
                        }
                        Err(Stop::Need(slot, ty)) => {
                            set.may |= bit(member)?;
                            set.need.get_or_insert((slot, ty));
                        }
                        Err(stop) => return Err(stop),
                    }
                }
                Ok(Val::Many(set))
            }
            _ => Ok(Val::One(self.slot(Slot::One(variable), ty)?)),
        }
    }

    fn global(&self, id: GlobalId) -> Eval<Val> {
        self.variable(Variable::Global(id.0), self.state.system.globals[id.0 as usize].ty)
    }

    fn local(&self, id: LocalId, block: u32) -> Eval<Val> {
        self.variable(Variable::Local(id.0, block), self.state.system.locals[id.0 as usize].ty)
    }

    fn field(&self, field: Field, address: i64) -> Eval<i64> {
        let written = self.changes.writes.iter().rev();
        let written = written.filter(|(it, at, _)| (*it, *at) == (field, address));
        // Nothing changes the cell of `null`.
        if let (Some((_, _, value)), true) = (written.clone().next(), address != 0) {
            return Ok(*value);
        }
        match field {
            Field::Next if address == 0 => Ok(0),
            Field::Lockid if address == 0 => Ok(NOBODY),
            Field::Next => self.slot(Slot::Of(field, address), Type::Scalar(Scalar::Addr)),
            Field::Data => self.slot(Slot::Of(field, address), Type::Scalar(Scalar::Elem)),
            Field::Lockid => self.slot(Slot::Of(field, address), Type::Scalar(Scalar::Tid)),
        }
    }

    fn thread(&self, who: Who<'_>, thread: Thread) -> Eval<u32> {
        Ok(match thread {
            Thread::Me => who.me.expect("inside of a step"),
            Thread::Index(place) => who.parameters[place as usize],
            Thread::Global(id) => u32::try_from(self.global(id)?.one()).expect("a thread"),
        })
    }

    /// The cells from one on, in their order, each once.
    fn chain(&self, from: i64) -> Eval<Vec<i64>> {
        let mut cells = vec![from];
        let mut at = from;
        while at != 0 {
            at = self.field(Field::Next, at)?;
            if cells.contains(&at) {
                break;
            }
            cells.push(at);
        }
        Ok(cells)
    }

    /// Whether one comes from a cell to another; looks no further than needed.
    fn reaches(&self, from: i64, to: i64) -> Eval<bool> {
        let mut seen = vec![from];
        let mut at = from;
        while at != to {
            if at == 0 {
                return Ok(false);
            }
            at = self.field(Field::Next, at)?;
            if at != to && seen.contains(&at) {
                return Ok(false);
            }
            seen.push(at);
        }
        Ok(true)
    }

    /// The value of an expression.
    pub fn value(&self, who: Who<'_>, expr: &Expr) -> Eval<Val> {
        let one = |inner: &Expr| self.value(who, inner).map(Val::one);
        let many = |inner: &Expr| self.value(who, inner).map(Val::many);
        Ok(match &expr.kind {
            ExprKind::Int(value) => Val::One(*value),
            ExprKind::Null => Val::One(0),
            ExprKind::Nobody => Val::One(NOBODY),
            ExprKind::Lowest => Val::One(LOWEST),
            ExprKind::Highest => Val::One(HIGHEST),
            ExprKind::Thread(thread) => Val::One(i64::from(self.thread(who, *thread)?)),
            ExprKind::Global(id) => self.global(*id)?,
            ExprKind::Local(id, thread) => self.local(*id, self.thread(who, *thread)?)?,
            ExprKind::Field(address, field) => Val::One(self.field(*field, one(address)?)?),
            ExprKind::Negate(inner) => Val::One(-one(inner)?),
            ExprKind::Set(items) => {
                let mut bits = 0;
                for item in items {
                    bits |= bit(one(item)?)?;
                }
                Val::Many(Many::known(bits))
            }
            ExprKind::Min(set) => {
                let set = many(set)?;
                match (set.yes.trailing_zeros(), set.may.trailing_zeros()) {
                    (_, 128) => return Err(Stop::Empty),
                    (low, lowest) if low == lowest => Val::One(i64::from(low) - 64),
                    _ => return Err(set.more()),
                }
            }
            ExprKind::Max(set) => {
                let set = many(set)?;
                match (set.yes.leading_zeros(), set.may.leading_zeros()) {
                    (_, 128) => return Err(Stop::Empty),
                    (high, highest) if high == highest => Val::One(63 - i64::from(high)),
                    _ => return Err(set.more()),
                }
            }
            ExprKind::Cells(from) => {
                let mut bits = 0;
                for cell in self.chain(one(from)?)? {
                    bits |= bit(cell)?;
                }
                Val::Many(Many::known(bits))
            }
            ExprKind::Elems(set) => {
                let set = many(set)?.all()?;
                let mut bits = 0;
                for cell in 0..64 {
                    if set & bit(cell)? != 0 {
                        bits |= bit(self.field(Field::Data, cell)?)?;
                    }
                }
                Val::Many(Many::known(bits))
            }
            ExprKind::Binary(Operator::Add, l, r) => Val::One(one(l)? + one(r)?),
            ExprKind::Binary(Operator::Subtract, l, r) => Val::One(one(l)? - one(r)?),
            ExprKind::Binary(Operator::Multiply, l, r) => Val::One(one(l)? * one(r)?),
            ExprKind::Binary(Operator::Union, l, r) => Val::Many(many(l)?.union(many(r)?)),
            ExprKind::Binary(Operator::Intersection, l, r) => {
                Val::Many(many(l)?.intersection(many(r)?))
            }
            ExprKind::Binary(Operator::Difference, l, r) => {
                Val::Many(many(l)?.difference(many(r)?))
            }
            _ => Val::One(i64::from(self.holds(who, expr)?)),
        })
    }

    /// Whether a formula holds: also if not all of it is known, if that does not matter.
    pub fn holds(&self, who: Who<'_>, expr: &Expr) -> Eval<bool> {
        match &expr.kind {
            ExprKind::Bool(value) => Ok(*value),
            ExprKind::Global(_) | ExprKind::Local(..) => Ok(self.value(who, expr)?.one() == 1),
            ExprKind::At(thread, locations) => {
                let thread = self.thread(who, *thread)?;
                let at = match self.changes.moved {
                    Some((mover, to)) if mover == thread => i64::from(to.0),
                    _ => self.slot(Slot::At(thread), Type::Scalar(Scalar::Int))?,
                };
                Ok(locations.iter().any(|location| i64::from(location.0) == at))
            }
            ExprKind::Not(inner) => self.holds(who, inner).map(|value| !value),
            ExprKind::Reach(from, to) => {
                let (from, to) = (self.value(who, from)?.one(), self.value(who, to)?.one());
                self.reaches(from, to)
            }
            ExprKind::Ordered(from, to) => {
                let (from, to) = (self.value(who, from)?.one(), self.value(who, to)?.one());
                if !self.reaches(from, to)? {
                    return Ok(false);
                }
                let mut at = from;
                while at != to {
                    let next = self.field(Field::Next, at)?;
                    if self.field(Field::Data, at)? >= self.field(Field::Data, next)? {
                        return Ok(false);
                    }
                    at = next;
                }
                Ok(true)
            }
            ExprKind::Binary(operator, l, r) => self.binary(who, *operator, l, r),
            _ => panic!("typed: a formula"),
        }
    }

    fn either(&self, l: Eval<bool>, r: Eval<bool>) -> Eval<bool> {
        match (l, r) {
            (Ok(true), _) | (_, Ok(true)) => Ok(true),
            (Ok(false), r) => r,
            (l, _) => l,
        }
    }

    fn binary(&self, who: Who<'_>, operator: Operator, l: &Expr, r: &Expr) -> Eval<bool> {
        let formulas = || (self.holds(who, l), self.holds(who, r));
        match operator {
            Operator::Or => {
                let (l, r) = formulas();
                self.either(l, r)
            }
            Operator::And => {
                let (l, r) = formulas();
                self.either(l.map(|it| !it), r.map(|it| !it)).map(|it| !it)
            }
            Operator::Implies => {
                let (l, r) = formulas();
                self.either(l.map(|it| !it), r)
            }
            Operator::Iff => Ok(self.holds(who, l)? == self.holds(who, r)?),
            Operator::Equal if l.ty == Type::Bool => Ok(self.holds(who, l)? == self.holds(who, r)?),
            Operator::NotEqual if l.ty == Type::Bool => {
                Ok(self.holds(who, l)? != self.holds(who, r)?)
            }
            Operator::NotEqual => self.atom(who, Operator::Equal, l, r).map(|it| !it),
            _ => self.atom(who, operator, l, r),
        }
    }

    /// A comparison: nothing compares with the minimum of the empty set.
    fn atom(&self, who: Who<'_>, operator: Operator, l: &Expr, r: &Expr) -> Eval<bool> {
        match self.compare(who, operator, l, r) {
            Err(Stop::Empty) => Ok(false),
            outcome => outcome,
        }
    }

    fn compare(&self, who: Who<'_>, operator: Operator, l: &Expr, r: &Expr) -> Eval<bool> {
        let (left, right) = (self.value(who, l)?, self.value(who, r)?);
        Ok(match (operator, left, right) {
            (Operator::Equal, Val::One(left), Val::One(right)) => left == right,
            (Operator::Equal, Val::Many(left), Val::Many(right)) => {
                let (there, back) = (left.is_subset(right), right.is_subset(left));
                !self.either(there.map(|it| !it), back.map(|it| !it))?
            }
            (Operator::Less, Val::One(left), Val::One(right)) => left < right,
            (Operator::LessEqual, Val::One(left), Val::One(right)) => left <= right,
            (Operator::In, Val::One(left), Val::Many(right)) => {
                Many::known(bit(left)?).is_subset(right)?
            }
            (Operator::Subset, Val::Many(left), Val::Many(right)) => left.is_subset(right)?,
            _ => panic!("typed: a comparison"),
        })
    }

    /// Does the pieces of a path, one after the other; `false` if it is not possible.
    pub fn run(&mut self, mover: u32, blocks: u32, pieces: &[Piece<'_>]) -> Eval<bool> {
        let who = Who { me: Some(mover), parameters: &[] };
        for piece in pieces {
            let possible = match piece {
                Piece::Test(condition, outcome) => self.holds(who, condition)? == *outcome,
                Piece::Do(action) => self.act(who, mover, blocks, action)?,
            };
            if !possible {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn act(&mut self, who: Who<'_>, mover: u32, blocks: u32, action: &Action) -> Eval<bool> {
        match &action.kind {
            ActionKind::Assign { target, value } => {
                let value = self.value(who, value)?;
                self.assign(who, mover, target, value)
            }
            ActionKind::Havoc { target, condition } => {
                let ty = match target {
                    Place::Global(id) => self.state.system.globals[id.0 as usize].ty,
                    Place::Local(id) => self.state.system.locals[id.0 as usize].ty,
                    Place::Field(..) => panic!("resolved: a variable"),
                };
                let value = self.choose(ty)?;
                self.assign(who, mover, target, value)?;
                condition.as_ref().map_or(Ok(true), |condition| self.holds(who, condition))
            }
            ActionKind::Malloc { target, data, next } => {
                let (data, next) = (self.value(who, data)?.one(), self.value(who, next)?.one());
                let new = self.choose(Type::Scalar(Scalar::Addr))?;
                if !self.is_free(blocks, new.one())? {
                    return Ok(false);
                }
                let fields = [(Field::Data, data), (Field::Next, next), (Field::Lockid, NOBODY)];
                for (field, value) in fields {
                    self.changes.writes.push((field, new.one(), value));
                }
                self.assign(who, mover, target, new)
            }
            ActionKind::Lock(at) => {
                let at = self.value(who, at)?.one();
                if at == 0 || self.field(Field::Lockid, at)? != NOBODY {
                    return Ok(false);
                }
                self.changes.writes.push((Field::Lockid, at, i64::from(mover)));
                Ok(true)
            }
            ActionKind::Unlock(at) => {
                let at = self.value(who, at)?.one();
                if at == 0 || self.field(Field::Lockid, at)? != i64::from(mover) {
                    return Ok(false);
                }
                self.changes.writes.push((Field::Lockid, at, NOBODY));
                Ok(true)
            }
            ActionKind::Await(condition) | ActionKind::Assert(condition) => {
                self.holds(who, condition)
            }
            ActionKind::If { .. } => panic!("a path has no branches"),
        }
    }

    fn choose(&mut self, ty: Type) -> Eval<Val> {
        let number = self.changes.chosen;
        self.changes.chosen += 1;
        self.variable(Variable::New(number), ty)
    }

    fn is_free(&self, blocks: u32, new: i64) -> Eval<bool> {
        if new == 0 {
            return Ok(false);
        }
        let system = self.state.system;
        let globals = (0..system.globals.len() as u32).map(|g| (Variable::Global(g), g, true));
        let locals = (0..blocks).flat_map(|block| {
            (0..system.locals.len() as u32).map(move |l| (Variable::Local(l, block), l, false))
        });
        for (variable, place, global) in globals.chain(locals) {
            let ty = match global {
                true => system.globals[place as usize].ty,
                false => system.locals[place as usize].ty,
            };
            match ty {
                Type::Set(Scalar::Addr) => {
                    let set = self.variable(variable, ty)?.many();
                    if Many::known(bit(new)?).is_subset(set)? {
                        return Ok(false);
                    }
                }
                Type::Scalar(Scalar::Addr) => {
                    let from = self.variable(variable, ty)?.one();
                    if from == new || self.reaches(from, new)? {
                        return Ok(false);
                    }
                }
                _ => {}
            }
        }
        Ok(true)
    }

    fn assign(&mut self, who: Who<'_>, mover: u32, target: &Place, value: Val) -> Eval<bool> {
        match target {
            Place::Global(id) => self.changes.values.push((Variable::Global(id.0), value)),
            Place::Local(id) => self.changes.values.push((Variable::Local(id.0, mover), value)),
            Place::Field(address, field) => {
                let address = self.value(who, address)?.one();
                if address == 0 {
                    return Ok(false);
                }
                self.changes.writes.push((*field, address, value.one()));
            }
        }
        Ok(true)
    }
}
