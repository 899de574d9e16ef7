//! From what was found about the markings of a net to reports.

use super::{NetError, NetSource, ReachReport, ReachVerdict, decide_query};
use crate::Withheld;
use crate::method::{self, Command, Context, Method};
use ser_base::{Limits, Stop};
use ser_petri::{PlaceId, Quantifier, Query, ReadError, Transition};
use ser_report::run::{Lane, Step};
use ser_report::text::{count, grouped, in_order};
use ser_report::{
    Answer, Block, Detail, Finding, Kind, Level, Proof, Question, Report, Rule, Run, Section,
    Source, SourceError, Unknown, Value, Violation,
};
use ser_serializability_search::{Options, Progress, Sizes, Tried, Unknown as Undecided};
use ser_syntax::{Diagnostic, LineIndex, Span};
use serde_json::{Map, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// At most so many places have a column.
const MAX_COLUMNS: usize = 20;

/// Longer firing sequences are not shown step by step.
const MAX_STEPS: usize = 1000;

/// Which markings a Petri net can reach.
#[derive(Clone, Debug, Default)]
pub struct Nets {
    /// One query, as text.
    pub query: Option<String>,
    /// Otherwise a file of queries, as XML.
    pub query_file: Option<String>,
    /// The only one of them that matters.
    pub property: Option<String>,
    pub options: Options,
}

impl Method for Nets {
    fn command(&self) -> Command {
        let reads = &[Kind::Net];
        Command { name: "reach", method: ser_report::Method::Reachability, reads }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let reports = match self.read(source, context.limits) {
            Ok((net, queries)) => self.decide_all(source, &net, &queries, context),
            Err(error) => {
                let question = Question::of(ser_report::Method::Reachability);
                vec![Report::error(&source.name, question, self.error(source, error))]
            }
        };
        with_source(reports, source)
    }
}

fn with_source(mut reports: Vec<Report>, source: &Arc<Source>) -> Vec<Report> {
    for report in &mut reports {
        report.source = Some(Arc::clone(source));
    }
    reports
}

impl Nets {
    fn read(&self, source: &Source, limits: &Limits) -> Result<(NetSource, Vec<Query>), NetError> {
        let net = NetSource::from_text(&source.name, source.text.clone())?;
        let queries = match (&self.query, &self.query_file) {
            (Some(text), _) => vec![net.query(text)?],
            (None, Some(file)) => net.queries(file, self.property.as_deref(), limits)?,
            // The command line asks for one of the two.
            (None, None) => Vec::new(),
        };
        Ok((net, queries))
    }

    fn decide_all(
        &self,
        source: &Arc<Source>,
        net: &NetSource,
        queries: &[Query],
        context: &Context<'_>,
    ) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        for (index, query) in queries.iter().enumerate() {
            // What is known stands, even if the others take too long.
            if index > 0 {
                let open = queries.iter().skip(index).map(|query| left_over(net, query));
                let all = reports.iter().cloned().chain(open).collect();
                (context.settle)(with_source(all, source));
            }
            reports.push(self.decide(net, query, context));
        }
        reports
    }

    fn decide(&self, net: &NetSource, query: &Query, context: &Context<'_>) -> Report {
        let text = query.show(&net.net).to_string();
        let progress = |progress: Progress| {
            (context.progress)(format!("{}: {}", query.name, doing(&progress)));
        };
        let found = match context.limits.check_clock() {
            Ok(()) => decide_query(net, query, &self.options, context.limits, &progress),
            Err(stop) => ReachReport::stopped((query.clone(), text), stop),
        };
        let mut report = report(net, query, &found);
        if context.wants.certificate || context.wants.page {
            report.certificate = found.verdict.certificate().map(|it| it.to_text());
        }
        report
    }

    fn error(&self, source: &Source, error: NetError) -> SourceError {
        match (error, &self.query) {
            (NetError::Unreadable(name, message, help), _) if name == source.name => {
                SourceError::Unreadable { message, help }
            }
            (NetError::Unreadable(name, message, help), _) => {
                SourceError::Unreadable { message: format!("{name}: {message}"), help }
            }
            (NetError::NoSuchProperty(name, help), _) => {
                SourceError::Unreadable { message: format!("there is no property `{name}`"), help }
            }
            (NetError::Wrong(name, error), _) if name == source.name => {
                SourceError::Diagnostics(vec![diagnostic("net", &source.text, error)])
            }
            (NetError::Wrong(_, error), Some(query)) => SourceError::Argument {
                argument: "--query",
                text: query.clone(),
                diagnostics: vec![diagnostic("query", query, error)],
            },
            (NetError::Wrong(name, error), None) => {
                let path = format!("{name}:{}:{}", error.line, error.column);
                SourceError::At { path, message: error.message, help: error.help }
            }
        }
    }
}

