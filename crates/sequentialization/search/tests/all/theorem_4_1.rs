//! Theorem 4.1 of the paper, tried on instances: what a protocol can end with, its sequential
//! program can end with.
//!
//! Compared are the variables of processes that have ended, and of servers when nobody can take a
//! step. A server that is *active* (its loop does not begin with a receive) has begun a round that
//! nobody finishes, and about its variables nothing is said; nor about final states in which
//! somebody has failed.

use crate::finals::finals;
use ser_base::Limits;
use ser_sequentialization_checker::local::may_act_unasked;
use ser_sequentialization_checker::run::Actor;
use ser_sequentialization_checker::sequential::Sequential;
use ser_sequentialization_search::explore::{Stop, Store, explore};
use ser_syntax::icet::ast::Protocol;
use std::collections::{BTreeMap, BTreeSet};

/// A final store of the protocol that the sequential program does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The sizes of the sets.
    pub sizes: Vec<u32>,
    pub store: Store,
}

/// A final store of the protocol that the sequential program does not have; there is none.
///
/// # Errors
/// A limit was reached on either side.
pub fn theorem_4_1(
    protocol: &Protocol,
    program: &[Sequential],
    sizes: &[u32],
    limits: &Limits,
) -> Result<Option<Missing>, Stop> {
    let exploration = explore(protocol, sizes, limits);
    if let Some(stop) = exploration.stopped {
        return Err(stop);
    }
    let program = finals(protocol, program, sizes, limits)?;
    let active: Vec<bool> =
        protocol.processes.iter().map(|it| it.server && may_act_unasked(it)).collect();
    let compared = |actor: &Actor| !active.get(actor.process as usize).copied().unwrap_or(false);
    // Which processes a store is about may differ from store to store, and so may what is compared.
    let mut known: BTreeMap<BTreeSet<Actor>, BTreeSet<Store>> = BTreeMap::new();
    for (ended, store) in &exploration.ends {
        let actors: BTreeSet<Actor> = ended.iter().copied().filter(|it| compared(it)).collect();
        let restrict = |store: &Store| -> Store {
            let kept = store.iter().filter(|((actor, _), _)| actors.contains(actor));
            kept.map(|(place, value)| (*place, value.clone())).collect()
        };
        let there = known
            .entry(actors.clone())
            .or_insert_with(|| program.stores.iter().map(restrict).collect());
        let store = restrict(store);
        if !there.contains(&store) {
            return Ok(Some(Missing { sizes: sizes.to_vec(), store }));
        }
    }
    Ok(None)
}
