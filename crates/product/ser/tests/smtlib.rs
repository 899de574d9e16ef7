//! Proofs as SMT-LIB: scripts are well-formed, and solvers agree where one is at hand.

use crate::common::{example, examples, file, folder, ser, sources, text};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// By arithmetic, this divides runs at the last occurrence of a transition and cuts at the end.
const PHASES: &str = "request r0 { Y := 0; yield; X := 0; 1 }
request r1 { Y := 2; yield; if (X == 0) { Y := 0 } else { X := 1 }; while (Y == 0) { yield }; 1 }
";

/// By inclusion, without the reductions that make it easy, this counts modulo 3.
const MODULO: &str = "request foo {
    while (STOP == 1) { yield };
    if (X == 0) { X := 1 } else { if (X == 1) { X := 2 } else { X := 0 } };
    yield;
    while (STOP == 1) { yield };
    if (X == 0) { X := 1 } else { if (X == 1) { X := 2 } else { X := 0 } };
    if (?) { STOP := 1; X } else { 0 }
}
";

/// What a script is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expression {
    Atom(String),
    Symbol(String),
    Text(String),
    List(Vec<Expression>),
}

use Expression::{Atom, List, Symbol, Text};

/// Reads all expressions of a script.
fn read(script: &str) -> Vec<Expression> {
    let mut open: Vec<Vec<Expression>> = vec![Vec::new()];
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let until = |end: char| rest[1..].find(end).map(|i| i + 1).expect("it ends");
        let (expression, length) = match c {
            ';' => {
                rest = &rest[until('\n')..];
                continue;
            }
            '(' => {
                open.push(Vec::new());
                rest = &rest[1..];
                continue;
            }
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            ')' => (List(open.pop().expect("balanced")), 1),
            '"' => (Text(rest[1..until('"')].to_owned()), until('"') + 1),
            '|' => (Symbol(rest[1..until('|')].to_owned()), until('|') + 1),
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "();|\"".contains(c));
                let end = end.unwrap_or(rest.len());
                (Atom(rest[..end].to_owned()), end)
            }
        };
        open.last_mut().expect("balanced").push(expression);
        rest = &rest[length..];
    }
    assert_eq!(open.len(), 1, "every parenthesis is closed");
    open.remove(0)
}

/// The symbols that are declared in a scope, and how many assertions it has.
type Scope = (BTreeSet<String>, usize);

/// Checks a script as far as one can without a solver; how many answers it asks for.
fn well_formed(script: &str) -> usize {
    let (mut scopes, mut questions): (Vec<Scope>, _) = (vec![Scope::default()], 0);
    let mut echoed = false;
    let mut logic = false;
    for command in read(script) {
        let List(parts) = &command else { panic!("{command:?} is no command") };
        let (Some(Atom(name)), arguments) = (parts.first(), &parts[1..]) else {
            panic!("{command:?} has no name")
        };
        let last = scopes.last_mut().expect("a scope");
        match (name.as_str(), arguments) {
            ("set-info", _) => {}
            ("set-logic", [Atom(name)]) => logic = name == "QF_LIA",
            // Another script follows.
            ("reset", []) => scopes = vec![Scope::default()],
            ("push", [Atom(one)]) if one == "1" => scopes.push(Scope::default()),
            ("pop", [Atom(one)]) if one == "1" => {
                scopes.pop();
                assert!(!scopes.is_empty(), "a scope is closed that was not opened");
            }
            ("declare-fun", [Symbol(new), List(none), Atom(sort)]) => {
                assert!(none.is_empty() && sort == "Int", "{command:?}");
                assert!(last.0.insert(new.clone()), "{new} is declared twice");
            }
            ("define-fun", [Symbol(new), List(none), Atom(sort), term]) => {
                assert!(none.is_empty() && ["Int", "Bool"].contains(&sort.as_str()));
                known(term, &scopes);
                let last = scopes.last_mut().expect("a scope");
                assert!(last.0.insert(new.clone()), "{new} is declared twice");
            }
            ("assert", [term]) => {
                last.1 += 1;
                known(term, &scopes);
            }
            ("echo", [Text(words)]) => assert!(!words.is_empty()),
            ("check-sat", []) => {
                assert!(echoed, "every question says what it is about");
                assert!(last.1 > 0, "every question supposes something");
                questions += 1;
            }
            _ => panic!("unexpected: {command:?}"),
        }
        echoed = name == "echo";
    }
    assert!(logic && scopes.len() == 1);
    questions
}

