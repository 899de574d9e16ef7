//! try
use ser_invariant::explore::{Bounds, Explorer};
use ser_invariant::infer::*;
use ser_lang::inv::System;
use ser_lang::inv::ast::InvId;
fn plausible(system: &System, all: &[Candidate], goals: usize) -> Vec<bool> {
    let mut keep = vec![true; all.len()];
    let places = candidates_places(all);
    for (threads, states) in [(2, 600), (3, 600)] {
        let bounds = Bounds { threads, states, ..Bounds::default() };
        let mut explorer = Explorer::new(system, &bounds);
        explorer.run(&Default::default());
        explorer.for_each_state(|view| {
            let n = view.threads();
            for (k, (inv, conj)) in keep.iter_mut().zip(&places) {
                if !*k {
                    continue;
                }
                let invariant = &system.invariants[goals + inv];
                let f = &invariant.conjuncts[*conj as usize].formula;
                for t in ser_invariant::cases::tuples(invariant.parameters.len(), n) {
                    if view.holds(f, &t) == Some(false) {
                        *k = false;
                        break;
                    }
                }
            }
        });
    }
    let _ = InvId(0);
    keep
}
fn candidates_places(all: &[Candidate]) -> Vec<(usize, u32)> {
    ser_invariant::infer::places(all)
}
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let goals = ser_lang::inv::parse(&text).system.invariants.len();
        let start = std::time::Instant::now();
        let r = infer(&text, |s, c| plausible(s, c, goals), &Default::default());
        println!("{:?}", start.elapsed());
        match r {
            Ok(d) => {
                println!(
                    "{} candidates {} plausible {} inductive",
                    d.candidates, d.plausible, d.inductive
                );
                for a in d.added {
                    println!("{a}");
                }
            }
            Err(e) => println!("{e}"),
        }
    }
}
