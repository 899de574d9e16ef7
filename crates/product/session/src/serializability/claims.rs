//! What a program is asked about its states, besides whether it is serializable: can something
//! fail, can this be so, is that always so, can somebody wait forever?
//!
//! A step in which something fails does not happen, so the first question is answered as if nothing
//! failed; whether that is so is asked of programs with assertions, ranges, indices or divisions.
//! The other questions are written down: `reach`, `invariant`, `deadlock`.

use crate::method::Context;
use crate::run::run_of;
use crate::shown::Shown;
use crate::source::Model;
use crate::trace::trace_shown;
use crate::verified::{Valid, Verified};
use ser_base::Limits;
use ser_model::{ProgramModel, RequestId, Step};
use ser_report::text::count;
use ser_report::{
    Answer, Block, Finding, Kind, Level, Method, Proof, Question, Report, Rule, Section, Source,
    Unknown, Violation,
};
use ser_serializability_checker::{Asked, ClaimEvidence, Refusal, check_claim};
use ser_serializability_search::{ClaimFound, Event, Listed, Run, Waiting, decide_claims};
use ser_syntax::Span;
use ser_syntax::core::{self, ClaimKind, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// What a source asks about states, and its program.
pub(super) fn asked(source: &Source) -> Option<(Program, Vec<Asked>)> {
    if source.kind != Kind::Program {
        return None;
    }
    let program = crate::source::program(source).ok()?.program;
    let failures = program.may_fail().then_some(Asked::Failures);
    let questions = (0..program.questions.len() as u32).map(Asked::Question);
    let asked: Vec<Asked> = failures.into_iter().chain(questions).collect();
    if asked.is_empty() { None } else { Some((program, asked)) }
}

/// One report for each question about states that a source poses.
pub(super) fn reports(source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
    let Some((program, asked)) = asked(source) else { return Vec::new() };
    (context.progress)("answering questions about states".to_owned());
    answered(source, &program, &asked, context)
}

/// The same about processes, which are there once.
pub(crate) fn of_processes(
    source: &Arc<Source>,
    program: &Program,
    asked: &[Asked],
    context: &Context<'_>,
) -> Vec<Report> {
    (context.progress)("answering questions about states".to_owned());
    let is_one = |it: &Asked| is_deadlock(*it, program);
    // Some time is left for who waits, whatever becomes of the rest.
    let sooner = match asked.iter().any(is_one) && !asked.iter().all(is_one) {
        true => context.limits.parts_of_time(2, 3),
        false => context.limits.clone(),
    };
    let first = Context {
        limits: &sooner,
        progress: context.progress,
        wants: context.wants,
        settle: context.settle,
    };
    let of = |by_rounds: bool| {
        let context = if by_rounds { context } else { &first };
        let asked: Vec<Asked> =
            asked.iter().copied().filter(|it| by_rounds == is_one(it)).collect();
        match ser_syntax::processes_as_requests(program, by_rounds) {
            Some(once) if !asked.is_empty() => answered(source, &once, &asked, context),
            _ => {
                let words = |asked| Words { source, program, asked };
                let why = vec!["there are too many processes to list their states".to_owned()];
                let open = |asked| words(asked).report(ClaimFound::Open(why.clone()), context);
                asked.into_iter().map(open).collect()
            }
        }
        .into_iter()
    };
    let (mut others, mut deadlocks) = (of(false), of(true));
    let next = |asked: &Asked| match is_deadlock(*asked, program) {
        true => deadlocks.next(),
        false => others.next(),
    };
    asked.iter().filter_map(next).collect()
}

fn is_deadlock(asked: Asked, program: &Program) -> bool {
    let Asked::Question(number) = asked else { return false };
    program.questions.get(number as usize).is_some_and(|it| it.kind == ClaimKind::Deadlock)
}

fn answered(
    source: &Arc<Source>,
    program: &Program,
    asked: &[Asked],
    context: &Context<'_>,
) -> Vec<Report> {
    let start = Instant::now();
    let found = decide_claims(program, &source.text, asked, context.limits);
    let time = start.elapsed() / asked.len().max(1) as u32;
    let one = |(asked, found): (&Asked, ClaimFound)| {
        let start = Instant::now();
        let mut report = Words { source, program, asked: *asked }.report(found, context);
        report.timing.total = time + start.elapsed();
        report
    };
    asked.iter().zip(found).map(one).collect()
}

/// Has the evidence in a certificate checked.
pub(crate) fn verify(evidence: &str, source: &Source, limits: &Limits) -> Verified {
    let evidence: ClaimEvidence = match serde_json::from_str(evidence) {
        Ok(evidence) => evidence,
        Err(error) => return Verified::Unreadable(error.to_string()),
    };
    let parse = match source.kind {
        Kind::Processes => Some(ser_syntax::parse_processes(&source.text)),
        _ => crate::source::program(source).ok(),
    };
    let Some(parse) = parse.filter(|parse| !parse.has_errors()) else {
        let name = &source.name;
        return Verified::Unreadable(format!(
            "the source {name} has errors; see `ser check {name}`"
        ));
    };
    let program = match source.kind {
        Kind::Processes => {
            let by_rounds = is_deadlock(evidence.asked, &parse.program);
            match ser_syntax::processes_as_requests(&parse.program, by_rounds) {
                Some(program) => program,
                None => return Verified::Rejected("there are too many processes".to_owned()),
            }
        }
        _ => parse.program,
    };
    match check_claim(&evidence, &program, &source.text, limits) {
        Ok(words) => Verified::Valid(Valid { words, claims: Vec::new() }),
        Err(Refusal::Rejected(why)) => Verified::Rejected(why),
        Err(Refusal::Stopped(stop)) => Verified::Stopped(stop.to_string()),
    }
}

/// One question, and how its answer is put into words.
struct Words<'a> {
    source: &'a Arc<Source>,
    program: &'a Program,
    asked: Asked,
}

