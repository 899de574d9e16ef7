//! R-Sym-Loop: every member of a set does the same, one after the other.
//!
//! ```text
//! one u does B against A, and A is back where it was
//! ---------------------------------------------------------------
//! prod q:S.[B; C]_q || A  -->  for u in S { ... };  prod q:S.[C]_q || A
//! ```
//!
//! This is the rule for clients of a server: a whole conversation of one member at a time, in the order in which the server hears
//! of them. With `B` a local statement it is the rule for statements that concern nobody else.

use super::frame::{self, Moved};
use super::unfold;
use crate::code::Code;
use crate::failure::{Stuck, Why};
use crate::search::{Goal, complete};
use crate::state::{Context, Origin, State};
use ser_sequentialization_checker::{Slot, Step, Symbol};
use ser_syntax::icet::ast::SetId;
use std::collections::BTreeSet;

/// Lets every member of `set` run until it has only `rest` to do.
pub fn each<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    set: SetId,
    rest: &Code<'p>,
) -> Result<State<'p>, Stuck> {
    if !state.whole.contains(&set) || state.unfolded(set).is_some() {
        return Err(Stuck::new(Why::SecondMember { set }));
    }
    let mut havoc = BTreeSet::new();
    loop {
        let symbol = Symbol(context.fresh());
        let (mut inner, entry) = frame::enter(state, context, &havoc);
        inner.symbols.insert(symbol, set);
        inner.whole.remove(&set);
        inner.inhabited.insert(set);
        unfold::add(&mut inner, context, set, symbol, Origin::Turn { pivot: None });
        complete(&mut inner, context, &Goal::Turn { symbol, rest, entry: &entry })?;
        let changed = frame::changed(&inner, &entry);
        if !changed.is_subset(&havoc) {
            havoc.extend(changed);
            continue;
        }
        let letters = frame::leftovers(&inner);
        for (channel, queue) in &letters {
            let mine = channel.0 == Slot::Member(symbol) && matches!(channel.1, Slot::Process(_));
            if let (false, Some(letter)) = (mine, queue.first()) {
                return Err(frame::superfluous(&inner, context, *channel, letter));
            }
        }
        let moved: Moved<'p> = frame::moved(&inner, context, &entry, symbol, &letters)?;
        let mut outer = state.clone();
        frame::leave(&mut outer, &inner);
        frame::forget(&mut outer, context, &havoc);
        frame::move_on(&mut outer, set, moved);
        outer.script.push(Step::Each {
            set: set.0,
            symbol,
            havoc: frame::written(&havoc),
            steps: inner.script,
        });
        return Ok(outer);
    }
}
