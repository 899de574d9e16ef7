//! Spin, the model checker, as a tool to compare with: from a model in Promela to what `pan` says.
//!
//! `spin -a` writes a C program, a compiler makes `pan` of it, and `pan` lists the states. Each
//! step is a process of its own in a folder of its own, which is removed afterwards. The time of
//! `pan` is that which the processor worked, where the system tells, so that the answer does not
//! depend on who else is on the machine. Only `pan` has the limits of the comparison; writing and
//! compiling the program is told apart.
//!
//! A model has channels of some capacity, and asserts before each send that its channel is not
//! full. If that fails, the capacity is doubled and everything is done again: the smallest channels
//! that are enough make the smallest states. A run that ends at its limits with channels that are
//! too small says the same as one with larger ones, which has at least as many states.

use crate::machine::Clock;
use crate::process::{Bounds, Call, Ended, Run, find, run};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// So long may Spin and the compiler take.
const COMPILE_TIME: Duration = Duration::from_secs(600);

/// Room for one state, in bytes. Memory depends on the states that there are and not on this.
const STATE_BYTES: u32 = 32_768;

/// How deep a search may be: at first, and if that is not enough.
const DEPTHS: [u32; 2] = [1_000_000, 10_000_000];

/// Capacities of channels: from the first to the last, doubling.
const CAPACITIES: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// Spin and a C compiler, both of which are there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spin {
    spin: PathBuf,
    compiler: PathBuf,
    version: String,
}

/// What is missing for running Spin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Missing {
    /// No `spin`, or another program of that name.
    #[error("the model checker Spin was not found")]
    Spin,
    /// No C compiler.
    #[error("Spin needs a C compiler, and none was found")]
    Compiler,
}

impl Missing {
    /// How to get it.
    pub fn help(self) -> &'static str {
        match self {
            Missing::Spin => {
                "install Spin (on Debian and Ubuntu: apt install spin; https://spinroot.com), or say --no-spin"
            }
            Missing::Compiler => {
                "install gcc or clang so that `cc` is found (on Debian and Ubuntu: apt install gcc), or say --no-spin"
            }
        }
    }
}

/// What `pan` may need.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PanLimits {
    pub time: Duration,
    pub memory_mib: u64,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpinEnd {
    /// All states were seen and nothing is wrong.
    Clean,
    /// Something is wrong, in Spin's words.
    Error(String),
    /// The time was over.
    OutOfTime,
    /// The memory was full.
    OutOfMemory,
    /// Spin does not take such a model, for this reason.
    Refused(String),
}

impl SpinEnd {
    /// One word for tables and programs.
    pub fn name(&self) -> &'static str {
        match self {
            SpinEnd::Clean => "clean",
            SpinEnd::Error(_) => "error",
            SpinEnd::OutOfTime => "time",
            SpinEnd::OutOfMemory => "memory",
            SpinEnd::Refused(_) => "refused",
        }
    }
}

/// One run of Spin.
#[derive(Clone, PartialEq, Debug)]
pub struct SpinRun {
    pub end: SpinEnd,
    /// The capacity of the channels.
    pub capacity: u32,
    /// How many states were stored, if it was told.
    pub states: Option<u64>,
    /// The memory in MiB: what `pan` says, or else what was seen.
    pub memory_mib: Option<f64>,
    /// How deep the search was.
    pub depth: Option<u64>,
    /// The time of `pan` in seconds, if it was started.
    pub pan_seconds: Option<f64>,
    /// The time of Spin and the compiler in seconds.
    pub compile_seconds: f64,
}

impl SpinRun {
    /// Whether Spin gave no answer.
    pub fn gave_up(&self) -> bool {
        !matches!(self.end, SpinEnd::Clean | SpinEnd::Error(_))
    }

    /// Why, if Spin gave a reason.
    pub fn reason(&self) -> &str {
        match &self.end {
            SpinEnd::Error(words) | SpinEnd::Refused(words) => words,
            _ => "",
        }
    }
}

