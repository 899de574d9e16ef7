#![allow(missing_docs, clippy::print_stdout)]
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let parse = ser_lang::icet::parse(&text);
        let start = std::time::Instant::now();
        let answer = ser_sequence::sequentialize(&text, &parse.protocol, &Default::default());
        let time = start.elapsed();
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
            "{path}: {:?} {time:?} {:?} {:?} {:?}",
            answer.verdict,
            answer.failure.as_ref().map(|f| (
                f.kind,
                f.stuck.statement.map(|s| line(s.0)),
                f.races.iter().map(|r| line(r.receive.0)).collect::<Vec<_>>(),
                &f.stuck.why
            )),
            answer.run.as_ref().map(|r| (&r.sizes, r.steps.len(), &r.shows)),
            answer.unproved
        );
    }
}
