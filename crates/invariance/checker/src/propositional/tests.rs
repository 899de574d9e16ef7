//! Random formulas against all solutions that there can be.

use super::*;
use crate::logic::BoolVar;
use fastrand::Rng;
use ser_generators::Draw;
use ser_syntax::inv::ast::GlobalId;

const LOCATIONS: usize = 4;
const FLAGS: u32 = 3;

/// Two threads, the location and the site of each, and some flags.
struct World {
    at: [u32; 2],
    site: [u32; 2],
    flags: u32,
}

/// Three calls of procedure 1.
fn calls() -> Vec<Vec<LocId>> {
    vec![vec![], vec![LocId(0), LocId(1), LocId(3)]]
}

fn worlds() -> impl Iterator<Item = World> {
    let locations = 0..(LOCATIONS * LOCATIONS) as u32;
    let sites = (0..9u32).map(|it| [it / 3, it % 3]);
    locations.flat_map(move |at| {
        let sites = sites.clone();
        sites.flat_map(move |site| {
            let at = [at / LOCATIONS as u32, at % LOCATIONS as u32];
            (0..1 << FLAGS).map(move |flags| World { at, site, flags })
        })
    })
}

fn holds(logic: &Logic, world: &World, formula: Formula) -> bool {
    let value = match logic.node(formula) {
        Node::And(parts) => parts.iter().all(|part| holds(logic, world, *part)),
        Node::Atom(atom) => match logic.atom(*atom) {
            Atom::At(block, locations) => {
                logic.locations(*locations).contains(&LocId(world.at[*block as usize]))
            }
            Atom::Site(procedure, block, call) => {
                calls()[procedure.0 as usize][world.site[*block as usize] as usize] == *call
            }
            Atom::Bool(BoolVar::Global(flag)) => world.flags >> flag.0 & 1 == 1,
            other => panic!("{other:?}"),
        },
    };
    value != formula.is_negated()
}

fn random_formula(random: &mut Rng, logic: &mut Logic, size: u32) -> Formula {
    let formula = match random.below(if size == 0 { 3 } else { 7 }) {
        0 => {
            // Neither all locations nor none.
            let chosen = 1 + random.below((1 << LOCATIONS) - 2) as u32;
            let locations = (0..LOCATIONS as u32).filter(|it| chosen >> it & 1 == 1).map(LocId);
            let locations: Vec<LocId> = locations.collect();
            logic.at(random.below(2) as u32, &locations)
        }
        1 => {
            let call = *random.pick(&calls()[1]);
            logic.of_atom(Atom::Site(ProcId(1), random.below(2) as u32, call))
        }
        2 => logic.boolean(BoolVar::Global(GlobalId(random.below(FLAGS as usize) as u32))),
        3 => {
            let (l, r) =
                (random_formula(random, logic, size - 1), random_formula(random, logic, size - 1));
            logic.iff(l, r)
        }
        _ => {
            let count = 2 + random.below(2);
            let parts: Vec<Formula> =
                (0..count).map(|_| random_formula(random, logic, size - 1)).collect();
            logic.and(parts)
        }
    };
    formula.signed(random.one_in(2))
}

#[test]
fn there_is_a_solution_if_and_only_if_some_world_is_one() {
    let mut random = Rng::with_seed(5);
    let calls = calls();
    let domain = Domain { locations: LOCATIONS, calls: &calls };
    let mut counts = [0; 3];
    for _ in 0..4000 {
        let mut logic = Logic::new();
        let count = 1 + random.below(7);
        let asserted: Vec<Formula> =
            (0..count).map(|_| random_formula(&mut random, &mut logic, 2)).collect();
        let clauses: Vec<Clause> = (0..random.below(6))
            .map(|_| (0..2).map(|_| random_formula(&mut random, &mut logic, 1)).collect())
            .collect();
        let mut all = worlds();
        let is_one = |world: &World| {
            asserted.iter().all(|it| holds(&logic, world, *it))
                && clauses.iter().all(|clause| clause.iter().any(|it| holds(&logic, world, *it)))
        };
        let wanted = all.any(|world| is_one(&world));
        let found = refute(&logic, &domain, &asserted, &clauses, &Limits::default());
        match found.expect("no limits") {
            Found::Propagation => counts[0] += 1,
            Found::Search => counts[1] += 1,
            Found::Solution => {
                assert!(wanted, "{asserted:?} {clauses:?}");
                counts[2] += 1;
                continue;
            }
        }
        assert!(!wanted, "{asserted:?} {clauses:?}");
    }
    assert!(counts.iter().all(|it| *it > 20), "{counts:?}");
}
