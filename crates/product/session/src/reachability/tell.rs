//! From what was found about goals to reports.

use super::export::{self, Exports};
use super::order::{Order, Replayed, of_firing, of_run};
use super::picture::token_trace;
use super::{
    Answer, Claim, EventReport, Evidence, NoAnswer, Question, Reaching, Witness, data, firing,
    states, trace_source, words,
};
use crate::method::{Command, Context, Method, Wants};
use crate::run::run_of;
use ser_base::Stop;
use ser_reachability_search::SearchProgress;
use ser_report::text::{capitalised, count, in_order};
use ser_report::{
    Answer as Told, Block, Detail, Finding, Kind, Level, Picture, Proof, Report, Rule, Run,
    Section, Source, Timing, Unknown, Violation,
};
use std::sync::Arc;

/// Larger token traces are not drawn on a page.
const MAX_DRAWN: usize = 150;

/// What can be reached: by processes, by the requests of a program, or in an unwinding.
#[derive(Clone, Debug, Default)]
pub struct Reachability {
    pub question: Question,
    pub exports: Exports,
}

impl Method for Reachability {
    fn command(&self) -> Command {
        let reads = &[Kind::Processes, Kind::Unwinding, Kind::Program];
        Command { name: "trace", method: ser_report::Method::Reachability, reads }
    }

    fn guess(&self, text: &str) -> Kind {
        self.kind_of(text)
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let watch = |progress: SearchProgress| (context.progress)(words::progress(&progress));
        let found = trace_source(source, &self.question, context.limits, &watch);
        let keeps = context.wants.certificate || context.wants.page;
        let claim = |answer: &Answer| {
            let claim = Claim::new(&self.question, answer.number, answer).filter(|_| keeps)?;
            serde_json::to_string(&claim).ok()
        };
        let (claims, numbers): (Vec<Option<String>>, Vec<usize>) = match &found.answers {
            Ok(answers) => {
                (answers.iter().map(claim).collect(), answers.iter().map(|it| it.number).collect())
            }
            Err(_) => (Vec::new(), Vec::new()),
        };
        let is_readable = found.answers.is_ok();
        let mut reports = reports(source, found, self.exports, context.wants);
        for (report, claim) in reports.iter_mut().zip(claims) {
            report.certificate = claim;
        }
        match is_readable && source.kind == Kind::Processes {
            true => {
                let reports = numbers.into_iter().zip(reports).collect();
                states::completed(source, &self.question, reports, context)
            }
            false => reports,
        }
    }
}

impl Reachability {
    /// What a text is written in whose name does not tell: what is asked and the first words of its
    /// lines do.
    pub fn kind_of(&self, text: &str) -> Kind {
        let begins = |words: &[&str]| {
            text.lines().any(|line| {
                let mut parts = line.split_whitespace();
                let first = parts.next().is_some_and(|word| words.contains(&word));
                first && parts.next().is_some_and(|word| word.starts_with(char::is_alphabetic))
            })
        };
        let Question { requests, reach, .. } = &self.question;
        match requests.is_some() || !reach.is_empty() || begins(&["request"]) {
            true => Kind::Program,
            false if begins(&["place", "transition", "target"]) => Kind::Unwinding,
            false => Kind::Program.of_text(text),
        }
    }
}

/// One report for each goal, or one that says what is wrong with the question.
fn reports(
    source: &Arc<Source>,
    found: EventReport,
    exports: Exports,
    wants: Wants,
) -> Vec<Report> {
    let EventReport { answers, warnings, time } = found;
    let mut reports: Vec<Report> = match answers {
        Ok(answers) => {
            answers.iter().map(|answer| report(source, answer, exports, wants)).collect()
        }
        Err(error) => {
            let question = ser_report::Question::of(ser_report::Method::Reachability);
            let mut report = Report::error(&source.name, question, error);
            report.timing.total = time;
            vec![report]
        }
    };
    for report in &mut reports {
        report.source = Some(Arc::clone(source));
    }
    // They are about the source, and are reported once.
    if let Some(first) = reports.first_mut() {
        first.warnings = warnings;
    }
    reports
}

