//! Event tracing and bounded model checking against the enumeration of all states.

use super::trial::{Finding, Trial};
use crate::Random;
use ser_base::Limits;
use ser_oracle::{GlobalConfiguration, TooMuch, configurations};
use ser_reachability_search::{
    Bound, Covered, Encoding, Method, Options, OrderMethod, SearchOptions,
};
use ser_session::reachability::{Question, Reaching, Witness, trace_source};
use ser_session::source::{Kind, Source};
use ser_syntax::core::{Expr, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// So long a search may take that may have no end.
const BRIEF: Duration = Duration::from_millis(200);

/// The oracle lists so many states at most.
const MAX_CONFIGURATIONS: usize = 20_000;

/// Processes with their goals, by several encodings and by steps; `random` chooses among the
/// encodings.
pub fn try_processes(text: &str, random: &mut Random, timeout: Duration) -> Result<Trial, Finding> {
    let parse = ser_syntax::parse_processes(text);
    if parse.has_errors() {
        return Ok(left_out(format!("{:?}", parse.diagnostics.first().map(|d| &d.message))));
    }
    let labels: Vec<String> = parse.program.requests.iter().map(|r| r.name.text.clone()).collect();
    let goals: Vec<Expr> = parse.program.questions.iter().filter_map(|it| it.condition()).collect();
    let source = ser_session::source::from_text("random.ser", Kind::Processes, text.to_owned());
    let Ok(source) = source else { return Ok(left_out("too large".to_owned())) };
    let question = Question::default();
    compare(&source, &parse.program, &labels, &labels, &goals, &question, random, timeout)
}

/// A program with requests and goals, which its first lines tell: `// requests: main*2`, `// reach:
/// X == 1`.
pub fn try_requests(text: &str, random: &mut Random, timeout: Duration) -> Result<Trial, Finding> {
    let parse = ser_syntax::parse(text);
    let after = |prefix: &'static str| {
        text.lines().filter_map(move |l| l.strip_prefix(prefix)).map(str::trim)
    };
    let Some(requests) = after("// requests:").next() else {
        return Ok(left_out("no requests".to_owned()));
    };
    let (list, wrong) = ser_syntax::parse_requests(requests, &parse.program);
    if parse.has_errors() || !wrong.is_empty() {
        return Ok(left_out("not a program".to_owned()));
    }
    let reach: Vec<String> = after("// reach:").map(str::to_owned).collect();
    let mut goals = Vec::new();
    for text in &reach {
        let (goal, wrong) = ser_syntax::parse_goal(text, &parse.program, &list);
        if !wrong.is_empty() {
            return Ok(left_out(wrong[0].message.clone()));
        }
        goals.push(goal);
    }
    let (mut labels, mut names) = (Vec::new(), Vec::new());
    for (label, count) in &list {
        for number in 0..*count {
            labels.push(label.clone());
            names.push(format!("{label}[{number}]"));
        }
    }
    let source = ser_session::source::from_text("random.ser", Kind::Program, text.to_owned());
    let Ok(source) = source else { return Ok(left_out("too large".to_owned())) };
    let question = Question { requests: Some(requests.to_owned()), reach, ..Question::default() };
    compare(&source, &parse.program, &labels, &names, &goals, &question, random, timeout)
}

fn left_out(tried: String) -> Trial {
    Trial { decided_by: "left out", tried, ..Trial::default() }
}

