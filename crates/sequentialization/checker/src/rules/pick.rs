//! `Pick`: a slot chooses a member of a set, which gets a name.
//!
//! If the set had no member, the process would wait forever; so there must be one.

use crate::derivation::{Slot, Symbol};
use crate::kernel::Context;
use crate::rejection::Reason;
use crate::sequential::{Sequential, Term};
use crate::value::Value;
use ser_syntax::icet::ast::StmtKind;

impl Context<'_, '_> {
    /// [`Step::Pick`](crate::Step::Pick).
    pub(crate) fn pick(&mut self, slot: Slot, symbol: Symbol) -> Result<(), Reason> {
        let statement = self.state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
        let StmtKind::Pick { variable, set } = &statement.kind else {
            return Err(Reason::WrongStatement { found: "which is not a pick".to_owned() });
        };
        self.kernel.not_empty(self.frame, *set)?;
        self.state.bind(symbol, *set)?;
        self.state.program.push(Sequential::Pick { symbol, set: *set });
        let (value, term) = (Value::Member(symbol), Term::Symbol(symbol));
        self.state.assign_term(slot, *variable, value, term, statement.id)?;
        self.state.advance(slot)
    }
}
