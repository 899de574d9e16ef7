//! Limits hold: on time, on memory, and when somebody presses Ctrl-C.
//!
//! Bounds are generous, because machines are sometimes busy: what matters is that nothing goes on
//! forever.

use crate::common::{self, file, folder, generated, ser};
use ser_generators::families::Variant;
use ser_report::Kind;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The longest that anything with a limit of one second may take here.
const SOON: Duration = Duration::from_secs(6);

/// A program with 2^(n + 1) global states, and long handlers: a member of a scaling family.
fn wide(folder: &Path, n: usize) -> String {
    let program = generated("readers_writers", n, Variant::Broken);
    file(folder, &format!("readers_writers_{n}.ser"), program)
}

/// A system of hundreds of thousands of steps: a long handler that turns a wheel.
fn long_system(folder: &Path, locals: usize, globals: usize) -> String {
    let mut text = String::from(r#"{"initial_global":"g0","requests":[["turn","l0"]],"#);
    let _ = write!(text, r#""responses":[["l{locals}","done"]],"transitions":["#);
    for local in 0..locals {
        for global in 0..globals {
            let comma = if (local, global) == (0, 0) { "" } else { "," };
            let (next, after) = (local + 1, (global + local + 1) % globals);
            let _ = write!(text, r#"{comma}["l{local}","g{global}","l{next}","g{after}"]"#);
        }
    }
    text.push_str("]}");
    file(folder, "wheel.json", text)
}

/// Handlers with many choices and sums, so that serial outcomes need many components.
fn arithmetic(folder: &Path) -> String {
    let mut text = String::new();
    for i in 0..6 {
        let _ = writeln!(
            text,
            "request step{i} {{ x := X; yield; if (x < 7) {{ X := x + 1 }} else {{ X := 0 }}; yield; Y := X; x }}"
        );
    }
    file(folder, "sums.ser", text)
}

/// A serializable program with more runs than anybody can look at.
fn endless(folder: &Path) -> String {
    file(folder, "counter.ser", generated("counter", 5, Variant::Serializable))
}

fn kind(path: &Path) -> Option<Kind> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(Kind::Program.of_text(&text))
}

/// The commands that answer questions about a file of this kind, with everything that they can
/// write.
fn questions(path: &Path) -> Vec<Vec<&'static str>> {
    let extension = path.extension().and_then(|e| e.to_str());
    let (command, more): (&str, &[&[&str]]) = match extension {
        Some("ser") if kind(path) == Some(Kind::Protocol) => ("sequentialize", &[&[]]),
        Some("ser") if kind(path) == Some(Kind::Processes) => ("trace", &[&[]]),
        Some("ser") if kind(path) == Some(Kind::Invariants) => ("prove", &[&[], &["--infer"]]),
        Some("ser" | "json") => ("check", &[&["--explain", "--smtlib", "out.smt2"]]),
        Some("unw") => ("trace", &[&[]]),
        Some("net") => ("reach", &[&["--query", "AG P1 >= 0"]]),
        Some("pnml") => ("reach", &[&["--query", "EF deadlock"]]),
        _ => return Vec::new(),
    };
    let files = ["--html", "out.html", "--certificate", "out.json"];
    more.iter().map(|more| [&[command], &files[..], more].concat()).collect()
}

/// All files below a folder, if it is there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).collect()
}

