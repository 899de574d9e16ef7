//! `ser show`: every stage in every format, or a clear word.

use crate::common::{self, Output, example, examples, file, file_name, folder, ser, sources, text};
use serde_json::Value;

const STAGES: [&str; 9] =
    ["ast", "ns", "paper-net", "net", "automaton", "outcomes", "query", "triples", "certificate"];
const FORMATS: [&str; 8] = ["text", "json", "dot", "svg", "net", "pnml", "xml", "smtlib"];

/// Whether a stage has a format.
fn suits(stage: &str, format: &str) -> bool {
    match format {
        "text" => stage != "certificate",
        "json" => true,
        "dot" | "svg" => ["ast", "ns", "paper-net", "net", "automaton"].contains(&stage),
        "net" | "pnml" => ["paper-net", "net"].contains(&stage),
        "xml" => stage == "query",
        _ => ["query", "triples", "certificate"].contains(&stage),
    }
}

fn show(stage: &str, format: &str, path: &str) -> Output {
    ser(&["show", "--stage", stage, "--format", format, path])
}

#[test]
fn a_format_that_does_not_suit_is_a_usage_error_that_lists_the_others() {
    let path = example("lost_update.ser");
    for stage in STAGES {
        for format in FORMATS.into_iter().filter(|f| !suits(stage, f)) {
            let output = show(stage, format, &path);
            assert_eq!(output.code, Some(2), "{stage} {format}: {output:?}");
            assert!(output.stderr.contains(&format!("cannot be shown as `{format}`")));
            for other in FORMATS {
                let listed = output.stderr.lines().last().unwrap_or("").contains(other);
                // `net` is also a part of other words.
                assert!(other == "net" || listed == suits(stage, other), "{output:?}");
            }
        }
    }
}

#[test]
fn options_of_other_stages_are_usage_errors() {
    let path = example("lost_update.ser");
    let table: [(&[&str], &str); 7] = [
        (&["--stage", "ns", "--raw"], "--raw is for the stages `net` and `query`"),
        (&["--stage", "ast", "--after", "slice"], "--after is for"),
        (&["--stage", "query", "--steps"], "--steps is for the stage `net`"),
        (&["--stage", "net", "--for", "net"], "--for is for the stage `query`"),
        (&["--stage", "net", "--steps", "--format", "svg"], "use text or json"),
        (&["--stage", "net", "--after", "99"], "--steps"),
        (&["--stage", "net", "--after", "nonsense"], "no reduction `nonsense`"),
    ];
    for (args, words) in table {
        let output = ser(&[&["show"], args, &[path.as_str()]].concat());
        assert_eq!(output.code, Some(2), "{args:?}: {output:?}");
        assert!(output.stderr.contains(words), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty());
    }
}

/// Shows every stage of one example, in one format each: which one depends on the example.
fn every_stage(nth: usize, path: &str, is_system: bool) {
    for stage in STAGES {
        let formats: Vec<&str> = FORMATS.into_iter().filter(|f| suits(stage, f)).collect();
        for format in [formats[nth % formats.len()]] {
            let args = ["show", "--stage", stage, "--format", format, "--timeout", "5", path];
            let output = ser(&args);
            let what = format!("{stage} {format} {path}: {output:?}");
            if output.code == Some(2) {
                // There may be no such thing; then there is a reason and a way out.
                let reasons = [
                    ("ast", "a network system has no syntax tree"),
                    ("triples", "there is no proof"),
                    ("triples", "proved by arithmetic"),
                    ("triples", "proved by reductions of its rules"),
                    ("triples", "proved in slices"),
                    ("triples", "which needs no triples"),
                    ("certificate", "there is no proof"),
                    ("outcomes", "a semilinear set needs more than"),
                    ("query", "a semilinear set needs more than"),
                    ("query", "speaks about remainders"),
                    ("query", "the query would be too large"),
                ];
                let known =
                    |(s, words): &(&str, &str)| *s == stage && output.stderr.contains(words);
                let illegible = format == "svg" && output.stderr.contains("would not be legible");
                assert!(illegible || reasons.iter().any(known), "{what}");
                assert!(output.stderr.contains("help"), "{what}");
                assert!(stage != "ast" || is_system, "{what}");
                continue;
            }
            if output.code == Some(3) {
                // What is proved without its states may have no end of them, or too many outcomes.
                let reasons = ["finitely many states", "time limit of 5 s"];
                assert!(reasons.iter().any(|it| output.stderr.contains(it)), "{what}");
                continue;
            }
            assert_eq!(output.code, Some(0), "{what}");
            assert!(output.stderr.is_empty(), "{what}");
            let out = output.stdout.as_str();
            match format {
                "json" => {
                    let value: Result<Value, _> = serde_json::from_str(out);
                    assert!(value.is_ok_and(|v| v.is_object()), "{what}");
                }
                "dot" => assert!(out.starts_with("digraph ") && out.ends_with("}\n"), "{what}"),
                "svg" => {
                    assert!(out.starts_with("<svg ") && out.ends_with("</svg>\n"), "{what}");
                    assert!(out.contains("<title id=") && out.contains("<desc id="), "{what}");
                }
                "net" => _ = ser_petri::read_net(out).expect("a net"),
                "pnml" => _ = ser_petri::read_pnml(out).expect("a net"),
                "xml" => assert!(out.contains("<exists-path>"), "{what}"),
                "smtlib" => assert!(out.contains("(set-logic QF_LIA)"), "{what}"),
                _ => assert!(out.lines().count() > 1, "{what}"),
            }
        }
    }
}

