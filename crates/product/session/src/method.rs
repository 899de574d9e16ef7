//! A method with its options: the way from a source to checked reports.

use crate::certificate::seal;
use crate::invariance::Invariance;
use crate::isolation::Isolation;
use crate::petri::Nets;
use crate::reachability::Reachability;
use crate::sequentialization::Sequentialization;
use crate::serializability::Serializability;
use crate::source::{from_text, read_text};
use ser_base::{Limits, Stop};
use ser_report::{Block, Kind, Question, Report, Source, SourceError, Unknown};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A method together with its options.
///
/// An implementation answers the questions that a source poses, has a checker accept every
/// answer before it is given, and checks the limits in every loop that can run long.
pub trait Method: Send + Sync {
    fn command(&self) -> Command;

    fn method(&self) -> ser_report::Method {
        self.command().method
    }

    /// Whether it reads sources of this kind.
    fn reads(&self, kind: Kind) -> bool {
        self.command().reads.contains(&kind)
    }

    /// What a text is written in whose name does not tell.
    fn guess(&self, _text: &str) -> Kind {
        Kind::all().find(|kind| self.reads(*kind)).unwrap_or(Kind::Program)
    }

    /// One report for each question that the source poses.
    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report>;
}

/// A subcommand that answers questions.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    pub name: &'static str,
    pub method: ser_report::Method,
    pub reads: &'static [Kind],
}

/// Answers whatever a file asks, with the method that is for it.
#[derive(Clone, Debug, Default)]
pub struct Everything(pub Serializability);

impl Method for Everything {
    fn command(&self) -> Command {
        use Kind::{Invariants, Processes, Program, Protocol, Sql, System, Unwinding};
        let reads = &[Program, System, Processes, Protocol, Invariants, Unwinding, Sql];
        Command { reads, ..self.0.command() }
    }

    fn guess(&self, text: &str) -> Kind {
        self.0.guess(text)
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        match source.kind {
            Kind::Program | Kind::System => self.0.answer(source, context),
            Kind::Invariants => {
                let threads = Invariance { count: true, infer: true, ..Invariance::default() };
                threads.answer(source, context)
            }
            kind => usual(kind).answer(source, context),
        }
    }
}

/// How to work on a source.
pub struct Context<'a> {
    pub limits: &'a Limits,
    /// Told now and then what is going on, in a few words.
    pub progress: &'a dyn Fn(String),
    pub wants: Wants,
    /// Told what is known already, when what is left to do is not worth losing it. Should the work
    /// not finish, these reports stand.
    pub settle: &'a dyn Fn(Vec<Report>),
}

/// What is computed only on request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// The certificate, to be kept.
    pub certificate: bool,
    /// A page: pictures, and whatever else only a page has room for.
    pub page: bool,
    /// All there is to say.
    pub verbose: bool,
    pub statistics: bool,
}

/// There is no answer because the limits came first.
pub(crate) fn stopped(stop: &Stop) -> Unknown {
    Unknown {
        reason: format!("there is no answer yet; {stop}"),
        help: vec![help(stop)],
        interrupted: *stop == Stop::Cancelled,
        ..Unknown::default()
    }
}

/// There is an answer, but the limits were not enough to have it checked.
pub(crate) fn unchecked(why: &str) -> Unknown {
    Unknown {
        reason: crate::serializability::decision::UNCHECKED.to_owned(),
        tried: vec![why.to_owned()],
        help: vec!["raise --timeout or --memory".to_owned()],
        ..Unknown::default()
    }
}

/// What the checker has accepted, for answers that do not say it themselves.
pub(crate) fn checked_remark(words: &str) -> Block {
    Block::Remark(format!("Checked independently: {words}."))
}

/// The method that answers what files of this kind ask. A net asks nothing by itself.
pub fn usual(kind: Kind) -> Box<dyn Method> {
    match kind {
        Kind::Program | Kind::System => Box::new(Serializability::default()),
        Kind::Processes | Kind::Unwinding => Box::new(Reachability::default()),
        Kind::Net => Box::new(Nets::default()),
        Kind::Protocol => Box::new(Sequentialization::default()),
        Kind::Invariants => Box::new(Invariance { count: true, ..Invariance::default() }),
        Kind::Sql => Box::new(Isolation::default()),
    }
}

/// Answers the questions that a file poses.
pub fn answer(method: &dyn Method, file: &str, context: &Context<'_>) -> Vec<Report> {
    let start = Instant::now();
    (context.progress)("reading".to_owned());
    let source = match read(method, file, context.limits) {
        Ok(source) => Arc::new(source),
        Err(error) => return vec![Report::error(file, Question::of(method.method()), error)],
    };
    let reading = start.elapsed();
    let mut reports = answer_source(method, &source, context);
    if let Some(first) = reports.first_mut() {
        first.timing.total += reading;
    }
    reports
}