/// Every symbol of a term is declared, and products are linear.
fn known(term: &Expression, scopes: &[Scope]) {
    match term {
        Symbol(name) => assert!(scopes.iter().any(|(s, _)| s.contains(name)), "{name} is unknown"),
        Atom(name) => {
            let operators = ["+", "-", "*", "=", "<", "<=", ">=", "and", "or", "not"];
            let constant = ["true", "false"].contains(&name.as_str());
            let number = name.chars().all(|c| c.is_ascii_digit());
            assert!(operators.contains(&name.as_str()) || constant || number, "{name}");
        }
        Text(text) => panic!("{text} in a term"),
        List(parts) => {
            if let [Atom(times), factor, _] = parts.as_slice()
                && times == "*"
            {
                assert!(!format!("{factor:?}").contains("Symbol"), "{term:?} is not linear");
            }
            parts.iter().for_each(|part| known(part, scopes));
        }
    }
}

/// A solver on the path.
fn solver() -> Option<(PathBuf, &'static [&'static str])> {
    let path = std::env::var_os("PATH")?;
    let find = |name: &str| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    };
    let z3 = find("z3").map(|file| (file, &[] as &[&str]));
    z3.or_else(|| Some((find("cvc5")?, &["--incremental"])))
}

/// The answers of a solver; none if there is no solver.
fn answers(script: &Path) -> Option<Vec<String>> {
    let Some((solver, options)) = solver() else {
        eprintln!("note: neither z3 nor cvc5 is here; {} is only read", script.display());
        return None;
    };
    let output = Command::new(solver).args(options).arg(script).output().expect("it starts");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_answer = |line: &&str| ["sat", "unsat", "unknown"].contains(line);
    assert!(!output.contains("unknown constant"), "{output}");
    Some(output.lines().filter(is_answer).map(str::to_owned).collect())
}

/// Writes the script of a source and checks it; the script, and how many answers it asks for.
fn checked(source: &str, folder: &Path, options: &[&str]) -> (String, usize) {
    let target = folder.join("script.smt2");
    let path = text(&target);
    let output = ser(&[&["check", "--smtlib", &path, source], options].concat());
    assert_eq!(output.code, Some(0), "{output:?}");
    let script = std::fs::read_to_string(&target).expect("a script");
    let questions = well_formed(&script);
    if let Some(answers) = answers(&target) {
        assert_eq!(answers, vec!["unsat"; questions], "{source}");
    }
    (script, questions)
}

/// Without one of the assertions that a script makes, a solver does not agree any more.
fn weakened(script: &str, folder: &Path, without: &str) {
    let lines: Vec<&str> =
        script.lines().filter(|line| !line.trim().starts_with(without)).collect();
    assert!(lines.len() < script.lines().count(), "{without} is not in the script");
    let path = file(folder, "weakened.smt2", lines.join("\n") + "\n");
    if let Some(answers) = answers(Path::new(&path)) {
        assert!(answers.iter().any(|answer| answer == "sat"), "{without}: {answers:?}");
    }
}

#[test]
fn a_proof_by_inclusion_has_a_question_for_each_step() {
    let folder = folder("smtlib_inclusion");
    let (script, questions) = checked(&example("double_checked_init.ser"), &folder, &[]);
    assert!(questions >= 10, "{questions}");
    for part in ["(define-fun |triple 0|", "; - drop", "leads into a triple", "a serial run to"] {
        assert!(script.contains(part), "{part}");
    }
    weakened(&script, &folder, "(assert (not ");
}

