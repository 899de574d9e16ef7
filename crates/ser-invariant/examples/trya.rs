//! try
use ser_invariant::answer::*;
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let parse = ser_lang::inv::parse(&text);
        if parse.has_errors() {
            println!("{file}: ERRORS");
            continue;
        }
        let start = std::time::Instant::now();
        let system = parse.system;
        let a = answer(
            &text,
            &system,
            &Default::default(),
            &Effort {
                glance: std::env::var("GLANCE").ok().and_then(|g| g.parse().ok()).unwrap_or(1500),
                states: 60_000,
                ..Effort::default()
            },
            &Default::default(),
        );
        let v = match &a.verdict {
            Verdict::Refuted(r) => format!(
                "Refuted {:?}",
                r.iter().map(|r| (&r.what, r.run.threads, r.run.steps.len())).collect::<Vec<_>>()
            ),
            o => format!("{o:?}"),
        };
        println!(
            "{file}: {v} in {:?}; explored {:?}; unreached {:?}; models {}",
            start.elapsed(),
            a.explored.iter().map(|e| (e.threads, e.states)).collect::<Vec<_>>(),
            a.unreached,
            a.counter_models.len()
        );
        let unk = a
            .proofs
            .invariants
            .iter()
            .flat_map(|j| &j.conditions)
            .filter(|c| matches!(c.status, ser_invariant::prove::Status::Unknown(_)))
            .count();
        if unk > 0 {
            println!("   {unk} unknown conditions");
        }
        if let Some(c) = &a.certificate {
            if let Err(e) = ser_premises::check(c, &Default::default()) {
                println!("   REJECTED {e}");
            }
        }
        for m in &a.counter_models {
            if std::env::var("SHOW").is_ok() {
                println!("{m:#?}");
            }
        }
    }
}