/// Whatever is computed belongs under the limits, also what is made of a verdict once it is there:
/// explanations, pages, certificates, scripts. (Of five lines, a script once took 38 s and 1.4 GB.)
#[test]
fn whole_processes_keep_their_limits() {
    const MIB: u64 = 1 << 20;
    let folder = folder("limits_whole");
    let hit = "request hit(v in 1..5) { x := X; yield; X := 1 - x; v }";
    let mut files = vec![PathBuf::from(file(&folder, "hit.ser", hit))];
    files.extend(files_below(&common::examples()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../..");
    files.extend(files_below(&root.join("shared/frontier")));
    let next = std::sync::atomic::AtomicUsize::new(0);
    let measure = |worker: usize| {
        let folder = common::folder(&format!("limits_whole_{worker}"));
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            for mut args in questions(path) {
                let path = common::text(path);
                args.extend([path.as_str(), "--timeout", "0.5", "--memory", "150", "--jobs", "1"]);
                let output = common::ser_in(&folder, &args, b"", &[]);
                let code = output.code;
                if output.stderr.contains("this file has only definitions") {
                    continue;
                }
                assert!(matches!(code, Some(0 | 1 | 3 | 4)), "{code:?} {args:?}: {}", output.all());
                assert!(output.time < SOON, "{args:?} took {:?}", output.time);
                assert!(output.memory < 300 * MIB, "{args:?}: {} MiB", output.memory / MIB);
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [0, 1].map(|worker| scope.spawn(move || measure(worker)));
        for worker in workers {
            worker.join().expect("the limits are kept");
        }
    });
}

#[test]
fn time_limits_hold_whatever_the_input() {
    let folder = folder("limits-time");
    let (wide12, wide20) = (wide(&folder, 12), wide(&folder, 20));
    let long = long_system(&folder, 300, 1000);
    let (sums, endless) = (arithmetic(&folder), endless(&folder));
    let nowhere = "slice,idle,merge,exclude,movers";
    let many = ["--max-states", "10000000"];
    let cases: Vec<Vec<&str>> = vec![
        vec!["check", &wide12, "--only", "inclusion", "--without", "movers"],
        vec!["check", &wide12, "--only", "inclusion", "--without", nowhere],
        vec!["check", &wide12, "--only", "atomic"],
        vec!["check", &wide20, "--only", "inclusion", "--without", "movers", many[0], many[1]],
        vec!["check", &long],
        vec!["check", &long, "--only", "inclusion", "--without", "merge"],
        vec!["check", &sums, "--only", "arithmetic"],
        vec!["check", &sums, "--only", "arithmetic", "--without", "pruning,merge-rule"],
        vec!["check", &endless, "--only", "refute", "--search-states", "1000000000"],
        vec!["explain", &wide12, "--without", "movers", "--only", "atomic,inclusion"],
        vec!["show", &wide12, "--stage", "net"],
        vec!["show", &wide12, "--stage", "query"],
        vec!["show", &long, "--stage", "outcomes"],
    ];
    for case in cases {
        let started = Instant::now();
        let mut args = case.clone();
        args.extend(["--timeout", "0.5"]);
        let output = ser(&args);
        let took = started.elapsed();
        assert!(matches!(output.code, Some(0 | 1 | 3)), "{case:?}: {}", output.all());
        assert!(took < SOON, "{case:?} took {took:?}");
    }
}

#[test]
fn a_certificate_that_takes_too_long_to_check_is_neither_valid_nor_rejected() {
    let folder = folder("limits-verify");
    let program = wide(&folder, 12);
    let certificate = common::text(&folder.join("c.json"));
    let checked = ser(&["check", &program, "--certificate", &certificate]);
    assert_eq!(checked.code, Some(1), "{}", checked.all());
    let output = ser(&["verify", &certificate, "--timeout", "0.000001"]);
    assert_eq!(output.code, Some(3), "{}", output.all());
    assert!(output.all().contains("time limit"), "{}", output.all());
    assert_eq!(ser(&["verify", &certificate]).code, Some(0));
}

#[test]
fn messages_about_very_long_lines_are_short() {
    let folder = folder("limits-long-lines");
    let mut text = String::from("request a { ");
    for i in 0..100 {
        let _ = write!(text, "X{}{i} := 1; yield; ", "y".repeat(20_000));
    }
    text.push_str("1 }");
    let output = ser(&["check", "--timeout", "1", &file(&folder, "long.ser", text)]);
    assert!(
        output.stderr.contains("never read") || output.stderr.contains("warning"),
        "no warning"
    );
    let longest = output.stderr.lines().map(str::len).max();
    assert!(longest < Some(2000), "{longest:?}");
}

#[test]
fn an_input_that_has_no_room_in_the_memory_is_not_read() {
    let folder = folder("limits-input");
    let system = long_system(&folder, 100, 1000);
    let output = ser(&["check", "--memory", "1", &system]);
    assert_eq!(output.code, Some(2), "{}", output.all());
    assert!(output.stderr.contains("larger than the memory of 1 MiB"), "{}", output.all());
    assert!(output.stderr.contains("--memory"), "{}", output.all());
    // A program that is too long is refused by its size alone.
    let path = folder.join("sparse.ser");
    let sparse = std::fs::File::create(&path).expect("a file");
    sparse.set_len(10 << 30).expect("a hole");
    let output = ser(&["check", &common::text(&path)]);
    std::fs::remove_file(path).expect("removed");
    assert_eq!(output.code, Some(2), "{}", output.all());
    assert!(output.stderr.contains("the program has 10737.4 MB"), "{}", output.all());
}

#[cfg(target_os = "linux")]
mod process {
    use super::*;
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};

    fn start(args: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().expect("the binary starts")
    }

    fn send(child: &Child, signal: Signal) {
        let process = i32::try_from(child.id()).expect("a process id");
        let process = Pid::from_raw(process).expect("a process id");
        kill_process(process, signal).expect("it is still running");
    }

    /// The exit code, the output and how long it took, from now.
    fn end(mut child: Child) -> (Option<i32>, String, Duration) {
        let started = Instant::now();
        let mut text = String::new();
        let mut stdout = child.stdout.take().expect("standard output");
        let reader = std::thread::spawn(move || {
            stdout.read_to_string(&mut text).expect("text");
            text
        });
        let code = loop {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status.code();
            }
            if started.elapsed() > common::PATIENCE {
                child.kill().expect("it can be ended");
                panic!("it did not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let took = started.elapsed();
        (code, reader.join().expect("the output"), took)
    }

    /// Waits until signals are listened to and the work has begun.
    fn a_moment() {
        std::thread::sleep(Duration::from_millis(700));
    }

    const FOREVER: [&str; 6] =
        ["--only", "refute", "--search-states", "1000000000", "--timeout", "100"];

    #[test]
    fn the_first_interrupt_ends_the_check_with_what_is_known() {
        let folder = folder("limits-interrupt");
        let program = endless(&folder);
        for signal in [Signal::INT, Signal::TERM] {
            let mut args = vec!["check", "--format", "json", "--jobs", "1", &program, &program];
            args.extend(FOREVER);
            let child = start(&args);
            a_moment();
            send(&child, signal);
            let (code, text, took) = end(child);
            assert_eq!(code, Some(3), "{text}");
            assert!(took < SOON, "{took:?}");
            let lines: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let [first, second] = lines.as_slice() else { panic!("{text}") };
            let reason =
                |line: &serde_json::Value| line["reason"].as_str().unwrap_or("").to_owned();
            assert_eq!(first["verdict"], "unknown");
            assert!(reason(first).contains("interrupted"), "{text}");
            assert!(first["searched"]["states"].as_u64() > Some(0), "{text}");
            assert_eq!(second["verdict"], "unknown");
            assert!(reason(second).contains("not started: interrupted"), "{text}");
        }
    }

    #[test]
    fn an_interrupted_log_is_still_well_formed() {
        let folder = folder("limits-sarif");
        let program = endless(&folder);
        let mut args = vec!["check", "--format", "sarif", &program];
        args.extend(FOREVER);
        let child = start(&args);
        a_moment();
        send(&child, Signal::INT);
        let (code, text, _) = end(child);
        assert_eq!(code, Some(3), "{text}");
        let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(log["runs"][0]["results"][0]["ruleId"], "unknown");
    }

    #[test]
    fn waiting_for_standard_input_can_be_interrupted() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
        command.args(["check", "--format", "json", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let held_open = child.stdin.take();
        a_moment();
        send(&child, Signal::INT);
        let (code, text, took) = end(child);
        drop(held_open);
        assert_eq!(code, Some(3), "{text}");
        assert!(took < SOON, "{took:?}");
        assert!(text.contains("interrupted"), "{text}");
    }

    #[test]
    fn the_second_interrupt_ends_at_once() {
        // Work that waits for standard input does not look at anything for a while.
        let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
        command.args(["check", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let held_open = child.stdin.take();
        a_moment();
        send(&child, Signal::INT);
        std::thread::sleep(Duration::from_millis(100));
        send(&child, Signal::INT);
        let (code, _, took) = end(child);
        drop(held_open);
        assert_eq!(code, Some(130));
        assert!(took < SOON, "{took:?}");
    }

    #[test]
    fn memory_is_bounded() {
        let folder = folder("limits-memory");
        let program = endless(&folder);
        let mut args = vec!["check", "--format", "json", "--memory", "50", &program];
        args.extend(FOREVER);
        let output = ser(&args);
        assert_eq!(output.code, Some(3), "{}", output.all());
        assert!(output.stdout.contains("50 MiB of memory"), "{}", output.all());
        let peak = output.memory >> 20;
        assert!((20..120).contains(&peak), "the peak was {peak} MiB");
    }
}
