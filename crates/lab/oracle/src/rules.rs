//! Small steps: appendix C of the paper, one function for each rule, named as there.
//!
//! A rule takes a configuration and gives all configurations that it leads to: none if it does not
//! apply, several if its premise can be met in several ways. [`small_steps`] tries them all. After
//! the rules of the paper come those of what our language adds, as in 6.2 of `docs/language.md`.

use crate::{Store, Term, TooMuch};
use ser_syntax::ast::{BinaryOp, UnaryOp};
use std::rc::Rc;

/// `<e, rho, g>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Configuration {
    /// What is still to be evaluated.
    pub e: Rc<Term>,
    /// The local variables.
    pub rho: Rc<Store>,
    /// The global variables.
    pub g: Rc<Store>,
}

impl Configuration {
    /// An expression where all variables are 0.
    pub fn new(e: Rc<Term>) -> Configuration {
        Configuration { e, rho: Rc::default(), g: Rc::default() }
    }

    /// The same variables with another expression.
    pub(crate) fn with(&self, e: impl Into<Rc<Term>>) -> Configuration {
        Configuration { e: e.into(), ..self.clone() }
    }
}

type Steps = Result<Vec<Configuration>, TooMuch>;

/// What a rule is.
pub type Rule = fn(&Configuration) -> Steps;

/// All rules, with their names: first those of the paper.
pub const RULES: [(&str, Rule); 37] = [
    ("ND-0", nd_0),
    ("ND-1", nd_1),
    ("LOCAL-READ", local_read),
    ("GLOBAL-READ", global_read),
    ("LOCAL-WRITE-STEP", local_write_step),
    ("LOCAL-WRITE-DONE", local_write_done),
    ("GLOBAL-WRITE-STEP", global_write_step),
    ("GLOBAL-WRITE-DONE", global_write_done),
    ("EQ-L", eq_l),
    ("EQ-R", eq_r),
    ("EQ-T", eq_t),
    ("EQ-F", eq_f),
    ("SEQ-STEP", seq_step),
    ("SEQ-DONE", seq_done),
    ("IF-GUARD", if_guard),
    ("IF-T", if_t),
    ("IF-F", if_f),
    ("WHILE-UNFOLD", while_unfold),
    // What the paper does not have.
    ("IF-OTHER", if_other),
    ("CHOOSE", choose),
    ("UNARY-STEP", unary_step),
    ("NEGATE", negate),
    ("NOT", not),
    ("BINARY-L", binary_l),
    ("BINARY-R", binary_r),
    ("BINARY-DONE", binary_done),
    ("AND-L", and_l),
    ("AND-FALSE", and_false),
    ("AND-TRUE", and_true),
    ("OR-L", or_l),
    ("OR-FALSE", or_false),
    ("OR-TRUE", or_true),
    ("RETURN-STEP", return_step),
    ("RETURN-OUT", return_out),
    ("ABORT-OUT", abort_out),
    ("ASSUME-STEP", assume_step),
    ("ASSUME-TRUE", assume_true),
];

/// Everything that a configuration may become in one small step.
pub fn small_steps(c: &Configuration) -> Steps {
    let mut all = Vec::new();
    for (_, rule) in RULES {
        all.append(&mut rule(c)?);
    }
    Ok(all)
}

const NOTHING: Steps = Ok(Vec::new());

fn becomes(c: &Configuration, e: Term) -> Steps {
    Ok(vec![c.with(e)])
}

/// The premise `<e, rho, g> -> <e', rho', g'>` of a rule, and what it concludes for each such step.
fn premise(c: &Configuration, e: &Rc<Term>, conclude: impl Fn(Rc<Term>) -> Term) -> Steps {
    let steps = small_steps(&c.with(Rc::clone(e)))?;
    Ok(steps
        .into_iter()
        .map(|c| Configuration { e: Rc::new(conclude(c.e.clone())), ..c })
        .collect())
}

fn value(e: &Term) -> Option<i64> {
    match e {
        Term::Value(v) => Some(*v),
        _ => None,
    }
}

/// Values outside of 64 bits are in no V.
fn in_v(result: i128) -> Result<Term, TooMuch> {
    i64::try_from(result).map(Term::Value).map_err(|_| TooMuch::Overflow)
}

