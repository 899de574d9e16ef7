//! Interleaving nets as place/transition nets.

use super::names::{Identifiers, Words};
use ser_model::{GlobalId, NetworkSystem};
use ser_net::{Effect, Net, Outcome, PaperNet, PaperTransition, Transition};
use ser_petri::{PetriNet, Place, PlaceId};
use ser_session::source::Source;
use std::collections::BTreeMap;

/// What a place stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A global state.
    Global,
    /// A request that is not done.
    InFlight,
    /// Requests that are done, with this response.
    Sink(Outcome),
}

/// A net for other tools.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedNet {
    pub net: PetriNet,
    /// What its places stand for, in the same order.
    pub kinds: Vec<PlaceKind>,
}

impl ExportedNet {
    /// The places where requests are in flight.
    pub fn in_flight(&self) -> Vec<PlaceId> {
        let places = (0u32..).map(PlaceId).zip(&self.kinds);
        places.filter(|(_, kind)| **kind == PlaceKind::InFlight).map(|(place, _)| place).collect()
    }

    /// The place that counts an outcome.
    pub fn sink(&self, outcome: Outcome) -> Option<PlaceId> {
        let places = (0u32..).map(PlaceId).zip(&self.kinds);
        places.into_iter().find(|(_, k)| **k == PlaceKind::Sink(outcome)).map(|(place, _)| place)
    }
}

struct Builder<'a> {
    words: Words<'a>,
    names: Identifiers,
    net: PetriNet,
    kinds: Vec<PlaceKind>,
    globals: BTreeMap<GlobalId, PlaceId>,
    sinks: BTreeMap<Outcome, PlaceId>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Source, system: &'a NetworkSystem) -> Builder<'a> {
        let mut names = Identifiers::default();
        let stem = std::path::Path::new(&source.name).file_stem().and_then(|s| s.to_str());
        let net = PetriNet { name: names.unique(stem.unwrap_or("stdin")), ..PetriNet::default() };
        Builder {
            words: Words { source, system },
            // The name of the net conflicts with no other name.
            names: Identifiers::default(),
            net,
            kinds: Vec::new(),
            globals: BTreeMap::new(),
            sinks: BTreeMap::new(),
        }
    }

    fn place(
        &mut self,
        (words, label): (String, String),
        kind: PlaceKind,
        initial: u64,
    ) -> PlaceId {
        let id = PlaceId(self.net.places.len() as u32);
        self.net.places.push(Place { name: self.names.unique(&words), label, initial });
        self.kinds.push(kind);
        id
    }

    fn globals(&mut self, globals: impl IntoIterator<Item = GlobalId>, initial: GlobalId) {
        for global in globals {
            let token = u64::from(global == initial);
            let place = self.place(self.words.global(global), PlaceKind::Global, token);
            self.globals.insert(global, place);
        }
    }

    fn sinks(&mut self, sinks: impl IntoIterator<Item = Outcome>) {
        for outcome in sinks {
            let place = self.place(self.words.sink(outcome), PlaceKind::Sink(outcome), 0);
            self.sinks.insert(outcome, place);
        }
    }

    fn transition(
        &mut self,
        words: &str,
        label: String,
        takes: [Option<PlaceId>; 2],
        gives: [Option<PlaceId>; 2],
    ) {
        let arcs = |places: [Option<PlaceId>; 2]| {
            let mut arcs: Vec<(PlaceId, u64)> =
                places.into_iter().flatten().map(|p| (p, 1)).collect();
            arcs.sort_unstable();
            arcs
        };
        let name = self.names.unique(words);
        let (takes, gives) = (arcs(takes), arcs(gives));
        self.net.transitions.push(ser_petri::Transition { name, label, takes, gives });
    }

    fn finish(self) -> ExportedNet {
        ExportedNet { net: self.net, kinds: self.kinds }
    }
}

/// The net of appendix E of the SER paper.
pub fn paper_net(source: &Source, system: &NetworkSystem, net: &PaperNet) -> ExportedNet {
    let mut builder = Builder::new(source, system);
    let words = builder.words;
    builder.globals(net.globals.iter().copied(), system.initial_global());
    let mut places = BTreeMap::new();
    for &(request, local) in &net.in_flight {
        let name = words.in_flight(request, local);
        places.insert((request, local), builder.place(name, PlaceKind::InFlight, 0));
    }
    builder.sinks(net.sinks.iter().copied());
    for transition in &net.transitions {
        match *transition {
            PaperTransition::Arrive(request, local) => {
                let name = system.request_name(request);
                let to = places.get(&(request, local)).copied();
                let label = format!("{name} arrives");
                builder.transition(&format!("{name}_arrives"), label, [None; 2], [to, None]);
            }
            PaperTransition::Step(request, step) => {
                let name = system.request_name(request);
                let (from, to) = (words.line(step.from), words.line(step.to));
                let label = format!(
                    "{name} goes from {} to {}, {}",
                    from.1,
                    to.1,
                    words.change(step.before, step.after)
                );
                let ends = |global, local| {
                    let global = builder.globals.get(&global).copied();
                    [global, places.get(&(request, local)).copied()]
                };
                let (takes, gives) = (ends(step.before, step.from), ends(step.after, step.to));
                let id = format!("{name}_{}_to_{}", from.0, to.0);
                builder.transition(&id, label, takes, gives);
            }
            PaperTransition::Respond(request, local, response) => {
                let outcome = Outcome { request, response };
                let label = words.sink(outcome).1;
                let from = places.get(&(request, local)).copied();
                let to = builder.sinks.get(&outcome).copied();
                builder.transition(&label.clone(), label, [from, None], [to, None]);
            }
        }
    }
    builder.finish()
}

/// A net in normal form.
pub fn normal_net(source: &Source, system: &NetworkSystem, net: &Net) -> ExportedNet {
    let mut builder = Builder::new(source, system);
    let words = builder.words;
    builder.globals(net.globals(), net.initial);
    let mut places = Vec::new();
    for place in &net.places {
        places.push(builder.place(words.place(place), PlaceKind::InFlight, 0));
    }
    builder.sinks(net.sinks());
    for transition in &net.transitions {
        let Transition { before, takes, after, effect } = *transition;
        let request = match (takes, effect) {
            (Some(place), _) | (None, Effect::InFlight(place)) => net.places[place.index()].request,
            (None, Effect::Respond(outcome)) => outcome.request,
        };
        let name = system.request_name(request);
        let line = |place: ser_net::PlaceId| words.line(net.places[place.index()].name().1);
        let from = takes.map_or(("start".into(), "its start".into()), line);
        let (to, how, target) = match effect {
            Effect::InFlight(place) => {
                let (short, long) = line(place);
                let how = format!("goes from {} to {long}", from.1);
                (format!("to_{short}"), how, places.get(place.index()).copied())
            }
            Effect::Respond(outcome) => {
                let response = system.response_name(outcome.response);
                let how = format!("goes from {} to its end, responds {response}", from.1);
                (format!("responds_{response}"), how, builder.sinks.get(&outcome).copied())
            }
        };
        let label = format!("{name} {how}, {}", words.change(before, after));
        let source = takes.and_then(|p| places.get(p.index()).copied());
        let global = |g| builder.globals.get(&g).copied();
        let (takes, gives) = ([global(before), source], [global(after), target]);
        builder.transition(&format!("{name}_{}_{to}", from.0), label, takes, gives);
    }
    builder.finish()
}
