//! One run of a tool in a process of its own: its output, its time, its memory, within limits.
//!
//! A process of its own means that memory and crashes belong to one program. A tool that may start
//! others leads a process group, so that they end with it; one that does not stays in ours, so that
//! it ends with us when somebody presses Ctrl-C. What Ctrl-C does not reach is ended when the
//! caller calls the run off. The end of its output wakes the caller at once; in between, the caller
//! looks now and then whether a limit has passed.

use crate::machine::Clock;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often to look at memory and at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// More output than this is not kept.
const MAX_OUTPUT: u64 = 64 << 20;

/// Bounds on one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// When the clock passes this, the process is ended.
    pub time: Duration,
    /// When the process has more memory than this, in KiB, it is ended.
    pub memory_kib: u64,
}

/// A process gets a little more than its limits, so that it can say itself that they are spent.
const GRACE: Duration = Duration::from_secs(2);
const GRACE_KIB: u64 = 64 << 10;

impl Bounds {
    /// Bounds on a process that knows these limits: seconds and MiB.
    pub fn with_grace(timeout: f64, memory_mib: u64) -> Bounds {
        let time = Duration::try_from_secs_f64(timeout).unwrap_or(Duration::MAX);
        Bounds {
            time: time.saturating_add(GRACE),
            memory_kib: memory_mib.saturating_mul(1024).saturating_add(GRACE_KIB),
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that we did not send: a crash.
    Signal,
    OutOfTime,
    OutOfMemory,
    /// It was called off.
    Cancelled,
}

/// What a run left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub ended: Ended,
    /// From start to end, by the clock of the call.
    pub time: Duration,
    /// The most memory that was seen, in KiB, where the system tells; of the process itself, not of
    /// others that it started.
    pub peak_kib: Option<u64>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// What to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// Whether it may start others, which should end with it.
    pub starts_others: bool,
    /// Where it runs, if not here.
    pub folder: Option<PathBuf>,
    /// By which clock its time is limited and told. The processor's knows the first thread of the
    /// process alone, and a process that does not work is ended after [`PATIENCE`] times its time.
    pub clock: Clock,
}

impl Call {
    /// A program that starts no others, here, by the clock on the wall.
    pub fn new(program: impl Into<OsString>, arguments: Vec<OsString>) -> Call {
        let (starts_others, folder, clock) = (false, None, Clock::Wall);
        Call { program: program.into(), arguments, starts_others, folder, clock }
    }
}

/// The first of some programs that is in one of the folders, written like `PATH`.
pub fn find(folders: &OsStr, names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        // Relative folders would be looked for somewhere else by processes that run in a folder of
        // their own.
        let folders = std::env::split_paths(folders).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(&name)).find(|path| path.is_file())
    })
}

/// So many times as long as the limit says may go by where only the work of the processor counts.
pub const PATIENCE: u32 = 20;

