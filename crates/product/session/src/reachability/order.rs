//! The partial order of a run: who reads whose token. For JSON and for pictures.

use crate::run::code_of;
use crate::shown::Shown;
use crate::source::Source;
use crate::trace::TraceStep;
use ser_base::Line;
use ser_model::NetworkSystem;
use ser_reachability_search::{
    ArcKind, Execution, Net, Origin, Step, Token, TokenTrace, TransitionId, Unwinding,
};
use std::collections::{BTreeMap, BTreeSet};

/// Events, the tokens between them, and what follows for their order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The events, such that every event comes after those whose tokens it reads.
    pub events: Vec<OrderEvent>,
    /// Who reads whose token.
    pub links: Vec<Link>,
    /// Pairs of events without a link, the first of which only reads a token that the second
    /// takes.
    pub before: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub struct OrderEvent {
    /// The process; nothing for the start, the goal, and transitions of unwindings.
    pub process: Option<String>,
    /// What it is called in the net.
    pub name: String,
    /// The steps of the run that it is, from 1.
    pub steps: Vec<usize>,
    /// The lines of the source on which something happens.
    pub lines: Vec<Line>,
    /// What stands there.
    pub code: Vec<String>,
    /// What it is for.
    pub role: Role,
}

impl OrderEvent {
    fn new(name: String, role: Role) -> OrderEvent {
        let (steps, lines, code) = (Vec::new(), Vec::new(), Vec::new());
        OrderEvent { process: None, name, steps, lines, code, role }
    }
}

/// What an event is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It puts the first tokens.
    Start,
    /// Something happens.
    Step,
    /// The goal is reached.
    Goal,
}

/// A token from one event to another.
#[derive(Clone, Debug)]
pub struct Link {
    /// Who put it.
    pub from: usize,
    /// Who reads it.
    pub to: usize,
    /// Where.
    pub place: String,
    /// What it is.
    pub token: Token,
    /// Whether the reader takes it; otherwise it only looks.
    pub takes: bool,
    /// What it says, for people: `X = 2`. Empty where a process only goes on.
    pub label: String,
    /// Whether it is a part of something that another link shows.
    pub is_detail: bool,
}

/// A run of a program: its token trace, and what was replayed.
#[derive(Clone, Copy)]
pub struct Replayed<'a> {
    pub source: &'a Source,
    pub trace: &'a (Unwinding, TokenTrace),
    /// The system, and how its variables are shown.
    pub system: &'a NetworkSystem,
    pub shown: &'a Shown,
    /// The steps of the replay.
    pub steps: &'a [TraceStep],
    /// Which event each of them belongs to.
    pub events: &'a [usize],
}

