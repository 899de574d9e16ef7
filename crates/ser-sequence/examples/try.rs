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
            Ok(steps) => println!("{path}: ok {} {time:?}", steps.len()),
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