/// What to look for in a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Deadlocks and failing assertions.
    Progress,
    /// These, and messages that are never received.
    Everything,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum SpinError {
    /// It was called off.
    #[error("called off")]
    Cancelled,
    /// A file or a process failed.
    #[error("cannot run Spin: {0}")]
    Io(#[from] io::Error),
    /// The compiler does not like what Spin has written, or `pan` says something unheard of.
    #[error("{what} failed: {words}")]
    Odd { what: &'static str, words: String },
}

impl Spin {
    /// Looks for Spin and a compiler where the system looks for programs.
    pub fn find() -> Result<Spin, Missing> {
        Spin::find_in(&std::env::var_os("PATH").unwrap_or_default())
    }

    /// Looks for them in these folders, written like `PATH`.
    pub fn find_in(folders: &OsString) -> Result<Spin, Missing> {
        let spin = find(folders, &["spin"]).ok_or(Missing::Spin)?;
        // There are other programs of that name.
        let version = version_of(&spin).ok_or(Missing::Spin)?;
        let compiler = find(folders, &["cc", "gcc", "clang"]).ok_or(Missing::Compiler)?;
        Ok(Spin { spin, compiler, version })
    }

    /// Which version it is, in its own words.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs a model, given its text for a capacity of the channels. Nothing is left behind.
    pub fn run<E: ToString>(
        &self,
        model: impl Fn(u32) -> Result<String, E>,
        wanted: Wanted,
        limits: PanLimits,
        cancel: &AtomicBool,
    ) -> Result<SpinRun, SpinError> {
        let mut last = None;
        for capacity in CAPACITIES {
            let text = match model(capacity) {
                Ok(text) => text,
                Err(error) => return Ok(refused(capacity, 0.0, error.to_string())),
            };
            let folder = tempfile::Builder::new().prefix("ser-spin-").tempdir()?;
            let job = Job { spin: self, folder: folder.path(), limits, cancel };
            match job.run(&text, capacity, wanted)? {
                Said::Done(run) => return Ok(run),
                Said::ChannelFull(run) => last = Some(run),
            }
        }
        let words = format!("channels of {} messages are not enough", CAPACITIES[5]);
        let compile = last.map_or(0.0, |run: SpinRun| run.compile_seconds);
        Ok(refused(CAPACITIES[5], compile, words))
    }
}

fn refused(capacity: u32, compile_seconds: f64, words: String) -> SpinRun {
    SpinRun {
        end: SpinEnd::Refused(words),
        capacity,
        states: None,
        memory_mib: None,
        depth: None,
        pan_seconds: None,
        compile_seconds,
    }
}

/// The version, if it is Spin, the model checker.
fn version_of(spin: &Path) -> Option<String> {
    let call = Call { starts_others: true, ..Call::new(spin, vec!["-V".into()]) };
    let bounds = Bounds { time: Duration::from_secs(10), memory_kib: u64::MAX };
    let run = run(&call, bounds, &AtomicBool::new(false)).ok()?;
    let line = run.stdout.lines().find(|line| line.starts_with("Spin Version"))?;
    Some(line.trim().to_owned())
}

/// What came of a model.
enum Said {
    Done(SpinRun),
    ChannelFull(SpinRun),
}

/// One model, in its folder.
struct Job<'a> {
    spin: &'a Spin,
    folder: &'a Path,
    limits: PanLimits,
    cancel: &'a AtomicBool,
}

impl Job<'_> {
    fn call(
        &self,
        program: &Path,
        arguments: &[String],
        bounds: Bounds,
        clock: Clock,
    ) -> Result<Run, SpinError> {
        let folder = Some(self.folder.to_owned());
        let arguments = arguments.iter().map(Into::into).collect();
        let call = Call { starts_others: true, folder, clock, ..Call::new(program, arguments) };
        let run = run(&call, bounds, self.cancel)?;
        if run.ended == Ended::Cancelled { Err(SpinError::Cancelled) } else { Ok(run) }
    }

    fn run(&self, text: &str, capacity: u32, wanted: Wanted) -> Result<Said, SpinError> {
        std::fs::write(self.folder.join("model.pml"), text)?;
        let slow = Bounds { time: COMPILE_TIME, memory_kib: u64::MAX };
        let written =
            self.call(&self.spin.spin, &["-a".into(), "model.pml".into()], slow, Clock::Wall)?;
        let mut compile = written.time.as_secs_f64();
        let too_slow = || format!("more than {} s to compile it", COMPILE_TIME.as_secs());
        if let Some(words) = complaint(&written) {
            return Ok(Said::Done(refused(capacity, compile, words)));
        }
        let memory = format!("-DMEMLIM={}", self.limits.memory_mib);
        let room = format!("-DVECTORSZ={STATE_BYTES}");
        let options = ["-O2", "-w", "-DSAFETY", &room, &memory, "-o", "pan", "pan.c"];
        let compiled =
            self.call(&self.spin.compiler, &options.map(str::to_owned), slow, Clock::Wall)?;
        compile += compiled.time.as_secs_f64();
        match compiled.ended {
            Ended::Code(0) => {}
            Ended::OutOfTime => return Ok(Said::Done(refused(capacity, compile, too_slow()))),
            _ => {
                let words = compiled.stderr.lines().next().unwrap_or_default().to_owned();
                return Err(SpinError::Odd { what: "the C compiler", words });
            }
        }
        let memory_kib = self.limits.memory_mib.saturating_mul(1024);
        let bounds = Bounds { time: self.limits.time, memory_kib };
        let pan = self.folder.join(format!("pan{}", std::env::consts::EXE_SUFFIX));
        for depth in DEPTHS {
            let mut arguments = vec![format!("-m{depth}"), "-n".to_owned()];
            arguments.extend((wanted == Wanted::Everything).then(|| "-q".to_owned()));
            let run = self.call(&pan, &arguments, bounds, Clock::Cpu)?;
            let shallow = run.stdout.contains("max search depth too small");
            let said = read(&run, capacity, compile)?;
            // What is wrong is wrong, however deep the rest is.
            match said {
                Said::Done(SpinRun { end: SpinEnd::Clean, .. }) if shallow => {}
                said => return Ok(said),
            }
        }
        let words = format!("more than {} steps deep", DEPTHS[1]);
        Ok(Said::Done(refused(capacity, compile, words)))
    }
}

