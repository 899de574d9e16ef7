//! `--watch`: look again whenever a file is saved, and at once.
//!
//! Every check runs in a thread of its own with a flag that cancels it, while files are
//! [polled](look) a few times a second. A check of a text that is no longer there is of no use: it
//! is cancelled when its file is saved, and the new text is next in line. A file that was just
//! saved does not wait for others either: if there is no room, the check that has taken longest is
//! cancelled and starts again later.

mod look;

use super::answer::{self, Ask, Reports, Saved, complain, deliver, workers};
use super::progress::Line;
use super::streams::{err, nobody_listens, plain_out};
use crate::cli::Format;
use crate::process::Process;
use look::Watched;
use ser_report::{Report, most_serious};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant, SystemTime};

/// How often to poll the files.
const LOOK: Duration = Duration::from_millis(150);

/// A check may take so long before it has to make room for a file that was just saved.
const FAIR: Duration = Duration::from_millis(500);

/// The exit code of a file without an answer.
const NO_ANSWER: u8 = 3;

/// Checks, waits for changes and checks again, until the process is interrupted. The exit code is
/// that of the last complete answers.
pub fn run(ask: &Ask, process: &Process, saved: &mut Saved<'_>) -> io::Result<u8> {
    let mut watched: Vec<Watched> = ask.files.iter().map(|f| Watched::with_used(f)).collect();
    let (sender, receiver) = channel();
    let code = std::thread::scope(|scope| {
        let mut work = Work::new(ask, process);
        let result = (|| -> io::Result<u8> {
            let (mut greeted, mut looked) = (false, Instant::now());
            while !(process.is_interrupted() && work.is_idle()) {
                if process.is_interrupted() {
                    work.interrupt();
                } else if looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    for (place, file) in watched.iter_mut().enumerate() {
                        if let Some(name) = file.changed() {
                            clear()?;
                            say(ask, &format!("{name} has changed ({})", time_of_day()))?;
                            work.saved(place);
                        }
                    }
                    work.make_room();
                }
                work.start(scope, &sender);
                if let Ok(done) = receiver.recv_timeout(LOOK.saturating_sub(looked.elapsed())) {
                    work.done(done);
                }
                if work.tell(saved)? {
                    break;
                }
                if !greeted && work.is_idle() && !process.is_interrupted() {
                    say(ask, "Watching for changes; Ctrl-C ends.")?;
                    greeted = true;
                }
            }
            Ok(most_serious(work.codes.iter().map(|code| code.unwrap_or(NO_ANSWER))))
        })();
        // Whatever the reason for the end, the scope waits for what still runs.
        work.interrupt();
        result
    });
    let code = code?;
    if let Err(message) = saved.pages.finish() {
        writeln!(err(), "error: {message}")?;
        return Ok(2);
    }
    Ok(code)
}

/// Makes room on a terminal for answers about a new text: the old ones are of no use any more.
fn clear() -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return Ok(());
    }
    let mut out = plain_out();
    write!(out, "\u{1b}[H\u{1b}[2J\u{1b}[3J")?;
    out.flush()
}

/// `15:04:05 UTC`.
fn time_of_day() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = now.map_or(0, |it| it.as_secs()) % 86_400;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A word to people, apart from the reports.
fn say(ask: &Ask, text: &str) -> io::Result<()> {
    match ask.args.format {
        Format::Human => writeln!(err(), "--- {text}"),
        _ => Ok(()),
    }
}

/// A check that runs.
struct Running {
    /// Distinguishes it from earlier checks of the same file.
    id: u64,
    started: Instant,
    /// The process as the check sees it: its flag calls off this check only.
    process: Process,
    /// Whether its answer is of no use any more.
    is_off: bool,
}

/// What came of a check.
struct Done {
    place: usize,
    id: u64,
    reports: Reports,
}

/// What there is to check, what is being checked, and what there is to report. Files go by their
/// places on the command line.
struct Work<'a> {
    ask: &'a Ask,
    process: &'a Process,
    jobs: usize,
    waiting: VecDeque<usize>,
    /// Those of the waiting ones that were just saved.
    urgent: BTreeSet<usize>,
    running: Vec<(usize, Running)>,
    next_id: u64,
    /// The first answers come in the order of the files: those that are still to come.
    in_order: BTreeSet<usize>,
    answers: BTreeMap<usize, Reports>,
    line: Arc<Line>,
    /// The exit code of the last complete answer about each file.
    codes: Vec<Option<u8>>,
}

