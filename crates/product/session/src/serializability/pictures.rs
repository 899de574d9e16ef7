//! Pictures of the network system and of the serial automaton, small enough to be legible.
//!
//! A picture with too many nodes or arrows shows nothing. Then only a part is drawn: what the
//! counterexample visits, or what is closest to the start; and the page says how much is missing.

use crate::serializability::decision::{Decision, Verdict};
use crate::source::{Model, Source, program};
use ser_base::Limits;
use ser_draw::{Edge, Graph, Node, Shape, Tone};
use ser_model::{GlobalId, LocalId, NetworkSystem, ProgramModel, Step, VariableId};
use ser_net::SerialAutomaton;
use ser_report::{Block, Detail, Picture, Section};
use ser_serializability_checker::{Certificate, Scope};
use ser_serializability_search::Event;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

/// The most nodes of a whole picture.
const MAX_NODES: usize = 40;
/// The most states of a part of one.
const MAX_PART: usize = 12;
/// With more variables, states are named by those that differ.
const FEW_VARIABLES: usize = 4;
/// The most arrows with different ends.
const MAX_ARROWS: usize = 90;
/// Larger systems are not examined for the sake of a picture.
const MAX_STEPS: usize = 50_000;
/// Nor for longer than this.
const PATIENCE: Duration = Duration::from_millis(400);

/// The section of a page; nothing if there is no model.
pub fn section(decision: &Decision, source: &Source, limits: &Limits) -> Option<Section> {
    let model = decision.model.as_ref()?;
    let limits = limits.at_most(PATIENCE);
    let name = Path::new(&source.name).file_name().and_then(|it| it.to_str());
    let name = name.unwrap_or(&source.name);
    let mut blocks = Vec::new();
    let small = match model {
        Model::Rules(_) | Model::Text(..) => small_model(source, &limits),
        _ => None,
    };
    let system = match (&small, model) {
        (Some(small), _) => Some(small.system()),
        (None, Model::Rules(_) | Model::Text(..)) => None,
        (None, model) => Some(model.system()),
    };
    let Some(system) = system.filter(|s| s.steps().len() <= MAX_STEPS) else {
        blocks.push(Block::Text(
            "The answer did not need a list of the global states, and there are too many for a \
             picture. `ser show --stage rules` shows the rules of the program."
                .to_owned(),
        ));
        return Some(Section::titled("Pictures", blocks).with_detail(Detail::Page));
    };
    if let Some(Scope::Part(..) | Scope::Along(_)) =
        decision.verdict.certificate().map(Certificate::scope)
    {
        blocks.push(Block::Text(
            "The program as a whole is too large for a picture. This is the part of it that the \
             counterexample needs."
                .to_owned(),
        ));
    }
    blocks.push(Block::Picture(Box::new(system_picture(decision, name, system))));
    if let Ok(automaton) = SerialAutomaton::new(system, &limits) {
        let picture = automaton_picture(decision, name, system, &automaton);
        blocks.push(Block::Picture(Box::new(picture)));
    }
    Some(Section::titled("Pictures", blocks).with_detail(Detail::Page))
}

/// The states of a program that was decided without them, if they are few.
fn small_model(source: &Source, limits: &Limits) -> Option<ProgramModel> {
    let program = program(source).ok()?.program;
    ProgramModel::small(&program, &source.text, limits)
}

fn system_picture_of(graph: Graph, shown: usize, all: usize) -> Picture {
    Picture {
        title: "Network system".to_owned(),
        about: "What one request does: local states, and what each step reads and writes."
            .to_owned(),
        graph,
        shown,
        all,
        noun: "local state".to_owned(),
    }
}

fn automaton_picture_of(graph: Graph, shown: usize, all: usize) -> Picture {
    Picture {
        title: "Serial automaton".to_owned(),
        about: "What requests do one after the other: each arrow is one request that runs alone, \
                with its response."
            .to_owned(),
        graph,
        shown,
        all,
        noun: "global state".to_owned(),
    }
}