fn report(source: &Source, answer: &Answer, exports: Exports, wants: Wants) -> Report {
    let text = goal(source.kind, answer);
    let method = match answer.is_invariant {
        true => ser_report::Method::Invariance,
        false => ser_report::Method::Reachability,
    };
    let question = ser_report::Question {
        method,
        name: answer.name.clone(),
        text: Some(text).filter(|_| !answer.goal.is_empty()),
        span: answer.span,
    };
    let new = |told| Report::new(&source.name, question.clone(), told);
    let mut order = None;
    let mut report = match &answer.verdict {
        Reaching::Reachable(witness) => {
            let mut report = reached(new, source, answer, witness);
            order = order_of(source, witness);
            if let Some(order) = &order {
                report.run_data.insert("order".to_owned(), data::order(order));
                if wants.page && order.events.len() <= MAX_DRAWN {
                    report.sections.push(drawn(source, answer, order));
                }
            }
            report
        }
        Reaching::Unreachable(evidence) => unreached(new, source.kind, answer, evidence),
        Reaching::Unknown(reason) => new(no_answer(source.kind, answer, reason)),
    };
    report.data = data::answer(answer);
    report.timing = timing(answer);
    if wants.statistics {
        report.statistics = data::statistics(answer);
    }
    report.attachments = export::attachments(source, answer, order.as_ref(), exports);
    report
}

/// The goal as it is written, or as one would write it.
fn goal(kind: Kind, answer: &Answer) -> String {
    match kind {
        Kind::Unwinding => format!("target {}", answer.goal),
        Kind::Processes => answer.goal.clone(),
        _ => format!("reach {}", answer.goal),
    }
}

fn timing(answer: &Answer) -> Timing {
    let mut stages = Vec::new();
    if let Reaching::Unreachable(Evidence::Proof { time, .. }) = &answer.verdict {
        stages = vec![("search", answer.time.saturating_sub(*time)), ("checking", *time)];
    }
    Timing { total: answer.time, stages }
}

