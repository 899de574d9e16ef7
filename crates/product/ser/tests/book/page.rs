//! Checks of one page. Each returns what is wrong, with the line, and nothing if all is well.

use super::console::Session;
use super::markdown::{self, Block, Page};
use super::output;
use crate::common;
use ser_report::Kind;
use ser_syntax::ast::World;
use std::path::Path;

/// The last three are settings of editors; `editors/test.sh` reads the Lua and the Lisp with
/// theirs.
const LANGUAGES: [&str; 11] =
    ["ser", "unw", "threads", "console", "json", "ebnf", "sh", "text", "lua", "toml", "elisp"];
const VERDICTS: [&str; 4] = ["serializable", "not_serializable", "unknown", "error"];
const PROTOCOL_VERDICTS: [&str; 4] = ["sequentialized", "refuted", "unknown", "error"];
const PROOF_VERDICTS: [&str; 5] = ["proved", "refuted", "not_inductive", "unknown", "error"];
const ANSWERS: [&str; 10] = [
    "reachable",
    "unreachable",
    "proved",
    "refuted",
    "never_fails",
    "can_fail",
    "deadlock_free",
    "can_deadlock",
    "unknown",
    "error",
];

/// Runs all blocks of a page. Returns what is wrong, and the page with the outputs put right.
pub fn run(text: &str, session: &mut Session) -> (Vec<String>, String) {
    let page = match markdown::parse(text) {
        Ok(page) => page,
        Err(message) => return (vec![message], text.to_owned()),
    };
    let mut problems = Vec::new();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // From the bottom up would keep the line numbers, but blocks depend on those before them.
    let mut shift = 0isize;
    for block in &page.blocks {
        let at = |message: String| format!("line {}: {message}", block.line);
        match block.language.as_str() {
            "ser" if ser_syntax::world(&block.text()) == World::Messages => {
                problems.extend(protocol(block, session).err().map(at));
            }
            "ser" if holds_processes(block) => problems.extend(model(block, session).err().map(at)),
            "ser" => problems.extend(program(block, session).err().map(at)),
            "unw" => problems.extend(model(block, session).err().map(at)),
            "threads" => problems.extend(threads(block, session).err().map(at)),
            "json" => problems.extend(json(block).err().map(at)),
            "console" => {
                let (wrong, right) = console(block, session);
                let count = right.len() as isize - block.lines.len() as isize;
                let start = block.line.saturating_add_signed(shift);
                lines.splice(start..start + block.lines.len(), right);
                shift += count;
                problems.extend(wrong.into_iter().map(at));
            }
            language if LANGUAGES.contains(&language) => {}
            language => problems.push(at(format!("`{language}` is no language of the book"))),
        }
    }
    let mut right: String = lines.join("\n");
    right.push('\n');
    (problems, right)
}

/// Whether the goals of processes are asked, and not whether requests are serializable.
fn holds_processes(block: &Block) -> bool {
    Kind::Program.of_text(&block.text()) == Kind::Processes
}

/// A program: no errors, no warnings, and the verdict that the options name.
fn program(block: &Block, session: &Session) -> Result<(), String> {
    for option in &block.options {
        let known = VERDICTS.contains(&option.as_str()) || option == "warning";
        if !known && !option.starts_with("file=") {
            return Err(format!("`{option}` is no option of a program"));
        }
    }
    let name = block.value("file").unwrap_or("block.ser");
    let path = session.folder.join(name);
    std::fs::write(&path, block.text()).map_err(|e| format!("{name}: {e}"))?;
    let mut args = vec!["check", "--format", "json", name];
    if block.has("unknown") {
        // One that has no end shows that early.
        args.extend(["--max-states", "3000"]);
    }
    let output = common::ser_in(&session.folder, &args, b"", &[]);
    // Serializability comes first, and is what blocks are about.
    let first = output.stdout.lines().next().unwrap_or_default();
    let report: serde_json::Value =
        serde_json::from_str(first).map_err(|e| format!("no report: {e}\n{}", output.all()))?;
    let verdict = report["verdict"].as_str().unwrap_or_default();
    let expected: Vec<&str> = VERDICTS.into_iter().filter(|v| block.has(v)).collect();
    let fits = match expected[..] {
        [] => VERDICTS[..2].contains(&verdict),
        [one] => one == verdict,
        _ => return Err("more than one verdict is expected".into()),
    };
    let warned = report.get("warnings").is_some();
    if !fits || warned != block.has("warning") {
        return Err(format!("the program is {verdict}, not {expected:?}:\n{report:#}"));
    }
    Ok(())
}

