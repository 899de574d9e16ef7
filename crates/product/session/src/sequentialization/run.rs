//! A run that goes wrong, step by step.

use super::words::{Place, statement, with_sizes};
use ser_report::run::{End, Lane, StepLine};
use ser_report::{Run, Source, Step};
use ser_sequentialization_checker::run::{self as checker, Value};
use ser_sequentialization_checker::witness::{Event, Message, Standing, What, Witness};
use ser_sequentialization_search::{actor_name, value_text};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{StmtKind, Type, VarId};

/// The run for people. Steps of one process that concern no other process are one.
pub fn run(source: &Source, protocol: &Protocol, run: &checker::Run, witness: &Witness) -> Run {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_local = false;
    for event in &witness.events {
        let Some(step) = step(source, protocol, witness, event) else { continue };
        let was_local = is_local;
        is_local = matches!(event.what, What::Sets(..) | What::Takes(..) | What::Decides(_));
        match steps.last_mut() {
            Some(last) if was_local && is_local && last.lane == step.lane => {
                last.lines.extend(step.lines);
                last.says.extend(step.says);
            }
            _ => steps.push(step),
        }
    }
    let lanes = witness.ends.iter().map(|it| actor_name(protocol, it.who));
    let mut ends: Vec<String> = witness.ends.iter().map(|it| end(source, protocol, it)).collect();
    ends.extend(witness.in_flight.iter().map(|it| {
        let (from, to) = (actor_name(protocol, it.from), actor_name(protocol, it.to));
        format!("{} from {from} to {to} is never received", text(protocol, it))
    }));
    Run {
        title: match with_sizes(protocol, &run.sizes) {
            with if with.is_empty() => "The run".to_owned(),
            with => format!("The run,{with}"),
        },
        lanes: lanes.map(|name| Lane { label: name.clone(), name }).collect(),
        steps,
        ends,
        ..Run::default()
    }
}

fn text(protocol: &Protocol, it: &Message) -> String {
    value_text(protocol, Type::Message(it.message), &it.value)
}

/// A step; nothing if it is not worth showing.
fn step(source: &Source, protocol: &Protocol, witness: &Witness, event: &Event) -> Option<Step> {
    let (mut says, mut end) = (Vec::new(), None);
    match &event.what {
        What::Sends(it) => {
            says.push(format!("sends {} to {}", text(protocol, it), actor_name(protocol, it.to)));
        }
        What::Receives(it) => says.push(receives(protocol, it)),
        What::Refuses(it) => {
            says.push(receives(protocol, it));
            end = Some(End::Fails("it expects another constructor".to_owned()));
        }
        What::Sets(it, value) | What::Takes(it, value) => {
            says.push(assigns(protocol, event, *it, value));
        }
        What::Decides(holds) => match statement(protocol, event.statement)?.kind {
            StmtKind::If { condition: None, .. } => {
                says.push(if *holds { "takes the `if`" } else { "takes the `else`" }.to_owned());
            }
            _ => return None,
        },
        What::Passes => return None,
        What::Fails => {
            let why = match statement(protocol, event.statement)?.kind {
                StmtKind::Assert { .. } => "the assertion does not hold",
                _ => "this must not be reached",
            };
            end = Some(End::Fails(why.to_owned()));
        }
    }
    let line = Place::of(source, protocol, event.statement).map(|place| StepLine {
        line: place.line,
        span: place.span,
        code: place.text,
        notes: Vec::new(),
    });
    let lane = witness.ends.iter().position(|it| it.who == event.who)?;
    Some(Step { lane, lines: line.into_iter().collect(), says, end, ..Step::default() })
}

fn receives(protocol: &Protocol, it: &Message) -> String {
    format!("receives {} from {}", text(protocol, it), actor_name(protocol, it.from))
}

fn assigns(protocol: &Protocol, event: &Event, variable: VarId, value: &Value) -> String {
    let process = protocol.processes.get(event.who.process as usize);
    let variable = process.and_then(|it| it.variables.get(variable.0 as usize));
    let name = variable.map_or("?", |it| it.name.text.as_str());
    let ty = variable.map_or(Type::Int, |it| it.ty);
    format!("sets {name} to {}", value_text(protocol, ty, value))
}

/// Where a process stands at the end.
fn end(source: &Source, protocol: &Protocol, it: &Standing) -> String {
    let who = actor_name(protocol, it.who);
    let Some(place) = it.statement.and_then(|id| Place::of(source, protocol, id)) else {
        return format!("{who} has {}", if it.failed { "failed" } else { "ended" });
    };
    let (line, text) = (place.line, place.text);
    let waits = it
        .statement
        .and_then(|id| statement(protocol, id))
        .is_some_and(|stmt| matches!(stmt.kind, StmtKind::Receive { .. } | StmtKind::Pick { .. }));
    let whom = match it.waits_for {
        Some(actor) if actor.member.is_some() => {
            format!(" (that is {})", actor_name(protocol, actor))
        }
        _ => String::new(),
    };
    match waits {
        true => format!("{who} waits at line {line}: `{text}`{whom}"),
        false => format!("{who} is at line {line}: `{text}`"),
    }
}
