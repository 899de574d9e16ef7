//! Every axiom against every kind of world: random instantiations of all axioms in random models.

mod each_axiom;

use super::Axioms;
use crate::certificate::Term;
use crate::environment::{Heap, Write};
use crate::logic::Logic;
use crate::rejection::Problem;
use crate::table::{Table, check_order};
use crate::tests::model::Model;
use crate::tests::pool::{Pool, World};
use fastrand::Rng;
use rustc_hash::FxHashMap;
use ser_generators::Draw;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Variables of all types.
const VARIABLES: &str = "
    var n: int; var m: int;
    var t: Threads;
    var a: addr; var b: addr; var c: addr;
    var d: elem; var e: elem;
    var s: set of int; var r: set of int;
    var p: set of addr; var q: set of addr;
    var x: set of elem; var y: set of elem;
    var u: set of Threads;
    var f: bool;
    set Threads  process thread for self in Threads { var k: int; var l: addr; skip; skip; }
";

fn system() -> System {
    let parse = ser_syntax::inv::parse(VARIABLES);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    parse.system
}

const CHOSEN: [Type; 3] =
    [Type::Scalar(Scalar::Addr), Type::Scalar(Scalar::Elem), Type::Set(Scalar::Int)];

const BLOCKS: u32 = 2;

fn world(system: &System, versions: u32) -> World<'_> {
    World { system, blocks: BLOCKS, chosen: &CHOSEN, versions }
}

/// A path with random writes, of terms that speak of the versions before.
fn random_heap(random: &mut Rng, system: &System, logic: &mut Logic) -> Heap {
    let mut heap = Heap::default();
    for _ in 0..random.below(4) {
        let field = *random.pick(&[Field::Next, Field::Next, Field::Data, Field::Lockid]);
        let of = match field {
            Field::Next => Scalar::Addr,
            Field::Data => Scalar::Elem,
            Field::Lockid => Scalar::Tid,
        };
        let pool = Pool::new(random, world(system, heap.version()));
        let mut table = table(system, &pool.terms, logic, &heap);
        let address = match random.one_in(3) {
            true => pool.a_scalar(random, Scalar::Addr),
            false => *random.pick(&pool.base),
        };
        let address = table.term(address);
        let value = table.term(pool.a_scalar(random, of));
        let (address, value) = (address.expect("an address"), value.expect("a value"));
        heap.push(Write { field, address, value });
    }
    heap
}

fn table<'a>(
    system: &'a System,
    terms: &'a [Term],
    logic: &'a mut Logic,
    heap: &'a Heap,
) -> Table<'a> {
    let made = FxHashMap::default();
    let axioms = Axioms { logic, heap };
    Table { system, terms, axioms, chosen: &CHOSEN, blocks: BLOCKS, made }
}

/// How often an axiom was seen, and which literals of which clauses of it were the only one that
/// held.
type Seen = (usize, BTreeSet<(usize, usize)>);

/// Draws so many instantiations, and says of which clauses each literal was the only one that held.
fn draw(seed: u64, worlds: usize) -> BTreeMap<String, Seen> {
    let system = system();
    let mut random = Rng::with_seed(seed);
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for _ in 0..worlds {
        let mut logic = Logic::new();
        let heap = random_heap(&mut random, &system, &mut logic);
        let versions = heap.version();
        let pool = Pool::new(&mut random, world(&system, versions));
        check_order(&pool.terms).expect("in order");
        let mut found = Vec::new();
        for _ in 0..40 {
            let lemma = pool.lemma(&mut random);
            let mut table = table(&system, &pool.terms, &mut logic, &heap);
            match table.clauses(&lemma) {
                Ok(made) => found.push((lemma, made)),
                Err(
                    Problem::NoWrite { .. }
                    | Problem::NotCut
                    | Problem::DataOfNull
                    | Problem::NoContradiction
                    | Problem::Sort { .. },
                ) => {}
                Err(other) => panic!("{lemma:?}: {other}"),
            }
        }
        for _ in 0..6 {
            let cells = random.below(5) as u32;
            let mut model = Model::random(&mut random, &system, BLOCKS, cells, &CHOSEN);
            for write in heap.writes() {
                model.write(&logic, write);
            }
            for (lemma, made) in &found {
                let (count, tight) = seen.entry(lemma.axiom()).or_default();
                *count += 1;
                for (number, clause) in made.iter().enumerate() {
                    let holds: Vec<bool> =
                        clause.iter().map(|part| model.holds(&logic, *part)).collect();
                    assert!(
                        holds.contains(&true),
                        "{lemma:?}, clause {number}, in {:?}, {:?}, {:?}",
                        pool.terms,
                        model.globals,
                        model.heaps
                    );
                    if holds.iter().filter(|it| **it).count() == 1 {
                        let place = holds.iter().position(|it| *it).expect("one");
                        tight.insert((number, place));
                    }
                }
            }
        }
    }
    seen
}

/// How many literals of each axiom are the only one that holds, in some model: none of these can be
/// left out. (Those of `not_ordered` and `ordered_grows` that are missing follow from the others of
/// their clause; `x = null` in `reach_step` does too, as `null` is its own next cell.)
const NEEDED: [(&str, usize); 32] = [
    ("antisymmetric", 7),
    ("carrier", 4),
    ("congruent", 2),
    ("elem_of", 2),
    ("extreme", 4),
    ("farkas", 3),
    ("le_transitive", 3),
    ("least", 4),
    ("member", 3),
    ("not_ordered", 17),
    ("not_same", 6),
    ("not_subset", 4),
    ("of_null", 1),
    ("ordered_grows", 5),
    ("ordered_reaches", 2),
    ("reach_cut", 20),
    ("reach_cycle", 5),
    ("reach_equal", 2),
    ("reach_linear", 4),
    ("reach_loop", 5),
    ("reach_predecessor", 4),
    ("reach_step", 2),
    ("reach_transitive", 3),
    ("reach_unfold", 9),
    ("reach_write", 4),
    ("read", 5),
    ("same", 6),
    ("some", 2),
    ("split", 0),
    ("subset", 3),
    ("total", 2),
    ("transitive", 3),
];

#[test]
#[ignore = "a long campaign"]
fn every_axiom_holds_in_every_model_in_a_long_campaign() {
    for seed in 100..120 {
        draw(seed, 20_000);
    }
}

#[test]
fn every_axiom_holds_in_every_model() {
    let seen = draw(1, 6_000);
    for (axiom, needed) in NEEDED {
        let (count, tight) = &seen[axiom];
        assert!(*count > 2_000, "{axiom} was seen {count} times only");
        assert!(tight.len() >= needed, "{axiom}: only {tight:?} matter");
    }
    assert_eq!(seen.len(), NEEDED.len());
}