/// Processes or an unwinding: no errors, no warnings, and an answer for each goal, those that the
/// options name if they name any.
fn model(block: &Block, session: &Session) -> Result<(), String> {
    let is_answer = |option: &&str| ANSWERS.contains(option);
    let options = block.options.iter().map(String::as_str);
    if let Some(odd) = options.clone().find(|o| !is_answer(o) && !o.starts_with("file=")) {
        return Err(format!("`{odd}` is no option of {}", block.language));
    }
    let unnamed = format!("block.{}", block.language);
    let name = block.value("file").unwrap_or(&unnamed);
    std::fs::write(session.folder.join(name), block.text()).map_err(|e| format!("{name}: {e}"))?;
    let output = common::ser_in(&session.folder, &["trace", "--format", "json", name], b"", &[]);
    let mut answers = Vec::new();
    for line in output.stdout.lines() {
        let answer: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("no answer: {e}\n{}", output.all()))?;
        if answer.get("warnings").is_some() {
            return Err(format!("there are warnings:\n{answer:#}"));
        }
        answers.push(answer["verdict"].as_str().unwrap_or_default().to_owned());
    }
    let expected: Vec<&str> = options.filter(is_answer).collect();
    let fits = match expected[..] {
        [] => !answers.is_empty() && answers.iter().all(|a| ANSWERS[..2].contains(&a.as_str())),
        _ => expected == answers,
    };
    if fits { Ok(()) } else { Err(format!("the answers are {answers:?}, not {expected:?}")) }
}

/// A protocol: no errors, no warnings, and the verdict that the options name.
fn protocol(block: &Block, session: &Session) -> Result<(), String> {
    let is_verdict = |option: &&str| PROTOCOL_VERDICTS.contains(option);
    let options = block.options.iter().map(String::as_str);
    if let Some(odd) = options.clone().find(|o| !is_verdict(o) && !o.starts_with("file=")) {
        return Err(format!("`{odd}` is no option of a protocol"));
    }
    let name = block.value("file").unwrap_or("messages.ser");
    std::fs::write(session.folder.join(name), block.text()).map_err(|e| format!("{name}: {e}"))?;
    let args = ["sequentialize", "--format", "json", name];
    let output = common::ser_in(&session.folder, &args, b"", &[]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout)
        .map_err(|e| format!("no report: {e}\n{}", output.all()))?;
    let verdict = report["verdict"].as_str().unwrap_or_default();
    let expected: Vec<&str> = options.filter(is_verdict).collect();
    if expected != [verdict] || report.get("warnings").is_some() {
        return Err(format!("the protocol is {verdict}, not {expected:?}:\n{report:#}"));
    }
    Ok(())
}