/// What Spin has against a model.
fn complaint(run: &Run) -> Option<String> {
    let text = [run.stdout.as_str(), run.stderr.as_str()].concat();
    let line = text.lines().find(|line| line.contains("Error") || line.contains("error"));
    match (line, run.ended) {
        (Some(line), _) => {
            Some(line.split_once("Error: ").map_or(line, |it| it.1).trim().to_owned())
        }
        (None, Ended::Code(0)) => None,
        (None, _) => Some("Spin gave no reason".to_owned()),
    }
}

/// Reads what `pan` said.
fn read(run: &Run, capacity: u32, compile_seconds: f64) -> Result<Said, SpinError> {
    let text = [run.stdout.as_str(), run.stderr.as_str()].concat();
    let number_before = |what: &str| {
        let line = text.lines().find_map(|line| line.split_once(what))?.0;
        line.split_whitespace().next_back()?.parse::<f64>().ok()
    };
    let number_after = |what: &str| {
        let rest = text.lines().find_map(|line| line.split_once(what))?.1;
        rest.split([',', ' ']).find(|it| !it.is_empty())?.parse::<u64>().ok()
    };
    let seen = run.peak_kib.map(|kib| kib as f64 / 1024.0);
    let mut result = SpinRun {
        end: SpinEnd::Clean,
        capacity,
        states: number_before(" states, stored").map(|states| states as u64),
        memory_mib: number_before("total actual memory usage").or(seen),
        depth: number_after("depth reached "),
        pan_seconds: Some(run.time.as_secs_f64()),
        compile_seconds,
    };
    let first = |sign: &str| text.lines().find(|line| line.contains(sign));
    result.end = match run.ended {
        Ended::OutOfTime => SpinEnd::OutOfTime,
        Ended::OutOfMemory => SpinEnd::OutOfMemory,
        _ if first("reached -DMEMLIM bound").is_some() || first("out of memory").is_some() => {
            SpinEnd::OutOfMemory
        }
        _ if first("VECTORSZ").is_some() => {
            SpinEnd::Refused(format!("states of more than {STATE_BYTES} bytes"))
        }
        _ => match (number_after("errors: "), first("pan:1: ")) {
            (Some(0), _) => SpinEnd::Clean,
            // `nfull(c)` in the model; Spin writes it in its own way.
            (Some(_), Some(line)) if line.contains("q_full(") || line.contains("nfull(") => {
                return Ok(Said::ChannelFull(result));
            }
            (Some(_), line) => {
                let words = line.and_then(|line| line.split_once("pan:1: ")).map_or("", |it| it.1);
                SpinEnd::Error(words.trim().to_owned())
            }
            (None, _) => {
                let words = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
                return Err(SpinError::Odd { what: "pan", words: words.trim().to_owned() });
            }
        },
    };
    Ok(Said::Done(result))
}

#[cfg(test)]
mod tests;