/// An error at its place in a text.
fn diagnostic(code: &'static str, text: &str, error: ReadError) -> Diagnostic {
    let line = u32::try_from(error.line).unwrap_or(1);
    let lines = LineIndex::new(text);
    let before = lines.row_text(line).chars().take(error.column.saturating_sub(1));
    let start = lines.row_span(line).start + before.map(|c| c.len_utf8() as u32).sum::<u32>();
    let diagnostic = Diagnostic::error(code, error.message, Span::empty(start));
    match error.help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// What is going on, in a few words.
fn doing(progress: &Progress) -> String {
    match progress {
        Progress::Exploring | Progress::Reducing => "reducing the net".to_owned(),
        Progress::Proving { attempt } => {
            format!("looking for an invariant, with token counts up to {}", attempt.cap)
        }
        Progress::Counting => "looking for a proof by arithmetic".to_owned(),
        Progress::Searching { states, .. } => {
            format!("looking for a firing sequence; {}", count(*states, "state"))
        }
    }
}

fn question(net: &NetSource, query: &Query) -> Question {
    Question {
        method: ser_report::Method::Reachability,
        // A query of the command line has no name of its own.
        name: Some(query.name.clone()).filter(|name| name != "query"),
        text: Some(query.show(&net.net).to_string()),
        span: None,
    }
}

/// The report about a query whose turn has not come.
fn left_over(net: &NetSource, query: &Query) -> Report {
    let unknown = Unknown {
        reason: "the limits were reached before it was its turn".to_owned(),
        help: vec!["raise --timeout or --memory, or ask for it alone with --property".to_owned()],
        not_begun: true,
        ..Unknown::default()
    };
    Report::unknown(&net.name, question(net, query), unknown)
}

fn report(net: &NetSource, query: &Query, found: &ReachReport) -> Report {
    let question = question(net, query);
    let text = question.text.clone().unwrap_or_default();
    let mut report = Report::new(&net.name, question, answer(net, found));
    report.meaning = meaning(query, found).to_owned();
    report.timing.total = found.time;
    let mut blocks = Vec::new();
    if query.quantifier == Quantifier::Always && !report.meaning.is_empty() {
        blocks.push(Block::Text(report.meaning.clone()));
    }
    match &found.verdict {
        ReachVerdict::Reachable { sequence, marking, .. } => {
            blocks.extend(fired(sequence, marking));
            let what = match query.quantifier {
                Quantifier::Possibly => "can be reached",
                Quantifier::Always => "does not hold",
            };
            let transitions = count(sequence.len(), "transition");
            let has_run = report.answer.run().is_some();
            report.findings.push(Finding {
                rule: Rule::Reachable,
                level: Level::Error,
                message: format!("`{text}` {what}: see the marking after {transitions}"),
                span: None,
                related: Vec::new(),
                run: has_run.then_some(0),
                identity: vec![text.clone()],
            });
        }
        ReachVerdict::Unreachable { method, .. } => {
            blocks.push(Block::Text(format!("Why: {}.", why(method))));
        }
        _ => {}
    }
    report.sections = vec![Section::of(blocks)];
    if report.answer.run().is_some_and(|run| !run.steps.is_empty()) {
        report.sections.push(Section::of([Block::Run(0)]).with_detail(Detail::Page));
    }
    report.data = data(query, &text, found);
    report
}

fn answer(net: &NetSource, found: &ReachReport) -> Answer {
    match &found.verdict {
        ReachVerdict::Reachable { sequence, accepted, .. } => {
            let evidence = accepted.evidence();
            let checked = format!("{evidence}, and the transitions were fired on the net itself");
            let runs = run(net, sequence).into_iter().collect();
            Answer::Violated(Violation { runs, checked: Some(checked) })
        }
        ReachVerdict::Unreachable { method, accepted, .. } => Answer::Holds(Proof {
            method: (*method).to_owned(),
            why: why(method).to_owned(),
            points: Vec::new(),
            checked: Some(accepted.evidence()),
        }),
        ReachVerdict::Unknown(undecided) => Answer::Unknown(unknown(undecided)),
        ReachVerdict::TooLarge(error) => Answer::Unknown(Unknown {
            reason: error.to_string(),
            help: error.help().map(str::to_owned).into_iter().collect(),
            ..Unknown::default()
        }),
        ReachVerdict::Withheld(Withheld::Unchecked(why)) => Answer::Unknown(method::unchecked(why)),
        ReachVerdict::Withheld(Withheld::Internal(why)) => Answer::Withheld(why.clone()),
    }
}

/// What the answer means for the query.
fn meaning(query: &Query, found: &ReachReport) -> &'static str {
    match (query.quantifier, found.verdict.is_reachable()) {
        (Quantifier::Always, Some(false)) => "The property holds: no reachable marking breaks it.",
        (Quantifier::Always, Some(true)) => {
            "The property does NOT hold: a marking that breaks it is reachable."
        }
        (Quantifier::Possibly, Some(true)) => "A marking like this is reachable.",
        (Quantifier::Possibly, Some(false)) => "No reachable marking is like this.",
        (_, None) => "",
    }
}

