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

/// No program of the repository reads the variable of a loop behind it.
#[test]
fn the_examples_read_no_counter_outside_of_its_loop() {
    fn all(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => all(&path, found),
                path => found.push(path),
            }
        }
    }
    let (root, mut found) = (std::path::Path::new("../../.."), Vec::new());
    ["examples", "docs"].iter().for_each(|it| all(&root.join(it), &mut found));
    let mut seen = 0;
    for path in found {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let texts: Vec<&str> = match path.extension().and_then(|it| it.to_str()) {
            Some("ser") => vec![text.as_str()],
            Some("md") => text
                .split("```")
                .skip(1)
                .step_by(2)
                .filter_map(|it| Some(it.split_once('\n')?.1))
                .collect(),
            _ => continue,
        };
        for text in texts {
            seen += 1;
            let wrong = ser_syntax::read(text);
            let wrong = wrong.diagnostics().iter().any(|it| it.code == "counter-outside-loop");
            assert!(!wrong, "{}: {text}", path.display());
        }
    }
    assert!(seen > 100);
}
