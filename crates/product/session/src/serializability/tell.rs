//! What is known about a program, as a report.

use super::pictures;
use crate::method::Context;
use crate::petri::size_of_net;
use crate::run::run_of;
use crate::serializability::causes::{Causes, Order, OrderedAccess, PauseBlame};
use crate::serializability::decision::{Decision, UNCHECKED, Verdict};
use crate::serializability::explain::Explanation;
use crate::serializability::stages::StageName;
use crate::serializability::words::{self, causes};
use crate::shown::Shown;
use crate::source::Model;
use ser_base::{Span, Stop};
use ser_model::NetworkSystem;
use ser_net::Outcome;
use ser_report::text::{count, shell_file};
use ser_report::{
    Answer, Block, Detail, Finding, Level, Mark, MarkKind, Method, Points, Proof, Question,
    Related, Report, Rule, Run, Section, Source, Table, Timing, Unknown, Violation,
};
use ser_serializability_checker::{Accepted, Argument as Checked, Certificate, Slice};
use ser_serializability_search::{Argument, Counting, Refutation, SerialRuns};
use ser_syntax::lexer::{TokenKind, lex};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many points of a proof are shown unless all were asked for.
const BRIEF: usize = 4;

/// At most this many serial runs are shown.
const MAX_SERIAL: usize = 3;

/// At most so many regions of a proof by arithmetic are in its table.
const MAX_REGIONS: usize = 300;

/// The report of a decision.
pub fn report(source: &Arc<Source>, decision: &Decision, context: &Context<'_>) -> Report {
    let mut question = Question::of(Method::Serializability);
    if decision.strict {
        question.text = Some(words::IN_REAL_TIME.to_owned());
    }
    let mut report = Report::new(&source.name, question, answer(source, decision));
    report.source = Some(Arc::clone(source));
    report.warnings = decision.warnings.clone();
    report.timing = Timing {
        total: decision.time,
        stages: StageName::ALL.map(|it| (it.name(), decision.stages.time(it))).to_vec(),
    };
    if decision.strict {
        report.data.insert("strict".to_owned(), json!(true));
    }
    match &decision.verdict {
        Verdict::Serializable { explanation, proof, .. } => {
            let counting = proof.as_ref().and_then(|proof| match &proof.argument {
                Argument::Arithmetic(counting) => Some(counting),
                _ => None,
            });
            proved(&mut report, decision, explanation, counting);
        }
        Verdict::NotSerializable { refutation, serial, .. } => {
            refuted(&mut report, decision, refutation, serial);
        }
        Verdict::Unknown(unknown) => {
            if let Some(searched) = &unknown.searched {
                let data = json!({
                    "states": searched.states,
                    "bytes": searched.bytes,
                    "requests_by_in_flight": searched.layers,
                });
                report.data.insert("searched".to_owned(), data);
            }
        }
        _ => {}
    }
    if let Some(Model::Program(_) | Model::System(_)) = decision.model {
        report.data.insert("size".to_owned(), size(decision));
    }
    if let Some(certificate) = decision.verdict.certificate()
        && (context.wants.certificate || context.wants.page || context.wants.statistics)
    {
        report.certificate = Some(certificate.to_text());
    }
    if context.wants.page {
        report.sections.extend(pictures::section(decision, source, context.limits));
    }
    if context.wants.statistics {
        statistics(&mut report, decision);
    }
    report
}

