//! The value of an expression in a state.
//!
//! In statements, reading through `null` is a fault. In formulas about states (invariants,
//! assumptions, `where`) the cell of `null` is that of
//! [`Cell::default`](ser_invariance_checker::run::Cell). The minimum of the empty set is no number:
//! a comparison (or `in`, `subset`) in which it is written does not hold, and anywhere else it is a
//! fault.

use super::fault::Halt;
use super::memory::{HIGHEST, LOWEST, Layout, Word, tid};
use super::sets::Sets;
use ser_invariance_checker::run::{Fault, FaultKind};
use ser_syntax::inv::ast::{Expr, ExprKind, Field, LocId, Operator, Thread, Type};

/// What an expression is about.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub layout: &'a Layout,
    pub words: &'a [Word],
    /// The thread that `me` is.
    pub me: usize,
    /// The threads that the parameters of an invariant are.
    pub threads: &'a [u32],
    /// Whether this is a statement, in which `null` must not be read.
    pub strict: bool,
    /// Which words are known yet; all, if nothing is said.
    pub known: Option<&'a [bool]>,
}

type Eval = Result<Word, Halt>;

impl Scene<'_> {
    fn read(&self, slot: usize) -> Eval {
        if self.known.is_some_and(|known| !known[slot]) {
            return Err(Halt::Unknown(slot));
        }
        self.words.get(slot).copied().ok_or(Halt::NoThread)
    }

    /// The number of a thread.
    fn thread(&self, thread: Thread) -> Result<usize, Halt> {
        let number = match thread {
            Thread::Me => Some(self.me),
            Thread::Index(place) => self.threads.get(place as usize).map(|thread| *thread as usize),
            Thread::Global(global) => {
                let word = self.read(self.layout.global(global))?;
                usize::try_from(word - 1).ok()
            }
        };
        number.filter(|number| *number < self.layout.threads).ok_or(Halt::NoThread)
    }

    /// A field of any address.
    fn field(&self, address: Word, field: Field) -> Eval {
        match address {
            0 => Ok(0),
            _ => self.read(self.layout.field(address, field)),
        }
    }

    /// Follows `next` from a cell until `done` says so. Ends at `null`, or after a whole round.
    fn walk(
        &self,
        from: Word,
        mut done: impl FnMut(&Self, Word) -> Result<bool, Halt>,
    ) -> Result<bool, Halt> {
        let mut at = from;
        for _ in 0..=self.layout.cells {
            if done(self, at)? {
                return Ok(true);
            }
            if at == 0 {
                return Ok(false);
            }
            at = self.field(at, Field::Next)?;
        }
        Ok(false)
    }
}

/// The value of an expression.
pub(super) fn eval(sets: &mut Sets, scene: &Scene<'_>, expr: &Expr) -> Eval {
    Ok(match &expr.kind {
        ExprKind::Bool(value) => Word::from(*value),
        ExprKind::Int(value) => *value,
        ExprKind::Null | ExprKind::Nobody => 0,
        ExprKind::Lowest => LOWEST,
        ExprKind::Highest => HIGHEST,
        ExprKind::Thread(thread) => tid(scene.thread(*thread)?),
        ExprKind::Global(global) => scene.read(scene.layout.global(*global))?,
        ExprKind::Local(local, thread) => {
            let thread = scene.thread(*thread)?;
            scene.read(scene.layout.local(thread, *local))?
        }
        ExprKind::Field(address, field) => {
            let address = eval(sets, scene, address)?;
            if address == 0 && scene.strict {
                return Err(Fault { kind: FaultKind::NullRead, span: expr.span }.into());
            }
            scene.field(address, *field)?
        }
        ExprKind::At(thread, locations) => {
            let thread = scene.thread(*thread)?;
            let at = scene.read(scene.layout.location(thread))?;
            Word::from(is_among(at, locations))
        }
        ExprKind::Not(inner) => 1 - eval(sets, scene, inner)?,
        ExprKind::Negate(inner) => eval(sets, scene, inner)?.checked_neg().ok_or(Halt::Overflow)?,
        ExprKind::Binary(operator, left, right) => {
            return binary(sets, scene, Operation { operator: *operator, left, right });
        }
        ExprKind::Set(items) => {
            let items: Result<Vec<Word>, Halt> =
                items.iter().map(|item| eval(sets, scene, item)).collect();
            sets.number(items?)
        }
        ExprKind::Min(set) | ExprKind::Max(set) => {
            let set = eval(sets, scene, set)?;
            let members = sets.members(set);
            let extreme = match expr.kind {
                ExprKind::Min(_) => members.first(),
                _ => members.last(),
            };
            *extreme.ok_or(Fault { kind: FaultKind::EmptySet, span: expr.span })?
        }
        ExprKind::Cells(from) => {
            let from = eval(sets, scene, from)?;
            let mut cells = Vec::new();
            scene.walk(from, |_, cell| {
                cells.push(cell);
                Ok(false)
            })?;
            sets.number(cells)
        }
        ExprKind::Elems(cells) => {
            let cells = eval(sets, scene, cells)?;
            let elems: Result<Vec<Word>, Halt> =
                sets.members(cells).iter().map(|cell| scene.field(*cell, Field::Data)).collect();
            sets.number(elems?)
        }
        ExprKind::Reach(from, to) => {
            let (from, to) = (eval(sets, scene, from)?, eval(sets, scene, to)?);
            Word::from(scene.walk(from, |_, cell| Ok(cell == to))?)
        }
        ExprKind::Ordered(from, to) => {
            let (from, to) = (eval(sets, scene, from)?, eval(sets, scene, to)?);
            let mut last = None;
            let mut grows = true;
            let reached = scene.walk(from, |scene, cell| {
                let data = scene.field(cell, Field::Data)?;
                grows = grows && last.is_none_or(|last| last < data);
                last = Some(data);
                Ok(cell == to || !grows)
            })?;
            Word::from(reached && grows)
        }
    })
}

