//! Random models of threads, to compare answers on.
//!
//! Two families: numbers, truth values, sets of numbers and threads ([`numbers`]), and cells of a
//! heap with locks ([`cells`]). Programs are put together from statements at random and from things
//! that people write (take a lock, take a ticket, push a cell), so that some invariants hold and
//! are provable, some hold and are not, and many do not hold. The text depends on the seed alone,
//! and has no errors.
//!
//! ```
//! use ser_generators::threads;
//! let text = threads::system(7);
//! assert_eq!(text, threads::system(7));
//! assert!(!ser_syntax::inv::parse(&text).has_errors());
//! ```

pub mod actions;
pub mod finite;
mod invariants;
mod statements;
mod terms;
mod world;

use fastrand::Rng;
use world::World;

/// A system of either family.
pub fn system(seed: u64) -> String {
    match seed % 2 {
        0 => numbers(seed),
        _ => cells(seed),
    }
}

/// A system with numbers, truth values, sets of numbers, and threads.
pub fn numbers(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let world = World::numbers(&mut rng);
    print(&mut rng, world)
}

/// A system with a heap.
pub fn cells(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x5eed);
    let world = World::cells(&mut rng);
    print(&mut rng, world)
}

fn print(rng: &mut Rng, mut world: World) -> String {
    let code = statements::program(rng, &mut world);
    let invariants = invariants::invariants(rng, &world);
    let proof = invariants::proof(rng, &invariants);
    let mut text = world.declarations();
    text.push_str(&code);
    for invariant in &invariants {
        text.push_str(&invariant.text);
        text.push('\n');
    }
    text.push_str(&proof);
    text
}
