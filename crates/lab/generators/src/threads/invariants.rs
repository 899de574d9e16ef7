//! Random invariants and proofs.

use super::terms::{Speaker, formula};
use super::world::World;
use crate::Draw;
use fastrand::Rng;

/// An invariant as it is written.
pub(super) struct Invariant {
    pub name: String,
    pub text: String,
}

/// Between one and four invariants.
pub(super) fn invariants(rng: &mut Rng, world: &World) -> Vec<Invariant> {
    let count = 1 + rng.below(4);
    (0..count)
        .map(|number| {
            let name = format!("inv{number}");
            // Names that a tool may use for itself, too.
            let threads: Vec<String> = match rng.below(10) {
                0..=1 => Vec::new(),
                2..=6 => vec![rng.word(&["i", "j", "k"]).into()],
                _ => vec!["i".into(), "j".into()],
            };
            let header = match threads.is_empty() {
                true => format!("invariant {name}"),
                false => format!("invariant {name}({})", threads.join(", ")),
            };
            let text = match rng.chance(20) {
                false => format!("{header}: {};", conjunct(rng, world, &threads)),
                true => {
                    let (left, right) =
                        (conjunct(rng, world, &threads), conjunct(rng, world, &threads));
                    format!("{header} {{ left: {left}; {right}; }}")
                }
            };
            Invariant { name, text }
        })
        .collect()
}

fn conjunct(rng: &mut Rng, world: &World, threads: &[String]) -> String {
    let by = Speaker::Invariant(threads);
    let mut guards = Vec::new();
    if threads.len() == 2 && rng.chance(80) {
        guards.push("i != j".to_owned());
    }
    for thread in threads.iter().chain(&world.anchor) {
        if rng.chance(70) {
            guards.push(place(rng, world, thread));
        }
    }
    if rng.chance(10) {
        guards.push(formula(rng, world, by, 0));
    }
    let goal = match rng.below(10) {
        0..=1 if threads.len() == 2 => "false".to_owned(),
        2 if !threads.is_empty() => format!("!{}", place(rng, world, &threads[0])),
        3 => formula(rng, world, by, 2),
        _ => formula(rng, world, by, 1),
    };
    match guards.is_empty() {
        true => goal,
        false => format!("{} -> {goal}", guards.join(" && ")),
    }
}

/// `at(i, ...)`: one place, a few, or a range.
fn place(rng: &mut Rng, world: &World, thread: &str) -> String {
    let places = &world.places;
    let one = |rng: &mut Rng| rng.choice(places).cloned().unwrap_or_default();
    match rng.below(4) {
        0 | 1 => {
            let first = rng.below(places.len());
            let prefix = |place: &String| place.starts_with("p.");
            let same = |other: &&String| prefix(other) == prefix(&places[first]);
            let rest = places[first..].iter().take_while(|other| same(other)).count();
            let last = first + rng.below(rest);
            format!("at({thread}, {}..{})", places[first], places[last])
        }
        2 => format!("at({thread}, {})", one(rng)),
        _ => format!("at({thread}, {}, {})", one(rng), one(rng)),
    }
}

/// No proof, one by induction alone, or one in which everything may use everything.
pub(super) fn proof(rng: &mut Rng, invariants: &[Invariant]) -> String {
    let names: Vec<&str> = invariants.iter().map(|invariant| invariant.name.as_str()).collect();
    let entry = |number: usize, name: &&str| -> String {
        match number {
            0 => format!(" {name};"),
            _ => {
                let others: Vec<&str> = names.iter().filter(|o| *o != name).copied().collect();
                match others.is_empty() {
                    true => format!(" {name};"),
                    false => format!(" {name} from {};", others.join(", ")),
                }
            }
        }
    };
    let kind = rng.below(3);
    match kind {
        0 => String::new(),
        kind => {
            let entries: String = names.iter().map(|name| entry(kind - 1, name)).collect();
            format!("proof {{{entries} }}\n")
        }
    }
}