/// The network system, or the local states of the counterexample, or those closest to the start.
fn system_picture(decision: &Decision, name: &str, system: &NetworkSystem) -> Picture {
    let all = system.local_count();
    let whole = part_of_system(name, system, &|_| true);
    if is_legible(&whole) {
        return system_picture_of(whole, all, all);
    }
    let mut wanted: BTreeSet<LocalId> = BTreeSet::new();
    for event in events(decision) {
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
    system_picture_of(graph, wanted.len(), all)
}

/// The serial automaton, or the part that the counterexample visits, or what is closest to the
/// start.
fn automaton_picture(
    decision: &Decision,
    name: &str,
    system: &NetworkSystem,
    automaton: &SerialAutomaton,
) -> Picture {
    let all = automaton.states.len();
    let states: BTreeSet<GlobalId> = automaton.states.iter().copied().collect();
    let names = StateNames::new(system, &states);
    let whole = part_of_automaton(name, system, automaton, &|_| true, &|g| names.name(g));
    if is_legible(&whole) {
        return automaton_picture_of(whole, all, all);
    }
    let mut wanted: BTreeSet<GlobalId> = BTreeSet::from([automaton.initial]);
    for event in events(decision) {
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
    automaton_picture_of(graph, wanted.len(), all)
}

/// Names for the states of a picture: of many variables, only those that differ.
struct StateNames<'a> {
    system: &'a NetworkSystem,
    /// The variables to show; `None` for all of them.
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

fn events(decision: &Decision) -> &[Event] {
    match &decision.verdict {
        Verdict::NotSerializable { refutation, .. } => &refutation.run.events,
        _ => &[],
    }
}

fn is_legible(graph: &Graph) -> bool {
    let arrows: BTreeSet<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    graph.nodes.len() <= MAX_NODES && arrows.len() <= MAX_ARROWS
}

/// A part of a network system that is small enough to be drawn: the local states that are
/// wanted, with steps labelled by what they read and write.
pub fn part_of_system(
    name: &str,
    system: &NetworkSystem,
    wanted: &dyn Fn(LocalId) -> bool,
) -> Graph {
    let mut graph = Graph::new("system", format!("{name}: network system"));
    graph.description = "Local states are boxes; steps say what they read and write.".into();
    let mut locals: BTreeMap<LocalId, usize> = BTreeMap::new();
    for local in (0..system.local_count()).map(LocalId::from_index).filter(|l| wanted(*l)) {
        let node = Node::new(format!("l{}", local.0), system.local_name(local), Shape::Box);
        locals.insert(local, graph.add(node));
    }
    let mut edges: BTreeSet<(usize, usize, String)> = BTreeSet::new();
    let mut ends: BTreeMap<(char, usize), usize> = BTreeMap::new();
    let mut end = |graph: &mut Graph, letter: char, at: usize, name: &str, tone| {
        *ends.entry((letter, at)).or_insert_with(|| {
            graph.add(Node::new(format!("{letter}{at}"), name, Shape::Diamond).toned(tone))
        })
    };
    for (request, local) in system.spawns() {
        if let Some(to) = locals.get(local) {
            let name = system.request_name(*request);
            let from = end(&mut graph, 'q', request.index(), name, Tone::Begin);
            edges.insert((from, *to, String::new()));
        }
    }
    for (local, response) in system.replies() {
        if let Some(from) = locals.get(local) {
            let name = system.response_name(*response);
            let to = end(&mut graph, 'r', response.index(), name, Tone::End);
            edges.insert((*from, to, String::new()));
        }
    }
    for step in system.steps() {
        if let (Some(from), Some(to)) = (locals.get(&step.from), locals.get(&step.to)) {
            edges.insert((*from, *to, footprint(system, step)));
        }
    }
    graph.edges = edges.into_iter().map(|(a, b, label)| Edge::new(a, b).labelled(label)).collect();
    graph
}

/// `X=0→1 Y=2`: what a step reads and writes.
fn footprint(system: &NetworkSystem, step: &Step) -> String {
    let footprint = system.footprint(step.footprint);
    let mut words = Vec::new();
    let name = |v: VariableId| &system.variables()[v.index()].name;
    for (variable, read) in &footprint.reads {
        let written = footprint.writes.iter().find(|(v, _)| v == variable);
        let read = system.value_name(*variable, *read);
        words.push(match written {
            Some((_, new)) => {
                format!("{}={read}→{}", name(*variable), system.value_name(*variable, *new))
            }
            None => format!("{}={read}", name(*variable)),
        });
    }
    for (variable, new) in &footprint.writes {
        if !footprint.reads.iter().any(|(v, _)| v == variable) {
            words.push(format!("{}:={}", name(*variable), system.value_name(*variable, *new)));
        }
    }
    words.join(" ")
}

/// The states of a serial automaton that are wanted, under the names that they are given, with the
/// edges between them.
pub fn part_of_automaton(
    name: &str,
    system: &NetworkSystem,
    automaton: &SerialAutomaton,
    wanted: &dyn Fn(GlobalId) -> bool,
    label: &dyn Fn(GlobalId) -> String,
) -> Graph {
    let mut graph = Graph::new("serial", format!("{name}: serial automaton"));
    graph.description = format!(
        "{} global states; {} edges, each a request that runs alone, with its response.",
        automaton.states.len(),
        automaton.edges.len()
    );
    let start = graph.add(Node::new("start", "", Shape::Point));
    let mut places = BTreeMap::new();
    for state in automaton.states.iter().filter(|s| wanted(**s)) {
        let id = format!("g{}", state.0);
        let node = Node::new(id, label(*state), Shape::Rounded).toned(Tone::Shared);
        let node = if *state == automaton.initial { node.marked() } else { node };
        places.insert(*state, graph.add(node));
    }
    if let Some(initial) = places.get(&automaton.initial) {
        graph.edges.push(Edge::new(start, *initial));
    }
    for edge in &automaton.edges {
        if let (Some(from), Some(to)) = (places.get(&edge.before), places.get(&edge.after)) {
            graph.edges.push(Edge::new(*from, *to).labelled(edge.outcome.name(system)));
        }
    }
    graph
}
