//! States and requests that nobody can tell apart: the coarsest bisimulation of a network system.
//!
//! Global states are alike, and local states are alike, if a request in a local state can do at a
//! global state what it can do in one that is alike, or at one that is alike, up to what is alike;
//! and local states that are alike give the same responses. This is one equivalence of two sorts:
//! a variable that no response depends on, directly or through others, makes no difference, and
//! neither does what requests remember of it. Requests are alike if they start in local states that
//! are: then they differ by a name.
//!
//! The quotient has the same outcomes, interleaved and serial: the checker's `alike` says why.

use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};
use std::hash::Hash;

/// Each state's representative: the first that is like it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alike {
    pub globals: Vec<GlobalId>,
    pub locals: Vec<LocalId>,
    pub requests: Vec<RequestId>,
}

impl Alike {
    /// The system without these differences.
    pub fn quotient(&self, system: &NetworkSystem) -> NetworkSystem {
        let Alike { globals, locals, requests } = self;
        system.quotient(|g| globals[g.index()], |l| locals[l.index()], |r| requests[r.index()])
    }
}

/// A partition that is not stable after so many rounds is not worth more.
const MAX_ROUNDS: usize = 300;

/// What is alike; nothing if no two global states and no two requests are, since local states alone
/// are merged in the net.
pub fn find_alike(system: &NetworkSystem, limits: &Limits) -> Result<Option<Alike>, Stop> {
    let mut pace = limits.pace();
    let replies = (0..system.local_count())
        .map(|l| system.replies_of(LocalId::from_index(l)).collect::<Vec<_>>());
    let mut locals = numbered(replies);
    let mut globals = vec![0; system.globals().len()];
    let (mut classes, mut rounds) = (0, 0);
    loop {
        let mut of_locals: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); locals.len()];
        let mut of_globals = vec![Vec::new(); globals.len()];
        for step in system.steps() {
            pace.steps(2)?;
            let ends = (locals[step.to.index()], globals[step.after.index()]);
            of_locals[step.from.index()].push((step.before.0, ends.0, ends.1));
            of_globals[step.before.index()].push((step.from.0, ends.0, ends.1));
        }
        locals = refined(&locals, of_locals);
        globals = refined(&globals, of_globals);
        let now = count(&locals) + count(&globals);
        rounds += 1;
        if now == classes {
            break;
        }
        let apart = count(&globals) == globals.len() && !may_start_alike(system, &locals);
        if rounds == MAX_ROUNDS || apart {
            return Ok(None);
        }
        classes = now;
    }
    let requests = starts(system, &locals);
    if count(&globals) == globals.len() && count(&requests) == requests.len() {
        return Ok(None);
    }
    let globals = firsts(&globals).into_iter().map(GlobalId::from_index).collect();
    let locals = firsts(&locals).into_iter().map(LocalId::from_index).collect();
    let requests = firsts(&requests).into_iter().map(RequestId::from_index).collect();
    Ok(Some(Alike { globals, locals, requests }))
}

/// Classes of requests that start in the same classes of local states.
fn starts(system: &NetworkSystem, locals: &[u32]) -> Vec<u32> {
    let mut starts: Vec<Vec<u32>> = vec![Vec::new(); system.requests().len()];
    for (request, local) in system.spawns() {
        starts[request.index()].push(locals[local.index()]);
    }
    numbered(starts.into_iter().map(|mut starts| {
        starts.sort_unstable();
        starts.dedup();
        starts
    }))
}

/// Whether two requests are alike if no more local states are told apart.
fn may_start_alike(system: &NetworkSystem, locals: &[u32]) -> bool {
    let classes = starts(system, locals);
    count(&classes) < classes.len()
}

/// How many classes there are.
fn count(classes: &[u32]) -> usize {
    classes.iter().max().map_or(0, |most| *most as usize + 1)
}

/// Classes with the same key, in the order of their first appearance.
fn numbered<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> Vec<u32> {
    let mut ids: FxHashMap<K, u32> = FxHashMap::default();
    keys.map(|key| {
        let next = ids.len() as u32;
        *ids.entry(key).or_insert(next)
    })
    .collect()
}

/// Classes that are told apart by what their members can do, too.
fn refined(classes: &[u32], moves: Vec<Vec<(u32, u32, u32)>>) -> Vec<u32> {
    numbered(classes.iter().zip(moves).map(|(class, mut moves)| {
        moves.sort_unstable();
        moves.dedup();
        (*class, moves)
    }))
}

/// The first member of each state's class.
fn firsts(classes: &[u32]) -> Vec<usize> {
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    classes.iter().enumerate().map(|(i, class)| *first.entry(*class).or_insert(i)).collect()
}