fn answer(source: &Source, decision: &Decision) -> Answer {
    let unknown =
        |(reason, help): (String, Vec<String>)| Unknown { reason, help, ..Unknown::default() };
    match &decision.verdict {
        Verdict::Serializable { explanation, accepted, .. } => Answer::Holds(Proof {
            method: explanation.method.to_owned(),
            why: explanation.headline.clone(),
            points: explanation.points.clone(),
            checked: Some(accepted.to_string()),
        }),
        Verdict::NotSerializable { steps, accepted, .. } => {
            let run = decision.model.as_ref().map(|model| {
                let system = model.system();
                let shown = Shown::new(system, &BTreeMap::new(), false);
                let lines = Some(&source.lines);
                run_of(lines, system, &shown, None, true, steps)
            });
            let runs: Vec<Run> = run.into_iter().collect();
            Answer::Violated(Violation { runs, checked: Some(accepted.to_string()) })
        }
        Verdict::Unknown(it) => Answer::Unknown(Unknown {
            tried: [words::slices(&decision.slices), words::tried(it)].concat(),
            interrupted: it.stop == Some(Stop::Cancelled),
            ..unknown(words::unknown(it))
        }),
        Verdict::TooLarge(error, conflict) => {
            let (reason, span, help) = words::too_large(&source.name, error);
            let steps = conflict.iter().map(|steps| words::do_not_commute(source, steps));
            let in_parts =
                decision.in_parts.iter().flat_map(|it| words::in_parts(it, decision.strict));
            let tried = words::slices(&decision.slices).into_iter().chain(in_parts).chain(steps);
            let tried = tried.collect();
            Answer::Unknown(Unknown { reason, span, tried, help, ..Unknown::default() })
        }
        Verdict::Stopped { stop, doing } => Answer::Unknown(Unknown {
            interrupted: *stop == Stop::Cancelled,
            ..unknown(words::stopped(&source.name, stop, *doing))
        }),
        Verdict::NotChecked => Answer::Unknown(Unknown {
            interrupted: true,
            not_begun: true,
            ..unknown(words::not_checked())
        }),
        Verdict::Unchecked(message) => Answer::Unknown(Unknown {
            reason: UNCHECKED.to_owned(),
            tried: vec![message.clone()],
            help: vec!["raise --timeout, --memory or --max-states".to_owned()],
            ..Unknown::default()
        }),
        Verdict::Internal(message) => Answer::Withheld(message.clone()),
        Verdict::Error(error) => Answer::Error(error.clone()),
    }
}

/// What a proof says.
fn proved(
    report: &mut Report,
    decision: &Decision,
    explanation: &Explanation,
    counting: Option<&Counting>,
) {
    report.meaning = "For any number of concurrent requests, every combination of responses also \
                      comes from running the requests one after the other."
        .to_owned();
    let is_strict = match &decision.verdict {
        Verdict::Serializable { accepted, .. } => accepted.is_strict(),
        _ => false,
    };
    let strict = if is_strict { json!(true) } else { Value::Null };
    let mut proof = json!({ "strict": strict });
    if !decision.slices.is_empty() {
        proof["parts"] =
            decision.slices.iter().map(|(slice, part)| part_data(slice, part)).collect();
    }
    report.data.insert("proof".to_owned(), proof);
    let mut blocks = vec![
        Block::Text(report.meaning.clone()),
        Block::Text(format!("Why: {}.", explanation.headline)),
    ];
    if !explanation.points.is_empty() {
        blocks.push(Block::Points(Points {
            items: explanation.points.clone(),
            brief: Some(BRIEF),
            more: format!("see `ser explain {}`", shell_file(&report.file)),
        }));
    }
    // What is said about those who give up is the same for all parts.
    let parts = decision.slices.iter().map(|(_, part)| part);
    let mut given_up = std::iter::once(decision).chain(parts).filter_map(uncounted);
    blocks.extend(given_up.next().map(Block::Text));
    blocks.push(Block::Text(words::real_time(is_strict).to_owned()));
    report.sections.push(Section::of(blocks));
    if let (Some(counting), Some(model)) = (counting, &decision.model) {
        report.sections.push(regions(model.system(), counting));
    }
    if let Some(source) =
        report.source.as_ref().filter(|it| matches!(it.kind, ser_report::Kind::Program))
    {
        let tokens = lex(&source.text).into_iter().filter(|it| it.kind == TokenKind::Yield);
        report.marks = tokens
            .map(|it| Mark {
                span: it.span,
                kind: MarkKind::Harmless,
                label: "harmless".to_owned(),
                words: "Other requests may run here, and it makes no difference.".to_owned(),
            })
            .collect();
    }
}

/// What a proof has to say about responses that do not count. Proofs on rules and on the text need
/// no excuse for them.
fn uncounted(decision: &Decision) -> Option<String> {
    let Verdict::Serializable { explanation, .. } = &decision.verdict else { return None };
    match (&decision.model, explanation.method) {
        (Some(model), "inclusion" | "arithmetic") => words::uncounted(model.system()),
        _ => None,
    }
}

/// A slice of a program with its proof.
fn part_data(slice: &Slice, part: &Decision) -> Value {
    let method = match &part.verdict {
        Verdict::Serializable { explanation, .. } => json!(explanation.method),
        _ => Value::Null,
    };
    let left_out = words::left_out(std::iter::once(slice));
    json!({ "requests": slice.requests, "left_out": left_out, "method": method })
}