/// `store[x -> v]`. A store is a total map: what is not listed is 0, and so 0 is not listed.
fn updated(store: &Store, x: &Rc<str>, v: i64) -> Store {
    let mut store = store.clone();
    match v {
        0 => store.remove(x),
        v => store.insert(x.clone(), v),
    };
    store
}

fn nd_0(c: &Configuration) -> Steps {
    if let Term::Coin = *c.e { becomes(c, Term::Value(0)) } else { NOTHING }
}

fn nd_1(c: &Configuration) -> Steps {
    if let Term::Coin = *c.e { becomes(c, Term::Value(1)) } else { NOTHING }
}

fn local_read(c: &Configuration) -> Steps {
    let Term::Local(x) = &*c.e else { return NOTHING };
    becomes(c, Term::Value(c.rho.get(x).copied().unwrap_or(0)))
}

fn global_read(c: &Configuration) -> Steps {
    let Term::Global(x) = &*c.e else { return NOTHING };
    becomes(c, Term::Value(c.g.get(x).copied().unwrap_or(0)))
}

fn local_write_step(c: &Configuration) -> Steps {
    let Term::SetLocal(x, e) = &*c.e else { return NOTHING };
    premise(c, e, |e| Term::SetLocal(x.clone(), e))
}

fn local_write_done(c: &Configuration) -> Steps {
    let Term::SetLocal(x, e) = &*c.e else { return NOTHING };
    let Some(v) = value(e) else { return NOTHING };
    let rho = Rc::new(updated(&c.rho, x, v));
    Ok(vec![Configuration { rho, ..c.with(Term::Value(v)) }])
}

fn global_write_step(c: &Configuration) -> Steps {
    let Term::SetGlobal(x, e) = &*c.e else { return NOTHING };
    premise(c, e, |e| Term::SetGlobal(x.clone(), e))
}

fn global_write_done(c: &Configuration) -> Steps {
    let Term::SetGlobal(x, e) = &*c.e else { return NOTHING };
    let Some(v) = value(e) else { return NOTHING };
    let g = Rc::new(updated(&c.g, x, v));
    Ok(vec![Configuration { g, ..c.with(Term::Value(v)) }])
}

fn eq_l(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Equal, e1, e2) = &*c.e else { return NOTHING };
    premise(c, e1, |e1| Term::Binary(BinaryOp::Equal, e1, e2.clone()))
}

fn eq_r(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Equal, v1, e2) = &*c.e else { return NOTHING };
    if value(v1).is_none() {
        return NOTHING;
    }
    premise(c, e2, |e2| Term::Binary(BinaryOp::Equal, v1.clone(), e2))
}

fn eq_t(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Equal, e1, e2) = &*c.e else { return NOTHING };
    match (value(e1), value(e2)) {
        (Some(v1), Some(v2)) if v1 == v2 => becomes(c, Term::Value(1)),
        _ => NOTHING,
    }
}

fn eq_f(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Equal, e1, e2) = &*c.e else { return NOTHING };
    match (value(e1), value(e2)) {
        (Some(v1), Some(v2)) if v1 != v2 => becomes(c, Term::Value(0)),
        _ => NOTHING,
    }
}

fn seq_step(c: &Configuration) -> Steps {
    let Term::Sequence(e1, e2) = &*c.e else { return NOTHING };
    premise(c, e1, |e1| Term::Sequence(e1, e2.clone()))
}

fn seq_done(c: &Configuration) -> Steps {
    let Term::Sequence(e1, e2) = &*c.e else { return NOTHING };
    if value(e1).is_some() { Ok(vec![c.with(e2.clone())]) } else { NOTHING }
}

fn if_guard(c: &Configuration) -> Steps {
    let Term::If(e1, e2, e3) = &*c.e else { return NOTHING };
    premise(c, e1, |e1| Term::If(e1, e2.clone(), e3.clone()))
}

fn if_t(c: &Configuration) -> Steps {
    let Term::If(e1, e2, _) = &*c.e else { return NOTHING };
    if value(e1) == Some(1) { Ok(vec![c.with(e2.clone())]) } else { NOTHING }
}

fn if_f(c: &Configuration) -> Steps {
    let Term::If(e1, _, e3) = &*c.e else { return NOTHING };
    if value(e1) == Some(0) { Ok(vec![c.with(e3.clone())]) } else { NOTHING }
}

fn while_unfold(c: &Configuration) -> Steps {
    let Term::While(e1, e2) = &*c.e else { return NOTHING };
    let again = Term::Sequence(e2.clone(), c.e.clone());
    becomes(c, Term::If(e1.clone(), Rc::new(again), Rc::new(Term::Value(0))))
}

