//! Pictures of the network system and of the serial automaton, small enough to be legible.
//!
//! A picture with too many nodes or arrows shows nothing. Then only a part is drawn: what the
//! counterexample visits, or what is closest to the start; and the page says how much is missing.

use super::Text;
use super::escape::visible;
use ser_session::serializability::{part_of_automaton, part_of_system};
use ser_draw::Graph;
use ser_model::{GlobalId, Limits, LocalId, NetworkSystem, ProgramModel, VariableId};
use ser_net::SerialAutomaton;
use ser_serializability_checker::{Certificate, Scope};
use ser_serializability_search::Event;
use ser_session::source::Model;
use ser_session::words;
use ser_session::{Report, Verdict};
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

/// The most nodes of a whole picture.
const MAX_NODES: usize = 40;
/// The most states of a part of one.
const MAX_PART: usize = 12;
/// With more variables, states are named by those that differ.
const FEW_VARIABLES: usize = 4;
/// The most arrows with different ends.
const MAX_ARROWS: usize = 90;
/// Larger systems are not looked at for the sake of a picture.
const MAX_STEPS: usize = 50_000;
/// Nor for longer than this.
const PATIENCE: Duration = Duration::from_millis(400);

/// The section; empty if there is no model.
pub fn section(report: &Report, name: &str) -> String {
    let Some(model) = &report.model else { return String::new() };
    let mut out = String::from(
        "<section class=\"pictures\" aria-labelledby=\"pictures\"><h2 id=\"pictures\">Pictures</h2>",
    );
    let limits = Limits::default().with_timeout(PATIENCE);
    let small = match model {
        Model::Rules(_) => small_model(report, &limits),
        _ => None,
    };
    let system = match (&small, model) {
        (Some(small), _) => Some(small.system()),
        (None, Model::Rules(_)) => None,
        (None, model) => Some(model.system()),
    };
    let Some(system) = system.filter(|s| s.steps().len() <= MAX_STEPS) else {
        out += "<p>The answer did not need a list of the global states, and there are too many for a \
                picture. <code>ser show --stage rules</code> shows the rules of the program.</p></section>";
        return out;
    };
    if let Some(Scope::Part(..)) = report.verdict.certificate().map(Certificate::scope) {
        out += "<p>The program as a whole is too large for a picture. This is the part of it that the \
                counterexample needs.</p>";
    }
    picture(
        &mut out,
        "system-",
        "Network system",
        "What one request does: local states, and what each step reads and writes.",
        &system_picture(report, name, system),
    );
    if let Ok(automaton) = SerialAutomaton::new(system, &limits) {
        picture(
            &mut out,
            "serial-",
            "Serial automaton",
            "What requests do one after the other: each arrow is one request that runs alone, with its response.",
            &automaton_picture(report, name, system, &automaton),
        );
    }
    out + "</section>"
}

/// The states of a program that was decided without them, if they are few.
fn small_model(report: &Report, limits: &Limits) -> Option<ProgramModel> {
    let source = report.source.as_ref()?;
    let program = ser_session::source::program(&source).ok()?.program;
    ProgramModel::small(&program, &source.text, limits)
}

/// A graph, and how many states of all are on it.
struct Part {
    graph: Graph,
    shown: usize,
    all: usize,
    noun: &'static str,
}

fn picture(out: &mut String, prefix: &str, title: &str, about: &str, part: &Part) {
    let (graph, all) = (&part.graph, part.all);
    let count = words::count(all, part.noun);
    let _ = write!(
        out,
        "<details class=\"fold\"><summary><h3>{title}</h3> <span class=\"faint\">{count}</span></summary><p>{about}</p>"
    );
    if part.shown < all {
        let _ = write!(
            out,
            "<p class=\"legend\">Drawn: {} of {count}, those that the report is about or that are closest to the start.</p>",
            words::grouped(part.shown)
        );
    }
    match legible(graph).svg_element(prefix) {
        Ok(svg) => {
            let _ = write!(
                out,
                "<div class=\"picture\"><p class=\"zoom needs-script\"><button type=\"button\" data-zoom=\"0.8\" aria-label=\"Smaller\">−</button>\
                 <button type=\"button\" data-zoom=\"0\" aria-label=\"Original size\">1:1</button>\
                 <button type=\"button\" data-zoom=\"1.25\" aria-label=\"Larger\">+</button></p>\
                 <div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">{svg}</div></div>"
            );
        }
        Err(error) => {
            let _ = write!(out, "<p>{}</p>", Text(&error.to_string()));
        }
    }
    out.push_str("</details>");
}