/// The regions of a proof by arithmetic, each with its serial schedule.
fn regions(system: &NetworkSystem, counting: &Counting) -> Section {
    let mut used = BTreeSet::new();
    for (_, tree) in &counting.cases {
        tree.for_each_component(&mut |component| {
            used.insert(component);
        });
    }
    let counts = |vector: &[i64]| {
        let letters = counting.letters.iter().zip(vector).filter(|(_, n)| **n > 0);
        let words = letters.map(|(outcome, n)| {
            let times = if *n > 1 { format!("{n} × ") } else { String::new() };
            let response = system.response_name(outcome.response);
            format!("{times}{} {response}", system.request_name(outcome.request))
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    };
    let sets = used.iter().filter_map(|component| counting.components.get(*component));
    let rows = sets.take(MAX_REGIONS).enumerate().map(|(at, set)| {
        let periods: Vec<String> = set.periods.iter().map(|it| counts(it)).collect();
        let periods = if periods.is_empty() { "nothing".to_owned() } else { periods.join("; ") };
        vec![(at + 1).to_string(), counts(&set.base), periods]
    });
    let header = ["Region", "Run once", "And any number of times"].map(str::to_owned).to_vec();
    let table = Table { header, rows: rows.collect() };
    let title = format!("{}, each with its serial schedule", count(used.len(), "region"));
    Section::titled(title, [Block::Table(table)]).with_detail(Detail::Page)
}

/// What a counterexample says.
fn refuted(report: &mut Report, decision: &Decision, refutation: &Refutation, serial: &SerialRuns) {
    // A verdict without a model does not exist.
    let Some(system) = decision.model.as_ref().map(Model::system) else { return };
    let Some(run) = report.answer.run().cloned() else { return };
    let requests = count(refutation.requests, "request");
    let verb = if refutation.requests == 1 { "ends" } else { "end" };
    let responses = words::responses(system, &refutation.outcome);
    let such = if refutation.strict { " that keeps real-time order" } else { "" };
    report.meaning =
        format!("{requests} can {verb} with responses that no serial order{such} gives.");
    let meaning = report.meaning.trim_end_matches('.');
    let mut blocks = vec![Block::Text(format!("{meaning}:")), Block::Emphasis(responses.clone())];
    if refutation.strict {
        blocks.push(Block::Text(words::OUT_OF_ORDER.to_owned()));
    } else {
        blocks.push(Block::Text(words::serial_sentence(serial).to_owned()));
    }
    if let SerialRuns::Closest(runs) = serial
        && !refutation.strict
    {
        let runs = runs.iter().take(MAX_SERIAL).map(|it| words::serial_run(system, it));
        blocks.push(Block::Quote(runs.collect()));
    }
    if refutation.outcome.iter().any(|(o, _)| !system.counts(o.response)) {
        blocks.extend(words::uncounted(system).map(Block::Text));
    }
    let fewest = if refutation.fewest { "the fewest possible" } else { "the fewest found" };
    blocks.push(Block::Text(format!(
        "The interleaving: {requests} ({fewest}), {}, {}.",
        count(run.steps.len(), "step"),
        count(run.switches(), "context switch"),
    )));
    blocks.push(Block::Run(0));
    let slice = decision.verdict.certificate().and_then(Certificate::slice);
    if let Some(left_out) = words::unseen(slice.into_iter()) {
        blocks.push(Block::Text(format!("The run is shown without what nobody sees: {left_out}.")));
    }
    report.sections.push(Section::of(blocks));
    let causes = decision.causes.as_ref();
    if let Some(causes) = causes {
        why(report, system, causes, refutation.requests);
    }
    report.findings.push(finding(&run, system, refutation, serial, causes));
    report.marks = causes.iter().flat_map(|it| &it.pauses).map(mark).collect();
    report.run_data = data(report, system, refutation, serial, causes);
    let left_out = words::left_out(slice.into_iter());
    if !left_out.is_empty() {
        report.run_data.insert("left_out".to_owned(), json!(left_out));
    }
}

/// The conflicts that no serial order keeps, and which yield points are to blame.
fn why(report: &mut Report, system: &NetworkSystem, found: &Causes, requests: usize) {
    if let Some(words) = causes::contradiction(system, found, requests) {
        let blocks = [Block::points(vec![words])];
        report.sections.push(Section::titled("The contradiction:", blocks));
    }
    if !found.orders.is_empty() {
        let cycle = found.orders.iter().map(|order| {
            let name = system.variables()[order.variable.index()].name.clone();
            ((order.first as usize).saturating_sub(1), name)
        });
        let words = found.orders.iter().map(|it| causes::order(system, it));
        let blocks = [Block::Cycle(cycle.collect()), Block::points(words.collect())];
        report.sections.push(Section::titled("No serial order keeps these conflicts:", blocks));
    }
    if !found.pauses.is_empty() {
        let words = found.pauses.iter().map(causes::pause).collect();
        let mut blocks = vec![Block::points(words)];
        if report.file != "-" {
            let file = shell_file(&report.file);
            let help = format!("`ser repair {file}` looks for changes that help");
            blocks.push(Block::Help(help));
        }
        report.sections.push(Section::titled("The yield points that let it happen:", blocks));
    }
}

/// The counterexample at the place where a person would change something.
fn finding(
    run: &Run,
    system: &NetworkSystem,
    refutation: &Refutation,
    serial: &SerialRuns,
    found: Option<&Causes>,
) -> Finding {
    let responses = words::responses(system, &refutation.outcome).join(", ");
    let requests = count(refutation.requests, "concurrent request");
    let verb = if refutation.requests == 1 { "ends" } else { "end" };
    let (strictly, such) = match refutation.strict {
        true => ("strictly ", " that keeps real-time order"),
        false => ("", ""),
    };
    let mut message = format!(
        "not {strictly}serializable: {requests} can {verb} with responses that no serial order{such} gives: {responses}"
    );
    if let SerialRuns::Closest(runs) = serial
        && !refutation.strict
        && let Some(run) = runs.first()
    {
        message +=
            &format!(". One after the other, the closest is: {}", words::serial_run(system, run));
    }
    let blamed = found.and_then(Causes::to_blame).map(|it| it.span);
    let first = run.steps.iter().find_map(|step| step.lines.first()).map(|line| line.span);
    let mut related = Vec::new();
    let mut add = |span: Option<Span>, message: String| {
        related.extend(span.map(|span| Related { span, message }));
    };
    for order in found.iter().flat_map(|it| &it.orders) {
        let text = causes::order(system, order);
        add(order.earlier.span, text.clone());
        add(order.later.span, text);
    }
    for pause in found.iter().flat_map(|it| &it.pauses) {
        let text = format!("a yield point that lets it happen: {}", causes::pause(pause));
        add(Some(pause.span), text);
    }
    Finding {
        rule: Rule::NotSerializable,
        level: Level::Error,
        message,
        span: blamed.or(first),
        related,
        run: Some(0),
        // Other responses are another finding; other lines are not.
        identity: vec!["not-serializable".to_owned(), responses],
    }
}

fn mark(pause: &PauseBlame) -> Mark {
    let races = match pause.races.is_empty() {
        true => "Other requests interfere here.".to_owned(),
        false => format!("Meanwhile {}.", causes::races(pause)),
    };
    let words = match causes::verdict(pause) {
        Some(verdict) => format!("{races} {verdict}."),
        None => races,
    };
    let label = causes::races_in_short(pause);
    let label = label.unwrap_or_else(|| "other requests interfere here".to_owned());
    Mark { span: pause.span, kind: MarkKind::Blamed, label, words: words.replace('`', "") }
}

/// A counterexample, for programs.
fn data(
    report: &Report,
    system: &NetworkSystem,
    refutation: &Refutation,
    serial: &SerialRuns,
    found: Option<&Causes>,
) -> Map<String, Value> {
    let runs: Vec<Value> = match serial {
        _ if refutation.strict => Vec::new(),
        SerialRuns::Closest(runs) => {
            let letters = |run: &Vec<Outcome>| run.iter().map(|o| letter(system, *o)).collect();
            runs.iter().map(letters).collect()
        }
        SerialRuns::Impossible | SerialRuns::TooMany => Vec::new(),
    };
    let mut data = Map::new();
    let mut add = |name: &str, value: Value| {
        data.insert(name.to_owned(), value);
    };
    add("requests", json!(refutation.requests));
    add("fewest_requests", json!(refutation.fewest));
    if refutation.strict {
        add("strict", json!(true));
    }
    add("outcome", counted(system, &refutation.outcome));
    add("closest_serial_runs", json!(runs));
    add("states_searched", json!(refutation.states));
    if let Some(found) = found {
        let order = |it: &Order| {
            json!({
                "first": it.first,
                "second": it.second,
                "variable": system.variables()[it.variable.index()].name,
                "earlier": access(&it.earlier),
                "later": access(&it.later),
                "text": causes::order(system, it),
            })
        };
        let pause = |it: &PauseBlame| {
            let lines = report.source.as_ref().map(|source| &source.lines);
            let race = |r: &crate::serializability::causes::Race| json!({ "line": r.line, "handler": r.handler, "variables": r.variables });
            json!({
                "line": it.line,
                "column": lines.map(|lines| lines.position(it.span.start).column),
                "handler": it.handler,
                "removal_repairs": it.removal_repairs,
                "enough_alone": it.enough_alone,
                "races": it.races.iter().map(race).collect::<Vec<_>>(),
                "text": causes::pause(it),
            })
        };
        let why = json!({
            "contradiction": counted(system, &found.contradiction),
            "orders": found.orders.iter().map(order).collect::<Vec<_>>(),
            "pauses": found.pauses.iter().map(pause).collect::<Vec<_>>(),
        });
        add("why", why);
    }
    data
}

fn access(access: &OrderedAccess) -> Value {
    let kind = if access.writes { "write" } else { "read" };
    json!({ "step": access.step + 1, "line": access.line, "access": kind })
}

fn counted(system: &NetworkSystem, outcome: &[(Outcome, u32)]) -> Value {
    let entry = |(o, n): &(Outcome, u32)| {
        let mut entry = letter(system, *o);
        entry["count"] = json!(n);
        entry
    };
    outcome.iter().map(entry).collect()
}

fn letter(system: &NetworkSystem, outcome: Outcome) -> Value {
    let mut letter = json!({
        "request": system.request_name(outcome.request),
        "response": system.response_name(outcome.response),
    });
    if !system.counts(outcome.response) {
        letter["counts"] = json!(false);
    }
    letter
}

/// How large it is: states where they were listed, and the net.
fn size(decision: &Decision) -> Value {
    let mut object = size_of_net(&decision.sizes);
    if let Some(model) = &decision.model {
        let system = model.system();
        object["globals"] = json!(system.globals().len());
        object["locals"] = json!(system.local_count());
        object["steps"] = json!(system.steps().len());
    }
    object
}

/// What it cost.
fn statistics(report: &mut Report, decision: &Decision) {
    let searched = match &decision.verdict {
        Verdict::NotSerializable { refutation, .. } => refutation.states,
        Verdict::Unknown(unknown) => unknown.searched.as_ref().map_or(0, |it| it.states),
        _ => decision.stages.states_searched,
    };
    let mut lines = Vec::new();
    let mut data = Map::new();
    if let Some(model @ (Model::Program(_) | Model::System(_))) = &decision.model {
        let (system, sizes) = (model.system(), &decision.sizes);
        lines.push((
            "states",
            format!(
                "{} global, {} local, {} steps",
                system.globals().len(),
                system.local_count(),
                system.steps().len()
            ),
        ));
        lines.push((
            "net",
            format!(
                "{} in-flight places and {} transitions, reduced to {} and {}, without movers {} and {}",
                sizes.before.0, sizes.before.1, sizes.after.0, sizes.after.1, sizes.moved.0, sizes.moved.1
            ),
        ));
    }
    lines.push(("search", format!("{searched} states")));
    data.insert("states_searched".to_owned(), json!(searched));
    let check = decision.stages.time(StageName::Check);
    data.insert("check_ms".to_owned(), json!((check.as_secs_f64() * 1e6).round() / 1e3));
    if let Some(text) = &report.certificate {
        let mut words = format!("{} bytes", text.len());
        data.insert("certificate_bytes".to_owned(), json!(text.len()));
        for (name, number) in looked_at(decision) {
            words += &format!(", {}", count(number, &name.replace('_', " ")));
            data.insert(format!("{name}s"), json!(number));
        }
        lines.push(("certificate", words));
    }
    report.statistics = lines.into_iter().map(|(name, words)| (name.to_owned(), words)).collect();
    report.statistics_data = data;
}

/// What the checker examined, by name.
fn looked_at(decision: &Decision) -> Vec<(&'static str, usize)> {
    let accepted = match &decision.verdict {
        Verdict::Serializable { accepted, .. } | Verdict::NotSerializable { accepted, .. } => {
            accepted
        }
        _ => return Vec::new(),
    };
    match accepted {
        Accepted::NotSerializable { requests, events, .. } => {
            vec![("request", *requests), ("event", *events)]
        }
        Accepted::Serializable { argument, .. } => match argument {
            Checked::Inclusion { triples, .. } => vec![("triple", *triples)],
            Checked::NoYield { handlers } => vec![("handler", *handlers)],
            Checked::Slices { slices, .. } => vec![("part", slices.len())],
            Checked::Symbolic { yield_points, facts, commutations } => {
                vec![("pause", *yield_points), ("fact", *facts), ("commutation", *commutations)]
            }
            Checked::Rules { yield_points: pauses, commutations, readers } => {
                let mut all = vec![("pause", *pauses), ("commutation", *commutations)];
                all.extend((*readers > 0).then_some(("reader", *readers)));
                all
            }
            Checked::Arithmetic { components, nodes, .. } => {
                vec![("component", *components), ("tree_node", *nodes)]
            }
        },
    }
}