/// Threads with invariants: the verdict that the options name, and no warnings unless they say so.
fn threads(block: &Block, session: &Session) -> Result<(), String> {
    let is_verdict = |option: &&str| PROOF_VERDICTS.contains(option);
    let options = block.options.iter().map(String::as_str);
    let known = |o: &&str| is_verdict(o) || *o == "warning" || o.starts_with("file=");
    if let Some(odd) = options.clone().find(|o| !known(o)) {
        return Err(format!("`{odd}` is no option of threads with invariants"));
    }
    let name = block.value("file").unwrap_or("block.ser");
    std::fs::write(session.folder.join(name), block.text()).map_err(|e| format!("{name}: {e}"))?;
    let args = ["prove", "--format", "json", name];
    let output = common::ser_in(&session.folder, &args, b"", &[]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout)
        .map_err(|e| format!("no report: {e}\n{}", output.all()))?;
    let verdict = report["verdict"].as_str().unwrap_or_default();
    let expected: Vec<&str> = options.filter(is_verdict).collect();
    if expected != [verdict] || report.get("warnings").is_some() != block.has("warning") {
        return Err(format!("the verdict is {verdict}, not {expected:?}:\n{report:#}"));
    }
    Ok(())
}

/// JSON: one value, or with the option `lines` one on each line.
fn json(block: &Block) -> Result<(), String> {
    let texts = if block.has("lines") { block.lines.clone() } else { vec![block.text()] };
    for text in texts {
        serde_json::from_str::<serde_json::Value>(&text).map_err(|e| format!("no JSON: {e}"))?;
    }
    Ok(())
}

/// Commands with their outputs.
fn console(block: &Block, session: &mut Session) -> (Vec<String>, Vec<String>) {
    let (mut problems, mut right) = (Vec::new(), Vec::new());
    if !block.lines.first().is_some_and(|line| line.starts_with("$ ")) {
        problems.push("a console block begins with a command".to_owned());
    }
    let mut lines = block.lines.iter().peekable();
    while let Some(line) = lines.next() {
        right.push(line.clone());
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push(line.clone());
        }
        match session.run(command) {
            Err(message) => {
                problems.push(message);
                right.extend(expected);
            }
            Ok(actual) if output::matches(&expected.join("\n"), &actual) => right.extend(expected),
            Ok(actual) => {
                problems.push(format!("`{command}` prints something else:\n{actual}"));
                let actual = actual.trim_end();
                right.extend(actual.lines().map(|line| line.trim_end().to_owned()));
                if lines.peek().is_some() {
                    right.push(String::new());
                }
            }
        }
    }
    (problems, right)
}

/// Links of a page in a folder to pages, headings, pictures and examples that do not exist.
pub fn dead_links(page: &Page, folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for (line, target) in &page.links {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = folder.join(file);
        if !file.is_empty() && !path.exists() {
            problems.push(format!("line {line}: {target} does not exist"));
        } else if !anchor.is_empty() {
            let found = if file.is_empty() {
                page.anchors.iter().any(|a| a == anchor)
            } else {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                markdown::parse(&text).is_ok_and(|p| p.anchors.iter().any(|a| a == anchor))
            };
            if !found {
                problems.push(format!("line {line}: {target}: there is no such heading"));
            }
        }
    }
    for (line, code) in &page.code {
        let words = code.split_whitespace().filter(|word| word.starts_with("examples/"));
        for word in words.filter(|word| !word.contains('*')) {
            if !common::examples().join("..").join(word).exists() {
                problems.push(format!("line {line}: {word} does not exist"));
            }
        }
    }
    problems
}

/// Pictures that a session has made and that differ from those of the book.
pub fn pictures(session: &Session, docs: &Path, update: bool) -> (Vec<String>, Vec<String>) {
    let (mut names, mut problems) = (Vec::new(), Vec::new());
    let entries = std::fs::read_dir(session.folder.join("pictures")).expect("a folder");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = common::file_name(&path).to_owned();
        let made = std::fs::read(&path).expect("a picture");
        let kept = docs.join("pictures").join(&name);
        if std::fs::read(&kept).ok().as_ref() != Some(&made) {
            problems.push(format!("pictures/{name} is not what its command makes"));
            if update {
                std::fs::write(kept, made).expect("the picture can be written");
            }
        }
        names.push(name);
    }
    names.sort();
    (names, problems)
}
