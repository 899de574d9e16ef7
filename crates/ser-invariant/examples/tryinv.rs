use ser_invariant::decide::Procedure;
use ser_invariant::prove::*;
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let parse = ser_lang::inv::parse(&text);
        for d in &parse.diagnostics {
            println!("{}: {:?}", file, d);
        }
        if parse.has_errors() {
            continue;
        }
        let start = std::time::Instant::now();
        let system = parse.system;
        let mut proofs = prove(&system, &Options::default(), &Default::default());
        println!("{file}: {} in {:?}", proofs.all(), start.elapsed());
        for j in &proofs.invariants {
            let mut by = [0usize; 4];
            let mut bad = 0;
            for c in &j.conditions {
                match &c.status {
                    Status::Valid { procedure, .. } => by[*procedure as usize] += 1,
                    Status::Fails(f) => {
                        bad += 1;
                        println!(
                            "   FAILS {:?} {:?} {} case {:?}",
                            c.premise,
                            c.location.map(|l| (
                                l.0 + 1,
                                system.locations[l.0 as usize]
                                    .name
                                    .as_ref()
                                    .map(|n| n.text.clone())
                            )),
                            c.transition,
                            f.case.partition
                        );
                    }
                    Status::Unknown(r) => {
                        bad += 1;
                        println!("   UNKNOWN {:?} {:?} {:?}", c.premise, c.location, r)
                    }
                }
            }
            let lemmas: usize = match &j.how {
                ser_premises::How::Induction { initiation, consecution } => {
                    initiation.iter().chain(consecution).map(|c| c.lemmas.len()).sum()
                }
                _ => 0,
            };
            println!(
                "  {:12} {} {} vcs {} pos {} num {} set {} list {} bad {} lemmas {} {:?}",
                system.invariants[j.invariant.0 as usize].name.text,
                j.proved,
                j.rule.name(),
                j.conditions.len(),
                by[Procedure::Locations as usize],
                by[1],
                by[2],
                by[3],
                bad,
                lemmas,
                j.time
            );
        }
        let sbad: Vec<_> = proofs
            .safety
            .conditions
            .iter()
            .filter(|c| !matches!(c.status, Status::Valid { .. }))
            .map(|c| (c.location.unwrap().0 + 1, &c.status))
            .collect();
        println!(
            "  safety {} {} bad {:?} {:?}",
            proofs.safety.proved,
            proofs.safety.conditions.len(),
            sbad.iter().map(|x| x.0).collect::<Vec<_>>(),
            proofs.safety.time
        );
        if proofs.all() {
            let c = ser_invariant::certify::certify(&text, &proofs);
            let json = serde_json::to_string(&c).unwrap();
            let start = std::time::Instant::now();
            let v = ser_premises::check(&c, &Default::default());
            println!(
                "  certificate {} bytes, checked in {:?}: {}",
                json.len(),
                start.elapsed(),
                match v {
                    Ok(v) => format!("{v:?}").chars().take(100).collect::<String>(),
                    Err(e) => format!("REJECTED {e}"),
                }
            );
        }
        let _ = &mut proofs;
    }
}