/// The order of a run of a program.
pub fn of_run(run: Replayed<'_>) -> Order {
    let (unwinding, trace) = run.trace;
    let net = &unwinding.net;
    let origin = |t: TransitionId| unwinding.origins.get(t.index());
    let process = |t: TransitionId| match origin(t) {
        Some(Origin::Step { process, .. }) => *process,
        _ => usize::MAX,
    };
    // It was found in this way, so it has an execution.
    let Ok(execution) = trace.to_execution(net, &process) else { return Order::default() };
    let is_step = |t: TransitionId| matches!(origin(t), Some(Origin::Step { .. }));
    let moves = execution.steps.iter().map(|s| s.transition).filter(|t| is_step(*t));
    let moves: BTreeMap<TransitionId, usize> = moves.enumerate().map(|(i, t)| (t, i)).collect();
    let event = |t: TransitionId| {
        let name = net.transition(t).name.clone();
        let mut event = OrderEvent::new(name.clone(), Role::Step);
        match origin(t) {
            Some(Origin::Step { .. }) => event.process = Some(name),
            Some(Origin::Goal(_)) => event.role = Role::Goal,
            _ => event.role = Role::Start,
        }
        let number = moves.get(&t);
        let steps = run.steps.iter().zip(run.events).enumerate();
        for (index, (step, _)) in steps.filter(|(_, (_, e))| Some(*e) == number) {
            event.steps.push(index + 1);
            for line in &step.lines {
                if !event.lines.contains(&line.line) {
                    event.code.push(code_of(&run.source.lines, line.line.row, line.span));
                    event.lines.push(line.line.clone());
                }
            }
        }
        event
    };
    let events = execution.steps.iter().map(|step| event(step.transition)).collect();
    let mut order = order(net, trace, &execution, events);
    let places: BTreeSet<&String> = unwinding.shared.iter().collect();
    for link in &mut order.links {
        let maker = order.events.get(link.from);
        let last = maker.and_then(|event| event.steps.last()).and_then(|n| n.checked_sub(1));
        let step = last.and_then(|index| run.steps.get(index));
        let then = step.map_or(run.system.initial_global(), |step| step.global);
        let column = run.shown.column_named(run.system, &link.place);
        link.label = match (column, link.place.strip_prefix("Done ")) {
            // An event that touches a queue touches its length, so that link is enough.
            (Some(column), _) if column.is_queue() && !link.place.ends_with(".len") => {
                link.is_detail = true;
                String::new()
            }
            (Some(column), _) if places.contains(&link.place) => {
                let value = match column.is_queue() {
                    true => column.value(run.system.valuation(then)),
                    false => column.value_named(link.token.first().copied().unwrap_or(0)),
                };
                format!("{} = {value}", column.name)
            }
            (_, Some(process)) if link.token.first() == Some(&1) => format!("{process} is done"),
            _ => String::new(),
        };
    }
    order
}

/// The order of a run of an unwinding.
pub fn of_firing(net: &Net, trace: &TokenTrace, execution: &Execution) -> Order {
    let last = execution.steps.last().map(|step| step.transition);
    let event = |t: TransitionId| {
        let starts = net.arcs_of(t, ArcKind::Input).chain(net.arcs_of(t, ArcKind::Test));
        let role = match (Some(t) == last, starts.count()) {
            (true, _) => Role::Goal,
            (false, 0) => Role::Start,
            (false, _) => Role::Step,
        };
        OrderEvent::new(net.transition(t).name.clone(), role)
    };
    let events = execution.steps.iter().map(|step| event(step.transition)).collect();
    let mut order = order(net, trace, execution, events);
    for link in &mut order.links {
        let values: Vec<String> = link.token.iter().map(i64::to_string).collect();
        link.label = match values.len() {
            0 => link.place.clone(),
            1 => format!("{} = {}", link.place, values.join("")),
            _ => format!("{} = ({})", link.place, values.join(", ")),
        };
    }
    order
}

fn order(net: &Net, trace: &TokenTrace, execution: &Execution, events: Vec<OrderEvent>) -> Order {
    let numbers: BTreeMap<TransitionId, usize> =
        execution.steps.iter().enumerate().map(|(i, step)| (step.transition, i)).collect();
    let number = |t: TransitionId| numbers.get(&t).copied().unwrap_or(0);
    let mut links = Vec::new();
    for (reader, maker) in &trace.source {
        let (reader, maker) = (net.arc(*reader), net.arc(*maker));
        let (from, to) = (number(maker.transition), number(reader.transition));
        let step: Option<&Step> = execution.steps.get(from);
        links.push(Link {
            from,
            to,
            place: net.place(reader.place).name.clone(),
            token: step.and_then(|step| step.token(net, maker)).unwrap_or_default(),
            takes: reader.kind == ArcKind::Input,
            label: String::new(),
            is_detail: false,
        });
    }
    links.sort_by(|a, b| (a.from, a.to, &a.place).cmp(&(b.from, b.to, &b.place)));
    let linked: BTreeSet<(usize, usize)> = links.iter().map(|l| (l.from, l.to)).collect();
    let pairs = trace.precedences(net).into_iter().map(|(a, b)| (number(a), number(b)));
    let before = pairs.filter(|pair| !linked.contains(pair)).collect();
    Order { events, links, before }
}