fn why(method: &str) -> &'static str {
    match method {
        "reductions" => {
            "once what can never take part in such a run is dropped, nothing is left of it"
        }
        "inclusion" => "a finite invariant with capped token counts rules it out",
        _ => "the state equation of the net, with cuts, has no solution",
    }
}

/// The firing sequence, and where it leads.
fn fired(sequence: &[String], marking: &[(String, u64)]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !sequence.is_empty() {
        blocks.push(Block::Text(in_order(sequence.len(), "transition")));
        blocks.push(Block::Quote(vec![run_lengths(sequence)]));
    }
    let tokens: Vec<String> = marking.iter().map(|(p, n)| format!("{p} = {n}")).collect();
    blocks.push(Block::Text(match (sequence.is_empty(), tokens.is_empty()) {
        (true, true) => "The initial marking is like this: it has no tokens at all.".to_owned(),
        (true, false) => format!("The initial marking is like this: {}.", tokens.join(", ")),
        (false, true) => "No tokens are left then.".to_owned(),
        (false, false) => format!("The marking then: {}.", tokens.join(", ")),
    }));
    blocks
}

/// `t1, t2 (3 times), t1`.
fn run_lengths(sequence: &[String]) -> String {
    let groups = sequence.chunk_by(|a, b| a == b).filter_map(|group| {
        let name = group.first()?;
        Some(match group.len() {
            1 => name.clone(),
            n => format!("{name} ({} times)", grouped(n)),
        })
    });
    groups.collect::<Vec<_>>().join(", ")
}