impl<'a> Work<'a> {
    fn new(ask: &'a Ask, process: &'a Process) -> Work<'a> {
        let places = 0..ask.files.len();
        Work {
            ask,
            process,
            jobs: workers(ask.args.jobs),
            waiting: places.clone().collect(),
            urgent: BTreeSet::new(),
            running: Vec::new(),
            next_id: 0,
            in_order: places.clone().collect(),
            answers: BTreeMap::new(),
            line: Arc::new(Line::new()),
            codes: places.map(|_| None).collect(),
        }
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty() && self.answers.is_empty()
    }

    /// There is a new text: what is known or being found out about the old one is of no use.
    fn saved(&mut self, place: usize) {
        self.call_off(place);
        self.answers.remove(&place);
        self.waiting.retain(|waiting| *waiting != place);
        self.waiting.push_front(place);
        self.urgent.insert(place);
    }

    /// Calls off the check of a file, if there is one. Its answer does not hold up those of others.
    fn call_off(&mut self, place: usize) {
        self.in_order.remove(&place);
        for (_, running) in self.running.iter_mut().filter(|(p, _)| *p == place) {
            running.process.interrupt.store(true, Ordering::Relaxed);
            running.is_off = true;
        }
    }

    /// How many checks take up room.
    fn busy(&self) -> usize {
        self.running.iter().filter(|(_, running)| !running.is_off).count()
    }

    /// Lets the checks that have taken longest start again later, if files wait that were just
    /// saved.
    fn make_room(&mut self) {
        let wanted = self.urgent.len().min(self.jobs);
        let free = self.jobs.saturating_sub(self.busy());
        for _ in free..wanted {
            let long = |(_, r): &&(usize, Running)| !r.is_off && r.started.elapsed() >= FAIR;
            let longest = self.running.iter().filter(long).min_by_key(|(_, r)| r.started);
            let Some(place) = longest.map(|(place, _)| *place) else { return };
            self.call_off(place);
            self.waiting.push_back(place);
        }
    }

    /// Starts as many checks as there is room for.
    fn start<'s>(&mut self, scope: &'s Scope<'s, '_>, sender: &Sender<Done>)
    where
        'a: 's,
    {
        while self.busy() < self.jobs
            && let Some(place) = self.waiting.pop_front()
        {
            self.urgent.remove(&place);
            let Some(file) = self.ask.files.get(place) else { continue };
            if self.running.is_empty() {
                self.line = Arc::new(Line::new());
            }
            self.next_id += 1;
            let (id, process) = (self.next_id, Process::new(self.process.memory));
            process.interrupt.store(self.process.is_interrupted(), Ordering::Relaxed);
            let running =
                Running { id, started: Instant::now(), process: process.clone(), is_off: false };
            self.running.push((place, running));
            let (ask, line, sender) = (self.ask, Arc::clone(&self.line), sender.clone());
            scope.spawn(move || {
                let reports = answer::answer(ask, &process, &line, file);
                // The receiver is gone at the very end.
                let _ = sender.send(Done { place, id, reports });
            });
        }
    }

    /// A check has ended.
    fn done(&mut self, done: Done) {
        let Some(at) = self.running.iter().position(|(_, r)| r.id == done.id) else { return };
        let (_, running) = self.running.swap_remove(at);
        if !running.is_off {
            self.answers.insert(done.place, done.reports);
        }
    }

    /// Prints and writes the answers whose turn has come. True if the reader is gone.
    fn tell(&mut self, saved: &mut Saved<'_>) -> io::Result<bool> {
        let mut told = false;
        while let Some(place) = self.next_answer()
            && let Some(reports) = self.answers.remove(&place)
        {
            self.in_order.remove(&place);
            let code = deliver(self.ask, saved, &self.line, &reports)?;
            // An answer that was cut short by the end of it all is none.
            if !reports.iter().any(Report::is_interrupted)
                && let Some(known) = self.codes.get_mut(place)
            {
                *known = Some(code);
            }
            told = true;
        }
        if told && let Err(message) = saved.pages.write_index() {
            complain(&self.line, &message);
        }
        Ok(nobody_listens())
    }

    fn next_answer(&self) -> Option<usize> {
        let first = self.in_order.first();
        self.answers.keys().find(|p| !self.in_order.contains(p) || first == Some(p)).copied()
    }

    /// Ends all work. What has no answer will say so.
    fn interrupt(&mut self) {
        for (_, running) in &self.running {
            running.process.interrupt.store(true, Ordering::Relaxed);
        }
        let codes = &self.codes;
        self.waiting.retain(|place| codes.get(*place).is_some_and(Option::is_none));
    }
}
