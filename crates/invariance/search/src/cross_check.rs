//! A second opinion: an SMT solver that is installed (z3 or cvc5), asked about the script of a
//! condition.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A solver that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solver {
    pub program: PathBuf,
    arguments: Vec<&'static str>,
}

/// What a solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SmtAnswer {
    /// There is a model: the condition is not valid.
    Sat,
    /// There is none (of the size of the script).
    Unsat,
    /// It does not know, or not in time.
    Unknown,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CrossCheckError {
    /// There is no solver.
    #[error("no SMT solver was found: install z3 or cvc5, or name one with its path")]
    NotFound,
    /// It could not be started, or not be spoken to.
    #[error("{program}: {error}", program = program.display())]
    Failed { program: PathBuf, error: std::io::Error },
    /// It said something that is no answer.
    #[error("the solver said: {0}")]
    Garbage(String),
}

impl Solver {
    /// The first of z3 and cvc5 on the path, or the one that is named.
    pub fn find(named: Option<&str>) -> Result<Solver, CrossCheckError> {
        let names: Vec<&str> = named.map_or_else(|| vec!["z3", "cvc5"], |name| vec![name]);
        let found = names.iter().find_map(|name| on_path(name)).ok_or(CrossCheckError::NotFound)?;
        let is_cvc5 = found.file_stem().is_some_and(|it| it.to_string_lossy().contains("cvc5"));
        let arguments = if is_cvc5 { vec!["--lang", "smt2", "-"] } else { vec!["-in", "-smt2"] };
        Ok(Solver { program: found, arguments })
    }

    /// What the solver says about a script.
    pub fn check(&self, script: &str, limit: Duration) -> Result<SmtAnswer, CrossCheckError> {
        let failed = |error| CrossCheckError::Failed { program: self.program.clone(), error };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let script = script.to_owned();
        let stdin = child.stdin.take();
        // It may stop reading early: what it says then counts.
        let writer = std::thread::spawn(move || {
            stdin.map(|mut stdin| stdin.write_all(script.as_bytes())).is_some()
        });
        let in_time = wait(&mut child, limit).map_err(failed)?;
        let _ = writer.join();
        if !in_time {
            return Ok(SmtAnswer::Unknown);
        }
        let mut said = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut said).map_err(failed)?;
        }
        match said.lines().map(str::trim).find(|line| !line.is_empty()) {
            Some("sat") => Ok(SmtAnswer::Sat),
            Some("unsat") => Ok(SmtAnswer::Unsat),
            Some("unknown" | "timeout") => Ok(SmtAnswer::Unknown),
            other => Err(CrossCheckError::Garbage(other.unwrap_or("nothing").to_owned())),
        }
    }
}

/// Whether the solver ended in time; if not, it is ended.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<bool> {
    let end = Instant::now() + limit;
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Path::new(name).is_file().then(|| PathBuf::from(name));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