/// Asks every way, and compares with the configurations of the oracle.
#[allow(clippy::too_many_arguments, reason = "one caller for each kind of source")]
fn compare(
    source: &Source,
    program: &Program,
    labels: &[String],
    names: &[String],
    goals: &[Expr],
    question: &Question,
    random: &mut Random,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let configurations = match configurations(program, labels, MAX_CONFIGURATIONS) {
        None => return Ok(left_out("no meaning".to_owned())),
        Some(Err(TooMuch::States)) => return Ok(left_out("too many states".to_owned())),
        Some(Err(TooMuch::Overflow)) => return Ok(left_out("overflow".to_owned())),
        Some(Ok(configurations)) => configurations,
    };
    let expected: Vec<bool> = goals
        .iter()
        .map(|goal| configurations.iter().any(|m| holds(goal, program, names, m)))
        .collect();
    let bounds = [Bound::Expand, Bound::Expand, Bound::Rounds(1), Bound::Rounds(3)];
    let bounded = [Bound::Expand, Bound::Rounds(12)];
    let encoding = Encoding {
        safe_places: random.chance(50),
        order: if random.chance(50) { OrderMethod::Lazy } else { OrderMethod::Eliminate },
        static_order: random.chance(50),
        values: random.chance(50),
        single_links: random.chance(50),
    };
    let switched = Options { encoding, ..Options::default() };
    let ways = [
        (Method::Events, Bound::Expand, Options::default(), false),
        // Loops are let go round more and more often, although the states could be listed.
        (Method::Events, Bound::Expand, Options::default(), true),
        (Method::Events, *random.pick(&bounds), switched, true),
        (Method::Bmc, *random.pick(&bounded), Options::default(), true),
    ];
    let mut trial = Trial { decided_by: "unknown", ..Trial::default() };
    for (method, bound, solving, never_lists) in ways {
        let way = format!("{method:?}, {bound:?}, {solving:?}");
        let search = SearchOptions { method, bound, solving };
        let question = Question { search, never_lists, ..question.clone() };
        let started = Instant::now();
        // Without listing, some searches have no end: a short look is enough.
        let timeout = if never_lists { timeout.min(BRIEF) } else { timeout };
        let limits = Limits::default().with_timeout(timeout);
        let report = trace_source(source, &question, &limits, &|_| {});
        let took = started.elapsed();
        trial.engine = trial.engine.max(took);
        // A loaded machine may stop for seconds; what ignores its limits takes longer.
        if took > timeout + Duration::from_secs(10) {
            return Err(Finding::Late { took, limit: timeout });
        }
        let answers = match report.answers {
            Ok(answers) => answers,
            Err(wrong) => {
                let engine = format!("{wrong:?}, by {way}");
                return Err(Finding::Wrong { engine, oracle: "a meaning".to_owned() });
            }
        };
        for (answer, expected) in answers.iter().zip(&expected) {
            let wrong = |engine: String| Finding::Wrong {
                engine: format!("{}: {engine}, by {way}", answer.goal),
                oracle: if *expected { "reachable" } else { "unreachable" }.to_owned(),
            };
            match &answer.verdict {
                Reaching::Reachable(witness) if !expected => {
                    return Err(wrong(format!("reachable: {witness:?}")));
                }
                Reaching::Reachable(witness) => {
                    if let Witness::Run { model, last, .. } = &**witness {
                        let system = model.system();
                        let values = system.valuation(*last).iter().copied();
                        let names = system.variables().iter().map(|v| v.name.clone());
                        let globals: BTreeMap<String, i64> = names.zip(values).collect();
                        // The responses are not part of the last state; the globals are.
                        if !configurations.iter().any(|m| agrees(m, &globals)) {
                            return Err(wrong(format!("a run to {globals:?}")));
                        }
                    }
                    trial.decided_by = "reached";
                    trial.confirmed = true;
                }
                Reaching::Unreachable(_) if *expected && answer.covered == Covered::All => {
                    return Err(wrong("unreachable, completely".to_owned()));
                }
                Reaching::Unreachable(_) if answer.covered == Covered::All => {
                    if trial.decided_by == "unknown" {
                        trial.decided_by = "unreached";
                    }
                    trial.confirmed = true;
                }
                Reaching::Unreachable(_) => {}
                Reaching::Unknown(reason) => {
                    let words = reason.to_string();
                    if words.starts_with("internal error") {
                        return Err(wrong(words));
                    }
                    trial.tried = words;
                }
            }
        }
    }
    Ok(trial)
}

/// Whether the oracle's variables have these values; those that it does not know are 0.
fn agrees(configuration: &GlobalConfiguration, globals: &BTreeMap<String, i64>) -> bool {
    let names: BTreeSet<&String> = configuration.globals.keys().chain(globals.keys()).collect();
    names.into_iter().all(|name| {
        configuration.globals.get(name).unwrap_or(&0) == globals.get(name).unwrap_or(&0)
    })
}

/// Whether a goal holds at a configuration.
fn holds(
    goal: &Expr,
    program: &Program,
    names: &[String],
    configuration: &GlobalConfiguration,
) -> bool {
    let mut values = program.constants.clone();
    let mut defined = configuration.globals.clone();
    mentioned(goal, &mut |name| {
        defined.entry(name.to_owned()).or_insert(0);
    });
    values.extend(defined);
    for (name, response) in names.iter().zip(&configuration.responses) {
        match response {
            Some(response) => values.insert(name.clone(), *response),
            None => values.remove(name),
        };
        if !configuration.globals.contains_key(&format!("Done {name}")) {
            values.insert(format!("Done {name}"), i64::from(response.is_some()));
        }
    }
    ser_syntax::evaluate(goal, &values).is_some_and(|value| value != 0)
}

fn mentioned(expr: &Expr, each: &mut dyn FnMut(&str)) {
    if let ser_syntax::core::ExprKind::Read(name) = &expr.kind {
        each(&name.text);
    }
    expr.for_each_child(&mut |child| mentioned(child, each));
}
