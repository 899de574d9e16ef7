#![allow(missing_docs, clippy::print_stdout)]
use ser_sequence::explore::{Limits, explore, theorem_4_1};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (from, to): (u64, u64) = (args[1].parse().unwrap(), args[2].parse().unwrap());
    let (mut found, mut rejected, mut stuck, mut wrong, mut checked, mut fine) = (0, 0, 0, 0, 0, 0);
    let mut whys = std::collections::BTreeMap::new();
    for seed in from..to {
        let random = ser_sequence::random::random_protocol(seed);
        let protocol = ser_lang::icet::parse(&random.text).protocol;
        let start = std::time::Instant::now();
        let derived = ser_sequence::derive(&protocol, 300_000);
        if start.elapsed().as_millis() > 50 {
            println!("slow {seed} {:?}", start.elapsed());
        }
        let limits = Limits { max_states: 30_000, ..Limits::default() };
        let n = protocol.sets.len() as u32;
        let sizes: Vec<Vec<u32>> = (0..4u32.pow(n))
            .map(|code| (0..n).map(|i| code / 4u32.pow(i) % 4).collect::<Vec<u32>>())
            .filter(|s| {
                s.iter().sum::<u32>() <= 4
                    && s.iter().zip(&protocol.sets).all(|(s, d)| *s >= d.at_least)
            })
            .collect();
        match derived {
            Ok(steps) => match ser_kernel::replay(&protocol, &steps) {
                Ok(outcome) => {
                    found += 1;
                    let proof = ser_kernel::assertions::prove(
                        &protocol,
                        &outcome.sequential,
                        &Default::default(),
                    );
                    for sizes in sizes {
                        let x = explore(&protocol, &sizes, &limits);
                        if !x.complete() {
                            continue;
                        }
                        checked += 1;
                        let fails = x
                            .findings
                            .failing
                            .iter()
                            .any(|id| !outcome.open.contains(id) || proof.holds.contains(id));
                        let mut bad = fails
                            || x.findings.deadlock.is_some()
                            || x.findings.superfluous.is_some()
                            || (x.findings.blocked.is_some() && x.findings.failing.is_empty());
                        if let Ok(check) =
                            theorem_4_1(&protocol, &outcome.sequential, &sizes, &limits)
                        {
                            bad |= check.missing.is_some();
                        }
                        if bad {
                            wrong += 1;
                            println!(
                                "WRONG seed {seed} {sizes:?} {:?} {:?}",
                                x.findings, random.changes
                            );
                            break;
                        }
                    }
                }
                Err(rejection) => {
                    rejected += 1;
                    println!("rejected seed {seed}: {rejection}");
                }
            },
            Err((_, why)) => {
                stuck += 1;
                let all = sizes.iter().all(|sizes| {
                    let x = explore(&protocol, sizes, &limits);
                    x.findings.none()
                });
                if all {
                    fine += 1;
                    *whys
                        .entry(
                            format!("{:?}", why.why)
                                .split(|c: char| !c.is_alphabetic())
                                .next()
                                .unwrap()
                                .to_owned(),
                        )
                        .or_insert((0, seed)) = {
                        let e = whys
                            .get(
                                &format!("{:?}", why.why)
                                    .split(|c: char| !c.is_alphabetic())
                                    .next()
                                    .unwrap()
                                    .to_owned(),
                            )
                            .copied()
                            .unwrap_or((0, seed));
                        (e.0 + 1, seed)
                    };
                }
            }
        }
    }
    println!(
        "found {found} (instances {checked}) rejected {rejected} stuck {stuck} (fine {fine}) wrong {wrong} {whys:?}"
    );
}
