//! A short run of random nets and queries through engine, checker, replay and brute force.
//!
//! `cargo run --release -p ser-fuzz` is the long run.

use ser_fuzz::{Random, net, try_net};
use std::collections::BTreeMap;
use std::time::Duration;

#[test]
fn random_nets_are_decided_as_brute_force_says() {
    const NETS: u64 = 300;
    let mut decided_by: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..NETS {
        let (net, query) = net(&mut Random::new(seed ^ 0x7e57));
        let text = || format!("seed {seed}\n{}{}", ser_petri::write_net(&net), query.show(&net));
        // The time is generous for what is decided, and short for what is not.
        let trial = try_net(&net, &query, &Default::default(), 2_000, Duration::from_secs(3))
            .unwrap_or_else(|finding| panic!("{finding:?}\n{}", text()));
        *decided_by.entry(trial.decided_by).or_default() += 1;
    }
    let count = |method: &str| decided_by.get(method).copied().unwrap_or(0);
    assert!(50 * count("unknown") <= NETS as usize, "{decided_by:?}");
    // The inputs are of all sorts; otherwise the generator has lost its way.
    assert!(count("refuted") >= 50 && count("inclusion") + count("arithmetic") >= 10);
}