#[test]
fn every_stage_of_every_example() {
    let files = sources(&examples());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(path) = files.get(nth) else { break };
                    every_stage(nth, &text(path), file_name(path).ends_with(".json"));
                }
            });
        }
    });
}

#[test]
fn net_and_pnml_are_the_same_net() {
    for name in ["lost_update.ser", "spin_lock.ser", "login_session.json", "language_tour.ser"] {
        for stage in ["paper-net", "net"] {
            let path = example(name);
            let net = ser_petri::read_net(&show(stage, "net", &path).stdout).expect("a net");
            let pnml = ser_petri::read_pnml(&show(stage, "pnml", &path).stdout).expect("a net");
            assert_eq!(net.places, pnml.net.places, "{name}");
            assert_eq!(net.transitions, pnml.net.transitions, "{name}");
        }
    }
}

#[test]
fn names_lead_back_to_lines() {
    let net = show("paper-net", "json", &example("lost_update.ser")).stdout;
    let net: Value = serde_json::from_str(&net).expect("JSON");
    let label = |list: &str, name: &str| {
        let found = net[list].as_array().expect("a list").iter().find(|p| p["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {net}"))["label"].clone()
    };
    assert_eq!(label("places", "Count_1"), "Count = 1");
    assert_eq!(label("places", "increment_l22_seen0"), "request increment, line 22, seen = 0");
    assert_eq!(label("places", "increment_2"), "increment responds 2");
    assert_eq!(label("transitions", "increment_arrives"), "increment arrives");
    assert_eq!(
        label("transitions", "increment_l20_to_l22"),
        "increment goes from line 20 to line 22, while Count = 0"
    );
}

#[test]
fn the_net_after_each_reduction() {
    let path = example("spin_lock.ser");
    let steps = ser(&["show", "--stage", "net", "--steps", &path]).stdout;
    assert!(steps.starts_with("0. normal form: "), "{steps}");
    let count = steps.lines().count();
    assert!(count > 1 && steps.contains(" -> "), "{steps}");
    let after = |step: &str| ser(&["show", "--stage", "net", "--after", step, &path]).stdout;
    let whole = ser(&["show", "--stage", "net", &path]).stdout;
    assert_eq!(after(&(count - 1).to_string()), whole);
    assert_eq!(after("0"), ser(&["show", "--stage", "net", "--raw", &path]).stdout);
    assert_ne!(after("0"), whole);
    let name = steps.lines().nth(1).and_then(|l| l.split([' ', ':']).nth(3)).expect("a name");
    assert_ne!(after(name), after("0"), "{name}");
}

#[test]
fn a_query_without_remainders_has_xml_and_one_with_them_says_why_not() {
    let folder = folder("show_query");
    // An outcome is serial iff `done` comes after an even number of `flip`.
    let text = "request flip { X := 1 - X; 0 } request done { assume(X == 0); X := 2; 1 }";
    let path = file(&folder, "even.ser", text);
    let shown = show("query", "xml", &path);
    assert_eq!(shown.code, Some(2), "{shown:?}");
    assert!(shown.stderr.contains("remainders") && shown.stderr.contains("--format smtlib"));
    assert!(show("query", "smtlib", &path).stdout.contains("(mod "));
    assert!(show("query", "text", &path).stdout.contains(" mod 2 != 0"));
}

/// Listing 1.2 of the SER paper.
const LISTING: &str =
    "request main {\n    X := 1;\n    yield;\n    y := X;\n    X := 0;\n    y\n}\n";

fn listing(args: &[&str]) -> String {
    let folder = folder(&format!("show_listing_{}", args.join("_").replace('-', "")));
    let path = file(&folder, "listing.ser", LISTING);
    let output = ser(&[&["show"], args, &[path.as_str()]].concat());
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout.replace(&format!("{}/", common::text(&folder)), "")
}

#[test]
fn the_papers_net() {
    insta::assert_snapshot!(listing(&["--stage", "paper-net"]));
}

#[test]
fn the_papers_net_as_tina_net() {
    insta::assert_snapshot!(listing(&["--stage", "paper-net", "--format", "net"]));
}

#[test]
fn a_net_as_dot() {
    insta::assert_snapshot!(listing(&["--stage", "net", "--format", "dot"]));
}

#[test]
fn a_net_as_svg() {
    insta::assert_snapshot!(listing(&["--stage", "net", "--format", "svg"]));
}

#[test]
fn serial_outcomes() {
    let output = ser(&["show", "--stage", "outcomes", &example("bounded_counter.ser")]);
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn the_papers_query() {
    let args = ["--stage", "query", "--for", "paper-net"];
    insta::assert_snapshot!(listing(&args));
}

#[test]
fn the_papers_query_as_xml() {
    let args = ["--stage", "query", "--for", "paper-net", "--format", "xml"];
    insta::assert_snapshot!(listing(&args));
}

#[test]
fn the_papers_query_as_smtlib() {
    let args = ["--stage", "query", "--for", "paper-net", "--format", "smtlib"];
    insta::assert_snapshot!(listing(&args));
}

#[test]
fn triples() {
    let path = example("flag_with_else.ser");
    let output = ser(&["show", "--stage", "triples", "--only", "inclusion", &path]);
    insta::assert_snapshot!(output.stdout);
}
