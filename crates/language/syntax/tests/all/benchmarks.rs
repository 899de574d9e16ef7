//! The programs of the SER paper's artifact parse unchanged. They are not part of this
//! repository; without them the test says so and passes.

use std::path::Path;

#[test]
#[allow(clippy::print_stderr, reason = "a test that was skipped should say so")]
fn the_programs_of_the_paper_parse_without_errors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/benchmarks/ser47");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: the benchmarks are not here");
        return;
    };
    let mut count = 0;
    for entry in entries {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_none_or(|extension| extension != "ser") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let parse = ser_syntax::parse(&text);
        assert!(!parse.has_errors(), "{}: {:#?}", path.display(), parse.diagnostics);
        count += 1;
    }
    assert_eq!(count, 43, "the paper has 43 programs in this syntax");
}
