//! The export to Promela: where Spin is installed, it and the explorer say the same.

use crate::common::{example, examples, parse, sizes};
use ser_base::Limits;
use ser_generators::protocols::random_protocol;
use ser_sequentialization_search::explore::explore;
use ser_sequentialization_search::promela::{PromelaError, PromelaOptions, export};
use ser_syntax::icet::ast::{Protocol, StmtKind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether Spin finds something wrong.
#[derive(PartialEq, Eq, Debug)]
struct Verdict {
    /// A deadlock or a failure.
    waits_or_fails: bool,
    /// One of these, or a message that was not received.
    anything: bool,
}

fn installed() -> bool {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok();
    runs("spin") && runs("cc")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ser-promela-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs Spin. Nothing if the capacity is too small or there are too many states.
fn spin(folder: &Path, model: &str) -> Option<Verdict> {
    std::fs::write(folder.join("model.pml"), model).expect("a file");
    let run = |name: &str, arguments: &[&str]| {
        let output = Command::new(name).args(arguments).current_dir(folder).output();
        let output = output.expect("a program that runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    };
    let said = run("spin", &["-a", "model.pml"]);
    assert!(!said.contains("rror"), "{said}\n{model}");
    let options = ["-O0", "-w", "-DSAFETY", "-DVECTORSZ=16384", "-o", "pan", "pan.c"];
    let said = run("cc", &options);
    assert!(said.is_empty(), "{said}");
    let errors = |arguments: &[&str]| {
        let said = run("./pan", arguments);
        // `nfull` of the model is `!q_full` in what Spin says.
        let full = said.contains("nfull(") || said.contains("q_full(");
        let whole = !full && !said.contains("max search depth too small");
        let count = said.lines().find_map(|line| line.split("errors: ").nth(1));
        let count: usize =
            count.and_then(|it| it.trim().parse().ok()).unwrap_or_else(|| panic!("{said}"));
        whole.then_some(count > 0)
    };
    let depth = "-m1000000";
    Some(Verdict {
        waits_or_fails: errors(&[depth, "-n"])?,
        anything: errors(&[depth, "-n", "-q"])?,
    })
}

/// Whether the loop of a server does not begin with a receive.
fn sends_unasked(protocol: &Protocol) -> bool {
    let servers = protocol.processes.iter().filter(|it| it.server);
    servers.filter_map(|it| it.body.last()).any(|stmt| match &stmt.kind {
        StmtKind::Loop { body } => {
            !matches!(body.first().map(|it| &it.kind), Some(StmtKind::Receive { .. }))
        }
        _ => false,
    })
}

fn compare(folder: &Path, what: &str, protocol: &Protocol, sizes: &[u32]) -> bool {
    let limits = Limits { max_states: 4_000, ..Limits::default() };
    let exploration = explore(protocol, sizes, &limits);
    if !exploration.complete() {
        return false;
    }
    let findings = exploration.findings;
    let waits_or_fails = findings.deadlock.is_some() || findings.failure.is_some();
    let anything = waits_or_fails || findings.orphan.is_some();
    let model = export(protocol, sizes, &PromelaOptions::default()).expect("a model");
    let Some(mut verdict) = spin(folder, &model) else { return false };
    if sends_unasked(protocol) && !anything {
        // Messages that such a server leaves behind are no finding of the explorer; Spin cannot
        // tell.
        verdict.anything = false;
    }
    assert_eq!(verdict, Verdict { waits_or_fails, anything }, "{what} {sizes:?}\n{model}");
    true
}

fn compare_example(folder: &Path, name: &str, size: u32) -> bool {
    let protocol = parse(&example(name));
    compare(folder, name, &protocol, &sizes(&protocol, size))
}

#[test]
fn spin_says_what_the_explorer_says() {
    if !installed() {
        return;
    }
    let folder = folder("some");
    for name in ["lock-server.ser", "firewall.ser", "broken/firewall-wrong-pid.ser", "ex7.ser"] {
        assert!(compare_example(&folder, name, 1), "{name}");
    }
    for name in ["broken/map-reduce-cf.ser", "broken/two-phase-commit-hasty.ser"] {
        assert!(compare_example(&folder, name, 2), "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
#[ignore = "compiles a model for each example and many random protocols: minutes"]
fn spin_says_what_the_explorer_says_of_all_examples_and_many_random_protocols() {
    if !installed() {
        return;
    }
    let folder = folder("all");
    let mut compared = 0;
    for place in ["", "broken/"] {
        for (name, _) in examples(place) {
            for size in [1, 2] {
                compared += usize::from(compare_example(&folder, &format!("{place}{name}"), size));
            }
        }
    }
    for seed in 5000..5080 {
        let protocol = parse(&random_protocol(seed).text);
        let sizes = sizes(&protocol, 2);
        compared += usize::from(compare(&folder, &format!("seed {seed}"), &protocol, &sizes));
    }
    assert!(compared > 130, "{compared}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn too_much_for_spin_is_an_error() {
    let many = parse("set Q; process w for q in Q { skip; }");
    let error = export(&many, &[300], &PromelaOptions::default());
    assert_eq!(error, Err(PromelaError::TooManyProcesses { processes: 300 }));
    let large = parse("process p { n := 3000000000; }");
    let error = export(&large, &[], &PromelaOptions::default());
    assert_eq!(error, Err(PromelaError::Number { number: 3_000_000_000 }));
}

#[test]
fn the_model_of_a_small_protocol() {
    let text = "set Q; msg Id = Id(Q, int); msg Go = Go;
        process p { for x in Q { Id(id, n) := recv Id; assert n == 1; send Go to id; } }
        server process w for q in Q { send Id(self, 1) to p; loop { recv Go from p; } }";
    let protocol = parse(text);
    let model = export(&protocol, &[2], &PromelaOptions::default()).expect("a model");
    insta::assert_snapshot!(model);
}
