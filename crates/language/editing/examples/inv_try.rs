fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        match ser_editing::inv::format(&text) {
            Ok(out) => std::fs::write(&file, out).unwrap(),
            Err(ds) => {
                println!("== {file}");
                for d in ds.iter().take(5) {
                    let at = d.primary.span.range();
                    println!("  {} {} @ {:?} {:?}", d.code, d.message, at, text.get(at.start..at.end.max(at.start+1)+20));
                }
            }
        }
    }
}
