//! `with lock { ... }`, written out.
//!
//! A lock is a shared variable for a thread that has it, or `nobody`, and changes here only. It is
//! taken in a step that waits until nobody has it, also not the thread itself; it is given back in
//! a step behind the last one of the block. A name before `with` is that of all locations at which
//! the lock is held: those of the block, and the one where it is given back. `return`, `break` and
//! `continue` give back what was taken around them, in their own step: after the value of `return`
//! is known. In the process, `return` is no step, and an error there.

use super::expressions::bare;
use super::statements::{Around, falls_through};
use super::types::TID;
use super::{Resolver, Thing};
use crate::ast::{self, Block, ExprKind as Source, Name};
use crate::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, Operator, Place, Step, Stmt, StmtKind, Thread,
    Type,
};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

/// The message about an assignment to a lock.
pub(super) fn taken_by(name: &Name) -> Diagnostic {
    name.error("not-assignable", "is a lock and cannot be assigned", "not assigned")
        .with_help(format!("take it for as long as a block runs: `with {} {{ ... }}`", name.text))
}

fn set(lock: GlobalId, to: ExprKind, span: Span) -> Action {
    let (target, value) = (Place::Global(lock), Expr { span, ty: TID, kind: to });
    Action { span, kind: ActionKind::Assign { target, value } }
}

impl<'f> Resolver<'f, '_> {
    /// `with lock { body }`.
    pub(super) fn with(
        &mut self,
        lock: &'f ast::Expr,
        body: &'f Block,
        span: Span,
        around: Around<'f, '_>,
        done: &mut Vec<Stmt>,
    ) {
        let lock = self.lock(lock);
        let take = lock.map_or(Vec::new(), |lock| {
            let expr = |ty, kind| Expr { span, ty, kind };
            let (now, nobody) = (expr(TID, ExprKind::Global(lock)), expr(TID, ExprKind::Nobody));
            let free = ExprKind::Binary(Operator::Equal, Box::new(now), Box::new(nobody));
            let wait = ActionKind::Await(expr(Type::Bool, free));
            let wait = Action { span, kind: wait };
            vec![wait, set(lock, ExprKind::Thread(Thread::Me), span)]
        });
        let location = self.location(None, span);
        let ghost = self.ghosts(around.ghosts);
        done.push(Stmt { location, kind: StmtKind::Step(Step::Atomic(take)), ghost });
        let mut held = |own: &mut Self| {
            own.held.extend(lock);
            own.block(&body.exprs, around.tail, done);
            let Some(lock) = lock else { return };
            own.held.pop();
            if falls_through(done) {
                let close = own.close(body);
                let location = own.location(None, close);
                let kind = StmtKind::Step(Step::Action(set(lock, ExprKind::Nobody, close)));
                done.push(Stmt { location, kind, ghost: Vec::new() });
            }
        };
        match around.name {
            Some(name) => self.label(name, held),
            None => held(self),
        }
    }

    /// Gives back the locks that were taken inside of the outermost so many.
    pub(super) fn give_back(&self, outside: usize, span: Span) -> Vec<Action> {
        let inside = self.held.iter().skip(outside).rev();
        inside.map(|lock| set(*lock, ExprKind::Nobody, span)).collect()
    }

    /// What stands behind `with`.
    fn lock(&mut self, lock: &'f ast::Expr) -> Option<GlobalId> {
        let Source::Read(name) = &bare(lock).kind else {
            let label = "expected the name of a lock";
            return error("not-a-lock", "this is not a lock", lock.span, label)
                .with_help(
                    "cells have locks: `lock a` and `unlock a`; others are declared: `lock L`",
                )
                .none(self);
        };
        match self.thing(&name.text) {
            Some((Thing::Global(id), _)) if self.locks.contains(&id) => {
                self.occurs(name.span, Symbol::Global(id), false);
                Some(id)
            }
            _ => {
                let known = self.locks.iter().map(|id| &*self.system.globals[id.index()].name.text);
                let text = &name.text;
                let help = format!(
                    "declare it at top level: `lock {text}`; a cell is locked by `lock {text}`"
                );
                self.unknown("not-a-lock", format!("lock {name}"), name, known, &help).none(self)
            }
        }
    }
}