/// The firing sequence as a run with one lane, unless it is very long.
fn run(source: &NetSource, sequence: &[String]) -> Option<Run> {
    if sequence.len() > MAX_STEPS {
        return None;
    }
    let net = &source.net;
    let by_name: BTreeMap<&str, &Transition> =
        net.transitions.iter().map(|it| (it.name.as_str(), it)).collect();
    let fired: Vec<&Transition> =
        sequence.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect();
    let arcs = fired.iter().flat_map(|it| it.takes.iter().chain(&it.gives));
    let touched: BTreeSet<PlaceId> = arcs.map(|(place, _)| *place).collect();
    let places: Vec<PlaceId> = touched.into_iter().take(MAX_COLUMNS).collect();
    let name = |place: PlaceId| net.places.get(place.index()).map_or("?", |it| &it.name);
    let tokens = |arcs: &[(PlaceId, u64)]| {
        let words = arcs.iter().map(|(place, n)| match n {
            1 => name(*place).to_owned(),
            n => format!("{n} on {}", name(*place)),
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let mut marking = net.initial_marking();
    let columns = |marking: &[u64]| {
        let tokens = |place: &PlaceId| marking.get(place.index()).copied().unwrap_or(0);
        let value = |place: &PlaceId| match i64::try_from(tokens(place)) {
            Ok(number) => Value::Number(number),
            Err(_) => Value::Name(tokens(place).to_string()),
        };
        places.iter().map(value).collect::<Vec<Value>>()
    };
    let start = columns(&marking);
    let mut steps = Vec::new();
    for transition in fired {
        for (place, n) in &transition.takes {
            if let Some(tokens) = marking.get_mut(place.index()) {
                *tokens = tokens.saturating_sub(*n);
            }
        }
        for (place, n) in &transition.gives {
            if let Some(tokens) = marking.get_mut(place.index()) {
                *tokens = tokens.saturating_add(*n);
            }
        }
        let mut says = vec![format!("fires {}", transition.name)];
        for (verb, arcs) in [("takes", &transition.takes), ("puts", &transition.gives)] {
            if !arcs.is_empty() {
                says.push(format!("{verb} {}", tokens(arcs)));
            }
        }
        steps.push(Step { says, after: columns(&marking), ..Step::default() });
    }
    Some(Run {
        title: "The firing sequence".to_owned(),
        lanes: vec![Lane { name: "the net".to_owned(), label: "the net".to_owned() }],
        columns: places.iter().map(|place| name(*place).to_owned()).collect(),
        start,
        steps,
        ends: Vec::new(),
    })
}

fn unknown(undecided: &Undecided) -> Unknown {
    let mut reason = "ser has found neither a firing sequence nor a proof".to_owned();
    if let Some(stop) = &undecided.stop {
        reason = format!("{reason}; {stop}");
    }
    let help = match &undecided.stop {
        Some(Stop::Time { .. }) => "give it more time with --timeout",
        Some(Stop::Memory { .. }) => "give it more memory with --memory",
        Some(Stop::Cancelled) => "let it run to its end, or bound it with --timeout",
        _ => "search further with --search-states",
    };
    Unknown {
        reason,
        tried: tried(undecided),
        help: vec![help.to_owned()],
        interrupted: undecided.stop == Some(Stop::Cancelled),
        ..Unknown::default()
    }
}

fn tried(undecided: &Undecided) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(searched) = &undecided.searched {
        out.push(format!("search: {} without a hit", count(searched.states, "state")));
    }
    let counted = undecided.tried.iter().filter_map(|t| match t {
        Tried::Inclusion(attempt, _) => Some(attempt.cap),
        _ => None,
    });
    if let Some(most) = counted.max() {
        out.push(format!("invariants with token counts up to {most}: none found"));
    }
    if undecided.tried.iter().any(|t| matches!(t, Tried::Arithmetic(_))) {
        out.push("state equation with cuts: not enough to rule it out".to_owned());
    }
    out
}

/// The size of a net as programs read it.
pub(crate) fn size_of_net(sizes: &Sizes) -> serde_json::Value {
    json!({
        "places": sizes.before.0,
        "transitions": sizes.before.1,
        "places_reduced": sizes.after.0,
        "transitions_reduced": sizes.after.1,
        "places_moved": sizes.moved.0,
        "transitions_moved": sizes.moved.1,
    })
}

/// Data for programs that only reports about nets have.
fn data(query: &Query, text: &str, found: &ReachReport) -> Map<String, serde_json::Value> {
    let mut entries = vec![
        ("property", json!(query.name)),
        ("query", json!(text)),
        ("size", size_of_net(&found.sizes)),
    ];
    entries.extend(found.holds().map(|holds| ("holds", json!(holds))));
    if let ReachVerdict::Reachable { sequence, marking, .. } = &found.verdict {
        let marking: Map<String, serde_json::Value> =
            marking.iter().map(|(place, n)| (place.clone(), json!(n))).collect();
        entries.push(("firing_sequence", json!(sequence)));
        entries.push(("marking", json!(marking)));
    }
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
