//! What several test files of the command share.

#![allow(dead_code)]

use ser_generators::families::{Family, Variant};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Output {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// How long the whole process took.
    pub time: Duration,
    /// The most memory that it had in use, in bytes, as far as the system tells (Linux does).
    pub memory: u64,
}

impl Output {
    /// Both streams, for messages that may be on either.
    pub fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// The longest that any command in these tests may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the program with nothing on standard input.
pub fn ser(args: &[&str]) -> Output {
    ser_with(args, b"", &[])
}

/// Runs the program with bytes on standard input and changes to the environment. It must end within
/// [`PATIENCE`] and must not panic, whatever it is given.
pub fn ser_with(args: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Output {
    ser_in(Path::new("."), args, input, environment)
}

/// The same, in a folder.
pub fn ser_in(folder: &Path, args: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.current_dir(folder).args(args);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    for (name, value) in environment {
        command.env(name, value);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("standard input");
    let input = input.to_vec();
    // The child may end without reading everything; that is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut stdout = child.stdout.take().expect("standard output");
    let mut stderr = child.stderr.take().expect("standard error");
    let out = std::thread::spawn(move || read(&mut stdout));
    let err = std::thread::spawn(move || read(&mut stderr));
    let (code, time, memory) = wait(&mut child, args);
    writer.join().expect("the writer ends");
    let output = Output {
        code,
        stdout: out.join().expect("the reader ends"),
        stderr: err.join().expect("the reader ends"),
        time,
        memory,
    };
    assert!(!output.stderr.contains("panicked"), "{args:?} panicked:\n{}", output.stderr);
    assert!(output.code.is_some(), "{args:?} was ended by a signal:\n{}", output.stderr);
    output
}

fn read(stream: &mut dyn std::io::Read) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("readable output");
    String::from_utf8(bytes).expect("the output is UTF-8")
}

/// Waits for the end: the exit code, the time, and the most memory in use.
fn wait(child: &mut Child, args: &[&str]) -> (Option<i32>, Duration, u64) {
    let started = Instant::now();
    let mut memory = 0;
    loop {
        memory = peak_memory(child.id()).unwrap_or(memory);
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            return (status.code(), started.elapsed(), memory);
        }
        if started.elapsed() > PATIENCE {
            child.kill().expect("the child can be ended");
            let _ = child.wait();
            panic!("{args:?} did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What Linux says that a process had in use at most, in bytes.
fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// A program of one of the families.
pub fn generated(family: &str, n: usize, variant: Variant) -> String {
    let family = Family::named(family).expect("a family");
    family.program(n, variant).expect("a program of that size")
}

/// A folder of its own for one test, emptied first.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Writes a file into a test's folder and returns its path.
pub fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file for the test");
    text(&path)
}

/// A path as an argument.
pub fn text(path: &Path) -> String {
    path.to_str().expect("test paths are UTF-8").to_owned()
}

/// One of the repository's examples.
pub fn example(name: &str) -> String {
    let path = examples().join(name);
    assert!(path.is_file(), "there is no example {name}");
    text(&path)
}

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples")
}

/// The programs and systems in a folder, sorted.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ser" || e == "json"))
        .collect();
    files.sort();
    files
}

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a file name")
}

/// The objects of `--format json`, one on each line.
pub fn objects(output: &Output) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    output.stdout.lines().map(parse).collect()
}

/// The only object of `--format json`.
pub fn object(output: &Output) -> Value {
    serde_json::from_str(output.stdout.trim()).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// What a person sees on the screen, without times.
pub fn screen(output: &Output) -> String {
    let code = output.code.expect("an exit code");
    let all = format!("{}{}exit code {code}\n", output.stderr, output.stdout);
    all.lines().map(|line| format!("{}\n", timeless(line))).collect()
}

/// The verdict's line without its time.
fn timeless(line: &str) -> String {
    match line.rsplit_once(" (") {
        Some((rest, time)) if time.ends_with(" ms)") || time.ends_with(" s)") => {
            format!("{rest} (TIME)")
        }
        _ => line.to_owned(),
    }
}

/// What the first line of a file says.
pub fn expectation(path: &Path) -> String {
    let content = std::fs::read_to_string(path).expect("a readable example");
    let first = content.lines().next().unwrap_or_default();
    let words = first.strip_prefix("// expect: ");
    words.unwrap_or_else(|| panic!("{path:?}: the first line is no `// expect: ...`")).to_owned()
}