fn is_among(at: Word, locations: &[LocId]) -> bool {
    let (Some(first), Some(last)) = (locations.first(), locations.last()) else {
        return false;
    };
    let (low, high) = (Word::from(first.0), Word::from(last.0));
    if at < low || at > high {
        return false;
    }
    let has_gaps = high - low + 1 != locations.len() as Word;
    !has_gaps || locations.binary_search_by_key(&at, |location| Word::from(location.0)).is_ok()
}

/// An operator between two expressions.
#[derive(Clone, Copy)]
struct Operation<'e> {
    operator: Operator,
    left: &'e Expr,
    right: &'e Expr,
}

fn binary(sets: &mut Sets, scene: &Scene<'_>, operation: Operation<'_>) -> Eval {
    let Operation { operator, left, right } = operation;
    match operator {
        Operator::And => match eval(sets, scene, left)? {
            0 => Ok(0),
            _ => eval(sets, scene, right),
        },
        Operator::Or => match eval(sets, scene, left)? {
            0 => eval(sets, scene, right),
            _ => Ok(1),
        },
        Operator::Implies => match eval(sets, scene, left)? {
            0 => Ok(1),
            _ => eval(sets, scene, right),
        },
        Operator::Iff => {
            let (left, right) = (eval(sets, scene, left)?, eval(sets, scene, right)?);
            Ok(Word::from(left == right))
        }
        Operator::Equal | Operator::NotEqual if left.ty == Type::Bool => {
            let (left, right) = (eval(sets, scene, left)?, eval(sets, scene, right)?);
            Ok(Word::from((left == right) == (operator == Operator::Equal)))
        }
        // `x != y` is `!(x == y)`: it holds if one of them is the minimum of an empty set.
        Operator::NotEqual => {
            let equal = Operation { operator: Operator::Equal, ..operation };
            comparison(sets, scene, equal).map(|equal| 1 - equal)
        }
        Operator::Equal
        | Operator::Less
        | Operator::LessEqual
        | Operator::In
        | Operator::Subset => comparison(sets, scene, operation),
        Operator::Add | Operator::Subtract | Operator::Multiply => {
            let (left, right) = (eval(sets, scene, left)?, eval(sets, scene, right)?);
            let result = match operator {
                Operator::Add => left.checked_add(right),
                Operator::Subtract => left.checked_sub(right),
                _ => left.checked_mul(right),
            };
            result.ok_or(Halt::Overflow)
        }
        Operator::Union | Operator::Difference | Operator::Intersection => {
            let (left, right) = (eval(sets, scene, left)?, eval(sets, scene, right)?);
            Ok(match operator {
                Operator::Union => sets.union(left, right),
                Operator::Difference => sets.difference(left, right),
                _ => sets.intersection(left, right),
            })
        }
    }
}

/// A comparison, which does not hold if there is the minimum of an empty set in it.
fn comparison(sets: &mut Sets, scene: &Scene<'_>, operation: Operation<'_>) -> Eval {
    match atom(sets, scene, operation) {
        Err(Halt::Fault(Fault { kind: FaultKind::EmptySet, .. })) => Ok(0),
        outcome => outcome.map(Word::from),
    }
}

fn atom(sets: &mut Sets, scene: &Scene<'_>, operation: Operation<'_>) -> Result<bool, Halt> {
    let Operation { operator, left, right } = operation;
    let value = eval(sets, scene, left)?;
    if operator == Operator::In {
        return is_in(sets, scene, value, right);
    }
    let other = eval(sets, scene, right)?;
    Ok(match operator {
        Operator::Equal => value == other,
        Operator::Less => value < other,
        Operator::LessEqual => value <= other,
        _ => sets.is_subset(value, other),
    })
}

/// Membership by the structure of the set. All parts are evaluated: each may be a fault.
fn is_in(sets: &mut Sets, scene: &Scene<'_>, value: Word, set: &Expr) -> Result<bool, Halt> {
    match &set.kind {
        ExprKind::Binary(Operator::Union, left, right) => {
            Ok(is_in(sets, scene, value, left)? | is_in(sets, scene, value, right)?)
        }
        ExprKind::Binary(Operator::Difference, left, right) => {
            Ok(is_in(sets, scene, value, left)? & !is_in(sets, scene, value, right)?)
        }
        ExprKind::Set(items) => {
            let mut found = false;
            for item in items {
                found |= eval(sets, scene, item)? == value;
            }
            Ok(found)
        }
        _ => {
            let set = eval(sets, scene, set)?;
            Ok(sets.contains(set, value))
        }
    }
}