impl Words<'_> {
    fn question(&self) -> Option<&core::Question> {
        match self.asked {
            Asked::Failures => None,
            Asked::Question(number) => self.program.questions.get(number as usize),
        }
    }

    fn is_processes(&self) -> bool {
        self.source.kind == Kind::Processes
    }

    fn whatever(&self) -> &'static str {
        match self.is_processes() {
            true => "However the processes run",
            false => "Whatever requests come",
        }
    }

    /// What a request is called; a process by its name alone.
    fn called(&self, who: usize, name: &str) -> String {
        match self.is_processes() {
            true => name.to_owned(),
            false => format!("#{} {name}", who + 1),
        }
    }

    fn kind(&self) -> Option<ClaimKind> {
        self.question().map(|it| it.kind)
    }

    fn method(&self) -> Method {
        match self.kind() {
            None => Method::Assertions,
            Some(ClaimKind::Reach) => Method::Reachability,
            Some(ClaimKind::Invariant) => Method::Invariance,
            Some(ClaimKind::Deadlock) => Method::Deadlock,
        }
    }

    /// What is asked, as it is written.
    fn text(&self, span: Span) -> String {
        let text = self.source.text.get(span.range()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    /// The condition, as it is written.
    fn condition(&self) -> String {
        let conditions = self.question().into_iter().flat_map(|it| &it.observer.body.exprs);
        let conditions: Vec<String> = conditions.map(|it| self.text(it.span)).collect();
        conditions.join("; ")
    }

    fn report(&self, found: ClaimFound, context: &Context<'_>) -> Report {
        let (answer, evidence, last) = self.answer(found, context.limits);
        let method = self.method();
        let question = match self.question() {
            None => Question::of(method),
            Some(it) => {
                let (name, text) = (it.name.clone(), Some(self.text(it.span)));
                Question { method, name, text, span: Some(it.span) }
            }
        };
        let mut report = Report::new(&self.source.name, question, answer);
        report.source = Some(Arc::clone(self.source));
        report.meaning = match &report.answer {
            Answer::Holds(_) => self.holds(),
            _ => String::new(),
        };
        let mut blocks = Vec::new();
        if !report.meaning.is_empty() {
            blocks.push(Block::Text(report.meaning.clone()));
        }
        if let Some((words, finding)) = last {
            blocks.extend(report.answer.run().map(|_| Block::Run(0)));
            blocks.push(Block::Text(words));
            report.findings.push(finding);
        }
        report.sections.push(Section::of(blocks));
        report.certificate = evidence.and_then(|it| serde_json::to_string(&it).ok());
        report
    }

    /// What it means that it holds.
    fn holds(&self) -> String {
        let condition = self.condition();
        match self.kind() {
            None if self.is_processes() => {
                "However the processes run, no assertion fails, no local \
                 variable leaves its range, no index is out of bounds, no lock is given back that \
                 nobody holds, and nothing is divided by 0."
                    .to_owned()
            }
            None => "Whatever requests come, no assertion fails, no variable leaves its range, no \
                     index is out of bounds, and nothing is divided by 0."
                .to_owned(),
            Some(ClaimKind::Reach) => {
                format!("{}, this is never so: {condition}", self.whatever())
            }
            Some(ClaimKind::Invariant) => {
                format!("{}, this is always so: {condition}", self.whatever())
            }
            Some(ClaimKind::Deadlock) if self.is_processes() => {
                "Whatever has happened, every process can still come to its end, or to the end of \
                 the round of its `loop`."
                    .to_owned()
            }
            Some(ClaimKind::Deadlock) => {
                "Whatever has happened, every request that is there, or that comes, can still \
                 complete; perhaps only after others have come."
                    .to_owned()
            }
        }
    }

    /// The answer, once the checker has accepted what was found.
    fn answer(
        &self,
        found: ClaimFound,
        limits: &Limits,
    ) -> (Answer, Option<ClaimEvidence>, Option<(String, Finding)>) {
        let evidence = match &found {
            ClaimFound::Never(evidence, _)
            | ClaimFound::Happens(evidence, _)
            | ClaimFound::Stuck(evidence, _) => evidence.clone(),
            ClaimFound::Open(tried) => return (self.unknown(tried.clone()), None, None),
        };
        let limits = crate::method::checking_limits(limits);
        let checked = match check_claim(&evidence, self.program, &self.source.text, &limits) {
            Ok(words) => Some(words),
            Err(Refusal::Stopped(stop)) => {
                return (Answer::Unknown(crate::method::unchecked(&stop.to_string())), None, None);
            }
            Err(Refusal::Rejected(why)) => return (Answer::Withheld(why), None, None),
        };
        let (answer, last) = match found {
            ClaimFound::Never(_, Listed { globals, locals }) => {
                let why = format!("all {globals} global and {locals} local states are listed");
                let method = "listing".to_owned();
                (Answer::Holds(Proof { method, why, checked, ..Proof::default() }), None)
            }
            ClaimFound::Happens(_, found) => {
                let who = found.run.moves.last().map_or(0, |it| it.0);
                let (fault, span) = &found.fault;
                let line = self.source.lines.line(span.start);
                let is_start = found.steps.is_empty();
                let words = match self.kind() {
                    Some(kind) => {
                        let so = match kind {
                            ClaimKind::Invariant => "this does not hold",
                            _ => "this is so",
                        };
                        let when = if is_start { "Before anything has run" } else { "Then" };
                        format!("{when}, {so}: {}", self.text(*span))
                    }
                    None => {
                        let name = found.run.requests.get(who).cloned().unwrap_or_default();
                        let who_it_is = self.called(who, &name);
                        let is_there = found.steps.iter().any(|it| it.0 == who);
                        let comes = match is_there || self.is_processes() {
                            true => "goes on",
                            false => "comes",
                        };
                        match is_start {
                            true => format!(
                                "Right at the start {who_it_is} {comes}, and on line {line} {fault}."
                            ),
                            false => {
                                format!("Then {who_it_is} {comes}, and on line {line} {fault}.")
                            }
                        }
                    }
                };
                let identity = vec![fault.to_string()];
                let (requests, steps) = (&found.run.requests, &found.steps);
                self.violated(&found.model, requests, steps, words, (*span, identity), checked)
            }
            ClaimFound::Stuck(_, waiting) => {
                let Waiting { model, requests, steps, who } = &*waiting;
                let name = requests.get(*who).cloned().unwrap_or_default();
                let moved = steps.iter().rfind(|it| it.0 == *who);
                let local = moved.map(|(_, step)| model.system().local(step.to));
                let span = local.and_then(|it| it.span);
                let words = match span {
                    _ if self.is_processes() => {
                        let has_moved = steps.iter().any(|it| requests.get(it.0) == Some(&name));
                        self.waits(&name, span, steps.is_empty(), has_moved)
                    }
                    Some(span) => format!(
                        "Now #{} {name} waits on line {}, and can never complete, whatever comes.",
                        who + 1,
                        self.source.lines.line(span.start)
                    ),
                    None if steps.is_empty() => {
                        format!("A request {name} that comes at the start can never complete.")
                    }
                    None => format!("A request {name} that comes now can never complete."),
                };
                let span = span.or_else(|| self.question().map(|it| it.span)).unwrap_or_default();
                self.violated(model, requests, steps, words, (span, vec![name]), checked)
            }
            ClaimFound::Open(tried) => (self.unknown(tried), None),
        };
        (answer, Some(evidence), last)
    }

    /// A process that waits forever.
    fn waits(&self, name: &str, span: Option<Span>, is_start: bool, has_moved: bool) -> String {
        let when = if is_start { "Right at the start" } else { "Now" };
        match span {
            None if has_moved => format!(
                "{when} {name} waits where a round of its `loop` begins, and can never go on to the \
                 end of it, whatever the others do."
            ),
            Some(span) => format!(
                "{when} {name} waits on line {}, and can never go on to its end, whatever the others \
                 do.",
                self.source.lines.line(span.start)
            ),
            None => format!(
                "{when} {name} waits where it begins, and can never go on to its end, whatever the \
                 others do."
            ),
        }
    }

    fn unknown(&self, tried: Vec<String>) -> Answer {
        let reason = match self.kind() {
            None => "no run in which something fails was found, and no proof that there is none",
            Some(ClaimKind::Reach) => {
                "no run that leads there was found, and no proof that there is none"
            }
            Some(ClaimKind::Invariant) => {
                "no run that violates it was found, and no proof that there is none"
            }
            Some(ClaimKind::Deadlock) if self.is_processes() => {
                "no run after which a process waits forever was found, and no proof that there is \
                 none"
            }
            Some(ClaimKind::Deadlock) => {
                "no run after which a request waits forever was found, and no proof that there is \
                 none"
            }
        };
        let help = vec!["make ranges smaller, or give it more time with --timeout".to_owned()];
        let reason = reason.to_owned();
        Answer::Unknown(Unknown { reason, tried, help, ..Unknown::default() })
    }

    /// A run, and what to say at its end.
    fn violated(
        &self,
        model: &ProgramModel,
        requests: &[String],
        steps: &[(usize, Step)],
        words: String,
        (span, identity): (Span, Vec<String>),
        checked: Option<String>,
    ) -> (Answer, Option<(String, Finding)>) {
        let system = model.system();
        let id = |label: &String| {
            let place = system.requests().iter().position(|known| known == label);
            RequestId::from_index(place.unwrap_or(0))
        };
        // A process has one lane, whatever stands for it.
        let moves = steps.iter().filter_map(|(index, _)| requests.get(*index));
        let labels: BTreeSet<&String> = moves.collect();
        let is_there = |it: &&String| labels.contains(it);
        let processes: Vec<String> = self
            .is_processes()
            .then(|| self.program.requests.iter().map(|it| &it.name.text).filter(is_there).cloned())
            .into_iter()
            .flatten()
            .collect();
        let lane = |index: usize| {
            let label = requests.get(index);
            let place = processes.iter().position(|it| Some(it) == label);
            place.unwrap_or(index) as u32 + 1
        };
        let mut events = Vec::new();
        let mut arrived = BTreeSet::new();
        for (index, step) in steps {
            let number = lane(*index);
            if arrived.insert(number) {
                let request = requests.get(*index).map_or(RequestId(0), id);
                events.push(Event::Arrive { number, request, local: step.from });
            }
            events.push(Event::Step { number, step: *step });
            if let Some(response) = system.replies_of(step.to).next()
                && !self.is_processes()
            {
                events.push(Event::Respond { number, response });
            }
        }
        let shown = Shown::new(system, &BTreeMap::new(), self.is_processes());
        let model = Model::Program(Box::new(model.clone()));
        let shown_steps = trace_shown(self.source, &model, &Run { events }, &shown);
        let lines = Some(&self.source.lines);
        let names = self.is_processes().then_some(processes.as_slice());
        let responds = !self.is_processes();
        let run = run_of(lines, model.system(), &shown, names, responds, &shown_steps);
        let runs = if steps.is_empty() { Vec::new() } else { vec![run] };
        let rule = Rule::of_question(self.method());
        let finding = Finding {
            rule,
            level: Level::Error,
            message: words.clone(),
            span: Some(span),
            related: Vec::new(),
            run: (!steps.is_empty()).then_some(0),
            identity,
        };
        let came = arrived.len();
        let noun = match (self.is_processes(), came) {
            (true, 1) => "1 process".to_owned(),
            (true, came) => format!("{came} processes"),
            (false, came) => count(came, "request"),
        };
        let checked = checked.map(|words| match came {
            0 => words,
            _ => format!("{words} ({noun})"),
        });
        (Answer::Violated(Violation { runs, checked }), Some((words, finding)))
    }
}
