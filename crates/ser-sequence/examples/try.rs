#![allow(missing_docs, clippy::print_stdout)]
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let parse = ser_lang::icet::parse(&text);
        if parse.has_errors() {
            println!("{path}: {:#?}", parse.diagnostics.first());
            continue;
        }
        let start = std::time::Instant::now();
        let result = ser_sequence::derive(&parse.protocol, 200_000);
        let time = start.elapsed();
        match result {
            Ok(steps) => {
                let start = std::time::Instant::now();
                match ser_kernel::replay(&parse.protocol, &steps) {
                    Ok(outcome) => {
                        let kernel = start.elapsed();
                        let n = parse.protocol.sets.len();
                        let mut bad = String::new();
                        for code in 0..4u32.pow(n as u32) {
                            let sizes: Vec<u32> =
                                (0..n).map(|i| code / 4u32.pow(i as u32) % 4).collect();
                            if sizes.iter().zip(&parse.protocol.sets).any(|(s, d)| *s < d.at_least)
                                || sizes.iter().sum::<u32>() > 5
                            {
                                continue;
                            }
                            match ser_sequence::explore::theorem_4_1(
                                &parse.protocol,
                                &outcome.sequential,
                                &sizes,
                                &Default::default(),
                            ) {
                                Ok(check) => {
                                    if check.missing.is_some() {
                                        bad += &format!(" {sizes:?} {:?} ", check.missing);
                                    }
                                }
                                Err(stop) => bad += &format!(" {sizes:?}:{stop:?}"),
                            }
                        }
                        println!(
                            "{path}: ok {} {time:?} kernel {kernel:?} open {:?} {bad}",
                            steps.len(),
                            outcome.open
                        )
                    }
                    Err(rejection) => println!("{path}: KERNEL {rejection}"),
                }
            }
            Err((steps, stuck)) => {
                let line = |id: u32| {
                    let mut found = 0;
                    for process in &parse.protocol.processes {
                        for stmt in &process.body {
                            stmt.walk(&mut |s| {
                                if s.id.0 == id {
                                    found = text[..s.span.start as usize].matches('\n').count() + 1
                                }
                            });
                        }
                    }
                    found
                };
                println!(
                    "{path}: STUCK {} {:?} line {:?} {time:?}",
                    steps.len(),
                    stuck.why,
                    stuck.statement.map(|s| line(s.0))
                )
            }
        }
    }
}