/// Runs a command to its end or to a limit, or until `cancel` is set.
pub fn run(call: &Call, bounds: Bounds, cancel: &AtomicBool) -> io::Result<Run> {
    let started = Instant::now();
    let mut command = Command::new(&call.program);
    command
        .args(&call.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(folder) = &call.folder {
        command.current_dir(folder);
    }
    #[cfg(unix)]
    if call.starts_others {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let mut child = command.spawn()?;
    let (sender, ends) = mpsc::channel();
    let stdout = child.stdout.take().map(|pipe| collect(pipe, sender.clone()));
    let stderr = child.stderr.take().map(|pipe| collect(pipe, sender));

    let mut peak_kib = None;
    let mut worked = Worked::new(call.clock, started);
    let mut stopped = None;
    let mut open = 2;
    let status = loop {
        // With both outputs closed, it is over or nearly so.
        let wait = if open == 0 { Duration::from_micros(200) } else { LOOK };
        match ends.recv_timeout(wait) {
            Ok(()) => open -= 1,
            Err(RecvTimeoutError::Disconnected) if open > 0 => open = 0,
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(wait),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait()? {
            // Whatever it has started must not outlive it, or hold its output open.
            end_others(call, &child);
            break status;
        }
        peak_kib = peak_kib.max(peak_memory_kib(child.id()));
        worked.look(child.id());
        let out_of_patience = started.elapsed() > bounds.time.saturating_mul(PATIENCE);
        let reason = if cancel.load(Ordering::Relaxed) {
            Ended::Cancelled
        } else if worked.time() > bounds.time || out_of_patience {
            Ended::OutOfTime
        } else if peak_kib.is_some_and(|kib| kib > bounds.memory_kib) {
            Ended::OutOfMemory
        } else {
            continue;
        };
        stopped = Some(reason);
        end_others(call, &child);
        // Where there are no groups, and if the group is gone already.
        let _ = child.kill();
        break child.wait()?;
    };
    let time = worked.time();
    let text = |reader: Option<std::thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let ended = stopped.unwrap_or_else(|| ended(status));
    Ok(Run { ended, time, peak_kib, stdout: text(stdout), stderr: text(stderr) })
}

/// How long a process has worked: what the last look said, and all the time since.
struct Worked {
    clock: Clock,
    seen: Duration,
    at: Instant,
}

impl Worked {
    fn new(clock: Clock, started: Instant) -> Worked {
        Worked { clock, seen: Duration::ZERO, at: started }
    }

    fn look(&mut self, process: u32) {
        if self.clock == Clock::Cpu
            && let Some(seen) = processor_time(process)
        {
            (self.seen, self.at) = (seen, Instant::now());
        }
    }

    fn time(&self) -> Duration {
        self.seen + self.at.elapsed()
    }
}

/// How long a processor has worked for the first thread of a process, where the system tells.
fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn ended(status: ExitStatus) -> Ended {
    status.code().map_or(Ended::Signal, Ended::Code)
}

/// Ends the process group that a child leads, if it leads one.
fn end_others(call: &Call, child: &Child) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
        && call.starts_others
    {
        // An error means that nobody is left in it.
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = (call, child);
}

/// Reads all there is, and tells when it ends.
fn collect(
    mut pipe: impl Read + Send + 'static,
    end: mpsc::Sender<()>,
) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A broken pipe ends the output like any other end.
        let _ = (&mut pipe).take(MAX_OUTPUT).read_to_end(&mut bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
        let _ = end.send(());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The most memory that a process has had, where the system tells.
fn peak_memory_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn call(program: &str, arguments: &[&str]) -> Call {
        let arguments = arguments.iter().map(Into::into).collect();
        Call { starts_others: true, ..Call::new(program, arguments) }
    }

    fn shell(script: &str, milliseconds: u64) -> Run {
        let bounds = Bounds { time: Duration::from_millis(milliseconds), memory_kib: u64::MAX };
        run(&call("sh", &["-c", script]), bounds, &AtomicBool::new(false))
            .expect("there is a shell")
    }

    #[test]
    fn output_and_code_are_kept() {
        let run = shell("echo out; echo err >&2; exit 7", 10_000);
        assert_eq!((run.ended, run.stdout.as_str()), (Ended::Code(7), "out\n"));
        assert_eq!(run.stderr, "err\n");
    }

    #[test]
    fn time_limits_end_whatever_the_tool_has_started() {
        let started = Instant::now();
        let run = shell("sleep 100 & sleep 100", 100);
        assert_eq!(run.ended, Ended::OutOfTime);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_is_left_in_the_background_does_not_hold_us_up() {
        let started = Instant::now();
        assert_eq!(shell("sleep 100 & exit 0", 60_000).ended, Ended::Code(0));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_tool_that_is_called_off_ends_with_whatever_it_has_started() {
        let bounds = Bounds { time: Duration::from_secs(100), memory_kib: u64::MAX };
        let started = Instant::now();
        let sleepers = call("sh", &["-c", "sleep 100 & sleep 100"]);
        let run = run(&sleepers, bounds, &AtomicBool::new(true)).expect("there is a shell");
        assert_eq!(run.ended, Ended::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn time_that_others_have_does_not_count_by_the_processors_clock() {
        let bounds = Bounds { time: Duration::from_millis(500), memory_kib: u64::MAX };
        let by_processor = |script: &str| {
            let call = Call { clock: Clock::Cpu, ..call("sh", &["-c", script]) };
            run(&call, bounds, &AtomicBool::new(false)).expect("there is a shell")
        };
        let patient = by_processor("sleep 1");
        assert_eq!(patient.ended, Ended::Code(0));
        assert!(patient.time < bounds.time, "{:?}", patient.time);
        assert_eq!(by_processor("while :; do :; done").ended, Ended::OutOfTime);
    }

    #[test]
    fn a_tool_runs_in_its_folder() {
        let folder = std::env::temp_dir();
        let here = folder.canonicalize().expect("a folder");
        let call = Call { folder: Some(folder), ..call("pwd", &["-P"]) };
        let bounds = Bounds { time: Duration::from_secs(10), memory_kib: u64::MAX };
        let run = run(&call, bounds, &AtomicBool::new(false)).expect("there is pwd");
        assert_eq!(run.stdout.trim_end(), here.to_string_lossy());
    }

    #[test]
    fn crashes_are_told_from_codes() {
        assert_eq!(shell("kill -SEGV $$", 10_000).ended, Ended::Signal);
    }

    #[test]
    fn a_tool_that_is_not_there_is_an_error() {
        let bounds = Bounds { time: Duration::from_secs(1), memory_kib: u64::MAX };
        assert!(run(&call("there-is-no-such-tool", &[]), bounds, &AtomicBool::new(false)).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_limits_end_the_process() {
        let bounds = Bounds { time: Duration::from_secs(60), memory_kib: 1 };
        let call = Call { starts_others: false, ..call("sleep", &["100"]) };
        let run = run(&call, bounds, &AtomicBool::new(false)).expect("there is sleep");
        assert_eq!(run.ended, Ended::OutOfMemory);
    }
}
