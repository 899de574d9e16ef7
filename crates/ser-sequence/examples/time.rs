#![allow(missing_docs, clippy::print_stdout)]
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let parse = ser_lang::icet::parse(&text);
        for _ in 0..3 {
            let a = std::time::Instant::now();
            let steps = ser_sequence::derive(&parse.protocol, 300_000).unwrap();
            let b = std::time::Instant::now();
            let outcome = ser_kernel::replay(&parse.protocol, &steps).unwrap();
            let c = std::time::Instant::now();
            let p = ser_kernel::assertions::prove(
                &parse.protocol,
                &outcome.sequential,
                &Default::default(),
            );
            println!(
                "derive {:?} replay {:?} prove {:?} states {}",
                b - a,
                c - b,
                c.elapsed(),
                p.states
            );
        }
    }
}
