//! Random protocols, for tests: most of them such that they can be sequentialized, some just not,
//! some wrong.
//!
//! A protocol is put together from conversations that are sound by themselves (`scenes`), each with
//! message types of its own, one after the other: every process takes part in them in the same
//! order, so nobody waits forever. Then, in two of three cases, a conversation is added at which
//! careless rules go wrong, or something is changed ([`Change`]): a statement is dropped, moved, or
//! says something slightly different. What comes out may be right or wrong; the explorer knows.
//!
//! The same seed gives the same text.

mod change;
mod scene;
mod scenes;
mod world;

pub use change::Change;

use crate::chance;
use fastrand::Rng;
use world::World;

/// A random protocol.
#[derive(Clone, Debug)]
pub struct Random {
    /// Its text; the parser accepts it.
    pub text: String,
    /// What was changed in a protocol that is sound by construction.
    pub changes: Vec<Change>,
}

/// The protocol of a seed.
///
/// ```
/// use ser_generators::protocols::random_protocol;
/// let random = random_protocol(8);
/// assert!(!ser_syntax::icet::parse(&random.text).has_errors());
/// assert_eq!(random.text, random_protocol(8).text);
/// ```
pub fn random_protocol(seed: u64) -> Random {
    let mut rng = Rng::with_seed(seed);
    let mut world = World::random(&mut rng);
    let wanted = [0, 1, 1, 1, 2, 3, 0, 0, 0][rng.usize(..9)];
    if chance(&mut rng, 30) {
        let mut candidate = world.clone();
        scene::add(&mut candidate, &mut rng, &scenes::TRAPS);
        if !ser_syntax::icet::parse(&candidate.text()).has_errors() {
            world = candidate;
        }
    }
    let mut changed = world;
    let mut changes = Vec::new();
    // Some changes make no sense, such as dropping the receive of a value that is used later.
    for _ in 0..40 {
        if changes.len() == wanted {
            break;
        }
        let mut candidate = changed.clone();
        if let Some(change) = change::apply(&mut candidate, &mut rng)
            && !ser_syntax::icet::parse(&candidate.text()).has_errors()
        {
            changed = candidate;
            changes.push(change);
        }
    }
    Random { text: changed.text(), changes }
}

/// Only the part that is sound by construction.
pub fn sound_protocol(seed: u64) -> Random {
    let world = World::random(&mut Rng::with_seed(seed));
    Random { text: world.text(), changes: Vec::new() }
}
