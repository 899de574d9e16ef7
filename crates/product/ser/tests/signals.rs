//! Signals at random moments: whatever is under its final name afterwards is complete, either the
//! old version or the new one.
//!
//! A few dozen kills are part of every test run. `SER_KILLS=200 cargo test -p ser signals` does as
//! many as one wants; `SER_KILLS_SEED` chooses other moments.

use crate::common::{self, file, folder, generated, ser, ser_with, sources, text};
use rustix::process::{Pid, Signal, kill_process};
use ser_generators::families::Variant;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Kills in an ordinary test run.
const KILLS: u64 = 42;

/// The longest that anything may take to end after a signal here; machines are sometimes busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn start(args: &[String]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the binary starts")
}

fn end(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        match child.try_wait().expect("a child") {
            Some(status) => return status,
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                panic!("it did not end within {PATIENCE:?} of a signal");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Everything in a folder, by name.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.clone(), std::fs::read_to_string(&path).expect("whole files are text")))
        .collect()
}

/// Some programs, badly laid out, and what `ser fmt` makes of them.
struct Programs {
    folder: PathBuf,
    untidy: BTreeMap<PathBuf, String>,
    tidy: BTreeMap<PathBuf, String>,
}

impl Programs {
    fn new(folder: PathBuf) -> Programs {
        let (mut untidy, mut tidy) = (BTreeMap::new(), BTreeMap::new());
        let small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|m| m.len() < 1500);
        let programs = sources(&common::examples());
        let programs =
            programs.iter().filter(|p| p.extension().is_some_and(|e| e == "ser") && small(p));
        for path in programs.take(16) {
            let program = std::fs::read_to_string(path).expect("a program").replace(" := ", ":=");
            let laid_out = ser_with(&["fmt", "-"], program.as_bytes(), &[]);
            assert_eq!(laid_out.code, Some(0), "{}", laid_out.stderr);
            let path = folder.join(common::file_name(path));
            tidy.insert(path.clone(), laid_out.stdout);
            untidy.insert(path, program);
        }
        Programs { folder, untidy, tidy }
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.untidy.keys().map(|path| text(path))
    }

    fn restore(&self) {
        for (path, program) in &self.untidy {
            std::fs::write(path, program).expect("a program can be written");
        }
    }

    /// No temporary files, except after a kill that nobody can prepare for.
    fn sweep(&self, folder: &Path, signal: Signal) {
        let left: Vec<PathBuf> = contents(folder).into_keys().filter(|p| is_temporary(p)).collect();
        assert!(left.is_empty() || signal == Signal::KILL, "after {signal:?}: {left:?}");
        for path in left {
            std::fs::remove_file(path).expect("a file that was left can be removed");
        }
    }
}

fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "tmp")
}

#[test]
fn kills_at_random_moments_leave_no_half_written_file() {
    let mut dice = Dice(number("SER_KILLS_SEED", 1));
    let programs = Programs::new(folder("signals-programs"));
    let results = folder("signals-results");
    let (certificates, pages) = (results.join("certificates"), results.join("pages"));
    let mut valid: BTreeMap<PathBuf, String> = BTreeMap::new();
    for kill in 0..number("SER_KILLS", KILLS) {
        programs.restore();
        let mut args: Vec<String> = match kill % 3 {
            0 => {
                let (certificates, pages) = (text(&certificates), text(&pages));
                ["check", "--jobs", "2", "--certificate", &certificates, "--html", &pages]
                    .map(str::to_owned)
                    .to_vec()
            }
            1 => vec!["fmt".into()],
            _ => ["repair", "--apply", "--timeout", "0.3"].map(str::to_owned).to_vec(),
        };
        args.extend(programs.names());
        let moment = dice.roll(if kill % 3 == 1 { 80 } else { 400 });
        let signal = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL][dice.roll(4) as usize];

        let mut child = start(&args);
        std::thread::sleep(Duration::from_millis(moment));
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, signal).expect("the signal can be sent");
        let status = end(&mut child);
        // Signals that can be heard are: the exit code is one of those that are documented.
        let heard = status.code().is_some_and(|code| code < 4);
        assert!(heard || signal == Signal::KILL || moment < 100, "{args:?}: {status}");

        programs.sweep(&programs.folder, signal);
        programs.sweep(&certificates, signal);
        programs.sweep(&pages, signal);
        for (path, program) in contents(&programs.folder) {
            let known = [&programs.untidy, &programs.tidy];
            if !known.iter().any(|texts| texts.get(&path) == Some(&program)) {
                // A repair: it is a program, and serializable.
                let checked = ser(&["check", &text(&path)]);
                assert_eq!(checked.code, Some(0), "{}: {program}", path.display());
            }
        }
        programs.restore();
        for (path, certificate) in contents(&certificates) {
            if valid.get(&path) != Some(&certificate) {
                let verified = ser(&["verify", &text(&path)]);
                assert_eq!(verified.code, Some(0), "{}: {verified:?}", path.display());
                valid.insert(path, certificate);
            }
        }
        for (path, page) in contents(&pages) {
            assert!(page.trim_end().ends_with("</html>"), "{}", path.display());
        }
    }
}

#[test]
fn waiting_for_a_program_to_lay_out_can_be_interrupted() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
        command.arg("fmt").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let held_open = child.stdin.take();
        std::thread::sleep(Duration::from_millis(500));
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, signal).expect("the signal can be sent");
        assert_eq!(end(&mut child).code(), Some(2), "{signal:?}");
        drop(held_open);
    }
}

#[test]
fn pages_from_before_outlive_an_interrupt() {
    let folder = folder("signals-pages");
    let program = generated("counter", 5, Variant::Serializable);
    let slow = file(&folder, "slow.ser", program);
    let quick = file(&folder, "quick.ser", "request main { X := 1 - X; X }");
    let pages = text(&folder.join("pages"));
    let page = folder
        .join("pages")
        .join(format!("{}.html", quick.trim_start_matches('/').replace('/', "_")));
    assert_eq!(ser(&["check", "--html", &pages, &quick, &quick]).code, Some(0));
    let before = std::fs::read_to_string(&page).expect("a page");
    let args = ["check", "--jobs", "1", "--html", &pages, "--only", "refute", "--search-states"];
    let mut args: Vec<String> = args.map(str::to_owned).to_vec();
    args.extend(["1000000000".to_owned(), slow, quick]);
    let mut child = start(&args);
    std::thread::sleep(Duration::from_millis(700));
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, Signal::INT).expect("the signal can be sent");
    assert_eq!(end(&mut child).code(), Some(3));
    assert!(std::fs::read_to_string(&page).expect("a page") == before);
}