/// Answers the questions that a source poses: the only way from a source to a checked answer.
pub fn answer_source(
    method: &dyn Method,
    source: &Arc<Source>,
    context: &Context<'_>,
) -> Vec<Report> {
    if !method.reads(source.kind) {
        let error = mistakes(source).unwrap_or_else(|| source.kind.not_read_here());
        let mut report = Report::error(&source.name, Question::of(method.method()), error);
        report.source = Some(Arc::clone(source));
        return vec![report];
    }
    let sealed = |mut reports: Vec<Report>| {
        for report in &mut reports {
            // What is odd about a file that is used is said about that file.
            report.warnings.retain(|warning| source.is_own(warning.primary.span));
            let evidence = report.certificate.take();
            let kind = checker_of(source.kind, method.method(), report.question.method);
            report.certificate = evidence.map(|it| seal(kind, source, it));
        }
        reports
    };
    // What is settled may be all that there will be, so it has its envelope, too.
    let settle = |reports: Vec<Report>| (context.settle)(sealed(reports));
    let Context { limits, progress, wants, .. } = *context;
    let mut reports = method.answer(source, &Context { limits, progress, wants, settle: &settle });
    if let (true, Some(kib)) = (context.wants.statistics, peak_memory_kib()) {
        for report in &mut reports {
            let words = format!("{:.1} MiB at most", kib as f64 / 1024.0);
            report.statistics.push(("memory".to_owned(), words));
            report.statistics_data.insert("peak_memory_kib".to_owned(), kib.into());
        }
    }
    sealed(reports)
}

/// What is wrong with a text of which nobody can say yet what it is a model of: it may be meant for
/// this method.
fn mistakes(source: &Source) -> Option<SourceError> {
    if source.kind != Kind::Program {
        return None;
    }
    let parse = ser_syntax::parse(&source.text);
    let is_unclear = parse.has_errors() && parse.tree.requests.is_empty();
    is_unclear.then_some(SourceError::Diagnostics(parse.diagnostics))
}

/// Whose checker reads the evidence: questions about the states of requests have one of their own.
fn checker_of(
    kind: Kind,
    method: ser_report::Method,
    question: ser_report::Method,
) -> ser_report::Method {
    use ser_report::Method::{Assertions, Serializability};
    match (kind, method, question) {
        (Kind::Program, Serializability, Serializability) => Serializability,
        (Kind::Program, Serializability, _) => Assertions,
        (Kind::System | Kind::Net, ..) => method,
        (Kind::Sql, ..) => ser_report::Method::Isolation,
        _ if method == Serializability => usual(kind).method(),
        _ => method,
    }
}

/// The most memory that this process has ever had, in KiB, where the system reports it.
fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn read(method: &dyn Method, file: &str, limits: &Limits) -> Result<Source, SourceError> {
    let text = read_text(file, limits)?;
    let kind = Kind::of(file).unwrap_or_else(|| method.guess(&text));
    from_text(file, kind, text)
}

/// The report about a file whose work was not brought to its end, or, without words about what it
/// was doing, not even begun.
pub fn unfinished(method: &dyn Method, file: &str, stop: &Stop, doing: Option<&str>) -> Report {
    let mut unknown = stopped(stop);
    match doing {
        Some(doing) => unknown.tried = vec![format!("stopped while {doing}")],
        None => {
            unknown.reason = "not started: interrupted before its turn came".to_owned();
            unknown.not_begun = true;
        }
    }
    Report::unknown(file, Question::of(method.method()), unknown)
}

/// The way out of a limit.
pub fn help(stop: &Stop) -> String {
    match stop {
        Stop::Time { .. } => "give it more time with --timeout",
        Stop::Memory { .. } => "give it more memory with --memory",
        Stop::States { .. } | Stop::Share => "raise --max-states",
        Stop::Cancelled => "let it run to its end, or bound it with --timeout",
    }
    .to_owned()
}

/// An answer that is found at the last moment gets a little more time to be checked.
pub const CHECKING_GRACE: Duration = Duration::from_millis(300);

/// The answer is there; checking it gets the same memory and a little more time. The limit on
/// states is about the program, and has been kept.
pub(crate) fn checking_limits(limits: &Limits) -> Limits {
    let max_states = limits.max_states.max(Limits::default().max_states);
    let later =
        |(at, timeout): (Instant, Duration)| Some((at.checked_add(CHECKING_GRACE)?, timeout));
    Limits { max_states, deadline: limits.deadline.and_then(later), ..limits.clone() }
}
