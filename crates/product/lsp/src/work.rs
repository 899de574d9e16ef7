//! Checks in the background: started after a short rest, called off by the next edit.
//!
//! Each job has a thread of its own. Calling a job off sets its flag: should it not look at the
//! flag for a while, nobody waits for it. At most [`AT_ONCE`] jobs that are still wanted run at the
//! same time, so that opening a folder does not start a hundred; and at most [`THREADS`] threads,
//! those of jobs that were called off included, so that a hundred edits do not leave a hundred
//! behind.

use crate::Host;
use crate::document::Revision;
use crate::repairs::{Fix, repairs};
use crate::values::Values;
use crossbeam_channel::Sender;
use ser_base::Limits;
use ser_report::{Kind, Report, Source};
use ser_session::method::{Context, Wants};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// So many jobs run at the same time.
const AT_ONCE: usize = 3;
/// So many threads there may be, with those of jobs that were called off and have not noticed yet.
const THREADS: usize = 12;
/// As much as the main thread has on most systems.
const STACK: usize = 8 << 20;
/// A job that runs this much longer than it may is left behind.
const GRACE: Duration = Duration::from_secs(2);

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Check the text.
    Check,
    /// Look for repairs.
    Repair,
}

/// What to do with which text of which document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    pub uri: String,
    pub revision: Revision,
    pub task: Task,
}

/// Something to do.
#[derive(Debug)]
pub struct Job {
    pub order: Order,
    /// When to start.
    pub due: Instant,
    pub source: Arc<Source>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Job {
    /// When to stop waiting for room.
    fn patience(&self) -> Instant {
        self.due + self.timeout + GRACE
    }
}

/// News of a job.
#[derive(Debug)]
pub enum News {
    /// What is known by now; more follows.
    Answered(Vec<Report>),
    /// The values of variables; more follows.
    Values(Values),
    /// The check is over.
    Over,
    /// These repairs were found.
    Repaired(Vec<Fix>),
    /// It panicked, or had to be left behind.
    Failed(String),
}

impl News {
    /// Whether nothing follows.
    fn is_last(&self) -> bool {
        !matches!(self, News::Answered(_) | News::Values(_))
    }
}

/// What a job has to say.
#[derive(Debug)]
pub struct Done {
    pub order: Order,
    pub news: News,
}

struct Running {
    order: Order,
    cancel: Arc<AtomicBool>,
    latest: Instant,
}

/// The jobs of the session.
pub struct Work {
    host: Host,
    sender: Sender<Done>,
    pending: Vec<Job>,
    running: Vec<Running>,
    /// Jobs that were called off and whose threads have not ended.
    leaving: Vec<Running>,
}

impl Work {
    /// No jobs yet; what they say goes to `sender`.
    pub fn new(host: Host, sender: Sender<Done>) -> Work {
        Work { host, sender, pending: Vec::new(), running: Vec::new(), leaving: Vec::new() }
    }

    /// Puts a job on the list.
    pub fn add(&mut self, job: Job) {
        self.pending.push(job);
        self.pending.sort_by_key(|job| job.due);
    }

    /// Calls off all jobs for a document.
    pub fn cancel(&mut self, uri: &str) {
        self.pending.retain(|job| job.order.uri != uri);
        self.call_off(|job| job.order.uri == uri);
    }

    /// Calls off everything.
    pub fn cancel_all(&mut self) {
        self.pending.clear();
        self.call_off(|_| true);
    }

    /// Calls off jobs that are running. Which ones.
    fn call_off(&mut self, which: impl Fn(&Running) -> bool) -> Vec<Order> {
        let mut orders = Vec::new();
        for job in self.running.extract_if(.., |job| which(job)) {
            job.cancel.store(true, Ordering::Relaxed);
            orders.push(job.order.clone());
            self.leaving.push(job);
        }
        orders
    }

    /// Whether another job may start.
    fn has_room(&self) -> bool {
        self.running.len() < AT_ONCE && self.running.len() + self.leaving.len() < THREADS
    }

    /// When to look at the list again.
    pub fn next_look(&self) -> Option<Instant> {
        let due = self.pending.first().map(|job| job.due).filter(|_| self.has_room());
        let lost = self.pending.iter().filter(|_| self.is_stuck()).map(Job::patience);
        self.running.iter().map(|job| job.latest).chain(due).chain(lost).min()
    }

    /// Whether only jobs that were called off take the room: they may never end.
    fn is_stuck(&self) -> bool {
        self.leaving.len() >= THREADS
    }

    /// Starts what is due, and gives up on what should have ended long ago.
    pub fn look(&mut self) -> Vec<Done> {
        let now = Instant::now();
        let failed = |order, why: &str| Done { order, news: News::Failed(why.to_owned()) };
        let late = self.call_off(|job| job.latest <= now).into_iter();
        let mut done: Vec<Done> =
            late.map(|order| failed(order, "it did not end within its time")).collect();
        if self.is_stuck() {
            let lost = self.pending.extract_if(.., |job| job.patience() <= now);
            let why = "the checks of older texts have not ended";
            done.extend(lost.map(|job| failed(job.order, why)));
        }
        while self.has_room() && self.pending.first().is_some_and(|j| j.due <= now) {
            let job = self.pending.remove(0);
            done.extend(self.start(job));
        }
        done
    }

    /// Takes note that a job has spoken. Whether it is still wanted.
    pub fn spoke(&mut self, done: &Done) -> bool {
        let wanted = self.running.iter().any(|job| job.order == done.order);
        if done.news.is_last() {
            self.running.retain(|job| job.order != done.order);
            self.leaving.retain(|job| job.order != done.order);
        }
        wanted
    }

    fn start(&mut self, job: Job) -> Option<Done> {
        let Job { order, source, timeout, .. } = job;
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = Limits {
            cancel: Some(Arc::clone(&cancel)),
            memory: self.host.memory,
            ..Limits::default()
        }
        .with_timeout(timeout);
        let latest = Instant::now() + timeout + GRACE;
        let (host, sender, own) = (self.host, self.sender.clone(), order.clone());
        let work = move || {
            // Nobody listens any more when the session is over.
            let say = |news| {
                let _ = sender.send(Done { order: own.clone(), news });
            };
            let result = catch_unwind(AssertUnwindSafe(|| match own.task {
                Task::Check => check(host, &source, &limits, &say),
                Task::Repair => say(News::Repaired(repairs(&source, &limits))),
            }));
            if let Err(panic) = result {
                say(News::Failed(panic_message(&*panic)));
            }
        };
        let spawned = std::thread::Builder::new().stack_size(STACK).spawn(work);
        match spawned {
            Ok(_) => {
                self.running.push(Running { order, cancel, latest });
                None
            }
            Err(error) => {
                let news = News::Failed(format!("there is no room for another thread: {error}"));
                Some(Done { order, news })
            }
        }
    }
}

/// The answer, as soon as it is settled and once more when it is complete; then what takes more
/// time.
fn check(host: Host, source: &Arc<Source>, limits: &Limits, say: &dyn Fn(News)) {
    let settle = |reports| say(News::Answered(reports));
    let context = Context { limits, progress: &|_| (), wants: Wants::default(), settle: &settle };
    say(News::Answered((host.answer)(source, &context)));
    if source.kind == Kind::Program
        && let Ok(parse) = ser_session::source::program(source)
    {
        say(News::Values(Values::of(&parse.program, &source.text, limits)));
    }
    say(News::Over);
}

/// What a panic said.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
}