// -------------------------------------------------------------------------------------------------
// What the paper does not have

/// The paper knows the conditions 0 and 1; with arithmetic, everything but 0 is true.
fn if_other(c: &Configuration) -> Steps {
    let Term::If(e1, e2, _) = &*c.e else { return NOTHING };
    match value(e1) {
        Some(0 | 1) | None => NOTHING,
        Some(_) => Ok(vec![c.with(e2.clone())]),
    }
}

fn choose(c: &Configuration) -> Steps {
    let Term::Choose(a, b) = *c.e else { return NOTHING };
    if i128::from(b) - i128::from(a) > 10_000 {
        return Err(TooMuch::States);
    }
    Ok((a..=b).map(|v| c.with(Term::Value(v))).collect())
}

fn unary_step(c: &Configuration) -> Steps {
    let Term::Unary(op, e) = &*c.e else { return NOTHING };
    premise(c, e, |e| Term::Unary(*op, e))
}

fn negate(c: &Configuration) -> Steps {
    let Term::Unary(UnaryOp::Negate, e) = &*c.e else { return NOTHING };
    let Some(v) = value(e) else { return NOTHING };
    becomes(c, in_v(-i128::from(v))?)
}

fn not(c: &Configuration) -> Steps {
    let Term::Unary(UnaryOp::Not, e) = &*c.e else { return NOTHING };
    match value(e) {
        None => NOTHING,
        Some(0) => becomes(c, Term::Value(1)),
        Some(_) => becomes(c, Term::Value(0)),
    }
}

/// Operators that evaluate both sides, except for `==`, which has the paper's own rules.
fn is_strict(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::Equal | BinaryOp::And | BinaryOp::Or)
}

fn binary_l(c: &Configuration) -> Steps {
    match &*c.e {
        Term::Binary(op, e1, e2) if is_strict(*op) => {
            premise(c, e1, |e1| Term::Binary(*op, e1, e2.clone()))
        }
        _ => NOTHING,
    }
}

fn binary_r(c: &Configuration) -> Steps {
    match &*c.e {
        Term::Binary(op, v1, e2) if is_strict(*op) && value(v1).is_some() => {
            premise(c, e2, |e2| Term::Binary(*op, v1.clone(), e2))
        }
        _ => NOTHING,
    }
}

/// Nothing is divided by 0: that is stuck.
fn binary_done(c: &Configuration) -> Steps {
    let Term::Binary(op, e1, e2) = &*c.e else { return NOTHING };
    let (Some(v), Some(w)) = (value(e1), value(e2)) else { return NOTHING };
    let (v, w) = (i128::from(v), i128::from(w));
    let result = match op {
        BinaryOp::Add => v + w,
        BinaryOp::Subtract => v - w,
        BinaryOp::Multiply => v * w,
        BinaryOp::NotEqual => i128::from(v != w),
        BinaryOp::Less => i128::from(v < w),
        BinaryOp::LessEqual => i128::from(v <= w),
        BinaryOp::Greater => i128::from(v > w),
        BinaryOp::GreaterEqual => i128::from(v >= w),
        BinaryOp::Divide | BinaryOp::Remainder if w == 0 => return NOTHING,
        // Rounded down: what is left over has the sign of the right side.
        BinaryOp::Divide => (v - remainder(v, w)) / w,
        BinaryOp::Remainder => remainder(v, w),
        BinaryOp::Equal | BinaryOp::And | BinaryOp::Or => return NOTHING,
    };
    becomes(c, in_v(result)?)
}

/// What is between v and the next multiple of w, going from v towards the smaller numbers if w is
/// positive, and towards the larger ones otherwise.
fn remainder(v: i128, w: i128) -> i128 {
    ((v % w) + w) % w
}

fn and_l(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::And, e1, e2) = &*c.e else { return NOTHING };
    premise(c, e1, |e1| Term::Binary(BinaryOp::And, e1, e2.clone()))
}

fn and_false(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::And, e1, _) = &*c.e else { return NOTHING };
    if value(e1) == Some(0) { becomes(c, Term::Value(0)) } else { NOTHING }
}

fn and_true(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::And, e1, e2) = &*c.e else { return NOTHING };
    if value(e1).is_some_and(|v| v != 0) { becomes(c, truth_of(e2)) } else { NOTHING }
}