fn reached(
    new: impl Fn(Told) -> Report,
    source: &Source,
    answer: &Answer,
    witness: &Witness,
) -> Report {
    let (run, checked) = match witness {
        Witness::Run { model, shown, processes, responds, steps, .. } => {
            let lines = Some(&source.lines);
            let run = run_of(lines, model.system(), shown, Some(processes), *responds, steps);
            (run, "the run was replayed on the original, step by step")
        }
        Witness::Firing { net, execution, .. } => {
            let checked = "the run was fired on the net, one event after the other";
            (firing::run(net, execution), checked)
        }
    };
    let run = Run { title: "The run".to_owned(), ..run };
    let mut sections = Vec::new();
    let long = match witness {
        Witness::Run { .. } if run.steps.is_empty() => {
            let first = run.assignments(None, &run.start);
            let at = if first.is_empty() { String::new() } else { format!(": {first}") };
            let so = if answer.is_invariant { "It is violated" } else { "It holds" };
            sections.push(Section::of([Block::Text(format!("{so} at the start{at}."))]));
            "at the start".to_owned()
        }
        Witness::Run { .. } => {
            let steps = count(run.steps.len(), "step");
            let switches = count(run.switches(), "context switch");
            let lead = Block::Text(format!("{steps}, {switches}:"));
            sections.push(Section::of([lead, Block::Run(0)]));
            format!("in {steps} with {switches}")
        }
        Witness::Firing { net, execution, trace } => {
            let events = count(execution.steps.len(), "event");
            let left = firing::tokens(net, &trace.residual(net));
            let left = match left.is_empty() {
                true => "No tokens are left then.".to_owned(),
                false => format!("The tokens then: {}.", left.join(", ")),
            };
            sections.push(Section::of([
                Block::Text(in_order(execution.steps.len(), "event")),
                Block::Table(firing::table(net, execution)),
                Block::Text(left),
            ]));
            sections.push(Section::of([Block::Run(0)]).with_detail(Detail::Page));
            format!("in {events}")
        }
    };
    let mut report =
        new(Told::Violated(Violation { runs: vec![run], checked: Some(checked.to_owned()) }));
    report.meaning = match source.kind {
        Kind::Unwinding => "There is a run with this transition.",
        Kind::Program => "There is a run of these requests that reaches the goal.",
        _ if answer.is_invariant => "There is a run of these processes that violates it.",
        _ => "There is a run of these processes that reaches the goal.",
    }
    .to_owned();
    report.sections = sections;
    if let Witness::Firing { net, execution, trace } = witness {
        report.run_data = data::firing(net, execution, &trace.residual(net));
    }
    let text = report.question.text.clone().unwrap_or_default();
    let called = match &answer.name {
        Some(name) => format!("\"{name}\""),
        None => format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    report.findings.push(Finding {
        rule: Rule::of_question(report.question.method),
        level: Level::Error,
        message: match answer.is_invariant {
            true => format!("{called} is violated {long}"),
            false => format!("{called} can be reached {long}"),
        },
        span: answer.span,
        related: Vec::new(),
        run: Some(0),
        identity: vec![text],
    });
    report
}

fn unreached(
    new: impl Fn(Told) -> Report,
    kind: Kind,
    answer: &Answer,
    evidence: &Evidence,
) -> Report {
    let why = words::about(answer, words::covered(&answer.covered, kind));
    let method = match evidence {
        Evidence::Proof { .. } => "clauses",
        Evidence::Listed(_) => "listing",
    };
    let sentence = format!("{}.", capitalised(&why));
    let mut blocks = vec![Block::Text(sentence.clone())];
    let checked = match words::evidence(evidence) {
        Ok(checked) => Some(checked),
        Err(remark) => {
            blocks.push(Block::Remark(remark));
            None
        }
    };
    blocks.extend(words::further(&answer.covered).map(Block::Help));
    let method = method.to_owned();
    let mut report = new(Told::Holds(Proof { method, why, points: Vec::new(), checked }));
    report.meaning = sentence;
    report.sections = vec![Section::of(blocks)];
    report
}

fn no_answer(kind: Kind, answer: &Answer, reason: &NoAnswer) -> Told {
    match reason {
        NoAnswer::Rejected(why) => {
            Told::Withheld(format!("the solver's proof was rejected: {why}"))
        }
        NoAnswer::Replay(why) => {
            Told::Withheld(format!("the run that was found cannot be replayed: {why}"))
        }
        NoAnswer::Internal(why) => Told::Withheld(why.clone()),
        NoAnswer::Stopped(stop) | NoAnswer::NotReplayed(stop) | NoAnswer::Unchecked(stop) => {
            Told::Unknown(Unknown {
                interrupted: *stop == Stop::Cancelled,
                ..unknown(kind, answer, reason)
            })
        }
        _ => Told::Unknown(unknown(kind, answer, reason)),
    }
}

fn unknown(kind: Kind, answer: &Answer, reason: &NoAnswer) -> Unknown {
    Unknown {
        reason: words::reason(reason),
        tried: words::so_far(&answer.covered, kind)
            .into_iter()
            .map(|words| words::about(answer, words))
            .collect(),
        help: words::help(reason, kind),
        ..Unknown::default()
    }
}

/// The partial order of a run; bounded model checking gives none.
fn order_of(source: &Source, witness: &Witness) -> Option<Order> {
    match witness {
        Witness::Run { trace: None, .. } => None,
        Witness::Run { model, shown, steps, events, trace: Some(trace), .. } => {
            let system = model.system();
            Some(of_run(Replayed { source, trace, system, shown, steps, events }))
        }
        Witness::Firing { net, trace, execution } => Some(of_firing(net, trace, execution)),
    }
}

fn drawn(source: &Source, answer: &Answer, order: &Order) -> Section {
    let about = "Arrows go from the event that puts a token to the one that takes it, dashed where \
                 it only looks; dotted arrows only say what comes first. Everything else may happen \
                 in any order.";
    let picture = Picture {
        title: "Token trace".to_owned(),
        about: about.to_owned(),
        graph: token_trace(&export::title(source, answer), order),
        shown: order.events.len(),
        all: order.events.len(),
        noun: "event".to_owned(),
    };
    let title = "What has to happen before what";
    Section::titled(title, [Block::Picture(Box::new(picture))]).with_detail(Detail::Page)
}