#[test]
fn counters_with_a_period_have_remainders() {
    let folder = folder("smtlib_modulo");
    let source = file(&folder, "modulo.ser", MODULO);
    let options = ["--only", "inclusion", "--without", "movers,idle,exclude"];
    let (script, _) = checked(&source, &folder, &options);
    assert!(script.contains("|rest of p0 by 3 after|"), "{script}");
    weakened(&script, &folder, "(assert (= |p0 foo");
}

#[test]
fn a_proof_by_arithmetic_has_a_question_for_each_leaf() {
    let folder = folder("smtlib_arithmetic");
    let options = ["--only", "arithmetic", "--without", "deferral,alike,clauses"];
    let (script, questions) = checked(&example("token_bucket.ser"), &folder, &options);
    assert!(questions >= 3, "{questions}");
    for part in ["component 0: ", "cases[0].tree", "one of these remainders", "no run has such"] {
        assert!(script.contains(part), "{part}");
    }
    weakened(&script, &folder, "(assert (not ");
    weakened(&script, &folder, "(assert (= (+ ");
}

#[test]
fn runs_are_divided_where_a_transition_fires_for_the_last_time() {
    let folder = folder("smtlib_phases");
    let source = file(&folder, "phases.ser", PHASES);
    let (script, _) = checked(&source, &folder, &["--only", "arithmetic"]);
    for part in ["fires for a last time", "nothing is there at the end", "before t"] {
        assert!(script.contains(part), "{part}");
    }
}

#[test]
fn where_nothing_interleaves_there_is_nothing_to_ask() {
    let folder = folder("smtlib_atomic");
    let (script, questions) = checked(&example("spin_lock.ser"), &folder, &[]);
    assert_eq!(questions, 0);
    assert!(script.contains("nothing arithmetical to check"), "{script}");
}

#[test]
fn names_cannot_break_out_of_symbols_comments_and_strings() {
    let system = r#"{"initial_global": "G|(", "requests": [["a\"b\\", "s;|"]],
        "responses": [["d)", "o k"]],
        "transitions": [["s;|", "G|(", "m|\" (exit)", "G|("],
            ["m|\" (exit)", "G|(", "d)", "G|("]]}"#;
    let folder = folder("smtlib_names");
    let source = file(&folder, "names.json", system);
    for method in ["inclusion", "arithmetic"] {
        let options = ["--only", method, "--without", "movers,idle,slice,merge,exclude"];
        let (_, questions) = checked(&source, &folder, &options);
        assert!(questions > 0, "{method}");
    }
}

#[test]
fn every_proof_of_an_example_is_a_well_formed_script_in_a_folder() {
    let target = folder("smtlib_examples").join("new/scripts");
    let files: Vec<String> = sources(&examples()).iter().map(|path| text(path)).collect();
    let names = files.iter().map(String::as_str);
    // Proofs are found fast; some counterexamples are not.
    let target_path = text(&target);
    let options = ["explain", "--timeout", "3", "--smtlib", &target_path];
    ser(&options.into_iter().chain(names).collect::<Vec<_>>());
    let scripts: Vec<PathBuf> = std::fs::read_dir(&target)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(scripts.len() >= 10, "{scripts:?}");
    for path in scripts {
        assert!(path.extension().is_some_and(|e| e == "smt2"), "{path:?}");
        let script = std::fs::read_to_string(&path).expect("a script");
        let questions = well_formed(&script);
        if let Some(answers) = answers(&path) {
            assert_eq!(answers, vec!["unsat"; questions], "{path:?}");
        }
    }
}

#[test]
fn without_a_proof_there_is_no_script() {
    let folder = folder("smtlib_none");
    let target = folder.join("script.smt2");
    let output = ser(&["check", "--smtlib", &text(&target), &example("lost_update.ser")]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.stderr.contains("--smtlib: nothing was written: there is no proof"),
        "{output:?}"
    );
    assert!(!target.exists());
    // With several files the path must be that of a folder.
    let taken = file(&folder, "taken", "");
    let two = example("spin_lock.ser");
    let output = ser(&["check", "--smtlib", &taken, &two, &two]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("must be a folder"), "{output:?}");
}