fn or_l(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Or, e1, e2) = &*c.e else { return NOTHING };
    premise(c, e1, |e1| Term::Binary(BinaryOp::Or, e1, e2.clone()))
}

fn or_false(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Or, e1, e2) = &*c.e else { return NOTHING };
    if value(e1) == Some(0) { becomes(c, truth_of(e2)) } else { NOTHING }
}

fn or_true(c: &Configuration) -> Steps {
    let Term::Binary(BinaryOp::Or, e1, _) = &*c.e else { return NOTHING };
    if value(e1).is_some_and(|v| v != 0) { becomes(c, Term::Value(1)) } else { NOTHING }
}

/// 1 or 0: what the right side of `&&` and `||` counts for.
fn truth_of(e: &Rc<Term>) -> Term {
    Term::Binary(BinaryOp::NotEqual, e.clone(), Rc::new(Term::Value(0)))
}

fn return_step(c: &Configuration) -> Steps {
    let Term::Return(e) = &*c.e else { return NOTHING };
    premise(c, e, Term::Return)
}

/// `return v` leaves whatever is around it, one layer at a time. On its own it makes no small step:
/// it is where a request ends.
fn return_out(c: &Configuration) -> Steps {
    match active(&c.e) {
        Some(e) => match &**e {
            Term::Return(v) if value(v).is_some() => Ok(vec![c.with(e.clone())]),
            _ => NOTHING,
        },
        None => NOTHING,
    }
}

/// `abort` leaves whatever is around it, too, and on its own it makes no small step either.
fn abort_out(c: &Configuration) -> Steps {
    match active(&c.e) {
        Some(e) if **e == Term::Abort => Ok(vec![c.with(e.clone())]),
        _ => NOTHING,
    }
}

fn assume_step(c: &Configuration) -> Steps {
    let Term::Assume(e) = &*c.e else { return NOTHING };
    premise(c, e, Term::Assume)
}

/// There is no rule for `assume(0)`: it is stuck.
fn assume_true(c: &Configuration) -> Steps {
    let Term::Assume(e) = &*c.e else { return NOTHING };
    if value(e).is_some_and(|v| v != 0) { becomes(c, Term::Value(0)) } else { NOTHING }
}

/// The part of an expression that is evaluated next, if it is not the expression itself.
fn active(e: &Term) -> Option<&Rc<Term>> {
    match e {
        Term::SetLocal(_, e)
        | Term::SetGlobal(_, e)
        | Term::Unary(_, e)
        | Term::Sequence(e, _)
        | Term::If(e, _, _)
        | Term::Return(e)
        | Term::Assume(e) => Some(e),
        Term::Binary(op, e1, e2) => match value(e1) {
            Some(_) if matches!(op, BinaryOp::And | BinaryOp::Or) => None,
            Some(_) => Some(e2),
            None => Some(e1),
        },
        Term::Value(_)
        | Term::Coin
        | Term::Choose(..)
        | Term::Local(_)
        | Term::Global(_)
        | Term::While(..)
        | Term::Yield
        | Term::Abort => None,
    }
}

/// What remains after a pause, if the next thing to do is to pause: `e'` for `yield; e'` as in the
/// paper, and in other places the expression with 0 where `yield` was.
pub(crate) fn resume(e: &Rc<Term>) -> Option<Rc<Term>> {
    if let Term::Sequence(e1, e2) = &**e
        && **e1 == Term::Yield
    {
        return Some(e2.clone());
    }
    if **e == Term::Yield {
        return Some(Rc::new(Term::Value(0)));
    }
    let inside = resume(active(e)?)?;
    Some(Rc::new(match &**e {
        Term::SetLocal(x, _) => Term::SetLocal(x.clone(), inside),
        Term::SetGlobal(x, _) => Term::SetGlobal(x.clone(), inside),
        Term::Unary(op, _) => Term::Unary(*op, inside),
        Term::Sequence(_, e2) => Term::Sequence(inside, e2.clone()),
        Term::If(_, e2, e3) => Term::If(inside, e2.clone(), e3.clone()),
        Term::Return(_) => Term::Return(inside),
        Term::Assume(_) => Term::Assume(inside),
        Term::Binary(op, e1, e2) => match value(e1) {
            Some(_) => Term::Binary(*op, e1.clone(), inside),
            None => Term::Binary(*op, inside, e2.clone()),
        },
        _ => return None,
    }))
}
