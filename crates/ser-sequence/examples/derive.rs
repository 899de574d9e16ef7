#![allow(missing_docs, clippy::print_stdout)]
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let parse = ser_lang::icet::parse(&text);
    for _ in 0..50 {
        let _ = ser_sequence::derive(&parse.protocol, 300_000);
    }
}