/// The graph with what cannot be seen in names spelled out, as in the rest of the page.
fn legible(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for text in [&mut graph.title, &mut graph.description] {
        *text = visible(text);
    }
    for node in &mut graph.nodes {
        (node.label, node.hint) = (visible(&node.label), visible(&node.hint));
    }
    for edge in &mut graph.edges {
        edge.label = visible(&edge.label);
    }
    graph
}

/// The network system, or the local states of the counterexample, or those closest to the start.
fn system_picture(report: &Report, name: &str, system: &NetworkSystem) -> Part {
    let all = system.local_count();
    let whole = part_of_system(name, system, &|_| true);
    if is_legible(&whole) {
        return Part { graph: whole, shown: all, all, noun: "local state" };
    }
    let mut wanted: BTreeSet<LocalId> = BTreeSet::new();
    for event in events(report) {
        if let Event::Step { step, .. } = event
            && wanted.len() < MAX_PART
        {
            wanted.extend([step.from, step.to]);
        }
    }
    if wanted.is_empty() {
        let mut open: VecDeque<LocalId> = system.spawns().iter().map(|(_, l)| *l).collect();
        while let Some(local) = open.pop_front() {
            if wanted.len() < MAX_PART && wanted.insert(local) {
                open.extend(system.steps_of(local).iter().map(|s| s.to));
            }
        }
    }
    let graph = part_of_system(name, system, &|l| wanted.contains(&l));
    Part { graph, shown: wanted.len(), all, noun: "local state" }
}

/// The serial automaton, or the part that the counterexample visits, or what is closest to the start.
fn automaton_picture(
    report: &Report,
    name: &str,
    system: &NetworkSystem,
    automaton: &SerialAutomaton,
) -> Part {
    let all = automaton.states.len();
    let states: BTreeSet<GlobalId> = automaton.states.iter().copied().collect();
    let names = StateNames::new(system, &states);
    let whole = part_of_automaton(name, system, automaton, &|_| true, &|g| names.name(g));
    if is_legible(&whole) {
        return Part { graph: whole, shown: all, all, noun: "global state" };
    }
    let mut wanted: BTreeSet<GlobalId> = BTreeSet::from([automaton.initial]);
    for event in events(report) {
        if let Event::Step { step, .. } = event
            && wanted.len() < MAX_PART
        {
            wanted.insert(step.after);
        }
    }
    let mut open = VecDeque::from([automaton.initial]);
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop_front() {
        if wanted.len() >= MAX_PART || !seen.insert(state) {
            continue;
        }
        wanted.insert(state);
        let edges = automaton.edges.partition_point(|e| e.before < state);
        let edges = automaton.edges[edges..].iter().take_while(|e| e.before == state);
        open.extend(edges.map(|e| e.after));
    }
    wanted.retain(|state| automaton.states.binary_search(state).is_ok());
    let names = StateNames::new(system, &wanted);
    let is_wanted = |g| wanted.contains(&g);
    let graph = part_of_automaton(name, system, automaton, &is_wanted, &|g| names.name(g));
    Part { graph, shown: wanted.len(), all, noun: "global state" }
}

/// Names for the states of a picture: of many variables, only those that differ.
struct StateNames<'a> {
    system: &'a NetworkSystem,
    /// The variables to tell; nothing if all of them.
    telling: Option<Vec<usize>>,
}

impl<'a> StateNames<'a> {
    fn new(system: &'a NetworkSystem, states: &BTreeSet<GlobalId>) -> StateNames<'a> {
        let count = system.variables().len();
        let first = states.first().map(|g| system.valuation(*g));
        let differs =
            |v: usize| states.iter().any(|g| Some(system.valuation(*g)[v]) != first.map(|f| f[v]));
        let telling = (count > FEW_VARIABLES).then(|| (0..count).filter(|v| differs(*v)).collect());
        StateNames { system, telling }
    }

    fn name(&self, state: GlobalId) -> String {
        let Some(telling) = &self.telling else { return self.system.global_name(state) };
        let values = self.system.valuation(state);
        let words: Vec<String> = telling
            .iter()
            .map(|v| {
                let value = self.system.value_name(VariableId::from_index(*v), values[*v]);
                format!("{}={value}", self.system.variables()[*v].name)
            })
            .collect();
        if words.is_empty() { "start".to_owned() } else { words.join(", ") }
    }
}

fn events(report: &Report) -> &[Event] {
    match &report.verdict {
        Verdict::NotSerializable { refutation, .. } => &refutation.run.events,
        _ => &[],
    }
}

fn is_legible(graph: &Graph) -> bool {
    let arrows: BTreeSet<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    graph.nodes.len() <= MAX_NODES && arrows.len() <= MAX_ARROWS
}
