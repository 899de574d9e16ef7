//! dbg
use ser_invariant::counter::*;
use ser_invariant::explore;
use ser_invariant::prove::*;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let system = ser_lang::inv::parse(&text).system;
    let mut p = prove(&system, &Options::default(), &Default::default());
    let c = &p.invariants[0].conditions[0];
    if let Status::Fails(f) = &c.status {
        let s = ser_invariant::model::snapshot(
            &system,
            &mut p.conditions.logic,
            &f.solution,
            1,
            None,
            &[],
        );
        let s = state(s);
        println!("{s:?}");
        for a in &system.assumptions {
            println!(
                "{:?} {}",
                explore::evaluate(&system, &s, a, &[]),
                &text[a.span.start as usize..a.span.end as usize]
            );
        }
    } else {
        println!("{:?}", c.status);
    }
}
